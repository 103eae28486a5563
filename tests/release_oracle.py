"""Judge a release by brute force: classes, histories, disclosure, and what its cells cover, in plain Python.

Written from the definitions of the policies (``duckrisk explain policy``) alone. A person is any hashable
value; rows without a person (None) are left out. A missing cell is a value of its own.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from tests.oracle import key
from tests.tables import engine

Record = tuple[Any, ...]
#: The limits of the policies: None where a policy has none; the smallest classes are minima, others maxima.
LIMITS: dict[str, dict[str, float | None]] = {
    "unique_people": {"public": 0, "shared": 0.05, "internal": 0.2},
    "smallest_class": {"public": 11, "shared": 5, "internal": 3},
    "unique_histories": {"public": 0, "shared": None, "internal": None},
    "smallest_history": {"public": 11, "shared": None, "internal": None},
    "three_records": {"public": None, "shared": 0.2, "internal": 0.33},
    "one_fact": {"public": 0.09, "shared": 0.2, "internal": 0.33},
    "three_facts": {"public": 0.05, "shared": 0.2, "internal": 0.33},
    "sensitive_disclosed": {"public": 0, "shared": 0.05, "internal": 0.2},
}
MINIMA = ("smallest_class", "smallest_history")
#: Share of a class that discloses a value, and its ratio to the share of all people.
CLASS_SHARE, TIMES_ALL = Fraction(9, 10), Fraction(3, 2)
#: Texts that count as missing for those figures that missing values reveal nothing to.
MISSING = frozenset({"", "?", "*", "NULL", "N/A"})


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are to an attacker; undeclared columns are quasi-identifiers."""

    user: str | None = None
    sensitive: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    def list_quasi_identifiers(self, names: Iterable[str]) -> list[str]:
        """List the columns that an attacker may know."""
        others = {self.user, *self.sensitive, *self.insensitive}
        return [name for name in names if name not in others]


@dataclass(frozen=True)
class Table:
    """Columns by name, and records; ``people`` says who is behind each record."""

    names: tuple[str, ...]
    rows: list[Record]
    people: list[Hashable] = field(default_factory=list)

    def select(self, *names: str) -> list[Record]:
        """Return the cells of some columns, as keys."""
        places = [self.names.index(name) for name in names]
        return [tuple(key(row[place]) for place in places) for row in self.rows]


def read_columns(path: Path) -> Table:
    """Read a Parquet file with the names of its columns."""
    cursor = engine().execute("FROM read_parquet(?)", [str(path)])
    return Table(tuple(column[0] for column in cursor.description or ()), cursor.fetchall())


# --- classes and histories -------------------------------------------------------------------------


def group_people(people: Sequence[Hashable], cells: Sequence[Record]) -> dict[Record, set[Hashable]]:
    """Return the people of each class: those with a record of the same cells."""
    classes: defaultdict[Record, set[Hashable]] = defaultdict(set)
    for person, values in zip(people, cells, strict=True):
        if person is not None:
            classes[values].add(person)
    return dict(classes)


def find_singled_out(people: Sequence[Hashable], cells: Sequence[Record]) -> set[Hashable]:
    """Return the people with a record whose cells no record of another person has."""
    classes = group_people(people, cells).values()
    return {person for members in classes if len(members) == 1 for person in members}


def collect_histories(people: Sequence[Hashable], cells: Sequence[Record]) -> dict[Hashable, Counter[Record]]:
    """Return the multiset of records of each person."""
    histories: defaultdict[Hashable, Counter[Record]] = defaultdict(Counter)
    for person, values in zip(people, cells, strict=True):
        if person is not None:
            histories[person][values] += 1
    return dict(histories)


def count_equal_histories(histories: Mapping[Hashable, Counter[Record]]) -> dict[Hashable, int]:
    """Return how many people have the history of each person."""
    frozen = {person: frozenset(history.items()) for person, history in histories.items()}
    sizes = Counter(frozen.values())
    return {person: sizes[history] for person, history in frozen.items()}


