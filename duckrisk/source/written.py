"""Columns whose texts are numbers or days written otherwise: read as what they are, and said.

Two spellings of one number or day are one value, as they are in a file that writes them as the engine reads
them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from duckrisk.base.options.reading import COUNTED, DMY, MDY
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.views import BLOCK_COLUMNS
from duckrisk.source.day_forms import MONTHS, DayForm
from duckrisk.source.number_forms import NumberForm

#: Signs of full width, blanks that do not break, and others that stand for one of ASCII.
_WIDE = "０１２３４５６７８９．，％－＋：／（）　\u00a0\u202f\u2009\u2212\u2019￥ＭＴＳＨＲｍｔｓｈｒ＄"
_NARROW = "0123456789.,%-+:/()    -'¥MTSHRmtshr$"
_NARROWED = str.maketrans(_WIDE, _NARROW)
#: How a column is written: None where a spreadsheet counts its days.
Form = NumberForm | DayForm | None


@dataclass(frozen=True)
class Reading:
    """How the cells of a column are read: the ``form``, the type, and what is to be said of it.

    ``pivot`` is the last year that two digits can mean, ``ambiguous`` says that another order reads all cells
    as well, and ``marks`` that there are texts for missing cells.
    """

    position: int
    name: str
    form: Form
    kind: str
    missing: tuple[str, ...]
    pivot: int | None = None
    ambiguous: bool = False
    marks: bool = False

    def cell(self, column: str) -> Sql:
        """Return the SQL of a cell of a column of that name."""
        return read_cell(column, self.form, self.kind, self.missing, self.pivot)

    def released_cell(self, column: str) -> Sql:
        """Return the SQL of a cell of a release: as :meth:`cell` where it is written as the column is, else
        missing."""
        if not isinstance(self.form, NumberForm):
            return self.cell(column)
        text = cell_text(column)
        return render("matching_cell", text=text, pattern=self.form.pattern, cell=self.cell(column))


@dataclass
class Found:
    """What was found of the columns of a source: readings, columns of days without a century, and notes on
    what looks like days and cannot be read."""

    readings: list[Reading] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    unread: list[Sentence] = field(default_factory=list)


def apply(relation: Sql, called: Sequence[str], readings: Sequence[Reading]) -> Sql:
    """Return a relation whose columns are ``called`` so with columns read as numbers and days.

    Each step is a query of its own: an expression that stands in several places is computed in each of them,
    and planned: the time for that rises with the square of the columns.
    """
    columns = [(called[r.position], identifier(called[r.position]), r) for r in readings]
    steps = (
        [(name, cell_text(name)) for name, _, _ in columns],
        [(name, present_text(cell, r.missing)) for name, cell, r in columns],
        [(name, parts_of(cell, r.form)) for name, cell, r in columns if isinstance(r.form, DayForm)],
        [(name, read_text(cell, cell, r.form, r.kind, r.pivot)) for name, cell, r in columns],
    )
    for step in filter(None, steps):
        cells = dict(step)
        if len(cells) > BLOCK_COLUMNS:
            every = [Attribute(name, (Part(cells.get(name, name)),)) for name in called]
            relation = render("computed", source=relation, attributes=every)
        else:
            replaced = [Attribute(name, (Part(cell),)) for name, cell in step]
            relation = render("replaced", source=relation, attributes=replaced)
    return relation


def cell_text(column: str) -> Sql:
    """Return the SQL of a cell without blanks around it, its signs those of ASCII."""
    return render("cell_text", column=column, wide=_WIDE, narrow=_NARROW)


def read_cell(column: str, form: Form, kind: str, missing: Sequence[str], pivot: int | None) -> Sql:
    """Return the SQL of a cell of a column that is written in a form, as a value of a type."""
    text = present_text(cell_text(column), missing)
    return read_text(text, parts_of(text, form), form, kind, pivot)


def present_text(text: Sql, missing: Sequence[str]) -> Sql:
    """Return the SQL of a text that :func:`cell_text` gives, NULL where it means a missing cell."""
    return render("present_text", text=text, missing=list(missing))


def parts_of(text: Sql, form: Form) -> Sql:
    """Return the SQL of the parts of a text that is a day, NULL for other forms."""
    if not isinstance(form, DayForm):
        return Sql("NULL")
    return render("day_parts", text=text, pattern=form.engine_pattern, names=list(form.names))


def read_text(text: Sql, parts: Sql, form: Form, kind: str, pivot: int | None) -> Sql:
    """Return the SQL of a text that :func:`present_text` gives, with its parts, as a value of a type."""
    if form is None:
        return render("counted_day_cell", text=text)
    if isinstance(form, NumberForm):
        decimal = None if form.is_bare else form.style.decimal
        return render("number_cell", text=text, kind=Sql(kind), decimal=decimal, dropped=form.dropped)
    return render(
        "day_cell",
        kind=Sql(kind),
        parts=parts,
        year=form.year,
        pivot=pivot,
        partial=form.partial,
        months=list(MONTHS) if form.named else None,
        clock=form.clock,
        zone="z" in form.names,
    )


def narrowed(text: str) -> str:
    """Return a text without blanks around it, its signs those of ASCII."""
    return text.strip().translate(_NARROWED).strip()


# --- what is said --------------------------------------------------------------------------------


def notes(found: Found) -> list[Sentence]:
    """Return what is to be said of the columns that were read otherwise."""
    said: list[Sentence] = []
    for how, readings in _grouped(found.readings).items():
        names = join_texts(Sentence("roles.quoted", name=Data(reading.name)) for reading in readings)
        said.append(_said(how, names))
    for reading in found.readings:
        if reading.ambiguous and isinstance(reading.form, DayForm):
            other = MDY if reading.form.order == DMY else DMY
            said.append(
                Sentence(
                    "source.read.ambiguous",
                    name=Data(reading.name),
                    order=_order(reading.form.order),
                    option=read_option(reading.name, other),
                )
            )
    if marked := [reading.name for reading in found.readings if reading.marks]:
        names = join_texts(Sentence("roles.quoted", name=Data(name)) for name in marked)
        said.append(Sentence("source.read.marks", names=names))
    said += [undated(name) for name in found.undated]
    return [*said, *found.unread]


def undated(name: str) -> Sentence:
    """Return the question of which century the years of a column are."""
    return Sentence("source.read.century", name=Data(name), option=read_option(name, "YEAR"))


_How = tuple[str, str, int | None]


def _grouped(readings: Iterable[Reading]) -> dict[_How, list[Reading]]:
    grouped: dict[_How, list[Reading]] = {}
    for reading in readings:
        form = reading.form
        if isinstance(form, NumberForm) and form.is_bare and reading.marks:
            continue  # what is said of the missing cells says it
        if form is None:
            how: _How = ("counted_days", "", None)
        elif isinstance(form, NumberForm):
            how = (f"numbers.{form.style.key}", form.unit, None)
        else:
            how = ("partial" if form.partial else "days", form.order, reading.pivot)
        grouped.setdefault(how, []).append(reading)
    return grouped


def _said(how: _How, names: Text) -> Sentence:
    kind, detail, pivot = how
    if kind.startswith("numbers."):
        unit = Sentence("source.read.unit", unit=Data(detail)) if detail else ""
        style = Sentence(f"source.read.{kind}")
        return Sentence("source.read.numbers", names=names, style=style, unit=unit)
    if pivot is None:
        order = {"order": _order(detail)} if detail else {}
        return Sentence(f"source.read.{kind}", names=names, **order)
    years = {"first": f"{pivot - 99}", "last": f"{pivot}"}
    return Sentence("source.read.years", names=names, order=_order(detail), **years)


def _order(order: str) -> Sentence:
    return Sentence(f"source.read.order.{re.sub(r'[-/ ]', '_', order)}")


def spelled_out(reading: Reading) -> list[str]:
    """Return what ``--read`` has to be given to read a column of days the same way anywhere."""
    form = reading.form
    if not isinstance(form, DayForm):
        return [f"{reading.name}={COUNTED}"] if form is None else []
    ordered = (form.order in (DMY, MDY) or form.year == "two") and not form.named
    order = [f"{reading.name}={form.order}"] if ordered else []
    return [*order, *([f"{reading.name}={reading.pivot}"] if reading.pivot is not None else [])]


def read_option(name: str, form: str) -> Text:
    """Return the option that says how a column is written."""
    return Data(f"--read {shlex.quote(f'{name}={form}')}")
