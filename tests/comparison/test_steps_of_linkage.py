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