def measure_three_records(
    histories: Mapping[Hashable, Counter[Record]], among: set[Hashable]
) -> tuple[float, float]:
    """Return the expected share of people unique by three records, and the deviation of a draw of each.

    All choices of min(3, own) records of each person of ``among`` are tried, against everybody.
    """
    chances = []
    for person in among:
        own = list(histories[person].elements())
        draws = [Counter(drawn) for drawn in combinations(own, min(3, len(own)))]
        others = [history for other, history in histories.items() if other != person]
        alone = sum(not any(drawn <= history for history in others) for drawn in draws)
        chances.append(alone / len(draws))
    people = max(1, len(histories))
    return sum(chances) / people, math.sqrt(sum(p * (1 - p) for p in chances)) / people


def find_relinked(table: Table) -> set[Hashable]:
    """Return the people whose records are linked again without a column of users.

    Rows that agree on all columns that are constant for each person are linked. A person is relinked where
    all linked rows are theirs.
    """
    constant = [
        name
        for name in table.names
        if all(len(history) == 1 for history in collect_histories(table.people, table.select(name)).values())
    ]
    return find_singled_out(table.people, table.select(*constant))


# --- facts -----------------------------------------------------------------------------------------


def measure_one_fact(table: Table, name: str) -> float:
    """Return the mean probability that one value of a column names the right person (Ito)."""
    kept = [
        (person, cells)
        for person, cells in zip(table.people, table.select(name), strict=True)
        if cells[0] is not None and person is not None
    ]
    classes = group_people(*map(list, zip(*kept, strict=True))) if kept else {}
    return mean(1 / len(classes[cells]) for _, cells in kept) if kept else 0.0


def measure_three_facts(table: Table, names: Sequence[str]) -> float:
    """Return the share of people that a typical set of three columns singles out: the mean over all sets.

    A missing value singles nobody out.
    """
    everybody = set(table.people) - {None}
    shares = []
    for chosen in combinations(names, min(3, len(names))):
        cells = table.select(*chosen)
        people = [
            None if any(cell is None or cell in MISSING for cell in values) else person
            for person, values in zip(table.people, cells, strict=True)
        ]
        shares.append(len(find_singled_out(people, cells)) / len(everybody))
    return mean(shares) if shares else 0.0


# --- disclosure ------------------------------------------------------------------------------------


def find_disclosed(
    people: Sequence[Hashable], known: Sequence[Record], values: Sequence[Hashable]
) -> set[Hashable]:
    """Return the people whose class discloses a value that they have; None is no value."""
    everybody = set(people) - {None}
    holders: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    for person, value in zip(people, values, strict=True):
        if person is not None and value is not None:
            holders[value].add(person)
    disclosed: set[Hashable] = set()
    for members in group_people(people, known).values():
        for having in holders.values():
            share = Fraction(len(members & having), len(members))
            if share >= CLASS_SHARE and share >= TIMES_ALL * Fraction(len(having), len(everybody)):
                disclosed |= members & having
    return disclosed


Form = Callable[[Any], Hashable]


def list_forms(values: Sequence[Any]) -> list[list[Form]]:
    """List the forms in which a sensitive column discloses, each with the readings that it leaves open.

    As it is, and coarser: a date by its month, numbers of more than ten values in an eighth of their span
    from the 5th to the 95th percentile (rounded up to 1, 2 or 5 times a power of ten).
    """
    forms: list[list[Form]] = [[key]]
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, dt.date) for value in present):
        forms.append([lambda value: (value.year, value.month)])
    numbers = [value for value in present if isinstance(value, int | float | Decimal)]
    finite = sorted(float(value) for value in numbers if math.isfinite(value))
    if len(numbers) == len(present) and len(set(finite)) > 10:
        least = 2.0 if all(isinstance(value, int) for value in numbers) else 0.0
        widths = {max(least, width) for width in _list_widths(finite)}
        forms.append([_make_band(width) for width in sorted(widths)])
    return forms


def _make_band(width: float) -> Form:
    return lambda value: math.floor(float(value) / width) if math.isfinite(value) else key(float(value))


