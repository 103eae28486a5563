"""Finds columns whose texts are numbers or days in forms that the engine does not read.

The first records rule out most forms of a column. The others are counted over all records, so that the answer
depends only on the whole column.
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
from duckrisk.source.day_forms import FORMS, ISO, DayForm, is_birth_name, is_day_name
from duckrisk.source.number_forms import DECIMAL_COMMA, PLAIN, THOUSANDS, NumberForm, list_forms
from duckrisk.source.readings import (
    Form,
    Reading,
    TextReadings,
    format_read_option,
    narrow_text,
    render_day_parts,
    render_present,
    render_trimmed,
    render_value,
)

#: Records that rule out most forms (a choice: a statement on so few takes no time).
_FIRST_RECORDS = 50
#: Text of R and others for a missing number or day; unused if a person gives the missing tokens.
_MISSING_TEXT = "NA"
#: Stands for missing texts if there are none: no text equals it without surrounding blanks.
_IMPOSSIBLE_TEXT = " "
#: A suppressed value, which is no missing number: it agrees with all values.
_SUPPRESSED = "*"
#: Digits of whole and of other numbers of 64 bits (derived: 2^63 has 19 digits, a DOUBLE keeps 17).
_MAX_WHOLE_DIGITS, _MAX_DIGITS = 18, 17
#: Digits from which grouped numbers of equal length are codes, such as telephone numbers (a choice).
_MIN_CODE_DIGITS = 7
#: Distinct days from which texts without separators are days by themselves (a choice: codes rarely are).
_MIN_DISTINCT_DAYS = 12
#: Year; reads years of two digits until their century is known (a choice: only leap days depend on it).
_ANY_PIVOT = 2068
#: Days that a spreadsheet stores as numbers, from 1910 to 2099.
_SPREADSHEET_DAYS = (3_654, 73_050)
#: Columns of a statement, which parses all of a text file (a choice: as in dialect.py).
_BATCH_COLUMNS = 500
#: Values; columns of days with at most as many are counted in one statement (a choice: they fit into memory).
_BATCH_VALUES = 2_000_000
#: Share of days from which a column looks like days (a choice: most values).
_MIN_SHARE_OF_DAYS = 0.5
#: The forms of days that read a column, with the counts of each.
_Fitting = Sequence[tuple[DayForm | None, dict[str, Any]]]


@dataclass(frozen=True)
class _Candidate:
    """A possible form of a column."""

    position: int
    form: Form


def find_readings(
    session: Session,
    relation: Sql,
    columns: Sequence[tuple[str, str]],
    names: Sequence[str],
    *,
    requested: ColumnReadings,
    known: Mapping[str, Reading],
    skipped: Iterable[int] = (),
    keep_texts: bool = False,
) -> TextReadings:
    """Find the columns of texts that are numbers or days.

    Args:
        session: Runs the statements.
        relation: The records.
        columns: Their names in the engine, and types.
        names: True names of the columns.
        requested: Forms that a person gives for columns.
        known: How another source reads its columns, by name in lower case.
        skipped: Positions of columns that stay texts.
        keep_texts: Whether columns without a requested form stay texts. Given missing tokens are still read
            in columns of plain numbers.
    """
    finder = _Finder(session, relation, columns, names, requested, known)
    if keep_texts:
        finder.kept_texts = {p for p, name in enumerate(names) if name.casefold() not in requested.names}
    undeclared = finder.kept_texts if session.resources.missing_tokens == TOKENS else set()
    return finder.run({*skipped, *undeclared})


class _Finder:
    """The search in one source.

    Attributes:
        result: What was found so far.
        kept_texts: Positions of columns in which only plain numbers with missing texts are read.
    """

    def __init__(
        self,
        session: Session,
        relation: Sql,
        columns: Sequence[tuple[str, str]],
        names: Sequence[str],
        requested: ColumnReadings,
        known: Mapping[str, Reading],
    ) -> None:
        self.session, self.relation, self.columns, self.names = session, relation, columns, names
        self.requested, self.known = requested, known
        tokens = session.resources.missing_tokens
        usual = {_MISSING_TEXT, *tokens} - {_SUPPRESSED}
        self.missing = tuple(sorted(usual if tokens == TOKENS else tokens)) or (_IMPOSSIBLE_TEXT,)
        self.result = TextReadings()
        self.kept_texts: set[int] = set()

    def run(self, skipped: set[int]) -> TextReadings:
        """Search all columns but the skipped ones."""
        texts = [
            position
            for position, (_, kind) in enumerate(self.columns)
            if (kind == "VARCHAR" or kind == "BIGINT" or is_small_integer(kind))
            and position not in skipped
            and self.requested.form(self.names[position]) != TEXT
        ]
        candidates = self._list_candidates(texts)
        numbers = self._find_numbers([c for c in candidates if isinstance(c.form, NumberForm)])
        days = self._find_days([c for c in candidates if not isinstance(c.form, NumberForm)], set(numbers))
        self.result.readings = [reading for _, reading in sorted((numbers | days).items())]
        return self.result

    # --- possible forms ---

    def _list_candidates(self, positions: Sequence[int]) -> list[_Candidate]:
        # All columns at once: each statement on a CSV file parses and binds all of them.
        values = self._fetch_first(positions) if positions else {}
        # The least and the greatest value of a column rule out most of its possible forms.
        open_to = [p for p in positions if not values[p] or self._list_forms(p, values[p])]
        for start in range(0, len(open_to), _BATCH_COLUMNS):
            ends = self._fetch_extremes(open_to[start : start + _BATCH_COLUMNS])
            values |= {position: [*values[position], *texts] for position, texts in ends.items()}
        return [form for position in open_to for form in self._list_forms(position, values[position])]

    def _fetch_first(self, positions: Sequence[int]) -> dict[int, list[str]]:
        rows = self.session.run(
            "first_values", source=self.relation, columns=self._list_columns(positions), most=_FIRST_RECORDS
        )
        return self._collect_texts(positions, rows)

    def _fetch_extremes(self, positions: Sequence[int]) -> dict[int, list[str]]:
        rows = self.session.run("extreme_values", source=self.relation, columns=self._list_columns(positions))
        return self._collect_texts(positions, rows)

    def _collect_texts(self, positions: Sequence[int], rows: Sequence[Any]) -> dict[int, list[str]]:
        columns = list(zip(*(row.values() for row in rows), strict=True)) or [()] * len(positions)
        return {
            position: self._normalize(values) for position, values in zip(positions, columns, strict=True)
        }

    def _normalize(self, values: Sequence[Any]) -> list[str]:
        texts = {narrow_text(str(value)) for value in values if value is not None}
        return sorted(texts.difference(self.missing))

    def _list_columns(self, positions: Sequence[int]) -> list[str]:
        return [self.columns[position][0] for position in positions]

    def _list_forms(self, position: int, texts: Sequence[str]) -> list[_Candidate]:
        name, text = self.names[position], self.columns[position][1] == "VARCHAR"
        if not texts:
            return []
        if position in self.kept_texts:
            bare = [form for form in list_forms(texts) if form.is_bare] if text else []
            return [_Candidate(position, form) for form in bare]
        if self.requested.form(name) == COUNTED or (not text and self._may_be_counted(name, texts)):
            return [_Candidate(position, None)]
        numbers = [_Candidate(position, form) for form in list_forms(texts)] if text else []
        forms = (form for form in FORMS if text or form.order == COMPACT)
        named = is_day_name(name)
        days = [_Candidate(position, form) for form in forms if self._may_be_days(name, form, texts, named)]
        return [*numbers, *days]

    def _may_be_days(self, name: str, form: DayForm, texts: Sequence[str], named: bool) -> bool:
        order = self.requested.form(name)
        if order is not None and form.order != order:
            return False
        if named:  # most values suffice for a note on the others
            return sum(map(form.matches, texts)) > _MIN_SHARE_OF_DAYS * len(texts)
        # Versions and shelf marks look like days with years of two digits.
        slashed = form.year == "two" and all("/" in text for text in texts)
        return (slashed or not form.is_short or order is not None) and all(map(form.matches, texts))

    def _may_be_counted(self, name: str, texts: Sequence[str]) -> bool:
        low, high = _SPREADSHEET_DAYS
        return is_day_name(name) and all(text.isdecimal() and low <= int(text) <= high for text in texts)

    # --- numbers ---

    def _find_numbers(self, candidates: Sequence[_Candidate]) -> dict[int, Reading]:
        counts: dict[int, dict[NumberForm, dict[str, Any]]] = {}
        bare = {True: list[_Candidate](), False: list[_Candidate]()}
        for candidate in candidates:
            assert isinstance(candidate.form, NumberForm)
            bare[candidate.form.is_bare].append(candidate)
        self._add_fitting(bare[True], counts)
        # Whole numbers without separators are the same in all forms.
        whole = {p for p, forms in counts.items() if not any(row["fractions"] for row in forms.values())}
        self._add_fitting([c for c in bare[False] if c.position not in whole], counts)
        commas = self._has_decimal_commas(counts.values())
        readings: dict[int, Reading] = {}
        for position, forms in counts.items():
            form = self._choose_number_form(forms, commas)
            row = forms[form]
            kind = "DOUBLE" if row["fractions"] else "BIGINT"
            if self._is_number(form, row):
                readings[position] = self._make_reading(position, form, kind, row)
        return readings

    def _add_fitting(
        self, candidates: Sequence[_Candidate], counts: dict[int, dict[NumberForm, dict[str, Any]]]
    ) -> None:
        """Add the counts of candidates that read all values of their column."""
        for candidate, row in zip(candidates, self._count_number_forms(candidates), strict=True):
            assert isinstance(candidate.form, NumberForm)
            if row["present"] and row["fitting"] == row["present"]:
                counts.setdefault(candidate.position, {})[candidate.form] = row

    def _count_number_forms(self, candidates: Sequence[_Candidate]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for start in range(0, len(candidates), COLUMNS_PER_STATEMENT):
            group = candidates[start : start + COLUMNS_PER_STATEMENT]
            columns = self._list_columns([candidate.position for candidate in group])
            forms = [c.form for c in group if isinstance(c.form, NumberForm)]
            row = self.session.fetch_row(
                "number_counts",
                source=self.relation,
                texts=[render_trimmed(column) for column in columns],
                columns=columns,
                numbers=[self._render_number(index, form) for index, form in enumerate(forms)],
                patterns=[form.pattern for form in forms],
                decimals=[form.style.decimal for form in forms],
                present=self._render_present(group),
            )
            rows += _split(row, len(group))
        return rows

    def _render_number(self, index: int, form: NumberForm) -> Sql:
        """Render plain digits as a number; NULL for forms with spellings of one number."""
        text = Sql(f"v{index}")
        return render_value(text, text, form, "DOUBLE", None) if form.is_bare else Sql("NULL")

    def _render_present(self, group: Sequence[_Candidate]) -> list[Sql]:
        return [render_present(Sql(f"t{index}"), self.missing) for index in range(len(group))]

    def _has_decimal_commas(self, columns: Iterable[Mapping[NumberForm, Mapping[str, Any]]]) -> bool:
        """Return whether a column needs decimal commas, and none needs thousands commas."""
        sure = [next(iter(forms)).style for forms in columns if len(forms) == 1]
        return DECIMAL_COMMA in sure and THOUSANDS not in sure

    def _choose_number_form(self, forms: Mapping[NumberForm, Mapping[str, Any]], commas: bool) -> NumberForm:
        """Choose among several forms that read a column.

        A sign that stands before three digits, always and nowhere else, separates thousands; a point in a
        plain number is the decimal point.
        """
        by_style = {form.style: form for form in forms}
        first = next(iter(forms))
        if first.style is PLAIN:
            pointed = first.is_money or commas
            return by_style.get(DECIMAL_COMMA, first) if pointed and forms[first]["fractions"] else first
        return by_style.get(DECIMAL_COMMA, first) if commas else first

    def _is_number(self, form: NumberForm, row: Mapping[str, Any]) -> bool:
        """Return whether values are numbers of 64 bits.

        They are not if they can be codes, lists, or texts of a source with types.
        """
        if row["longest"] > (_MAX_DIGITS if row["fractions"] else _MAX_WHOLE_DIGITS):
            return False
        if form.is_bare:
            return bool(row["marks"] or row["wide"]) and row["numbers"] == row["writings"]
        if form.unit or form.style is PLAIN:
            return True
        if row["fractions"]:
            return form.style.decimal != "," or bool(row["falling"])
        alike = row["shortest"] == row["longest"]
        return not alike or (
            form.style.key in ("thousands", "decimal_comma") and row["longest"] < _MIN_CODE_DIGITS
        )

    def _make_reading(
        self, position: int, form: Any, kind: str, row: Mapping[str, Any], **more: Any
    ) -> Reading:
        marks = bool(row["marks"])
        return Reading(position, self.names[position], form, kind, self.missing, has_marks=marks, **more)

    # --- days ---

    def _find_days(self, candidates: Sequence[_Candidate], numbers: set[int]) -> dict[int, Reading]:
        fitting: dict[int, list[tuple[DayForm | None, dict[str, Any]]]] = {}
        candidates = [c for c in candidates if c.position not in numbers]
        for candidate, row in zip(candidates, self._count_days(candidates), strict=True):
            form = _day_form_of(candidate)
            if self._is_day(candidate.position, form, row):
                fitting.setdefault(candidate.position, []).append((form, row))
            else:
                self._note_unread(candidate.position, form, row, fitting)
        order = self._find_common_order(fitting.values())
        readings: dict[int, Reading] = {}
        for position, forms in fitting.items():
            form, row = self._choose_day_form(position, forms, order)
            readings[position] = self._make_day_reading(position, form, row, len(_list_orders(forms)) > 1)
        return self._add_centuries(readings, fitting)

    def _count_days(self, candidates: Sequence[_Candidate]) -> list[dict[str, Any]]:
        """Count the days that each candidate reads, columns of one form together."""
        rows: dict[_Candidate, dict[str, Any]] = {}
        together = COLUMNS_PER_STATEMENT
        if len(candidates) > COLUMNS_PER_STATEMENT:
            records = self.session.fetch_row("count_unrestricted", source=self.relation)["records"]
            together = max(COLUMNS_PER_STATEMENT, min(_BATCH_COLUMNS, _BATCH_VALUES // max(1, records)))
        text, present = Sql("v"), render_present(Sql("t"), self.missing)
        for form in dict.fromkeys(map(_day_form_of, candidates)):
            alike = [candidate for candidate in candidates if candidate.form == form]
            for start in range(0, len(alike), together):
                group = alike[start : start + together]
                counts = self.session.run(
                    "day_counts",
                    source=self.relation,
                    columns=self._list_columns([candidate.position for candidate in group]),
                    text=render_trimmed("cell"),
                    present=present,
                    parts=render_day_parts(text, form),
                    day=render_value(text, Sql("p"), form, _day_type(form), _ANY_PIVOT),
                    different=form is not None and (form.is_partial or form.order == COMPACT),
                )
                rows |= zip(group, counts, strict=True)
        return [rows[candidate] for candidate in candidates]

    def _is_day(self, position: int, form: DayForm | None, row: Mapping[str, Any]) -> bool:
        """Return whether a form reads all values as plausible days."""
        if not row["present"] or row["fitting"] < row["present"]:
            return False
        name = self.names[position]
        if form is None:
            return self.requested.form(name) == COUNTED
        if form.order == COMPACT:
            named = is_day_name(name) or self.requested.form(name) == COMPACT
            return bool(
                1850 <= row["first"] <= row["last"] <= 2100 and (named or row["days"] >= _MIN_DISTINCT_DAYS)
            )
        if form.is_partial and form.year == "four":  # years or months alone are no days
            return bool(row["longest"] > row["shortest"] and row["days"] == row["texts"])
        return not form.is_partial or bool(row["days"] == row["texts"])

    def _note_unread(
        self, position: int, form: DayForm | None, row: Mapping[str, Any], fitting: Mapping[int, Any]
    ) -> None:
        """Add a note on a column that looks like days and is not read as days, once."""
        name = self.names[position]
        if form is None and row["fitting"] == row["present"] and 1910 <= row["first"] <= row["last"] <= 2099:
            note = Sentence("source.read.counted", name=Data(name), option=format_read_option(name, COUNTED))
        elif form is not None and is_day_name(name) and self._looks_like_days(form, row):
            note = Sentence("source.read.unread", name=Data(name))
        else:
            return
        if position not in fitting and note not in self.result.unread:
            self.result.unread.append(note)

    def _looks_like_days(self, form: DayForm, row: Mapping[str, Any]) -> bool:
        if form.order == ISO:  # years and months alone are no days
            return form.is_partial and bool(row["fitting"] and row["longest"] > row["shortest"])
        return bool(row["fitting"] > _MIN_SHARE_OF_DAYS * row["present"])

    def _find_common_order(self, columns: Iterable[Sequence[tuple[DayForm | None, Any]]]) -> str | None:
        """Return the order of day and month that all unambiguous columns share."""
        shown = {orders.pop() for forms in columns if len(orders := _list_orders(forms)) == 1}
        return shown.pop() if len(shown) == 1 else None

    def _choose_day_form(
        self, position: int, forms: _Fitting, order: str | None
    ) -> tuple[DayForm | None, dict[str, Any]]:
        """Choose among several forms: that of another source, of other columns, the first."""
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

    def _make_day_reading(
        self, position: int, form: DayForm | None, row: Mapping[str, Any], several: bool
    ) -> Reading:
        ambiguous = several and self.requested.form(self.names[position]) is None
        return self._make_reading(position, form, _day_type(form), row, is_ambiguous=ambiguous)

    def _add_centuries(
        self,
        readings: dict[int, Reading],
        fitting: Mapping[int, _Fitting],
    ) -> dict[int, Reading]:
        """Add centuries to years of two digits; columns without one stay texts."""
        short = {p for p, r in readings.items() if isinstance(r.form, DayForm) and r.form.year == "two"}
        if not short:
            return readings
        last = self._find_last_year([forms[0][1] for p, forms in fitting.items() if p not in short])
        dated = dict(readings)
        for position in sorted(short):
            name = self.names[position]
            known = self.known.get(name.casefold())
            pivot = self.requested.pivot(name) or (known.pivot if known is not None else None)
            if pivot is None and is_birth_name(name):
                pivot = last
            if pivot is None:
                self.result.undated.append(name)
                del dated[position]
            else:
                dated[position] = replace(readings[position], pivot=pivot)
        return dated

    def _find_last_year(self, rows: Sequence[Mapping[str, Any]]) -> int | None:
        """Return the latest year of four digits in the source."""
        years = [int(row["last"]) for row in rows if row["last"] is not None and row["last"] < 2100]
        moments = [name for name, kind in self.columns if has_date(kind)]
        if moments:
            row = self.session.fetch_row("last_years", source=self.relation, columns=moments)
            years += [int(year) for year in row.values() if year is not None]
        return max(years, default=None)


def _day_form_of(candidate: _Candidate) -> DayForm | None:
    assert not isinstance(candidate.form, NumberForm)
    return candidate.form


def _day_type(form: DayForm | None) -> str:
    return "DATE" if form is None else form.kind


def _list_orders(forms: Sequence[tuple[DayForm | None, Any]]) -> set[str]:
    """Return the orders of numeric days by which a column can be read."""
    return {
        form.order
        for form, _ in forms
        if form is not None and not form.has_month_names and form.order in (DMY, MDY)
    }


def _split(row: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Split a row into the figures of each candidate, whose number ends their names."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in row.items():
        bare = name.rstrip("0123456789")
        rows[int(name[len(bare) :])][bare] = value
    return rows
