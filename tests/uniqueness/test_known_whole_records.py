"""People unique by a few whole records: what must hold of any draw, and the mean over many.

The hash that draws cannot be repeated here, so all draws are enumerated: a run has to lie among them, and
runs of many seeds have to have their mean.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from tests.disclosure_oracle import written
from tests.histories_oracle import Histories, chance_unique, drawn_histories, histories_of, is_unique
from tests.tables import EXAMPLES, LIGHT, LIGHTER, Drawn, close, connect, make, row, thinned

#: More people and other people than any table here has.
ALL = {"people": 10**6, "candidates": 10**9}
SEEDS = 200
#: Runs of one table.
RUNS = SEEDS if EXAMPLES >= 20 else 80
Rows = list[tuple[Any, ...]]
COLUMNS = {"u": "INTEGER", "a": "VARCHAR"}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def measured(connection: duckdb.DuckDBPyConnection, **asked: Any) -> dict[str, Any]:
    given = {"source": "t", "user": "u", "columns": ["a"], "known": 3, "seed": 7, **ALL, **asked}
    return row(connection, "known_whole_records", **given)


def check_all_examined(found: dict[str, Any], people: int) -> None:
    """Everybody was examined, so the share is exact and its interval is a point."""
    assert (found["people"], found["examined"]) == (people, people)
    share = Fraction(found["unique_people"], people) if people else None
    assert all(close(found[name], share) for name in ("share", "share_lower", "share_upper"))


def visits(people: int, seed: int, values: int = 12, own: tuple[int, ...] = (1, 2, 3, 5)) -> Rows:
    """Records of people who visit places, some of them twice, the first places more often."""
    choose = random.Random(seed)
    return [
        (person, f"p{int(choose.random() ** 2 * values)}")
        for person in range(people)
        for _ in range(choose.choice(own))
    ]


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """With three records known, Ann (a, a, b) is unique, since Bob has one a less, and so is Bob (a, b, b).

    Both hold what Cleo has (a, b), Dan and Eve are alike (c), and Fay alone has a missing value. With one
    record known, Ann, Bob and Cleo hide in each other whatever is drawn, and Fay does not.
    """
    rows = [
        *[(1, "a"), (1, "a"), (1, "b"), (2, "a"), (2, "b"), (2, "b"), (3, "a"), (3, "b"), (4, "c"), (5, "c")],
        *[(6, None), (None, "z")],
    ]
    make(connection, COLUMNS, rows)
    for known, unique in ((1, 1), (3, 3), (9, 3)):
        found = measured(connection, known=known)
        check_all_examined(found, 6)
        assert found["unique_people"] == unique
    # Of Ann's pairs two are (a, b), which Bob and Cleo have, and one is (a, a): a third each for Ann and Bob.
    found_of_two = {measured(connection, known=2, seed=seed)["unique_people"] for seed in range(30)}
    assert found_of_two == {1, 2, 3}


@LIGHT
@given(drawn_histories(most_rows=16), st.booleans(), st.integers(0, 10**9))
def test_all_records_known_is_containment(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, by_user: bool, seed: int
) -> None:
    """A person whose every record is known is unique unless another multiset of records holds theirs."""
    make(connection, drawn.columns, drawn.rows)
    histories = histories_of(drawn.rows, by_user=by_user)
    asked = {"user": "u" if by_user else None, "columns": list(drawn.columns)[1:], "known": 16}
    found = measured(connection, seed=seed, **asked)
    check_all_examined(found, len(histories))
    alone = (is_unique(histories, person, history.elements()) for person, history in histories.items())
    assert found["unique_people"] == sum(alone)


@LIGHT
@given(drawn_histories(), st.integers(1, 4), st.integers(0, 10**9))
def test_one_record_each_is_uniqueness(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, known: int, seed: int
) -> None:
    make(connection, drawn.columns, drawn.rows)
    records = histories_of(drawn.rows, by_user=False)
    counts = Counter(record for history in records.values() for record in history)
    found = measured(connection, user=None, columns=list(drawn.columns)[1:], known=known, seed=seed)
    check_all_examined(found, len(records))
    assert found["unique_people"] == sum(times == 1 for times in counts.values())


@LIGHT
@given(drawn_histories(most_rows=18), st.integers(1, 3), st.integers(0, 10**9))
def test_between_all_draws(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, known: int, seed: int
) -> None:
    """Whoever is unique by every draw counts, whoever is by none does not."""
    make(connection, drawn.columns, drawn.rows)
    histories = histories_of(drawn.rows)
    found = measured(connection, columns=list(drawn.columns)[1:], known=known, seed=seed)
    check_all_examined(found, len(histories))
    chances = [chance_unique(histories, person, known) for person in histories]
    assert sum(chance == 1 for chance in chances) <= found["unique_people"]
    assert found["unique_people"] <= sum(chance > 0 for chance in chances)


#: One of three records is rare; of four one is rare, and one occurs twice.
RARE: Rows = [(person, place) for person in range(8) for place in ("x", "y", f"own {person}")]
TWICE: Rows = [(person, place) for person in range(8) for place in ("x", "x", "y", f"own {person}")]
COPIES: Rows = [(0, "x"), (0, "x"), (0, "y"), (1, "x"), (1, "y"), (1, "y"), (2, "x"), (2, "x"), (2, "x")]


def test_mean_over_draws(connection: duckdb.DuckDBPyConnection) -> None:
    """Over many seeds the share is, within 4 standard errors, its mean over all draws."""
    make(connection, COLUMNS, RARE)
    histories = histories_of(RARE)
    chances = [chance_unique(histories, person, 1) for person in histories]
    expected = sum(chances)
    deviation = math.sqrt(sum(chance * (1 - chance) for chance in chances) / RUNS)
    assert deviation > 0
    counts = [measured(connection, known=1, seed=seed)["unique_people"] for seed in range(RUNS)]
    assert abs(sum(counts) / RUNS - expected) <= 4 * deviation
    # The people draw apart from each other: the spread is that of independent draws.
    mean = sum(counts) / RUNS
    spread = sum((count - mean) ** 2 for count in counts) / (RUNS - 1)
    assert 0.6 < spread / (deviation**2 * RUNS) < 1.6


@pytest.mark.parametrize(
    ("known", "rows"),
    thinned(
        [
            (1, visits(12, 1, values=30)),
            (2, visits(14, 2)),
            (3, visits(14, 3, values=6, own=(2, 4, 6))),
            (1, RARE),
            (2, TWICE),
            (2, COPIES),
        ]
    ),
)
def test_mean_over_copies_of_a_table(connection: duckdb.DuckDBPyConnection, known: int, rows: Rows) -> None:
    """One seed draws in 200 copies of a table, of other people and places, as 200 seeds do in one."""
    copies = [(1000 * copy + person, f"{copy} {place}") for copy in range(SEEDS) for person, place in rows]
    make(connection, COLUMNS, copies)
    histories = histories_of(rows)
    chances = [chance_unique(histories, person, known) for person in histories]
    deviation = math.sqrt(sum(chance * (1 - chance) for chance in chances) * SEEDS)
    found = measured(connection, known=known)
    check_all_examined(found, len(histories) * SEEDS)
    assert abs(found["unique_people"] - sum(chances) * SEEDS) <= 4 * deviation


# --- samples ---------------------------------------------------------------------------------------


def wilson(unique: int, examined: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson (1927), (p + z²/2n ± z sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n)."""
    z, p = 1.96, unique / examined
    middle, scale = p + z * z / (2 * examined), 1 + z * z / examined
    half = z * math.sqrt(p * (1 - p) / examined + z * z / (4 * examined * examined))
    return (middle - half) / scale, (middle + half) / scale


