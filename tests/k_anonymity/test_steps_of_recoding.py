"""The steps of local recoding, each on a few tuples, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator

import duckdb
import pytest

from tests.tables import connect, put, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([10, 20, 40, 20], {10: 0, 20: 1 / 3, 40: 1}),
        ([7, math.inf, 7, -math.inf, math.nan], {-math.inf: -2, 7: 0, math.inf: 2, "nan": 3}),
        ([-1e308, 0, 1e308], {-1e308: 0, 0: 0.5, 1e308: 1}),
    ],
)
def test_places_of_numbers(
    connection: duckdb.DuckDBPyConnection, values: list[float], places: dict[float | str, float]
) -> None:
    """In the order of the values; a missing one is number 0."""
    put(connection, "t", "v:DOUBLE", *[(value,) for value in values], (None,))
    run(connection, "quasi_numbers", source="t", column="v", table="numbered", moments=False)
    told = tell(connection, "SELECT value, code, place FROM numbered ORDER BY code")
    assert told[0] == (None, 0, -1)
    assert [code for _, code, _ in told] == list(range(len(places) + 1))
    found = {"nan" if math.isnan(value) else value: place for value, _, place in told[1:]}
    assert list(found) == list(places)
    assert list(found.values()) == pytest.approx(list(places.values()))


def test_boxes_and_members_of_classes(connection: duckdb.DuckDBPyConnection) -> None:
    """Of four equal records the first is in one class, the others are in the next."""
    put(connection, "quasi_tuples", "tuple n a0 a1", (1, 4, 2, 7), (2, 1, 5, 3), (3, 2, 4, 3))
    run(connection, "begin_classes")
    connection.execute("INSERT INTO quasi_classes VALUES (1, 8, 1), (1, 9, 3), (2, 8, 1), (3, 9, 2)")
    run(connection, "class_boxes", columns=["a", "b"], sets=[0, 16], means=[], tables=["v", "w"])
    boxes = [(8, 2, 2, 5, 3, 7, [3, 7]), (9, 5, 2, 4, 3, 7, [3, 7])]
    assert sorted(tell(connection, "FROM quasi_boxes")) == boxes
    records = [(3, 2, 7), (6, 5, 3), (1, 2, 7), (5, 2, 7), (4, 2, 7), (2, 4, 3), (7, 4, 3)]
    put(connection, "quasi_records", "record a0 a1", *records)
    run(connection, "quasi_members", columns=["a", "b"], more=[])
    assert sorted(tell(connection, "FROM quasi_members")) == [
        (1, 8),
        (2, 9),
        (3, 9),
        (4, 9),
        (5, 9),
        (6, 8),
        (7, 9),
    ]
