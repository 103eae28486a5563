"""The steps of treating, checking and attacking contest files, each on a table of a few rows, by hand."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- treating ------------------------------------------------------------------------------------


def test_records_in_the_places_of_others(connection: duckdb.DuckDBPyConnection) -> None:
    """Of the first period a, b and c have two records each and d one; of the second a and b one each."""
    owners = [("a", 0), ("b", 0), ("c", 0), ("d", 0), ("b", 0), ("a", 0), ("c", 0), ("a", 1), ("b", 1)]
    put(
        connection, "o", "record user_id:VARCHAR period", *[(n + 1, *owner) for n, owner in enumerate(owners)]
    )
    put(connection, "r", "record item:VARCHAR", *[(n, f"item {n}") for n in range(len(owners) + 1)])
    drawn = Sql("INSTR('bca', user_id)")  # b gives way to c, c to a, a to b
    run(connection, "false_order", name="made", source="r", original="o", drawn=drawn, columns=["item"])
    places = dict(tell(connection, "SELECT item, record FROM made"))
    moved = {0: 1, 1: 2, 2: 0, 3: 3, 4: 6, 5: 4, 6: 5, 7: 8, 8: 7, 9: 9}
    assert places == {f"item {record}": place for record, place in moved.items()}


def test_what_a_release_has_to_do_with_the_rules(connection: duckdb.DuckDBPyConnection) -> None:
    """x is used in two periods and by two users, y in one; the third record is told as another's."""
    day = dt.date(2020, 1, 1)
    cells = [
        (0, day, "tea", "9:00", "3", 1),
        (1, day, "tea", None, "40", 1),
        (0, day, "ham", None, None, None),
    ]
    cells += [(0, day, "jam", None, "7", 2), (0, day, "rye", None, "8", 2)]
    columns = "period day:DATE item:VARCHAR clock:VARCHAR price:VARCHAR quantity"
    owners = ["a", "a", "b", "c", "c"]
    original = [(n, owner, *one) for n, (owner, one) in enumerate(zip(owners, cells, strict=True))]
    put(connection, "o", f"record user_id:VARCHAR {columns}", *original)
    names = ["x", "x", "y", "x", None]
    told = [cells[0], cells[1], cells[3], cells[3], cells[4]]
    released = [(n, name, *one) for n, (name, one) in enumerate(zip(names, told, strict=True))]
    put(connection, "r", f"record pseudonym:VARCHAR {columns}", *released)
    within = Sql("CAST(price AS DOUBLE) < 10")
    assert row(connection, "release_evidence", original="o", release="r", is_within_limits=within) == {
        "pseudonyms": 2, "mean_periods": 1.5, "most_periods": 2, "shared_pseudonyms": 1,
        "items_bought_once": 0, "prices_beyond": 1, "misplaced_records": 1,
    }  # fmt: skip
    # One more of another user has the cells of the third: it is misplaced once. The second costs what it may.
    connection.execute("INSERT INTO o SELECT 5, 'a', * EXCLUDE (record, user_id) FROM o WHERE record = 3")
    found = row(
        connection, "release_evidence", original="o", release="r", is_within_limits=Sql("price < '9'")
    )
    assert (found["misplaced_records"], found["prices_beyond"]) == (1, 0)
    nothing = Sql("(FROM r LIMIT 0)")
    found = row(connection, "release_evidence", original="o", release=nothing, is_within_limits=within)
    assert list(found.values()) == [
        0, None, 0, 0, 0, 0, 0
    ]  # fmt: skip
    put(connection, "users", "user_id:VARCHAR", ("x",), ("a",))
    left = row(connection, "count_released", source="r", user="pseudonym", users="users")
    assert left == {"left": 4, "customers": 3}


def test_a_release_in_the_order_of_the_original(connection: duckdb.DuckDBPyConnection) -> None:
    """A deleted record is there, without cells."""
    put(connection, "o", "record", (2,), (0,), (1,))
    cells = (
        "record user_id:VARCHAR period day clock:VARCHAR invoice:VARCHAR item:VARCHAR price:VARCHAR quantity"
    )
    put(
        connection,
        "r",
        cells,
        (2, "q", 1, 5, "9:00", "i", "tea", "3", 4),
        (0, "p", 0, 4, "8:00", "j", "ham", "2", 1),
    )
    run(connection, "standard_release", name="made", original=Sql("o"), source=Sql("r"))
    assert tell(connection, "FROM made") == [
        (0, "p", 0, 4, "8:00", "j", "ham", "2", 1),
        (1, *[None] * 8),
        (2, "q", 1, 5, "9:00", "i", "tea", "3", 4),
    ]


