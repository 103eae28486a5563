"""The steps by which classes grow, each on a few tuples, by hand; and growth as a whole, by brute force."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any
from unittest import mock

import duckdb
import pytest

from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Attribute, Part, Sql
from duckrisk.release.k_anonymity import Outcome, QuasiIdentifier, growing, k_anonymize
from tests.tables import connect, make, put, run, tell, thinned

#: A range, and a set of four leaves whose detail is worth twice as much.
BOXES: dict[str, Any] = {"sets": [0, 1], "weights": [1.0, 2.0], "leaves": [5, 4], "most": 16}
COLUMNS = "part tuple n p0:DOUBLE a1:INTEGER"
MEMBERS = "class:INTEGER part tuple n p0:DOUBLE a1:INTEGER"


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def list_members(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, int]]:
    return sorted(tell(connection, "SELECT class, tuple FROM growing_members"))


def test_quotas_double() -> None:
    assert [list(growing._list_quotas(k)) for k in (1, 2, 5, 11)] == [[], [1], [1, 2, 1], [1, 2, 4, 3]]


def test_seed_is_the_furthest(connection: duckdb.DuckDBPyConnection) -> None:
    """From (0, a): (0.9, a) is 0.9 away, (0, b) and (0.1, b) 2 * 2 / 4 and 0.1 more, a missing category 2;
    then from the class of 3 and 4, [0.1, 0.9] with {a, b}: 1 and 2 are as far, and 1 is first."""
    tuples = [(7, 1, 1, 0.0, 1), (7, 2, 1, 0.0, 2), (7, 3, 1, 0.1, 2), (7, 4, 1, 0.9, 1)]
    put(connection, "growing_left", COLUMNS, *tuples, (8, 5, 2, 0.0, 1), (8, 6, 1, 0.5, 0), (9, 7, 1, 0.0, 1))
    put(connection, "growing_members", MEMBERS)
    run(connection, "growing_seeds", **BOXES, k=2, people=False, number=0)
    assert list_members(connection) == [(0, 3), (0, 6)]
    connection.execute("INSERT INTO growing_members VALUES (0, 7, 4, 1, 0.9, 1)")
    run(connection, "growing_shrink")
    run(connection, "growing_seeds", **BOXES, k=2, people=False, number=1)
    assert list_members(connection) == [(0, 3), (0, 4), (0, 6), (1, 1), (1, 5)]


def test_step_takes_the_cheapest(connection: duckdb.DuckDBPyConnection) -> None:
    """To (0.5, a) come the first two of three tuples that are as near; the class of another group is full."""
    tuples = [(7, 1, 1, 0.75, 1), (7, 2, 1, 0.25, 1), (7, 3, 1, 0.75, 1), (7, 4, 1, 0.5, 2)]
    put(connection, "growing_left", COLUMNS, *tuples, (7, 5, 1, 0.5, 1), (8, 6, 3, 0.0, 1), (8, 7, 1, 0.0, 1))
    put(connection, "growing_members", MEMBERS, (2, 7, 5, 1, 0.5, 1), (2, 8, 6, 3, 0.0, 1))
    run(connection, "growing_step", **BOXES, k=3, people=False, number=2, quota=2)
    assert list_members(connection) == [(2, 1), (2, 2), (2, 5), (2, 6)]


def test_step_takes_no_more_than_it_needs(connection: duckdb.DuckDBPyConnection) -> None:
    """The first of two tuples has the two records that lack."""
    tuples = [(7, 1, 2, 0.1, 1), (7, 2, 1, 0.2, 1), (7, 3, 1, 0.0, 1)]
    put(connection, "growing_left", COLUMNS, *tuples)
    put(connection, "growing_members", MEMBERS, (0, 7, 3, 1, 0.0, 1))
    run(connection, "growing_step", **BOXES, k=3, people=False, number=0, quota=2)
    assert list_members(connection) == [(0, 1), (0, 3)]


def test_people_give_one_tuple_each(connection: duckdb.DuckDBPyConnection) -> None:
    """Person 1 is in the class, 2 has the nearest tuple and another; nobody's tuple has to wait."""
    people = f"{COLUMNS} person"
    tuples = [(7, 1, 1, 0.0, 1, 1), (7, 2, 1, 0.0, 1, 1), (7, 3, 1, 0.1, 1, 2), (7, 4, 1, 0.2, 1, 2)]
    tuples += [(7, 5, 1, 0.3, 1, 3), (7, 6, 1, 0.0, 1, None), (7, 7, 1, 0.4, 1, 4)]
    put(connection, "growing_left", people, *tuples)
    assert run(connection, "growing_most", people=True) == [{"size": 4}]
    assert run(connection, "growing_most", people=False) == [{"size": 7}]
    put(connection, "growing_members", f"class:INTEGER {people}", (0, *tuples[0]))
    run(connection, "growing_step", **BOXES, k=3, people=True, number=0, quota=4)
    assert list_members(connection) == [(0, 1), (0, 3), (0, 5)]


