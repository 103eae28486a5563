"""What quasi-identifiers become in each class, on hierarchies and numbers made by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.tables import connect, put, run, tell


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        # Six leaves in two groups of three and below these in pairs; five numbers, the last of them missing.
        leaves = [
            (0, "a", "ab", 0, 1, "abc", 0, 2), (1, "b", "ab", 0, 1, "abc", 0, 2),
            (2, "c", "c", 2, 2, "abc", 0, 2),
            (3, "d", "d", 3, 3, "def", 3, 5),
            (4, "e", "ef", 4, 5, "def", 3, 5), (5, "f", "ef", 4, 5, "def", 3, 5),
        ]  # fmt: skip
        columns = "code label0:VARCHAR label1:VARCHAR lo1 hi1 label2:VARCHAR lo2 hi2"
        put(made, "tree", columns, *leaves)
        numbers = [
            (0, "1", 0.0),
            (1, "3", 0.25),
            (2, "4", 0.375),
            (3, "9", 1.0),
            (4, "", 1.5),
            (5, "-", -1.0),
        ]
        put(made, "numbers", "code label0:VARCHAR place:DOUBLE", *numbers)
        yield made


#: The range of a class in the tree and in the numbers, and what they become: cell and loss.
BOXES = [
    ((0, 0), (1, 1), ("a", 0), ("3", 0)),
    ((0, 1), (0, 3), ("ab", 2 / 6), ("[1, 9]", 1)),
    ((1, 2), (1, 2), ("abc", 3 / 6), ("[3, 4]", 0.125)),
    ((2, 2), (2, 4), ("c", 0), ("*", 1)),
    ((4, 5), (4, 4), ("ef", 2 / 6), ("", 0)),
    ((3, 5), (5, 5), ("def", 3 / 6), ("-", 0)),
    ((2, 3), (5, 5), ("*", 1), ("-", 0)),
    ((0, 5), (0, 1), ("*", 1), ("[1, 3]", 0.25)),
]


#: Numbers become intervals, and categories texts.
WRITTEN: dict[str, Any] = {"numbers": "interval", "listed": False, "prefixes": []}


def test_labels_of_ranges(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [(n, 3 + n, *tree, *numbers) for n, (tree, numbers, *_) in enumerate(BOXES)]
    put(connection, "quasi_boxes", "class n lo0 hi0 lo1 hi1", *rows)
    given = {"heights": [3, 0], "leaves": [6, 5], "tables": ["tree", "numbers"], "sets": [0, 0]}
    run(connection, "class_cells", **given, **WRITTEN, kinds=["number", "number"])
    names = "class, n, changed0, cell0, loss0, changed1, cell1, loss1"
    found = tell(connection, f"SELECT {names} FROM quasi_cells ORDER BY class")
    assert found == [
        (n, 3 + n, tree[0] != tree[1], *label, numbers[0] != numbers[1], *ends)
        for n, (tree, numbers, label, ends) in enumerate(BOXES)
    ]


def test_sets_of_categories(connection: duckdb.DuckDBPyConnection) -> None:
    """Of five categories at most three stand in a set; all of them, or a missing one, are everything."""
    put(connection, "jobs", "code label0:VARCHAR", *((n, label) for n, label in enumerate(["", *"vwxyz"])))
    classes = [([2], "w", 0), ([1, 3], "{v, x}", 0.4), ([1, 2, 5], "{v, w, z}", 0.6), ([1, 2, 3, 4], "*", 1)]
    classes += [([0, 2], "*", 1), ([0], "", 0)]
    rows = [(n, 2, min(codes), max(codes), codes) for n, (codes, *_) in enumerate(classes)]
    put(connection, "quasi_boxes", "class n lo0 hi0 codes0:BIGINT[]", *rows)
    given = {"heights": [1], "leaves": [5], "tables": ["jobs"], "sets": [3], "kinds": ["number"]}
    run(connection, "class_cells", **given, **WRITTEN)
    found = tell(connection, "SELECT cell0, loss0 FROM quasi_cells ORDER BY class")
    assert found == [(cell, loss) for _, cell, loss in classes]
    run(connection, "class_cells", **given, numbers="interval", listed=True, prefixes=[])
    lists = tell(connection, "SELECT cell0 FROM quasi_cells ORDER BY class")
    assert lists == [(["w"],), (["v", "x"],), (["v", "w", "z"],), (["*"],), (["*"],), (None,)]


def test_numbers_that_stay_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    """Of 0, 10 and 40 twice the mean is 22.5; with a missing value or an infinite one there is none."""
    numbers = [(0, None, None, -1.0), (1, 0.0, 0.0, 0.0), (2, 10.0, 10.0, 0.25), (3, 40.0, 40.0, 1.0)]
    numbers.append((4, math.inf, math.inf, 2.0))
    put(connection, "ages", "code value:DOUBLE amount:DOUBLE place:DOUBLE", *numbers)
    put(connection, "quasi_tuples", "tuple a0", *((n, n) for n in range(5)))
    members = [(1, 1, 1), (2, 1, 1), (3, 1, 2), (2, 2, 5), (0, 3, 1), (1, 3, 1), (4, 4, 1), (3, 4, 1)]
    put(connection, "quasi_classes", "tuple class n", *members)
    given = {"sets": [0], "tables": ["ages"]}
    run(connection, "class_boxes", columns=["age"], means=[0], **given)
    shared = {**given, "heights": [0], "leaves": [5], "kinds": ["number"], "listed": False, "prefixes": []}
    run(connection, "class_cells", **shared, numbers="mean")
    means = tell(connection, "SELECT cell0 FROM quasi_cells ORDER BY class")
    assert means == [(22.5,), (10.0,), (None,), (None,)]
    run(connection, "class_cells", **shared, numbers="bounds")
    ends = tell(connection, "SELECT cell0, upper0, loss0 FROM quasi_cells ORDER BY class")
    assert ends == [(0.0, 40.0, 1.0), (10.0, 10.0, 0.0), (None, None, 1.0), (None, None, 1.0)]


def test_codes_become_a_prefix(connection: duckdb.DuckDBPyConnection) -> None:
    """Of six codes two or three may stand in a set; more become what all begin with, if anything."""
    labels = ["", "101", "102", "103", "104", "205", "206"]
    put(connection, "codes", "code label0:VARCHAR", *enumerate(labels))
    classes = [([1, 2], "{101, 102}", 2 / 6), ([1, 2, 3, 4], "10*", 4 / 6), ([1, 2, 5, 6], "*", 1)]
    classes += [([0, 1, 2], "*", 1), ([3], "103", 0)]
    rows = [(n, 2, min(codes), max(codes), codes) for n, (codes, *_) in enumerate(classes)]
    put(connection, "quasi_boxes", "class n lo0 hi0 codes0:BIGINT[]", *rows)
    given = {"heights": [1], "leaves": [6], "tables": ["codes"], "sets": [3], "kinds": ["number"]}
    run(connection, "class_cells", **given, numbers="interval", listed=False, prefixes=[0])
    found = tell(connection, "SELECT cell0, loss0 FROM quasi_cells ORDER BY class")
    assert found == [(cell, loss) for _, cell, loss in classes]