@pytest.mark.parametrize("prefix", [None, 1])
def test_the_last_pseudonym_of_each_key(connection: duckdb.DuckDBPyConnection, prefix: int | None) -> None:
    """A later record overwrites an earlier one; one that misses a part of the key has none, nor has one
    without a name."""
    columns = "record pseudonym:VARCHAR period day item:VARCHAR price:VARCHAR quantity"
    rows = [("p", 0, "ab", 1), ("q", 0, "ab", 1), ("r", 0, "ac", 1), (None, 0, "ab", 1), ("s", None, "ab", 1)]
    rows += [("t", 0, None, 1), ("u", 0, "ab", None), ("v", 1, "ab", 1)]
    table = [(n, name, period, n, item, "9", many) for n, (name, period, item, many) in enumerate(rows)]
    put(connection, "r", columns, *table)
    keys = ["period", "item", "quantity"]
    run(connection, "key_pseudonyms", table="made", released=Sql("r"), keys=keys, prefix=prefix)
    expected = [(0, "ab", 1, "q"), (0, "ac", 1, "r"), (1, "ab", 1, "v")]
    if prefix:
        expected = [(0, "a", 1, "r"), (1, "a", 1, "v")]
    assert sorted(tell(connection, "FROM made")) == expected


def test_the_strongest_rules(connection: duckdb.DuckDBPyConnection) -> None:
    """Two of each size, those of two items first; the third is as strong as the second, and the release has
    it not."""
    columns = "first:VARCHAR second:VARCHAR then_item:VARCHAR support confidence:DOUBLE"
    rules = [
        ("a", None, "b", 3, 0.5), ("b", None, "a", 4, 0.5), ("c", None, "a", 3, 0.5),
        ("d", None, "a", 9, 0.25),
        ("a", "b", "c", 2, 0.75), ("a", "c", "b", 2, 1.0), ("", "a", "b", 1, 1.0), ("a", "d", "b", 1, 1.0),
    ]  # fmt: skip
    put(connection, "o", columns, *rules)
    put(
        connection,
        "r",
        columns,
        ("b", None, "a", 4, 0.25),
        ("a", "", "b", 4, 0.1),
        ("a", "b", "c", 1, 0.3),
        ("a", "c", "b", 1, 0.4),
    )
    found = run(connection, "first_rules", original=Sql("o"), release=Sql("r"), max_rules=2)
    assert [tuple(one.values()) for one in found] == [
        ("b", None, "a", 4, 0.5, 0.25, 4, 1),
        ("a", None, "b", 3, 0.5, None, 4, 3),
        ("a", "c", "b", 2, 1.0, 0.4, 4, 1),
        ("", "a", "b", 1, 1.0, None, 4, 3),
    ]


# --- checking ------------------------------------------------------------------------------------


def test_what_of_a_master_table_is_wrong(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "master", "user_id:VARCHAR", ("a",), ("a",), ("b",), (None,), (None,))
    put(connection, "o", "user_id:VARCHAR", ("a",), ("c",), ("c",), ("d",))
    run(connection, "begin_violations", name="v")
    run(connection, "master_violations", name="v", source="master", original="o")
    wrong = [("nobody", None, None)] * 2 + [
        ("repeated", None, "a"),
        ("unlisted", None, "c"),
        ("unlisted", None, "d"),
    ]
    assert tell(connection, "FROM v ORDER BY ALL") == wrong


