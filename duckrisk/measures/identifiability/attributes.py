"""The attributes of a source with their sensitivity levels: given by a person, or proposed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.numbers import format_number
from duckrisk.base.options.identifiability import Options
from duckrisk.base.results import Listed
from duckrisk.base.sentences import Sentence, Text, list_names
from duckrisk.engine.templates import Attribute
from duckrisk.measures.identifiability.levels import Level, nearest_types, parse, propose
from duckrisk.measures.identifiability.results import Unlevelled
from duckrisk.roles import Decision, Roles, whole_attribute
from duckrisk.source import Source


@dataclass
class Levelled:
    """An attribute with the level of its column, where that comes from and why."""

    attribute: Attribute
    decision: Decision
    level: Level
    given: bool
    reason: Sentence


def given_levels(source: Source, options: Options) -> dict[int, Level]:
    """The levels that a person gave, by the position of the column; what a settings file says of one that
    was given another is not looked at. Raises UsageError where one of the two gives a column two."""
    by_position: dict[int, Level] = {}
    for levels in (options.levels, options.settled_levels):
        named: dict[int, Level] = {}
        for name, level in levels:
            if levels is options.settled_levels and source.lacks(name):
                continue
            position = source.column(name).position
            if position in by_position:
                continue
            if position in named:
                raise UsageError("identifiability.duplicate_level", name=name)
            named[position] = parse(level, name, options.profile)
        by_position |= named
    return by_position


def named_levels(source: Source, options: Options) -> dict[str, Any]:
    """The levels that hold, as they were given and by the names that were given."""

    def position(name: str) -> int | None:
        try:
            return source.column(name).position
        except UsageError:  # of no interest where nothing asks for levels
            return None

    chosen = {position(name) for name, _ in options.levels} - {None}
    settled = [(name, level) for name, level in options.settled_levels if position(name) not in chosen]
    return dict([*settled, *options.levels])


def level_attributes(
    source: Source, roles: Roles, options: Options, levels: dict[int, Level]
) -> tuple[list[Levelled], list[Unlevelled]]:
    """The attributes with their levels, given or proposed, and the columns for which there is none."""
    names = [column.name for column in source.columns]
    levelled: list[Levelled] = []
    unlevelled: dict[str, Unlevelled] = {}
    for attribute, decision in _attributes(roles, levels):
        position = decision.column.position
        if position in levels:
            levelled.append(
                Levelled(attribute, decision, levels[position], True, Sentence("identifiability.level.given"))
            )
        elif proposal := propose(decision, options.profile, names):
            levelled.append(Levelled(attribute, decision, proposal.level, False, proposal.reason))
        elif decision.column.name not in unlevelled:
            name = decision.column.name
            nearest = nearest_types(name, options.profile)
            shown = json.dumps(nearest[0]) if nearest else "[1, 1]"
            line = f"{json.dumps(name, ensure_ascii=False)} = {shown}"
            unlevelled[name] = Unlevelled(name, tuple(nearest), line)
    return levelled, list(unlevelled.values())


class _Decided(Protocol):
    """What was made of a column."""

    @property
    def decision(self) -> Decision: ...


_D = TypeVar("_D", bound=_Decided)


def most_telling(
    attributes: Sequence[_D], most: int, what: Text, option: str | None = None
) -> tuple[list[_D], list[Sentence]]:
    """Those of some attributes that have most values where they are more than ``most``, in their order,
    and what is to be said: what was left out of ``what``, and which ``option`` chooses others, by default
    --attribute or --ignore."""
    if len(attributes) <= most:
        return list(attributes), []
    ranked = sorted(range(len(attributes)), key=lambda position: -attributes[position].decision.distinct)
    kept = [attributes[position] for position in sorted(ranked[:most])]
    left = [attributes[position].decision.column.name for position in sorted(ranked[most:])]
    note = Sentence(
        "identifiability.note.most_telling",
        what=what,
        most=str(most),
        count=str(len(attributes)),
        left=list_names(left),
        option=option or Sentence("identifiability.note.attribute_or_ignore"),
    )
    values = [attributes[position].decision.distinct for position in ranked]
    equals = Listed.of(values, most).equal_to_last
    return kept, [
        Sentence("identifiability.note.as_telling", note=note, count=format_number(equals))
        if equals
        else note
    ]


def split(levelled: list[Levelled], roles: Roles) -> tuple[list[Levelled], list[Levelled]]:
    """What attribute sets are made of, and what only counts in the value of a leak: constants, free text and
    the user."""
    others = [attribute for attribute in levelled if not _searched(attribute.decision, roles)]
    searched = [attribute for attribute in levelled if attribute not in others]
    if not searched:  # somebody who is alone has every value alone
        searched = [attribute for attribute in others if attribute.decision.role == "constant"]
        others = [attribute for attribute in others if attribute not in searched]
    return searched, others


def _searched(decision: Decision, roles: Roles) -> bool:
    if roles.named and decision.role in ("constant", "free_text", "event_key"):
        return True
    # Who alone has a value stands out by it, though it is the only one in its column.
    constant = decision.role == "constant" and decision.present == roles.records
    return not constant and decision.role not in ("user", "free_text", "event_key")


def left_out(roles: Roles) -> list[Sentence]:
    composite = [a.name for a in roles.attributes if len(a.parts) > 1]
    return [Sentence("identifiability.note.composites", names=list_names(composite))] if composite else []


def _attributes(roles: Roles, levels: dict[int, Level]) -> list[tuple[Attribute, Decision]]:
    """What sets are made of, in the order of the columns, and what else a leak tells of somebody."""
    by_binding = {decision.column.binding: decision for decision in roles.decisions}
    chosen = [(a, by_binding[a.parts[0].column]) for a in roles.plausible if len(a.parts) == 1]
    there = {decision.column.position for _, decision in chosen}
    others = [
        (whole_attribute(decision), decision)
        for decision in roles.decisions
        if decision.column.position not in there and _told(decision, roles, levels)
    ]
    return sorted([*chosen, *others], key=lambda pair: pair[1].column.position)


def _told(decision: Decision, roles: Roles, levels: dict[int, Level]) -> bool:
    """Whether a column counts that is no attribute to assess."""
    if decision.role in ("user", "free_text", "event_key"):
        return decision.column.position in levels and decision.present > 0
    if roles.named:
        return False
    return decision.role == "direct_identifier" or (decision.role == "constant" and decision.present > 0)
