"""Coded tables: assess, advise and compare agree with brute force on who is singled out.

The same small whole numbers, booleans and text digits repeat across columns, and some columns are equal. A
program that confuses the values of two columns merges different records into one class here.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk import roles
from duckrisk.engine.session import Resources, Session
from duckrisk.measures import identifiability, uniqueness
from duckrisk.source import Request, open_source
from tests.hostile import NAMES
from tests.tables import EXAMPLES, LIGHT, connect, tell

#: Domains that share values or texts of values.
DOMAINS: tuple[tuple[Any, ...], ...] = (
    (1, 2),
    (0, 1, 2, 3),
    (2, 1, 0),
    (False, True),
    ("0", "1", "2"),
    ("a", "b"),
    (-1, 0, 1, 2**62),
    ("0" * 300, "1" * 300),
    (0.0, 1.0, 2.0),
)
#: Orders of columns per table; five columns have 120, which 200 examples try in full.
MAX_ORDERS = 120 if EXAMPLES >= 200 else 6
#: The reports on a table cost 1.5 CPU seconds, each order 0.02.
REPORTS = settings(LIGHT, max_examples=EXAMPLES if EXAMPLES >= 200 else 2)
TABLES = settings(LIGHT, max_examples=EXAMPLES if EXAMPLES >= 200 else max(EXAMPLES // 2, 1))


@dataclass(frozen=True)
class Coded:
    """A table of coded columns with the person of each record; None: each record is one."""

    columns: tuple[tuple[Any, ...], ...]
    people: tuple[int, ...] | None

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Return the records without their person."""
        return list(zip(*self.columns, strict=True))

    def frame(self, names: Sequence[str]) -> pandas.DataFrame:
        """Return the table with these column names; ``who`` is the person."""
        own = {} if self.people is None else {"who": list(self.people)}
        cells = {
            name: pandas.Series(column, dtype=_dtype(column))
            for name, column in zip(names, self.columns, strict=True)
        }
        return pandas.DataFrame({**own, **cells})

    def figures(self) -> tuple[int, int]:
        """Return the people singled out and the smallest class, by brute force."""
        return count_people(self.rows, self.people if self.people is not None else range(len(self.rows)))


def _dtype(column: Iterable[Any]) -> str:
    kinds = {type(value): value for value in column if value is not None}
    return {bool: "boolean", int: "Int64", float: "Float64"}.get(next(iter(kinds), str), "object")


def count_people(rows: Iterable[tuple[Any, ...]], people: Iterable[int]) -> tuple[int, int]:
    """Count the people alone in a class and those in the smallest class.

    A missing value is a value of its own.
    """
    classes: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for cells, person in zip(rows, people, strict=True):
        classes[cells].add(person)
    alone = {person for members in classes.values() if len(members) == 1 for person in members}
    return len(alone), min(map(len, classes.values()))


