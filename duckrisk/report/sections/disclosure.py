"""What the parts on disclosure say alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from duckrisk.base.numbers import format_number
from duckrisk.base.options.disclosure import MISSING
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.set_results import (
    AttributeSets,
    KeysByRule,
    MinimalKeys,
    SetsByRule,
    Suda,
    SudaByRule,
)
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, text_column

ByRule = TypeVar("ByRule", bound=SudaByRule | SetsByRule | KeysByRule)


def join_attributes(names: Sequence[str]) -> Data:
    """A set of attributes in a cell of a table."""
    return Data(" + ".join(names))


def format_figure(value: float | None) -> Text:
    """Four significant digits."""
    return Sentence("none") if value is None else f"{value:.4g}"


def describe_rule(name: str) -> Sentence:
    """What a missing cell is by a rule."""
    return Sentence(f"disclosure.rule.{name}")


def describe_set_rule(name: str) -> Sentence:
    """What a missing cell is by a rule where sets of attributes are tried one by one: what is not known of
    a record is then in no set that singles it out, while a class holds whoever has its other values."""
    return Sentence("disclosure.sets.rule_none") if name == "none" else describe_rule(name)


def compare_rules(
    section: Suda | AttributeSets | MinimalKeys,
    by_rule: Sequence[ByRule],
    figures: Callable[[ByRule], Iterable[Column]],
    sql: tuple[str, ...],
) -> list[Block]:
    """Compare the rules for missing cells, a row for each, by ``figures`` that statements of ``sql`` give."""
    if not section.missing_cells:
        return [Paragraph(Sentence("disclosure.sets.none_missing"))]
    missing = format_number(section.missing_cells)
    if not section.other_rules:
        return [Paragraph(Sentence("disclosure.sets.not_compared", count=missing))]
    entries = {entry.missing: entry for entry in by_rule}
    table = Listing.of(
        [entries[name] for name in MISSING],
        lambda entry: (
            text_column("disclosure.missing", entry.missing),
            *figures(entry),
            text_column("disclosure.sets.searched", _describe_search(entry)),
        ),
        sql=sql,
    )
    return [Paragraph(Sentence("disclosure.sets.compared", count=missing)), table]


def _describe_search(entry: SudaByRule | SetsByRule | KeysByRule) -> Text:
    """How much was searched by a rule, in few words."""
    if entry.limit == "patterns":
        return Sentence("disclosure.sets.patterns")
    if entry.max_size is None:
        return Sentence("disclosure.sets.no_time")
    if entry.limit == "time_limit":
        return Sentence("disclosure.sets.time_ended")
    if entry.limit is None:
        return Sentence("disclosure.sets.all_sizes")
    return Sentence("disclosure.sets.to_size", size=format_number(entry.max_size))


def format_at_least(count: int | None, cut: bool) -> Text:
    """A count, or its least where the search was cut short."""
    least = format_number(count)
    return Sentence("disclosure.at_least", count=least) if cut and count is not None else least
