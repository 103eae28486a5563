"""Make the report on advice: the steps, their remaining risk and detail, and their commands."""

from __future__ import annotations

from duckrisk.base.numbers import format_currency, format_number, format_share
from duckrisk.base.sentences import Amount, Data, Sentence, Text
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.advice import Options, parse_target
from duckrisk.release.advice.frontier import Target
from duckrisk.release.advice.results import Advice, Line, Risk, UsersLine
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
    paragraphs,
)
from duckrisk.report.charts import Drawing, format_tick, round_up
from duckrisk.report.drawings import Axis, Point, Stroke, draw_points
from duckrisk.report.sections import advise_people
from duckrisk.report.sections.advice_steps import describe_step, write_line_command
from duckrisk.report.sections.identifiability import format_bound
from duckrisk.report.words import Words

#: Points with names in the plot; more points have numbers instead (a choice: more names would overlap).
_MAX_NAMED = 8
_VALUE = ("advice.value", "advice.value.short")
_SQL = ("jo_model", "treated_information", "treated_records")


def make_document(result: Advice) -> Document:
    """Make the report: the frontier as a plot, its lines, and the commands."""
    if result.objective == "people":
        return advise_people.make_document(result)
    title = Sentence("advice.title", source=Data(result.source))
    blocks: list[Block] = [Paragraph(_write_headline(result), "headline"), *paragraphs(_explain_end(result))]
    if len(result.lines) > 1:
        blocks.append(_plot_frontier(result))
    blocks += [heading("advice.steps"), _list_steps(result), *paragraphs(_explain_steps(result), "reading")]
    if len(result.lines) > 1:
        blocks.append(heading("advice.commands"))
    for step, line in enumerate(result.lines[1:], start=1):
        point = Sentence("advice.point", step=format_number(step), what=describe_step(line))
        blocks += [Paragraph(point), Code(write_line_command(result, line))]
    if result.notes:
        blocks += [heading("assess.notes"), Items(result.notes)]
    return Document(title, tuple(blocks))


def _is_history(result: Advice) -> bool:
    """Check whether the risk of users was measured in addition to that of records."""
    return result.lines[0].users is not None


def _get_risk(line: Line) -> Risk:
    assert line.risk is not None
    return line.risk


def _write_headline(result: Advice) -> Sentence:
    """Compare the first line with the last in one sentence."""
    first, last = result.lines[0], result.lines[-1]
    least = any(note.key == "advice.levels" for note in result.notes)
    before, after = (
        format_bound(_get_risk(line).total_value, result.currency, is_least=least, short=True)
        for line in (first, last)
    )
    if len(result.lines) == 1:
        return Sentence("advice.headline_none", before=before)
    return Sentence(
        "advice.headline",
        count=format_number(len(result.lines) - 1),
        before=before,
        after=after,
        left=summarize_detail(last.detail, last.records, result.records),
    )


def _explain_end(result: Advice) -> list[Sentence]:
    """Say why the steps ended, and whether they missed the target."""
    missed = result.target is not None and not result.reached
    texts = [Sentence("advice.missed", target=Data(result.target or ""))] if missed else []
    return [*texts, Sentence(f"advice.ended.{result.stop_reason}")]


def _explain_steps(result: Advice) -> list[Sentence]:
    """Explain how a step is chosen, and how to read the columns."""
    history = _is_history(result)
    texts = [Sentence("advice.read.history" if history else "advice.read.steps")]
    texts += [Sentence("advice.read.users")] if history else []
    texts.append(Sentence("advice.read.left"))
    texts += [Sentence("advice.read.links")] if history else []
    if any(line.step.method == "delete-classes" for line in result.lines):
        remaining = format_number(result.lines[-1].records)
        texts.append(Sentence("advice.read.deleted", kept=remaining, records=format_number(result.records)))
    return texts


def _number_column(key: str, cell: Text, priority: int = 0) -> Column:
    return number_column(f"advice.{key}", cell, short=f"advice.{key}.short", priority=priority)


def _list_steps(result: Advice) -> Listing:
    return Listing.of(enumerate(result.lines), lambda step: _make_row(result, *step), sql=_SQL)


def _make_row(result: Advice, step: int, line: Line) -> list[Column]:
    """Make the columns of a line; a history has those of users and links too."""
    head, short = (Sentence(key, currency=format_currency(result.currency)) for key in _VALUE)
    risk, history = _get_risk(line), _is_history(result)
    return [
        number_column("advice.step", format_number(step)),
        Column(Sentence("advice.what"), min_width=22, cell=describe_step(line)),
        _number_column("records", format_number(line.records), 3),
        Column(head, numeric=True, short=short, cell=Amount(round(risk.total_value))),
        _number_column("singled_out", format_share(risk.singled_out_share)),
        *(_make_user_columns(line.users) if history else []),
        _number_column("detail", format_share(line.detail.detail_left)),
        _number_column("information", f"{line.information:.3f}", 4),
        *([_number_column("links", "-" if line.links is None else f"{line.links:.3f}")] if history else []),
    ]


def _make_user_columns(users: UsersLine | None) -> list[Column]:
    count, singled_out = (users.users, users.risk.singled_out_share) if users is not None else (None, None)
    return [
        _number_column("users", format_number(count), 4),
        _number_column("users_singled_out", format_share(singled_out)),
        _number_column("each", "-" if users is None else Amount(round(users.value_per_user)), 2),
    ]


# --- the plot ------------------------------------------------------------------------------------


def _plot_frontier(result: Advice) -> Figure:
    """Plot the risk of each line against its remaining detail.

    Right is better, and low is better. The risk is the figure of the target; without a target, it is the
    damages of a leak.
    """
    reading = (Sentence("advice.read.plot"),)
    return Figure(
        Sentence("advice.plot"), lambda words: _draw_frontier(words, result), reading=reading, sql=_SQL
    )


def _draw_frontier(words: Words, result: Advice) -> Drawing:
    lines, target = result.lines, parse_target(Options(target=result.target))
    field = target.gate.field if target is not None else "total_value"
    values = [
        target.read_value(line) if target is not None else _get_risk(line).total_value for line in lines
    ]
    highest = 1.0 if field == "singled_out_share" else round_up(max(values) or 1.0)
    across = Axis(Sentence("advice.axis.detail"), 0.0, 1.0, lambda value: format_tick(round(value, 9)))
    up = Axis(
        _name_axis(field, target, result.currency), 0.0, highest, lambda value: _format_value(field, value)
    )
    points = []
    for step, (line, value) in enumerate(zip(lines, values, strict=True)):
        name = Sentence("advice.point", step=format_number(step), what=describe_step(line))
        tip = Sentence("advice.tip", point=name, value=_format_value(field, value))
        label: Text = name if len(lines) <= _MAX_NAMED else format_number(step)
        points.append(Point(label, line.detail.detail_left, value, tip))
    limit = target.gate.limit if target is not None and target.gate.limit <= highest else None
    style = "orange-line dash"
    return draw_points(
        words,
        points,
        across,
        up,
        legend=[("dash", style, Sentence("advice.target"))] if limit is not None else [],
        strokes=[Stroke((0.0, limit), (1.0, limit), style)] if limit is not None else [],
        joined=True,
        description=_write_headline(result),
    )


def _name_axis(field: str, target: Target | None, currency: str) -> Sentence:
    users = "users_" if target is not None and target.is_of_users else ""
    return Sentence(f"advice.axis.{users}{field}", currency=format_currency(currency))


def _format_value(field: str, value: float) -> Text:
    if field == "singled_out_share":
        return format_share(value)
    return Amount(value, short=True) if field == "total_value" else format_number(round(value))
