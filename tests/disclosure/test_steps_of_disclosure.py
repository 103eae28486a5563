"""The steps behind classes, agreements and minimal uniques, each on a table of a few rows, by hand."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import duckdb
import pytest

from tests.lattice_oracle import minimal_uniques
from tests.tables import attribute, connect, make, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- sizes of classes ----------------------------------------------------------------------------


def test_risks_of_sizes(connection: duckdb.DuckDBPyConnection) -> None:
    """Three records alone, two classes of two, one of five; and classes that overlap."""
    put(connection, "s", "class_size classes records", (1, 3, 3), (2, 2, 4), (5, 1, 5), (9, 4, 0))
    assert row(connection, "reidentification_risk", sizes="s") == pytest.approx(
        {
            "records": 12, "classes": 6, "smallest_class": 1, "largest_class": 5, "average_class": 2,
            "alone": 3, "share_alone": 1 / 4, "highest_risk": 1, "lowest_risk": 1 / 5, "average_risk": 1 / 2,
            "class_average_risk": (3 + 1 + 1 / 5) / 6,
        }
    )  # fmt: skip
    put(connection, "s", "class_size classes records")
    nothing = row(connection, "reidentification_risk", sizes="s")
    assert [value for value in nothing.values() if value is not None] == [0, 0, 0]
    put(connection, "s", "class_size classes records", (2, 2, 3), (4, 2, 5))
    overlapping = row(connection, "reidentification_risk", sizes="s")
    assert overlapping["average_risk"] == pytest.approx((3 / 2 + 5 / 4) / 8)
    assert (overlapping["average_class"], overlapping["share_alone"]) == ((2 * 2 + 2 * 4) / 4, 0)


def test_classes_among_people(connection: duckdb.DuckDBPyConnection) -> None:
    """Classes a and b have two records and three people each, c one and none, d nobody here; e has two and
    one."""
    put(connection, "t", "q:VARCHAR", *((one,) for one in "aabbceeNN".replace("N", "")), (None,))
    people = [("a", 1), ("a", 2), ("b", 3), ("d", 4), ("d", 1), ("e", 1), (None, None)]
    put(connection, "p", "q:VARCHAR n", *people)
    for count, expected in (
        ("n", [(0, 5, 1, 0), (1, 0, 2, 2), (2, 1, 1, 2), (2, 3, 2, 4)]),
        (None, [(0, 2, 1, 0), (1, 0, 1, 1), (1, 1, 1, 1), (2, 1, 2, 4), (2, 2, 1, 2)]),
    ):
        found = run(connection, "population_sizes", source="t", population="p", columns=["q"], quantity=count)
        assert [tuple(one.values()) for one in found] == expected


def test_bands_of_class_sizes(connection: duckdb.DuckDBPyConnection) -> None:
    """Sizes 1, 2 to 4, and 5 and more; a class without a record is in none, and an empty band is left out."""
    put(
        connection,
        "s",
        "class_size classes records",
        (2, 3, 6),
        (4, 1, 4),
        (5, 2, 10),
        (9, 1, 9),
        (0, 7, 0),
        (7, 3, 0),
    )
    found = run(connection, "class_bands", sizes="s", bounds=[1, 2, 5])
    assert [tuple(one.values()) for one in found] == [(2, 4, 4, 10, 10 / 29), (5, 9, 3, 19, 19 / 29)]
    found = run(connection, "class_bands", sizes="s", bounds=[3, 5, 9])
    assert [tuple(one.values()) for one in found] == [
        (3, 4, 1, 4, 4 / 29),
        (5, 8, 2, 10, 10 / 29),
        (9, 9, 1, 9, 9 / 29),
    ]


def test_totals_of_individual_risks(connection: duckdb.DuckDBPyConnection) -> None:
    kinds = {
        "class_size": "BIGINT",
        "population_size": "DOUBLE",
        "records": "BIGINT",
        "risk": "DOUBLE",
        "exact_risk": "DOUBLE",
    }
    make(connection, kinds, [(1, 4.0, 2, 0.25, 0.3), (2, 9.0, 4, 0.125, 0.2), (3, 5.0, 0, 0.9, 0.9)], "given")
    run(connection, "class_risks", risks="given")
    assert row(connection, "individual_totals") == pytest.approx(
        {
            "records": 6, "highest_risk": 0.25, "average_risk": 1 / 6, "expected_found": 1.0,
            "highest_exact_risk": 0.3, "average_exact_risk": 1.4 / 6,
        }
    )  # fmt: skip
    connection.execute("DELETE FROM class_risks")
    assert list(row(connection, "individual_totals").values()) == [0, None, None, None, None, None]


def test_members_of_households(connection: duckdb.DuckDBPyConnection) -> None:
    """A class has a risk for each rule for missing cells and size of the population: one is asked for."""
    records = [("x", 1, "m"), ("x", None, "m"), ("x", 1, None), ("y", 1, "n")]
    put(connection, "t", "a:VARCHAR b h:VARCHAR", *records)
    put(
        connection,
        "known_classes",
        "v0:VARCHAR v1 records",
        ("x", 1, 2),
        ("x", None, 1),
        ("y", 1, 1),
        ("z", 1, 0),
    )
    by_value = [(0, "value", 2, 7.0), (1, "value", 1, 4.0), (2, "value", 1, 9.0), (3, "value", 2, 7.0)]
    others = [(0, "none", 1, 4.0), (1, "wildcard", 2, 9.0)]
    put(connection, "class_matches", "class missing:VARCHAR class_size weight:DOUBLE", *by_value, *others)
    risks = [(2, 7.0, 0.2), (1, 4.0, 0.4), (1, 9.0, 0.1)]
    put(connection, "class_risks", "class_size population_size:DOUBLE risk:DOUBLE", *risks)
    columns = [attribute("a"), attribute("b")]
    asked = {"source": "t", "household": "h", "attributes": columns, "missing": "value"}

    def members(**also: Any) -> set[tuple[Any, ...]]:
        return {tuple(one.values()) for one in run(connection, "household_members", **(asked | also))}

    assert members(size="weight") == {("m", 0.2), ("m", 0.4), (None, 0.2), ("n", 0.1)}
    connection.execute("DELETE FROM class_risks WHERE population_size = 9")
    assert sorted(members(size=None), key=str) == [("m", 0.2), ("m", 0.4), ("n", 0.4), (None, 0.2)]
    assert members(size="weight", missing="none") == {("m", 0.4), (None, 0.4)}


def test_how_much_classes_miss(connection: duckdb.DuckDBPyConnection) -> None:
    """Of six records three miss something, one of them two cells."""
    classes = [("x", 1, 3, 0, 1, 2.5), ("x", None, 2, 1, 0, 4.0), (None, None, 1, 2, 1, 1.0)]
    columns = "v0:VARCHAR v1 records missing_cells unweighted people:DOUBLE"
    put(connection, "known_classes", columns, *classes)
    found = row(connection, "class_missing", attributes=2)
    told = {"classes": 3, "records": 6, "incomplete": 3, "cells": 4, "unweighted": 2, "people": 7.5}
    assert {key: found[key] for key in told} == told
    connection.execute("DELETE FROM known_classes")
    nothing = row(connection, "class_missing", attributes=2)
    assert {nothing[key] for key in told} == {0}


def test_what_users_tell_who_all_have_one_value(connection: duckdb.DuckDBPyConnection) -> None:
    """Two users are in one class, a third in another, and each class has one value."""
    put(connection, "t", "u a:VARCHAR v", (1, "x", 5), (2, "x", 5), (3, "y", 6), (3, "y", None))
    given = {"source": "t", "user": "u", "columns": ["a"], "column": "v"}
    found = row(connection, "attribute_disclosure_users", **given)
    told = ("k", "alpha", "distinct_l", "entropy_l", "homogeneous_records")
    connection.execute("DELETE FROM t WHERE v IS NULL")
    assert [row(connection, "attribute_disclosure_users", **given)[name] for name in told] == [1, 1, 1, 1, 3]
    assert found["records"] == 3
    put(connection, "t", "u a:VARCHAR v", (1, "x", 5), (2, "x", 5), (3, "x", 5), (4, "x", 6))
    mixed = row(connection, "attribute_disclosure_users", **given)
    assert mixed["entropy_l"] == pytest.approx(4 / 27**0.25)  # 4 / 3^(3/4)
    put(connection, "t", "a b v", (1, None, 5), (None, None, None), (2, 3, None))
    missing = row(connection, "missing_sensitive_values", source="t", columns=["a", "b"], column="v")
    assert missing == {"cells": 1 + 2 + 2, "sensitive": 2}


def test_how_many_users_agree_with_how_many(connection: duckdb.DuckDBPyConnection) -> None:
    """Two users have one profile, a third another; the fourth misses something and fits the first two."""
    put(connection, "class_profiles", "person class class_size", (1, 1, 2), (2, 1, 2), (3, 3, 1), (4, 4, 1))
    histories = [(1, False), (2, False), (3, False), (4, True)]
    put(connection, "class_histories", "person incomplete:BOOLEAN", *histories)
    put(connection, "class_fitting", "mine theirs", (4, 1), (4, 2), (4, 4))
    columns = "missing:VARCHAR unit:VARCHAR class_size classes records incomplete"
    told = "SELECT class_size, classes, records FROM class_frequencies ORDER BY class_size"
    sizes: dict[tuple[bool, bool], Any] = {(False, False): [(1, 2, 2), (2, 1, 2)]}
    sizes |= {(False, True): [(1, 1, 1), (2, 1, 2), (3, 1, 1)], (True, True): [(1, 1, 1), (3, 2, 3)]}
    for (wildcard, fitted), expected in sizes.items():
        put(connection, "class_frequencies", columns)
        run(connection, "class_user_counts", wildcard=wildcard, fitted=fitted, missing="none")
        assert tell(connection, told) == expected
        kinds = "SELECT DISTINCT missing, unit, incomplete FROM class_frequencies"
        assert tell(connection, kinds) == [("none", "user", 0)]


@pytest.mark.parametrize("rows", [[], [("x", 1)], [("x", 1), ("x", 1)], [("x", 1), ("x", 2), ("y", 2)]])
def test_separation_and_distinction(connection: duckdb.DuckDBPyConnection, rows: list[Any]) -> None:
    """Of the pairs of records those that a set tells apart; of one record there are none."""
    make(connection, {"a": "VARCHAR", "b": "INTEGER"}, rows)
    found = {
        tuple(one["attributes"]): one
        for one in run(connection, "attribute_sets", source="t", columns=["a", "b"], max_size=2)
    }
    for names, places in {("a",): (0,), ("b",): (1,), ("a", "b"): (0, 1)}.items():
        cells = [tuple(record[place] for place in places) for record in rows]
        pairs = [(one, other) for number, one in enumerate(cells) for other in cells[:number]]
        apart = sum(one != other for one, other in pairs) / len(pairs) if pairs else None
        if rows:
            assert found[names]["separation"] == pytest.approx(apart)
            assert found[names]["distinction"] == pytest.approx(len(set(cells)) / len(cells))
            assert found[names]["singled_out"] == sum(cells.count(one) == 1 for one in cells)
            assert found[names]["smallest_class"] == min(map(cells.count, cells))
            assert found[names]["classes"] == len(set(cells))


# --- figures of minimal uniques ------------------------------------------------------------------


def test_how_many_have_some_risk(connection: duckdb.DuckDBPyConnection) -> None:
    kinds = {"id": "BIGINT", "score": "BIGINT", "member": "BIGINT", "dis": "DOUBLE"}
    make(
        connection,
        kinds,
        [(1, 6, 1, 0.011), (2, 9, 2, 0.1), (3, 9, 3, 0.15), (4, 1, 4, 0.001)],
        "suda_persons",
    )
    told = [tuple(one.values()) for one in run(connection, "suda_thresholds")]
    assert told == [(0.01, 3), (0.02, 2), (0.05, 2), (0.1, 2), (0.2, 0), (0.5, 0)]


# --- agreement where cells are missing -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_who_agrees(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Three attributes of two bits each in two words, combinations of two users, 0 being a missing cell."""
    chance = random.Random(seed)
    codes = sorted({tuple(chance.randint(0, 2) for _ in range(3)) for _ in range(12)})
    people = [chance.choice([1, 1, 2, None]) for _ in codes]
    counts = [chance.randint(1, 3) for _ in codes]
    rows = [
        (
            member,
            owner,
            records,
            sum(1 << place for place in range(3) if not cells[place]),
            cells[0] | cells[1] << 2,
            cells[2],
        )
        for member, (cells, owner, records) in enumerate(zip(codes, people, counts, strict=True))
    ]
    put(connection, "lattice_rows", "member id records missing h0 h1", *rows)
    packed = {"columns": ["h0", "h1"], "words": ["h0", "h0", "h1"], "fields": [3, 12, 3]}
    run(connection, "agreeing_classes", **packed, sets=list(range(1, 8)))
    run(connection, "agreeing_sizes", **packed)
    expected = {}
    for mask in range(1, 8):
        inside = [place for place in range(3) if mask >> place & 1]
        alike = defaultdict(list)
        for member, cells in enumerate(codes):
            alike[tuple(cells[place] for place in inside)].append(member)
        for members in alike.values():
            cells = codes[members[0]]
            agreeing = [
                other
                for other, theirs in enumerate(codes)
                if all(cells[place] in (0, theirs[place]) or not theirs[place] for place in inside)
            ]
            owners = {people[member] for member in members}
            around = {people[other] for other in agreeing}
            owner = owners.pop() if len(owners) == 1 else None
            alone = len(around) == 1 and None not in around
            sizes = [sum(counts[member] for member in alike) for alike in (members, agreeing)]
            expected[mask, tuple(members)] = (owner, *sizes, alone)
    query = (
        "SELECT mask, list_sort(members), id, records, agreeing, COALESCE(alone, FALSE) FROM agreeing_sizes"
    )
    assert {
        (mask, tuple(members)): tuple(rest) for mask, members, *rest in tell(connection, query)
    } == expected
    connection.execute("CREATE TABLE suda_uniques (member INTEGER, mask BIGINT)")
    connection.execute("CREATE TABLE every_size AS FROM agreeing_sizes")
    for size in (1, 2, 3):
        of_size = f"SELECT * FROM every_size WHERE BIT_COUNT(mask) = {size}"
        connection.execute(f"CREATE OR REPLACE TEMP TABLE agreeing_sizes AS {of_size}")
        run(connection, "agreeing_uniques")
    unique = {(member, mask) for (mask, members), told in expected.items() if told[3] for member in members}
    minimal = {
        (member, mask)
        for member, mask in unique
        if not any((member, mask & ~bit) in unique for bit in (1, 2, 4) if mask & bit)
    }
    assert set(tell(connection, "SELECT member, mask FROM suda_uniques")) == minimal
    for mask in (3, 5, 7):
        differing = set()
        for one, mine in enumerate(codes):
            for other, theirs in enumerate(codes):
                apart = sum(1 << i for i in range(3) if mine[i] and theirs[i] and mine[i] != theirs[i])
                if people[one] and people[other] and people[one] != people[other] and not apart & mask:
                    differing.add(apart)
        found = run(connection, "agreeing_check", **packed, mask=mask, most=10_000)
        assert {one["mask"] for one in found} == differing


