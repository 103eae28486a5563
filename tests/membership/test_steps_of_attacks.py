"""The statements of attacks on a release, each on tables of a few rows, against its definition in Python."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import md5
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql, render
from tests.tables import connect, put, row, run, tell

LARGEST = 2147483647


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- shadows ---------------------------------------------------------------------------------------


def deviation(numbers: Sequence[float]) -> float:
    """Return the sum of squared deviations from the mean."""
    mean = sum(numbers) / len(numbers) if numbers else 0.0
    return math.fsum((number - mean) ** 2 for number in numbers)


def fits(told: dict[int, tuple[list[float], list[float]]]) -> dict[int, list[float | None]]:
    """Return mean and deviation inside, then outside, of each candidate, from all its statistics."""
    sides = [side for pair in told.values() for side in pair]
    freedoms = sum(max(len(side) - 1, 0) for side in sides)
    pooled = math.fsum(map(deviation, sides)) / freedoms if freedoms else 0.0
    moves = [sum(a) / len(a) - sum(b) / len(b) for a, b in told.values() if a and b]
    moved = sum(moves) / len(moves) if moves else 0.0
    anybody = any(inside for inside, _ in told.values())
    found: dict[int, list[float | None]] = {}
    for record, (inside, outside) in told.items():
        without = sum(outside) / len(outside) if outside else sum(inside) / len(inside) - moved
        within = (sum(inside) + without + moved) / (len(inside) + 1) if anybody else None
        if min(len(inside), len(outside)) >= 32:
            variances = [(deviation(side) + pooled) / len(side) for side in (inside, outside)]
        else:
            squares = deviation(inside) + deviation(outside) + pooled
            variances = [squares / (len(inside) + len(outside) + 1 - bool(inside) - bool(outside))] * 2
        first, second = (math.sqrt(max(variance, 1e-12)) for variance in variances)
        found[record] = [within, first if anybody else None, without, second]
    return found


@pytest.mark.parametrize(
    "sides",
    [
        {1: (3, 2), 2: (1, 4), 3: (5, 0), 4: (0, 5), 5: (4, 1)},
        {1: (0, 3), 2: (0, 3)},
        {1: (2, 0), 2: (2, 0)},
        {1: (1, 0), 2: (0, 1)},
        {1: (32, 33), 2: (33, 32), 3: (31, 34)},
    ],
)
@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_normal_distributions_of_shadows(
    connection: duckdb.DuckDBPyConnection, sides: dict[int, tuple[int, int]], spread: float
) -> None:
    """Without spread all statistics of a candidate are equal: its deviation is the smallest there is."""
    chance = random.Random(7)
    told: dict[int, tuple[list[float], list[float]]] = {record: ([], []) for record in sides}
    now = None
    for shadow in range(sum(next(iter(sides.values())))):
        rows = []
        for record, (inside, _) in sides.items():
            statistic = record + spread * round(chance.uniform(-2, 2), 3)
            told[record][shadow >= inside].append(statistic)
            rows.append((record, statistic, shadow < inside))
        put(connection, "told", "record statistic:DOUBLE inside:BOOLEAN", *rows)
        after = f"sums_{shadow % 2}"
        run(connection, "shadow_sums", name=after, statistics=Sql("told"), before=now)
        now = Sql(after)
    run(connection, "shadow_fits", name="fits", sums=now)
    columns = "record, inside_mean, inside_deviation, outside_mean, outside_deviation"
    found = {record: list(row) for record, *row in tell(connection, f"SELECT {columns} FROM fits")}
    expected = fits(told)
    assert found.keys() == expected.keys()
    for record, numbers in expected.items():
        for number, value in zip(numbers, found[record], strict=True):
            assert value == (number if number is None else pytest.approx(number, rel=1e-7)), record


# --- singling out ----------------------------------------------------------------------------------

#: The codes of two attributes; 0 is a missing value.
CODES = [(1, 0), (1, 2), (2, 2), (3, 2), (3, 5), (4, 0), (7, 0), (7, 7)]


def values_of(records: Sequence[tuple[int, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows of predicate_values."""
    rows = []
    for place, codes in enumerate(zip(*records, strict=True)):
        known = sorted(code for code in codes if code > 0)
        median = known[(len(known) - 1) // 2] if known else None
        for number, code in enumerate(sorted(set(codes))):
            upto = sum(other <= code for other in codes)
            above = median is not None and code > median
            counts = (codes.count(code), upto, len(codes), codes.count(0))
            rows.append((place, code, number, len(set(codes)), *counts, above))
    return rows


VALUES = "place code number codes records upto total missing above:BOOLEAN"


@pytest.mark.parametrize("records", [CODES, CODES[:3], [(0, 0), (0, 1)], [(5, 5)]])
def test_values_that_predicates_are_made_of(
    connection: duckdb.DuckDBPyConnection, records: list[tuple[int, int]]
) -> None:
    put(connection, "different", "a b", *records)
    run(connection, "predicate_values", name="made", different=Sql("different"), columns=["a", "b"])
    names = VALUES.replace(":BOOLEAN", "").replace(" ", ", ")
    assert sorted(tell(connection, f"SELECT {names} FROM made")) == sorted(values_of(records))


@pytest.mark.parametrize("numeric", [[], [0], [0, 1]])
def test_values_that_one_record_has(connection: duckdb.DuckDBPyConnection, numeric: list[int]) -> None:
    put(connection, "release_values", VALUES, *(values := values_of(CODES)))
    given = {"name": "made", "release_values": Sql("release_values"), "seed": 3}
    run(connection, "single_conditions", **given, numeric=numeric)
    expected = []
    for place, code, number, _, records, *_ in values:
        known = [one[1] for one in values if one[0] == place and one[1] > 0]
        ops = [
            "eq",
            *(op for op, end in (("le", min(known)), ("ge", max(known))) if place in numeric and code == end),
        ]
        expected += [
            (md5(f"3:single:{place}{op}{number}".encode()).hexdigest(), place, op, code)
            for op in ops
            if records == 1
        ]
    found = tell(connection, "SELECT predicate, place, op, code FROM made ORDER BY predicate")
    assert found == [(n, *one[1:]) for n, one in enumerate(sorted(expected))]


def test_single_values_at_both_ends(connection: duckdb.DuckDBPyConnection) -> None:
    """Missing, 3 and 9 are one record each and 5 is two: equal to each of three, at most 3, at least 9."""
    put(connection, "release_values", VALUES, *values_of([(0,), (3,), (5,), (5,), (9,)]))
    given = {"name": "made", "release_values": Sql("release_values"), "seed": 1}
    run(connection, "single_conditions", **given, numeric=[0])
    found = tell(connection, "SELECT op, code FROM made ORDER BY op, code")
    assert found == [("eq", 0), ("eq", 3), ("eq", 9), ("ge", 9), ("le", 3)]


def is_met(op: str, code: int, value: int) -> bool:
    """Whether a value meets a condition: a missing one only that it is missing."""
    if op == "eq":
        return value == code
    compared = {"ne": value != code, "ge": value >= code, "gt": value > code}
    compared |= {"le": value <= code, "lt": value < code}
    return value > 0 and compared[op]


#: Predicates by their number: conditions of attributes 0 and 1.
PREDICATES = {
    1: [(0, "eq", 3)],
    2: [(0, "ge", 3), (1, "ne", 2)],
    3: [(0, "gt", 1), (1, "lt", 7)],
    4: [(0, "le", 3), (1, "eq", 0)],
    5: [(0, "lt", 7), (1, "ge", 2)],
    6: [(0, "eq", 3)],
    7: [(1, "ne", 0)],
    8: [(0, "ne", 7), (1, "gt", 2)],
    9: [(0, "eq", 7), (1, "eq", 2)],
    10: [(1, "gt", 0)],
    11: [(1, "le", 5)],
}


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("known", [None, "0lt7 1ge2"])
def test_predicates_as_codes(
    connection: duckdb.DuckDBPyConnection, repeated: bool, known: str | None
) -> None:
    """Within its box is the same as meeting the conditions, for every value; the rarest is looked up."""
    put(connection, "release_values", VALUES, *values_of(CODES))
    conditions = [(number, *one) for number, conditions in PREDICATES.items() for one in conditions]
    put(connection, "conditions", "predicate place op:VARCHAR code", *conditions)
    put(connection, "known", "text:VARCHAR", (known,))
    run(
        connection, "predicate_boxes", name="made", release_values=Sql("release_values"),
        conditions=Sql("conditions"), columns=2, keep_equal=repeated,
        excluded=Sql("known") if known else None,
    )  # fmt: skip
    texts = {
        number: " ".join(f"{place}{op}{code}" for place, op, code in one)
        for number, one in PREDICATES.items()
    }
    left = {n for n, text in texts.items() if text != known and (repeated or n != 6)}
    names = "predicate, text, way, least0, most0, but0, least1, most1, but1"
    found = tell(connection, f"SELECT {names} FROM made")
    assert {number for number, *_ in found} == left
    for number, text, way, *box in found:
        assert text == texts[number]
        ranges = [box[:3], box[3:]]
        for place, op, code in PREDICATES[number]:
            least, most, but = ranges[place]
            for value in range(10):
                assert (least <= value <= most and value != but) == is_met(op, code, value), (text, value)
        for place in {0, 1} - {place for place, *_ in PREDICATES[number]}:
            assert ranges[place] == [0, LARGEST, -1]
        counts = {  # a value that is left out is looked up with all others
            place: (sum(is_met(op, 0 if op == "ne" else code, one[place]) for one in CODES), place)
            for place, op, code in PREDICATES[number]
        }
        rarest = min(counts, key=lambda place: counts[place])
        assert way == 2 * rarest + (ranges[rarest][0] == ranges[rarest][1]), text


# --- guesses of secrets ----------------------------------------------------------------------------


@pytest.mark.parametrize("tolerance", [0.05, 0.25])
def test_secrets_that_are_guessed(connection: duckdb.DuckDBPyConnection, tolerance: float) -> None:
    """Code 1 is 100, 2 is 95, 3 is -100, 4 is -80, 5 is 0, and 6 is no number."""
    numbers = {1: 100.0, 2: 95.0, 3: -100.0, 4: -80.0, 5: 0.0, 0: None}
    secrets = [1, 2, 1, 3, 4, 3, 5, 0, 0, 5, 2, 1]
    guesses = [1, 1, 2, 4, 3, 1, 5, 0, 1, 0, 2, 4]
    count = len(secrets)
    put(connection, "targets", "target origin secret", *((n, n % 3, secrets[n]) for n in range(count)))
    put(connection, "guesses", "target best other", *((n, n, 0) for n in range(count)))
    put(connection, "released", "record secret", *enumerate(guesses))
    put(connection, "numbers", "code number:DOUBLE", *numbers.items())
    given = {
        "targets": Sql("targets"), "guesses": Sql("guesses"), "released": Sql("released"), "guess": "best",
        "secret": "secret", "tolerance": tolerance, "records": count, "seed": 5,
    }  # fmt: skip
    drawn = [
        guesses[int.from_bytes(md5(f"5:naive guess:{n}:secret".encode()).digest()[8:], "little") % count]
        for n in range(count)
    ]

    def is_right(secret: int, guess: int, as_number: bool) -> bool:
        s, g = numbers[secret], numbers[guess]
        near = s is not None and g is not None and abs(g - s) <= tolerance * (abs(g) + 1e-12)
        return secret == guess or (as_number and near)

    for as_number in (False, True):
        counts: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
        for n in range(count):
            counts[n % 3][0] += 1
            counts[n % 3][1] += is_right(secrets[n], guesses[n], as_number)
            counts[n % 3][2] += is_right(secrets[n], drawn[n], as_number)
        found = run(connection, "guessed_secrets", **given, numbers=Sql("numbers") if as_number else None)
        assert [tuple(one.values()) for one in found] == [(origin, *counts[origin]) for origin in (0, 1, 2)]


@pytest.mark.parametrize("members", [0, 3])
def test_scores_of_a_guess(connection: duckdb.DuckDBPyConnection, members: int) -> None:
    """Record 4 has no copy; -1, 10 and 12 are outside of ten records; 1 is there twice; one is no number."""
    groups = [(0, 1, 0), (1, 2, members), (2, 1, 0), (3, 1, min(members, 1)), (4, 0, 2)]
    put(connection, "g", "record copies members", *groups)
    guess = [(-1,), (0,), (1,), (1,), (3,), (4,), (9,), (10,), (12,), (None,)]
    put(connection, "guess", "record", *guess)
    given: dict[str, Any] = {"groups": Sql("g"), "population": 10, "members": members}
    found = row(connection, "score_of_guess", **given, guess=Sql("guess"))
    hits = 3 if members else 0
    assert found == {
        "guesses": 10, "no_number": 1, "outside": 3, "repeated": 1, "hits": hits, "accuracy": hits / 10,
        "lift": pytest.approx(hits / 10 / (members / 10)) if members else None,
    }  # fmt: skip
    found = row(connection, "score_of_guess", **given, guess=Sql("(FROM guess LIMIT 0)"))
    assert list(found.values()) == [0, 0, 0, 0, 0, None, None]


# --- correlations of dummies -----------------------------------------------------------------------


def test_covariances_of_dummies(connection: duckdb.DuckDBPyConnection) -> None:
    """Dummies 0 to 2 of attribute 0, 3 of attribute 1 of width 4; dummy 2 is the same in all records."""
    columns = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 1, 1, 1, 1], [2, 0, 1, 3, 1]]
    n = len(columns[0])
    put(
        connection, "totals", "dummy total constant:BOOLEAN",
        *((place, sum(column), len(set(column)) == 1) for place, column in enumerate(columns)),
    )  # fmt: skip
    put(connection, "dummies", "dummy attribute", (0, 0), (1, 0), (2, 0), (3, 1))
    put(connection, "scales", "attribute width:DOUBLE", (1, 4.0))
    products = [
        (a, b, total)
        for a in range(4)
        for b in range(a, 4)
        if (total := sum(x * y for x, y in zip(columns[a], columns[b], strict=True)))
    ]
    put(connection, "products", "dummy other total", *products)
    given = {
        "name": "made", "totals": Sql("totals"), "dummies": Sql("dummies"), "scales": Sql("scales"),
        "products": Sql("products"),
    }  # fmt: skip
    run(connection, "dummy_covariances", **given, records=n)
    found = {(a, b): rest for a, b, *rest in tell(connection, "FROM made")}
    assert found.keys() == {(a, b) for a in range(4) for b in range(a, 4)}
    means = [sum(column) / n for column in columns]

    def covariance(a: int, b: int) -> float:
        pairs = zip(columns[a], columns[b], strict=True)
        return sum((x - means[a]) * (y - means[b]) for x, y in pairs) / (n - 1)

    for (a, b), (told, correlation) in found.items():
        width = (4 if a == 3 else 1) * (4 if b == 3 else 1)
        assert told == pytest.approx(covariance(a, b) * width, abs=1e-12)
        spread = covariance(a, a) * covariance(b, b)
        assert correlation == pytest.approx(covariance(a, b) / math.sqrt(spread) if spread else 0, abs=1e-12)
    run(connection, "dummy_covariances", **given, records=1)
    assert {row[2:] for row in tell(connection, "FROM made")} == {(0.0, 0.0)}