@pytest.mark.parametrize("last", [False, True])
def test_rest_goes_where_it_adds_least(connection: duckdb.DuckDBPyConnection, last: bool) -> None:
    """Class 0 is [0, 0.2] with two records, class 1 is 1.0 with two: 0.3 adds 3 * 0.3 - 2 * 0.2 = 0.5 to the
    first and 3 * 0.7 to the second; 0.4 adds 0.8, and 0.9 adds 0.3 to the second."""
    before = [(0, 7, 1, 1, 0.0, 1), (0, 7, 2, 1, 0.2, 1), (1, 7, 3, 2, 1.0, 1)]
    put(connection, "growing_members", MEMBERS, *before)
    put(connection, "growing_left", COLUMNS, (7, 4, 1, 0.3, 1), (7, 5, 1, 0.4, 1), (7, 6, 1, 0.9, 1))
    run(connection, "growing_rest", **BOXES, last=last)
    added = [(0, 4), (0, 5), (1, 6)] if last else [(0, 4), (1, 6)]
    assert list_members(connection) == sorted([(0, 1), (0, 2), (1, 3), *added])


def exchange(connection: duckdb.DuckDBPyConnection, k: int, *members: Sequence[Any]) -> list[tuple[int, int]]:
    put(connection, "growing_members", MEMBERS, *members)
    run(connection, "growing_ways", **BOXES, k=k)
    run(connection, "growing_moved")
    run(connection, "growing_move")
    moved = len(tell(connection, "FROM growing_moved"))
    assert run(connection, "growing_count_moved") == [{"moved": moved}]
    return list_members(connection)


def test_tuples_change_places(connection: duckdb.DuckDBPyConnection) -> None:
    """0 and 0.9, 0.1 and 1.0: the 0.9 for the 0.1, or as well the others. Classes below k take no part."""
    crossed = [(0, 7, 1, 1, 0.0, 1), (0, 7, 2, 1, 0.9, 1), (1, 7, 3, 1, 0.1, 1), (1, 7, 4, 1, 1.0, 1)]
    classes = defaultdict(set)
    for class_, tuple_ in exchange(connection, 2, *crossed):
        classes[class_].add(tuple_)
    assert sorted(map(sorted, classes.values())) == [[1, 3], [2, 4]]
    assert exchange(connection, 3, *crossed) == [(0, 1), (0, 2), (1, 3), (1, 4)]
    # Not between groups.
    apart = [(0, 7, 1, 1, 0.0, 1), (0, 7, 2, 1, 0.9, 1), (1, 8, 3, 1, 0.1, 1), (1, 8, 4, 1, 1.0, 1)]
    assert exchange(connection, 2, *apart) == [(0, 1), (0, 2), (1, 3), (1, 4)]


