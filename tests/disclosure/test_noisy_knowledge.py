"""Attackers with noisy knowledge: by hand, against brute force, and on public tables."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from tests import noisy_oracle
from tests.noisy_oracle import Draw
from tests.shared_data import shared
from tests.tables import LIGHT, connect, make, run

EPOCH = dt.date(1970, 1, 1)
COLUMNS = {"u": "VARCHAR", "item": "VARCHAR", "day": "DATE", "price": "DOUBLE"}
MANY = 10**12


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def asked(draw: Draw) -> dict[str, Any]:
    return {"days": draw.days, "band": draw.band, "targets": draw.targets, "seed": draw.seed, "work": MANY}


def counts(rows: Sequence[dict[str, Any]], found: noisy_oracle.Answers) -> None:
    """A statement gives these answers, and what follows from them."""
    assert [(row["known_facts"], row["wrong_percent"]) for row in rows] == list(found)
    for row in rows:
        expected = found[row["known_facts"], row["wrong_percent"]]
        assert {name: row[name] for name in expected} == expected
        assert row["answered"] == row["right_answers"] + row["wrong_answers"]
        assert row["attacked"] == row["answered"] + row["withheld"]
        for name in ("best_right", "answered", "right", "wrong", "withheld"):
            share, lower, upper = (row[f"{name}_{end}"] for end in ("share", "lower", "upper"))
            assert 0 <= lower <= upper <= 1
            assert share is None or lower - 1e-9 <= share <= upper + 1e-9
            assert (share is None) == (name in ("right", "wrong") and row["answered"] == 0)


def attack_histories(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[Any], draw: Draw, dated: bool, priced: bool
) -> list[dict[str, Any]]:
    make(connection, COLUMNS, rows)
    columns = {"item": "item", "day": "day" if dated else None, "amount": "price" if priced else None}
    found = run(connection, "noisy_histories", source="t", user="u", **columns, **asked(draw))
    complete = [
        (who.encode(), what.encode(), (day - EPOCH).days if dated else 0, price if priced else 0.0)
        for who, what, day, price in rows
        if None not in (who, what) and (day is not None or not dated) and (price is not None or not priced)
    ]
    counts(found, noisy_oracle.attack_histories(complete, draw))
    return found


def toy(people: int = 6, seed: int = 1) -> list[tuple[Any, ...]]:
    """Six people who buy some of nine articles in the first months of a year."""
    choose = random.Random(seed)
    return [
        (
            f"p{person}",
            f"i{int(choose.random() ** 2 * 9)}",
            dt.date(2011, 1, 1) + dt.timedelta(days=choose.randrange(90)),
            choose.randrange(1, 20) / 4,
        )
        for person in range(people)
        for _ in range(choose.choice((1, 3, 9, 12)))
    ]


# --- by hand -------------------------------------------------------------------------------------


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Ann has a, Ben b, and so on: one exact fact scores 1 / ln 2 for one of six, and 0 for the others.

    The deviation is sqrt(1/6 - 1/36) = 0.373 of the score, so the best is 2.68 deviations ahead. Of two
    people it is 2 deviations ahead, and one person does not stand out from anybody.
    """
    exact = Draw(days=0)
    for people, answered in ((6, 6), (2, 2), (1, 0)):
        rows = [(f"p{n}", f"i{n}", dt.date(2011, 1, 1), 1.0) for n in range(people)]
        first = attack_histories(connection, rows, exact, dated=True, priced=False)[0]
        assert (first["attacked"], first["best_right"], first["answered"]) == (people, people, answered)
        assert first["blind_chance"] == 1 / people


