"""How alike items are: blocks of items and their differences on a few vectors, against the definitions."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator

import duckdb
import pytest

from tests.tables import connect, put, row, run, tell

#: The weight of each item that a user has.
Vectors = dict[tuple[int, int], float]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def test_blocks_of_items(connection: duckdb.DuckDBPyConnection) -> None:
    """A block ends with the item that brings its products to 10, or its pairs to 4; item 3 has no
    products."""
    norms = [(1, 4), (2, 5), (3, 0), (4, 6), (5, 20), (6, 1), (7, 1), (8, 3), (9, 1)]
    put(connection, "norms", "item products", *norms)
    # Products before each: 0, 4, 9, 15, 35, 36, 37, 40: by tens 0 0 0 1 3 3 3 4.
    found = run(connection, "item_blocks", norms="norms", products=10, blocks=99, pairs=10**6)
    assert [tuple(one.values()) for one in found] == [(1, 4), (5, 5), (6, 8), (9, 9)]
    # Half of all 41 products is more than 10: 0 0 0 0 1 1 1 1.
    found = run(connection, "item_blocks", norms="norms", products=10, blocks=2, pairs=10**6)
    assert [tuple(one.values()) for one in found] == [(1, 5), (6, 9)]
    # Pairs are at most the items behind: 4, 5, 5, 4, 1, 1, 1, 0, so 0, 4, 9, 14, 18, 19, 20, 21 before each.
    found = run(connection, "item_blocks", norms="norms", products=10**6, blocks=1, pairs=10)
    assert [tuple(one.values()) for one in found] == [(1, 4), (5, 7), (8, 9)]
    # Both: 0 0 0 2 4 4 5 6.
    found = run(connection, "item_blocks", norms="norms", products=10, blocks=99, pairs=10)
    assert [tuple(one.values()) for one in found] == [(1, 4), (5, 5), (6, 7), (8, 8), (9, 9)]


@pytest.mark.parametrize("exact", [True, False])
def test_differences_of_cosines(connection: duckdb.DuckDBPyConnection, exact: bool) -> None:
    """Pairs that some user of the original has, in one block or in two; users of the release have numbers
    below 0."""
    chance = random.Random(exact)
    for _ in range(4):
        vectors = {
            (user, item): chance.choice([1.0, 2.0, 3.0])
            for user in (1, 2, 3, -1, -2, -3)
            for item in (1, 2, 3, 4, 5, 6)
            if chance.random() < 0.45
        }
        put(
            connection,
            "vectors",
            "user_number item weight:DOUBLE",
            *[(*who, one) for who, one in vectors.items()],
        )
        put(connection, "items", "number", *[(item,) for item in range(1, 8)])
        run(connection, "vector_norms", vectors="vectors", items="items", exact_sums=exact, table="norms")

        def dot(sign: int, first: int, second: int, held: Vectors = vectors) -> float:
            return sum(held.get((sign * n, first), 0) * held.get((sign * n, second), 0) for n in (1, 2, 3))

        norms = {sign: {i: math.sqrt(dot(sign, i, i)) for i in range(1, 8)} for sign in (1, -1)}
        owned: defaultdict[int, set[int]] = defaultdict(set)
        for user, item in vectors:
            owned[user].add(item)
        products = {i: sum(len(of) - 1 for of in owned.values() if i in of) for i in range(1, 8)}
        told = tell(connection, "SELECT item, original, released, products FROM norms ORDER BY item")
        assert [one[0] for one in told] == list(range(1, 8))
        for item, *found in told:
            assert found == pytest.approx([norms[1][item], norms[-1][item], products[item]])
        pairs = [(i, j) for i in range(1, 7) for j in range(i + 1, 7) if dot(1, i, j)]
        cosines = {
            sign: {(i, j): dot(sign, i, j) / (norms[sign][i] * norms[sign][j] or 1) for i, j in pairs}
            for sign in (1, -1)
        }
        run(connection, "begin_differences", table="sums")
        for first, last in ((1, 2), (3, 6)):
            asked = {"vectors": "vectors", "norms": "norms", "exact_sums": exact, "table": "sums"}
            run(connection, "add_differences", **asked, first=first, last=last)
            inside = [pair for pair in pairs if first <= pair[0] <= last]
            ((many, difference, similarity),) = tell(
                connection, f"SELECT * EXCLUDE (block) FROM sums AS s (block) WHERE block = {first}"
            )
            assert many == len(inside)
            expected = sum(abs(cosines[1][pair] - cosines[-1][pair]) for pair in inside)
            assert float(difference) == pytest.approx(expected, abs=1e-15)
            assert float(similarity) == pytest.approx(sum(cosines[1][pair] for pair in inside), abs=1e-15)
        whole = sum(abs(cosines[1][pair] - cosines[-1][pair]) for pair in pairs)
        alike = sum(cosines[1].values())
        items = [item for item in range(1, 8) if norms[1][item]]
        vanished = sum(not norms[-1][item] for item in items)
        for diagonal in (False, True):
            found = row(connection, "similarity_loss", differences="sums", norms="norms", diagonal=diagonal)
            loss = (2 * whole + diagonal * vanished) / (2 * alike + diagonal * len(items))
            assert found["loss"] == pytest.approx(min(1, loss))
            assert [found["pairs"], found["items"], found["vanished"]] == [len(pairs), len(items), vanished]
