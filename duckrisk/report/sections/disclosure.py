"""Build what the sections on disclosure share: names of rules and sets, and the comparison of rules."""

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
    """Join the names of an attribute set for a cell of a table."""
    return Data(" + ".join(names))


def format_figure(value: float | None) -> Text:
    """Format a figure with four significant digits; "none" if it is None."""
    return Sentence("none") if value is None else f"{value:.4g}"


def describe_rule(name: str) -> Sentence:
    """Describe how a rule treats a missing value."""
    return Sentence(f"disclosure.rule.{name}")


def describe_set_rule(name: str) -> Sentence:
    """Describe how a rule treats a missing value in a search of attribute sets.

    The rule "none" is not that of classes: an attribute set never singles out a record that lacks one of its
    values. A class holds such a record if the other values agree.
    """
    return Sentence("disclosure.sets.rule_none") if name == "none" else describe_rule(name)


def compare_rules(
    section: Suda | AttributeSets | MinimalKeys,
    by_rule: Sequence[ByRule],
    figures: Callable[[ByRule], Iterable[Column]],
    sql: tuple[str, ...],
) -> list[Block]:
    """Compare the rules for missing values.

    Args:
        section: The section of the result.
        by_rule: Its figures by each rule.
        figures: Returns the columns of the figures by one rule.
        sql: The statements behind the figures.

    Returns:
        A table with a row for each rule, or a sentence if nothing is missing or no other rule was tried.
    """
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
    """Say in a few words how far the search by a rule went."""
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
    """Format a count, as "at least" if the search was cut short."""
    formatted = format_number(count)
    return Sentence("disclosure.at_least", count=formatted) if cut and count is not None else formatted
