"""The steps of attacks on members and of their scores, each on a table of a few rows, by hand."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator

import duckdb
import pytest

from duckrisk.engine.templates import Sql, render
from tests.tables import connect, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- scores --------------------------------------------------------------------------------------


def test_curves_without_members_or_others(connection: duckdb.DuckDBPyConnection) -> None:
    for member, counts in ((True, (3, 0)), (False, (0, 3))):
        put(connection, "s", "score:DOUBLE member:BOOLEAN", (0.5, member), (0.25, member), (0.5, member))
        run(connection, "roc_curve", name="curve", scores="s", score="score", member="member")
        summary = row(connection, "roc_summary", curve="curve")
        assert list(summary.values()) == [*counts, None, None]
        found = row(connection, "tpr_at_fpr", curve="curve", fpr="0.1")
        assert (found["members"], found["others"], found["usable"], found["tpr"]) == (
            *counts,
            counts[1] > 9,
            None,
        )
        assert (found["true_positives"], found["false_positives"], found["threshold"]) == (0, 0, None)
        assert run(connection, "roc_points", curve="curve") == []


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (0, 10), (1, 10), (5, 10), (10, 10), (990, 1000)])
def test_intervals_of_wilson(connection: duckdb.DuckDBPyConnection, successes: int, trials: int) -> None:
    """The ends are the shares p with (s / n - p)^2 = z^2 p (1 - p) / n; without trials nothing is known."""
    z = 1.96
    found = row(connection, "wilson_interval", successes=successes, trials=trials, z=str(z))
    assert 0 <= found["lower"] <= found["rate"] <= found["upper"] <= 1
    assert found["rate"] == pytest.approx((successes + z * z / 2) / (trials + z * z))
    if not trials:
        assert (found["lower"], found["upper"]) == (0, 1)
    else:
        for end in (found["lower"], found["upper"]):
            assert (successes / trials - end) ** 2 == pytest.approx(
                z * z * end * (1 - end) / trials, abs=1e-12
            )


def test_what_keeps_members_from_being_found(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "g", "record copies members", (0, 1, 1), (1, 3, 0), (4, 2, 2), (None, 0, 3), (6, 1, 0))
    assert row(connection, "population_faults", groups="g") == {
        "population": 7, "members": 3, "repeated": 5, "strangers": 3, "repeated_members": 5
    }  # fmt: skip
    nothing = row(connection, "population_faults", groups=Sql("(FROM g LIMIT 0)"))
    assert set(nothing.values()) == {0}
    put(connection, "p", "record a:VARCHAR", (0, "x"), (1, "x"), (2, None), (3, "y"))
    put(connection, "m", "a:VARCHAR", ("x",), (None,), (None,), ("z",))
    run(connection, "population_groups", name="made", population="p", members="m", columns=["a"])
    groups = {(0, 2, 1), (2, 1, 2), (3, 1, 0), (None, 0, 1)}
    assert set(tell(connection, "FROM made")) == groups


def test_the_three_safest_count_in_the_league(connection: duckdb.DuckDBPyConnection) -> None:
    """A attacks B, C, D and E, the least safe, and itself, which is left out; points are rounded down."""
    attacks = [
        ("B", "A", 1, 2),
        ("C", "A", 1, 4),
        ("D", "A", 1, 8),
        ("E", "A", 3, 4),
        ("E", "F", 1, 1),
        ("A", "A", 1, 1),
    ]
    attacks += [("A", "B", 500_000_000_002, 10**12)]
    names = ("submissions", "attackers", "hits", "guesses")
    columns = {name: list(column) for name, column in zip(names, zip(*attacks, strict=True), strict=True)}
    found = run(connection, "attack_league", phases=[0] * len(attacks), **columns, weights=["1"])
    entries = {one["name"]: one for one in found}
    assert entries["A"]["attack"] == pytest.approx((1 / 8 + 1 / 4 + 1 / 2) / 3)
    assert (entries["A"]["safety_points"], entries["A"]["attack_points"]) == (499, 291)
    safeties = {name: one["safety"] for name, one in entries.items()}
    assert safeties == pytest.approx(
        {"A": 0.499999999998, "B": 0.5, "C": 0.75, "D": 0.875, "E": 0, "F": None}
    )
    assert [entries[name]["safety_rank"] for name in "DCBAE"] == [1, 2, 3, 4, 5]
    # B did not attack D and C, of the three safest others; F attacked one of five, none of the three safest.
    assert entries["B"]["attack"] == pytest.approx(0.500000000002 / 3)
    assert entries["F"]["attack"] == 0


# --- nearest records -----------------------------------------------------------------------------


def test_blocks_of_near_records(connection: duckdb.DuckDBPyConnection) -> None:
    """Thirty records in halves by the first number, these by the second, and then in blocks of four."""
    chance = random.Random(1)
    numbers = [(n, chance.randrange(100), chance.randrange(100)) for n in range(30)]
    put(connection, "r", "record a b", *numbers)
    given = {"source": "r", "columns": ["a", "b", "record"], "levels": 2, "slices": 2, "size": 4}
    run(connection, "neighbour_blocks", name="blocks", **given)
    by_first = sorted(numbers, key=lambda one: (one[1], one[2], one[0]))
    expected = set()
    for half in (by_first[:15], by_first[15:]):
        by_second = sorted(half, key=lambda one: (one[2], one[0]))
        for quarter in (by_second[:8], by_second[8:]):
            records = sorted(one[0] for one in quarter)
            expected |= {frozenset(records[:4]), frozenset(records[4:])}
    told = tell(connection, "SELECT LIST(record) FROM blocks GROUP BY block")
    assert {frozenset(records) for (records,) in told} == expected
    run(connection, "neighbour_boxes", name="boxes", source="blocks", columns=["a", "b"])
    boxes = set(tell(connection, "SELECT least_a, greatest_a, least_b, greatest_b FROM boxes"))
    places = {n: (a, b) for n, a, b in numbers}
    sides = [list(zip(*(places[n] for n in block), strict=True)) for block in expected]
    assert boxes == {(min(a), max(a), min(b), max(b)) for a, b in sides}


@pytest.mark.parametrize("first", [None, "10 - box.block"])
def test_bounds_are_those_of_the_nearest_block(
    connection: duckdb.DuckDBPyConnection, first: str | None
) -> None:
    """Of 0 to 4, 10 to 14 and 30: 6 is 2 from the first, 25 is 5 from the last, and 12 is there. What the
    first summands say may take the last block for the nearest: its bound leaves more blocks to look at."""
    candidates = [
        (n, x, block) for n, (x, block) in enumerate([(0, 7), (4, 7), (10, 8), (12, 8), (14, 8), (30, 9)])
    ]
    put(connection, "c", "record a block", *candidates)
    run(connection, "neighbour_boxes", name="boxes", source="c", columns=["a"])
    put(connection, "r", "record a", (1, 6), (2, 25), (3, 12))
    to_box = "POWER(GREATEST(box.least_a - asked.a, asked.a - box.greatest_a, 0), 2)"
    shared = {
        "candidates": "c", "boxes": "boxes",
        "to_record": Sql("CAST((asked.a - candidate.a) * (asked.a - candidate.a) AS DOUBLE)"),
        "to_box": Sql(to_box),
        "to_box_first": None if first is None else Sql(f"LEAST({to_box}, {first})"),
    }  # fmt: skip
    run(connection, "neighbour_bounds", name="bounds", records="r", keys=["a"], **shared)
    assert tell(connection, "SELECT record, bound FROM bounds ORDER BY record") == [
        (1, 4 if first is None else 576),
        (2, 25),
        (3, 0),
    ]
    run(connection, "near_records", name="near", records="bounds", **shared)
    assert tell(connection, "FROM near ORDER BY record") == [(1, 1, 4), (2, 5, 25), (3, 3, 0)]


# --- k-means -------------------------------------------------------------------------------------


def test_what_standardises_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    """10, 20 and 60 have the mean 30 and the variance 1400 / 3; what is constant keeps its scale."""
    put(connection, "r", "a:DOUBLE b:DOUBLE", (10, 7), (20, 7), (60, 7))
    run(connection, "kmeans_shifts", name="shifts", source="r", numeric=["a", "b"])
    ((_, shift, factor, constant, one),) = tell(connection, "FROM shifts")
    assert (shift, factor) == pytest.approx((30, 1 / math.sqrt(1400 / 3)))
    assert (constant, one) == (7, 1)


@pytest.mark.parametrize("together", [False, True])
def test_a_step_of_lloyd(connection: duckdb.DuckDBPyConnection, together: bool) -> None:
    """A number and three categories of 2, 3 and 2 codes, the first two in one block; two starts of three."""
    chance, codes = random.Random(3), [2, 3, 2]
    records = [(n, chance.randrange(4), *(chance.randrange(count) for count in codes)) for n in range(24)]
    put(connection, "coded", "record n1:DOUBLE c1 c2 c3", *records)
    shared = {"numeric": ["n1"], "categories": ["c1", "c2", "c3"]}
    run(
        connection,
        "kmeans_points",
        name="points",
        source="coded",
        shifts=None,
        codes=codes,
        dimensions=8,
        **shared,
    )
    vectors = [
        [
            float(number),
            *(float(code == one) for count, code in zip(codes, cats, strict=True) for one in range(count)),
        ]
        for _, number, *cats in records
    ]
    told = tell(connection, "SELECT vector FROM points ORDER BY record")
    assert [list(vector) for (vector,) in told] == vectors
    blocks = {"blocks": [0, 0, 1], "strides": [3, 1, 1], "sizes": [6, 2]}
    run(connection, "kmeans_cells", name="cells", points="points", **blocks, **shared)
    run(connection, "kmeans_combinations", name="combinations", cells="cells", blocks=2)
    run(
        connection,
        "kmeans_start",
        name="centroids",
        points="points",
        cells="cells",
        clusters=3,
        seed=5,
        starts=[0, 1],
    )
    before: dict[tuple[int, int], list[float]] = {
        (start, cluster): list(vector)
        for start, cluster, vector in tell(connection, "SELECT start, cluster, vector FROM centroids")
    }
    assert sorted(before) == list(itertools.product((0, 1), (1, 2, 3)))
    run(
        connection, "kmeans_step", name="after", cells="cells", centroids="centroids", starts=[0, 1],
        clusters=3, codes=codes, combinations="combinations" if together else None, numeric=["n1"],
        dimensions=8, **blocks,
    )  # fmt: skip
    inertia: Counter[int] = Counter()
    members: dict[tuple[int, int], list[list[float]]] = {key: [] for key in before}
    for start in (0, 1):
        for vector in vectors:
            far = {
                c: sum((x - y) ** 2 for x, y in zip(vector, before[start, c], strict=True)) for c in (1, 2, 3)
            }
            nearest = min(far, key=lambda cluster: (round(far[cluster], 9), cluster))
            members[start, nearest].append(vector)
            inertia[start] += far[nearest]  # type: ignore[assignment]
    for start, cluster, vector in tell(connection, "SELECT start, cluster, vector FROM after"):
        several = members[start, cluster]
        mean = [sum(column) / len(several) for column in zip(*several, strict=True)] or before[start, cluster]
        assert list(vector) == pytest.approx(mean)
    told = tell(connection, "SELECT start, SUM(inertia) FROM after GROUP BY start")
    assert dict(told) == pytest.approx(dict(inertia))


# --- made records --------------------------------------------------------------------------------


def test_limits_of_draws(connection: duckdb.DuckDBPyConnection) -> None:
    """At least one of five records gets a dummy, and one does not."""
    draw = Sql("CAST(10 * record AS UBIGINT)")
    given = {"records": 5, "members": 10, "draws": [draw] * 4}
    apart = run(connection, "draw_limits", **given, counts=[0, 10, 9, 1], permuted=False)
    assert [int(one["most"]) for one in apart] == [0, 39, 39, 39]
    # Two of ten are one of five, seven are 3.5 and so four; none is one, all are four.
    exact = run(connection, "draw_limits", **given, counts=[2, 7, 0, 10], permuted=True)
    assert [int(one["most"]) for one in exact] == [0, 30, 0, 30]


def test_sums_of_swapped_records(connection: duckdb.DuckDBPyConnection) -> None:
    """Cells whose values cancel out are left out; a proposal adds a record and takes another away."""
    cells, values = Sql("[a, b]"), Sql("[v, 2 * v]")
    put(connection, "current", "record a b v", (0, 1, 2, 3), (1, 1, 4, -3), (2, 5, 5, 1))
    assert run(connection, "swap_totals", source="current", cells=cells, values=values) == [
        {"cell": 2, "total": 6}, {"cell": 4, "total": -6}, {"cell": 5, "total": 3}
    ]  # fmt: skip
    put(connection, "fresh", "record a b v", (10, 1, 7, 3), (11, 5, 5, 1))
    put(connection, "moves", "slot proposal position origin", (0, 0, 0, 10), (1, 1, 2, 11), (2, 1, 1, 10))
    shared = {"moves": "moves", "fresh": "fresh"}
    deltas = run(
        connection,
        "swap_deltas",
        **shared,
        current="current",
        codes=["a", "b", "v"],
        cells=cells,
        values=values,
    )
    assert [tuple(one.values()) for one in deltas] == [(0, 2, -6), (0, 7, 6), (1, 1, 6), (1, 4, 6), (1, 7, 6)]
    run(connection, "moved_records", name="moved", **shared, columns=["a", "v"])
    assert tell(connection, "FROM moved ORDER BY record") == [
        (0, 0, 0, 1, 3),
        (1, 1, 2, 5, 1),
        (2, 1, 1, 1, 3),
    ]


def test_who_stands_beside_a_target(connection: duckdb.DuckDBPyConnection) -> None:
    """Two members and two others are targets; beside each stand three of the others left, in turn."""
    put(connection, "p", "record", *[(n,) for n in range(9)])
    put(connection, "m", "record", (1,), (4,), (6,))
    given = {"population": "p", "members": "m", "targets": 2, "others_per_target": 3, "seed": 8}
    run(connection, "classifier_targets", name="made", **given)
    rows = tell(connection, "SELECT target, record, member, slot FROM made ORDER BY target, slot")
    targets = [one for one in rows if one[3] == -1]
    assert [one[2] for one in targets] == [True, True, False, False]
    assert {one[1] for one in targets[:2]} < {1, 4, 6}
    beside = [one for one in rows if one[3] >= 0]
    assert [(one[0], one[3]) for one in beside] == list(itertools.product(range(4), range(3)))
    assert not any(one[2] for one in beside)
    left = [one[1] for one in beside]
    assert set(left[:4]) == set(range(9)) - {1, 4, 6} - {one[1] for one in targets}
    assert left == left[:4] * 3


def test_numbers_of_the_cells_of_values(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "r", "n1:DOUBLE n3:DOUBLE", (5, 0), (2, 0), (5, -1))
    run(
        connection,
        "number_bins",
        name="bins",
        source="r",
        columns=["n1", "n3"],
        attributes=[0, 4],
        first_index=7,
    )
    told = tell(connection, "SELECT attribute, value, cell FROM bins ORDER BY cell")
    assert told == [(0, 2, 7), (0, 5, 8), (4, -1, 9), (4, 0, 10)]


def test_what_brings_numbers_together(connection: duckdb.DuckDBPyConnection) -> None:
    """10, 50 and 60 have the mean 40, and 10 is furthest from it; numbers may be as large as doubles are."""
    put(
        connection,
        "r",
        "n1:DOUBLE c2:VARCHAR n3:DOUBLE n4:DOUBLE",
        (10, "x", -1.5e308, 7),
        (50, "y", 1.5e308, 7),
        (60, "x", 0, 7),
    )
    run(connection, "number_scales", name="scales", source="r", attributes=["n1", "c2", "n3", "n4"])
    told = tell(
        connection, "SELECT attribute, middle, width FROM scales WHERE attribute >= 0 ORDER BY attribute"
    )
    assert [one[0] for one in told] == [0, 2, 3]
    assert [one[1:] for one in told] == [pytest.approx((40, 30)), pytest.approx((0, 1.5e308)), (7, 1)]
    put(connection, "cells", "times n1:DOUBLE", (2, 0.25), (3, -0.5))
    assert run(connection, "count_points", cells="cells", numeric=["n1"]) == [
        {"records": 5, "points": 2, "largest": 0.5}
    ]


def test_a_number_counts_as_often_as_it_is_there(connection: duckdb.DuckDBPyConnection) -> None:
    """Three times 10 and once 50 have the mean 20."""
    put(connection, "r", "n0:DOUBLE", (10,), (10,), (50,), (10,))
    run(connection, "number_scales", name="scales", source="r", attributes=["n0"])
    assert tell(connection, "SELECT attribute, middle, width FROM scales") == [(0, 20, 30)]


def test_a_tail_of_many(connection: duckdb.DuckDBPyConnection) -> None:
    """Of 20,000 half are members: so are half of 10,000 guesses or more in just over half of all ways."""
    found = row(
        connection, "hypergeometric_tail", population=20_000, members=10_000, guesses=10_000, hits=5_000
    )
    half = math.lgamma(10_001) - 2 * math.lgamma(5_001)
    equal = math.exp(2 * half - (math.lgamma(20_001) - 2 * math.lgamma(10_001)))
    assert list(found.values()) == pytest.approx([5_000, (1 + equal) / 2], rel=1e-7)


def test_distances_to_boxes_and_missing_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    """A record 3 below in a number, 2 above in another, inside in a category and outside in one."""
    put(connection, "asked", "n1:DOUBLE n2:DOUBLE c1 c2", (7, 12, 2, 9))
    columns = ("n1", "n2", "c1", "c2")
    put(
        connection,
        "box",
        " ".join(f"least_{c}:DOUBLE greatest_{c}:DOUBLE" for c in columns),
        (10, 11, 5, 10, 1, 3, 1, 8),
    )
    distance = render(
        "box_distance", record="asked", box="box", numeric=["n1", "n2"], categories=["c1", "c2"], weight=0.5
    )
    assert tell(connection, f"SELECT {distance} FROM asked, box") == [(9 + 4 + 0.5,)]
    put(connection, "asked", "n1:DOUBLE n2:DOUBLE c1 c2", (10, 9, 1, 8), (11, 5, 3, 1), (12, 10, 4, 0))
    assert tell(connection, f"SELECT {distance} FROM asked, box") == [(0,), (0,), (1 + 1,)]
    put(connection, "coded", "record c0", (1, 4), (2, 0))
    put(connection, "values0", "code scaled", (4, 250))
    given = {
        "keys": ["record"],
        "numeric": [0],
        "tables": ["values0"],
        "categories": [],
        "words": [],
        "code_factors": [],
    }
    run(connection, "risk_points", name="points", source="coded", unit=1000, **given)
    assert tell(connection, "SELECT record, n0 FROM points ORDER BY record") == [(1, 250), (2, 3000)]


def test_the_weights_of_a_category(connection: duckdb.DuckDBPyConnection) -> None:
    """Of two categories with three dummies each: the weights of each by itself, and of both together."""
    given = {"attributes": ["c1", "c2"], "dummies": 6, "starts": [0, 3], "totals": [0, 0], "highs": [0] * 4}
    gain = render("swap_gain", **given, bits=20, trees=[])
    weights = [number * number for number in range(36)]
    for first, second in itertools.product(range(3), range(3, 6)):
        (told,) = tell(
            connection, f"SELECT {gain} FROM (SELECT {first} AS a0, {second} AS a1, {weights} AS weights)"
        )
        assert told == (weights[7 * first] + weights[6 * first + second] + weights[7 * second],)


def test_scores_of_ten_digits(connection: duckdb.DuckDBPyConnection) -> None:
    """Those that agree in ten digits are one, the largest; small ones are compared with a hundredth of the
    largest.
    The first candidate of equal scores comes first."""
    scores = [1.00000000012, 1.00000000008, 1.0000000011, 2.0, -2.0, 0.00123456789012, 0.00123456789049]
    scores += [0.00123456799, float("inf"), float("-inf")]
    put(connection, "s", "record score:DOUBLE", *enumerate(scores))
    run(connection, "ranked_scores", name="ranked", scores=Sql("s"))
    told = tell(connection, "SELECT record, score, place FROM ranked ORDER BY place")
    order = [8, 3, 2, 0, 1, 7, 5, 6, 4, 9]
    assert [(record, place) for record, _, place in told] == [
        (record, n + 1) for n, record in enumerate(order)
    ]
    given = {record: score for record, score, _ in told}
    assert given == dict(enumerate(scores)) | {1: scores[0], 5: scores[6]}
    put(connection, "s", "record score:DOUBLE", (0, 0.0), (1, float("-inf")), (2, 0.0))
    run(connection, "ranked_scores", name="ranked", scores=Sql("s"))
    assert tell(connection, "SELECT record FROM ranked ORDER BY place") == [(0,), (2,), (1,)]


def test_numbers_beyond_a_wide_type(connection: duckdb.DuckDBPyConnection) -> None:
    """What it cannot hold is the largest or the smallest of the source; other columns are as they are."""
    put(connection, "o", "big other", (2**63 - 1, 1), (-(2**63), 2), (5, 3))
    rows = [(0, 9.3e18, 1.0), (1, -9.4e18, 2.0), (2, 7.0, 3.0)]
    put(connection, "s", "record big:DOUBLE other:DOUBLE", *rows)
    kinds = [Sql("BIGINT"), Sql("INTEGER")]
    given = {"source": Sql("s"), "original": Sql("o"), "columns": ["big", "other"]}
    run(
        connection,
        "synthetic_records",
        name="made",
        **given,
        kinds=kinds,
        wide=["big"],
        bindings=["big", "other"],
    )
    assert tell(connection, "FROM made") == [(0, 2**63 - 1, 1), (1, -(2**63), 2), (2, 7, 3)]


@pytest.mark.parametrize("guided", [False, True])
def test_proposals_of_swaps(connection: duckdb.DuckDBPyConnection, guided: bool) -> None:
    """Two records at a time: of six candidates four leave, those with the least gain first, and of those
    that come the ones with the largest; a fresh record that is used already is no candidate."""
    current = [(record, record % 4, 10 + record, 1 + (record == 9)) for record in range(10)]
    put(connection, "current", "record v origin draw", *current)
    put(connection, "fresh", "record v", *((record, record % 3) for record in range(9, 21)))
    turns = [(7, 3), (3, 5), (5, 1), (9, 2)]  # a drawn number of a record: record * factor + shift, modulo 13
    drawn = [Sql(f"((record * {factor} + {shift}) % 13)") for factor, shift in turns]
    given = {"records": 4, "size": 2, "leaving": 6, "coming": 7, "draw": 1}
    gain, weights = (Sql("v * weights[1]"), "[2.0]") if guided else (None, None)
    run(
        connection, "swap_moves", name="moves", current=Sql("current"), fresh=Sql("fresh"), drawn=drawn,
        gain=gain, weights=weights, **given,
    )  # fmt: skip

    def order(records: list[int], way: int) -> list[int]:
        factor, shift = turns[way]
        return sorted(records, key=lambda record: ((record * factor + shift) % 13, record))

    used = {origin for _, _, origin, draw in current if draw == 1}
    leaving = order([*range(10)], 0)[:6]
    coming = order([record for record in range(9, 21) if record not in used], 2)[:7]
    if guided:
        leaving.sort(key=lambda record: record % 4)
        coming.sort(key=lambda record: -(record % 3))
    leaving, coming = order(leaving[:4], 1), order(coming[:4], 3)
    assert tell(connection, "SELECT proposal, slot, position, origin FROM moves ORDER BY slot") == [
        (slot // 2, slot, *pair) for slot, pair in enumerate(zip(leaving, coming, strict=False))
    ]