def test_the_largest_difference_of_correlations(connection: duckdb.DuckDBPyConnection) -> None:
    """A dummy with itself does not count; of two pairs with the same difference the first is named."""
    original = [(0, 0, 1.0), (0, 1, 0.5), (0, 2, -0.25), (1, 1, 1.0), (1, 2, 0.0), (2, 2, 1.0)]
    release = [(0, 0, 0.0), (0, 1, 0.25), (0, 2, 0.25), (1, 1, 1.0), (1, 2, -0.5), (2, 2, 1.0)]
    for name, rows in (("original", original), ("release", release)):
        put(connection, name, "dummy other correlation:DOUBLE", *rows)
    put(connection, "dummies", "dummy attribute value:VARCHAR", (0, 10, "x"), (1, 11, "y"), (2, 12, "z"))
    given = {"release": Sql("release"), "dummies": Sql("dummies")}
    found = row(connection, "correlation_index", **given, original=Sql("original"))
    assert found == {
        "value": 0.5, "mean_value": pytest.approx(1 - 1.25 / 3), "difference": 0.5, "first_attribute": 10,
        "first_category": "x", "second_attribute": 12, "second_category": "z",
    }  # fmt: skip
    nothing = row(
        connection, "correlation_index", **given, original=Sql("(FROM original WHERE dummy = other)")
    )
    assert list(nothing.values()) == [1, 1, 0, None, None, None, None]