def test_equal_candidates_are_withheld(connection: duckdb.DuckDBPyConnection) -> None:
    """Who has the same as another is nobody's guess; a second record of one's own changes nothing."""
    rows = [(f"p{n}", f"i{n // 2}", dt.date(2011, 1, 1), 1.0) for n in range(6)] * 2
    first = attack_histories(connection, rows, Draw(days=0), dated=True, priced=False)[0]
    assert (first["attacked"], first["best_right"], first["answered"], first["withheld"]) == (6, 0, 0, 6)
    made = [(n // 2,) for n in range(6)]
    make(connection, {"a": "INTEGER"}, made, "r")
    first = run(
        connection, "noisy_records", source="r", columns=["a"], dates=[], numbers=[], **asked(Draw(days=0))
    )[0]
    assert (first["attacked"], first["best_right"], first["answered"], first["withheld"]) == (6, 0, 0, 6)


def test_doubt_is_not_made_small_by_candidates_without_a_match(connection: duckdb.DuckDBPyConnection) -> None:
    """Two of three have the item on days that differ by 30: scores w, w / e and 0.

    Among the two matches alone the best would be 2 deviations ahead; among all three it is 1.51. With a
    third match the deviation has a fourth candidate, and 1.5 is not reached any more.
    """
    day = dt.date(2011, 3, 1)
    rows = [("a", "x", day, 1.0), ("b", "x", day - dt.timedelta(days=30), 1.0), ("c", "y", day, 1.0)]
    first = attack_histories(connection, rows, Draw(days=0), dated=True, priced=False)[0]
    assert (first["best_right"], first["answered"]) == (3, 3)
    near = [(who, "x", day - dt.timedelta(days=3 * n), 1.0) for n, who in enumerate("abcd")]
    first = attack_histories(connection, near, Draw(days=0), dated=True, priced=False)[0]
    assert (first["best_right"], first["answered"]) == (4, 0)


# --- brute force ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_histories_by_brute_force(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    draw = Draw(days=(0, 14)[seed % 2], band=(0.1, 0)[seed // 2], seed=seed, targets=(400, 4)[seed // 2])
    for dated, priced in ((True, False), (True, True), (False, False)):
        attack_histories(connection, toy(seed=seed), draw, dated, priced)


HOSTILE = st.sampled_from(["", "a", "a ", "A", "é", "e\u0301", "が", "a'b", 'a"b', "{{ x }}", "--"])


@LIGHT
@given(
    st.lists(
        st.tuples(
            HOSTILE | st.none(),
            HOSTILE | st.none(),
            st.dates(dt.date(2011, 1, 1), dt.date(2011, 3, 1)) | st.none(),
            st.sampled_from([0.0, 1.0, 1.5, 2.5, 100.0]) | st.none(),
        ),
        max_size=40,
    ),
    st.integers(0, 3),
)
def test_histories_of_any_kind(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], seed: int
) -> None:
    attack_histories(connection, rows, Draw(seed=seed, days=3 * seed), dated=True, priced=seed % 2 == 1)


@LIGHT
@given(
    st.lists(
        st.tuples(
            *[HOSTILE | st.none()] * 3,
            st.dates(dt.date(2011, 1, 1), dt.date(2011, 3, 1)) | st.none(),
            st.integers(0, 9) | st.none(),
        ),
        max_size=30,
    ),
    st.integers(0, 3),
)
def test_records_of_any_kind(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], seed: int
) -> None:
    names = ['a"b', "ö {{ x }}", "value", "place", "turn"]
    make(connection, dict(zip(names, ["VARCHAR"] * 3 + ["DATE", "INTEGER"], strict=True)), rows, "r")
    draw = Draw(seed=seed, days=3 * seed, band=0.4)
    found = run(
        *(connection, "noisy_records"),
        **{"source": "r", "columns": names[:3], "dates": names[3:4], "numbers": names[4:], **asked(draw)},
    )
    cells = [
        (*(None if text is None else text.encode() for text in texts), day and (day - EPOCH).days, number)
        for *texts, day, number in rows
    ]
    counts(found, noisy_oracle.attack_records(cells, "vvvdn", draw))


