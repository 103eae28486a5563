"""Measure the risk of each table, by the same roles, attributes and levels."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.sentences import Sentence
from duckrisk.decision.assessment import DEFAULT_PARTS, Settings, assess_source
from duckrisk.decision.assessment.release_roles import infer_release_roles
from duckrisk.engine.session import Session
from duckrisk.measures import disclosure, plausible_attacks
from duckrisk.release.advice.results import PeopleLine
from duckrisk.release.comparison.results import AttributeRisk, Identifiability, Risk
from duckrisk.roles import Roles
from duckrisk.source import VIEW, Source

#: Levels of columns: a sensitivity type, or an economic and a psychological level.
_Levels = dict[str, str | list[int]]
_Kind = TypeVar("_Kind", Identifiability, AttributeRisk)


def measure_original(
    session: Session, source: Source, roles: Roles, settings: Settings
) -> tuple[Risk, _Levels]:
    """Measure the risk of the original.

    Args:
        session: The session, with the original as the assessed view.
        source: The original.
        roles: The roles of its columns.
        settings: The settings.

    Returns:
        The risk, and the levels of the columns.
    """
    return _measure_view(session, source, roles, dataclasses.replace(settings, earlier=EarlierOptions()))


def measure_release(
    session: Session,
    source: Source,
    roles: Roles,
    levels: _Levels,
    settings: Settings,
    people: str | Sentence | None,
    earlier: Sequence[Source] = (),
) -> Risk:
    """Measure the risk of a release, with the roles of the original.

    Attributes and levels are those of the original too. A generalized column is text in the release, and
    outsiders know it as it is.

    Args:
        session: The session; the release becomes its assessed view.
        source: The release.
        roles: The roles of the original.
        levels: The levels of the original's columns.
        settings: The settings.
        people: Table of the people behind its records, or a text if they are unknown; None if it needs none.
        earlier: The tables of earlier releases.
    """
    names = [column.name for column in source.columns]
    kept = tuple((name, level) for name, level in levels.items() if name in names)
    options = dataclasses.replace(settings.identifiability, levels=kept, settled_levels=())
    source.use_view(VIEW)
    table = people if isinstance(people, str) else None
    read, overrides = infer_release_roles(session, roles, source, options.missing_tokens, table)
    if isinstance(people, Sentence):
        read = dataclasses.replace(read, notes=[*read.notes, people])
    settings = dataclasses.replace(settings, overrides=overrides, identifiability=options)
    return _measure_view(session, source, read, settings, earlier)[0]


def _measure_view(
    session: Session, source: Source, roles: Roles, settings: Settings, others: Sequence[Source] = ()
) -> tuple[Risk, _Levels]:
    """Measure what a comparison shows of the assessed view, and return its levels."""
    asked = dataclasses.replace(
        settings,
        measures=dataclasses.replace(settings.measures, samples=0),
        identifiability=dataclasses.replace(settings.identifiability, what_if=False, compare_missing=False),
        disclosure=disclosure.Options(),
        context=plausible_attacks.Options(),
        only=DEFAULT_PARTS,
        gates=(),
        baseline=None,
    )
    report = assess_source(session, source, roles, asked, others=others, verdict_only=True)
    if source.is_in_memory:  # the next table needs the name of the view
        session.run("drop_table", table=VIEW)
        source.is_in_memory = False
    section = report.identifiability
    leak = {"has_leak": section.has_leak, "is_least": section.is_least} if section is not None else {}
    risk = Risk(
        roles.users,
        PeopleLine.of(report),
        _select_figures(Identifiability, {**vars(section), **leak}) if section is not None else None,
        tuple(_select_figures(AttributeRisk, vars(entry)) for entry in report.attribute_risk),
        report.source.notes,
    )
    levels = {
        entry.column: entry.type or [entry.economic, entry.psychological]
        for entry in (section.attributes if section is not None else ())
    }
    return risk, levels


def _select_figures(result: type[_Kind], figures: Mapping[str, Any]) -> _Kind:
    """Select the figures of an assessment that a comparison shows."""
    return result(**{field.name: figures[field.name] for field in dataclasses.fields(result)})