# --- genetic search --------------------------------------------------------------------------------


def test_children_of_two_parents(connection: duckdb.DuckDBPyConnection) -> None:
    """Two records of the other parent, but for equal ones, and three fresh ones, at drawn places."""
    first = [(n, 10 + n, n % 2, 100 + n) for n in range(8)]
    second = [(n, 10 + n if n % 4 else 20 + n, n % 2 if n % 3 else 5, 200 + n) for n in range(8)]
    put(connection, "first", "record draw origin code", *first)
    put(connection, "second", "record draw origin code", *second)
    put(connection, "fresh", "record draw origin code", *((n, 50 + n, 7, 300 + n) for n in range(9)))
    drawn = ["(record * 3) % 8", "(record * 5 + 2) % 8", "(record * 4) % 9"]
    for crossed, swapped in ((2, 3), (8, 0), (0, 4)):
        run(
            connection, "genetic_moves", name="moves", parents=["first", "second"],
            other_parent=["second", "first"], fresh=Sql("fresh"),
            drawn=[Sql(one) for one in drawn], crossed=crossed, swapped=swapped,
            moved=["draw", "origin", "code"],
        )  # fmt: skip
        expected = []
        fresh = sorted(range(9), key=lambda n: (n * 4 % 9, n))
        for proposal, (own, other, order) in enumerate(
            ((first, second, lambda n: n * 3 % 8), (second, first, lambda n: (n * 5 + 2) % 8))
        ):
            places = sorted(range(8), key=order)
            for record in places[:crossed]:
                if own[record][1:3] != other[record][1:3]:
                    expected.append((proposal, record, *other[record][1:]))
            for place, record in enumerate(places[crossed : crossed + swapped]):
                n = fresh[proposal * swapped + place]
                expected.append((proposal, record, 50 + n, 7, 300 + n))
        found = tell(connection, "SELECT proposal, position, draw, origin, code FROM moves")
        assert sorted(found) == sorted(expected)