#: People with one to five visits; and people, half of them with shared records, half with nearly none.
CITY = visits(900, 5, values=60)
TWO_KINDS: Rows = [
    (person, f"p{place}" if person % 2 else f"own {person} {place}")
    for person in range(600)
    for place in range(3)
]


@pytest.mark.parametrize(
    ("rows", "limits"),
    thinned(
        [
            (CITY, {"people": 120}),
            (CITY, {"people": 200, "candidates": 2_000}),
            (TWO_KINDS, {"people": 300, "candidates": 12_000}),
            (TWO_KINDS, {"candidates": 1}),
        ],
        3,
    ),
)
def test_sampled(connection: duckdb.DuckDBPyConnection, rows: Rows, limits: dict[str, int]) -> None:
    """The interval covers the figure of all people in nine of ten seeds, and its middle is not shifted."""
    make(connection, COLUMNS, rows)
    people, covered, seeds, shifts, variance = (
        len(histories_of(rows)),
        0,
        60 if EXAMPLES >= 20 else 20,
        0.0,
        0.0,
    )
    # Nothing is drawn of the three records of a person: the figure is that of containment for any seed.
    settled = measured(connection) if rows is TWO_KINDS else None
    for seed in range(seeds):
        full = settled or measured(connection, seed=seed)
        check_all_examined(full, people)
        found = measured(connection, seed=seed, **limits)
        n = found["examined"]
        assert found["people"] == people
        assert 30 <= n <= limits.get("people", people)
        assert n < people
        assert found["share"] == found["unique_people"] / n
        bounds = (found["share_lower"], found["share_upper"])
        assert bounds == pytest.approx(wilson(found["unique_people"], n), abs=1e-12)
        assert 0 <= bounds[0] <= found["share"] <= bounds[1] <= 1
        covered += bounds[0] <= full["share"] <= bounds[1]
        shifts += found["share"] - full["share"]
        variance += full["share"] * (1 - full["share"]) / n
    assert covered >= 0.9 * seeds
    assert abs(shifts) <= 4 * math.sqrt(variance)


def test_fewer_than_thirty_are_all_examined(connection: duckdb.DuckDBPyConnection) -> None:
    make(connection, COLUMNS, TWO_KINDS[: 3 * 25])
    check_all_examined(measured(connection, candidates=0), 25)


