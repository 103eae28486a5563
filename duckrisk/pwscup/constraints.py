"""Checks releases and guesses against the constraints of the contest, all of them, with every violation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckrisk
from duckrisk.errors import UsageError
from duckrisk.pwscup import faults, tables
from duckrisk.pwscup.faults import Constraint
from duckrisk.pwscup.options import Options
from duckrisk.report.pwscup.check import Check
from duckrisk.session import Resources, Session
from duckrisk.source import Request
from duckrisk.templates import identifier, render

#: Raised whenever a key of the report changes its meaning or goes away.
SCHEMA_VERSION = 1
#: A price is conspicuous beyond the mean and so many standard deviations: an example of the paper.
DEVIATIONS = 4.0
_RELEASE = "pws_release"


def run(
    original: Request,
    releases: Sequence[Request],
    guesses: Sequence[Request],
    master: Request | None,
    options: Options,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None = None,
) -> Check:
    """Check releases and guesses. Raises the errors of :mod:`duckrisk.errors`; what breaks a constraint is
    counted."""
    if not releases and not guesses:
        raise UsageError("Name what is to be checked: at least one release, or a guess.")
    with Session(resources, watch) as session:
        opened = tables.Files(session, options, original, master, releases, {}, guesses)
        found = tables.load_history(session, opened)
        checked = [_release(session, opened, number, found) for number in range(len(releases))]
        checked += [_guess(session, opened, number, found) for number in range(len(guesses))]
        engine = session.engine_version
    data = {
        "version": SCHEMA_VERSION,
        "kind": "pwscup_check",
        "original": {
            "name": found.name,
            "records": found.records,
            "left_out": found.left_out,
            "users": found.users,
            "periods": found.periods,
            "first_day": found.first.isoformat(),
        },
        "tables": checked,
        "settings": {
            "contest": options.layout is None,
            "period": options.period,
            "show_values": options.show_values,
        },
        "environment": {"duckrisk": duckrisk.__version__, "duckdb": engine},
    }
    return Check(data)


def _release(
    session: Session, opened: tables.Files, number: int, original: tables.Original
) -> dict[str, Any]:
    file = opened[f"release_{number}"]
    tables.examine_release(session, opened, number, original)
    found = faults.counted(session)
    made = tables.standard_release(session, file.name, original, _RELEASE)
    limits = session.row("outlier_limits", source=identifier(_RELEASE), column="price", deviations=DEVIATIONS)
    evidence = session.row(
        "release_evidence",
        original=identifier(original.table),
        release=identifier(_RELEASE),
        within=render("is_within", column="price", **limits),
    )
    form = faults.FORM if file.text is not None else ()
    skipped = _skipped(opened, file)
    return {
        "name": file.name,
        "kind": "release",
        "records": made.records,
        "surviving": made.surviving,
        **_verdict([*form, *faults.RELEASE], found, skipped, opened.options),
        "evidence": evidence,
    }


def _guess(session: Session, opened: tables.Files, number: int, original: tables.Original) -> dict[str, Any]:
    tables.examine_guess(session, opened, number, original)
    found = faults.counted(session)
    form = faults.FORM if opened.options.layout is None else ()
    return {
        "name": opened[f"guess_{number}"].name,
        "kind": "guess",
        "records": tables.size(session, tables.CELLS),
        "surviving": None,
        **_verdict([*form, *faults.GUESS], found, {}, opened.options),
        "evidence": None,
    }


def _skipped(opened: tables.Files, file: tables.Opened) -> dict[str, str]:
    """The constraints that do not apply to a general history, and why."""
    layout = opened.options.layout
    if layout is None or file.source is None:
        return {}
    made = dict.fromkeys(faults.CONTEST_ONLY, "form")
    there = {column.name.casefold() for column in file.source.columns}
    for name, column in (("time", layout.time), ("price", layout.price), ("quantity", layout.quantity)):
        if column is None or column.casefold() not in there:
            made[name] = "no_column"
    return made


def _verdict(
    constraints: Sequence[Constraint],
    found: dict[str, faults.Fault],
    skipped: dict[str, str],
    options: Options,
) -> dict[str, Any]:
    entries = []
    for constraint in constraints:
        fault = found.get(constraint.name, faults.Fault(constraint.name, 0))
        entry: dict[str, Any] = {
            "constraint": constraint.name,
            "number": constraint.number,
            "skipped": skipped.get(constraint.name),
            "violations": fault.violations if constraint.name not in skipped else None,
            "rows": fault.rows,
            "supports_items": list(constraint.items),
        }
        if options.show_values:
            entry["values"] = fault.values
        entries.append(entry)
    violated = [entry["constraint"] for entry in entries if entry["violations"]]
    return {"passed": not violated, "violated": violated, "constraints": entries}