def test_what_a_child_adds_to_the_sums(connection: duckdb.DuckDBPyConnection) -> None:
    """A cell that gains as much as it loses is no difference, nor is one that stays."""
    put(connection, "first", "record a b", (0, 1, 5), (1, 2, 5), (2, 3, 6))
    put(connection, "second", "record a b", (0, 1, 1), (1, 1, 1), (2, 4, 4))
    put(connection, "moves", "proposal position a b", (0, 0, 2, 5), (0, 2, 1, 9), (1, 1, 1, 8), (1, 2, 4, 4))
    found = run(
        connection, "genetic_deltas", moves=Sql("moves"), parents=["first", "second"], codes=["a", "b"],
        cells=Sql("[a, 100]"), values=Sql("[1, b]"),
    )  # fmt: skip
    # Of the first: a 2 and 1 for 1 and 3; b 5 + 9 for 5 + 6. Of the second: a 1 for 1; b 8 + 4 for 1 + 4.
    assert [tuple(one.values()) for one in found] == [(0, 2, 1), (0, 3, -1), (0, 100, 3), (1, 100, 7)]
    for child, name, rows in (
        (0, "first", [(0, 2, 5), (1, 2, 5), (2, 1, 9)]),
        (1, "second", [(0, 1, 1), (1, 1, 8), (2, 4, 4)]),
    ):
        given = {"name": "child", "parent": Sql(name), "child": child, "columns": ["a", "b"]}
        run(connection, "genetic_child", moves=Sql("moves"), **given)
        assert sorted(tell(connection, "FROM child")) == rows