@st.composite
def coded_tables(draw: st.DrawFn) -> Coded:
    """Draw two to five columns; some repeat, shuffle or rename the values of another."""
    count, size = draw(st.integers(2, 5)), draw(st.integers(20, 40))
    chance = random.Random(draw(st.integers(0, 2**32)))
    columns: list[tuple[Any, ...]] = []
    for _ in range(count):
        how = draw(st.sampled_from(["new", "new", "equal", "shuffled", "renamed"]))
        if how == "new" or not columns:
            domain: tuple[Any, ...] = draw(st.sampled_from(DOMAINS))
            missing = draw(st.sampled_from([0.0, 0.0, 0.1]))
            cells = [None if chance.random() < missing else chance.choice(domain) for _ in range(size)]
        elif how == "equal":
            cells = list(draw(st.sampled_from(columns)))
        elif how == "shuffled":
            cells = list(draw(st.sampled_from(columns)))
            chance.shuffle(cells)
        else:
            first = draw(st.sampled_from(columns))
            values = list(dict.fromkeys(first))
            others = dict(zip(values, values[1:] + values[:1], strict=True))
            cells = [others[value] for value in first]
        columns.append(tuple(cells))
    copies = draw(st.integers(1, 3))
    columns = [column * copies for column in columns]
    size *= copies
    people = tuple(chance.randrange(size // 2 + 1) for _ in range(size)) if draw(st.booleans()) else None
    return Coded(tuple(columns), people)


def orders_of(count: int) -> list[tuple[int, ...]]:
    """Return the orders to try: at most MAX_ORDERS, and two of more than five columns."""
    if count > 5:
        return [tuple(range(count)), tuple(reversed(range(count)))]
    orders = list(itertools.permutations(range(count)))
    return orders[:: -(-len(orders) // MAX_ORDERS)]


def figures_by_room(coded: Coded, names: Sequence[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Count with the room behind assess and advise, the columns in each order."""
    frame = coded.frame(names)
    overrides = roles.RoleOverrides(
        user="" if coded.people is None else "who", roles=tuple((name, "attribute") for name in names)
    )
    with Session(Resources()) as session:
        found = roles.infer(session, open_source(session, Request(frame)), overrides)
        assert len(found.attributes) == len(names)
        for order in orders_of(len(names)):
            named = [names[place] for place in order]
            ordered = replace(
                found, attributes=sorted(found.attributes, key=lambda one: named.index(one.name))
            )
            options = identifiability.Options(missing="value")
            search = uniqueness._FactSearch(session, ordered, options, random.Random(0))
            together = search.measure_together(search.published)
            yield f"assess {order}", (together.people, together.smallest_class)


def with_edge(coded: Coded) -> Coded:
    """Append two records so that no column is constant."""
    columns = []
    for column in coded.columns:
        kinds = {type(value) for value in column if value is not None} or {int}
        (kind,) = kinds
        columns.append((*column, kind(0), kind("7" * 9) if kind is str else kind(7)))
    people = coded.people if coded.people is None else (*coded.people, 1001, 1002)
    return Coded(tuple(columns), people)


@TABLES
@given(coded_tables().map(with_edge))
def test_every_order_of_columns_counts_as_brute_force(coded: Coded) -> None:
    names = [f"c{place}" for place in range(len(coded.columns))]
    found = dict(figures_by_room(coded, names))
    assert set(found.values()) == {coded.figures()}, found


def figures_by_report(coded: Coded, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Read the figures of all columns together from the reports on a table.

    The release of compare is the table itself.
    """
    frame = coded.frame(names)
    user = "" if coded.people is None else "who"
    given: dict[str, Any] = {
        "user": user, "roles": dict.fromkeys(names, "attribute"), "levels": dict.fromkeys(names, "occupation")
    }  # fmt: skip
    parts = ("uniqueness", "identifiability", "class_sizes", "attribute_sets")
    only = parts[:1] if coded.people is not None else parts  # the others count records or histories
    assessed = duckrisk.assess(frame, only=only, missing="value", compare_missing=False, **given)
    assert assessed.uniqueness is not None
    together = assessed.uniqueness.all_attributes
    assert together is not None
    found = {"assess": (together.people, together.smallest_class)}
    advised = duckrisk.advise(frame, **given).lines[0].people
    compared = [table.people for table in duckrisk.compare(frame, frame, only=["risk"], **given).tables]
    for room, line in (("advise", advised), ("original", compared[0]), ("release", compared[1])):
        assert line is not None
        found[room] = line.singled_out, line.smallest_class
    if assessed.class_sizes is not None:
        assert assessed.attribute_sets is not None
        assert assessed.identifiability is not None
        (whole,) = [one for one in assessed.attribute_sets.sets if len(one.attributes) == len(names)]
        found["attribute sets"] = whole.singled_out, whole.smallest_class or 0
        sizes = assessed.class_sizes.chosen
        found["class sizes"] = sizes.alone, sizes.smallest_class or 0
        found["identifiability"] = assessed.identifiability.singled_out, sizes.smallest_class or 0
    return found


@pytest.mark.slow
@REPORTS
@given(coded_tables().map(with_edge), st.integers(0, len(NAMES) - 5))
def test_reports_agree_with_brute_force(coded: Coded, first: int) -> None:
    found = figures_by_report(coded, NAMES[first : first + len(coded.columns)])
    assert set(found.values()) == {coded.figures()}, found


@pytest.mark.parametrize("columns", [2, 130])
def test_many_columns_of_the_same_values(columns: int) -> None:
    """Count records that differ only by an exchange of two values as different."""
    chance = random.Random(columns)
    rows = [[chance.choice((1, 2)) for _ in range(columns)] for _ in range(20)]
    for cells in rows[:10]:
        other = list(cells)
        first, second = sorted(chance.sample(range(columns), 2))
        other[first], other[second] = other[second], other[first]
        rows.append(other)
    coded = Coded(tuple(zip(*rows, strict=True)), None)
    names = [*NAMES, *(f"column {place}" for place in range(columns))][:columns]
    assert set(dict(figures_by_room(coded, names)).values()) == {coded.figures()}


@pytest.mark.parametrize(
    "values", ["h0, h1", "h1, h0", "h0, h0", "h0, h0, h0", "h0, h1, h0, h1", "h0, h1, h2"]
)
def test_the_engine_hashes_values_in_their_order(values: str) -> None:
    """Check the hash of several numbers that classes and samples rest on, beside those made here.

    It distinguishes all tuples of small numbers, also (1, 2) from (2, 1) and (1, 1) from (2, 2), and spreads
    tuples of equal values over its lowest bits, by which samples are drawn.
    """
    domains = ", ".join(f"range(40) AS t{place} (v{place})" for place in range(3))
    made = f"SELECT hash(v0) AS h0, hash(v1) AS h1, hash(v2) AS h2 FROM {domains}"
    engine = connect()
    numbers = f"SELECT DISTINCT ROW({values}) AS tuple, hash({values}) AS class FROM ({made})"
    ((tuples, classes),) = tell(engine, f"SELECT COUNT(*), COUNT(DISTINCT class) FROM ({numbers})")
    assert tuples == classes
    many = "SELECT hash(i) AS h0, hash(i % 250) AS h1, hash(i // 250) AS h2 FROM range(64000) t(i)"
    buckets = tell(engine, f"SELECT COUNT(*) FROM ({many}) GROUP BY hash({values}) % 64")
    assert len(buckets) == 64
    # Chi-square with 63 degrees of freedom: exceeded with a probability of 1e-7.
    assert sum((count - 1000) ** 2 for (count,) in buckets) / 1000 < 140
