"""How often the nearest record is the right one, against all pairs in Python."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from hashlib import md5

import duckdb
import pytest

from tests.tables import connect, put, row

SEED = 3


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


Ranks = Sequence[tuple[int, ...]]


def rate_of(originals: Ranks, releases: Ranks) -> float:
    """Return the share of records whose own one is among the nearest; of several each counts its part."""
    right = 0.0
    for number, *ranks in originals:
        distances = {
            other: max(abs(a - b) for a, b in zip(ranks, place, strict=True)) for other, *place in releases
        }
        nearest = [other for other, distance in distances.items() if distance == min(distances.values())]
        right += (number in nearest) / len(nearest)
    return right / len(originals)


def shuffle(releases: Ranks, turn: int) -> Ranks:
    """Return a release whose columns are each in an order of their own."""
    columns = []
    for place in range(len(releases[0]) - 1):
        order = sorted(
            releases,
            key=lambda one: (md5(f"{SEED} {place} {turn} {one[0]}".encode()).hexdigest(), one[0]),
        )
        columns.append([one[1 + place] for one in order])
    return [
        (number, *ranks) for number, *ranks in zip(sorted(one[0] for one in releases), *columns, strict=True)
    ]


@pytest.mark.parametrize(("attributes", "permutations"), [(1, 1), (2, 4), (3, 3)])
@pytest.mark.parametrize("noise", [0, 2, 9])
def test_links_to_the_nearest_record(
    connection: duckdb.DuckDBPyConnection, attributes: int, permutations: int, noise: int
) -> None:
    """Without noise all that differ are linked; shuffled releases with no lower a rate count for p."""
    chance = random.Random(attributes + noise)
    originals = [(3 * n, *(chance.randrange(12) for _ in range(attributes))) for n in range(14)]
    releases = [(n, *(rank + chance.randint(-noise, noise) for rank in ranks)) for n, *ranks in originals]
    names = " ".join(f"r{place}" for place in range(attributes))
    put(connection, "originals", f"number {names}", *originals)
    put(connection, "releases", f"number {names}", *releases)
    found = row(
        connection, "linkage", original="originals", release="releases", attributes=attributes,
        permutations=permutations, seed=SEED,
    )  # fmt: skip
    rate = rate_of(originals, releases)
    blind = [rate_of(originals, shuffle(releases, turn)) for turn in range(1, permutations + 1)]
    assert found == {
        "records": 14,
        "rate": pytest.approx(rate),
        "blind_rate": pytest.approx(sum(blind) / permutations),
        "p_value": (1 + sum(one >= rate - 1e-12 for one in blind)) / (permutations + 1),
    }


def test_keys_that_both_tables_have(connection: duckdb.DuckDBPyConnection) -> None:
    """How often a key is there at most, and how many keys are common; no record has none."""
    given = {"original": "o", "original_key": "a", "release": "r", "release_key": "b"}
    put(connection, "o", "a", (1,), (1,), (2,), (None,), (None,), (None,))
    put(connection, "r", "b:VARCHAR", ("1",), ("3",), (None,), (None,))
    found = row(connection, "matched_keys", **given)
    assert found == {"original_most": 2, "release_most": 1, "common": 1}
    put(connection, "o", "a")
    put(connection, "r", "b:VARCHAR", (None,))
    assert set(row(connection, "matched_keys", **given).values()) == {0}


def test_pairs_that_are_compared_by_ranges(connection: duckdb.DuckDBPyConnection) -> None:
    """Each cell of the release with the combinations that have its bits in both words, whole or in parts."""
    originals = [(1, 4), (1, 5), (2, 4), (3, 7)]
    releases = [
        (1, 3, 4, 7),
        (1, 3, 4, 7),
        (1, 3, 4, 4),
        (0, 0, 4, 7),
        (2, 2, 5, 5),
        (1, 3, 0, 0),
        (2, 3, 5, 7),
    ]
    put(connection, "originals", "w0 w1", *originals)
    put(connection, "releases", "f0 m0 f1 m1", *releases)

    def count(part: int | None) -> int:
        return sum(
            (w0 & m0, w1 & m1) == (f0, f1) and part in (None, w0 & 1)
            for w0, w1 in originals
            for f0, m0, f1, m1 in releases
            if part in (None, f0 & 1)
        )

    given = {"words": [0, 1], "releases": "releases", "part_word": 0}
    for bits, part in ((0, None), (1, 0), (1, 1)):
        found = row(connection, "release_pairs", **given, part_bits=bits, part=part or 0)
        assert found == {"pairs": count(part)}
