"""What to change first: single steps that lower the risk most for the least loss, one after the other.

A *treatment* says in which form each attribute is published (as it is, coarser, or not at all), how long
pseudonyms live and whose records are deleted. From the table as it is, the step that lowers the value of a
leak most for each part of what the table tells that it costs is taken, and again from there: a frontier of
treatments that a person can read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import duckrisk
from duckrisk import identifiability, roles
from duckrisk.advice.frontier import Frontier, Target, too_late
from duckrisk.advice.measures import Source
from duckrisk.advice.results import RISKS, Advice
from duckrisk.errors import UsageError
from duckrisk.gates import parse_gate
from duckrisk.hierarchies import Definition
from duckrisk.options.advice import Options
from duckrisk.results import in_english
from duckrisk.sentences import say
from duckrisk.session import ASSESSED, Resources, Session
from duckrisk.source import Request, open_source

__all__ = ["Advice", "Options", "run"]

_SECTION, _OF_USERS = "identifiability.", "identifiability.users."


def target_of(options: Options) -> Target | None:
    """The target; raises UsageError for what cannot be reached for."""
    options.check()
    if options.target is None:
        return None
    users = options.target.strip().startswith(_OF_USERS)
    gate = parse_gate(options.target.replace(_OF_USERS, _SECTION, 1))
    if gate.section != "identifiability" or gate.field not in RISKS:
        lowered = " or ".join(f"identifiability.{name}" for name in RISKS)
        raise UsageError("advice.not_target_advice_can_lower", target=options.target, lowered=lowered)
    if gate.sign not in ("<", "<="):
        raise UsageError("advice.target_asks_risk", target=options.target)
    return Target(gate, users)


def run(
    request: Request,
    overrides: roles.RoleOverrides,
    levels: identifiability.Options,
    options: Options,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None = None,
    hierarchies: Mapping[str, Definition] = MappingProxyType({}),
) -> Advice:
    """Advise on a source, whose columns become coarser by their ``hierarchies`` where they have one.
    Raises the errors of :mod:`duckrisk.errors`."""
    target = target_of(options)
    identifiability.check(levels)
    until = None if options.time_limit is None else time.monotonic() + options.time_limit
    with Session(resources, watch) as session:
        opened = open_source(session, request)
        found = roles.infer(session, opened, overrides)
        chosen = identifiability.choose(opened, found, levels)
        if chosen.problem is not None:
            raise UsageError(in_english(chosen.problem))
        if target is not None and target.users and found.users >= found.records:
            raise UsageError("advice.target_about_users_several_records", target=options.target)
        tables = {
            column.position: definition.build(
                session, ASSESSED, column.binding, f"hierarchy_{column.position}", column.type, column.name
            )
            for name, definition in hierarchies.items()
            for column in [opened.column(name)]
            if any(one.decision.column.position == column.position for one in chosen.searched)
        }
        every = [*chosen.searched, *chosen.others]
        with session.until(until) as encoding:
            source = Source(session, found, levels, every, len(chosen.searched), tables)
        if encoding.over:
            raise too_late()
        frontier = Frontier(source, until)
        lines, ended = frontier.climb(target, options.steps)
        notes = [*found.notes, *chosen.notes]
        if frontier.unfinished and len(lines) > 1:
            notes.append(say("advice.unfinished"))
        given = isinstance(request.source, (str, os.PathLike))
        return Advice(
            version=1,
            duckrisk=duckrisk.__version__,
            source=os.fspath(request.source) if given else opened.name,
            source_options=_source_options(request),
            records=found.records,
            currency=levels.currency,
            target=options.target,
            reached=None if target is None else target.holds(lines[-1]),
            ended=ended,
            measured=frontier.measured,
            spared=frontier.spared,
            lines=tuple(lines),
            notes=tuple(notes),
        )


def _source_options(request: Request) -> tuple[tuple[str, ...], ...]:
    """The options of a command that reads what was asked for."""
    made: list[tuple[str, ...]] = [
        (f"--{name}", str(value))
        for name in ("table", "attach", "query", "where", "encoding")
        if (value := getattr(request, name)) is not None
    ]
    if request.header is not None:
        made.append(("--header" if request.header else "--no-header",))
    return tuple(made)
