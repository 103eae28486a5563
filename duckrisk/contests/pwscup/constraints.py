"""Checks releases and guesses against all constraints of the contest, and counts every violation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from duckrisk.base.errors import UsageError
from duckrisk.contests.common import count_rows, run_facts
from duckrisk.contests.pwscup import tables, violations
from duckrisk.contests.pwscup.files import Files, Opened
from duckrisk.contests.pwscup.options import Options
from duckrisk.contests.pwscup.results import (
    Check,
    CheckedConstraint,
    CheckedOriginal,
    CheckedTable,
    CheckSettings,
    Evidence,
    Period,
)
from duckrisk.contests.pwscup.violations import Constraint, Violations
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier, render
from duckrisk.source import Request

#: Standard deviations; a price further above the mean is an outlier (an example of the contest's paper).
DEVIATIONS = 4.0
_RELEASE = "pws_release"
_Skipped = Mapping[str, Literal["form", "no_column"]]


def run(
    original: Request,
    releases: Sequence[Request],
    guesses: Sequence[Request],
    master: Request | None,
    options: Options,
    resources: Resources,
    progress: ProgressCallback | None = None,
) -> Check:
    """Check releases and guesses of a history.

    Args:
        original: The history.
        releases: The releases to check.
        guesses: The guesses to check.
        master: The master table, which lists all users.
        options: The layout of the files and what the report shows.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        Every constraint with the number of its violations.

    Raises:
        UsageError: There is nothing to check.
        SourceError: The original cannot be used.
    """
    if not releases and not guesses:
        raise UsageError("pwscup.nothing_to_check")
    with Session(resources, progress) as session:
        session.steps.plan("source", "constraints")
        files = Files(session, options, original, master, releases, {}, guesses)
        history = tables.load_history(session, files)
        session.steps.begin("constraints")
        checked = [_check_release(session, files, number, history) for number in range(len(releases))]
        checked += [_check_guess(session, files, number, history) for number in range(len(guesses))]
        return Check(
            original=CheckedOriginal(
                history.name,
                history.records,
                history.incomplete_records,
                history.users,
                history.periods,
                history.first.isoformat(),
            ),
            tables=tuple(checked),
            settings=CheckSettings(options.layout is None, cast(Period, options.period), options.show_values),
            **run_facts(session),
        )


def _check_release(session: Session, files: Files, number: int, original: tables.Original) -> CheckedTable:
    file = files[f"release_{number}"]
    tables.note_release_violations(session, files, number, original)
    broken = violations.count_violations(session)
    surviving = tables.make_standard_release(session, original, _RELEASE)
    records = count_rows(session, tables.CELLS)
    limits = session.fetch_row(
        "outlier_limits", source=identifier(_RELEASE), column="price", deviations=DEVIATIONS
    )
    evidence = session.fetch_row(
        "release_evidence",
        original=identifier(original.table),
        release=identifier(_RELEASE),
        is_within_limits=render("is_within", column="price", **limits),
    )
    form = violations.FORMAT if file.text is not None else ()
    constraints = _report_constraints(
        [*form, *violations.RELEASE], broken, _find_skipped(files, file), files.options
    )
    return _report_table(file.name, "release", records, surviving, constraints, Evidence(**evidence))


def _check_guess(session: Session, files: Files, number: int, original: tables.Original) -> CheckedTable:
    tables.note_guess_violations(session, files, number, original)
    broken = violations.count_violations(session)
    form = violations.FORMAT if files.options.layout is None else ()
    constraints = _report_constraints([*form, *violations.GUESS], broken, {}, files.options)
    lines = count_rows(session, tables.CELLS)
    return _report_table(files[f"guess_{number}"].name, "guess", lines, None, constraints, None)


def _find_skipped(files: Files, file: Opened) -> _Skipped:
    """Return the constraints that do not apply to named columns, and why."""
    layout = files.options.layout
    if layout is None or file.source is None:
        return {}
    skipped: dict[str, Literal["form", "no_column"]] = dict.fromkeys(violations.CONTEST_ONLY, "form")
    present = {column.name.casefold() for column in file.source.columns}
    for name, column in (("time", layout.time), ("price", layout.price), ("quantity", layout.quantity)):
        if column is None or column.casefold() not in present:
            skipped[name] = "no_column"
    return skipped


def _report_constraints(
    constraints: Sequence[Constraint], broken: Mapping[str, Violations], skipped: _Skipped, options: Options
) -> tuple[CheckedConstraint, ...]:
    checked = []
    for constraint in constraints:
        name = constraint.name
        found = broken.get(name, Violations(name))
        checked.append(
            CheckedConstraint(
                constraint=name,
                number=constraint.number,
                skipped=skipped.get(name),
                violations=found.violations if name not in skipped else None,
                rows=tuple(found.rows),
                supports_items=constraint.items,
                values=tuple(found.values) if options.show_values else None,
            )
        )
    return tuple(checked)


def _report_table(
    name: str,
    kind: Literal["release", "guess"],
    records: int,
    surviving: int | None,
    constraints: tuple[CheckedConstraint, ...],
    evidence: Evidence | None,
) -> CheckedTable:
    violated = tuple(checked.constraint for checked in constraints if checked.violations)
    return CheckedTable(name, kind, records, surviving, not violated, violated, constraints, evidence)