def _list_widths(ordered: Sequence[float]) -> set[float]:
    """Return an eighth of the span, rounded up, by each usual reading of a percentile."""
    widths = set()
    last = len(ordered) - 1
    for low, high in (
        (ordered[math.floor(last * 0.05)], ordered[math.ceil(last * 0.95)]),
        (ordered[math.ceil(last * 0.05)], ordered[math.floor(last * 0.95)]),
    ):
        if high > low:
            power = 10.0 ** math.floor(math.log10((high - low) / 8) + 1e-9)
            widths.add(
                next(step for step in (1, 2, 5, 10) if step * power >= (high - low) / 8 * (1 - 1e-9)) * power
            )
    return widths


def measure_disclosed(table: Table, known: Sequence[str], sensitive: str) -> float:
    """Return the share of people with a disclosed value of a column, over all its forms."""
    values = [row[table.names.index(sensitive)] for row in table.rows]
    cells, everybody = table.select(*known), set(table.people) - {None}
    exact, *coarser = [
        [
            find_disclosed(table.people, cells, [None if value is None else form(value) for value in values])
            for form in readings
        ]
        for readings in list_forms(values)
    ]
    ways = [exact[0] | more for readings in coarser for more in readings] or exact
    return min(map(len, ways)) / max(1, len(everybody))


# --- all limits ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """The figures that a policy limits, and how far a draw of three records may lie from its mean."""

    values: dict[str, float]
    three_records_deviation: float = 0.0

    def list_exceeded(self, policy: str) -> list[str]:
        """Name the limits that are exceeded for certain."""
        exceeded = []
        for name, value in self.values.items():
            limit = LIMITS[name][policy]
            slack = 3 * self.three_records_deviation if name == "three_records" else 1e-12
            if limit is not None and (value < limit if name in MINIMA else value > limit + slack):
                exceeded.append(f"{name} is {value:.4g}, the limit {limit:g}")
        return exceeded


def measure(table: Table, roles: Roles) -> Figures:
    """Measure what policies limit, for a release whose ``people`` come from the original."""
    known = roles.list_quasi_identifiers(table.names)
    cells, everybody = table.select(*known), set(table.people) - {None}
    if not everybody:
        return Figures({})
    values: dict[str, float] = {
        "unique_people": len(find_singled_out(table.people, cells)) / len(everybody),
        "smallest_class": min(map(len, group_people(table.people, cells).values())),
        "one_fact": max([measure_one_fact(table, name) for name in known], default=0.0),
        "three_facts": measure_three_facts(table, known),
        "sensitive_disclosed": max(
            [measure_disclosed(table, known, name) for name in roles.sensitive if name in table.names],
            default=0.0,
        ),
    }
    deviation = 0.0
    if roles.user is not None:
        linked = everybody if roles.user in table.names else find_relinked(table)
        histories = collect_histories(table.people, cells)
        if linked and max(map(Counter.total, histories.values())) > 1:
            alike = count_equal_histories(histories)
            values["unique_histories"] = sum(alike[person] == 1 for person in linked) / len(everybody)
            values["smallest_history"] = min(alike[person] for person in linked)
            values["three_records"], deviation = measure_three_records(histories, linked)
    return Figures(values, deviation)


# --- cells -----------------------------------------------------------------------------------------

_MOMENTS = {
    "%Y": r"\d{4}", "%Y-%m": r"\d{4}-\d\d", "%Y-Q": r"\d{4}-Q[1-4]", "%G-W%V": r"\d{4}-W\d\d",
    "%Y-%m-%d": r"\d{4}-\d\d-\d\d",
}  # fmt: skip


def read_number(text: str) -> float | Decimal | None:
    """Read a number as it is written in a cell; None if it is none."""
    if text.strip().lower() in ("inf", "-inf", "nan", "infinity", "-infinity"):
        return float(text)
    try:
        return Decimal(text)
    except ArithmeticError:
        return None


def read_moment(text: str) -> dt.datetime | None:
    """Read a date or a moment as it is written in a cell; None if it is none."""
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        return None


