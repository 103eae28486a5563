"""Several known records of one person: enumeration of all draws against the Monte Carlo estimate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.engine.templates import Attribute, Part
from tests import oracle
from tests.tables import (
    DATASETS,
    LIGHTER,
    Drawn,
    attribute,
    close,
    connect,
    drawn_tables,
    make,
    row,
    run,
    thinned,
)

pytestmark = pytest.mark.slow

CONFIDENCES = (0.80, 0.90, 0.95, 0.99)
COLUMNS = (
    "known_records",
    "draws",
    "risk",
    "risk_lower",
    "risk_upper",
    "unicity",
    "unicity_lower",
    "unicity_upper",
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        made.execute("CREATE TABLE example AS FROM read_csv(?)", [str(DATASETS / "ito_example.csv")])
        made.execute("CREATE TABLE retail AS FROM read_parquet(?)", [str(DATASETS / "retail.parquet")])
        yield made


def known_of(
    connection: duckdb.DuckDBPyConnection, made: Attribute, **arguments: Any
) -> list[dict[str, Any]]:
    """One line for each number of known records, checked for order and shape."""
    settled = {
        "source": "t",
        "user": "u",
        "attribute": made,
        "known": 3,
        "draws": 200,
        "confidence": 0.95,
        "seed": 1,
    } | arguments
    found = run(connection, "known_records", **settled)
    if found:
        assert [line["known_records"] for line in found] == list(range(1, settled["known"] + 1))
    for line in found:
        assert tuple(line) == COLUMNS
        assert line["draws"] == settled["draws"] or "candidates" in arguments
        assert 0 <= line["risk_lower"] <= line["risk"] <= line["risk_upper"] <= 1
        assert -1e-12 <= line["unicity_lower"] <= line["unicity"] + 1e-12
        assert line["unicity"] <= line["unicity_upper"] + 1e-12 <= 1 + 2e-12
        assert line["unicity"] <= line["risk"]
        low, high = oracle.wilson(line["unicity"], line["draws"], settled["confidence"])
        assert line["unicity_lower"] == pytest.approx(low, abs=1e-5)
        assert line["unicity_upper"] == pytest.approx(high, abs=1e-5)
    return found


# --- worked by hand ------------------------------------------------------------------------------


def test_example(connection):
    """Two goods known of one person of the example: 79/120; one: the risk of goods, 0.55."""
    found = known_of(
        connection, attribute("goods"), source="example", user="user", draws=20_000, confidence=0.99
    )
    assert found[0]["risk_lower"] <= 0.55 <= found[0]["risk_upper"]
    assert found[0]["risk"] == pytest.approx(0.55, abs=0.01)
    assert found[1]["risk_lower"] <= 79 / 120 <= found[1]["risk_upper"]
    assert found[1]["risk"] == pytest.approx(79 / 120, abs=0.01)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("column", ["date", "time", "goods", "price", "number"])
def test_estimates_converge_on_the_example(connection, column, seed):
    pairs = connection.execute(f"SELECT user, {column} FROM example").fetchall()
    found = known_of(
        connection, attribute(column), source="example", user="user", known=4, draws=5000, seed=seed
    )
    for line in found:
        expected = oracle.known_records(pairs, line["known_records"])
        assert line["risk"] == pytest.approx(float(expected.risk), abs=0.03)
        assert line["unicity"] == pytest.approx(float(expected.unicity), abs=0.035)


@pytest.mark.parametrize(
    ("rows", "risks", "unicities"),
    [
        ([(1, "a"), (1, "a"), (2, "a"), (2, "b")], (0.625, 0.75, 0.75), (0.25, 0.5, 0.5)),
        ([(1, "a"), (2, "a"), (3, "a")], (1 / 3, 1 / 3, 1 / 3), (0, 0, 0)),
        ([(1, "a")], (1, 1, 1), (1, 1, 1)),
        ([(1, "a"), (1, "b"), (1, None), (2, "a"), (2, "b"), (None, "c")], (0.5, 0.5, 0.5), (0, 0, 0)),
        (
            [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (3, "a")],
            (1 / 2, 23 / 36, 13 / 18),
            (1 / 6, 1 / 3, 1 / 2),
        ),
    ],
)
def test_by_hand(connection, rows, risks, unicities):
    """The last case at p = 2, by users: ab, ac or bc is 1/2, 1 or 1; ab is 1/2; a is 1/3."""
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, rows)
    exact = [oracle.known_records(rows, known) for known in (1, 2, 3)]
    assert [float(one.risk) for one in exact] == pytest.approx(risks)
    assert [float(one.unicity) for one in exact] == pytest.approx(unicities)
    for line, expected in zip(known_of(connection, attribute("a"), draws=12_000), exact, strict=True):
        assert line["risk"] == pytest.approx(float(expected.risk), abs=0.02)
        assert line["unicity"] == pytest.approx(float(expected.unicity), abs=0.025)


@pytest.mark.parametrize("rows", [[], [(None, "x")], [(1, None)]])
def test_no_complete_record(connection, rows):
    """Nobody can be drawn: no line, or lines that name no risk."""
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, rows)
    found = run(
        connection,
        "known_records",
        source="t",
        user="u",
        attribute=attribute("a"),
        known=2,
        draws=10,
        confidence=0.95,
        seed=1,
    )
    assert all(line["risk"] is None and line["unicity"] is None for line in found)


# --- against the oracle --------------------------------------------------------------------------


@LIGHTER
@given(table=drawn_tables(most_rows=12), seed=st.integers(0, 2**31))
def test_estimates_are_near_the_enumeration(connection, table: Drawn, seed: int):
    """2,000 draws are nearer than five standard errors."""
    make(connection, table.columns, table.rows)
    found = known_of(connection, Attribute("a", table.parts), known=4, draws=2000, seed=seed)
    for line in found:
        expected = oracle.known_records(table.pairs(), line["known_records"])
        assert line["risk"] == pytest.approx(float(expected.risk), abs=0.056)
        assert line["unicity"] == pytest.approx(float(expected.unicity), abs=0.056)
    assert bool(found) == bool(oracle.complete(table.pairs()))


@LIGHTER
@given(table=drawn_tables(), seed=st.integers(0, 2**31))
def test_the_order_of_people_is_made_once_for_all_attributes(connection, table: Drawn, seed: int):
    """Where each record has a value, an attribute needs no order of its own."""
    rows = [cells for cells in table.rows if all(cell is not None for cell in cells[1:])]
    make(connection, table.columns, rows)
    run(connection, "ordered_people", source="t", user="u", seed=seed)
    made = Attribute("a", table.parts)
    again = known_of(connection, made, seed=seed, ordered="ordered_people")
    assert again == known_of(connection, made, seed=seed)


@LIGHTER
@given(table=drawn_tables(users=["text", "integer"]), seed=st.integers(0, 99), draws=st.integers(1, 80))
def test_users_are_drawn_by_their_share_of_the_records(connection, table: Drawn, seed: int, draws: int):
    """Where the value tells the sort of user, each user is drawn their share of times, up to one."""
    users = sorted({cells[0] for cells in table.rows if cells[0] is not None}, key=str)
    sorts = {user: len(bin(place)) for place, user in enumerate(users)} | {None: 0}
    rows = [(cells[0], sorts[cells[0]]) for cells in table.rows]
    make(connection, {"u": table.columns["u"], "a": "INTEGER"}, rows)
    pairs = oracle.complete(rows)
    if not pairs:
        return
    for line in known_of(connection, attribute("a"), seed=seed, draws=draws):
        assert abs(line["risk"] - float(oracle.risk(pairs))) <= len(users) / draws + 1e-12
        assert line["unicity"] * draws == pytest.approx(round(line["unicity"] * draws))
    for line in known_of(connection, attribute("a"), seed=seed, draws=3 * len(pairs)):
        assert close(line["risk"], oracle.risk(pairs))
        assert close(line["unicity"], oracle.known_records(pairs, 1).unicity)


@LIGHTER
@given(table=drawn_tables(missing=False, most_rows=30), seed=st.integers(0, 99))
def test_more_known_records_never_tell_less(connection, table: Drawn, seed: int):
    """An attacker who is drawn learns one record more: so in every sample, not on average only."""
    make(connection, table.columns, table.rows)
    found = known_of(connection, Attribute("a", table.parts), known=3, seed=seed)
    for fewer, more in pairwise(found):
        assert more["risk"] >= fewer["risk"] - 1e-12
        assert more["unicity"] >= fewer["unicity"] - 1e-12


@LIGHTER
@given(
    table=drawn_tables(values=["text", "integer", "date", "double"]),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_the_seed_decides_and_not_the_order(connection, table: Drawn, seed: int, data: st.DataObject):
    make(connection, table.columns, table.rows)
    found = known_of(connection, Attribute("a", table.parts), seed=seed, draws=37)
    make(connection, table.columns, data.draw(st.permutations(table.rows)))
    assert known_of(connection, Attribute("a", table.parts), seed=seed, draws=37) == found


def test_how_many_draws_are_used_does_not_depend_on_the_order(connection):
    """Two users share each value: they stand beside each other, or hundreds of users apart."""
    users = [*range(0, 600, 2), *range(1, 600, 2)]
    used = set()
    for order in (users, sorted(users), users[::-1]):
        rows = [(f"u{user}", value + user // 2) for user in order for value in (0, 1000)]
        make(connection, {"u": "VARCHAR", "a": "INTEGER"}, rows)
        found = known_of(connection, attribute("a"), known=2, draws=2000, candidates=100)
        used.add(tuple(line["draws"] for line in found))
    assert len(used) == 1


def test_a_user_is_drawn_alike_however_written(connection):
    """The first record of user 0 says 0.0 or -0.0."""
    rest = [(0.0, "b"), (1.0, "a"), (1.0, "c"), (2.0, "a"), (2.0, "d"), (2.0, "b")]
    found = []
    for zero in (0.0, -0.0):
        make(connection, {"u": "DOUBLE", "a": "VARCHAR"}, [(zero, "a"), *rest])
        found.append([known_of(connection, attribute("a"), seed=seed, draws=10) for seed in range(8)])
    assert found[0] == found[1]


@LIGHTER
@given(table=drawn_tables(users=["text"], values=["double"]), seed=st.integers(0, 99), data=st.data())
def test_equal_numbers_are_one_value(connection, table: Drawn, seed: int, data: st.DataObject):
    """-0.0 for 0.0, in any place, changes nothing."""
    found = []
    for flip in (False, True):
        rows = [
            (user, -cell if flip and cell == 0 and data.draw(st.booleans()) else cell)
            for user, cell in table.rows
        ]
        make(connection, table.columns, rows)
        found.append(known_of(connection, Attribute("a", table.parts), seed=seed, draws=37))
    assert found[0] == found[1]


@LIGHTER
@given(table=drawn_tables(users=["integer"], values=["text"]), seed=st.integers(0, 99))
def test_a_constant_adds_nothing(connection, table: Drawn, seed: int):
    """Who knows only a constant finds one of all n users, with any number of records."""
    make(connection, table.columns | {"k": "INTEGER"}, [(*cells, 1) for cells in table.rows])
    users = {cells[0] for cells in table.rows} - {None}
    for line in known_of(connection, attribute("k"), seed=seed):
        assert close(line["risk"], Fraction(1, len(users)))
        assert line["unicity"] == (len(users) == 1)


@LIGHTER
@given(table=drawn_tables(users=["integer"]), seed=st.integers(0, 99))
def test_all_records_twice_by_new_users(connection, table: Drawn, seed: int):
    """Every user gets a twin: nobody is alone."""
    make(
        connection,
        {"u": "VARCHAR", "a": table.columns["a"]},
        [
            (None if cells[0] is None else f"{cells[0]} {twin}", cells[1])
            for cells in table.rows
            for twin in ("own", "twin")
        ],
    )
    for line in known_of(connection, Attribute("a", table.parts), seed=seed):
        assert line["unicity"] == 0
        assert line["risk"] <= 0.5 + 1e-12


@LIGHTER
@given(table=drawn_tables(), seed=st.integers(0, 99))
def test_records_are_persons_without_a_user_column(connection, table: Drawn, seed: int):
    """Each person has one record: more records known are no more."""
    make(connection, table.columns, table.rows)
    pairs = [(number, cells[1]) for number, cells in enumerate(table.rows)]
    draws = 2 * max(1, len(oracle.complete(pairs)))
    found = known_of(connection, Attribute("a", table.parts), user=None, seed=seed, draws=draws)
    for line in found:
        assert close(line["risk"], oracle.minimum_cost(pairs))
        assert close(line["unicity"], oracle.known_records(pairs, 1).unicity)


# --- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_interval_of_the_risk_is_normal(connection, confidence):
    """Three users with a record each: 1/|U| is 1 in a third of the draws and 1/2 otherwise."""
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, [(1, "a"), (2, "a"), (3, "b")])
    (line,) = known_of(connection, attribute("a"), known=1, draws=300, confidence=confidence)
    assert close(line["risk"], Fraction(2, 3))
    spread = math.sqrt(1 / 3 * (1 - 2 / 3) ** 2 + 2 / 3 * (1 / 2 - 2 / 3) ** 2)
    half = oracle.normal_quantile(confidence) * spread / math.sqrt(300)
    assert line["risk_upper"] - line["risk"] == pytest.approx(half, rel=0.01)
    assert line["risk"] - line["risk_lower"] == pytest.approx(half, rel=0.01)


@pytest.mark.slow
def test_intervals_hold_the_exact_risk(connection):
    """At 90 %: in at least five of six seeds, for the risk and for unicity at p = 2 and 3."""
    pairs = connection.execute("SELECT user, goods FROM example").fetchall()
    exact = {known: oracle.known_records(pairs, known) for known in (2, 3)}
    held = {(known, name): 0 for known in exact for name in ("risk", "unicity")}
    seeds = thinned(range(60))
    for seed in seeds:
        found = known_of(
            connection,
            attribute("goods"),
            source="example",
            user="user",
            draws=150,
            confidence=0.90,
            seed=seed,
        )
        for known, name in held:
            line = found[known - 1]
            expected = float(getattr(exact[known], name))
            held[known, name] += line[f"{name}_lower"] <= expected <= line[f"{name}_upper"]
    assert all(count >= len(seeds) * 5 / 6 for count in held.values()), held


def test_larger_table(connection):
    """On the purchase history: seeds differ, agree within their intervals, and p = 1 is the risk."""
    known = attribute(Part("InvoiceDate", "date"))
    arguments = {"source": "retail", "user": "CustomerID", "confidence": 0.99, "draws": 3000}
    exact = row(connection, "attribute_risk", source="retail", user="CustomerID", attribute=known, k=2)[
        "mean_risk"
    ]
    found = [known_of(connection, known, seed=seed, **arguments) for seed in range(4)]
    assert len({repr(lines) for lines in found}) == 4
    for lines in found:
        assert lines[0]["risk_lower"] <= exact <= lines[0]["risk_upper"]
        assert lines[0]["risk"] < lines[1]["risk"] < lines[2]["risk"]
    for place in (1, 2):
        assert max(lines[place]["risk_lower"] for lines in found) < min(
            lines[place]["risk_upper"] for lines in found
        )


def test_one_user_with_many_records(connection):
    """A user far larger than the others is drawn by their records, and not enumerated."""
    rows = [(0, number % 50) for number in range(3000)] + [(user, user) for user in range(1, 51)]
    make(connection, {"u": "INTEGER", "a": "INTEGER"}, rows)
    found = known_of(connection, attribute("a"), known=5, draws=3050)
    assert found[0]["risk"] == pytest.approx(float(oracle.risk(rows)), abs=0.02)
    assert found[4]["unicity"] == pytest.approx(0.98, abs=0.01)


FEW_KNOWN, MANY_KNOWN = (1, 2, 3, 4, 5, 6, 7, 8), (12, 14, 16)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("records", "known"),
    thinned(
        [
            *((records, FEW_KNOWN) for records in (5, 17, 64, 300)),
            *((records, MANY_KNOWN) for records in (16, 65)),
        ]
    ),
)
def test_many_known_records(connection, records, known):
    """One of two users has one value more: they are alone when it is drawn, p of their records in all."""
    rows = [(1, value) for value in range(records)] + [(2, value) for value in range(records - 1)]
    make(connection, {"u": "INTEGER", "a": "INTEGER"}, rows)
    found = known_of(connection, attribute("a"), known=max(known), draws=5000, confidence=0.99)
    for p in known:
        expected = min(p, records) / (2 * records - 1)
        assert found[p - 1]["unicity"] == pytest.approx(expected, abs=4.5 * math.sqrt(expected / 5000)), p


def test_a_limit_of_candidates_uses_a_random_part_of_the_draws(connection):
    """One user alone has half of the records: whatever part of the draws is used, the mean stays."""
    rows = [(0, 1000 + i) for i in range(500)] + [(1 + i // 5, i % 5) for i in range(500)]
    make(connection, {"u": "INTEGER", "a": "INTEGER"}, rows)
    held = 0
    for seed in range(16):
        lines = known_of(connection, attribute("a"), known=2, seed=seed, draws=1000, candidates=300)
        assert 30 <= lines[0]["draws"] < 1000
        held += lines[0]["risk_lower"] <= 0.505 <= lines[0]["risk_upper"]
    assert held >= 12


def test_thirty_draws_are_used_at_the_least(connection):
    make(connection, {"u": "INTEGER", "a": "INTEGER"}, [(n // 3, n * n % 7) for n in range(30)])
    lines = known_of(connection, attribute("a"), known=2, seed=1, draws=90, candidates=1)
    assert [line["draws"] for line in lines] == [30, 30]
