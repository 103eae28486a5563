"""The steps by which groups are cut in two, each on drawn or hand-made tuples, from their definitions."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.tables import connect, put, row, run, tell

#: A range of five values and a set of six, whose detail is worth twice as much.
SHAPE: dict[str, Any] = {"columns": ["x", "y"], "sets": [0, 1], "leaves": [5, 6]}
WEIGHTS = [1.0, 2.0]
PLACES = [-1.0, 0.0, 0.125, 0.5, 1.0, 2.0]
#: Tuples of a group that are measured, here.
SAMPLE = 8


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


class Groups:
    """Three groups of measured tuples: of all, of a sample, and of few."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, seed: int, people: bool) -> None:
        chance = random.Random(seed)
        self.connection, self.people = connection, people
        self.open: defaultdict[int, list[tuple[int, int, int, int | None]]] = defaultdict(list)
        rows = []
        for part, count in ((1, 8), (2, 12), (3, 3)):
            for _ in range(count):
                person = chance.choice([None, *range(1, 9)]) if people else None
                x, y = chance.randrange(part % 2, 6), chance.choice([0, 1, 1, 1, 2, 3, 4, 5][part % 2 :])
                n = chance.randint(1, 9)
                self.open[part].append((n, x, y, person))
                rows.append((len(rows), part, n, x, PLACES[x], y, person))
        put(connection, "work", "tuple part n a0 p0:DOUBLE a1 person", *rows)
        #: Records and tuples of a group: the second is a sample.
        self.parts = {part: (sum(one[0] for one in of), len(of)) for part, of in self.open.items()}
        records, tuples = self.parts[2]
        self.parts[2] = 3 * records + 1, 3 * tuples
        put(connection, "local_parts", "part n tuples", *((part, *of) for part, of in self.parts.items()))

    def cost(self, share: float) -> float:
        return math.log(1 + 1000 * share) / math.log(1001) if self.people else math.sqrt(share)

    def cost_of(self, attribute: int, codes: set[int]) -> float:
        """Return the cost of the box of some codes."""
        if len(codes) == 1:
            return 0.0
        if attribute == 0:
            places = [PLACES[code] for code in codes]
            return self.cost(min(1.0, max(places) - min(places)))
        return 1.0 if 0 in codes else self.cost(len(codes) / 6)

    def margin(self, part: int, k: int) -> float:
        """Return the records or people that a side needs."""
        records, tuples = self.parts[part]
        measured = sum(one[0] for one in self.open[part])
        return k + (4 * math.sqrt(k * (records / measured + 1)) if tuples > SAMPLE else 0)

    def list_cuts(self, part: int, attribute: int) -> Iterator[tuple[int, int, set[int]]]:
        """Yield the last value of each cut, its set as bits, and the codes of its low side."""
        counts: defaultdict[int, int] = defaultdict(int)
        for one in self.open[part]:
            counts[one[1 + attribute]] += one[0]
        order = sorted(counts, key=lambda code: (-counts[code] * attribute, code))
        for number, code in enumerate(order[:-1], 1):
            low = set(order[:number])
            yield code, sum(1 << one for one in low) * attribute, low
        if attribute and 0 in order[1:]:
            yield 0, 1, {0}

    def list_candidates(self, part: int, attribute: int, k: int, share: float) -> dict[Any, float]:
        """Return the gain of the best cuts, by group, attribute, value and set."""
        tuples = self.open[part]
        n, records = sum(one[0] for one in tuples), self.parts[part][0]
        every = {one[1 + attribute] for one in tuples}
        found = []
        for cut, bits, low in self.list_cuts(part, attribute):
            below = sum(one[0] for one in tuples if one[1 + attribute] in low)
            if min(below, n - below) * records / n < max(self.margin(part, k), share * records):
                continue
            sides = below * self.cost_of(attribute, low) + (n - below) * self.cost_of(attribute, every - low)
            gain = n * self.cost_of(attribute, every) - sides
            found.append((gain, abs(2 * below - n), cut, bits))
        best = {max(found, key=lambda one: (round(one[0], 9), -one[2], -one[3]))} if found else set()
        best |= {min(found, key=lambda one: one[1:])} if found else set()
        return {(part, attribute, cut, bits): gain * WEIGHTS[attribute] for gain, _, cut, bits in best}


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize(("k", "share"), [(1, 0.0), (2, 0.3), (4, 0.05)])
def test_candidates(connection: duckdb.DuckDBPyConnection, k: int, share: float, people: bool) -> None:
    """Every cut of every group by brute force; of each attribute the best and the most even one is kept."""
    for seed in range(4):
        groups = Groups(connection, seed, people)
        asked = {"weights": WEIGHTS, "leaves": [5, 6], "k": k, "sample": SAMPLE, "people": people}
        for of_sets in (True, False):
            run(
                connection, "local_candidates", source="work", attributes=[int(of_sets)], of_sets=of_sets,
                begin=of_sets, share=share, **asked,
            )  # fmt: skip
        found = {tuple(one[:4]): one[4] for one in tell(connection, "FROM local_candidates")}
        expected: dict[Any, float] = {}
        for part in groups.open:
            for attribute in (0, 1):
                expected |= groups.list_candidates(part, attribute, k, share)
        assert found == pytest.approx(expected)