def order_value(value: Any) -> Any:
    """Return a value in a form that compares with the ends of an interval; None if it has no order."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else value
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    return read_moment(value) if isinstance(value, str) else None


def read_interval(text: str, value: Any) -> tuple[Any, Any, bool] | None:
    """Return the ends of ``[lo, hi]`` or ``[lo, hi[``, and whether the upper end is included."""
    found = re.fullmatch(r"\[([^,]+), ([^,]+)([\[\]])", text)
    if found is None:
        return None
    read = read_moment if isinstance(value, dt.date | str) else read_number
    lower, upper = read(found[1]), read(found[2])
    return None if lower is None or upper is None else (lower, upper, found[3] == "]")


def has_member(text: str, member: str) -> bool:
    """Whether ``{a, b}`` can be read as a set with this member."""
    inner = f", {text[1:-1]}, "
    return text.startswith("{") and text.endswith("}") and f", {member}, " in inner


def format_value(value: Any) -> str:
    """Write a value as DuckDB casts it to text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    return str(value)


def is_same(cell: Any, value: Any) -> bool:
    """Whether a cell is the value itself, whatever type the column got."""
    if key(cell) == key(value) or format_value(cell) == format_value(value):
        return True
    if isinstance(value, str) or isinstance(cell, bool) or isinstance(value, bool):
        return False
    own = order_value(value)
    written = read_number(str(cell)) if isinstance(value, int | float | Decimal) else read_moment(str(cell))
    return own is not None and written is not None and (own == written or str(own) == str(written))


def covers(cell: Any, value: Any) -> bool:
    """Whether a released cell is true of the original value."""
    if value is None or cell is None:
        return cell is value or cell == "*"
    if cell == "*" or is_same(cell, value):
        return True
    text = str(cell)
    if has_member(text, format_value(value)):
        return True
    if isinstance(value, dt.date) and _covers_moment(text, value):
        return True
    ends = read_interval(text, value)
    own = order_value(value)
    if ends is not None and own is not None and own == own:
        lower, upper, closed = ends
        return bool(lower <= own <= upper if closed else lower <= own < upper)
    return isinstance(value, str) and text.endswith("*") and value.startswith(text[:-1])


def _covers_moment(text: str, value: dt.date) -> bool:
    for form, pattern in _MOMENTS.items():
        if re.fullmatch(pattern, text):
            written = value.strftime(form)
            return text == (f"{written}{(value.month + 2) // 3}" if form == "%Y-Q" else written)
    return False


#: Days of the periods that a recipe writes as their first day, at most.
_DAYS = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366, "5years": 1827, "10years": 3653}


@dataclass(frozen=True)
class Interval:
    """An interval of a recipe with the cell that is written for it: a mean of numbers, or a first day."""

    cell: Any
    lower: Any
    upper: Any
    closed: bool = False

    def has(self, value: Any) -> bool:
        """Whether a number is in the interval, the upper end only if it is closed."""
        own = order_value(value)
        return bool(self.lower <= own < self.upper or (self.closed and own == self.upper))


def read_intervals(recipe: str, release: Table) -> dict[str, list[Interval]]:
    """Return the intervals of each column that a recipe replaces by means or first days of periods."""
    found: dict[str, list[Interval]] = {}
    for step in tomllib.loads(recipe)["step"]:
        if "cells" in step and step.get("numbers", "mean") == "mean":
            edges = [Decimal(str(edge)) for edge in step["bands"]]
            last = len(edges) - 2
            found[step["column"]] = [
                Interval(float(mean), *ends, i == last)
                for i, ((mean, *_), ends) in enumerate(zip(step["cells"], pairwise(edges), strict=True))
            ]
        elif step.get("first_day") and step["column"] in release.names:
            cells = {str(values[0])[:10] for values in release.select(step["column"])} - {"None", "*"}
            days = dt.timedelta(_DAYS[step["moment"]])
            firsts = [(cell, dt.datetime.fromisoformat(cell)) for cell in cells]
            found[step["column"]] = [Interval(cell, first, first + days) for cell, first in firsts]
    return found


def write_intervals(release: Table, intervals: Mapping[str, Sequence[Interval]]) -> list[Record]:
    """Return the records with ``[lo, hi[`` instead of the means that a recipe has for bands."""
    texts = {
        (release.names.index(name), one.cell): f"[{one.lower}, {one.upper}{']' if one.closed else '['}"
        for name, of_column in intervals.items()
        if name in release.names
        for one in of_column
    }
    return [tuple(texts.get((i, cell), cell) for i, cell in enumerate(row)) for row in release.rows]


def list_outside(
    original: Table, release: Table, matched: Sequence[int], intervals: Mapping[str, Sequence[Interval]]
) -> list[tuple[str, Any, Any]]:
    """List column, value and cell where the interval of a cell does not have the value, or not its mean."""
    wrong: list[tuple[str, Any, Any]] = []
    for name in [name for name in intervals if name in release.names]:
        before, after = original.names.index(name), release.names.index(name)
        for one in intervals[name]:
            if isinstance(one.cell, float) and not one.lower <= Decimal(repr(one.cell)) <= one.upper:
                wrong.append((name, "the mean is outside of its band", one))
        for cells, place in zip(release.rows, matched, strict=True):
            value, cell = original.rows[place][before], cells[after]
            if value is None or cell is None or cell == "*":
                fits = cell is value or cell == "*"
            else:
                own = str(cell)[:10] if isinstance(value, dt.date) else float(cell)
                fits = any(one.has(value) and one.cell == own for one in intervals[name])
            wrong += [] if fits else [(name, value, cell)]
    return wrong


# --- records ---------------------------------------------------------------------------------------


def match_by_tag(original: Table, release: Table, tag: str) -> list[int]:
    """Return the original record of each released one by a column that differs in every record."""
    number = {key(row[original.names.index(tag)]): i for i, row in enumerate(original.rows)}
    assert len(number) == len(original.rows), "the tags are not unique"
    matched = [number[key(row[release.names.index(tag)])] for row in release.rows]
    assert matched == sorted(set(matched)), "records were repeated or moved"
    return matched


def list_uncovered(
    original: Table, release: Table, matched: Sequence[int], others: Iterable[str] = ()
) -> list[tuple[str, Any, Any]]:
    """List column, value and cell where a released cell is not true of the original value, but in others."""
    wrong = []
    for name in [name for name in release.names if name not in others]:
        before, after = original.names.index(name), release.names.index(name)
        for cells, place in zip(release.rows, matched, strict=True):
            value = original.rows[place][before]
            if not covers(cells[after], value):
                wrong.append((name, value, cells[after]))
    return wrong


def list_changed(original: Table, release: Table, matched: Sequence[int], names: Iterable[str]) -> list[str]:
    """Name the columns that are missing, or have a cell that is not the original value."""
    changed = []
    for name in names:
        if name not in release.names:
            changed.append(name)
            continue
        before, after = original.names.index(name), release.names.index(name)
        pairs = [(row[after], original.rows[i][before]) for row, i in zip(release.rows, matched, strict=True)]
        if not all((cell is None) == (value is None) and is_same(cell, value) for cell, value in pairs):
            changed.append(name)
    return changed


def list_leaked(
    original: Table, release: Table, matched: Sequence[int], recipe: str
) -> list[tuple[str, str]]:
    """List values of deleted records alone that a cell of their column or the recipe still shows.

    The recipe holds edges of bands, which are no values; its groups and cells are looked at.
    """
    written = {
        (step.get("column"), format_value(value))
        for step in tomllib.loads(recipe)["step"]
        for group in [*step.get("groups", []), *step.get("cells", [])]
        for value in group
    }
    kept = set(matched)
    leaked = []
    for before, name in enumerate(original.names):
        held = {format_value(row[before]) for i, row in enumerate(original.rows) if i in kept}
        gone = {
            format_value(row[before])
            for i, row in enumerate(original.rows)
            if i not in kept and row[before] not in (None, "")
        } - held
        cells = (
            {str(row[release.names.index(name)]) for row in release.rows} if name in release.names else set()
        )
        for value in sorted(gone):
            shown = any(_shows(cell, value) for cell in cells)
            if shown or (name, value) in written:
                leaked.append((name, value))
    return leaked


def _shows(cell: str, value: str) -> bool:
    """Whether a cell is the value, or has it as a member or as an end."""
    if cell == value or has_member(cell, value):
        return True
    ends = re.fullmatch(r"\[([^,]+), ([^,]+)\]", cell)  # a grid of widths is open above, and no value
    number = read_number(value)
    return ends is not None and any(
        end == value or (number is not None and read_number(end) == number) for end in ends.groups()
    )
