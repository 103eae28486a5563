"""What is told of an earlier report: what got worse since then."""

from __future__ import annotations

from duckrisk.numbers import number, share
from duckrisk.policy import COUNTS, LIMITS
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, column, numbers
from duckrisk.results import Baseline, Change, Result
from duckrisk.sentences import Data, Sentence, Text, joined, say

#: So many figures that got worse are named in the sentence, and listed on a terminal.
_MOST_NAMED, _MOST_LISTED = 3, 10


def blocks(result: Result) -> list[Block]:
    """The outcome, and every figure beside what it was."""
    return [*outcome(result), _figures(result.baseline)] if result.baseline is not None else []


def outcome(result: Result) -> list[Block]:
    """What got worse, in a sentence."""
    if (found := result.baseline) is None:
        return []
    named = {"name": Data(found.name), "count": number(len(found.figures))}
    if not found.worse:
        return [Paragraph(say("baseline.nothing", **named), "verdict")]
    shown = joined(_changed(change) for change in found.figures[: min(found.worse, _MOST_NAMED)])
    more = found.worse - _MOST_NAMED
    worse = say("list", names=shown, more=number(more)) if more > 0 else shown
    return [Paragraph(say("baseline.worse", worse=number(found.worse), what=worse, **named), "verdict")]


def _changed(change: Change) -> Sentence:
    return say(
        "baseline.changed", what=_what(change), before=_of(change, change.before), now=_of(change, change.now)
    )


def _what(change: Change) -> Text:
    name = say(f"verdict.{change.figure}") if change.figure in LIMITS else Data(change.figure)
    return say("baseline.of", what=name, where=Data(change.where)) if change.where is not None else name


def _of(change: Change, value: float) -> str:
    """A figure as its kind is written."""
    return share(value) if change.figure in LIMITS and change.figure not in COUNTS else number(value)


def _figures(found: Baseline) -> Listing:
    columns: tuple[Column, ...] = (
        column("baseline.figure"),
        numbers("baseline.before"),
        numbers("baseline.now"),
        column("baseline.change"),
    )
    rows = tuple(
        (_what(one), _of(one, one.before), _of(one, one.now), say(f"baseline.{_word(one)}"))
        for one in found.figures
    )
    return Listing(columns, rows, brief=_MOST_LISTED)


def _word(change: Change) -> str:
    return "is_worse" if change.worse else "same" if change.before == change.now else "better"
