"""The search for columns whose texts are numbers or days written otherwise.

What the first records rule out is not looked at again; what is left is counted over all records, so that the
answer depends on the whole column alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.options.reading import COMPACT, COUNTED, DMY, MDY, TEXT, ColumnReadings
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import COLUMNS_PER_STATEMENT, Session
from duckrisk.engine.templates import Sql
from duckrisk.engine.types import has_date, is_small_integer
from duckrisk.source.day_forms import FORMS, ISO, DayForm, says_birth, says_day
from duckrisk.source.number_forms import DECIMAL_COMMA, PLAIN, THOUSANDS, NumberForm, possible_forms
from duckrisk.source.written import (
    Form,
    Found,
    Reading,
    cell_text,
    narrowed,
    parts_of,
    present_text,
    read_option,
    read_text,
)

#: Records that rule out most forms.
_FIRST = 50
#: What R and others write for a missing cell, in a column of numbers or days; where a person says which
#: texts mean a missing cell, these do and no other.
_NOT_THERE = "NA"
#: Where no text means a missing cell: cells are looked at without the blanks around them, so none is this.
_NO_CELL = " "
#: A cell that a treatment left out agrees with all values: no missing number.
_SUPPRESSED = "*"
#: Digits that numbers of 64 bits hold, whole ones and others.
_WHOLE_DIGITS, _DIGITS = 18, 17
#: Digits of equally long whole numbers in groups that are codes, such as telephone numbers.
_CODE_DIGITS = 7
#: Different days without separators that say by themselves what they are.
_MANY_DAYS = 12
#: Years by which leap days are read before it is known what two digits mean.
_ANY_PIVOT = 2068
#: Days as a spreadsheet counts them, from 1910 to 2099.
_COUNTED = (3_654, 73_050)
#: Columns whose least and greatest cells are looked for in one statement.
_TOGETHER = 500
#: Cells; columns of days with no more together are counted in one statement, which parses all of a text file.
_COUNTED_CELLS = 2_000_000
#: Share of the cells that are days where a column looks like days.
_MOSTLY = 0.5
#: The forms of days that read a column, with what was counted of each.
_Fitting = Sequence[tuple[DayForm | None, dict[str, Any]]]


@dataclass(frozen=True)
class _Candidate:
    """A form that a column may be written in."""

    position: int
    form: Form


def find(
    session: Session,
    relation: Sql,
    columns: Sequence[tuple[str, str]],
    names: Sequence[str],
    *,
    asked: ColumnReadings,
    known: Mapping[str, Reading],
    skipped: Iterable[int] = (),
    as_written: bool = False,
) -> Found:
    """Find the columns of a relation that hold numbers or days written otherwise.

    Args:
        session: Runs the statements.
        relation: The records.
        columns: What the engine calls the columns, and their types.
        names: Their true names.
        asked: What a person said of columns.
        known: How another source has columns of these names, in lower case.
        skipped: Positions of columns that are texts.
        as_written: Whether columns that nobody spoke of stay texts, but for declared texts of missing cells.
    """
    finder = _Finder(session, relation, columns, names, asked, known)
    if as_written:
        finder.plain = {p for p, name in enumerate(names) if name.casefold() not in asked.names}
    undeclared = finder.plain if session.resources.missing_tokens == TOKENS else set()
    return finder.find({*skipped, *undeclared})


class _Finder:
    """The search in one source."""

    def __init__(
        self,
        session: Session,
        relation: Sql,
        columns: Sequence[tuple[str, str]],
        names: Sequence[str],
        asked: ColumnReadings,
        known: Mapping[str, Reading],
    ) -> None:
        self.session, self.relation, self.columns, self.names = session, relation, columns, names
        self.asked, self.known = asked, known
        tokens = session.resources.missing_tokens
        usual = {_NOT_THERE, *tokens} - {_SUPPRESSED}
        self.missing = tuple(sorted(usual if tokens == TOKENS else tokens)) or (_NO_CELL,)
        self.found = Found()
        #: Positions of columns in which only plain numbers beside texts for missing cells are looked for.
        self.plain: set[int] = set()

    def find(self, skipped: set[int]) -> Found:
        texts = [
            position
            for position, (_, kind) in enumerate(self.columns)
            if (kind == "VARCHAR" or kind == "BIGINT" or is_small_integer(kind))
            and position not in skipped
            and self.asked.form(self.names[position]) != TEXT
        ]
        candidates = self._candidates(texts)
        numbers = self._numbers([c for c in candidates if isinstance(c.form, NumberForm)])
        days = self._days([c for c in candidates if not isinstance(c.form, NumberForm)], set(numbers))
        self.found.readings = [reading for _, reading in sorted((numbers | days).items())]
        return self.found

    # --- what the first records allow ---

    def _candidates(self, positions: Sequence[int]) -> list[_Candidate]:
        # All columns at once: a statement on a file with separated values parses and binds them all.
        cells = self._first(positions) if positions else {}
        # Of a column that a form may read, its least and greatest cells mostly show that it does not.
        open_to = [p for p in positions if not cells[p] or self._allowed(p, cells[p])]
        for start in range(0, len(open_to), _TOGETHER):
            ends = self._extremes(open_to[start : start + _TOGETHER])
            cells |= {position: [*cells[position], *texts] for position, texts in ends.items()}
        return [found for position in open_to for found in self._allowed(position, cells[position])]

    def _first(self, positions: Sequence[int]) -> dict[int, list[str]]:
        rows = self.session.run(
            "first_cells", source=self.relation, columns=self._called(positions), most=_FIRST
        )
        return self._texts(positions, rows)

    def _extremes(self, positions: Sequence[int]) -> dict[int, list[str]]:
        rows = self.session.run("extreme_cells", source=self.relation, columns=self._called(positions))
        return self._texts(positions, rows)

    def _texts(self, positions: Sequence[int], rows: Sequence[Any]) -> dict[int, list[str]]:
        columns = list(zip(*(row.values() for row in rows), strict=True)) or [()] * len(positions)
        return {position: self._plain(cells) for position, cells in zip(positions, columns, strict=True)}

    def _plain(self, cells: Sequence[Any]) -> list[str]:
        texts = {narrowed(str(cell)) for cell in cells if cell is not None}
        return sorted(texts.difference(self.missing))

    def _called(self, positions: Sequence[int]) -> list[str]:
        return [self.columns[position][0] for position in positions]

    def _allowed(self, position: int, texts: Sequence[str]) -> list[_Candidate]:
        name, text = self.names[position], self.columns[position][1] == "VARCHAR"
        if not texts:
            return []
        if position in self.plain:
            bare = [form for form in possible_forms(texts) if form.is_bare] if text else []
            return [_Candidate(position, form) for form in bare]
        if self.asked.form(name) == COUNTED or (not text and self._may_be_counted(name, texts)):
            return [_Candidate(position, None)]
        numbers = [_Candidate(position, form) for form in possible_forms(texts)] if text else []
        forms = (form for form in FORMS if text or form.order == COMPACT)
        named = says_day(name)
        days = [_Candidate(position, form) for form in forms if self._may_be_days(name, form, texts, named)]
        return [*numbers, *days]

    def _may_be_days(self, name: str, form: DayForm, texts: Sequence[str], named: bool) -> bool:
        order = self.asked.form(name)
        if order is not None and form.order != order:
            return False
        if named:  # most cells are enough to say what the others are not
            return sum(map(form.fits, texts)) > _MOSTLY * len(texts)
        # Versions and places in a store are written like days of short years.
        slashed = form.year == "two" and all("/" in text for text in texts)
        return (slashed or not form.is_short or order is not None) and all(map(form.fits, texts))

    def _may_be_counted(self, name: str, texts: Sequence[str]) -> bool:
        low, high = _COUNTED
        return says_day(name) and all(text.isdecimal() and low <= int(text) <= high for text in texts)

    # --- numbers ---

    def _numbers(self, candidates: Sequence[_Candidate]) -> dict[int, Reading]:
        counts: dict[int, dict[NumberForm, dict[str, Any]]] = {}
        bare = {True: list[_Candidate](), False: list[_Candidate]()}
        for candidate in candidates:
            assert isinstance(candidate.form, NumberForm)
            bare[candidate.form.is_bare].append(candidate)
        self._count_numbers(bare[True], counts)
        # Whole numbers without any sign are the same in all forms.
        whole = {p for p, forms in counts.items() if not any(row["fractions"] for row in forms.values())}
        self._count_numbers([c for c in bare[False] if c.position not in whole], counts)
        commas = self._writes_commas(counts.values())
        readings: dict[int, Reading] = {}
        for position, forms in counts.items():
            form = self._number_form(forms, commas)
            row = forms[form]
            kind = "DOUBLE" if row["fractions"] else "BIGINT"
            if self._is_number(form, row):
                readings[position] = self._reading(position, form, kind, row)
        return readings

    def _count_numbers(
        self, candidates: Sequence[_Candidate], counts: dict[int, dict[NumberForm, dict[str, Any]]]
    ) -> None:
        """Add to the counts of columns those of the forms that read all of their cells."""
        for candidate, row in zip(candidates, self._number_counts(candidates), strict=True):
            assert isinstance(candidate.form, NumberForm)
            if row["present"] and row["fitting"] == row["present"]:
                counts.setdefault(candidate.position, {})[candidate.form] = row

    def _number_counts(self, candidates: Sequence[_Candidate]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for start in range(0, len(candidates), COLUMNS_PER_STATEMENT):
            group = candidates[start : start + COLUMNS_PER_STATEMENT]
            called = self._called([candidate.position for candidate in group])
            forms = [c.form for c in group if isinstance(c.form, NumberForm)]
            row = self.session.fetch_row(
                "number_counts",
                source=self.relation,
                texts=[cell_text(column) for column in called],
                columns=called,
                numbers=[self._number(place, form) for place, form in enumerate(forms)],
                patterns=[form.pattern for form in forms],
                decimals=[form.style.decimal for form in forms],
                present=self._present(group),
            )
            rows += _split(row, len(group))
        return rows

    def _number(self, place: int, form: NumberForm) -> Sql:
        """Return the SQL of plain digits as a number; of other forms two writings may be one number."""
        text = Sql(f"v{place}")
        return read_text(text, text, form, "DOUBLE", None) if form.is_bare else Sql("NULL")

    def _present(self, group: Sequence[_Candidate]) -> list[Sql]:
        return [present_text(Sql(f"t{place}"), self.missing) for place in range(len(group))]

    def _writes_commas(self, columns: Iterable[Mapping[NumberForm, Mapping[str, Any]]]) -> bool:
        """Return whether some column can only be read with decimal commas, and none only with thousands."""
        sure = [next(iter(forms)).style for forms in columns if len(forms) == 1]
        return DECIMAL_COMMA in sure and THOUSANDS not in sure

    def _number_form(self, forms: Mapping[NumberForm, Mapping[str, Any]], commas: bool) -> NumberForm:
        """Return the form of a column that several can read: a sign before three digits, always and
        nowhere else, stands between thousands; in a plain number it is the decimal point."""
        by_style = {form.style: form for form in forms}
        first = next(iter(forms))
        if first.style is PLAIN:
            pointed = first.is_money or commas
            return by_style.get(DECIMAL_COMMA, first) if pointed and forms[first]["fractions"] else first
        return by_style.get(DECIMAL_COMMA, first) if commas else first

    def _is_number(self, form: NumberForm, row: Mapping[str, Any]) -> bool:
        """Return whether the cells are numbers that 64 bits hold, and no codes, lists or texts of a source
        that has types."""
        if row["longest"] > (_DIGITS if row["fractions"] else _WHOLE_DIGITS):
            return False
        if form.is_bare:
            return bool(row["marks"] or row["wide"]) and row["numbers"] == row["writings"]
        if form.unit or form.style is PLAIN:
            return True
        if row["fractions"]:
            return form.style.decimal != "," or bool(row["falling"])
        alike = row["shortest"] == row["longest"]
        return not alike or (
            form.style.key in ("thousands", "decimal_comma") and row["longest"] < _CODE_DIGITS
        )

    def _reading(self, position: int, form: Any, kind: str, row: Mapping[str, Any], **more: Any) -> Reading:
        marks = bool(row["marks"])
        return Reading(position, self.names[position], form, kind, self.missing, marks=marks, **more)

    # --- days ---

    def _days(self, candidates: Sequence[_Candidate], numbers: set[int]) -> dict[int, Reading]:
        fitting: dict[int, list[tuple[DayForm | None, dict[str, Any]]]] = {}
        candidates = [c for c in candidates if c.position not in numbers]
        for candidate, row in zip(candidates, self._day_counts(candidates), strict=True):
            form = _day(candidate)
            if self._is_day(candidate.position, form, row):
                fitting.setdefault(candidate.position, []).append((form, row))
            else:
                self._say_unread(candidate.position, form, row, fitting)
        order = self._usual_order(fitting.values())
        readings: dict[int, Reading] = {}
        for position, forms in fitting.items():
            form, row = self._day_form(position, forms, order)
            readings[position] = self._day_reading(position, form, row, len(_orders(forms)) > 1)
        return self._dated(readings, fitting)

    def _day_counts(self, candidates: Sequence[_Candidate]) -> list[dict[str, Any]]:
        """Count what each candidate reads; those of one form are counted together."""
        rows: dict[_Candidate, dict[str, Any]] = {}
        together = COLUMNS_PER_STATEMENT
        if len(candidates) > COLUMNS_PER_STATEMENT:
            records = self.session.fetch_row("count_unrestricted", source=self.relation)["records"]
            together = max(COLUMNS_PER_STATEMENT, min(_TOGETHER, _COUNTED_CELLS // max(1, records)))
        text, present = Sql("v"), present_text(Sql("t"), self.missing)
        for form in dict.fromkeys(map(_day, candidates)):
            alike = [candidate for candidate in candidates if candidate.form == form]
            for start in range(0, len(alike), together):
                group = alike[start : start + together]
                found = self.session.run(
                    "day_counts",
                    source=self.relation,
                    columns=self._called([candidate.position for candidate in group]),
                    text=cell_text("cell"),
                    present=present,
                    parts=parts_of(text, form),
                    day=read_text(text, Sql("p"), form, _kind(form), _ANY_PIVOT),
                    different=form is not None and (form.partial or form.order == COMPACT),
                )
                rows |= zip(group, found, strict=True)
        return [rows[candidate] for candidate in candidates]

    def _is_day(self, position: int, form: DayForm | None, row: Mapping[str, Any]) -> bool:
        """Return whether a form reads all cells, and reads them as days that they can be."""
        if not row["present"] or row["fitting"] < row["present"]:
            return False
        name = self.names[position]
        if form is None:
            return self.asked.form(name) == COUNTED
        if form.order == COMPACT:
            named = says_day(name) or self.asked.form(name) == COMPACT
            return bool(1850 <= row["first"] <= row["last"] <= 2100 and (named or row["days"] >= _MANY_DAYS))
        if form.partial and form.year == "four":  # years or months alone are no days
            return bool(row["longest"] > row["shortest"] and row["days"] == row["texts"])
        return not form.partial or bool(row["days"] == row["texts"])

    def _say_unread(
        self, position: int, form: DayForm | None, row: Mapping[str, Any], fitting: Mapping[int, Any]
    ) -> None:
        """Note a column that looks like days and is not read as such, once."""
        name = self.names[position]
        if form is None and row["fitting"] == row["present"] and 1910 <= row["first"] <= row["last"] <= 2099:
            note = Sentence("source.read.counted", name=Data(name), option=read_option(name, COUNTED))
        elif form is not None and says_day(name) and self._looks_like_days(form, row):
            note = Sentence("source.read.unread", name=Data(name))
        else:
            return
        if position not in fitting and note not in self.found.unread:
            self.found.unread.append(note)

    def _looks_like_days(self, form: DayForm, row: Mapping[str, Any]) -> bool:
        if form.order == ISO:  # years and months alone are no days
            return form.partial and bool(row["fitting"] and row["longest"] > row["shortest"])
        return bool(row["fitting"] > _MOSTLY * row["present"])

    def _usual_order(self, columns: Iterable[Sequence[tuple[DayForm | None, Any]]]) -> str | None:
        """Return the order of the numbers that some columns show, where all of these show the same."""
        shown = {orders.pop() for forms in columns if len(orders := _orders(forms)) == 1}
        return shown.pop() if len(shown) == 1 else None

    def _day_form(
        self, position: int, forms: _Fitting, order: str | None
    ) -> tuple[DayForm | None, dict[str, Any]]:
        """Return the form of a column that several read: that of another source, else that of other columns,
        else the first one."""
        known = self.known.get(self.names[position].casefold())
        if known is not None:
            for form, row in forms:
                if form == known.form:
                    return form, row
        year = forms[0][0].year if forms[0][0] is not None else None
        alike = [
            (form, row)
            for form, row in forms
            if form is not None and form.order == order and form.year == year
        ]
        return alike[0] if alike else forms[0]

    def _day_reading(
        self, position: int, form: DayForm | None, row: Mapping[str, Any], several: bool
    ) -> Reading:
        ambiguous = several and self.asked.form(self.names[position]) is None
        return self._reading(position, form, _kind(form), row, ambiguous=ambiguous)

    def _dated(
        self,
        readings: dict[int, Reading],
        fitting: Mapping[int, _Fitting],
    ) -> dict[int, Reading]:
        """Give the years of two digits their century; a column without one is text."""
        short = {p for p, r in readings.items() if isinstance(r.form, DayForm) and r.form.year == "two"}
        if not short:
            return readings
        last = self._last_year([forms[0][1] for p, forms in fitting.items() if p not in short])
        dated = dict(readings)
        for position in sorted(short):
            name = self.names[position]
            known = self.known.get(name.casefold())
            pivot = self.asked.pivot(name) or (known.pivot if known is not None else None)
            if pivot is None and says_birth(name):
                pivot = last
            if pivot is None:
                self.found.undated.append(name)
                del dated[position]
            else:
                dated[position] = replace(readings[position], pivot=pivot)
        return dated

    def _last_year(self, rows: Sequence[Mapping[str, Any]]) -> int | None:
        """Return the latest year of four digits in the source."""
        years = [int(row["last"]) for row in rows if row["last"] is not None and row["last"] < 2100]
        moments = [called for called, kind in self.columns if has_date(kind)]
        if moments:
            row = self.session.fetch_row("last_years", source=self.relation, columns=moments)
            years += [int(year) for year in row.values() if year is not None]
        return max(years, default=None)


def _day(candidate: _Candidate) -> DayForm | None:
    assert not isinstance(candidate.form, NumberForm)
    return candidate.form


def _kind(form: DayForm | None) -> str:
    return "DATE" if form is None else form.kind


def _orders(forms: Sequence[tuple[DayForm | None, Any]]) -> set[str]:
    """Return the orders of day, month and year by which a column can be read, none where months are names."""
    return {
        form.order for form, _ in forms if form is not None and not form.named and form.order in (DMY, MDY)
    }


def _split(row: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the figures of each candidate, whose names end with its number."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in row.items():
        bare = name.rstrip("0123456789")
        rows[int(name[len(bare) :])][bare] = value
    return rows