def test_what_of_a_release_is_wrong(connection: duckdb.DuckDBPyConnection) -> None:
    """Of six records two are deleted, one of them with cells left, and one is missing."""
    first, last, later = (dt.date(2020, *day) for day in ((1, 3), (1, 30), (2, 1)))
    original = [(1, "a", 0, first, "tea"), (2, "a", 0, last, "ham"), (3, "b", 0, first, "tea")]
    original += [(4, "b", 1, later, "jam"), (5, "c", 1, later, "jam"), (6, "c", 1, later, "rye")]
    put(connection, "o", "record user_id:VARCHAR period day:DATE item:VARCHAR", *original)
    put(connection, "users", "user_id:VARCHAR", ("a",), ("b",), ("c",))
    columns = "record deleted:BOOLEAN partly:BOOLEAN person:VARCHAR day:DATE moment:VARCHAR item:VARCHAR"
    released = [
        (1, False, False, "x", last, "2020-01-30", "ham"),
        (2, False, False, "y", later, "2020-02-01", "nut"),
        (3, True, True, None, None, None, None),
        (4, False, False, "c", None, "soon", "jam"),
        (5, True, False, None, None, None, None),
        (7, False, False, "z", first, "2020-01-03", "tea"),
    ]
    put(connection, "r", columns, *released)
    given = {"name": "v", "source": "r", "original": "o", "users": "users", "unit": "month"}
    run(connection, "begin_violations", name="v")
    run(connection, "release_violations", **given, records=6)
    wrong = [("customer", 4, "c"), ("deleted", 3, None), ("item", 2, "nut"), ("one_pseudonym", 2, "y")]
    wrong += [("period", 2, "2020-02-01"), ("records", 6, None), ("records", 7, None)]
    assert tell(connection, "FROM v ORDER BY ALL") == wrong
    # A cell without a day moves a record, and a text that is no day is reported elsewhere.
    connection.execute("UPDATE r SET moment = NULL WHERE record = 4")
    run(connection, "begin_violations", name="v")
    run(connection, "release_violations", **given, records=6)
    assert tell(connection, "FROM v WHERE violated = 'period' ORDER BY ALL") == [
        ("period", 2, "2020-02-01"),
        ("period", 4, None),
    ]
    # Three of six are enough, two are not.
    connection.execute("UPDATE r SET deleted = TRUE WHERE record = 2")
    run(connection, "begin_violations", name="v")
    run(connection, "release_violations", **given, records=6)
    assert tell(connection, "SELECT value FROM v WHERE violated = 'survivors'") == [("2",)]
    run(connection, "begin_violations", name="v")
    run(connection, "deleted_violations", name="v", source="r")
    assert sorted(tell(connection, "FROM v")) == [("kept_deleted", record, None) for record in (2, 3, 5)]


def test_how_large_a_release_of_2018_is(connection: duckdb.DuckDBPyConnection) -> None:
    put(
        connection, "r", "customer:VARCHAR pseudonym:VARCHAR", ("a", "x"), ("a", "x"), ("b", "x"), ("c", None)
    )
    assert row(connection, "count_generalized", source="r") == {
        "records": 4, "users": 3, "surviving": 3, "pseudonyms": 1
    }  # fmt: skip


# --- attacking -----------------------------------------------------------------------------------


def test_cells_as_they_are_compared(connection: duckdb.DuckDBPyConnection) -> None:
    """Days by the week, prices and quantities by steps of their logarithm, and the same half a step on."""
    monday = dt.date(2000, 1, 3)
    columns = "record person:VARCHAR period day:DATE clock:VARCHAR item:VARCHAR price:VARCHAR quantity"
    rows = [
        (1, "p", 0, monday + dt.timedelta(10), "9:05", "tea pot", "3", 4),
        (2, "q", 0, monday + dt.timedelta(4), "late", None, "03.00", 1),
        (3, "p", 1, None, None, "ham", "free", 0),
        (4, "p", None, monday, None, "ham", "1", 1),
        (5, "r", 0, monday, None, "ham", "1", 1),
    ]
    put(connection, "r", columns, *rows)
    put(connection, "numbers", "number pseudonym:VARCHAR period", (7, "p", 0), (8, "q", 0), (9, "p", 1))
    connection.execute("ALTER TABLE r RENAME person TO pseudonym")
    given = {"source": "r", "person": "pseudonym", "numbers": "numbers", "table": "made"}
    run(connection, "evidence_records", **given, by_pseudonym=True, prefix=3)

    def steps(number: float, part: float) -> list[int]:
        return [math.floor(math.log(number) / part), math.floor(math.log(number) / part + 0.5)]

    exact = tell(connection, "SELECT record, person, clock, item, price FROM made ORDER BY record")
    assert exact == [
        (1, 7, "09:05:00", "tea", "3.0000"),
        (2, 8, "late", None, "3.0000"),
        (3, 9, None, "ham", "free"),
    ]
    grids = "SELECT day0, day1, price0, price1, quantity0, quantity1 FROM made ORDER BY record"
    (first, second, third) = ([*one] for one in tell(connection, grids))
    assert first == [1, 1, *steps(3, 0.25), *steps(4, 0.5)]
    assert second == [0, 1, *steps(3, 0.25), 0, 0]
    assert third == [None] * 6
    run(connection, "evidence_columns", known_records="made", released="made")
    asked = row(connection, "evidence_columns", known_records="made", released="made")
    assert asked == {"clock": 1, "day": 1, "item": 1, "price": 1, "quantity": 1}
    connection.execute("UPDATE made SET item = 'ham', clock = NULL")
    asked = row(connection, "evidence_columns", known_records="made", released="made")
    assert (asked["clock"], asked["item"]) == (0, 0)


