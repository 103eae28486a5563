"""How a column can be published: as it is, coarser, or not at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.types import is_number
from duckrisk.roles import Decision
from duckrisk.source.hierarchies import Hierarchy, render_interval, render_period, render_prefix

#: A column has no more, besides as it is and left out.
MOST_GENERALIZATIONS = 4
#: The column of the tables of different values.
VALUE = identifier("value")


class Known(Protocol):
    """An attribute of a column that can become coarser."""

    @property
    def attribute(self) -> Attribute: ...

    @property
    def decision(self) -> Decision: ...


_Known = TypeVar("_Known", bound=Known)


@dataclass(frozen=True)
class Generalization:
    """How a column is published: as ``duckrisk anonymize --generalize`` writes it (None: as it is, or left
    out), the cell that a value becomes (None: itself), and what is known of it by each attribute of the
    column, by position; None is left out."""

    written: str | None
    cell: Attribute | None
    attributes: dict[int, Attribute | None]

    @property
    def dropped(self) -> bool:
        return not self.kept

    @property
    def kept(self) -> dict[int, Attribute]:
        """The attributes that are left, by position."""
        return {position: kept for position, kept in self.attributes.items() if kept is not None}


@dataclass(frozen=True)
class Column:
    """A column's generalizations, from as it is to left out, each a union of classes of the one before;
    ``encoded`` says that sets are made of its values."""

    name: str
    type: str
    binding: str
    encoded: bool
    generalizations: tuple[Generalization, ...]


def columns_of(
    levelled: Sequence[_Known],
    searched: int,
    hierarchies: Mapping[int, Hierarchy],
    as_known: Callable[[_Known], Attribute],
    tokens: tuple[str, ...],
) -> list[Column]:
    """The columns of these attributes, of which the first ``searched`` make sets and can become coarser: by
    the hierarchy of the column's position, where there is one. ``as_known`` says what an attacker knows of an
    attribute; texts in ``tokens`` are missing cells, in what is published too."""
    by_position: dict[int, list[int]] = {}
    for index, fact in enumerate(levelled):
        by_position.setdefault(fact.decision.column.position, []).append(index)
    columns = []
    for position, places in by_position.items():
        facts = {index: levelled[index] for index in places}
        column = levelled[places[0]].decision.column
        coarser = _coarser(facts, hierarchies.get(position), tokens) if max(places) < searched else []
        whole = Generalization(
            None, None, {index: _of_value(as_known(fact)) for index, fact in facts.items()}
        )
        left_out = Generalization(None, None, dict.fromkeys(places))
        encoded = min(places) < searched
        columns.append(Column(column.name, column.type, column.binding, encoded, (whole, *coarser, left_out)))
    return columns


def _of_value(attribute: Attribute) -> Attribute:
    (part,) = attribute.parts
    return Attribute(attribute.name, (dataclasses.replace(part, column="value"),))


def _coarser(
    facts: Mapping[int, Known], hierarchy: Hierarchy | None, tokens: tuple[str, ...]
) -> list[Generalization]:
    """The generalizations of a column of one attribute, or of a moment's date and time."""
    decision = next(iter(facts.values())).decision
    column = decision.column
    knowledge = {fact.attribute.parts[0].knowledge: index for index, fact in facts.items()}

    def generalization(written: str, cell: Sql, index: int) -> Generalization:
        published = Attribute(column.name, (Part(cell),))
        attribute = Attribute(facts[index].attribute.name, (Part(cell, tokens=tokens),))
        return Generalization(written, published, {**dict.fromkeys(facts), index: attribute})

    if len(knowledge) == len(facts) and set(knowledge) <= {"date", "time"} and "date" in knowledge:
        units = ("day", "month", "year") if "time" in knowledge else ("month", "year")
        return [
            generalization(unit, render_period(VALUE, column.type, unit, column.name), knowledge["date"])
            for unit in units
        ]
    if len(facts) > 1:
        return []
    (index,), (way,) = facts, knowledge
    if hierarchy is not None:
        return [
            generalization(
                f"level{level}",
                render("label_cell", column=VALUE, argument=level, table=hierarchy.table),
                index,
            )
            for level in range(1, hierarchy.height)
        ]
    if way in ("exact", "number") and is_number(column.type):
        return [
            generalization(f"{width}", render_interval(VALUE, column.type, width, column.name), index)
            for width in _widths(decision.distinct)
        ]
    if way == "exact" and column.type == "DATE":
        return [
            generalization(unit, render_period(VALUE, column.type, unit, column.name), index)
            for unit in ("month", "year")
        ]
    if way == "exact" and column.type == "VARCHAR" and decision.distinct > 20:
        return [
            generalization(f"prefix{length}", render_prefix(VALUE, length), index) for length in (3, 2, 1)
        ]
    return []


def _widths(distinct: int) -> list[int]:
    """Widths of intervals, each twice the one before, for numbers of many values."""
    widths = [5 * 2**doubling for doubling in range(MOST_GENERALIZATIONS)]
    return [width for width in widths if width * 2 <= distinct]
