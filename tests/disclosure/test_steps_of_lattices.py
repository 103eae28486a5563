"""Count attribute sets and find minimal uniques of few combinations, against brute force."""

from __future__ import annotations

import random
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import duckdb
import pytest

from duckrisk.measures.disclosure import attribute_sets, lattice, suda
from duckrisk.measures.sets.encoding import Layout
from tests.tables import connect, put, row, run, tell, thinned

COUNT = 5
#: A combination: its codes (0 is a missing value), the only person behind it or none, and its records.
Combination = tuple[tuple[int, ...], int | None, int]
#: Groups of a small class, and sets of high attributes that share a statement.
WAYS = [(96, 1000), (0, 1000), (96, 2), (1, 2)]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


class Statements:
    """Runs statements as a session does."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection

    def run(self, name: str, **given: Any) -> list[dict[str, Any]]:
        return run(self.connection, name, **given)

    def fetch_row(self, name: str, **given: Any) -> dict[str, Any]:
        return row(self.connection, name, **given)


def draw(chance: random.Random, *, several: bool) -> list[Combination]:
    """Return different combinations; without users a record alone is a person, with them anybody may be."""
    combinations = []
    for codes in sorted({tuple(chance.choice([0, 1, 1, 2, 3]) for _ in range(COUNT)) for _ in range(14)}):
        records = chance.choice([1, 1, 1, 2])
        alone = chance.choice([1, 2, 3, None]) if several else len(combinations) if records == 1 else None
        combinations.append((codes, alone, records))
    return combinations


def prepare(
    connection: duckdb.DuckDBPyConnection,
    combinations: list[Combination],
    several: bool,
    ignored: bool,
    size: int,
) -> lattice.Lattice:
    """Return the attribute sets of combinations that are in a table."""
    layout = Layout.for_counts([3] * COUNT)
    rows = [
        (
            alone,
            records,
            sum(1 << place for place, code in enumerate(codes) if not code),
            sum(code << shift for code, shift in zip(codes, layout.shifts, strict=True)),
        )
        for codes, alone, records in combinations
    ]
    put(connection, "combinations", "id records missing p0", *rows)
    made = lattice.Lattice.__new__(lattice.Lattice)
    made.session = Statements(connection)  # type: ignore[assignment]
    made.names, made.size, made.limit, made.several = list("abcde"), size, None, several
    made.options = Namespace(missing="none" if ignored else "value", max_size=size)  # type: ignore[assignment]
    counted = Namespace(layout=layout, combinations=len(rows), counts=[3] * COUNT, redundant=[], twins={})
    made.rows, made.ignored, made.agreement = counted, ignored, None  # type: ignore[assignment]
    made.split()
    return made


def classes(combinations: list[Combination], mask: int, *, ignored: bool) -> list[list[Combination]]:
    """Return the combinations that agree on a set of attributes."""
    alike: defaultdict[tuple[int, ...], list[Combination]] = defaultdict(list)
    for one in combinations:
        key = tuple(code for place, code in enumerate(one[0]) if mask >> place & 1)
        if not ignored or 0 not in key:
            alike[key].append(one)
    return list(alike.values())


def owner(members: list[Combination], *, several: bool) -> int | None:
    """Return the person whom alone a class belongs to."""
    people = {alone for _, alone, _ in members}
    return people.pop() if len(people) == 1 and (several or len(members) == 1) else None


@pytest.mark.parametrize(
    ("several", "ignored", "small", "together"),
    thinned([(*kind, *way) for kind in product((False, True), repeat=2) for way in WAYS], 3),
)
def test_what_sets_count_and_whom_they_single_out(
    connection: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
    several: bool,
    ignored: bool,
    small: int,
    together: int,
) -> None:
    monkeypatch.setattr(lattice, "LOW", 3)
    monkeypatch.setattr(lattice, "MOST_SETS", together)
    monkeypatch.setattr(attribute_sets, "SMALL", small)
    monkeypatch.setattr(suda, "SMALL", small)
    monkeypatch.setattr(attribute_sets, "COUNTED", 40)
    chance = random.Random(small + together)
    for size in (2, 5):
        combinations = draw(chance, several=several)
        made = prepare(connection, combinations, several, ignored, size)
        sets = [mask for mask in range(1, 1 << COUNT) if mask.bit_count() <= size]
        run(connection, "set_begin")
        for of_high in range(min(len(made.high), size) + 1):
            for highs in made.portions(made.highs(of_high)):
                attribute_sets.count_sets(made, highs, [made.closed(high, size - of_high) for high in highs])
        expected = {}
        for mask in sets:
            alike = classes(combinations, mask, ignored=ignored)
            records = [sum(one[2] for one in members) for members in alike]
            people = {owner(members, several=several) for members in alike} - {None}
            squares, smallest = sum(n * n for n in records), min(records, default=0)
            if alike:
                expected[mask] = (sum(records), len(alike), len(people), squares, smallest)
        # Small classes and large ones of a set may be counted apart.
        found = tell(
            connection,
            "SELECT mask, SUM(records), SUM(classes), SUM(singled), SUM(squares), MIN(smallest) "
            "FROM set_parts GROUP BY mask",
        )
        assert {mask: tuple(told) for mask, *told in found} == expected

        search = suda.Search.__new__(suda.Search)
        search.lattice, search.session, search.size, search.limit = made, made.session, size, None
        run(connection, "suda_begin")
        search._group()
        unique = {
            (codes, mask)
            for mask in sets
            for members in classes(combinations, mask, ignored=ignored)
            if owner(members, several=several) is not None
            for codes, *_ in members
        }
        minimal = {
            (codes, mask)
            for codes, mask in unique
            if not any((codes, mask & ~(1 << place)) in unique for place in range(COUNT) if mask >> place & 1)
        }
        fields = [made.place(place) for place in range(COUNT)]
        cells = ", ".join(f"({column} & {field}) >> {shift}" for column, field, shift in fields)
        told = tell(connection, f"SELECT mask, {cells} FROM suda_uniques JOIN lattice_rows USING (member)")
        assert sorted(told) == sorted((mask, *codes) for codes, mask in minimal)
