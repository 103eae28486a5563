"""The steps that find what the values of a release cover, each on a few values, by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.tables import connect, put, run, tell


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def test_runs_of_neighbours(connection: duckdb.DuckDBPyConnection) -> None:
    """Sets are cut where a value is missing; an interval and everything are one run."""
    sets = {1: [3], 2: [1, 2, 3], 3: [1, 3, 4, 7], 4: [2, 5, 6, 9, 10]}
    put(connection, "reach", "cell code", *((cell, code) for cell, codes in sets.items() for code in codes))
    cells = [(cell, "set", codes[0], codes[-1]) for cell, codes in sets.items()]
    cells += [(5, "all", 1, 10), (6, "interval 2.0", 4, 6), (7, "false", 0, -1), (8, "value", 3, 3)]
    put(connection, "cells", "cell layer:VARCHAR first last", *cells)
    run(connection, "cell_runs", cells="cells", reach="reach", table="runs")
    assert tell(connection, "SELECT cell, first, last, run FROM runs ORDER BY cell, run") == [
        (1, 3, 3, 1), (2, 1, 3, 1), (3, 1, 1, 1), (3, 3, 4, 2), (3, 7, 7, 3),
        (4, 2, 2, 1), (4, 5, 6, 2), (4, 9, 10, 3), (5, 1, 10, 1), (6, 4, 6, 1),
    ]  # fmt: skip


def test_runs_of_drawn_sets(connection: duckdb.DuckDBPyConnection) -> None:
    chance = random.Random(3)
    sets = {cell: sorted(chance.sample(range(1, 12), chance.randint(1, 9))) for cell in range(1, 20)}
    put(connection, "reach", "cell code", *((cell, code) for cell, codes in sets.items() for code in codes))
    put(connection, "cells", "cell layer:VARCHAR first last")
    run(connection, "cell_runs", cells="cells", reach="reach", table="runs")
    expected = []
    for cell, codes in sets.items():
        firsts = [code for code in codes if code - 1 not in codes]
        lasts = [code for code in codes if code + 1 not in codes]
        expected += [(cell, *ends, run + 1) for run, ends in enumerate(zip(firsts, lasts, strict=True))]
    assert tell(connection, "SELECT cell, first, last, run FROM runs ORDER BY cell, run") == expected


NAMES = "name:VARCHAR layer:VARCHAR priority code"
LEAVES = "code value:VARCHAR name:VARCHAR records place:DOUBLE"
CELLS = (
    "value:VARCHAR name:VARCHAR records cell low:DOUBLE high:DOUBLE stands:DOUBLE open:BOOLEAN closed:BOOLEAN"
)


def find_places(
    connection: duckdb.DuckDBPyConnection, leaves: list[Any], cells: list[Any], has_ends: bool
) -> dict[str | None, tuple[Any, ...]]:
    """Return the layer, twice the position, and what sorts it, of each cell that only has a name."""
    put(connection, "leaves", LEAVES, *leaves)
    put(connection, "names", NAMES, *((leaf[2], "value", 0, leaf[0]) for leaf in leaves))
    rows = [
        (name, name, 1, cell, None, None, stands, False, False)
        for cell, (name, stands) in enumerate(cells, 1)
    ]
    put(connection, "cells", CELLS, *rows)
    connection.execute("ALTER TABLE cells ADD COLUMN members VARCHAR[]")
    tables = {"leaves": "leaves", "names": "names", "cells": "cells", "table": "found"}
    run(connection, "release_cells", **tables, has_ends=has_ends)
    return {name: rest for name, *rest in map(tuple, tell(
        connection, "SELECT name, layer, middle, sort_value FROM found"
    ))}  # fmt: skip


def test_where_false_texts_stand(connection: duckdb.DuckDBPyConnection) -> None:
    """Between b, d, f: before the first, behind the last, and next to a value that no record has."""
    leaves = [(1, "b", "b", 2, None), (2, "d", "d", 1, None), (3, "f", "f", 1, None), (4, "h", "h", 0, None)]
    leaves += [(5, None, None, 1, None)]
    cells = [(name, None) for name in ("a", "b", "c", "d", "e", "g", "i", None)]
    for has_ends in (False, True):
        found = find_places(connection, leaves, cells, has_ends)
        false = {"a": 1, "c": 3, "e": 5, "g": 7, "i": 7}
        assert found == {
            name: ["false", false[name], place] if name in false else ["value", middle, None]
            for place, (name, middle) in enumerate(
                zip([one[0] for one in cells], [0, 2, 0, 4, 0, 0, 0, 10], strict=True), 1
            )
        }


@pytest.mark.parametrize("missing", [False, True])
def test_where_false_numbers_stand(connection: duckdb.DuckDBPyConnection, missing: bool) -> None:
    """Of 10, 20 twice and 40: a number between two, a spelling of 20, and what is no number."""
    leaves = [(1, "10", "10", 1, 10.0), (2, "20", "20", 1, 20.0), (3, "20.0", "20.0", 1, 20.0)]
    leaves += [(4, "40", "40", 1, 40.0)] + [(5, None, None, 1, None)] * missing
    cells = [
        ("5", 5.0),
        ("10", 10.0),
        ("15", 15.0),
        ("2e1", 20.0),
        ("30", 30.0),
        ("99", 99.0),
        ("many", None),
    ]
    found = find_places(connection, leaves, cells, True)
    assert found == {
        "5": ["false", 1, 5.0],
        "10": ["value", 2, None],
        "15": ["false", 3, 15.0],
        "2e1": ["false", 5, 20.0],
        "30": ["false", 7, 30.0],
        "99": ["false", 9, 99.0],
        "many": ["false", 10 if missing else 9, None],
    }


def test_lists_of_one_value(connection: duckdb.DuckDBPyConnection) -> None:
    """A list of one is that value, an empty one or a missing one is none, and of more the text is that of a
    set."""
    connection.execute("CREATE OR REPLACE TABLE r (v VARCHAR[])")
    connection.execute("INSERT INTO r VALUES (['a']), (['a']), (['a', 'b']), ([]), (NULL), (['b'])")
    run(
        connection, "release_values", source="r", column="v", order_kind="text", kind="VARCHAR",
        written=None, listed=True, table="made",
    )  # fmt: skip
    told = tell(connection, "SELECT value, name, records, members FROM made ORDER BY cell")
    by_value = {str(value): (name, records, members) for value, name, records, members in told}
    assert by_value["['a']"] == ("a", 2, ["a"])
    assert by_value["['b']"] == ("b", 1, ["b"])
    assert by_value["['a', 'b']"][1:] == (1, ["a", "b"])
    assert by_value["['a', 'b']"][0] not in ("a", "b", None)
    assert by_value["None"] == (None, 1, None)
