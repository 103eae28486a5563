"""What is told of how well attribute sets tell records apart."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.disclosure.set_results import AttributeSets, BestSet, SetFigures, SetsByRule
from duckrisk.numbers import number, share
from duckrisk.report.blocks import Block, Heading, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import attribute_set, compared, rule
from duckrisk.results import Listed
from duckrisk.sentences import Data, Text, say

#: Sets that are listed.
_MOST = 20


def blocks(found: AttributeSets) -> list[Block]:
    """The section on attribute sets."""
    alone = "agreeing" if found.overlapping else "classes"
    first = say(
        "disclosure.sets.first",
        examined=number(found.sets_examined),
        possible=number(found.sets_possible),
        count=number(found.max_size),
    )
    how = say(
        f"disclosure.sets.{alone}_{found.unit}",
        units=number(found.persons),
        rule=rule(found.missing_mode),
    )
    ended = say("disclosure.sets.ended", why=say(f"disclosure.limit.{found.limit}")) if found.limit else None
    columns = (
        numbers("disclosure.by_one"),
        column("disclosure.the_attribute"),
        numbers("disclosure.by_all"),
    )
    best = "best_so_far" if found.limit == "time_limit" else "best"
    return [
        head("disclosure.attribute_sets"),
        Paragraph(first, "headline"),
        *paragraphs([how, ended, _cost(found)]),
        *compared(found, (found.in_short(), *found.other_rules), columns, lambda entry: _cells(entry, found)),
        *paragraphs([say("disclosure.sets.by") if found.other_rules else None], "reading"),
        Heading(say(f"disclosure.sets.{best}"), 3),
        _table(found.best),
        Heading(say("disclosure.sets.smallest"), 3),
        _table(found.sets, found.sets_listed),
        Paragraph(say(f"disclosure.sets.reading_{alone}"), "reading"),
    ]


def _cost(found: AttributeSets) -> Text:
    seconds = _seconds(found.estimated_seconds)
    if found.method == "exact":
        return say("disclosure.sets.cost", seconds=seconds)
    return say(
        "disclosure.sets.cost_sample",
        seconds=seconds,
        one_in=number(found.one_in),
        exact=_seconds(found.estimated_seconds_exact),
    )


def _seconds(seconds: float) -> str:
    return "< 0.1" if seconds < 0.1 else f"{seconds:,.{0 if seconds >= 100 else 1}f}"


def _cells(entry: SetsByRule, found: AttributeSets) -> tuple[Text, ...]:
    """By a rule for missing cells, whom one attribute singles out, and all together."""
    best = entry.best or ()
    one = next((row for row in best if row.size == 1), None)
    whole = next((row for row in best if row.size == len(found.attributes)), None)
    everything: Text = "-"
    if whole is not None:
        everything = _share(whole)
    elif entry.limit is None and entry.method == "exact" and found.records:
        everything = share(0)  # nobody is singled out by attributes that nobody has
    if one is None:
        return "-", "-", everything
    return _share(one), Data(one.attributes[0]), everything


def _table(entries: Sequence[SetFigures], listed: Listed | None = None) -> Listing:
    rows = tuple(
        (
            attribute_set(one.attributes),
            _share(one),
            "-" if one.distinction is None else f"{one.distinction:.4g}",
            "-" if one.separation is None else f"{one.separation:.4f}",
            number(one.smallest_class),
            number(one.equals) if isinstance(one, BestSet) and one.equals else "-",
        )
        for one in entries
    )
    keys = ("singled_out", "distinction", "separation", "smallest_class", "equals")
    columns = (column("disclosure.set"), *(numbers(f"disclosure.{key}") for key in keys))
    ranks = tuple((one.size, one.singled_out, one.classes) for one in entries)
    made = Listing(columns, rows, _MOST, ranks=ranks, listed=listed)
    return made if any(row[-1] != "-" for row in rows) else made.only(range(len(columns) - 1))


def _share(one: SetFigures) -> Text:
    if one.lower is None:
        return share(one.share_singled_out)
    return say("to", lower=share(one.lower), upper=share(one.upper))
