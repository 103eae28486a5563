"""The forms in which a column can be published, and the treatments that are made of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.attribute import is_number
from duckrisk.hierarchies import Hierarchy
from duckrisk.identifiability import Levelled
from duckrisk.templates import Attribute, Part

#: A column has no more coarser forms than these.
MOST_FORMS = 4


@dataclass(frozen=True)
class Form:
    """A form of a column: how ``duckrisk anonymize --generalize`` writes it (None: as it is, or left out),
    and what becomes of each attribute that is known of it, by position; None is left out."""

    written: str | None
    attributes: dict[int, Attribute | None]

    @property
    def dropped(self) -> bool:
        return all(attribute is None for attribute in self.attributes.values())


@dataclass(frozen=True)
class Column:
    """A column's forms, from as it is to left out; each is a union of classes of the one before."""

    name: str
    forms: tuple[Form, ...]


#: The number of each column's form.
Treatment = tuple[int, ...]


def columns(
    levelled: Sequence[Levelled], searched: int, hierarchies: Mapping[int, Hierarchy]
) -> list[Column]:
    """The columns of these attributes, of which the first ``searched`` can be coarsened: by the hierarchy of
    the column's position, where there is one."""
    by_position: dict[int, list[int]] = {}
    for place, one in enumerate(levelled):
        by_position.setdefault(one.decision.column.position, []).append(place)
    made = []
    for places in by_position.values():
        ones = {place: levelled[place] for place in places}
        own = hierarchies.get(levelled[places[0]].decision.column.position)
        coarser = _coarser(ones, own) if max(places) < searched else []
        whole = Form(None, {place: one.attribute for place, one in ones.items()})
        left_out = Form(None, dict.fromkeys(places))
        made.append(Column(levelled[places[0]].decision.column.name, (whole, *coarser, left_out)))
    return made


def options(of: Sequence[Column], treatment: Treatment) -> list[str]:
    """The options of ``duckrisk anonymize`` that make a treatment."""
    made: list[str] = []
    for column, number in zip(of, treatment, strict=True):
        form = column.forms[number]
        if form.dropped:
            made += ["--drop", column.name]
        elif form.written is not None:
            made += ["--generalize", f"{column.name}={form.written}"]
    return made


def _coarser(ones: dict[int, Levelled], hierarchy: Hierarchy | None) -> list[Form]:
    """The coarser forms of a column of one attribute, or of a moment's date and time."""
    decision = next(iter(ones.values())).decision
    parts = {place: one.attribute.parts[0] for place, one in ones.items()}
    known = {part.knowledge: place for place, part in parts.items()}
    if len(known) == len(parts) and set(known) <= {"date", "time"} and "date" in known:
        place = known["date"]
        day = [Form("day", {place: ones[place].attribute, known["time"]: None})] if "time" in known else []
        return day + [
            Form(moment, dict.fromkeys(ones) | {place: _changed(ones[place], parts[place], moment)})
            for moment in ("month", "year")
        ]
    if len(ones) > 1:
        return []
    ((place, one),) = ones.items()
    part = parts[place]
    if hierarchy is not None:
        return [
            Form(f"level{level}", {place: _changed(one, part, "label_cell", level, hierarchy.table)})
            for level in range(1, hierarchy.height)
        ]
    forms: list[tuple[str, str, float | None]]
    if part.knowledge in ("exact", "number") and is_number(decision.column.type):
        forms = [(f"{width}", "band", width) for width in _widths(decision.distinct)]
    elif part.knowledge == "exact" and decision.column.type == "DATE":
        forms = [(moment, moment, None) for moment in ("month", "year")]
    elif part.knowledge == "exact" and decision.column.type == "VARCHAR" and decision.distinct > 20:
        forms = [(f"prefix{length}", "prefix_cell", length) for length in (3, 2, 1)]
    else:
        return []
    return [
        Form(written, {place: _changed(one, part, knowledge, argument)})
        for written, knowledge, argument in forms
    ]


def _changed(
    one: Levelled, part: Part, knowledge: str, argument: float | None = None, table: str | None = None
) -> Attribute:
    changed = dataclasses.replace(part, knowledge=knowledge, argument=argument, table=table)
    return Attribute(one.attribute.name, (changed,))


def _widths(distinct: int) -> list[int]:
    """Widths of bands, each twice the one before, for numbers of many values."""
    widths = [5 * 2**doubling for doubling in range(MOST_FORMS)]
    return [width for width in widths if width * 2 <= distinct]