def test_candidates_of_several_ranges(connection: duckdb.DuckDBPyConnection) -> None:
    """One record has 0 and 0, one 0 and 1, two have 1 and 1: in halves the first gains 4, the second 4 as
    well, and three against one."""
    tuples = [(1, 1, 1, 0, 1, 0), (2, 1, 1, 0, 2, 1), (3, 1, 2, 1, 2, 1)]
    put(connection, "work", "tuple part n a0 a1 p1:DOUBLE", *tuples)
    connection.execute("ALTER TABLE work ADD COLUMN p0 DOUBLE")
    connection.execute("UPDATE work SET p0 = a0")
    put(connection, "local_parts", "part n tuples", (1, 4, 3))
    run(
        connection, "local_candidates", source="work", attributes=[0, 1], of_sets=False, begin=True,
        share=0.25, weights=[3.0, 0.5], leaves=[2, 2], k=1, sample=3, people=False,
    )  # fmt: skip
    assert sorted(tell(connection, "FROM local_candidates")) == [(1, 0, 0, 0, 12.0), (1, 1, 1, 0, 2.0)]


def test_the_best_candidates(connection: duckdb.DuckDBPyConnection) -> None:
    """By gain, then attribute, cut and set; each group has its own numbers."""
    cuts = [(1, 1, 4, 0, 5.0), (1, 0, 9, 3, 5.0), (1, 0, 9, 2, 5.0), (1, 0, 8, 7, 5.0), (1, 2, 1, 1, 9.0)]
    put(connection, "local_candidates", "part attribute cut bits gain:DOUBLE", *cuts, (2, 3, 3, 3, 0.5))
    run(connection, "local_best", most=4)
    assert sorted(tell(connection, "FROM local_best")) == [
        (1, 0, 8, 7, 2), (1, 0, 9, 2, 3), (1, 0, 9, 3, 4), (1, 2, 1, 1, 1), (2, 3, 3, 3, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_what_cuts_save(connection: duckdb.DuckDBPyConnection, k: int, people: bool) -> None:
    """Boxes hold what is there; a cut with a side of too few, or of none, is left out."""
    kept = 0
    for seed in range(3):
        groups = Groups(connection, seed, people)
        cuts = [
            (part, attribute, cut, bits, low)
            for part in groups.open
            for attribute in (0, 1)
            for cut, bits, low in groups.list_cuts(part, attribute)
        ]
        cuts += [(1, 0, 5, 0, set(range(6))), (2, 1, 0, 63, set(range(6)))]
        best = [(*cut[:4], number) for number, cut in enumerate(cuts)]
        put(connection, "local_best", "part attribute cut bits number", *best)
        asked = {"weights": WEIGHTS, "k": k, "sample": SAMPLE, "people": people}
        run(connection, "local_sides", source="work", **SHAPE, **asked)
        expected = {}
        for number, (part, attribute, _, _, low) in enumerate(cuts):
            tuples = groups.open[part]
            sides = [
                [one for one in tuples if (one[1 + attribute] in low) == is_low] for is_low in (True, False)
            ]
            if not all(sides):
                continue
            sizes = [
                len({one[3] for one in side} - {None}) if people else sum(one[0] for one in side)
                for side in sides
            ]
            costs = [
                sum(one[0] for one in box)
                * sum(WEIGHTS[i] * groups.cost_of(i, {one[1 + i] for one in box}) for i in (0, 1))
                for box in (tuples, *sides)
            ]
            n, records = sum(one[0] for one in tuples), groups.parts[part][0]
            if min(sizes) * records / n >= groups.margin(part, k):
                expected[part, number] = costs[0] - costs[1] - costs[2]
        found = {(part, number): saved for part, number, saved in tell(connection, "FROM local_sides")}
        assert found == pytest.approx(expected)
        kept += len(found)
    assert kept


def test_the_cut_that_saves_most(connection: duckdb.DuckDBPyConnection) -> None:
    """Group 1 has two of 5, group 2 one that saves nothing, group 3 one that discloses a value."""
    best = [
        (1, 1, 2, 0, 1),
        (1, 0, 3, 0, 2),
        (1, 0, 2, 1, 3),
        (2, 0, 1, 0, 1),
        (3, 0, 1, 0, 1),
        (3, 1, 1, 0, 2),
    ]
    put(connection, "local_best", "part attribute cut bits number", *best)
    saved = [(1, 1, 5.0), (1, 2, 5.0), (1, 3, 4.0), (2, 1, 0.0), (3, 1, 8.0), (3, 2, 7.0)]
    put(connection, "local_sides", "part number saved:DOUBLE", *saved)
    put(connection, "local_disclosing", "part number", (3, 1), (2, 2))
    run(connection, "local_chosen", made=10, disclosing=False)
    assert sorted(tell(connection, "FROM local_chosen")) == [(1, 0, 3, 0, 12), (3, 0, 1, 0, 14)]
    assert row(connection, "local_count") == {"cuts": 2}
    run(connection, "local_chosen", made=0, disclosing=True)
    assert sorted(tell(connection, "FROM local_chosen")) == [(1, 0, 3, 0, 2), (3, 1, 1, 0, 4)]
    put(connection, "local_sides", "part number saved:DOUBLE", (1, 1, 3.0), (1, 3, 3.0), (1, 2, 2.0))
    run(connection, "local_chosen", made=4, disclosing=False)
    assert tell(connection, "FROM local_chosen") == [(1, 0, 2, 1, 6)]


@pytest.mark.parametrize("people", [False, True])
def test_the_first_group(connection: duckdb.DuckDBPyConnection, people: bool) -> None:
    """Numbers have the place of their value, leaves of a tree their share, and a missing one is at -1."""
    tuples = [(n, 1 + n % 3, n % 5, n % 4, n % 3, None if n % 5 == 4 else n // 2) for n in range(60)]
    put(connection, "quasi_tuples", "tuple n a0 a1 a2 person", *tuples)
    put(connection, "numbers", "code place:DOUBLE", *((code, code / 4 - 1) for code in range(5)))
    run(
        connection, "local_begin", columns=["x", "y", "z"], sets=[0, 0, 1], leaves=[5, 3, 3], people=people,
        more=["person"], heights=[0, 2, 1], tables=["numbers", "tree", "set"],
    )  # fmt: skip
    assert tell(
        connection, "SELECT tuple, part, n, person, a0, p0, a1, p1, a2 FROM local_open ORDER BY tuple"
    ) == [
        (n, 0, count, person, x, x / 4 - 1, y, -1 if y == 0 else (y - 1) / 2, z)
        for n, count, x, y, z, person in tuples
    ]
    draws = dict(tell(connection, "SELECT tuple, draw FROM local_open"))
    assert all(0 <= draw < 1 for draw in draws.values())
    assert 0.4 < sum(draws.values()) / len(draws) < 0.6
    owners = [(person if people and person is not None else ("of", n)) for n, *_, person in tuples]
    assert all(
        (draws[one] == draws[other]) == (owners[one] == owners[other]) for one in draws for other in draws
    )


def test_sizes_of_groups_and_their_samples(connection: duckdb.DuckDBPyConnection) -> None:
    """Groups of three and of two tuples: of the larger those are measured that are drawn below 2 / 3."""
    tuples = [
        (1, 1, 2, 5, 0.1),
        (2, 1, 3, 5, 0.66),
        (3, 1, 1, None, 0.67),
        (4, 2, 4, 1, 0.9),
        (5, 2, 1, 2, 0.8),
    ]
    put(connection, "local_open", "tuple part n person draw:DOUBLE", *tuples)
    sizes = {False: [(1, 6, 3, 6), (2, 5, 2, 5)], True: [(1, 6, 3, 1), (2, 5, 2, 2)]}
    for people, expected in sizes.items():
        run(connection, "local_parts", people=people)
        assert tell(connection, "SELECT part, n, tuples, size FROM local_parts ORDER BY part") == expected
    run(connection, "local_work", sample=2)
    assert tell(connection, "SELECT tuple FROM local_work ORDER BY tuple") == [(1,), (2,), (4,), (5,)]
    connection.execute("UPDATE local_open SET draw = 2 / 3 WHERE tuple = 2")
    run(connection, "local_work", sample=2)
    assert tell(connection, "SELECT tuple FROM local_work ORDER BY tuple") == [(1,), (4,), (5,)]
    assert row(connection, "local_most") == {"tuples": 3}
    connection.execute("DELETE FROM local_open")
    assert row(connection, "local_most") == {"tuples": 0}


def test_groups_become_sides_or_classes(connection: duckdb.DuckDBPyConnection) -> None:
    """Group 1 is cut at 2 of a range, group 2 into {1, 3} and the rest, and group 3 is a class."""
    tuples = [
        (1, 1, 2, 2, 0),
        (2, 1, 2, 3, 0),
        (3, 2, 2, 0, 1),
        (4, 2, 2, 0, 2),
        (5, 2, 2, 0, 3),
        (6, 3, 7, 9, 9),
    ]
    put(connection, "local_open", "tuple part n a0 a1", *tuples)
    put(connection, "local_chosen", "part attribute cut bits made", (1, 0, 2, 0, 12), (2, 1, 0, 10, 14))
    put(connection, "quasi_classes", "tuple class n")
    run(connection, "local_close")
    assert tell(connection, "FROM quasi_classes") == [(6, 3, 7)]
    run(connection, "local_sided", sets=[0, 1])
    assert tell(connection, "SELECT tuple, part, n, a0, a1 FROM local_sided ORDER BY tuple") == [
        (1, 11, 2, 2, 0), (2, 12, 2, 3, 0), (3, 13, 2, 0, 1), (4, 14, 2, 0, 2), (5, 13, 2, 0, 3),
    ]  # fmt: skip


@pytest.mark.parametrize("people", [False, True])
def test_sides_become_classes_or_groups(connection: duckdb.DuckDBPyConnection, people: bool) -> None:
    """With k of 2, sides 1 and 2 are of four and two, one person is alone on 3, and 6 discloses a value."""
    sizes = {1: 4, 2: 2, 3: 1, 4: 5, 5: 4, 6: 4, 7: 3, 8: 6}
    sided = [(10 * part + n, part, 1, n) for part, size in sizes.items() for n in range(size)]
    if people:
        sided += [(100 + part, part, 1, 0) for part in sizes]  # no other person
        sided += [(110 + part, part, 1, None) for part in sizes]
    put(connection, "local_sided", "tuple part n person", *sided)
    put(connection, "local_chosen", "part made", *((pair, 2 * pair) for pair in (1, 2, 3, 4)))
    put(connection, "local_parts", "part size", *((pair, 9) for pair in (1, 2, 3, 4)))
    put(connection, "local_disclosing", "part", (6,))
    for disclosing in (False, True):
        run(connection, "local_sizes", k=2, people=people, disclosing=disclosing, limit=5)
        wrong = {3, 4, 5, 6} if disclosing else {3, 4}
        told = tell(connection, "SELECT part, size, pair, is_wrong FROM local_sizes ORDER BY part")
        assert told == [(part, size, part + part % 2, part in wrong) for part, size in sizes.items()]
        put(connection, "quasi_classes", "tuple class n")
        run(connection, "local_close_small", k=2)
        closed = {tuple_: class_ for tuple_, class_, _ in tell(connection, "FROM quasi_classes")}
        expected = {
            tuple_: part + part % 2 if part in wrong else part
            for tuple_, part, *_ in sided
            if part in wrong or sizes[part] < 4
        }
        assert closed == expected
        run(connection, "local_next", k=2)
        assert {one for (one,) in tell(connection, "SELECT tuple FROM local_open")} == (
            {one[0] for one in sided} - closed.keys()
        )


def test_which_sides_grow(connection: duckdb.DuckDBPyConnection) -> None:
    """Of four to six records, from a group of seven or more, with at most two tuples to a person."""
    sizes = {1: 4, 2: 3, 3: 6, 4: 7, 5: 4, 6: 5}
    put(
        connection,
        "local_sided",
        "tuple part n",
        *((0, part, 1) for part, size in sizes.items() for _ in range(size)),
    )
    put(connection, "local_chosen", "part made", (1, 2), (2, 4), (3, 6))
    put(connection, "local_parts", "part size", (1, 7), (2, 13), (3, 6))

    def grows() -> list[int]:
        return [
            part for (part,) in tell(connection, "SELECT part FROM local_sizes WHERE grows ORDER BY part")
        ]

    run(connection, "local_sizes", k=2, people=False, disclosing=False, limit=7)
    assert grows() == [1, 3]
    people = [(0, 1, 1, n % 4) for n in range(8)] + [(0, 2, 1, n % 4) for n in range(9)]
    put(connection, "local_sided", "tuple part n person", *people)
    run(connection, "local_sizes", k=2, people=True, disclosing=False, limit=7)
    assert grows() == [1]
