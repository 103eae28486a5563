"""What quasi-identifiers become in each class, on hierarchies and numbers made by hand."""

from __future__ import annotations

from collections.abc import Iterator

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


def test_labels_of_ranges(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [(n, 3 + n, *tree, *numbers) for n, (tree, numbers, *_) in enumerate(BOXES)]
    put(connection, "quasi_boxes", "class n lo0 hi0 lo1 hi1", *rows)
    run(connection, "class_cells", heights=[3, 0], leaves=[6, 5], tables=["tree", "numbers"], sets=[0, 0])
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
    run(connection, "class_cells", heights=[1], leaves=[5], tables=["jobs"], sets=[3])
    found = tell(connection, "SELECT cell0, loss0 FROM quasi_cells ORDER BY class")
    assert found == [(cell, loss) for _, cell, loss in classes]


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_labels_of_one_level(connection: duckdb.DuckDBPyConnection, level: int) -> None:
    """A label of one leaf loses nothing, nor does the root of an attribute with one value."""
    put(connection, "quasi_classes", "class n", (10, 2), (10, 3), (11, 4), (12, 1))
    put(connection, "quasi_tuples", "tuple a0 a1", (10, 0, 0), (11, 2, 0), (12, 4, 0), (13, 5, 0))
    put(connection, "one", "code label0:VARCHAR", (0, "x"))
    run(
        connection, "domain_cells", heights=[3, 1], levels=[level, 1], leaves=[6, 1], tables=["tree", "one"],
    )  # fmt: skip
    labels = {0: "ace", 1: ("ab", "c", "ef"), 2: ("abc", "abc", "def"), 3: "***"}
    losses = {0: (0, 0, 0), 1: (2 / 6, 0, 2 / 6), 2: (3 / 6, 3 / 6, 3 / 6), 3: (1, 1, 1)}
    names = "class, n, changed0, cell0, loss0, changed1, cell1, loss1"
    found = tell(connection, f"SELECT {names} FROM quasi_cells ORDER BY class")
    assert found == [
        (10 + n, records, level > 0, labels[level][n], losses[level][n], True, "*", 0)
        for n, records in enumerate((5, 4, 1))
    ]


def test_nodes_of_levels_and_those_to_examine_next(connection: duckdb.DuckDBPyConnection) -> None:
    """Two levels and a root of one quasi-identifier, one and a root of the other; then the middle layer of
    those with
    one that is not a root, and after one of them passed those that lose less."""
    penalties = [(0, 0, 0.0), (0, 1, 0.25), (0, 2, 1.0), (1, 0, 0.0), (1, 1, 0.5)]
    put(connection, "quasi_penalties", "attribute level penalty:DOUBLE", *penalties)
    run(connection, "domain_nodes", heights=[2, 1])
    told = tell(
        connection, "SELECT node, l0, l1, penalty, height, below, anonymous FROM quasi_nodes ORDER BY node"
    )
    assert told == [
        (1, 0, 0, 0.0, 0, 2, None), (2, 0, 1, 0.5, 1, 1, None), (3, 1, 0, 0.25, 1, 2, None),
        (4, 1, 1, 0.75, 2, 1, None), (5, 2, 0, 1.0, 2, 1, None), (6, 2, 1, 1.5, 3, 0, True),
    ]  # fmt: skip
    batches = []
    for most, settled in (
        (9, "anonymous = FALSE WHERE node = 5"),
        (9, "anonymous = TRUE WHERE node = 4"),
        (1, None),
        (9, None),
    ):
        run(connection, "domain_batch", most=most)
        batches.append([one[0] for one in tell(connection, "SELECT node FROM quasi_batch ORDER BY node")])
        if settled:
            connection.execute(f"UPDATE quasi_nodes SET {settled}")
    # Of 2 (height 1), 4 and 5 (2) the middle height is 2. After 5 failed, of 2 and 4 it is 1. After 4
    # passed with
    # 0.75, of those with less 2 has the fewest.
    assert batches == [[4, 5], [2], [2], [2]]
    connection.execute("UPDATE quasi_nodes SET anonymous = FALSE WHERE node = 2")
    run(connection, "domain_batch", most=1)
    assert tell(connection, "SELECT node, penalty FROM quasi_batch") == [(1, 0.0)]
    assert run(connection, "domain_count_batch") == [{"nodes": 1}]
