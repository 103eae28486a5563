"""Who is singled out by which facts: statements on tables of a few rows, against their definitions."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, make, put, row, run

Rows = list[tuple[Any, ...]]
COLUMNS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def singled_out(rows: Rows, places: tuple[int, ...], *, missing_is_value: bool) -> tuple[int, int]:
    """Return the people whom the attributes at these indices single out, and the records that do."""
    classes: defaultdict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for person, *cells in rows:
        known = tuple(cells[place] for place in places)
        if person is not None and (missing_is_value or None not in known):
            classes[known].append(person)
    alone = [people for people in classes.values() if len(set(people)) == 1]
    return len({people[0] for people in alone}), sum(map(len, alone))


def draw_records(chance: random.Random, count: int) -> Rows:
    """Return records of few people with few values, some of them missing."""
    return [
        (
            chance.choice([1, 2, 3, 4, 5, 6, None]),
            chance.choice(["x", "y", " ", "x ", None]),
            chance.choice("uvw"),
            chance.choice(["1", "2", "n/k"]),
        )
        for _ in range(count)
    ]


def test_the_metric_of_uniqueness(connection: duckdb.DuckDBPyConnection) -> None:
    """All sets of up to two of three attributes, those that single out most people first."""
    chance = random.Random(3)
    for count in (0, 1, 9, 14, 14):
        rows = draw_records(chance, count)
        make(connection, {"u": "INTEGER", **dict.fromkeys(COLUMNS, "VARCHAR")}, rows)
        for user, missing_is_value in itertools.product(("u", None), (False, True)):
            told = [
                (
                    cells[0] if user else n,
                    *[None if cell and cell.strip() in ("", "n/k") else cell for cell in cells[1:]],
                )
                for n, cells in enumerate(rows)
            ]
            people = len({person for person, *_ in told} - {None})
            records = sum(person is not None for person, *_ in told)
            expected = []
            for size in (1, 2):
                for places in combinations(range(3), size):
                    alone, by = singled_out(told, places, missing_is_value=bool(missing_is_value))
                    names = [COLUMNS[place] for place in places]
                    order = (size, -alone, -by, sum(1 << place for place in places))
                    shares = (alone / people if people else None, by / records if records else None)
                    expected.append((order, (names, alone, shares[0], by, shares[1])))
            found = run(
                connection, "uniqueness", source="t", user=user, columns=COLUMNS, max_size=2,
                missing_tokens=["", "n/k"], missing_is_value=missing_is_value,
            )  # fmt: skip
            assert [tuple(one.values()) for one in found] == [one for _, one in sorted(expected)]


@pytest.mark.parametrize("by_record", [0, 1, 2])
def test_bands_of_people_who_are_alike(connection: duckdb.DuckDBPyConnection, by_record: int) -> None:
    """A person counts in the smallest of their classes; a row may stand for several people."""
    chance = random.Random(5)
    for count in (1, 6, 12, 30, 30):
        rows = [
            (chance.randrange(8), chance.randrange(1, 4), chance.randrange(3), chance.choice([0, 0, 1]))
            for _ in range(count)
        ]
        put(connection, "known", "person people h0 h1", *rows)
        people: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
        for number, (person, many, *cells) in enumerate(rows):
            people[cells[0], cells[1]][number if by_record else person] += many if by_record == 2 else 1
        sizes = {key: sum(of.values()) if by_record else len(of) for key, of in people.items()}
        smallest: dict[int, int] = {}
        for key, of in people.items():
            for one in of:
                smallest[one] = min(sizes[key], smallest.get(one, sizes[key]))
        everybody = sum(sizes.values()) if by_record else len(smallest)
        records = sum(sum(of.values()) for of in people.values())
        expected = []
        for least, most in ((1, 1), (2, 4), (5, None)):
            there = [key for key, size in sizes.items() if least <= size and (most is None or size <= most)]
            if not there:
                continue
            inside = {sizes[key] for key in there}
            if by_record:
                own = sum(sizes[key] for key in there)
            else:
                own = sum(size in inside for size in smallest.values())
            held = sum(sum(people[key].values()) for key in there)
            told = [own, own / everybody, held, held / records, min(inside)]
            expected.append([least, most, len(there), *told, 4 * records**2 / 2**65])
        asked = {"attributes": 2, "by_record": by_record > 0, "weighted": by_record == 2, "bounds": [1, 2, 5]}
        found = run(
            connection,
            "facts_together",
            known=Sql("known"),
            all_people=everybody,
            all_records=records,
            **asked,
        )
        assert [list(one.values()) for one in found] == [
            [pytest.approx(value, abs=0) if isinstance(value, float) else value for value in one]
            for one in expected
        ]
    asked |= {"bounds": [1], "all_people": everybody, "all_records": 2**40}
    assert row(connection, "facts_together", known=Sql("known"), **asked)["chance_of_error"] == 1


def test_cells_that_are_missing(connection: duckdb.DuckDBPyConnection) -> None:
    """A missing cell has the hash of nothing; a row of a table of counts lacks it of all its people."""
    connection.execute(
        "CREATE OR REPLACE TABLE known AS SELECT n AS people, "
        "CASE WHEN n > 2 THEN hash(NULL) ELSE hash(1) END AS h0, "
        "CASE WHEN n = 9 THEN hash(NULL) ELSE hash(n) END AS h1, hash(2) AS h2 "
        "FROM unnest([1, 2, 3, 9]) AS r(n)"
    )
    for places, counted in (([0, 1, 2], []), ([2, 0], [5, 2]), ([], [5]), ([], [])):
        for weighted, cells in ((False, [2, 1, 0]), (True, [12, 9, 0])):
            shared = {"known": Sql("known"), "places": places, "counted": counted}
            found = row(connection, "missing_facts", **shared, weighted=weighted)
            asked = [cells[place] for place in places]
            assert found == {"cells": asked, "missing_cells": sum(asked) + sum(counted)}


def test_classes_of_the_sample(connection: duckdb.DuckDBPyConnection) -> None:
    """Who shares a class with somebody of the sample is not alone in it, whoever else has it."""
    connection.execute(
        "CREATE OR REPLACE TABLE fact_sample AS SELECT person, hash(a) AS h0, hash(b) AS h1 "
        "FROM (VALUES (1, 'a', 'x'), (1, 'a', 'y'), (2, 'b', 'x'), (3, 'b', NULL), (4, 'c', 'x')) "
        "AS r(person, a, b)"
    )
    single, pair = {"places": [0, 1], "size": 1}, {"places": [0, 1], "size": 2}
    for asked, by_record, missing, expected in (
        (single, False, [], [(0, 3, 2), (1, 3, 2)]),
        (single, False, [1], [(0, 3, 2), (1, 2, 1)]),
        (single, True, [], [(0, 3, 1), (1, 3, 2)]),
        (pair, True, [1], [(0, 4, 4)]),
        (pair, False, [], [(0, 5, 5)]),
    ):
        found = run(connection, "sampled_classes", **asked, by_record=by_record, missing=missing)
        assert [tuple(one.values()) for one in found] == expected


def estimate(connection: duckdb.DuckDBPyConnection, **asked: Any) -> dict[str, Any]:
    """The estimate of the table "known", whose people, or classes, a hash draws."""
    if not asked["by_record"]:
        connection.execute(
            f"CREATE OR REPLACE TABLE drawn AS FROM known WHERE person % {asked['one_in']} = 0"
        )
        asked["drawn"] = Sql("drawn")
    shared = {"attributes": 2, "weighted": False, "drawn": None, "known": Sql("known")}
    return row(connection, "sampled_together", **shared | asked)


def count_together(connection: duckdb.DuckDBPyConnection, **asked: Any) -> list[dict[str, Any]]:
    """Return the classes of all attributes, which an estimate is compared with."""
    shared = {"known": Sql("known"), "attributes": 2, "bounds": [1, 2]}
    return run(connection, "facts_together", **shared | asked)


def test_an_estimate_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Of five people 2 and 4 are drawn. 2 is alone, 4 shares its class with 1 and has it twice.

    x = 1 with f = 2: 2 people, and 2 (1 + 1.9208 -+ 1.96 sqrt(1.9604)) is 0.35 and 11.3, of 5 people at most.
    """
    put(connection, "known", "person h0 h1", (1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 1, 1), (4, 1, 1), (5, 3, 1))
    found = estimate(connection, by_record=False, one_in=2, all_people=5)
    assert found == {
        "smallest_class_at_most": 1, "people": 2, "share": 0.4, "share_lower": 0.0, "share_upper": 1.0
    }  # fmt: skip
    connection.execute("DELETE FROM known WHERE person = 2")
    found = estimate(connection, by_record=False, one_in=2, all_people=400)
    assert found == {
        "smallest_class_at_most": 3, "people": 0, "share": 0, "share_lower": 0, "share_upper": 8 / 400
    }  # fmt: skip
    connection.execute("DELETE FROM known")
    found = estimate(connection, by_record=False, one_in=2, all_people=0)
    assert (found["smallest_class_at_most"], found["people"], found["share"]) == (None, 0, None)