@pytest.mark.parametrize(("seed", "most"), [(1, 1), (2, 2), (3, 3), (4, 4)])
def test_the_statement_of_minimal_uniques(
    connection: duckdb.DuckDBPyConnection, seed: int, most: int
) -> None:
    """Of twelve records by brute force: scores (m - k) (m - k - 1) ... (m - M), and the risk of each."""
    chance, names = random.Random(seed), ("a", "b", "c", "d")
    rows = [
        tuple(chance.choice([None, "x", "y", "z"][: 3 + place % 2]) for place in range(4)) for _ in range(12)
    ]
    put(connection, "t", " ".join(f"{name}:VARCHAR" for name in names), *rows)
    connection.execute("SET threads = 1; SET preserve_insertion_order = true")
    found = run(connection, "suda", source="t", columns=list(names), max_size=most, sampling_fraction=0.1)
    expected = {}
    for number, sets in minimal_uniques(rows, range(12), "value", most).items():
        weights = [math.prod(4 - one for one in range(len(inside), min(most, 3) + 1)) for inside in sets]
        if sets:
            smallest = min(sets, key=lambda inside: (len(inside), sum(1 << place for place in inside)))
            expected[number + 1] = (sum(weights), len(sets), [names[place] for place in smallest])
    assert {
        one["record"]: (one["score"], one["minimal_uniques"], one["attributes"]) for one in found
    } == expected
    power = 1 + (8 - 4) / 20
    spread = sum(score**-power for score, _, _ in expected.values())
    paired = sum(rows.count(one) == 2 for one in rows)
    for one in found:
        factor = paired * (1 - 0.1) / 0.1  # U / D - U
        assert one["dis"] == pytest.approx(1 / (1 + factor / (one["score"] ** power * spread)))
    order = [(-one["score"], one["record"]) for one in found]
    assert order == sorted(order)


