"""Make the report on advice for people: the releases that keep the policy, and the commands."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy import name_policy
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.advice.results import Advice, Line, PeopleLine
from duckrisk.report.blocks import (
    Block,
    Code,
    Column,
    Document,
    Figure,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
)
from duckrisk.report.charts import Drawing, format_tick
from duckrisk.report.drawings import Axis, Point, draw_points
from duckrisk.report.sections.advice_steps import describe_step, write_command
from duckrisk.report.words import Words


def make_document(result: Advice) -> Document:
    """Make the report: the outcome, the releases, and the command of each."""
    first, *releases = result.lines
    blocks: list[Block] = [
        Paragraph(_describe_outcome(result), "verdict"),
        *([Items(because)] if not releases and (because := _list_reasons(first)) else []),
        *([Paragraph(_write_headline(result), "headline")] if result.stop_reason != "no_columns" else []),
    ]
    if releases:
        blocks += [
            _plot_releases(result),
            heading("advice.releases"),
            _list_releases(result),
            Paragraph(Sentence("advice.read.people"), "reading"),
            *_list_commands(result, releases),
        ]
    if result.notes:
        blocks += [heading("assess.notes"), Items(result.notes)]
    return Document(Sentence("advice.title", source=Data(result.source)), tuple(blocks))


def _get_people(line: Line) -> PeopleLine:
    assert line.people is not None
    return line.people


def _list_reasons(line: Line) -> tuple[Sentence, ...]:
    return _get_people(line).verdict.undecided_because


def _describe_outcome(result: Advice) -> Sentence:
    """Say whether a release keeps the policy, and how much the best one leaves."""
    verdict = _get_people(result.lines[0]).verdict
    named = name_policy(verdict.policy, verdict.limits_from)
    if len(result.lines) > 1:
        best = result.lines[-1]
        return Sentence(
            "advice.people.policy",
            policy=named,
            method=describe_step(best),
            detail=format_share(best.detail.detail_left),
        )
    key = "no_columns" if result.stop_reason == "no_columns" else "no_step"
    if verdict.is_kept:
        key = "nothing_to_do"
    elif not verdict.exceeded and key != "no_columns":
        key = "nothing_to_do.open"
    return Sentence(f"advice.people.{key}", policy=named)


def _write_headline(result: Advice) -> Sentence:
    """Compare the table as it is with its most useful release."""
    first = _get_people(result.lines[0])
    before = Sentence(
        "advice.people.singled_out",
        count=format_number(first.singled_out),
        people=format_number(first.people),
        share=format_share(first.singled_out_share),
    )
    if len(result.lines) == 1:
        return Sentence("advice.people.headline_none", before=before, k=format_number(first.smallest_class))
    line = result.lines[-1]
    last = _get_people(line)
    return Sentence(
        "advice.people.headline",
        before=before,
        after=format_number(last.singled_out),
        k=format_number(last.smallest_class),
        left=summarize_detail(line.detail, line.records, line.rows_before or 0),
    )


def _list_releases(result: Advice) -> Listing:
    return Listing.of(
        result.lines,
        lambda line: _make_row(result, line),
        whole=True,
        sql=("facts_together", "total_penalty"),
    )


def _make_row(result: Advice, line: Line) -> tuple[Column, ...]:
    people = _get_people(line)
    rows = line.rows_before or 0
    return (
        Column(Sentence("advice.way"), min_width=16, cell=_name_way(result, line)),
        _number_column("people_out", format_number(people.singled_out)),
        number_column("advice.k", format_number(people.smallest_class)),
        number_column("advice.one_fact", format_share(people.one_fact)),
        _number_column("detail", format_share(line.detail.detail_left)),
        _number_column("deleted", format_share((rows - line.records) / rows if rows else 0.0)),
        Column(Sentence("advice.meaning"), min_width=22, cell=_explain_way(line)),
    )


def _number_column(key: str, cell: Text) -> Column:
    return number_column(f"advice.{key}", cell, short=f"advice.{key}.short")


def _name_way(result: Advice, line: Line) -> Text:
    """Name the way, with the mark of the safest and of the most useful release."""
    name = describe_step(line)
    releases = result.lines[1:]
    if len(releases) < 2 or line not in releases:
        return name
    marks = []
    if line is releases[-1]:
        marks.append("useful")
    if line is _find_safest(releases):
        marks.append("safe")
    return Sentence(f"advice.marked.{marks[0]}", way=name) if marks else name


def _find_safest(releases: Sequence[Line]) -> Line:
    """Return the release with the largest smallest class, then with most detail."""
    return max(releases, key=lambda line: (_get_people(line).smallest_class, line.detail.detail_left))


def _explain_way(line: Line) -> Sentence:
    """Explain what a release means for counts, means and models."""
    if line.step.method is None:
        return Sentence("advice.means.whole")
    lost = line.detail.columns_before - line.detail.columns
    return Sentence(f"advice.means.{line.step.method}", lost=format_number(lost))


def _list_commands(result: Advice, releases: Sequence[Line]) -> list[Block]:
    """List the command of each release, the most useful first."""
    settings = [("--config", result.settings_path)] if result.settings_path is not None else []
    blocks: list[Block] = [heading("advice.commands")]
    for line in reversed(releases):
        options = zip(line.options[::2], line.options[1::2], strict=True)
        command = write_command(result, *options, *result.role_options, *settings)
        blocks += [Paragraph(_name_way(result, line)), Code(command)]
    return blocks


# --- the plot ------------------------------------------------------------------------------------


def _plot_releases(result: Advice) -> Figure:
    """Plot what an attacker can be sure of against the detail that is left."""
    reading = (Sentence("advice.read.pareto"),)
    sql = _list_releases(result).sql
    return Figure(Sentence("advice.pareto"), lambda words: _draw(words, result), reading=reading, sql=sql)


def _draw(words: Words, result: Advice) -> Drawing:
    across = Axis(Sentence("advice.axis.detail"), 0.0, 1.0, lambda value: format_tick(round(value, 9)))
    up = Axis(Sentence("advice.axis.sure"), 0.0, 1.0, format_share)
    points = []
    for line in result.lines:
        sure = 1 / max(1, _get_people(line).smallest_class)
        tip = Sentence("advice.tip", point=describe_step(line), value=format_share(sure))
        points.append(Point(describe_step(line), line.detail.detail_left, sure, tip))
    return draw_points(words, points, across, up, description=_write_headline(result))