# --- figures of attacks ----------------------------------------------------------------------------


def test_an_interval_without_any_trial_or_width(connection: duckdb.DuckDBPyConnection) -> None:
    """Nothing is known of it, whichever the level of confidence."""
    found = row(connection, "wilson_interval", successes=0, trials=0, z="0")
    assert found == {"rate": 0.5, "lower": 0, "upper": 1}


def test_equal_scores_share_a_rank(connection: duckdb.DuckDBPyConnection) -> None:
    """A and B attack alike, as do C and D, who reach half of it; the next rank counts all before it."""
    names = "ABCD"
    hits = {"A": 4, "B": 4, "C": 2, "D": 2}
    attacks = [
        (phase, one, other, hits[other], 8 << phase)
        for phase in (0, 1)
        for one in names
        for other in names
        if one != other
    ]
    keys = ("phases", "submissions", "attackers", "hits", "guesses")
    columns = {key: list(column) for key, column in zip(keys, zip(*attacks, strict=True), strict=True)}
    found = run(connection, "attack_league", **columns, weights=["0.75", "0.5"])
    entries = {one["name"]: one for one in found}
    # Of A and B a release is attacked by one of the better ones, and of C and D by both: 4 of 8, and of 16.
    for name in names:
        entry = entries[name]
        assert entry["safety"] == pytest.approx(0.75 * 0.5 + 0.5 * 0.75)
        assert entry["attack"] == pytest.approx((0.75 + 0.25) * hits[name] / 8)
        assert (entry["safety_rank"], entry["attack_rank"]) == (1, 1 if name in "AB" else 3)
        assert entry["overall"] == (1 / 2 if name in "AB" else 1 / 4)
    assert [one["name"] for one in found] == list(names)