def test_extreme_numbers_and_many_columns(connection: duckdb.DuckDBPyConnection) -> None:
    values = [0.0, -0.0, float("nan"), float("inf"), 1e308, -1e308, 5e-324, None, 1e99, -1e99]
    names = [f"c{n}" for n in range(40)]
    rows = [[values[(n + place) % 10] for place in range(40)] for n in range(30)]
    make(connection, dict.fromkeys(names, "DOUBLE"), rows, "r")
    given_ = {"columns": names[20:], "dates": [], "numbers": names[:20], **asked(Draw())}
    assert len(run(connection, "noisy_records", source="r", **given_)) == 12
    make(connection, {**COLUMNS, "when": "DATE"}, [])
    connection.execute("INSERT INTO t SELECT 'a', 'b', 'infinity'::DATE, 'nan'::DOUBLE, NULL FROM range(3)")
    assert (
        run(
            connection,
            "noisy_histories",
            source="t",
            user="u",
            item="item",
            day="day",
            amount="price",
            **asked(Draw()),
        )
        == []
    )


@pytest.mark.parametrize("name", ["noisy_histories", "noisy_records"])
def test_any_order_and_threads(name: str) -> None:
    """The same figures from any number of threads and any order of the records."""
    rows, found = toy(40), []
    for threads, order in ((1, 0), (2, 1), (2, 2)):
        with connect(threads) as made:
            make(made, COLUMNS, random.Random(order).sample(rows, len(rows)))
            columns: dict[str, Any] = (
                {"user": "u", "item": "item", "day": "day", "amount": "price"}
                if name == "noisy_histories"
                else {"columns": ["u", "item"], "dates": ["day"], "numbers": ["price"]}
            )
            found.append(run(made, name, source="t", **columns, **asked(Draw())))
    assert found[0] == found[1] == found[2]


def test_less_work_draws_fewer(connection: duckdb.DuckDBPyConnection) -> None:
    """Thirty are drawn at the least, and the rest by what comparing them costs."""
    make(connection, COLUMNS, toy(80))
    given_ = {**asked(Draw()), "work": 1}
    rows = run(
        connection, "noisy_histories", source="t", user="u", item="item", day="day", amount=None, **given_
    )
    assert {row["attacked"] for row in rows} == {min(30, row["eligible"]) for row in rows}


# --- public tables -------------------------------------------------------------------------------

#: Best guesses right of 400, answered, and of these right: dates within 14 days, 0 and 25 % wrong.
PUBLISHED = {(2, 0): (229, 207, 174), (4, 0): (371, 344, 338), (4, 25): (299, 282, 239)} | {
    (8, 0): (394, 381, 381),
    (8, 25): (362, 345, 330),
}


@pytest.mark.slow
def test_online_retail() -> None:
    """An own program that drew others found as many within 18 of 400; with MD5 and seed 0 they are these."""
    report = duckrisk.assess(shared("online_retail_clean.parquet"), only=["noisy_knowledge"])
    found = report.noisy_knowledge
    assert found is not None
    assert (found.unit, found.item, found.dates, found.amounts) == ("user", "StockCode", ("InvoiceDate",), ())
    by_case = {
        (case.known_facts, case.wrong_percent): (case.best_right, case.answered, case.right_answers)
        for case in found.cases
    }
    for case, figures in PUBLISHED.items():
        assert all(abs(one - other) <= 18 for one, other in zip(by_case[case], figures, strict=True)), case
    assert by_case[8, 25] == (359, 350, 333)
    assert by_case[8, 0] == (397, 388, 388)
    assert found.typical is found.cases[-1]
    exact = duckrisk.assess(shared("online_retail_clean.parquet"), only=["noisy_knowledge"], noisy_days=0)
    assert exact.noisy_knowledge is not None
    two = exact.noisy_knowledge.cases[3]
    assert abs(two.best_right - 385) <= 18
    assert abs(two.answered - 288) <= 18
    assert two.right_answers == two.answered


def test_no_column() -> None:
    with duckdb.connect() as made:
        made.execute("CREATE TABLE t AS SELECT i AS id, 'x' AS same FROM range(60) AS n (i)")
        with pytest.raises(UsageError, match="quasi-identifier"):
            duckrisk.assess(made, table="t", user="id", only=["noisy_knowledge"])
