"""The risk of each table, by the main job: the same roles, attributes and levels for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from duckrisk import attribute, identifiability, roles
from duckrisk.assessment import Settings
from duckrisk.comparison.results import AttributeRisk, Identifiability, Risk
from duckrisk.engine_types import is_moment
from duckrisk.roles import Roles
from duckrisk.sentences import Data, say
from duckrisk.session import Session
from duckrisk.source import VIEW, Source
from duckrisk.source.model import Column

#: The levels of columns: names of kinds of information, or economic and psychological ones.
_Levels = dict[str, Any]
_Kind = TypeVar("_Kind", Identifiability, AttributeRisk)


def of_original(session: Session, source: Source, found: Roles, settings: Settings) -> tuple[Risk, _Levels]:
    """The risk of the original, which is the assessed view, and the levels of its columns."""
    return _measured(session, source, found, settings, settings.identifiability)


def of_release(session: Session, source: Source, found: Roles, levels: _Levels, settings: Settings) -> Risk:
    """The risk of a release, which becomes the assessed view, with the roles (``found``), the attributes and
    the levels of the original. A column that was generalised is a text there: it is known as it is."""
    there = {decision.column.name: decision for decision in found.decisions}
    columns = [column for column in source.columns if column.name in there]
    given: list[tuple[str, str]] = []
    for column in columns:
        decision = there[column.name]
        same = column.type == decision.column.type or is_moment(column.type)
        role = "attribute" if decision.role == "date_time" and not same else decision.role
        if role != "user":
            given.append((column.name, role))
    names = [column.name for column in columns]
    user = found.user.name if found.user is not None and found.user.name in names else ""
    overrides = roles.RoleOverrides(user, _attributes(found, columns), (), tuple(given))
    kept = tuple((name, level) for name, level in levels.items() if name in names)
    options = dataclasses.replace(settings.identifiability, levels=kept, settled_levels=())
    source.shown_as(VIEW)
    return _measured(session, source, roles.infer(session, source, overrides), settings, options)[0]


def _attributes(found: Roles, columns: list[Column]) -> tuple[str, ...]:
    """The attributes that a person named, as far as the release has them: a coarser form of a column of
    another type is the column itself."""
    if not found.named:
        return ()
    types = {decision.column.binding: decision.column for decision in found.decisions}
    there = {column.name: column.type for column in columns}
    named: dict[str, None] = {}
    for one in found.attributes:
        parts = [types[part.column] for part in one.parts]
        if not all(column.name in there for column in parts):
            continue
        if all(there[column.name] == column.type for column in parts):
            named[one.name] = None
        elif len(parts) == 1:
            named[parts[0].name] = None
    return tuple(named)


def _measured(
    session: Session, source: Source, found: Roles, settings: Settings, options: identifiability.Options
) -> tuple[Risk, _Levels]:
    """The risk of the assessed view, without what a comparison does not show, and the levels of its
    columns."""
    options = dataclasses.replace(options, what_if=False, compare_missing=False)
    section, said = identifiability.measure(session, source, found, options)
    measures = dataclasses.replace(settings.measures, samples=0, known_records=0, detailed=0)
    measured, told = attribute.measure(session, found, measures)
    risk = Risk(
        found.users,
        _kept(Identifiability, vars(section)) if section is not None else None,
        tuple(_kept(AttributeRisk, vars(entry)) for entry in measured.attribute_risk),
        (
            *([say("assess.settings_file", name=Data(settings.config))] if settings.config else []),
            *source.notes,
            *found.notes,
            *told,
            *said,
        ),
    )
    levels = {
        one.column: one.type or [one.economic, one.psychological]
        for one in (section.attributes if section is not None else ())
    }
    return risk, levels


def _kept(kind: type[_Kind], figures: Mapping[str, Any]) -> _Kind:
    """The figures that a comparison keeps of an assessment's."""
    return kind(**{one.name: figures[one.name] for one in dataclasses.fields(kind)})