def test_the_metric_of_minimal_keys(connection: duckdb.DuckDBPyConnection) -> None:
    """The sets of one to three of four attributes that reach a bound while no set within them does."""
    chance, names, kinds = random.Random(8), "abcd", set()
    for count, values in ((0, 2), (1, 2), (6, 4), (6, 2), (9, 3), (9, 4), (12, 6), (12, 4)):
        rows = [tuple(chance.choice([*range(values), None]) for _ in names) for _ in range(count)]
        put(connection, "t", " ".join(names), *rows)
        share, k = 0.5, 3
        reached: dict[str, list[tuple[Any, ...]]] = {"key": [], "singles_out": [], "below_k": []}
        sets = [one for size in (1, 2, 3) for one in combinations(range(4), size)] if rows else []
        for places in sets:
            sizes = Counter(tuple(cells[place] for place in places) for cells in rows)
            alone = sum(size == 1 for size in sizes.values())
            for kind, is_reached in (
                ("key", alone == count),
                ("singles_out", alone / count >= share),
                ("below_k", min(sizes.values()) < k),
            ):
                if is_reached and not any(set(other[0]) < set(places) for other in reached[kind]):
                    reached[kind].append((places, alone, min(sizes.values())))
        expected = []
        for kind, of_kind in reached.items():
            of_kind.sort(key=lambda one: (len(one[0]), -one[1], sum(1 << place for place in one[0])))
            kinds |= {kind} if of_kind else set()
            expected += [
                (kind, [names[place] for place in places], alone, alone / count, smallest)
                for places, alone, smallest in of_kind
            ]
        asked = {"columns": list(names), "max_size": 3, "share": share, "k": k}
        found = run(connection, "minimal_keys", source="t", **asked)
        assert [tuple(one.values()) for one in found] == expected
    assert len(kinds) == 3


def test_sets_that_have_the_figures_of_others(connection: duckdb.DuckDBPyConnection) -> None:
    """Attribute 0 stands one to one for 2, and 1 determines 2: what holds 0 is as with 2, what holds 1 and
    2 as with 1."""
    columns = "mask size classes singled_out"
    put(
        connection,
        "set_figures",
        columns,
        (2, 1, 20, 2),
        (4, 1, 40, 4),
        (8, 1, 80, 8),
        (10, 2, 100, 10),
        (12, 2, 120, 12),
    )
    run(connection, "set_implied", attributes=4, size=2, pairs=[(1, 2)], twins=[(0, 2)])
    told = {mask: one for mask, *one in tell(connection, "FROM set_figures")}
    assert told == {
        2: [1, 20, 2], 4: [1, 40, 4], 8: [1, 80, 8], 10: [2, 100, 10], 12: [2, 120, 12],
        1: [1, 40, 4], 3: [2, 20, 2], 5: [2, 40, 4], 6: [2, 20, 2], 9: [2, 120, 12],
    }  # fmt: skip