@pytest.mark.parametrize("by_record", [0, 1, 2])
def test_an_estimate_of_everybody_is_exact(connection: duckdb.DuckDBPyConnection, by_record: int) -> None:
    """With every person drawn it counts the people that the classes of all attributes single out."""
    chance = random.Random(7)
    for count in (1, 7, 20, 40):
        rows = [
            (chance.randrange(12), chance.randrange(1, 3), *chance.choices(range(5), k=2))
            for _ in range(count)
        ]
        put(connection, "known", "person people h0 h1", *rows)
        everybody = len({one[0] for one in rows}) if not by_record else count
        everybody = sum(one[1] for one in rows) if by_record == 2 else everybody
        asked = {"by_record": by_record > 0, "weighted": by_record == 2, "all_people": everybody}
        exact = count_together(connection, all_records=count, **asked)
        alone = next((one["people"] for one in exact if one["most"] == 1), 0)
        found = estimate(connection, one_in=1, **asked)
        assert found["people"] == alone
        assert found["share_lower"] <= alone / everybody <= found["share_upper"]
        assert found["smallest_class_at_most"] >= min(one["smallest_class"] for one in exact)
        assert (found["smallest_class_at_most"] == 1) == (alone > 0)


@pytest.mark.parametrize("by_record", [False, True])
def test_the_interval_of_an_estimate_holds_the_exact_number(
    connection: duckdb.DuckDBPyConnection, by_record: bool
) -> None:
    """A 95% interval misses at most 5 of 40 tables but for chance; the bound of k never does."""
    missed = 0
    for seed in range(40):
        values = 40 + 60 * (seed % 4)
        connection.execute(
            f"CREATE OR REPLACE TABLE known AS SELECT hash(i // 2, {seed}) AS person,"
            f" hash(hash(i, {seed}) % {values}) AS h0, hash(hash(i, {seed + 100}) % {values}) AS h1"
            " FROM range(8000) AS r(i)"
        )
        everybody = 8000 if by_record else 4000
        asked = {"by_record": by_record, "weighted": False, "all_people": everybody}
        exact = count_together(connection, all_records=8000, **asked)
        alone = next((one["share"] for one in exact if one["most"] == 1), 0)
        found = estimate(connection, one_in=20, **asked)
        missed += not found["share_lower"] <= alone <= found["share_upper"]
        assert found["smallest_class_at_most"] >= min(one["smallest_class"] for one in exact)
    assert missed <= 5