def test_a_tuple_moves_once(connection: duckdb.DuckDBPyConnection) -> None:
    """0.8 would save as much in either of two equal classes: it goes to the first."""
    members = [(0, 7, 1, 1, 0.0, 1), (0, 7, 2, 1, 0.1, 1), (0, 7, 3, 1, 0.8, 1)]
    equal = [(class_, 7, 2 + 2 * class_ + i, 1, 0.9 + i / 10, 1) for class_ in (1, 2) for i in (0, 1)]
    exchange(connection, 2, *members, *equal)
    assert tell(connection, "SELECT tuple, class FROM growing_moved") == [(3, 1)]


def test_a_tuple_moves(connection: duckdb.DuckDBPyConnection) -> None:
    """Of 0, 0.1 and 0.8 the last goes to 0.9 and 1.0; a class that is one tuple can take one, not give it."""
    members = [(0, 7, 1, 1, 0.0, 1), (0, 7, 2, 1, 0.1, 1), (0, 7, 3, 1, 0.8, 1)]
    near = [(1, 7, 4, 1, 0.9, 1), (1, 7, 5, 1, 1.0, 1)]
    assert exchange(connection, 2, *members, *near) == [(0, 1), (0, 2), (1, 3), (1, 4), (1, 5)]
    assert exchange(connection, 2, *members, (1, 7, 4, 2, 0.8, 1)) == [(0, 1), (0, 2), (1, 3), (1, 4)]


def test_groups_that_stay_as_they_are_cut(connection: duckdb.DuckDBPyConnection) -> None:
    """Group 1 gains 4 * 0.5; in group 2 both are as wide; a class of group 3 has one record; 4 discloses."""
    members = [(0, 1, 1, 2, 0.0, 1), (1, 1, 2, 2, 0.5, 1)]
    members += [(0, 2, 3, 1, 0.0, 1), (0, 2, 4, 1, 1.0, 1), (1, 2, 5, 1, 0.0, 1), (1, 2, 6, 1, 1.0, 1)]
    members += [(0, 3, 7, 2, 0.0, 1), (1, 3, 8, 1, 0.5, 1), (0, 4, 9, 2, 0.0, 1), (1, 4, 10, 2, 0.5, 1)]
    put(connection, "growing_members", MEMBERS, *members)
    cuts = {1: 31, 2: 31, 3: 32, 4: 33, 5: 32, 6: 33, 7: 34, 8: 34, 9: 35, 10: 35, 99: 36}
    count = {tuple_: n for _, _, tuple_, n, _, _ in members} | {99: 5}
    put(connection, "quasi_classes", "tuple class n", *[(i, cut, count[i]) for i, cut in cuts.items()])
    put(connection, "local_disclosing", "part class", (4, 0), (4, 1))
    asked = {**BOXES, "k": 2, "people": False}
    run(connection, "growing_rejected", **asked, disclosing=False)
    assert sorted(tell(connection, "FROM growing_rejected")) == [(2,), (3,)]
    run(connection, "growing_rejected", **asked, disclosing=True)
    assert sorted(tell(connection, "FROM growing_rejected")) == [(2,), (3,), (4,)]
    run(connection, "growing_restore")
    restored = [(0, 1), (1, 2), *((cut, i) for i, cut in cuts.items() if 2 < i < 99)]
    assert list_members(connection) == sorted(restored)
    run(connection, "growing_close", made=40)
    classes = {1: 41, 2: 42, 3: 43, 5: 43, 4: 44, 6: 44, 7: 45, 8: 45, 9: 46, 10: 46, 99: 36}
    expected = sorted((i, class_, count[i]) for i, class_ in classes.items())
    assert sorted(tell(connection, "FROM quasi_classes")) == expected


