"""How a column can be published: as it is, coarser, or not at all."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from duckrisk.engine_types import is_number, is_real
from duckrisk.hierarchies import Hierarchy, cell_of_moment, cell_of_number, cell_of_prefix
from duckrisk.roles import Decision
from duckrisk.session import Session
from duckrisk.templates import Attribute, Part, Sql, identifier, render

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
    known: dict[int, Attribute | None]

    @property
    def dropped(self) -> bool:
        return all(attribute is None for attribute in self.known.values())

    @property
    def kept(self) -> list[int]:
        """The attributes that are left, by position."""
        return [position for position, attribute in self.known.items() if attribute is not None]


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
    known: Callable[[_Known], Attribute],
    tokens: tuple[str, ...],
    widths: Mapping[int, Sequence[float]] | None = None,
) -> list[Column]:
    """The columns of these attributes, of which the first ``searched`` make sets and can become coarser: by
    the hierarchy of the column's position, where there is one. ``known`` says what an attacker knows of an
    attribute, and texts in ``tokens`` are missing cells, in what is published too; ``widths`` are those of
    intervals by the column's position, where they are not those of every number."""
    by_position: dict[int, list[int]] = {}
    for place, one in enumerate(levelled):
        by_position.setdefault(one.decision.column.position, []).append(place)
    made = []
    for position, places in by_position.items():
        ones = {place: levelled[place] for place in places}
        column = levelled[places[0]].decision.column
        coarser = _coarser(ones, hierarchies.get(position), tokens) if max(places) < searched else []
        if widths is not None and position in widths and hierarchies.get(position) is None and coarser:
            coarser = _intervals(places[0], levelled[places[0]], widths[position], tokens)
        whole = Generalization(None, None, {place: _of_value(known(one)) for place, one in ones.items()})
        left_out = Generalization(None, None, dict.fromkeys(places))
        encoded = min(places) < searched
        made.append(Column(column.name, column.type, column.binding, encoded, (whole, *coarser, left_out)))
    return made


def _of_value(attribute: Attribute) -> Attribute:
    (part,) = attribute.parts
    return Attribute(attribute.name, (dataclasses.replace(part, column="value"),))


def _coarser(
    ones: Mapping[int, Known], hierarchy: Hierarchy | None, tokens: tuple[str, ...]
) -> list[Generalization]:
    """The generalizations of a column of one attribute, or of a moment's date and time."""
    decision = next(iter(ones.values())).decision
    name, kind = decision.column.name, decision.column.type
    knowledge = {one.attribute.parts[0].knowledge: place for place, one in ones.items()}

    def generalization(written: str, cell: Sql, place: int) -> Generalization:
        published = Attribute(name, (Part(cell),))
        told = Attribute(ones[place].attribute.name, (Part(cell, tokens=tokens),))
        return Generalization(written, published, {**dict.fromkeys(ones), place: told})

    if len(knowledge) == len(ones) and set(knowledge) <= {"date", "time"} and "date" in knowledge:
        units = ("day", "month", "year") if "time" in knowledge else ("month", "year")
        return [
            generalization(unit, cell_of_moment(VALUE, kind, unit, name), knowledge["date"]) for unit in units
        ]
    if len(ones) > 1:
        return []
    (place,) = ones
    (way,) = knowledge
    if hierarchy is not None:
        return [
            generalization(
                f"level{level}",
                render("label_cell", column=VALUE, argument=level, table=hierarchy.table),
                place,
            )
            for level in range(1, hierarchy.height)
        ]
    if way in ("exact", "number") and is_number(kind):
        return [
            generalization(f"{width}", cell_of_number(VALUE, kind, width, name), place)
            for width in _widths(decision.distinct)
        ]
    if way == "exact" and kind == "DATE":
        return [
            generalization(unit, cell_of_moment(VALUE, kind, unit, name), place) for unit in ("month", "year")
        ]
    if way == "exact" and kind == "VARCHAR" and decision.distinct > 20:
        return [
            generalization(f"prefix{length}", cell_of_prefix(VALUE, length), place) for length in (3, 2, 1)
        ]
    return []


def _intervals(
    place: int, one: Known, widths: Sequence[float], tokens: tuple[str, ...]
) -> list[Generalization]:
    """The forms of a column of numbers in intervals of these widths."""
    column = one.decision.column
    cells = [cell_of_number(VALUE, column.type, width, column.name) for width in widths]
    return [
        Generalization(
            f"{width:g}" if width < 1e6 else f"{width:.0f}",
            Attribute(column.name, (Part(cell),)),
            {place: Attribute(one.attribute.name, (Part(cell, tokens=tokens),))},
        )
        for width, cell in zip(widths, cells, strict=True)
    ]


def widths_of(session: Session, source: Sql | str, decisions: Sequence[Decision]) -> dict[int, list[float]]:
    """Widths of intervals that cut the middle nine tenths of each column of numbers into 32, 16, 8, 4 and 2
    or so, each twice the one before, by the position of the column."""
    columns = [one.column for one in decisions if is_number(one.column.type)]
    if not columns:
        return {}
    rows = session.run("number_spans", source=source, columns=[one.binding for one in columns])
    found: dict[int, list[float]] = {}
    for column, row in zip(columns, rows, strict=True):
        least, span = (1e-9 if is_real(column.type) else 1.0), row["span"] or 0.0
        if not math.isfinite(span) or span <= least:
            continue
        first = _round(span / 32, least)
        widths = [first * 2**doubling for doubling in range(6)]
        kept = [width for width in widths if least < width < 2 * span]
        found[column.position] = [int(width) if width.is_integer() else width for width in kept]
    return found


def _round(width: float, least: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... that is as large."""
    width = max(width, least)
    power = 10.0 ** math.floor(math.log10(width) + 1e-9)
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))


def _widths(distinct: int) -> list[int]:
    """Widths of intervals, each twice the one before, for numbers of many values."""
    widths = [5 * 2**doubling for doubling in range(MOST_GENERALIZATIONS)]
    return [width for width in widths if width * 2 <= distinct]
