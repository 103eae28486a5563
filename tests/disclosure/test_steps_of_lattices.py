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

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.dependencies import Dependencies
from duckrisk.measures.sets.encoding import Layout
from duckrisk.measures.sets.lattice import Lattice
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.special_uniques import SpecialUniques
from duckrisk.measures.sets.surveys import count_classes
from tests.tables import connect, put, row, run, tell, thinned

COUNT = 5
#: A combination: its codes (0 is a missing value), the only person behind it or none, and its records.
Combination = tuple[tuple[int, ...], int | None, int]
#: Groups of a small class for each set of low attributes, and pairs of a set of high attributes and a
#: combination that share a statement.
WAYS = [(3, 500_000), (0, 500_000), (3, 28), (0.3, 28)]


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
) -> Lattice:
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
    made = Lattice.__new__(Lattice)
    made.session = Statements(connection)  # type: ignore[assignment]
    made.count, made.size, made.limit, made.limits = COUNT, size, None, Limits(max_size=size)
    made._missing, made.is_missing_ignored, made.wildcard = "none" if ignored else "value", ignored, None
    made.combinations = Namespace(  # type: ignore[assignment]
        layout=layout,
        count=len(rows),
        counts=[3] * COUNT,
        user="u" if several else None,
        dependencies=Dependencies(),
        count_rows=lambda table: row(connection, "row_counts", tables=[table])["records"],
    )
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
    small: float,
    together: int,
) -> None:
    monkeypatch.setattr(costs, "LOW_ATTRIBUTES", 3)
    monkeypatch.setattr(costs, "LATTICE_PAIRS", together)
    monkeypatch.setattr(costs, "COMPARED_GROUPS", small)
    chance = random.Random(small + together)
    for size in (2, 5):
        combinations = draw(chance, several=several)
        made = prepare(connection, combinations, several, ignored, size)
        sets = [mask for mask in range(1, 1 << COUNT) if mask.bit_count() <= size]
        run(connection, "set_begin")
        for of_high in range(min(len(made.high), size) + 1):
            for highs in made.split_portions(made.list_highs(of_high)):
                count_classes(made, highs, [made.close_low(high, size - of_high) for high in highs])
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

        search = SpecialUniques.__new__(SpecialUniques)
        search.lattice, search.session, search.size, search.limit = made, made.session, size, None
        run(connection, "suda_begin")
        search.group()
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
        fields = made.locate_fields()
        cells = ", ".join(f"({column} & {field}) >> {shift}" for column, field, shift in fields)
        told = tell(connection, f"SELECT mask, {cells} FROM suda_uniques JOIN lattice_rows USING (member)")
        assert sorted(told) == sorted((mask, *codes) for codes, mask in minimal)
