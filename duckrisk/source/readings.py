"""Reads columns of texts as the numbers or days that they are, and describes how.

Two spellings of one number or day become one value, as in a file with the numbers and days of the engine.
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

#: Full-width characters, non-breaking blanks and others, with their ASCII characters below.
_WIDE = "０１２３４５６７８９．，％－＋：／（）　\u00a0\u202f\u2009\u2212\u2019￥ＭＴＳＨＲｍｔｓｈｒ＄"
_NARROW = "0123456789.,%-+:/()    -'¥MTSHRmtshr$"
_NARROWED = str.maketrans(_WIDE, _NARROW)
#: The form of a column; None for days that a spreadsheet stores as numbers.
Form = NumberForm | DayForm | None


@dataclass(frozen=True)
class Reading:
    """How the texts of a column are read.

    Attributes:
        position: Index of the column in the source, from 0.
        name: True name of the column.
        form: The form of its texts.
        kind: Type that they are read as.
        missing: Texts that mean a missing value.
        pivot: Last year that two digits can mean; None if years have four digits.
        is_ambiguous: Whether another order of day and month reads all texts, too.
        has_marks: Whether the column has texts that mean a missing value.
    """

    position: int
    name: str
    form: Form
    kind: str
    missing: tuple[str, ...]
    pivot: int | None = None
    is_ambiguous: bool = False
    has_marks: bool = False

    def render(self, column: str) -> Sql:
        """Render a value of a column of that name."""
        return _render_cell(column, self.form, self.kind, self.missing, self.pivot)

    def render_released(self, column: str) -> Sql:
        """Render a value of a release: as :meth:`render` if it has the form, else missing."""
        if not isinstance(self.form, NumberForm):
            return self.render(column)
        text = render_trimmed(column)
        return render("matching_cell", text=text, pattern=self.form.pattern, cell=self.render(column))


@dataclass
class TextReadings:
    """The columns of texts in a source that are numbers or days.

    Attributes:
        readings: How columns are read.
        undated: Names of columns of days whose century is unknown.
        unread: Notes on columns that look like days and cannot be read.
    """

    readings: list[Reading] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    unread: list[Sentence] = field(default_factory=list)


def apply_readings(relation: Sql, called: Sequence[str], readings: Sequence[Reading]) -> Sql:
    """Read columns of a relation as numbers and days.

    Each step is a query: a repeated expression would be computed and planned repeatedly, and the time to plan
    grows with the square of the columns.

    Args:
        relation: The records.
        called: The names of all columns.
        readings: How columns are read.

    Returns:
        The relation with the same column names.
    """
    columns = [(called[r.position], identifier(called[r.position]), r) for r in readings]
    steps = (
        [(name, render_trimmed(name)) for name, _, _ in columns],
        [(name, render_present(cell, r.missing)) for name, cell, r in columns],
        [(name, render_day_parts(cell, r.form)) for name, cell, r in columns if isinstance(r.form, DayForm)],
        [(name, render_value(cell, cell, r.form, r.kind, r.pivot)) for name, cell, r in columns],
    )
    for step in filter(None, steps):
        cells = dict(step)
        if len(cells) > BLOCK_COLUMNS:
            columns_read = [Attribute(name, (Part(cells.get(name, name)),)) for name in called]
            relation = render("computed", source=relation, attributes=columns_read)
        else:
            replaced = [Attribute(name, (Part(cell),)) for name, cell in step]
            relation = render("replaced", source=relation, attributes=replaced)
    return relation


def render_trimmed(column: str) -> Sql:
    """Render a text without surrounding blanks, with ASCII characters."""
    return render("cell_text", column=column, wide=_WIDE, narrow=_NARROW)


def _render_cell(column: str, form: Form, kind: str, missing: Sequence[str], pivot: int | None) -> Sql:
    """Render a value of a column with a form."""
    text = render_present(render_trimmed(column), missing)
    return render_value(text, render_day_parts(text, form), form, kind, pivot)


def render_present(text: Sql, missing: Sequence[str]) -> Sql:
    """Render a text of :func:`render_trimmed`, NULL if it means a missing value."""
    return render("present_text", text=text, missing=list(missing))


def render_day_parts(text: Sql, form: Form) -> Sql:
    """Render the parts of a day, NULL for other forms."""
    if not isinstance(form, DayForm):
        return Sql("NULL")
    return render("day_parts", text=text, pattern=form.engine_pattern, names=list(form.names))


def render_value(text: Sql, parts: Sql, form: Form, kind: str, pivot: int | None) -> Sql:
    """Render the value of a text.

    Args:
        text: The text, as :func:`render_present` gives it.
        parts: Its parts, as :func:`render_day_parts` gives them.
        form: The form of the text.
        kind: Type of the value.
        pivot: Last year that two digits can mean.
    """
    if form is None:
        return render("counted_day_cell", text=text)
    if isinstance(form, NumberForm):
        decimal = None if form.is_bare else form.style.decimal
        return render("number_cell", text=text, kind=Sql(kind), decimal=decimal, dropped=form.removed_pattern)
    return render(
        "day_cell",
        kind=Sql(kind),
        parts=parts,
        year=form.year,
        pivot=pivot,
        partial=form.is_partial,
        months=list(MONTHS) if form.has_month_names else None,
        clock=form.has_clock,
        zone="z" in form.names,
    )


def narrow_text(text: str) -> str:
    """Return a text without surrounding blanks, with ASCII characters."""
    return text.strip().translate(_NARROWED).strip()


# --- notes ---------------------------------------------------------------------------------------


def describe_readings(result: TextReadings) -> list[Sentence]:
    """Return notes on columns that are read as numbers or days, or cannot be."""
    notes: list[Sentence] = []
    for style, readings in _group_by_form(result.readings).items():
        names = join_texts(Sentence("roles.quoted", name=Data(reading.name)) for reading in readings)
        notes.append(_describe_form(style, names))
    for reading in result.readings:
        if reading.is_ambiguous and isinstance(reading.form, DayForm):
            other = MDY if reading.form.order == DMY else DMY
            notes.append(
                Sentence(
                    "source.read.ambiguous",
                    name=Data(reading.name),
                    order=_order_sentence(reading.form.order),
                    option=format_read_option(reading.name, other),
                )
            )
    if marked := [reading.name for reading in result.readings if reading.has_marks]:
        names = join_texts(Sentence("roles.quoted", name=Data(name)) for name in marked)
        notes.append(Sentence("source.read.marks", names=names))
    notes += [ask_century(name) for name in result.undated]
    return [*notes, *result.unread]


def ask_century(name: str) -> Sentence:
    """Return the question about the century of a column's years."""
    return Sentence("source.read.century", name=Data(name), option=format_read_option(name, "YEAR"))