def test_columns_that_one_side_lacks(connection: duckdb.DuckDBPyConnection) -> None:
    """Each column in turn is known of nobody; the release has two values, one, or none."""
    columns = ("clock", "day", "item", "price", "quantity")
    typed = " ".join(f"{name}:VARCHAR" for name in columns)
    for values, told in ((("x", "y"), 1), (("x", "x"), 0), (("x", None), 0)):
        put(connection, "released", typed, *([value] * 5 for value in values))
        for place, name in enumerate(columns if told else columns[:1]):
            put(connection, "known", typed, [None if one == name else "x" for one in columns])
            asked = row(connection, "evidence_columns", known_records="known", released="released")
            assert [*asked.values()] == [int(other != place and told) for other in range(5)]


def test_matches_shares_and_scores(connection: duckdb.DuckDBPyConnection) -> None:
    """In the first period three pseudonyms, in the second one; a value that three have tells too little."""
    put(
        connection,
        "pseudonyms",
        "number pseudonym:VARCHAR period pseudonyms",
        (1, "x", 0, 3),
        (2, "y", 0, 3),
        (3, "z", 0, 3),
        (4, "x", 1, 1),
    )
    released = [
        (1, 0, "tea", 1),
        (1, 0, "tea", 1),
        (2, 0, "tea", 2),
        (3, 0, "ham", 1),
        (1, 0, "nut", 3),
        (4, 1, "tea", 1),
    ]
    put(connection, "released", "person period item:VARCHAR quantity", *released)
    known = [(1, 10, 0, "tea", 2), (2, 10, 0, "ham", 1), (3, 20, 0, "nut", None), (4, 10, 1, "tea", 9)]
    put(connection, "known", "record person period item:VARCHAR quantity", *known)
    given = {"known_records": "known", "released": "released", "pseudonyms": "pseudonyms"}
    run(
        connection,
        "evidence_matches",
        **given,
        keys=[["item"], ["item", "quantity"]],
        max_pseudonyms=2,
        table="matches",
    )
    told = tell(
        connection, "SELECT record, user_number, key, share, pseudonym_number FROM matches ORDER BY ALL"
    )
    assert told == [
        (1, 10, 0, 2 / 4, 1), (1, 10, 0, 2 / 4, 2), (1, 10, 1, 1 / 4, 2), (2, 10, 0, 1 / 4, 3),
        (2, 10, 1, 1 / 4, 3), (3, 20, 0, 1 / 4, 1), (4, 10, 0, 1 / 2, 4),
    ]  # fmt: skip
    run(connection, "evidence_matches", **given, keys=[["item"]], max_pseudonyms=1, table="fewer")
    assert tell(connection, "SELECT record FROM fewer ORDER BY ALL") == [(2,), (3,), (4,)]
    shares = {"matches": "matches", "known_records": "known", "keys": 2, "table": "shares"}
    run(connection, "evidence_shares", **shares, guess=None)
    assert sorted(tell(connection, "FROM shares")) == [(0, 0.9), (1, 0.9)]
    run(
        connection,
        "evidence_scores",
        matches="matches",
        pseudonyms="pseudonyms",
        shares="shares",
        table="scores",
    )

    def weight(share: float) -> float:
        return math.log(1 + 0.9 * (1 - share) / share)

    scores = {(10, 0, 1): weight(1 / 2), (10, 0, 2): weight(1 / 4), (10, 0, 3): weight(1 / 4)}
    scores |= {(20, 0, 1): weight(1 / 4), (10, 1, 4): weight(1 / 2)}
    asked = "SELECT user_number, period, pseudonym_number, score FROM {}"
    found = {tuple(key): float(score) for *key, score in tell(connection, asked.format("scores"))}
    assert found == pytest.approx(scores, abs=1e-8)
    # Of the three known records of the guessed pairs two agree on the item, one also on the quantity.
    put(
        connection,
        "guess",
        "user_number period pseudonym_number score:DECIMAL(18,9)",
        (10, 0, 2, 1.5),
        (10, 1, 4, 2.5),
    )
    run(connection, "evidence_shares", **shares, guess="guess")
    assert dict(tell(connection, "FROM shares")) == pytest.approx({0: 2 / 3, 1: 1 / 3})
    put(connection, "one", "user_number period pseudonym_number", (10, 0, 2))
    run(connection, "evidence_shares", **shares, guess="one")
    assert dict(tell(connection, "FROM shares")) == pytest.approx({0: 1 / 2, 1: 1 / 2})
    run(connection, "evidence_shares", **shares, guess="guess")
    run(
        connection,
        "evidence_pooled",
        table="pooled",
        pseudonyms="pseudonyms",
        scores="scores",
        guess="guess",
        stability=0.5,
    )
    # x is guessed in the second period, which counts by half in the first; y is in one period alone.
    pooled = scores | {(10, 0, 1): weight(1 / 2) + 0.5 * 2.5}
    found = {tuple(key): float(score) for *key, score in tell(connection, asked.format("pooled"))}
    assert found == pytest.approx(pooled, abs=1e-8)


