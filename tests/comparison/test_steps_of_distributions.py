"""The parts of distributions and the means of groups, each on drawn values, from their definitions."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import duckdb
import pytest

from tests.tables import connect, put, run, tell


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


Leaf = tuple[int, str | None, str | None, float | None, int]


def draw_leaves(chance: random.Random, ordered: bool) -> list[Leaf]:
    """Draw values with their place and records; some have no place, and some no record."""
    leaves: list[Leaf] = []
    for code in range(1, 25):
        place = float(10 * code) if ordered and code < 22 else None
        leaves.append((code, f"v{code}", f"v{code}", place, chance.choice([0, 1, 1, 2, 3, 9])))
    return [*leaves, (25, None, None, None, chance.choice([0, 4]))]


def part_of(leaves: list[Leaf], ordered: bool, most: int) -> dict[int, tuple[str, int, float | None]]:
    """Return kind, number and upper share of the part of each value."""
    known = [one for one in leaves if one[1] and one[4] and (one[3] is not None or not ordered)]
    ranks = sorted(known, key=lambda one: (-one[4], one[0]))
    total, until = sum(one[4] for one in known), 0
    parts: dict[int, tuple[str, int, float | None]] = {}
    for one in leaves:
        if one not in known:
            parts[one[0]] = ("missing" if one[1] is None else "others", 0, None)
        elif ordered:
            middle = Fraction(until) + Fraction(one[4], 2)
            until += one[4]
            parts[one[0]] = ("band", 1 + min(9, int(10 * middle / total)), until / total)
        else:
            rank = 1 + ranks.index(one)
            parts[one[0]] = ("value", rank, None) if rank <= most else ("others", 0, None)
    return parts


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_parts_and_their_shares(connection: duckdb.DuckDBPyConnection, seed: int, ordered: bool) -> None:
    chance = random.Random(seed)
    leaves = draw_leaves(chance, ordered)
    put(connection, "leaves", "code value:VARCHAR name:VARCHAR place:DOUBLE records", *leaves)
    run(connection, "distribution_parts", leaves="leaves", ordered=ordered, most=5)
    parts = part_of(leaves, ordered, 5)
    told = tell(connection, "SELECT code, kind, part, below FROM distribution_parts ORDER BY code")
    assert told == [(code, *parts[code]) for code in parts]
    reach = {2: [4], 3: [25], 4: sorted(chance.sample(range(1, 26), 6)), 5: [22, 23]}
    cells = [(1, "all", 25, 1, 25, 5, None)]
    cells += [(cell, "set", len(of), min(of), max(of), 3 + cell, None) for cell, of in reach.items()]
    if ordered:
        cells += [(6, "interval 90.0", 10, 3, 12, 7, None), (7, "interval 30.0", 4, 1, 4, 2, None)]
        cells += [(8, "false", 0, 0, -1, 3, 105.0), (9, "false", 0, 0, -1, 2, -5.0)]
        cells += [(10, "false", 0, 0, -1, 4, 9e9)]
    cells += [(11, "false", 0, 0, -1, 6, None)]
    put(connection, "cells", "cell layer:VARCHAR size first last records sort_value:DOUBLE", *cells)
    put(connection, "reach", "cell code", *((cell, code) for cell, of in reach.items() for code in of))
    members: defaultdict[tuple[str, int], list[Leaf]] = defaultdict(list)
    for one in leaves:
        members[parts[one[0]][:2]].append(one)
    spread: defaultdict[tuple[str, int], float] = defaultdict(float)
    bands = sorted(key for key in members if key[0] == "band")
    for cell, layer, size, first, last, records, number in cells:
        for key, of in members.items():
            covered = len([one for one in of if one[0] in reach.get(cell, ())])
            if layer == "all":
                covered = len(of)
            elif layer.startswith("interval") and key in bands:
                covered = max(0, min(last, of[-1][0]) - max(first, of[0][0]) + 1)
            elif number is not None and key in bands:
                begun = [band for band in bands if min(one[3] or 0 for one in members[band]) <= number]
                covered = int(key == max(begun, default=bands[0]))
            spread[key] += covered / max(size, 1) * records
    everybody, released = sum(one[4] for one in leaves), sum(one[5] for one in cells)
    order = sorted(members, key=lambda key: (key[0] == "missing", key[0] == "others", key[1]))
    expected = []
    for key in order:
        of = members[key]
        records = sum(one[4] for one in of)
        if records or spread[key]:
            shares = (pytest.approx(records / everybody), pytest.approx(spread[key] / released))
            count = sum(one[4] > 0 for one in of)
            expected.append((*key, count, parts[of[-1][0]][2], *shares, of[0][2], of[-1][2]))
    given = {"cells": "cells", "reach": "reach", "ordered": ordered}
    found = [tuple(one.values()) for one in run(connection, "part_shares", **given, with_values=True)]
    assert found == expected
    shorter = [tuple(one.values()) for one in run(connection, "part_shares", **given, with_values=False)]
    assert shorter == [one[:-2] for one in expected]


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("single_values", [False, True])
def test_the_number_that_a_reader_takes(
    connection: duckdb.DuckDBPyConnection, single_values: bool, absolute: bool
) -> None:
    """Of -10, 5 and 20 an interval is the middle of its ends, a set the mean, and * that of the others."""
    leaves = [(1, -10.0), (2, 5.0), (3, 20.0), (4, float("inf")), (5, None)]
    put(connection, "leaves", "code place:DOUBLE", *leaves)
    cells = [("-10", 1, "value", 1, 1, 3, None), ("5", 2, "value", 2, 2, 1, None)]
    others = [("[-10, 20]", 3, "interval 30.0", 1, 3, 2, None), ("{-10, 5}", 4, "set", 1, 2, 4, None)]
    others += [("8", 5, "false", 0, -1, 2, 8.0), ("far", 6, "false", 0, -1, 2, 3e7)]
    others += [
        ("*", 7, "all", 1, 5, 5, None),
        (None, 8, "all", 1, 5, 5, None),
        ("x", 9, "false", 0, -1, 1, None),
    ]
    cells += [] if single_values else others
    columns = "value:VARCHAR cell layer:VARCHAR first last records sort_value:DOUBLE"
    put(connection, "cells", columns, *cells)
    put(connection, "reach", "cell code", (1, 1), (2, 2), (4, 1), (4, 2))
    given = {"leaves": "leaves", "cells": "cells", "reach": "reach", "table": "made"}
    run(connection, "cell_numbers", **given, single_values=single_values, absolute=absolute)
    numbers = {"-10": -10.0, "5": 5.0}
    if not single_values:
        numbers |= {"[-10, 20]": 5.0, "{-10, 5}": -2.5, "8": 8.0}
    if absolute:
        numbers = {value: abs(number) for value, number in numbers.items()}
    if not single_values:
        records = {one[0]: one[5] for one in cells}
        everything = sum(numbers[value] * records[value] for value in numbers)
        numbers["*"] = everything / sum(records[value] for value in numbers)
    told = {value: part for value, part in tell(connection, "SELECT value, part FROM made")}  # noqa: C416
    assert told == pytest.approx({value: number / 20 for value, number in numbers.items()})


@pytest.mark.parametrize("seed", range(6))
def test_changes_of_the_means_of_groups(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """A change relative to the mean size, at most 1; median and 95 % over the records of the groups."""
    chance = random.Random(seed)
    original, release, changes = [], [], []
    for number, category in ((0, 5), (0, 6), (2, 5), (3, 6)):
        for code in range(6):
            weight = chance.randint(1, 9)
            size = chance.choice([0.0, 2.0, 4.0])
            total = chance.choice([-1, 0.5, 1]) * size
            original += [(category, number, code, weight, total), (category, -1 - number, code, weight, size)]
            if number == 3:
                continue  # no record of the release has this number with this category
            after = chance.choice([None, total / weight, total / weight + 0.25, 9.0])
            if after is None:
                change = 1.0
            else:
                records = chance.choice([1.0, 2.5])
                release.append((category, number, code, records, after * records))
                mean = size / weight
                change = abs(after - total / weight)
                change = change and (min(1.0, change / mean) if mean else 1.0)
            changes.append((number, category, weight, change))
    columns = "category number code weight:DOUBLE total:DOUBLE"
    put(connection, "o", columns, *original)
    put(connection, "r", columns, *release)
    expected = []
    for number in (None, 0, 2):
        mine = sorted((one for one in changes if number in (None, one[0])), key=lambda one: one[3])
        everybody, below, figures = sum(one[2] for one in mine), 0, []
        for share in (0.5, 0.95):
            below = 0
            for one in mine:
                below += one[2]
                if below >= share * everybody:
                    figures.append(pytest.approx(one[3], abs=1e-12))
                    break
        expected.append((number, *figures, len(mine), len({one[1] for one in mine})))
    found = [tuple(one.values()) for one in run(connection, "mean_changes", original="o", release="r")]
    assert found == expected
