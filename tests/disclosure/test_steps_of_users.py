"""What users tell of a sensitive attribute, by the metric's own statement, against the definitions."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.disclosure.test_attribute_disclosure import KINDS, crowded, oracle, told
from tests.tables import connect, make, row

ROWS = [
    *(crowded(seed, ["a", "é"], [0, 1]) for seed in range(3)),
    crowded(4, ["a", None], [0, None], 12),
    [("a", 0, 1), ("a", 0, 1), ("é", 1, 1)],
    [("a", 0, 1)],
    [("a", 0, 1), ("a", 0, 1), ("a", 0, 2), ("é", 1, 2), ("é", 1, 9)],
]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def measured(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    make(connection, {"u": "INTEGER", **KINDS}, rows)
    given: dict[str, Any] = {"source": "t", "user": "u", "columns": ["q one", "class"], "column": "value"}
    return row(connection, "attribute_disclosure_users", **given)


def close(expected: dict[str, Any]) -> dict[str, Any]:
    return {
        name: pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value
        for name, value in expected.items()
    }


@pytest.mark.parametrize("rows", ROWS)
def test_users_of_one_record_are_records(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, Any, Any]]
) -> None:
    """The measures are those of records; the sets that recursive_c counts of homogeneous classes are one."""
    found = measured(connection, [*((n, *one) for n, one in enumerate(rows)), (None, "b", 7, 77)])
    assert found == close(oracle(rows))


@pytest.mark.parametrize("seed", range(4))
def test_users_of_several_values(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Histories differ in records and in how often these are there; a repeated value is held once."""
    chance = random.Random(seed)
    histories = [[("a", 0)], [("a", 0), ("a", 0)], [("a", 0), ("é", 1)], [(None, 1), ("a", None)]]
    rows = []
    for user in range(16):
        for first, second in chance.choice(histories):
            rows.append((user, first, second, chance.choice([1, 1, 2, 5, None])))
    chance.shuffle(rows)
    found = measured(connection, [*rows, (None, "a", 0, 77)])
    profiles: defaultdict[int, Counter[Any]] = defaultdict(Counter)
    values: defaultdict[int, set[Any]] = defaultdict(set)
    for user, first, second, value in rows:
        profiles[user][first, second] += 1
        values[user].add(value)
    users = sorted(profiles)
    classes: defaultdict[frozenset[Any], list[int]] = defaultdict(list)
    for place, user in enumerate(users):
        classes[frozenset(profiles[user].items())].append(place)
    held = [frozenset(values[user]) for user in users]
    expected = told([(len(members), members) for members in classes.values()], held)
    assert max(map(len, held)) > 1
    assert found.pop("ordered_t") is None
    assert found == expected