def test_groups_that_grow(connection: duckdb.DuckDBPyConnection) -> None:
    """Of a cut of 9 records into 4 and 5 both sides grow below a limit of 6 to 9, if k is 2: with k 3 they
    are classes, and with a limit of 10 their group grows. A side of 9 tuples of 4 people does not."""
    put(connection, "local_parts", "part size", (0, 9))
    put(connection, "local_chosen", "part made", (0, 2))
    sided = [(i, 1 if i < 4 else 2, 1, i) for i in range(9)]

    def list_growing(k: int, limit: int, people: bool = False) -> list[int]:
        put(connection, "local_sided", "tuple part n person", *sided)
        run(connection, "local_sizes", k=k, people=people, disclosing=False, limit=limit)
        return [
            part for (part,) in tell(connection, "SELECT part FROM local_sizes WHERE grows ORDER BY part")
        ]

    assert [list_growing(2, limit) for limit in (4, 5, 6, 9, 10)] == [[], [1], [1, 2], [1, 2], []]
    assert list_growing(3, 9) == []
    sided += [(9 + i, 1, 1, i % 4) for i in range(5)]
    assert list_growing(2, 9, people=True) == [2]


# --- growth as a whole ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(Resources(threads=2)) as made:
        yield made


def draw_records(seed: int, count: int) -> list[tuple[int, int, str, str, int]]:
    """Draw records: number, two quasi-identifiers, a sensitive value, and a person who may have several."""
    chosen = random.Random(seed)
    return [
        (i, chosen.randint(0, 30), chosen.choice("aaabbcd"), chosen.choice("xyz"), chosen.randrange(count))
        for i in range(count)
    ]


def anonymize(
    session: Session, rows: Sequence[Any], k: int, **further: Any
) -> tuple[Outcome, list[tuple[Any, ...]]]:
    kinds = {"record": "BIGINT", "x": "INTEGER", "z": "VARCHAR", "s": "VARCHAR", "u": "INTEGER"}
    make(session._connection, kinds, rows, "records")
    quasi = [QuasiIdentifier("x", "x", True), QuasiIdentifier("z", "z")]
    outcome = k_anonymize(session, Sql("records"), "made", quasi, k, **further)
    return outcome, tell(session._connection, "SELECT x, z, s, u FROM made ORDER BY record")


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(3), 3))
def test_growth_never_loses_more_than_cuts(session: Session, seed: int) -> None:
    """As groups keep what costs less; and exchanges lose less still."""
    for count, k in ((15, 2), (40, 3), (400, 5)):
        rows = draw_records(seed, count)
        grown, _ = anonymize(session, rows, k)
        with mock.patch.object(growing, "MAX_PAIRS", 0):
            without, _ = anonymize(session, rows, k)
        with mock.patch.object(growing, "SHARE", 2):
            cut, _ = anonymize(session, rows, k)
        assert grown.ncp <= without.ncp + 1e-9
        assert without.ncp <= cut.ncp + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "seed", "further"),
    # Every fourth has each share and each way of counting.
    thinned(
        [
            (share, seed, further)
            for share in (2, 4, 12)
            for seed, further in ((1, {"user": "u"}), (2, {}), (3, {"user": "u"}))
        ],
        4,
    ),
)
def test_people_and_sensitive_values(
    session: Session, share: int, seed: int, further: dict[str, str]
) -> None:
    """Classes count people, and none discloses, whether it is grown or cut: by brute force."""
    rows = draw_records(seed, 120)
    sensitive = [Attribute("s", (Part("s"),))] if seed > 1 else []
    with mock.patch.object(growing, "SHARE", share):
        outcome, made = anonymize(session, rows, 4, sensitive=sensitive, **further)
    classes = defaultdict(list)
    for x, z, s, u in made:
        classes[x, z].append((s, u))
    owners = {(s, u if further else i) for i, _, _, s, u in rows}
    everybody = len({owner for _, owner in owners})
    for members in classes.values():
        people = {u for _, u in members} if further else set(range(len(members)))
        assert len(people) >= outcome.smallest >= 4
        for value in "xyz" if sensitive else "":
            rare = sum(s == value for s, _ in owners)
            if further:  # a person's values in any record
                having = len({u for u in people if (value, u) in owners})
            else:
                having = sum(s == value for s, _ in members)
            if 3 * rare <= 2 * everybody and 10 * having >= 9 * len(people):
                assert 2 * having * everybody < 3 * rare * len(people)


