"""The steps of local recoding, each on a few tuples, by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import duckdb
import pytest

from tests.tables import connect, put, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([10, 20, 40, 20], {10: 0, 20: 1 / 3, 40: 1}),
        ([7, math.inf, 7, -math.inf, math.nan], {-math.inf: -2, 7: 0, math.inf: 2, "nan": 3}),
        ([-1e308, 0, 1e308], {-1e308: 0, 0: 0.5, 1e308: 1}),
    ],
)
def test_places_of_numbers(
    connection: duckdb.DuckDBPyConnection, values: list[float], places: dict[float | str, float]
) -> None:
    """In the order of the values; a missing one is number 0."""
    put(connection, "t", "v:DOUBLE", *[(value,) for value in values], (None,))
    run(connection, "quasi_numbers", source="t", column="v", table="numbered", moments=False)
    told = tell(connection, "SELECT value, code, place FROM numbered ORDER BY code")
    assert told[0] == (None, 0, -1)
    assert [code for _, code, _ in told] == list(range(len(places) + 1))
    found = {"nan" if math.isnan(value) else value: place for value, _, place in told[1:]}
    assert list(found) == list(places)
    assert list(found.values()) == pytest.approx(list(places.values()))


def test_widths_of_groups(connection: duckdb.DuckDBPyConnection) -> None:
    """A group with a missing number or an infinite one is as wide as can be; five leaves are four steps."""
    put(connection, "numbered", "code place:DOUBLE", (0, -1), (1, 0), (2, 0.25), (3, 1), (4, 2))
    boxes = {
        5: ((2, 2), (1, 5)),
        6: ((1, 2), (2, 3)),
        7: ((0, 2), (4, 4)),
        8: ((2, 4), (0, 2)),
        9: ((2, 3), (1, 1)),
    }
    tuples = [(part, x, y) for part, ends in boxes.items() for x, y in zip(*ends, strict=True)]
    put(connection, "quasi_open", "part x0 x1", *tuples)
    run(connection, "mondrian_widths", heights=[0, 2], leaves=[9, 5], tables=["numbered", "none"])
    told = tell(connection, "SELECT part, attribute, width FROM quasi_widths ORDER BY ALL")
    widths = {5: (0, 1), 6: (0.25, 0.25), 7: (1, 0), 8: (1, 0.5), 9: (0.75, 0)}
    assert told == [(part, place, width) for part, both in widths.items() for place, width in enumerate(both)]


def test_cuts_at_the_median(connection: duckdb.DuckDBPyConnection) -> None:
    """With k = 3: 4 and 3 records, 3 and 3; but not 5 and 2, nor 2 and 2."""
    groups = {1: {10: 2, 20: 2, 30: 3}, 2: {5: 3, 6: 3}, 3: {1: 1, 2: 4, 3: 2}, 4: {1: 2, 2: 2}}
    rows = [(part, x, 1) for part, counts in groups.items() for x, n in counts.items() for _ in range(n)]
    put(connection, "quasi_open", "part x1 n", *rows)
    run(connection, "mondrian_begin_cuts")
    run(connection, "mondrian_cuts", attribute=1, k=3)
    assert sorted(tell(connection, "FROM quasi_cuts")) == [(1, 1, 20, 4, 7), (2, 1, 5, 3, 6)]


def test_the_cut_of_each_group(connection: duckdb.DuckDBPyConnection) -> None:
    """Group 1 is cut on its wider attribute, group 4 of equal ones on the first; after 7 groups come 8 to 11.
    A tuple goes where its value of the cut attribute is; a side of fewer than 2k records is done."""
    cuts = [(4, 0, 5, 3, 9), (4, 1, 6, 4, 9), (1, 0, 2, 2, 8), (1, 1, 3, 4, 7)]
    put(connection, "quasi_cuts", "part attribute cut below records", *cuts)
    widths = [(4, 0, 0.5), (4, 1, 0.5), (1, 0, 0.25), (1, 1, 0.75), (6, 0, 1.0)]
    put(connection, "quasi_widths", "part attribute width:DOUBLE", *widths)
    run(connection, "mondrian_parts", made=7)
    told = tell(connection, "SELECT part, attribute, cut, below, above, made FROM quasi_parts ORDER BY part")
    assert told == [(1, 1, 3, 4, 3, 9), (4, 0, 5, 3, 6, 11)]
    tuples = [(10, 1, 4, 9, 3), (11, 1, 3, 1, 4), (12, 4, 3, 5, 9), (13, 4, 6, 6, 2), (14, 6, 9, 1, 1)]
    put(connection, "quasi_open", "tuple part n x0 x1", *tuples)
    put(connection, "quasi_classes", "tuple part n")
    run(connection, "mondrian_next", columns=["a", "b"], k=2, open=False)
    assert sorted(tell(connection, "FROM quasi_classes")) == [(11, 9, 3), (12, 10, 3), (14, 6, 9)]
    run(connection, "mondrian_next", columns=["a", "b"], k=2, open=True)
    assert sorted(tell(connection, "FROM quasi_open")) == [(10, 8, 4, 9, 3), (13, 11, 6, 6, 2)]


def test_rounds_of_topdown(connection: duckdb.DuckDBPyConnection) -> None:
    """About 1, 2, 4 and 8 tuples of a group are placed in rounds 0 to 3, the next ones up to its 64th in the
    fourth, in the mean over groups; a draw is a number of 30 bits."""
    tuples, seeds = 500, 30
    connection.execute(
        f"CREATE TABLE quasi_tuples AS SELECT i AS tuple, 1 AS n, 0 AS a0 FROM range({tuples}) AS t(i)"
    )
    given = {"heights": [1], "tables": ["none"], "tuples": tuples, "last": 5}
    counts: Counter[int] = Counter()
    for seed in range(seeds):
        run(connection, "topdown_begin", **given, large=10_000, seed=seed)
        counts.update(dict(tell(connection, "SELECT round, COUNT(*) FROM quasi_open GROUP BY round")))
    ((least, most),) = tell(connection, "SELECT MIN(draw), MAX(draw) FROM quasi_open")
    assert least < 2**24
    assert 2**30 - 2**24 < most < 2**30
    for number, wanted in enumerate((1, 2, 4, 8, 48, tuples - 63)):
        assert counts[number] / seeds == pytest.approx(wanted, rel=0.35)
    run(connection, "topdown_begin", **given, large=500, seed=1)
    assert tell(connection, "SELECT MAX(round) FROM quasi_open") == [(5,)]
    run(connection, "topdown_begin", **given, large=499, seed=1)
    assert tell(connection, "SELECT DISTINCT round FROM quasi_open") == [(-1,)]


def test_seeds_and_sides_of_topdown(connection: duckdb.DuckDBPyConnection) -> None:
    """A number at 0, 1/2 and 1, a category without labels, and one of four leaves with labels of two."""
    put(connection, "v0", "code place:DOUBLE", (1, 0), (2, 0.5), (3, 1))
    labels = [(code, (code - 1) // 2 * 2 + 1, (code - 1) // 2 * 2 + 2) for code in range(1, 5)]
    put(connection, "v2", "code lo1 hi1", *labels)
    tuples = [(1, 2, 1, 1, 1), (2, 1, 2, 2, 2), (3, 4, 3, 1, 2), (4, 1, 1, 2, 4)]
    put(connection, "quasi_tuples", "tuple n a0 a1 a2", *tuples)
    heights, tables, whole = [0, 1, 2], ["v0", "none", "v2"], 2**20
    run(connection, "topdown_begin", heights=heights, tables=tables, tuples=4, last=5, large=0, seed=1)
    told = tell(connection, "SELECT tuple, part, n, x0, x1, x2 FROM quasi_open ORDER BY tuple")
    scaled = {1: 0, 2: whole // 2, 3: whole}
    assert told == [(number, 0, n, scaled[a], b, c) for number, n, a, b, c in tuples]
    connection.execute("UPDATE quasi_open SET draw = 9 - tuple")
    asked = {"heights": heights, "tables": tables, "leaves": [3, 2, 4]}
    run(connection, "topdown_seeds", **asked, before=None, table="s0")
    assert tell(connection, "SELECT part, tuple, n, x0, x1, x2, lo2_1, hi2_1, cost2_1 FROM s0") == [
        (0, 1, 2, 0, 1, 1, 1, 2, whole // 2)
    ]
    # The second tuple is half a range, a category and a label of two away, the fourth a category and all
    # leaves: as far, and later.
    run(connection, "topdown_seeds", **asked, before="s0", table="s1")
    assert tell(connection, "SELECT tuple FROM s1") == [(4,)]
    run(connection, "topdown_boxes", heights=heights, seeds=["s0", "s1"])
    known = "part, seed0, n0, p0, l0_0, h0_0, x1_0, l2_0, h2_0, seed1, n1, p1, l0_1, h0_1, x1_1, l2_1, h2_1"
    first, second = (1, 2, 0, 0, 0, 1, 1, 1), (4, 1, 0, 0, 0, 2, 4, 4)
    assert tell(connection, f"SELECT {known} FROM quasi_sides") == [(0, *first, *second)]
    columns = "part tuple n round side is_seed:BOOLEAN x0 x1 x2"
    placed = [(0, 1, 2, 3, 0, True, 0, 1, 1), (0, 2, 5, 3, 0, False, whole // 2, 1, 2)]
    placed += [
        (0, 3, 4, 3, 0, False, whole, 1, 1),
        (0, 5, 7, 3, 1, False, 9, 1, 3),
        (0, 6, 9, 2, 1, False, whole, 2, 1),
    ]
    put(connection, "quasi_placed", columns, *placed)
    run(connection, "topdown_widen", heights=heights, round=3)
    first = (1, 2 + 5 + 4, whole + whole // 2, 0, whole, 1, 1, 2)
    second = (4, 1 + 7, 9 + whole + whole // 2, 0, 9, -1, 3, 4)
    assert tell(connection, f"SELECT {known} FROM quasi_sides") == [(0, *first, *second)]
    # Smaller numbers and leaves as well as larger ones.
    put(
        connection, "quasi_placed", columns, (0, 7, 1, 4, 1, False, -5, 2, 1), (0, 8, 1, 4, 1, False, 3, 2, 4)
    )
    run(connection, "topdown_widen", heights=heights, round=4)
    second = (4, 1 + 7 + 2, 14 + whole + whole, -5, 9, -1, 1, 4)
    assert tell(connection, f"SELECT {known} FROM quasi_sides") == [(0, *first, *second)]


def test_large_groups_are_placed_at_once(connection: duckdb.DuckDBPyConnection) -> None:
    """Two seeds of a large group, and what is nearer to one of them, in the first round; the sides stay as
    they were, but for those of the small group."""
    sides = "part seed0 n0 p0 l0_0 h0_0 seed1 n1 p1 l0_1 h0_1"
    before = [(1, 11, 1, 0, 0, 0, 12, 1, 0, 10, 10), (2, 21, 1, 0, 5, 5, 22, 1, 0, 9, 9)]
    put(connection, "quasi_sides", sides, *before)
    opened = [(11, 1, 1, 0, -1, 0), (12, 1, 1, 0, -1, 10), (13, 1, 1, 0, -1, 4), (14, 1, 2, 0, -1, 7)]
    opened += [(21, 2, 1, 0, 1, 5), (22, 2, 1, 0, 1, 9), (23, 2, 3, 0, 0, 6)]
    put(connection, "quasi_open", "tuple part n draw round x0", *opened)
    run(connection, "topdown_place", heights=[0], round=0)
    assert tell(connection, "SELECT tuple, lead, side FROM quasi_placed ORDER BY tuple") == [
        (11, -10, 0), (12, 10, 1), (13, -2, 0), (14, 4, 1), (23, -2, 0)
    ]  # fmt: skip
    run(connection, "topdown_widen", heights=[0], round=0)
    columns = ", ".join(sides.split())
    assert tell(connection, f"SELECT {columns} FROM quasi_sides ORDER BY part") == [
        before[0], (2, 21, 4, 1, 5, 6, 22, 1, 0, 9, 9)
    ]  # fmt: skip


def test_uneven_splits(connection: duckdb.DuckDBPyConnection) -> None:
    """Halved are a group without a second side and a large one with less than a tenth on one."""
    sides = {1: {0: 7}, 2: {0: 3, 1: 97}, 3: {0: 1, 1: 40}, 4: {0: 30, 1: 70}, 5: {1: 10}, 6: {0: 11, 1: 100}}
    counts = [(part, side, records, 1) for part, both in sides.items() for side, records in both.items()]
    put(connection, "quasi_counts", "part side records tuples", *counts)
    asked = {"share": 10, "most": 50}
    assert run(connection, "topdown_faults", **asked) == [{"parts": 4}]
    placed = [(11, 1, 1, 4, 0), (12, 1, 2, 2, 0), (13, 1, 1, 1, 0), (14, 1, 3, 8, 0)]
    placed += [(21, 2, 3, -7, 0), (22, 2, 97, 7, 1), (31, 3, 1, -5, 0), (32, 3, 40, 5, 1)]
    placed += [(51, 5, 1, 0, 1), (52, 5, 9, 0, 1), (61, 6, 11, 9, 0), (62, 6, 100, -9, 1)]
    put(connection, "quasi_placed", "tuple part n lead side", *placed)
    run(connection, "topdown_halve", **asked)
    told = dict(tell(connection, "SELECT tuple, side FROM quasi_placed"))
    # By the lead of the first group: 13 (1), 12 (2), 11 (4), 14 (8), of 1, 2, 1 and 3 records.
    assert told == {13: 0, 12: 0, 11: 0, 14: 1, 21: 0, 22: 1, 31: 0, 32: 1, 51: 0, 52: 1, 61: 1, 62: 0}
    run(connection, "topdown_sides")
    sensitive_counts = sorted(tell(connection, "FROM quasi_counts"))
    assert sensitive_counts[:2] == [(1, 0, 4, 3), (1, 1, 3, 1)]


@pytest.mark.parametrize("k", [5, 1005])
def test_a_small_side_gets_what_fits_it_best(connection: duckdb.DuckDBPyConnection, k: int) -> None:
    """The first group wants four records, for which the first tuple has three; the second is complete."""
    put(
        connection,
        "quasi_counts",
        "part side records tuples",
        (1, 0, k - 4, 1),
        (1, 1, 2 * k, 3),
        (2, 0, k, 1),
        (2, 1, k, 1),
    )
    placed = [(10, 1, 2, 5, 1), (11, 1, 3, 2, 1), (12, 1, 9, 9, 1), (13, 1, 1, -9, 0)]
    put(
        connection,
        "quasi_placed",
        "tuple part n lead side",
        *placed,
        (20, 2, k, -9, 0),
        (21, 2, k, 9, 1),
    )
    run(connection, "topdown_repair", k=k)
    assert sorted(tell(connection, "FROM quasi_moved")) == [(1, 10, 0, 1), (1, 11, 0, 3)]
    run(connection, "topdown_parts", k=2, made=7)
    # Of the first group three tuples go left and two right; of the second one each.
    assert tell(connection, "FROM quasi_parts ORDER BY made") == [
        (1, 0, 8, 3, True), (1, 1, 9, 2, True), (2, 0, 10, 1, False), (2, 1, 11, 1, False)
    ]  # fmt: skip
    assert run(connection, "quasi_count_parts") == [{"parts": 4, "tuples": 3}]
    put(connection, "quasi_classes", "tuple class n")
    connection.execute("ALTER TABLE quasi_placed ADD COLUMN draw BIGINT DEFAULT 0")
    connection.execute("ALTER TABLE quasi_placed ADD COLUMN x0 BIGINT DEFAULT 6")
    run(connection, "topdown_next", heights=[1], open=False, last=5, large=99)
    assert sorted(tell(connection, "FROM quasi_classes")) == [(20, 10, k), (21, 11, k)]
    run(connection, "topdown_next", heights=[1], open=True, last=5, large=99)
    left = [
        (10, 8, 1, 6, 0, 0),
        (10, 9, 1, 6, 0, 0),
        (11, 8, 3, 6, 0, 0),
        (12, 9, 9, 6, 0, 0),
        (13, 8, 1, 6, 0, 0),
    ]
    assert sorted(tell(connection, "FROM quasi_open")) == left


def test_rounds_of_what_is_still_to_be_split(connection: duckdb.DuckDBPyConnection) -> None:
    """By the place that a draw of 30 bits says among the tuples of the group."""
    draws = [
        place * 2**30 // 300 for place in (0, 1, 2, 3, 6, 7, 14, 15, 30, 31, 62, 63, 64, 200, 254, 255, 299)
    ]
    put(
        connection,
        "quasi_placed",
        "tuple part side n draw x0",
        *[(n, 1, 0, 1, draw, 4) for n, draw in enumerate(draws)],
    )
    put(connection, "quasi_moved", "part tuple side n")
    for large, wanted in ((300, True), (299, False)):
        put(connection, "quasi_parts", "part side made tuples open:BOOLEAN", (1, 0, 9, 300, True))
        run(connection, "topdown_next", heights=[1], open=True, last=6, large=large)
        places = [draw * 300 // 2**30 + 1 for draw in draws]
        rounds = [
            min(6, int(math.log2(one)), 2 + int(math.log2(one) / 2)) if wanted else -1 for one in places
        ]
        assert tell(connection, "SELECT tuple, round FROM quasi_open ORDER BY tuple") == list(
            enumerate(rounds)
        )


def test_boxes_and_members_of_classes(connection: duckdb.DuckDBPyConnection) -> None:
    """Of four equal records the first is in one class, the others are in the next."""
    put(connection, "quasi_tuples", "tuple n a0 a1", (1, 4, 2, 7), (2, 1, 5, 3), (3, 2, 4, 3))
    run(connection, "begin_classes")
    connection.execute("INSERT INTO quasi_classes VALUES (1, 8, 1), (1, 9, 3), (2, 8, 1), (3, 9, 2)")
    run(connection, "class_boxes", columns=["a", "b"], sets=[0, 16])
    boxes = [(8, 2, 2, 5, 3, 7, [3, 7]), (9, 5, 2, 4, 3, 7, [3, 7])]
    assert sorted(tell(connection, "FROM quasi_boxes")) == boxes
    records = [(3, 2, 7), (6, 5, 3), (1, 2, 7), (5, 2, 7), (4, 2, 7), (2, 4, 3), (7, 4, 3)]
    put(connection, "quasi_records", "record a0 a1", *records)
    run(connection, "quasi_members", columns=["a", "b"], more=[])
    assert sorted(tell(connection, "FROM quasi_members")) == [
        (1, 8),
        (2, 9),
        (3, 9),
        (4, 9),
        (5, 9),
        (6, 8),
        (7, 9),
    ]
