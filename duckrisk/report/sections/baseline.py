"""Compare a report with an earlier one: the figures that got worse."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.results import Baseline, Change, Result
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.decision.policy import LIMITS, format_figure
from duckrisk.report.blocks import Block, Listing, Paragraph, number_column, paragraphs, text_column

#: Figures that a sentence names, and rows of the table on a terminal (a choice: the JSON report has all).
_MAX_NAMED, _TERMINAL_ROWS = 3, 10


def make_blocks(result: Result) -> list[Block]:
    """Make the section: the outcome, and each figure with its earlier value."""
    return [*describe_outcome(result), _list_figures(result.baseline)] if result.baseline is not None else []


def describe_outcome(result: Result) -> list[Block]:
    """Describe what got worse, and which settings differ."""
    if (baseline := result.baseline) is None:
        return []
    named = {"name": Data(baseline.name), "count": format_number(len(baseline.figures))}
    settings = join_texts(map(Data, baseline.settings or ()))
    warning = Sentence("baseline.settings", names=settings) if baseline.settings else None
    others = paragraphs([warning], "warning")
    if not baseline.worse:
        return [Paragraph(Sentence("baseline.nothing", **named), "verdict"), *others]
    names = join_texts(
        describe_change(change) for change in baseline.figures[: min(baseline.worse, _MAX_NAMED)]
    )
    more = baseline.worse - _MAX_NAMED
    worse = Sentence("list", names=names, more=format_number(more)) if more > 0 else names
    return [
        Paragraph(
            Sentence("baseline.worse", worse=format_number(baseline.worse), what=worse, **named), "verdict"
        ),
        *others,
    ]


def describe_change(change: Change) -> Sentence:
    """Describe the change of a figure: its name, its earlier value and its value now."""
    return Sentence(
        "baseline.changed",
        what=_name_figure(change),
        before=_format_value(change, change.before),
        now=_format_value(change, change.now),
    )


def _name_figure(change: Change) -> Text:
    name = Sentence(f"verdict.{change.figure}") if change.figure in LIMITS else Data(change.figure)
    return Sentence("baseline.of", what=name, where=Data(change.where)) if change.where is not None else name


def _format_value(change: Change, value: float) -> str:
    """Format a value by the kind of its figure."""
    return format_figure(change.figure, value) if change.figure in LIMITS else format_number(value)


def _list_figures(baseline: Baseline) -> Listing:
    return Listing.of(
        baseline.figures,
        lambda change: (
            text_column("baseline.figure", _name_figure(change)),
            number_column("baseline.before", _format_value(change, change.before)),
            number_column("baseline.now", _format_value(change, change.now)),
            text_column("baseline.change", Sentence(f"baseline.{_name_change(change)}")),
        ),
        terminal_rows=_TERMINAL_ROWS,
    )


def _name_change(change: Change) -> str:
    return "is_worse" if change.worse else "same" if change.before == change.now else "better"
