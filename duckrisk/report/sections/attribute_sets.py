"""Make the section on attribute sets and the records that each singles out."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.set_results import AttributeSets, BestSet, SetFigures, SetsByRule
from duckrisk.report.blocks import (
    Block,
    Column,
    Heading,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.sections.disclosure import compare_rules, describe_set_rule, join_attributes

#: Attribute sets in a table (a choice: the JSON report has all of them).
_MAX_SETS = 20
_SQL = ("set_listed", "set_figures", "agreeing_counted")


def make_blocks(sets: AttributeSets) -> list[Block]:
    """Make the section on attribute sets."""
    counting = "agreeing" if sets.overlapping else "classes"
    headline = Sentence(
        "disclosure.sets.first",
        examined=format_number(sets.sets_examined),
        possible=format_number(sets.sets_possible),
        count=format_number(sets.max_size),
    )
    method = Sentence(
        f"disclosure.sets.{counting}_{sets.unit}",
        units=format_number(sets.persons),
        rule=describe_set_rule(sets.missing_mode),
    )
    limit = (
        Sentence("disclosure.sets.ended", why=Sentence(f"disclosure.limit.{sets.limit}"))
        if sets.limit
        else None
    )
    best = "best_so_far" if sets.limit == "time_limit" else "best"
    return [
        heading("disclosure.attribute_sets"),
        Paragraph(headline, "headline"),
        *paragraphs([method, limit, _describe_cost(sets)]),
        *compare_rules(
            sets, (sets.in_short(), *sets.other_rules), lambda entry: _make_rule_columns(entry, sets), _SQL
        ),
        *paragraphs([Sentence("disclosure.sets.by") if sets.other_rules else None], "reading"),
        Heading(Sentence(f"disclosure.sets.{best}"), 3),
        _list_sets(sets.best),
        Heading(Sentence("disclosure.sets.smallest"), 3),
        _list_sets(sets.sets, sets.sets_listed),
        Paragraph(Sentence(f"disclosure.sets.reading_{counting}"), "reading"),
    ]


def _describe_cost(sets: AttributeSets) -> Text:
    seconds = _format_seconds(sets.estimated_seconds)
    if sets.method == "exact":
        return Sentence("disclosure.sets.cost", seconds=seconds)
    return Sentence(
        "disclosure.sets.cost_sample",
        seconds=seconds,
        one_in=format_number(sets.one_in),
        exact=_format_seconds(sets.estimated_seconds_exact),
    )


def _format_seconds(seconds: float) -> str:
    return "< 0.1" if seconds < 0.1 else f"{seconds:,.{0 if seconds >= 100 else 1}f}"


def _make_rule_columns(entry: SetsByRule, sets: AttributeSets) -> tuple[Column, ...]:
    """Make the columns of a rule: the best attribute, and all attributes."""
    best = entry.best or ()
    single = next((row for row in best if row.size == 1), None)
    all_attributes = next((row for row in best if row.size == len(sets.attributes)), None)
    everything: Text = "-"
    if all_attributes is not None:
        everything = _format_singled_out(all_attributes)
    elif entry.limit is None and entry.method == "exact" and sets.records:
        everything = format_share(0)  # no record has values in all attributes
    return (
        number_column("disclosure.by_one", "-" if single is None else _format_singled_out(single)),
        text_column("disclosure.the_attribute", "-" if single is None else Data(single.attributes[0])),
        number_column("disclosure.by_all", everything),
    )


def _list_sets(entries: Sequence[SetFigures], listed: Truncation | None = None) -> Listing:
    tied = any(isinstance(entry, BestSet) and entry.equals for entry in entries)
    return Listing.of(
        entries,
        lambda entry: (
            text_column("disclosure.set", join_attributes(entry.attributes)),
            number_column("disclosure.singled_out", _format_singled_out(entry)),
            number_column("disclosure.distinction", _format_digits(entry.distinction, ".4g")),
            number_column("disclosure.separation", _format_digits(entry.separation, ".4f")),
            number_column("disclosure.smallest_class", format_number(entry.smallest_class)),
            *([number_column("disclosure.equals", _format_equals(entry))] if tied else []),
        ),
        max_rows=_MAX_SETS,
        ranks=tuple((entry.size, entry.singled_out, entry.classes) for entry in entries),
        listed=listed,
        sql=_SQL,
    )


def _format_digits(value: float | None, form: str) -> str:
    return "-" if value is None else f"{value:{form}}"


def _format_equals(entry: SetFigures) -> str:
    return format_number(entry.equals) if isinstance(entry, BestSet) and entry.equals else "-"


def _format_singled_out(figures: SetFigures) -> Text:
    if figures.lower is None:
        return format_share(figures.share_singled_out)
    return Sentence("to", lower=format_share(figures.lower), upper=format_share(figures.upper))