@pytest.mark.slow
def test_growth_is_the_same_on_any_threads() -> None:
    found = []
    for threads in (1, 2):
        with Session(Resources(threads=threads)) as own:
            found.append(anonymize(own, draw_records(5, 300), 4))
    assert found[0] == found[1]


def find_least(rows: Sequence[tuple[Any, ...]], k: int) -> float:
    """Return the least penalty of all partitions into classes of at least k records."""
    span = max(row[1] for row in rows) - min(row[1] for row in rows)
    letters = len({row[2] for row in rows})

    def weigh(members: Sequence[int]) -> float:
        numbers = [rows[i][1] for i in members]
        categories = len({rows[i][2] for i in members})
        share = categories / letters if categories > 1 else 0
        return len(members) * ((max(numbers) - min(numbers)) / span + share)

    best = {0: 0.0}
    sets = [
        (sum(1 << i for i in members), weigh(members))
        for size in range(k, 2 * k)
        for members in combinations(range(len(rows)), size)
    ]
    for left in range(1, 1 << len(rows)):
        first = left & -left
        found = [
            own + best[left & ~members]
            for members, own in sets
            if members & first and not members & ~left and left & ~members in best
        ]
        if found:
            best[left] = min(found)
    return best[(1 << len(rows)) - 1]


@pytest.mark.slow
def test_growth_is_near_the_best_partition(session: Session) -> None:
    """Never below the best of all partitions, and at most 1.1 times that on average."""
    ratios = []
    for seed in thinned(range(12), 3):
        rows = draw_records(seed, 9)
        best = find_least(rows, 2)
        outcome, _ = anonymize(session, rows, 2)
        assert outcome.ncp >= best - 1e-9
        ratios.append(outcome.ncp / best)
    assert sum(ratios) / len(ratios) <= 1.1


# --- drawn groups ----------------------------------------------------------------------------------

#: A range, a set of six leaves, three of them at most in a set, and a set of three.
SHAPES: dict[str, Any] = {"sets": [0, 1, 1], "weights": [1.5, 2.0, 0.5], "leaves": [5, 6, 3], "most": 3}
DRAWN = "part tuple n p0:DOUBLE a1:INTEGER a2:INTEGER person"


def draw_tuples(chance: random.Random, count: int) -> list[tuple[Any, ...]]:
    """Draw tuples of two groups; -1 and 0 are missing values."""
    return [
        (
            1 + number % 2,
            number,
            chance.randint(1, 3),
            chance.choice([-1.0, 0.0, 0.125, 0.25, 0.5, 0.75, 1.0]),
            chance.choice([0, 1, 2, 3, 4, 5, 6]),
            chance.choice([0, 1, 2, 3]),
            chance.choice([None, 1, 2, 3, 4, 5, 6]),
        )
        for number in range(count)
    ]