def expected_alone(matches: Sequence[int], records: int, size: int) -> float:
    """Return how many predicates one record of a drawn part meets, on average over all parts."""
    parts = math.comb(records, size)
    return sum(m * math.comb(records - m, size - 1) / parts for m in matches if records - m >= size - 1)


@pytest.mark.parametrize(("records", "size"), [(30, 12), (30, 30), (30, 45), (7, 60)])
@pytest.mark.parametrize("seed", range(2))
def test_predicates_that_one_record_of_another_number_meets(
    connection: duckdb.DuckDBPyConnection, records: int, size: int, seed: int
) -> None:
    """Beyond the control set a model is fitted to what is expected of its tenths; both are spelt out."""
    chance = random.Random(seed)
    matches = [min(records, chance.choice([0, 1, 1, 2, 3, 5, records])) for _ in range(25)]
    put(connection, "m", "matches", *((m,) for m in matches))
    found = row(connection, "isolated_at_size", matches=Sql("m"), records=records, size=size)
    alone = matches.count(1)
    assert found["measured"] == alone
    if size <= records:
        assert found["successes"] == pytest.approx(expected_alone(matches, records, size))
        return

    def model(n: int, w: float) -> float:
        return n / records * ((1 + records * w) / (1 + n * w)) ** 2

    tenths = [max(1, math.floor(records * part / 10 + 0.5)) for part in range(1, 11)]
    parts = [(n, expected_alone(matches, records, n) / alone) for n in tenths]
    best = (-1.0, 0.0)
    for step in range(4001):
        w = math.exp(-math.log(10_000 * max(records, size)) * (1 - step / 4000))
        product = sum(expected * model(n, w) for n, expected in parts)
        square = sum(model(n, w) ** 2 for n, _ in parts)
        best = max(best, (round(product * product / square, 9), -w))
    assert found["successes"] == pytest.approx(alone * model(size, -best[1]), rel=1e-6)


