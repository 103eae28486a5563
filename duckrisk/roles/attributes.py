"""Attributes that columns are assessed as, and their notation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.engine.templates import Attribute, Part, knowledges
from duckrisk.engine.types import (
    has_date,
    is_float,
    is_nanosecond_timestamp,
    is_number,
    is_time,
    is_time_with_zone,
    is_timestamp,
)
from duckrisk.roles.model import Decision, Roles
from duckrisk.roles.overrides import RoleOverrides, split_knowledge, split_parts
from duckrisk.source import Column, Source

_VALUES = re.compile(r"(ENUM|STRUCT|UNION|MAP)\(.*\)((\[\d*\])*)", re.DOTALL)


def shown_type(type_name: str) -> str:
    """Write a type without members and fields, which can be values."""
    return _VALUES.sub(r"\1\2", type_name)


def build_attributes(source: Source, decisions: list[Decision], overrides: RoleOverrides) -> list[Attribute]:
    """Build the attributes that a person named, else those of all columns.

    Raises:
        UsageError: If an attribute is named twice, is unknown, or does not fit the type of its column.
    """
    if overrides.attributes:
        attributes = [_parse_named(text, source, decisions) for text in overrides.attributes]
        for number, attribute in enumerate(attributes):
            if any(set(attribute.parts) == set(earlier.parts) for earlier in attributes[:number]):
                raise UsageError("roles.duplicate_attribute", attribute=attribute.name)
        return attributes
    attributes = []
    columns = {decision.column.name for decision in decisions}
    for decision in decisions:
        for attribute in default_attributes(decision):
            if attribute.name in columns and attribute.name != decision.column.name:
                attribute = Attribute(f"{attribute.name} (2)", attribute.parts)  # a column has its name
            attributes.append(attribute)
    return attributes


def _parse_named(text: str, source: Source, decisions: list[Decision]) -> Attribute:
    """Parse an attribute; a column that a release has in a coarser form is exact."""
    try:
        return parse_attribute(text, source, decisions)
    except UsageError:
        name, match = split_knowledge(text, source)
        if source.recipe is None or match is None or "+" in text:
            raise
        return whole_attribute(decisions[source.column(name).position])


def default_attributes(decision: Decision) -> list[Attribute]:
    """Return the attributes of a column; those of a moment are its day and its time."""
    name = decision.column.name
    if decision.role == "date_time":
        return [Attribute(f"{name}.{part}", (_make_part(decision, part),)) for part in ("date", "time")]
    return [whole_attribute(decision)] if decision.role in ("attribute", "event_key") else []


def whole_attribute(decision: Decision) -> Attribute:
    """Return a column as one attribute."""
    return Attribute(decision.column.name, (_make_part(decision),))


def published_attribute(decision: Decision) -> Attribute:
    """Return a column as a table shows it: a time of day with its seconds."""
    knowledge = "exact" if is_time(decision.column.type) else None
    return Attribute(decision.column.name, (_make_part(decision, knowledge),))


def value_order(decision: Decision) -> Literal["number", "moment", "text"]:
    """Return the order of the values of a column."""
    if decision.is_moment or has_date(decision.column.type):
        return "moment"
    return "number" if is_number(decision.column.type) else "text"


def attributes_at_full_precision(roles: Roles) -> list[Attribute]:
    """Return the columns that attackers know by the minute, as the table shows them."""
    minutes = {
        part.column: attribute.name
        for attribute in roles.attributes
        for part in attribute.parts
        if len(attribute.parts) == 1 and part.knowledge in ("time", "zoned_time")
    }
    return [
        Attribute(decision.column.name, (Part(decision.column.binding),))
        for decision in roles.decisions
        if decision.column.binding in minutes
        and (not roles.has_named_attributes or minutes[decision.column.binding] == decision.column.name)
    ]


def _make_part(decision: Decision, knowledge: str | None = None, argument: float | None = None) -> Part:
    type_name = decision.column.type
    if knowledge is None:
        knowledge = "exact"
        if is_float(type_name):
            knowledge = "number"
        elif is_time(type_name):
            knowledge = "zoned_time" if is_time_with_zone(type_name) else "time"
        elif type_name == "JSON":
            knowledge = "as_text"
    text_moment = type_name == "VARCHAR" and (decision.is_moment or knowledge in _MOMENTS)
    long = decision.is_long and knowledge == "exact" and not text_moment
    fine = is_nanosecond_timestamp(type_name) and knowledge in _MOMENTS
    return Part(decision.column.binding, knowledge, argument, text_moment, long=long, fine=fine)


#: Characters; the engine refuses a prefix of that length (DuckDB 1.5: LEFT takes up to 2 ** 32 - 1).
_LONGEST = 2**32
_MOMENTS = ("date", "time", "hour", "week", "month", "year")


def parse_attribute(text: str, source: Source, decisions: Sequence[Decision]) -> Attribute:
    """Parse an attribute that a person wrote.

    It is ``Column``, ``Column.week``, ``Column.prefix(2)``, or several of these joined by ``+``.

    Raises:
        UsageError: If a part is unknown, with the nearest names, if it is there twice, or if it does not fit
            the type of its column.
    """
    parts = tuple(_parse_part(part, source, decisions) for part in split_parts(text, source))
    if len(set(parts)) < len(parts):
        raise UsageError("roles.duplicate_part", text=text)
    return Attribute(text, parts)


def _parse_part(text: str, source: Source, decisions: Sequence[Decision]) -> Part:
    name, match = split_knowledge(text, source)
    if match is None:
        return _make_part(decisions[source.column(name).position])
    text, knowledge, written = match.group(0, 2, 3)
    kinds = knowledges()
    if knowledge not in kinds:
        raise UsageError(
            "roles.unknown_attribute",
            text=text,
            suggestion=suggest_names(knowledge, list(kinds)),
        )
    wants = any(p.name == "argument" for p in kinds[knowledge].parameters)
    if wants != (written is not None):
        example = f"{knowledge}(2)" if wants else knowledge
        raise UsageError("roles.invalid_knowledge", text=text, name=name, example=example)
    argument = None
    if written is not None:
        argument = float(written) if "." in written else int(written)
        if argument <= 0:
            raise UsageError("roles.number_not_positive", text=text)
        if knowledge == "prefix" and not isinstance(argument, int):
            raise UsageError("roles.number_not_integer", text=text)
        if knowledge == "prefix" and argument >= _LONGEST:
            raise UsageError("roles.number_too_large", text=text)
    decision = decisions[source.column(name).position]
    _check_type(text, knowledge, decision)
    return _make_part(decision, knowledge, argument)


def _check_type(text: str, knowledge: str, decision: Decision) -> None:
    type_name = decision.column.type
    moment = has_date(type_name) or decision.is_moment
    clock = is_timestamp(type_name) or is_time(type_name) or decision.is_moment
    number = is_number(type_name)
    fits = {
        "date": moment,
        "week": moment,
        "month": moment,
        "year": moment,
        "time": clock,
        "hour": clock,
        "zoned_time": is_time_with_zone(type_name),
        "band": number,
        "number": number,
    }
    if not fits.get(knowledge, True):
        raise UsageError("roles.knowledge_of_other_type", text=text, shown_type=shown_type(type_name))


def refuse_user_column(attributes: list[Attribute], user: Column) -> None:
    """Raise UsageError if an attribute uses the user column."""
    for attribute in attributes:
        if any(part.column == user.binding for part in attribute.parts):
            raise UsageError("roles.attribute_of_user", attribute=attribute.name)


def group_alike(attributes: Sequence[Attribute], kinds: Mapping[str, str]) -> list[list[int]]:
    """Group the indices of attributes that differ in nothing but their columns.

    Args:
        attributes: The attributes.
        kinds: The types of the columns by their bindings.

    Returns:
        The groups. The values of a group have the same type, and the same SQL but for the column. An
        attribute of several parts or of labels is alone.
    """
    groups: dict[Any, list[int]] = {}
    for index, attribute in enumerate(attributes):
        first = attribute.parts[0]
        simple = len(attribute.parts) == 1 and first.table is None
        key = (kinds[first.column], replace(first, column="")) if simple else index
        groups.setdefault(key, []).append(index)
    return list(groups.values())
