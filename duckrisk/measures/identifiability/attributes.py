"""Give the attributes of a source sensitivity levels, chosen or proposed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.numbers import format_number
from duckrisk.base.options.identifiability import Options
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence, Text, list_names
from duckrisk.engine.templates import Attribute
from duckrisk.measures.identifiability.levels import Level, list_nearest_types, parse_level, propose_level
from duckrisk.measures.identifiability.results import Unlevelled
from duckrisk.roles import Decision, Roles, whole_attribute
from duckrisk.source import Source


@dataclass
class LevelledColumn:
    """An attribute with the level of its column.

    Attributes:
        attribute: The attribute.
        decision: The decision on its column.
        level: The sensitivity level.
        given: Whether a person gave the level; otherwise it is proposed.
        reason: Text: where the level comes from.
        whole: The attribute with all values, where this one has the values of one level; else None.
    """

    attribute: Attribute
    decision: Decision
    level: Level
    given: bool
    reason: Sentence
    whole: Attribute | None = None


def read_given_levels(source: Source, options: Options) -> dict[int, Level]:
    """Read the levels that a person gave.

    A level of the call replaces that of the settings file.

    Args:
        source: The source.
        options: The levels, by name of the column.

    Returns:
        The levels, by position of the column.

    Raises:
        UsageError: A column does not exist, or has two levels.
    """
    by_position: dict[int, Level] = {}
    for levels in (options.levels, options.settled_levels):
        named: dict[int, Level] = {}
        for name, level in levels:
            if levels is options.settled_levels and source.is_missing_from_release(name):
                continue
            position = source.column(name).position
            if position in by_position:
                continue
            if position in named:
                raise UsageError("identifiability.duplicate_level", name=name)
            named[position] = parse_level(level, name, options.profile)
        by_position |= named
    return by_position


def list_named_levels(source: Source, options: Options) -> dict[str, Any]:
    """List the given levels that apply, by the names that were given.

    Args:
        source: The source.
        options: The levels, by name of the column.
    """

    def position(name: str) -> int | None:
        try:
            return source.column(name).position
        except UsageError:  # no error unless a part needs levels
            return None

    chosen = {position(name) for name, _ in options.levels} - {None}
    settled = [(name, level) for name, level in options.settled_levels if position(name) not in chosen]
    return dict([*settled, *options.levels])


def level_attributes(
    source: Source, roles: Roles, options: Options, levels: dict[int, Level]
) -> tuple[list[LevelledColumn], list[Unlevelled]]:
    """Give each attribute its level, given or proposed.

    Args:
        source: The source.
        roles: The roles of its columns.
        options: The options, with the chart of proposals.
        levels: The given levels, by position of the column.

    Returns:
        The attributes with a level, and the columns without one.
    """
    names = [column.name for column in source.columns]
    levelled: list[LevelledColumn] = []
    unlevelled: dict[str, Unlevelled] = {}
    for attribute, decision in _list_attributes(roles, levels):
        position = decision.column.position
        if position in levels:
            levelled.append(
                LevelledColumn(
                    attribute, decision, levels[position], True, Sentence("identifiability.level.given")
                )
            )
        elif proposal := propose_level(decision, options.profile, names):
            levelled.append(LevelledColumn(attribute, decision, proposal.level, False, proposal.reason))
        elif decision.column.name not in unlevelled:
            name = decision.column.name
            nearest = list_nearest_types(name, options.profile)
            shown = json.dumps(nearest[0]) if nearest else "[1, 1]"
            line = f"{json.dumps(name, ensure_ascii=False)} = {shown}"
            unlevelled[name] = Unlevelled(name, tuple(nearest), line)
    return levelled, list(unlevelled.values())


class _HasDecision(Protocol):
    """An attribute with the decision on its column."""

    @property
    def decision(self) -> Decision: ...


_D = TypeVar("_D", bound=_HasDecision)


def select_most_distinct(
    attributes: Sequence[_D], most: int, what: Text, option: str | None = None
) -> tuple[list[_D], list[Sentence]]:
    """Select the attributes with most distinct values if there are too many.

    Args:
        attributes: The attributes.
        most: Maximum number of attributes.
        what: Text: the part that selects.
        option: The option that selects others; None for --attribute or --ignore.

    Returns:
        The selected attributes in their order, and a note if some are left out.
    """
    if len(attributes) <= most:
        return list(attributes), []
    ranked = sorted(range(len(attributes)), key=lambda position: -attributes[position].decision.distinct)
    selected = [attributes[position] for position in sorted(ranked[:most])]
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
    equals = Truncation.after(most, values).equal_to_last
    return selected, [
        Sentence("identifiability.note.as_telling", note=note, count=format_number(equals))
        if equals
        else note
    ]


def split_searched(
    levelled: list[LevelledColumn], roles: Roles
) -> tuple[list[LevelledColumn], list[LevelledColumn]]:
    """Split attributes into those that make up sets and those that only have a value.

    The latter are constants, free text and the user: they only count in the value of a leak.

    Args:
        levelled: The attributes with their levels.
        roles: The roles of the columns.
    """
    others = [attribute for attribute in levelled if not _is_searched(attribute.decision, roles)]
    searched = [attribute for attribute in levelled if attribute not in others]
    if not searched:  # a person alone in a table is singled out by any constant
        searched = [attribute for attribute in others if attribute.decision.role == "constant"]
        others = [attribute for attribute in others if attribute not in searched]
    return searched, others


def _is_searched(decision: Decision, roles: Roles) -> bool:
    if roles.has_named_attributes and decision.role in ("constant", "free_text", "event_key"):
        return True
    # With missing values in the column, its only value may single a person out.
    is_constant = decision.role == "constant" and decision.present == roles.records
    return not is_constant and decision.role not in ("user", "free_text", "event_key")


def note_composites(roles: Roles) -> list[Sentence]:
    """Note the attributes of several columns, which have no level.

    Args:
        roles: The roles, with the attributes.
    """
    composite = [a.name for a in roles.attributes if len(a.parts) > 1]
    return [Sentence("identifiability.note.composites", names=list_names(composite))] if composite else []


def _list_attributes(roles: Roles, levels: dict[int, Level]) -> list[tuple[Attribute, Decision]]:
    """List the attributes of sets, and the columns that a leak reveals in addition."""
    by_binding = {decision.column.binding: decision for decision in roles.decisions}
    chosen = [(a, by_binding[a.parts[0].column]) for a in roles.plausible if len(a.parts) == 1]
    positions = {decision.column.position for _, decision in chosen}
    others = [
        (whole_attribute(decision), decision)
        for decision in roles.decisions
        if decision.column.position not in positions and _is_revealed(decision, roles, levels)
    ]
    return sorted([*chosen, *others], key=lambda pair: pair[1].column.position)


def _is_revealed(decision: Decision, roles: Roles, levels: dict[int, Level]) -> bool:
    """Return whether a leak reveals a column that is no attribute to assess."""
    if decision.role in ("user", "free_text", "event_key"):
        return decision.column.position in levels and decision.present > 0
    if roles.has_named_attributes:
        return False
    return decision.role == "direct_identifier" or (decision.role == "constant" and decision.present > 0)