def cost_of(tuples: Sequence[tuple[Any, ...]]) -> float:
    """Return the cost of a box for each of its records."""
    places = [one[3] for one in tuples]
    cost = float(1.5 * min(1.0, max(places) - min(places)))
    for weight, leaves, codes in (
        (2.0, 6, {one[4] for one in tuples}),
        (0.5, 3, {one[5] for one in tuples}),
    ):
        if len(codes) > 1:
            is_all = 0 in codes or (leaves > 3 and len(codes) > 3)
            cost += weight if is_all else weight * len(codes) / leaves
    return cost


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_where_the_rest_goes_by_brute_force(
    connection: duckdb.DuckDBPyConnection, seed: int, last: bool
) -> None:
    chance = random.Random(seed)
    tuples = draw_tuples(chance, 40)
    classes: defaultdict[tuple[int, int], list[tuple[Any, ...]]] = defaultdict(list)
    for one in tuples[:24]:
        classes[one[0], chance.randrange(4)].append(one)
    left = [one for one in tuples[24:] if chance.random() < 0.9]
    put(connection, "growing_left", DRAWN, *left)
    members = [(number, *one) for (_, number), of in classes.items() for one in of]
    put(connection, "growing_members", f"class:INTEGER {DRAWN}", *members)
    run(connection, "growing_rest", **SHAPES, last=last)
    ways = {}
    for one in left:
        ways[one[1]] = min(
            (
                round(
                    (sum(other[2] for other in of) + one[2]) * cost_of([*of, one])
                    - sum(other[2] for other in of) * cost_of(of),
                    9,
                ),
                number,
                part,
            )
            for (part, number), of in classes.items()
            if part == one[0]
        )
    taken: set[tuple[int, int]] = set()
    expected = {(number, one[1]) for (_, number), of in classes.items() for one in of}
    for tuple_, (_, number, part) in sorted(ways.items(), key=lambda way: (way[1][0], way[0])):
        if last or (part, number) not in taken:
            expected.add((number, tuple_))
            taken.add((part, number))
    assert list_members(connection) == sorted(expected)


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_class_takes_by_brute_force(
    connection: duckdb.DuckDBPyConnection, seed: int, people: bool
) -> None:
    """The cheapest tuples, of each person one, as many as are asked for, until the class is large enough."""
    chance = random.Random(seed)
    tuples = draw_tuples(chance, 30)
    grown = [one for one in tuples[:8] if not people or one[6]]
    put(connection, "growing_left", DRAWN, *tuples)
    put(
        connection,
        "growing_members",
        f"class:INTEGER {DRAWN}",
        *[(3, *one) for one in grown],
        (2, *tuples[9]),
    )
    k, quota = 6, 2
    run(connection, "growing_step", **SHAPES, k=k, people=people, number=3, quota=quota)
    expected = {(3, one[1]) for one in grown} | {(2, 9)}
    for part in (1, 2):
        box = [one for one in grown if one[0] == part]
        if not box:
            continue
        owners = {one[6] for one in box}
        wanted = k - (len(owners) if people else sum(one[2] for one in box))
        ways = sorted(
            (round(cost_of([*box, one]), 9), one[1], one[2], one[6])
            for one in tuples
            if one[0] == part and one not in box and (not people or (one[6] and one[6] not in owners))
        )
        if people:
            ways = [way for number, way in enumerate(ways) if way[3] not in {one[3] for one in ways[:number]}]
        for way in ways[:quota]:
            if wanted > 0:
                expected.add((3, way[1]))
            wanted -= 1 if people else way[2]
    assert list_members(connection) == sorted(expected)


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("number", [0, 3])
def test_which_tuple_begins_a_class_by_brute_force(
    connection: duckdb.DuckDBPyConnection, number: int, people: bool
) -> None:
    """The furthest from the class before, or from the first tuple; a group of too few begins none."""
    begun = 0
    for seed in range(4):
        chance = random.Random(seed)
        tuples = draw_tuples(chance, 24)
        before, left = tuples[:6], tuples[6 : chance.choice([12, 24])]
        put(connection, "growing_left", DRAWN, *left)
        members = [(2, *one) for one in before] + [(1, *left[0])]
        put(connection, "growing_members", f"class:INTEGER {DRAWN}", *members)
        k = 5 if people else 8
        run(connection, "growing_seeds", **SHAPES, k=k, people=people, number=number)
        expected = {(2, one[1]) for one in before} | {(1, left[0][1])}
        for part in (1, 2):
            mine = [one for one in left if one[0] == part]
            box = [one for one in before if one[0] == part] if number else mine[:1]
            there = [one for one in mine if one[6] or not people]
            if (len({one[6] for one in there}) if people else sum(one[2] for one in there)) >= k:
                furthest = min((-round(cost_of([*box, one]), 9), one[1]) for one in there)
                expected.add((number, furthest[1]))
                begun += 1
        assert list_members(connection) == sorted(expected)
    assert 0 < begun < 8
