"""Advise on what to change first: most risk removed for least loss.

By default the risk is that of people, and the advice is releases that keep a policy
(:mod:`duckrisk.release.advice.alternatives`). Otherwise it is the value of a leak, and steps lead to a
target.

A *treatment* determines the form in which each attribute is published (as it is, coarser, or not at all), how
long pseudonyms live, and which records are deleted. From the table as it is, the step with the largest fall
in the value of a leak per unit of lost detail is taken, and again from there. The result is a frontier of
treatments that a person can read.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable, Mapping

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.base.numbers import format_number
from duckrisk.base.options.advice import Objective, Options
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Sentence
from duckrisk.decision import policy
from duckrisk.decision.assessment.gates import parse_gate
from duckrisk.decision.gates import POLICY
from duckrisk.decision.notices import FileSettings, list_notices
from duckrisk.engine.session import ASSESSED, Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.measures import identifiability
from duckrisk.release.advice.alternatives import list_alternatives
from duckrisk.release.advice.frontier import Frontier, Target, make_time_limit_error
from duckrisk.release.advice.measures import EncodedSource
from duckrisk.release.advice.remaining import Remaining
from duckrisk.release.advice.results import RISKS, Advice
from duckrisk.release.advice.study import Order
from duckrisk.release.anonymization import Treatment
from duckrisk.source import Request, Source, open_source
from duckrisk.source.hierarchies import Definition, Hierarchy, parse_hierarchies

__all__ = ["Advice", "Options", "run"]

_SECTION_PATH, _USERS_PATH = "identifiability.", "identifiability.users."


def parse_target(options: Options) -> Target | None:
    """Parse the target of the options.

    Args:
        options: The options; `target` is a condition such as `identifiability.total_value < 1000`.

    Returns:
        The target; None without one.

    Raises:
        UsageError: The condition is not one that steps can reach.
    """
    options.check()
    if options.target is None:
        return None
    if options.objective == "people":
        raise UsageError("advice.target_without_value_objective", target=options.target)
    users = options.target.strip().startswith(_USERS_PATH)
    gate = parse_gate(options.target.replace(_USERS_PATH, _SECTION_PATH, 1))
    if gate.section != "identifiability" or gate.field not in RISKS:
        lowered = " or ".join(f"identifiability.{name}" for name in RISKS)
        raise UsageError("advice.unknown_target", target=options.target, lowered=lowered)
    if gate.sign not in ("<", "<="):
        raise UsageError("advice.target_raises_risk", target=options.target)
    return Target(gate, users)


def run(
    request: Request,
    overrides: roles.RoleOverrides,
    levels: identifiability.Options,
    options: Options,
    resources: Resources,
    progress: ProgressCallback | None = None,
    treatment: Treatment | None = None,
    against: policy.Options | None = None,
    file_settings: FileSettings | None = None,
) -> Advice:
    """Advise on a source.

    Args:
        request: How to open the source.
        overrides: Roles that a person gave.
        levels: Options of the search for attribute sets.
        options: The objective, the target and the limits of the advice.
        resources: Memory, threads and files of the session.
        progress: Called with the steps of the job.
        treatment: The hierarchies of columns; other columns become coarser by their type.
        against: The policy to reach; None for the default policy.
        file_settings: Settings of the file that count, for notices.

    Raises:
        DuckriskError: The source cannot be read, or the settings do not fit it (:mod:`duckrisk.base.errors`).
    """
    target = parse_target(options)
    identifiability.check_options(levels)
    against = against or policy.Options()
    against.check()
    file_settings, treatment = file_settings or FileSettings(), treatment or Treatment()
    is_path = isinstance(request.source, (str, os.PathLike))
    if get_objective(options) == "people":
        order = Order(
            request=request,
            overrides=overrides,
            against=against,
            treatment=treatment,
            resources=dataclasses.replace(resources, missing_tokens=levels.missing_tokens),
            file_settings=file_settings,
            currency=levels.currency,
        )
        advice = list_alternatives(order, progress)
        return dataclasses.replace(advice, source_options=_list_source_options(request, resources))
    definitions = parse_hierarchies(treatment.hierarchies, treatment.folder, "hierarchies")
    until = None if options.time_limit is None else time.monotonic() + options.time_limit
    with Session(resources, progress) as session:
        session.steps.plan("source", "roles", "advice")
        opened = open_source(session, request)
        session.steps.begin("roles")
        inferred = roles.infer(session, opened, overrides, tokens=levels.missing_tokens)
        session.steps.begin("advice")
        advice = _advise_for_value(session, opened, inferred, levels, options, definitions, target, until)
        notices = list_notices(file_settings, request, opened.unfiltered_records, inferred.records, None)
        return dataclasses.replace(
            advice,
            source=os.fspath(request.source) if is_path else opened.name,
            source_options=_list_source_options(request, resources),
            role_options=overrides.options,
            notices=notices,
            statements=tuple(session.log),
        )


def get_objective(options: Options) -> Objective:
    """Return what to lower: a target is always one for the value of a leak.

    Args:
        options: The options of the advice.
    """
    return options.objective or ("people" if options.target is None else "value")


def list_unmeasured(options: Options) -> frozenset[str]:
    """List what a gate on this advice cannot look at.

    Args:
        options: The options of the advice.
    """
    return frozenset({POLICY}) if get_objective(options) == "value" else frozenset()


def _advise_for_value(
    session: Session,
    opened: Source,
    inferred: roles.Roles,
    levels: identifiability.Options,
    options: Options,
    hierarchies: Mapping[str, Definition],
    target: Target | None,
    until: float | None,
) -> Advice:
    chosen = identifiability.choose_attributes(opened, inferred, levels)
    if chosen.problem is not None:
        raise UsageError(in_english(chosen.problem))
    if target is not None and target.is_of_users and inferred.users >= inferred.records:
        raise UsageError("advice.target_without_user", target=options.target)
    tables = _build_hierarchies(session, opened, hierarchies, [level.decision for level in chosen.searched])
    attributes = [*chosen.searched, *chosen.others]
    with session.limit_time(until) as encoding:
        source = EncodedSource(session, inferred, levels, attributes, len(chosen.searched), tables)
    if encoding.is_over:
        raise make_time_limit_error()
    remaining = Remaining(session, inferred, tables, opened.formats)
    frontier = Frontier(source, until, remaining)
    lines, ended = frontier.climb(target, options.steps)
    notes = [
        *opened.reading_notes,
        *opened.timezone_notes,
        *opened.missing_column_notes,
        *inferred.notes,
        *chosen.notes,
    ]
    if chosen.unlevelled:
        seen = len({level.decision.column.name for level in attributes})
        columns = seen + len(chosen.unlevelled)
        notes.append(Sentence("advice.levels", seen=format_number(seen), columns=format_number(columns)))
    if frontier.is_unfinished and len(lines) > 1:
        notes.append(Sentence("advice.unfinished"))
    return Advice(
        duckrisk=duckrisk.__version__,
        source=opened.name,
        source_options=(),
        records=inferred.records,
        objective="value",
        policy=None,
        currency=levels.currency,
        target=options.target,
        reached=None if target is None else target.is_met_by(lines[-1]),
        stop_reason=ended,
        measured=frontier.measured,
        skipped=frontier.skipped,
        lines=tuple(lines),
        notes=tuple(notes),
    )


def _build_hierarchies(
    session: Session,
    opened: Source,
    hierarchies: Mapping[str, Definition],
    decisions: Iterable[roles.Decision],
) -> dict[int, Hierarchy]:
    """Build tables of the hierarchies of some columns, by position of the column."""
    wanted = {decision.column.position for decision in decisions}
    return {
        column.position: definition.build(
            session, ASSESSED, column.binding, f"hierarchy_{column.position}", column.type, column.name
        )
        for name, definition in hierarchies.items()
        if not opened.is_missing_from_release(name)
        for column in [opened.column(name)]
        if column.position in wanted
    }


def _list_source_options(request: Request, resources: Resources) -> tuple[tuple[str, ...], ...]:
    """List the options of a command that reads the source in the same way."""
    options: list[tuple[str, ...]] = [
        (f"--{name}", str(value))
        for name in ("table", "attach", "query", "where", "encoding")
        if (value := getattr(request, name)) is not None
    ]
    options += resources.reading_options
    if request.header is not None:
        options.append(("--header" if request.header else "--no-header",))
    return tuple(options)
