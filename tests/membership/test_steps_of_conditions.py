"""The predicates that single out records of a release, drawn from its records, by their definition."""

from __future__ import annotations

import hashlib
import random

import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, put, run, tell


@pytest.mark.parametrize("numeric", [[], [0, 2]])
@pytest.mark.parametrize("combined", [1, 2, 4])
def test_conditions_of_drawn_records(numeric: list[int], combined: int) -> None:
    """Numbers are at least or at most their value by the median, and a missing one is missing."""
    chance = random.Random(combined)
    names = ["k0", "k1", "k2", "k3"]
    records = [tuple(chance.randrange(4) for _ in names) for _ in range(6)]
    above = {(place, code): code > 1 for place in range(4) for code in range(4)}
    with connect(threads=1) as connection:
        put(
            connection,
            "different",
            f"record {' '.join(names)}",
            *((n, *one) for n, one in enumerate(records)),
        )
        values = [(*key, is_above) for key, is_above in above.items()]
        put(connection, "release_values", "place:INTEGER code above:BOOLEAN", *values)
        run(
            connection, "record_conditions", name="made", different=Sql("different"),
            release_values=Sql("release_values"), numeric=numeric, seed=5, columns=names, combined=combined,
            records=len(records), start=3, stop=20,
        )  # fmt: skip
        (numbers,) = tell(
            connection, f"SELECT {', '.join(f'MD5_NUMBER_LOWER(CONCAT(5, {_of(n)}))' for n in range(3, 20))}"
        )
        found = sorted(tell(connection, "SELECT predicate, place, op, code FROM made"))
    expected = []
    for predicate, number in enumerate(numbers, 3):
        record = records[number % len(records)]
        order = sorted(
            range(4),
            key=lambda place, of=predicate: hashlib.md5(  # type: ignore[misc]
                f"5:columns:{of}:{place}".encode(), usedforsecurity=False
            ).hexdigest(),
        )
        for place in order[:combined]:
            code = record[place]
            is_number = place in numeric and code != 0
            op = ("ge" if above[place, code] else "le") if is_number else "eq"
            expected.append((predicate, place, op, code))
    assert found == sorted(expected)


def _of(number: int) -> str:
    return f"':record:', {number}"


def test_every_third_record() -> None:
    with connect(threads=1) as connection:
        put(connection, "r", "record a", *((n, 2 * n) for n in range(8)))
        run(connection, "record_part", name="part", source="r", step=3)
        assert sorted(tell(connection, "FROM part")) == [(0, 0), (3, 6), (6, 12)]


def test_numbered_values_of_several_tables() -> None:
    """Each value once, in their order; numbers in hundredths of the range, without an overflow."""
    largest = 1.7e308
    with connect(threads=1) as connection:
        put(connection, "a", "x:DOUBLE k:VARCHAR", (-10, "q"), (5, "p"), (None, None), (5, "p"))
        put(connection, "b", "x:DOUBLE k:VARCHAR", (30, "r"), (5, "q"), (20.2, None))
        asked = {"name": "made", "tables": ["a", "b"]}
        run(connection, "risk_values", **asked, column="k", unit=None)
        assert tell(connection, "FROM made ORDER BY code") == [("p", 1), ("q", 2), ("r", 3)]
        run(connection, "risk_values", **asked, column="x", unit=100)
        assert tell(connection, "SELECT value, code, number, scaled FROM made ORDER BY code") == [
            (-10, 1, -10, 0), (5, 2, 5, 38), (20.2, 3, 20.2, 76), (30, 4, 30, 100)
        ]  # fmt: skip
        put(connection, "a", "x:DOUBLE", (-largest,), (0,))
        put(connection, "b", "x:DOUBLE", (largest,))
        run(connection, "risk_values", **asked, column="x", unit=100)
        assert tell(connection, "SELECT scaled FROM made ORDER BY code") == [(0,), (50,), (100,)]
        run(connection, "risk_values", name="made", tables=["b"], column="x", unit=100)
        assert tell(connection, "SELECT code, scaled FROM made") == [(1, 0)]