_FormKey = tuple[str, str, int | None]


def _group_by_form(readings: Iterable[Reading]) -> dict[_FormKey, list[Reading]]:
    grouped: dict[_FormKey, list[Reading]] = {}
    for reading in readings:
        form = reading.form
        if isinstance(form, NumberForm) and form.is_bare and reading.has_marks:
            continue  # the note on missing values covers it
        if form is None:
            key: _FormKey = ("counted_days", "", None)
        elif isinstance(form, NumberForm):
            key = (f"numbers.{form.style.key}", form.unit, None)
        else:
            key = ("partial" if form.is_partial else "days", form.order, reading.pivot)
        grouped.setdefault(key, []).append(reading)
    return grouped


def _describe_form(key: _FormKey, names: Text) -> Sentence:
    kind, detail, pivot = key
    if kind.startswith("numbers."):
        unit = Sentence("source.read.unit", unit=Data(detail)) if detail else ""
        style = Sentence(f"source.read.{kind}")
        return Sentence("source.read.numbers", names=names, style=style, unit=unit)
    if pivot is None:
        order = {"order": _order_sentence(detail)} if detail else {}
        return Sentence(f"source.read.{kind}", names=names, **order)
    years = {"first": f"{pivot - 99}", "last": f"{pivot}"}
    return Sentence("source.read.years", names=names, order=_order_sentence(detail), **years)


def _order_sentence(order: str) -> Sentence:
    return Sentence(f"source.read.order.{re.sub(r'[-/ ]', '_', order)}")


def list_read_options(reading: Reading) -> list[str]:
    """Return the values of ``--read`` that read a column the same way anywhere."""
    form = reading.form
    if not isinstance(form, DayForm):
        return [f"{reading.name}={COUNTED}"] if form is None else []
    ordered = (form.order in (DMY, MDY) or form.year == "two") and not form.has_month_names
    order = [f"{reading.name}={form.order}"] if ordered else []
    return [*order, *([f"{reading.name}={reading.pivot}"] if reading.pivot is not None else [])]


def format_read_option(name: str, form: str) -> Text:
    """Return the option ``--read`` for a form of a column."""
    return Data(f"--read {shlex.quote(f'{name}={form}')}")
