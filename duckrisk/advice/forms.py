"""The forms in which a column can be published: as it is, coarser, or not at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from duckrisk.engine_types import is_number
from duckrisk.hierarchies import Hierarchy, cell_of_moment, cell_of_number, cell_of_prefix
from duckrisk.identifiability import Levelled
from duckrisk.templates import Attribute, Part, Sql, identifier, render

#: A column has no more coarser forms than these.
MOST_FORMS = 4
#: The column of the tables of different values.
VALUE = identifier("value")


@dataclass(frozen=True)
class Form:
    """A form of a column: how ``duckrisk anonymize --generalize`` writes it (None: as it is, or left out),
    the cell that a value becomes (None: itself), and what is known of it by each attribute of the column, by
    position; None is left out."""

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
    """A column's forms, from as it is to left out, each a union of classes of the one before; ``encoded``
    says that sets are made of its values."""

    name: str
    type: str
    binding: str
    encoded: bool
    forms: tuple[Form, ...]


def columns_of(
    levelled: Sequence[Levelled],
    searched: int,
    hierarchies: Mapping[int, Hierarchy],
    known: Callable[[Levelled], Attribute],
    tokens: tuple[str, ...],
) -> list[Column]:
    """The columns of these attributes, of which the first ``searched`` make sets and can become coarser: by
    the hierarchy of the column's position, where there is one. ``known`` says what an attacker knows of an
    attribute, and texts in ``tokens`` are missing cells, in what is published too."""
    by_position: dict[int, list[int]] = {}
    for place, one in enumerate(levelled):
        by_position.setdefault(one.decision.column.position, []).append(place)
    made = []
    for position, places in by_position.items():
        ones = {place: levelled[place] for place in places}
        column = levelled[places[0]].decision.column
        coarser = _coarser(ones, hierarchies.get(position), tokens) if max(places) < searched else []
        whole = Form(None, None, {place: _of_value(known(one)) for place, one in ones.items()})
        left_out = Form(None, None, dict.fromkeys(places))
        encoded = min(places) < searched
        made.append(Column(column.name, column.type, column.binding, encoded, (whole, *coarser, left_out)))
    return made


def _of_value(attribute: Attribute) -> Attribute:
    (part,) = attribute.parts
    return Attribute(attribute.name, (dataclasses.replace(part, column="value"),))


def _coarser(ones: dict[int, Levelled], hierarchy: Hierarchy | None, tokens: tuple[str, ...]) -> list[Form]:
    """The coarser forms of a column of one attribute, or of a moment's date and time."""
    decision = next(iter(ones.values())).decision
    name, kind = decision.column.name, decision.column.type
    knowledge = {one.attribute.parts[0].knowledge: place for place, one in ones.items()}

    def form(written: str, cell: Sql, place: int) -> Form:
        published = Attribute(name, (Part(cell),))
        told = Attribute(ones[place].attribute.name, (Part(cell, tokens=tokens),))
        return Form(written, published, {**dict.fromkeys(ones), place: told})

    if len(knowledge) == len(ones) and set(knowledge) <= {"date", "time"} and "date" in knowledge:
        units = ("day", "month", "year") if "time" in knowledge else ("month", "year")
        return [form(unit, cell_of_moment(VALUE, kind, unit, name), knowledge["date"]) for unit in units]
    if len(ones) > 1:
        return []
    (place,) = ones
    (way,) = knowledge
    if hierarchy is not None:
        return [
            form(
                f"level{level}",
                render("label_cell", column=VALUE, argument=level, table=hierarchy.table),
                place,
            )
            for level in range(1, hierarchy.height)
        ]
    if way in ("exact", "number") and is_number(kind):
        return [
            form(f"{width}", cell_of_number(VALUE, kind, width, name), place)
            for width in _widths(decision.distinct)
        ]
    if way == "exact" and kind == "DATE":
        return [form(unit, cell_of_moment(VALUE, kind, unit, name), place) for unit in ("month", "year")]
    if way == "exact" and kind == "VARCHAR" and decision.distinct > 20:
        return [form(f"prefix{length}", cell_of_prefix(VALUE, length), place) for length in (3, 2, 1)]
    return []


def _widths(distinct: int) -> list[int]:
    """Widths of intervals, each twice the one before, for numbers of many values."""
    widths = [5 * 2**doubling for doubling in range(MOST_FORMS)]
    return [width for width in widths if width * 2 <= distinct]
