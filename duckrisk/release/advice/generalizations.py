"""The forms in which a column can be published: unchanged, coarser, or not at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.types import is_number
from duckrisk.roles import Decision
from duckrisk.source.hierarchies import Hierarchy, render_interval, render_period, render_prefix

#: Units of the column; narrowest interval of numbers (a choice: a round number).
_MIN_WIDTH = 5
#: Widths of intervals, each twice the one before (a choice: 5 to 40; each is one more treatment to measure).
_MAX_WIDTHS = 4
#: Distinct values; a text column with more of them has prefixes (a choice: fewer are codes or categories).
_MAX_CATEGORIES = 20
#: The column of the tables of distinct values.
VALUE = identifier("value")


class KnownAttribute(Protocol):
    """An attribute of a column that can become coarser."""

    @property
    def attribute(self) -> Attribute:
        """The values that an attacker knows."""

    @property
    def decision(self) -> Decision:
        """The column and its role."""


_Known = TypeVar("_Known", bound=KnownAttribute)


@dataclass(frozen=True)
class Generalization:
    """A form of a column.

    Attributes:
        written: The form as ``duckrisk anonymize --generalize`` takes it; None if unchanged or removed.
        cell: The published form of a value; None publishes it unchanged.
        attributes: The known form of each attribute of the column, by its position; None if removed.
    """

    written: str | None
    cell: Attribute | None
    attributes: dict[int, Attribute | None]

    @property
    def is_dropped(self) -> bool:
        """Whether the column is removed."""
        return not self.kept_attributes

    @property
    def kept_attributes(self) -> dict[int, Attribute]:
        """The attributes that remain, by position."""
        return {position: kept for position, kept in self.attributes.items() if kept is not None}


@dataclass(frozen=True)
class Column:
    """A column and its forms.

    Attributes:
        name: Its name.
        type: Its type in the engine.
        binding: Its name in statements.
        is_encoded: Whether attribute sets use its values, not only their presence.
        generalizations: Its forms, from unchanged to removed; each merges classes of the one before.
    """

    name: str
    type: str
    binding: str
    is_encoded: bool
    generalizations: tuple[Generalization, ...]


def list_columns(
    levelled: Sequence[_Known],
    searched: int,
    hierarchies: Mapping[int, Hierarchy],
    find_known_form: Callable[[_Known], Attribute],
    tokens: tuple[str, ...],
) -> list[Column]:
    """List the columns of some attributes, each with its forms.

    Args:
        levelled: The attributes.
        searched: Number of attributes, from the first, that form sets and can become coarser.
        hierarchies: The hierarchies of columns, by position of the column.
        find_known_form: Returns what an attacker knows of an attribute.
        tokens: Texts that mean a missing value, in published values too.
    """
    by_position: dict[int, list[int]] = {}
    for index, fact in enumerate(levelled):
        by_position.setdefault(fact.decision.column.position, []).append(index)
    columns = []
    for position, indexes in by_position.items():
        facts = {index: levelled[index] for index in indexes}
        column = levelled[indexes[0]].decision.column
        coarser = _list_coarser(facts, hierarchies.get(position), tokens) if max(indexes) < searched else []
        unchanged = Generalization(
            None, None, {index: _read_from_value(find_known_form(fact)) for index, fact in facts.items()}
        )
        dropped = Generalization(None, None, dict.fromkeys(indexes))
        is_encoded = min(indexes) < searched
        forms = (unchanged, *coarser, dropped)
        columns.append(Column(column.name, column.type, column.binding, is_encoded, forms))
    return columns


def _read_from_value(attribute: Attribute) -> Attribute:
    """Return an attribute that reads the column of distinct values instead of its own."""
    (part,) = attribute.parts
    return Attribute(attribute.name, (dataclasses.replace(part, column="value"),))


def _list_coarser(
    facts: Mapping[int, KnownAttribute], hierarchy: Hierarchy | None, tokens: tuple[str, ...]
) -> list[Generalization]:
    """List the coarser forms of a column with one attribute, or a date and a time."""
    decision = next(iter(facts.values())).decision
    column = decision.column
    indexes = {fact.attribute.parts[0].knowledge: index for index, fact in facts.items()}

    def make_form(written: str, cell: Sql, index: int) -> Generalization:
        published = Attribute(column.name, (Part(cell),))
        attribute = Attribute(facts[index].attribute.name, (Part(cell, tokens=tokens),))
        return Generalization(written, published, {**dict.fromkeys(facts), index: attribute})

    def make_periods(units: Sequence[str], index: int) -> list[Generalization]:
        return [
            make_form(unit, render_period(VALUE, column.type, unit, column.name), index) for unit in units
        ]

    if len(indexes) == len(facts) and set(indexes) <= {"date", "time"} and "date" in indexes:
        units = ("day", "month", "year") if "time" in indexes else ("month", "year")
        return make_periods(units, indexes["date"])
    if len(facts) > 1:
        return []
    (index,), (knowledge,) = facts, indexes
    if hierarchy is not None:
        return [
            make_form(
                f"level{level}",
                render("label_cell", column=VALUE, argument=level, table=hierarchy.table),
                index,
            )
            for level in range(1, hierarchy.height)
        ]
    if knowledge in ("exact", "number") and is_number(column.type):
        return [
            make_form(f"{width}", render_interval(VALUE, column.type, width, column.name), index)
            for width in _list_widths(decision.distinct)
        ]
    if knowledge == "exact" and column.type == "DATE":
        return make_periods(("month", "year"), index)
    if knowledge == "exact" and column.type == "VARCHAR" and decision.distinct > _MAX_CATEGORIES:
        return [make_form(f"prefix{length}", render_prefix(VALUE, length), index) for length in (3, 2, 1)]
    return []


def _list_widths(distinct: int) -> list[int]:
    """List the widths of intervals for a number of distinct values."""
    widths = [_MIN_WIDTH * 2**doublings for doublings in range(_MAX_WIDTHS)]
    return [width for width in widths if width * 2 <= distinct]