def test_rates_of_a_guess(connection: duckdb.DuckDBPyConnection) -> None:
    """Alike records count each; a is right in both periods, b in one of two, c names a pseudonym of a."""
    columns = "user_id:VARCHAR period pseudonym:VARCHAR"
    truth = [("a", 0, "x")] * 3 + [("a", 1, "y"), ("b", 0, "z"), ("b", 1, "w"), ("b", 1, "w")]
    put(connection, "truth", columns, *truth)
    put(
        connection,
        "guess",
        columns,
        ("a", 0, "x"),
        ("a", 1, "y"),
        ("b", 0, "z"),
        ("b", 1, "y"),
        ("c", 0, "x"),
    )
    put(connection, "users", "user_id:VARCHAR", ("a",), ("b",), ("c",), ("a",))
    put(connection, "no_guess", columns)
    run(connection, "all_guesses", name="guesses", guesses=["no_guess", "guess"])
    given: dict[str, Any] = {"person": "user_id", "period": "period", "pseudonym": "pseudonym", "periods": 2}
    given |= {"truth": "truth", "everybody": "users", "weight": None}
    found = row(connection, "reidentification_rates", guess="guess", attempt=None, attempts=None, **given)
    # c has no pseudonym, so that a guess of nobody is right of c.
    nothing, again, nobody = run(
        connection, "reidentification_rates", guess="guesses", attempt="attempt", attempts=3, **given
    )
    assert again == found
    assert nothing == nobody == found | {
        "guessed_cells": 0, "right_cells": 0, "right_users": 1, "right_records": 0,
        "strict": 1 / 3, "cell": 0, "active_cell": 0, "row": 0,
        "blind_strict": 1 / 3, "blind_cell": 0, "blind_active_cell": 0, "blind_row": 0,
    }  # fmt: skip
    counts: dict[str, Any] = {
        "users": 3, "active_cells": 4, "guessed_cells": 5, "right_cells": 3, "right_users": 1,
        "released_records": 7, "right_records": 5, "strict": 1 / 3, "cell": 3 / 6, "active_cell": 3 / 4,
        "row": 5 / 7,
    }  # fmt: skip
    # Two pseudonyms are dealt out in each period: each of the four guesses is right half of the time. Of the
    # records those of a and b are found, but that b named y second.
    chance = {
        "blind_strict": (1 / 4 + 1 / 4) / 3,
        "blind_cell": 2 / 6,
        "blind_active_cell": 2 / 4,
        "blind_row": 2.5 / 7,
    }
    assert found == pytest.approx(counts | chance)