@pytest.mark.parametrize("limits", thinned([{}, {"people": 50}, {"candidates": 1_500}]))
def test_same_bytes_for_any_threads_and_order(limits: dict[str, int]) -> None:
    rows = [*CITY, *((person, None) for person in range(0, 900, 7)), (None, "p1")]
    found = set()
    for threads, order in ((1, 0), (2, 1), (4, 2)):
        random.Random(order).shuffle(rows)
        with connect(threads) as connection:
            make(connection, COLUMNS, rows)
            found.add(repr([measured(connection, seed=seed, **limits) for seed in (0, 1, 2**31)]))
    assert len(found) == 1
    (told,) = found
    assert len(set(told.split("}, {"))) > 1  # the seed chooses


@pytest.mark.parametrize("rows", [[], [(None, "a")]])
def test_nobody(connection: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    """Of nobody there is no share."""
    make(connection, COLUMNS, rows)
    check_all_examined(measured(connection), 0)


@pytest.mark.parametrize("rows", [[(1, "a")], [(1, None), (1, None), (1, "a"), (1, "b")]])
def test_one_person_is_unique(connection: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    make(connection, COLUMNS, rows)
    found = measured(connection)
    check_all_examined(found, 1)
    assert found["unique_people"] == 1


def test_equal_numbers_are_one_record(connection: duckdb.DuckDBPyConnection) -> None:
    """0.0 and -0.0 are one value; a missing value is none of the texts; swapped columns are other records."""
    make(connection, {"u": "INTEGER", "a": "DOUBLE"}, [(1, 0.0), (1, -0.0), (2, -0.0), (2, -0.0)])
    assert measured(connection)["unique_people"] == 0
    make(connection, COLUMNS, [(1, None), (2, ""), (3, "None"), (4, "NULL")])
    assert measured(connection)["unique_people"] == 4
    make(connection, {**COLUMNS, "b": "VARCHAR"}, [(1, "x", "y"), (2, "y", "x")])
    assert measured(connection, columns=["a", "b"])["unique_people"] == 2


# --- through an assessment -------------------------------------------------------------------------


def containment(histories: Histories) -> Fraction:
    """Return the share of people whose whole history no other multiset of records holds."""
    alone = [is_unique(histories, person, history.elements()) for person, history in histories.items()]
    return Fraction(sum(alone), len(alone))


def test_the_interval_of_a_sample(connection: duckdb.DuckDBPyConnection) -> None:
    """Of Wilson, where not all people are examined: by its definition, within 0 and 1."""
    for seed, values in ((1, 12), (2, 3), (3, 40)):
        make(connection, COLUMNS, visits(60, seed, values))
        found = measured(connection, people=40)
        unique, n, z = found["unique_people"], found["examined"], 1.96
        assert found["people"] == 60
        assert 30 <= n < 60
        assert found["share"] == unique / n
        ends = [found["share_lower"], found["share_upper"]]
        for end in ends:
            # Both ends are where the share is just z standard errors away.
            assert (unique / n - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n, abs=1e-12)
        assert ends[0] < found["share"] < ends[1] or unique in (0, n)
        assert 0 <= ends[0] < ends[1] <= 1


@LIGHTER
@given(st.lists(st.tuples(st.integers(1, 12), st.sampled_from("abcdé")), min_size=30, max_size=36))
def test_assessed(tmp_path_factory: pytest.TempPathFactory, rows: Rows) -> None:
    """Three records at most are known: of people with three at most the finding is containment."""
    kept: Rows = [(0, "a"), (0, "b")]
    for person, place in rows:
        if sum(other == person for other, _ in kept) < 3:
            kept.append((person, place))
    table = written(tmp_path_factory.mktemp("drawn"), COLUMNS, kept)
    asked: dict[str, Any] = {"only": ["uniqueness"], "known_records": 0, "policy": "shared", "user": "u"}
    report = duckrisk.assess(table, quasi_identifiers=["a"], **asked)
    histories = histories_of(kept)
    whole = report.uniqueness.whole_records
    expected = float(containment(histories))
    assert (whole.records, whole.examined) == (3, len(histories))
    assert (whole.share, whole.share_lower, whole.share_upper) == (expected,) * 3
    (finding,) = (finding for finding in report.verdict.findings if finding.name == "three_records")
    assert (finding.value, finding.limit, finding.met) == (expected, 0.2, expected <= 0.2)


def test_assessed_with_any_threads_and_order(tmp_path: Path) -> None:
    """A report's figure depends on the seed alone."""
    found = []
    asked: dict[str, Any] = {"user": "u", "only": ["uniqueness"], "known_records": 0, "seed": 3}
    for number, threads in enumerate((1, 4)):
        rows = CITY[:: -1 if number else 1]
        table = written(tmp_path, COLUMNS, rows, f"t{number}")
        report = duckrisk.assess(table, threads=threads, **asked)
        found.append(json.dumps(json.loads(report.to_json())["uniqueness"]["whole_records"]))
    assert found[0] == found[1]
