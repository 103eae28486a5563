"""Checks releases and guesses against the constraints of the contest, all of them, with every violation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.results import Environment
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

#: A price is conspicuous beyond the mean and so many standard deviations: an example of the paper.
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
    """Check releases and guesses. Raises the errors of :mod:`duckrisk.base.errors`; what breaks a constraint
    is counted."""
    if not releases and not guesses:
        raise UsageError("pwscup.nothing_to_check")
    with Session(resources, progress) as session:
        session.steps.plan("source", "constraints")
        files = Files(session, options, original, master, releases, {}, guesses)
        history = tables.load_history(session, files)
        session.steps.begin("constraints")
        checked = [_release(session, files, number, history) for number in range(len(releases))]
        checked += [_guess(session, files, number, history) for number in range(len(guesses))]
        return Check(
            original=CheckedOriginal(
                history.name,
                history.records,
                history.left_out,
                history.users,
                history.periods,
                history.first.isoformat(),
            ),
            tables=tuple(checked),
            settings=CheckSettings(options.layout is None, cast(Period, options.period), options.show_values),
            environment=Environment(duckrisk.__version__, session.engine_version),
            statements=tuple(session.log),
        )


def _release(session: Session, files: Files, number: int, original: tables.Original) -> CheckedTable:
    file = files[f"release_{number}"]
    tables.examine_release(session, files, number, original)
    broken = violations.counted(session)
    release = tables.standard_release(session, file.name, original, _RELEASE)
    limits = session.fetch_row(
        "outlier_limits", source=identifier(_RELEASE), column="price", deviations=DEVIATIONS
    )
    evidence = session.fetch_row(
        "release_evidence",
        original=identifier(original.table),
        release=identifier(_RELEASE),
        within=render("is_within", column="price", **limits),
    )
    format = violations.FORMAT if file.text is not None else ()
    constraints = _checked([*format, *violations.RELEASE], broken, _skipped(files, file), files.options)
    return _table(file.name, "release", release.records, release.surviving, constraints, Evidence(**evidence))


def _guess(session: Session, files: Files, number: int, original: tables.Original) -> CheckedTable:
    tables.examine_guess(session, files, number, original)
    broken = violations.counted(session)
    format = violations.FORMAT if files.options.layout is None else ()
    constraints = _checked([*format, *violations.GUESS], broken, {}, files.options)
    lines = tables.size(session, tables.CELLS)
    return _table(files[f"guess_{number}"].name, "guess", lines, None, constraints, None)


def _skipped(files: Files, file: Opened) -> _Skipped:
    """The constraints that do not apply to a general history, and why."""
    layout = files.options.layout
    if layout is None or file.source is None:
        return {}
    skipped: dict[str, Literal["form", "no_column"]] = dict.fromkeys(violations.CONTEST_ONLY, "form")
    there = {column.name.casefold() for column in file.source.columns}
    for name, column in (("time", layout.time), ("price", layout.price), ("quantity", layout.quantity)):
        if column is None or column.casefold() not in there:
            skipped[name] = "no_column"
    return skipped


def _checked(
    constraints: Sequence[Constraint], broken: Mapping[str, Violations], skipped: _Skipped, options: Options
) -> tuple[CheckedConstraint, ...]:
    checked = []
    for constraint in constraints:
        name = constraint.name
        of_it = broken.get(name, Violations(name))
        checked.append(
            CheckedConstraint(
                constraint=name,
                number=constraint.number,
                skipped=skipped.get(name),
                violations=of_it.violations if name not in skipped else None,
                rows=tuple(of_it.rows),
                supports_items=constraint.items,
                values=tuple(of_it.values) if options.show_values else None,
            )
        )
    return tuple(checked)


def _table(
    name: str,
    kind: Literal["release", "guess"],
    records: int,
    surviving: int | None,
    constraints: tuple[CheckedConstraint, ...],
    evidence: Evidence | None,
) -> CheckedTable:
    violated = tuple(checked.constraint for checked in constraints if checked.violations)
    return CheckedTable(name, kind, records, surviving, not violated, violated, constraints, evidence)
