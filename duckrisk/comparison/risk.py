"""The risk of each table, by the main job: the same roles, attributes and levels for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from duckrisk import attribute, identifiability, policy, roles
from duckrisk.advice.people import figures_of, people_of
from duckrisk.assessment import Settings
from duckrisk.assessment.released import overrides_of_release
from duckrisk.comparison.results import AttributeRisk, Identifiability, Risk
from duckrisk.roles import Roles
from duckrisk.sentences import Data, say
from duckrisk.session import Session
from duckrisk.source import VIEW, Source

#: The levels of columns: names of kinds of information, or economic and psychological ones.
_Levels = dict[str, str | list[int]]
_Kind = TypeVar("_Kind", Identifiability, AttributeRisk)


def of_original(
    session: Session, source: Source, found: Roles, settings: Settings, against: policy.Options
) -> tuple[Risk, _Levels]:
    """The risk of the original, which is the assessed view, and the levels of its columns."""
    return _measured(session, source, found, settings, settings.identifiability, against)


def of_release(
    session: Session,
    source: Source,
    found: Roles,
    levels: _Levels,
    settings: Settings,
    against: policy.Options,
) -> Risk:
    """The risk of a release, which becomes the assessed view, with the roles (``found``), the attributes and
    the levels of the original. A column that was generalised is a text there: it is known as it is."""
    names = [column.name for column in source.columns]
    overrides = overrides_of_release(found, source)
    kept = tuple((name, level) for name, level in levels.items() if name in names)
    options = dataclasses.replace(settings.identifiability, levels=kept, settled_levels=())
    source.shown_as(VIEW)
    read = roles.infer(session, source, overrides, tokens=options.missing_tokens)
    return _measured(session, source, read, settings, options, against)[0]


def _measured(
    session: Session,
    source: Source,
    found: Roles,
    settings: Settings,
    options: identifiability.Options,
    against: policy.Options,
) -> tuple[Risk, _Levels]:
    """The risk of the assessed view, without what a comparison does not show, and the levels of its
    columns."""
    options = dataclasses.replace(options, what_if=False, compare_missing=False)
    section, said = identifiability.measure(session, source, found, options)
    measures = dataclasses.replace(settings.measures, samples=0, known_records=0, detailed=0)
    measured, told = attribute.measure(session, found, measures)
    people = people_of(figures_of(session, source, found, options.missing_tokens, against))
    risk = Risk(
        found.users,
        people,
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
