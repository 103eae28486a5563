"""Show the state of the page: the blocks of the reports, and the controls around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.policy import LIMITS
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.policy.results import Finding
from duckrisk.measures.ranks import ColumnRanks
from duckrisk.page.bench import Figures, Found, Judged
from duckrisk.page.board import BELOW, KS, POLICIES, Board
from duckrisk.page.desk import Failed
from duckrisk.page.export import Exported
from duckrisk.page.levels import ColumnLevels
from duckrisk.page.security import Gate
from duckrisk.page.settings import write_commands
from duckrisk.page.state import OFFERED_ROLES, OUT, PSEUDONYM, State, describe_form, describe_k, name_form
from duckrisk.release.advice.results import Advice
from duckrisk.report.blocks import Block, paragraphs
from duckrisk.report.knowledge import find_column
from duckrisk.report.render.html import load_environment
from duckrisk.report.sections import verdict as verdicts
from duckrisk.report.sections.advice_steps import describe_step
from duckrisk.report.statements import ExecutedStatements
from duckrisk.report.words import Words

if TYPE_CHECKING:
    import jinja2

#: Units of the picture of releases: its width, its height, and the side of a point (a choice: for a thumb).
PLOT_WIDTH, PLOT_HEIGHT, POINT = 380, 260, 40


@dataclass(frozen=True)
class Bar:
    """A limit as a bar from 0 to 1: its line in words, its value and the limit.

    A value is None if it was not measured, and a limit if there is none, as of what was not checked.
    """

    line: verdicts.Line
    value: float | None
    limit: float | None


@dataclass(frozen=True)
class Dot:
    """A release in the picture: its index in the advice, its place, and what it is.

    `button` is where its button is; one that would cover another is moved down.
    """

    index: int
    x: float
    y: float
    button: float
    name: Text
    detail: str
    k: str


@dataclass(frozen=True)
class Single:
    """What singles people out: the columns of a set, each with its next coarser level, and the share."""

    columns: tuple[tuple[str, int, int | None], ...]
    share: str


@dataclass(frozen=True)
class Change:
    """A column before and after: how values are spread, and what one fact gives away."""

    column: str
    form: Text
    ranks: tuple[ColumnRanks | None, ColumnRanks | None]
    risk: tuple[str, str]

    @property
    def is_changed(self) -> bool:
        """Whether the values or their frequencies differ."""
        return bool(self.form) or self.ranks[0] != self.ranks[1]


def render_page(board: Board, gate: Gate, nonce: str, *, is_stale: bool = False) -> str:
    """Render the page of the present state.

    Args:
        board: The state and its results.
        gate: Signs the forms.
        nonce: Marks the style and the script of this answer.
        is_stale: Whether a form was refused that an older page made.
    """
    with board.lock:
        return _render(board, gate, nonce, is_stale)


def _render(board: Board, gate: Gate, nonce: str, is_stale: bool) -> str:
    # Results can arrive while this runs; each is looked at once. A page that is not busy looks no more, so it
    # is asked first.
    is_busy, running = board.desk.is_busy, board.desk.look()
    found, verdict, before, figures = board.content, board.verdict, board.verdict_before, board.figures
    report = _get_assessment(verdict)
    first = _get_assessment(before)
    advice, exported = board.advice, board.exported
    results = (found, verdict, before, figures, advice, exported)
    failed = [one for one in results if isinstance(one, Failed)]
    state = board.state
    return (
        _load_templates()
        .get_template("page.html.j2")
        .render(
            words=Words(board.opening.report_language),
            nonce=nonce,
            sign=gate.sign,
            board=board,
            state=state,
            found=found if isinstance(found, Found) else None,
            errors=list(dict.fromkeys(one.sentence for one in failed if one.sentence)),
            is_cancelled=any(not one.sentence for one in failed),
            running=running,
            people=_describe_people(found, figures) if isinstance(found, Found) else None,
            title=found.source.name if isinstance(found, Found) else Path(board.opening.source).name,
            is_busy=is_busy,
            is_stale=is_stale,
            offered_roles=OFFERED_ROLES,
            policies=POLICIES,
            policy=state.policy or board.opening.policy,
            loses_limits=board.opening.loses_limits(state),
            below=BELOW,
            ks=KS,
            report=report,
            head=_make_head(report) if report is not None else (),
            bars=list(_list_bars(report)) if report is not None else (),
            figure_rows=list(_list_figures(figures, state)) if isinstance(figures, Figures) else (),
            dots=list(_list_dots(advice)) if isinstance(advice, Advice) else (),
            singles=list(_list_singles(report, board)) if report is not None else (),
            changes=list(_list_changes(board, first, verdict)) if isinstance(verdict, Judged) else (),
            rare=verdict.rare if isinstance(verdict, Judged) else 0,
            steps=_list_steps(board),
            advice_error=advice.sentence if isinstance(advice, Failed) else "",
            exported=exported if isinstance(exported, Exported) else None,
            export_error=exported.sentence if isinstance(exported, Failed) else "",
            commands=write_commands(board.opening, state),
            name_form=name_form,
            share=format_share,
            executed=ExecutedStatements(),
            plot={"width": PLOT_WIDTH, "height": PLOT_HEIGHT, "point": POINT},
        )
    )


@cache
def _load_templates() -> jinja2.Environment:
    """Load the templates of the page; blocks and style are those of reports."""
    import jinja2

    reports = load_environment()
    assert reports.loader is not None
    own = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    return reports.overlay(loader=jinja2.ChoiceLoader([own, reports.loader]))


def _get_assessment(verdict: Any) -> Assessment | None:
    if isinstance(verdict, Judged):
        return verdict.assessment
    return verdict if isinstance(verdict, Assessment) else None


def _describe_people(found: Found, figures: Any) -> tuple[str, Sentence]:
    """Describe the people behind the records, by the roles of the state if known."""
    roles = found.roles
    people, user = roles.users, roles.user.name if roles.user is not None else None
    if isinstance(figures, Figures):
        people, user = figures.people, figures.user
    by = (
        Sentence("page.people.user", column=Data(user))
        if user is not None
        else Sentence("page.people.records")
    )
    return format_number(people), by


# --- the verdict ---------------------------------------------------------------------------------


def _make_head(report: Assessment) -> list[Block]:
    """Make the decision, its reservations, and what an attacker learns, as a report."""
    return [
        *verdicts.make_decision_blocks(report),
        *paragraphs(
            [
                verdicts.describe_not_looked_at(report),
                verdicts.describe_attacker(report),
                verdicts.describe_source(report.source),
            ]
        ),
    ]


def _list_bars(report: Assessment) -> Iterator[Bar]:
    """Yield the limits, and then what was not checked, which has no finding."""
    for line, finding in zip_longest(verdicts.list_limits(report), report.verdict.findings):
        if finding is None:
            yield Bar(line, None, None)
        else:
            yield Bar(line, _to_share(finding, finding.value), _to_share(finding, finding.limit) or 0.0)


def _to_share(finding: Finding, figure: float | None) -> float | None:
    """Return a figure from 0 to 1; of a class, how sure an attacker is of one."""
    if figure is None:
        return None
    if LIMITS[finding.name].is_minimum:
        return 1 / max(1.0, figure)
    return min(1.0, figure)


def _list_figures(figures: Figures, state: State) -> Iterator[tuple[Text, Text, Text]]:
    """Yield the figures, and say where they are those before classes change."""
    for name, value, how in _describe_figures(figures):
        key = "page.before_classes" if state.k else "page.before_deleting"
        is_earlier = (state.k or state.below) and value
        yield name, value, Sentence(key, how=how) if is_earlier else how


def _describe_classes(figures: Figures) -> list[tuple[Text, Text, Text]]:
    """Describe the classes: exact, or first as a sample shows them."""
    k: Text
    k_how: Text
    if figures.together is not None:
        together, how = figures.together, Sentence("page.exact")
        people, share, key = together.people, together.share, "page.count_and_share"
        k, k_how = format_number(together.smallest_class), how
    else:
        assert figures.sample is not None
        sample, most = figures.sample, figures.sample.smallest_class_at_most
        people, share, key = sample.people, sample.share, "page.about"
        ends = Sentence("to", lower=format_share(sample.share_lower), upper=format_share(sample.share_upper))
        how = Sentence("page.sampled", interval=ends)
        k, k_how = "", Sentence("page.measuring")
        if most is not None:
            k = Sentence("page.at_most", count=format_number(most)) if most > 1 else format_number(most)
            k_how = Sentence("page.bounded") if most > 1 else Sentence("page.exact")
    counted = Sentence(key, count=format_number(people), share=format_share(share))
    return [(Sentence("page.figure.k"), k, k_how), (Sentence("page.figure.singled_out"), counted, how)]


def _describe_figures(figures: Figures) -> list[tuple[Text, Text, Text]]:
    """Describe the figures of a treatment: name, value, how it was found."""
    exact, waiting = Sentence("page.exact"), Sentence("page.measuring")
    rows = _describe_classes(figures)
    if figures.facts is None:
        rows.append((Sentence("page.figure.facts"), "", waiting))
    elif figures.facts:
        known = figures.facts[-1]
        ends = Sentence(
            "to", lower=format_share(known.typical_lower), upper=format_share(known.typical_upper)
        )
        sure = known.typical_lower == known.typical_upper
        how = exact if sure else Sentence("page.estimated", interval=ends)
        rows.append((Sentence("page.figure.facts"), format_share(known.typical), how))
    left = figures.detail
    rows.append(
        (Sentence("page.figure.detail"), "", waiting)
        if left is None
        else (Sentence("page.figure.detail"), format_share(left.detail_left), exact)
    )
    return rows


# --- what helps ----------------------------------------------------------------------------------


def _list_dots(advice: Advice) -> Iterator[Dot]:
    """Yield the table as it is and the releases, where the picture has them."""
    buttons: list[tuple[float, float]] = []
    for index, line in enumerate(advice.lines):
        if line.people is None:
            continue
        k = line.people.smallest_class
        x = 30 + line.detail.detail_left * (PLOT_WIDTH - 60)
        y = button = PLOT_HEIGHT - 40 - (1 - 1 / max(1, k)) * (PLOT_HEIGHT - 80)
        while any(abs(x - left) < POINT and abs(button - top) < POINT for left, top in buttons):
            button += POINT / 4
        buttons.append((x, button))
        yield Dot(
            index,
            x,
            y,
            button,
            describe_step(line),
            format_share(line.detail.detail_left),
            format_number(k),
        )


def _find_column(attribute: str, columns: tuple[ColumnLevels, ...]) -> ColumnLevels | None:
    """Find the column of an attribute, such as that of "day.date"."""
    name = find_column(attribute, [column.column for column in columns])
    return next((column for column in columns if column.column == name), None)


def _list_singles(report: Assessment, board: Board) -> Iterator[Single]:
    """Yield the worst set of each number of facts, and the next coarser levels."""
    for facts in report.uniqueness.facts if report.uniqueness is not None else ():
        if not facts.worst.people:
            continue
        columns = []
        for name in facts.worst.attributes:
            column = _find_column(name, board.columns)
            index = column.find_index(board.state.find_form(column.column)) if column is not None else 0
            is_last = column is None or index + 1 >= len(column.forms)
            columns.append(
                (name, column.position if column is not None else 0, None if is_last else index + 1)
            )
        yield Single(tuple(columns), format_share(facts.worst.share))


def _list_changes(board: Board, first: Assessment | None, judged: Judged) -> Iterator[Change]:
    """Yield the columns of the table and of the release, each before and after."""
    forms = dict(board.state.forms)
    for name in dict.fromkeys((*judged.before, *judged.after)):
        ranks = judged.before.get(name), judged.after.get(name)
        form: Text = name_form(forms[name]) if name in forms else ""
        if not form and ranks[0] != ranks[1]:
            form = name_form(OUT) if ranks[1] is None else name_form("classes") if board.state.k else ""
        risk = _find_risk(first, name), _find_risk(judged.assessment, name)
        yield Change(name, form, ranks, risk)


def _find_risk(report: Assessment | None, name: str) -> str:
    """Format the risk of a column; "-" was not measured."""
    if report is None:
        return "-"
    columns = [column.name for column in report.source.columns]
    rows = [row for row in report.attribute_risk if find_column(row.attribute, columns) == name]
    risks = [row.risk for row in rows if row.risk is not None]
    return format_share(max(risks)) if risks else "-"


def _list_steps(board: Board) -> list[Text]:
    """List the steps of the recipe in words, in their order."""
    state = board.state
    named = [describe_form(name, form) for name, form in state.forms if form == PSEUDONYM]
    coarser = [describe_form(name, form) for name, form in state.forms if form not in (PSEUDONYM, OUT)]
    left_out = [describe_form(name, form) for name, form in state.forms if form == OUT]
    steps: list[Text] = [*named, *coarser]
    if state.k:
        steps.append(describe_k(state.k))
    if state.below:
        steps.append(Sentence("page.move.below", people=f"{state.below}"))
    steps += left_out
    if state.way is not None:
        method = Sentence(f"advice.method.{state.way.method}")
        steps.append(Sentence("page.move.way", method=method, k=f"{state.way.k}"))
    return steps