@pytest.mark.parametrize("exceptions", [False, True])
def test_records_that_meet_predicates(connection: duckdb.DuckDBPyConnection, exceptions: bool) -> None:
    """Each predicate is looked up by one attribute, alone or as a range, and all of it decides."""
    chance = random.Random(6)
    records = [(chance.randrange(6), chance.randrange(6)) for _ in range(40)]
    boxes = []
    for number in range(60):
        ends = [sorted((chance.randrange(6), chance.randrange(6))) for _ in range(2)]
        way = chance.randrange(4)
        if way % 2:
            ends[way // 2][1] = ends[way // 2][0]
        boxes.append((number, way, *ends[0], chance.randrange(-1, 6), *ends[1], chance.randrange(-1, 6)))
    put(connection, "records", "a b", *records)
    put(connection, "boxes", "predicate way least0 most0 but0 least1 most1 but1", *boxes)
    run(
        connection, "predicate_matches", name="made", boxes=Sql("boxes"), columns=["a", "b"],
        records=Sql("records"), ways=[0, 1, 2, 3], exceptions=exceptions,
    )  # fmt: skip
    expected = {}
    for number, _, *box in boxes:
        counted = sum(
            all(
                least <= value <= most and not (exceptions and value == but)
                for value, (least, most, but) in zip(one, (box[:3], box[3:]), strict=True)
            )
            for one in records
        )
        if counted:
            expected[number] = counted
    assert dict(tell(connection, "FROM made")) == expected


# --- moments of the generator ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truths", "numbers"), [([0, 1, 2], [3, 4]), ([0, 1, 2], []), ([], [3, 4]), ([1], [4])]
)
@pytest.mark.parametrize("count", [1, 9])
def test_moments_of_one_hot_vectors(
    connection: duckdb.DuckDBPyConnection, truths: list[int], numbers: list[int], count: int
) -> None:
    """Component 2 is false everywhere; means and covariances are those of all pairs."""
    chance = random.Random(count)
    rows = [
        (
            n,
            chance.random() < 0.5,
            chance.random() < 0.3,
            False,
            chance.randrange(-9, 9),
            chance.randrange(50),
        )
        for n in range(count)
    ]
    put(connection, "v", "record y0:BOOLEAN y1:BOOLEAN y2:BOOLEAN y3 y4", *rows)
    found = run(connection, "one_hot_moments", source=Sql("v"), records=count, truths=truths, numbers=numbers)
    places = [*truths, *numbers]
    means = {place: sum(one[1 + place] for one in rows) / count for place in places}
    expected = []
    for first in places:
        for second in places:
            if first <= second:
                product = sum(
                    (one[1 + first] - means[first]) * (one[1 + second] - means[second]) for one in rows
                )
                spread = pytest.approx(product / max(count - 1, 1), abs=1e-12)
                expected.append((first, second, spread, pytest.approx(means[first])))
    assert [tuple(one.values()) for one in found] == sorted(expected, key=lambda one: one[:2])


# --- sums of exchanged records ---------------------------------------------------------------------


def test_cells_and_what_a_record_adds_to_them(connection: duckdb.DuckDBPyConnection) -> None:
    """Two numbers and two categories of five dummies; products are kept in halves of four bits."""
    attributes = ["n0", "c1", "n2", "c3"]
    given: dict[str, Any] = {"attributes": attributes, "dummies": 5}
    cells = render(
        "swap_cells", **given, starts=[5, 0, 6, 0], totals=[40, 0, 41, 0], highs=list(range(50, 82, 2)),
        trees=[0, 1],
    )  # fmt: skip
    values = render("swap_values", attributes=attributes, trees=[0, 1], bits=4)
    record = {"a0": 7, "b0": 90, "a1": 2, "a2": 13, "b2": 91, "a3": 4, "t0": 95, "t1": 96}
    named = ", ".join(f"CAST({value} AS BIGINT) AS {name}" for name, value in record.items())
    ((places, added),) = tell(connection, f"SELECT {cells}, {values} FROM (SELECT {named})")
    assert len(places) == len(added)
    assert sorted(zip(places, added, strict=True)) == sorted(
        [
            (40, 7), (90, 1), (41, 13), (91, 1), (95, 1), (96, 1),  # sums, counts and leaves
            (50, 49 >> 4), (51, 49 & 15), (54, 91 >> 4), (55, 91 & 15), (70, 169 >> 4), (71, 169 & 15),
            (2 * 6, 1), (4 * 6, 1), (2 * 5 + 4, 1),  # each dummy, and both
            (5 * 5 + 2, 7), (5 * 5 + 4, 7), (2 * 5 + 6, 13), (6 * 5 + 4, 13),  # numbers of a category
        ]
    )  # fmt: skip