# --- files and rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("endings", "expected"),
    [
        (["lf", "lf", "crlf"], True),
        (["lf", "crlf"], False),
        (["lf", "lf", "crlf", "cr", None], True),
        ([], False),
    ],
)
def test_how_most_lines_end(
    connection: duckdb.DuckDBPyConnection, endings: list[str | None], expected: bool
) -> None:
    put(connection, "lines", "ending:VARCHAR", *[(ending,) for ending in endings])
    assert run(connection, "ends_with_lf", source="lines") == [{"found": expected}]


def test_a_master_table_with_a_header(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "r", "record a:VARCHAR b", (1, "user", 0), (2, "x", 5), (3, "", 6))
    given = {"name": "made", "source": "r", "columns": ["a", "b"], "names": ["user_id", "age"]}
    run(connection, "make_master", **given, skip_first=True)
    assert tell(connection, "FROM made ORDER BY age") == [("x", "5"), (None, "6")]
    run(connection, "make_master", **given, skip_first=False)
    assert tell(connection, "FROM made ORDER BY age") == [("user", "0"), ("x", "5"), (None, "6")]


def test_rules_of_three_that_are_lost(connection: duckdb.DuckDBPyConnection) -> None:
    """Of three rules one is in both, half as sure, and two are lost; one is new. Those of two are others."""
    columns = "first:VARCHAR second:VARCHAR then_item:VARCHAR confidence:DOUBLE"
    rules = [("a", "b", "c", 0.8), ("a", "b", "d", 0.5), ("a", "c", "d", 0.9), ("a", None, "c", 1.0)]
    put(connection, "o", columns, *rules)
    put(connection, "r", columns, ("a", "b", "c", 0.4), ("b", "c", "d", 0.7), ("a", None, "c", 0.1))
    baskets = {"baskets": "b", "released_baskets": "b"}
    put(connection, "b", "basket item:VARCHAR", (1, "a"), (2, "a"), (2, "b"))
    found = row(connection, "rules_loss", original="o", release="r", **baskets, of_three=True)
    counts = {"rules": 3, "released_rules": 2, "common_rules": 1, "loss_rules": 3 / 4}
    assert found == pytest.approx(counts | {"loss_confidence": (0.4 + 0.5 + 0.9) / 3})
    pairs = row(connection, "rules_loss", original="o", release="r", **baskets, of_three=False)
    counts = {"rules": 1, "released_rules": 1, "common_rules": 1, "loss_rules": 0, "loss_confidence": 0.9}
    assert pairs == pytest.approx(counts | {"baskets": 2, "released_baskets": 2})


def test_baskets_have_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    """One of u on day 1, one on an unknown day; v has one. Who or what is not known is left out."""
    columns = "who:VARCHAR day item:VARCHAR"
    records = [("u", 1, "x"), ("u", 1, "y"), ("u", 1, "x"), ("u", None, "x"), ("u", None, "z"), ("v", 1, "x")]
    put(connection, "r", columns, *records, ("v", 2, None), (None, 1, "x"))
    run(connection, "numbered_baskets", name="b", source="r", person="who", item="item", basket=["day"])
    found = tell(connection, "SELECT LIST(item ORDER BY item) FROM b GROUP BY basket ORDER BY ALL")
    assert found == [(["x"],), (["x", "y"],), (["x", "z"],)]
    assert tell(connection, "SELECT LIST(DISTINCT basket ORDER BY basket) FROM b") == [([1, 2, 3],)]


def test_days_by_the_week(connection: duckdb.DuckDBPyConnection) -> None:
    """Weeks from the first Monday of 2000, and weeks that begin in the middle of these."""
    columns = "record person:VARCHAR period day:DATE clock:VARCHAR item:VARCHAR price:VARCHAR quantity"
    days = [-400, -8, -7, -4, -3, -1, 0, 3, 4, 6, 7, 70, 73, 74, 1000]
    first = dt.date(2000, 1, 3)
    rows = [(day, "p", 0, first + dt.timedelta(day), None, None, None, None) for day in days]
    put(connection, "r", columns, *rows)
    put(connection, "numbers", "number person:VARCHAR", (1, "p"))
    given = {"source": "r", "person": "person", "numbers": "numbers", "table": "made"}
    run(connection, "evidence_records", **given, by_pseudonym=False, prefix=None)
    assert tell(connection, "SELECT record, day0, day1 FROM made ORDER BY record") == [
        (day, day // 7, math.floor(day / 7 + 0.5)) for day in days
    ]
