"""The mass that a release gives to combinations of two attributes, by brute force on drawn classes."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest

from tests.tables import connect, put, run, tell

SIZES = {0: 5, 1: 4, 2: 3}


@pytest.mark.parametrize("seed", range(4))
def test_masses_of_a_grid(seed: int) -> None:
    """Each class spreads its records over a rectangle; of attribute 2 the release has nothing."""
    chance = random.Random(seed)
    cells: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for attribute in (0, 1):
        for cell in range(6):
            first = chance.randint(1, SIZES[attribute])
            cells[attribute][cell] = first, chance.randint(first, SIZES[attribute])
    cells[-1][0] = cells[2][0] = (1, 1)
    classes = [
        ({0: chance.randrange(6), 1: chance.randrange(6), 2: 0, -1: 0}, chance.randint(1, 5))
        for _ in range(12)
    ]
    lengths = {
        (attribute, cell): last - first + 1
        for attribute, of in cells.items()
        for cell, (first, last) in of.items()
    } | {(2, 0): 3}
    rows = [
        (attribute, number, cell, records, lengths[attribute, cell])
        for number, (of, records) in enumerate(classes)
        for attribute, cell in of.items()
    ]
    ends = [
        (attribute, cell, code, sign)
        for attribute, of in cells.items()
        for cell, (first, last) in of.items()
        for code, sign in ((first, 1), (last + 1, -1))
    ]
    original = [
        (*(chance.randint(1, SIZES[attribute]) for attribute in SIZES), chance.randint(1, 3))
        for _ in range(14)
    ]
    sets = [(0, 1), (1, -1), (0, 2), (2, -1)]
    expected: Counter[tuple[int, int, float]] = Counter()
    for number, (first, second) in enumerate(sets, 7):
        records: Counter[tuple[int, ...]] = Counter()
        for one in original:
            records[tuple(one[attribute] for attribute in (first, second) if attribute >= 0)] += one[3]
        for codes, count in records.items():
            at = dict(zip((first, second), codes, strict=False)) | {2: 1, -1: 1}
            mass = sum(
                many / lengths[first, of[first]] / lengths[second, of[second]]
                for of, many in classes
                if all(
                    cells[place][of[place]][0] <= at[place] <= cells[place][of[place]][1]
                    for place in (first, second)
                )
            )
            expected[number, count, round(mass, 6)] += 1
    with connect(threads=1) as connection:
        put(connection, "cells_of_classes", "attribute class cell records size", *rows)
        put(connection, "cell_ends", "attribute cell code sign", *ends)
        put(connection, "numbered_combinations", "code0 code1 code2 records", *original)
        sizes = {-1: 1, 2: 1, 0: 5, 1: 4}
        for replace, some, start in ((True, sets[:1], 7), (False, sets[1:], 8)):
            run(
                connection, "grid_masses", missing=[2], bits=40, first_set=start, replace=replace,
                first=[one for one, _ in some], second=[one for _, one in some],
                first_sizes=[sizes[one] for one, _ in some], second_sizes=[sizes[one] for _, one in some],
            )  # fmt: skip
        found = tell(connection, "SELECT number, records, mass, combinations FROM covered_combinations")
    told: Counter[tuple[int, int, float]] = Counter()
    for set_number, count, mass, combinations in found:
        told[set_number, count, round(mass, 6)] += combinations
    assert told == expected
