"""Scores of releases of purchase histories: each loss by hand and against loops, and the whole command."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import pwscup_oracle as oracle
from tests.hostile import NAMES
from tests.pwscup_oracle import Row
from tests.tables import LIGHTER, TEXTS, close, connect, make, row, run

HISTORY = {
    "record": "BIGINT", "user_id": "VARCHAR", "period": "INTEGER", "day": "DATE", "clock": "VARCHAR",
    "invoice": "VARCHAR", "item": "VARCHAR", "price": "VARCHAR", "quantity": "BIGINT",
}  # fmt: skip
RELEASE = {"pseudonym" if name == "user_id" else name: kind for name, kind in HISTORY.items()}
SHARES = {"least_support": 0.01, "least_confidence": 0.3}
SEVEN = (
    "itemcf_supply", "itemcf_retail", "topk_list", "topk_similarity", "date", "price", "deleted_rows",
)  # fmt: skip


def standard(
    connection: duckdb.DuckDBPyConnection, name: str, rows: oracle.Table, columns: dict[str, str] = HISTORY
) -> str:
    """A history or a release as the templates read it."""
    months = oracle.months_of(oracle.present(rows))
    cells: list[tuple[Any, ...]] = []
    for number, one in enumerate(rows, 1):
        if one is None:
            cells.append((number, *[None] * 8))
        else:
            when = (months.index(one.month), one.day)
            cells.append(
                (number, one.user, *when, one.time, one.invoice, one.item, one.price, int(one.quantity))
            )
    return make(connection, columns, cells, name)


@pytest.fixture
def connection() -> Iterable[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


#: The worked example: six records of three customers in two months, k = 2.
T = [
    Row("101", "0", "2011/1/5", "9:00", "A", "2.00", "12"),
    Row("101", "0", "2011/1/5", "9:00", "B", "1.00", "24"),
    Row("102", "0", "2011/1/9", "9:00", "A", "2.00", "36"),
    Row("102", "0", "2011/2/3", "9:00", "B", "1.00", "6"),
    Row("103", "0", "2011/2/7", "9:00", "C", "5.00", "3"),
    Row("103", "0", "2011/2/7", "9:00", "A", "2.00", "4"),
]
AT = [
    T[0]._replace(user="p1", price="1.50"),
    T[1]._replace(user="p1"),
    T[2]._replace(user="p2", date="2011/1/14", quantity="24"),
    None,
    T[4]._replace(user="p3"),
    T[5]._replace(user="p3"),
]
MASTER = {
    "101": ("f", "1950/1/1", "France"),
    "102": ("m", "1960/1/1", "Others"),
    "103": ("f", "1960/1/1", "Others"),
}


def simple_losses(connection: duckdb.DuckDBPyConnection, days: int = 31) -> list[float]:
    both = {"original": "t", "release": "a"}
    return [
        row(connection, "date_loss", **both, days=days)["loss"],
        row(connection, "price_loss", **both)["loss"],
        row(connection, "deleted_rows", **both)["loss"],
    ]


def test_days_prices_and_deletions_of_the_worked_example(connection: duckdb.DuckDBPyConnection) -> None:
    standard(connection, "t", T)
    standard(connection, "a", AT, RELEASE)
    date, price, deleted = simple_losses(connection)
    assert close(date, Fraction(5, 31 * 6))
    assert close(price, Fraction(1, 24))
    assert deleted == 0.1667
    assert close(simple_losses(connection, days=7)[0], Fraction(5, 7 * 6))
    connection.execute("DELETE FROM t")
    assert simple_losses(connection) == [0, 0, 0]


def test_what_is_missing_counts_as_lost(connection: duckdb.DuckDBPyConnection) -> None:
    standard(connection, "t", T)
    standard(connection, "a", [one._replace(user="p") for one in T], RELEASE)
    connection.execute("UPDATE a SET day = NULL, price = NULL WHERE record = 1")
    assert simple_losses(connection) == [pytest.approx(1 / 6), pytest.approx(1 / 6), 0]
    connection.execute("UPDATE t SET day = NULL, price = NULL WHERE record = 1")
    assert simple_losses(connection) == [0, 0, 0]
    connection.execute("UPDATE a SET day = DATE '2012-01-01', price = '-2' WHERE record = 3")
    assert simple_losses(connection) == [pytest.approx(1 / 6), pytest.approx(1 / 6), 0]
    for price in ("many", "", "nan", "inf", "0"):
        connection.execute("UPDATE a SET price = ? WHERE record = 3", [price])
        assert simple_losses(connection)[1] == pytest.approx(1 / 6)
    connection.execute("UPDATE a SET price = '2' WHERE record = 3")
    assert simple_losses(connection)[1] == 0


def test_rules_of_the_specification(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [(n, item) for n, basket in enumerate(("AB", "AB", "AC", "B")) for item in basket]
    make(connection, {"user": "INTEGER", "item": "VARCHAR"}, rows)
    arguments: dict[str, Any] = {"source": "t", "user": "user", "basket": [], "item": "item"}
    found = run(connection, "association_rules", **arguments, least_support=0.5, least_confidence=0.5)
    assert [(one["first"], one["second"]) for one in found] == [("A", "B"), ("B", "A")]
    assert found[0] == {
        "first": "A",
        "second": "B",
        "baskets": 2,
        "support": 0.5,
        "confidence": pytest.approx(2 / 3),
        "lift": pytest.approx(8 / 9),
        "leverage": -0.0625,
        "conviction": 0.75,
    }
    every = run(connection, "association_rules", **arguments, least_support=0.0, least_confidence=0.0)
    assert [(one["first"], one["second"], one["conviction"]) for one in every] == [
        ("C", "A", None),
        ("A", "B", 0.75),
        ("B", "A", 0.75),
        ("A", "C", pytest.approx(1.125)),
    ]


def test_cross_table_and_means_of_the_specification(connection: duckdb.DuckDBPyConnection) -> None:
    for name, shares in (("o", (4, 1, 3, 2)), ("r", (3, 2, 3, 2))):
        rows = [
            (cell[0], cell[1], 1.5 if cell[0] == "x" else n)
            for cell, count in zip(("xu", "xv", "yu", "yv"), shares, strict=True)
            for n in range(count)
        ]
        make(connection, {"sex": "VARCHAR", "item": "VARCHAR", "price": "DOUBLE"}, rows, name)
    both = {"original": "o", "release": "r"}
    found = row(connection, "cross_table_loss", **both, category="sex", column="item")
    assert found == {
        "cells": 4,
        "total_variation": pytest.approx(0.1),
        "largest_share_difference": pytest.approx(0.1),
        "mean_share_difference": pytest.approx(0.05),
        "largest_difference": 1,
        "mean_difference": 0.5,
    }
    connection.execute("UPDATE r SET price = price * 2 WHERE sex = 'y'")
    means = row(connection, "group_means_loss", **both, category="sex", column="price")
    assert means == {"categories": 2, "missing_categories": 0, "loss": pytest.approx(0.25)}
    connection.execute("DELETE FROM r WHERE sex = 'y'")
    means = row(connection, "group_means_loss", **both, category="sex", column="price")
    assert means == {"categories": 2, "missing_categories": 1, "loss": 0.5}
    connection.execute("DELETE FROM r")
    assert row(connection, "cross_table_loss", **both, category="sex", column="item")["total_variation"] == 1


SUBMISSIONS: list[dict[str, Any]] = [
    {},
    {"dates": 0.3, "prices": 0.3, "pseudonyms": "constant"},
    {"items": 0.2, "quantities": 0.3, "deleted": 0.2, "pseudonyms": "swapped"},
    {"dates": 0.1, "items": 0.1, "prices": 0.1, "quantities": 0.1, "deleted": 0.5},
]


@pytest.mark.parametrize("number", range(len(SUBMISSIONS)))
def test_losses_are_those_of_loops(connection: duckdb.DuckDBPyConnection, number: int) -> None:
    original, master = oracle.contest(number, customers=25)
    release = oracle.submission(original, number, **SUBMISSIONS[number])
    standard(connection, "t", original)
    standard(connection, "a", release, RELEASE)
    expected = oracle.utility(original, release)
    for found, name in zip(simple_losses(connection), ("date", "price", "deleted_rows"), strict=True):
        assert found == pytest.approx(expected[name], abs=1e-12)
    losses = oracle.rule_losses(original, release)
    columns = {"user": "user_id", "basket": ["day", "clock"], "item": "item"}
    found = row(
        connection,
        "association_rules_loss",
        original="t",
        release="a",
        pseudonym="pseudonym",
        **columns,
        **SHARES,
    )
    assert [found[name] for name in ("rules", "released_rules", "common_rules")] == (
        [losses[name] for name in ("original", "release", "common")]
    )
    assert found["rules"] > 20
    assert close(found["loss_rules"], losses["rules"])
    assert close(found["loss_confidence"], losses["confidence"])

    make(
        connection,
        dict.fromkeys(("user_id", "sex", "born", "country"), "VARCHAR"),
        [(user, *cells) for user, cells in master.items()],
        "m",
    )
    common: dict[str, Any] = {"original": "t", "master": "m", "attributes": ["sex", "born", "country"]}
    run(connection, "purchases_of_groups", source="t", person="user_id", table="before", **common)
    run(connection, "purchases_of_groups", source="a", person="pseudonym", table="after", **common)
    both = {"original": "before", "release": "after"}
    for place in range(3):
        category = f"a{place + 1}"
        for weight, by in ((None, "records"), ("quantity", "quantity")):
            tables = [
                oracle.cross_table(original, rows, master, [place], ["item"], by)
                for rows in (original, release)
            ]
            found = row(
                connection, "cross_table_loss", **both, category=category, column="item", weight=weight
            )
            cross = oracle.cross_loss(*tables)
            names = ("loss", "share_max", "share_mean", "count_max", "count_mean")
            for value, name in zip(list(found.values())[1:], names, strict=True):
                assert value == pytest.approx(float(cross[name]), rel=1e-9, abs=1e-12), name
        for value in ("price", "quantity"):
            found = row(connection, "group_means_loss", **both, category=category, column=value)
            assert found["loss"] == pytest.approx(
                float(oracle.subset_loss(original, release, master, place, value)), abs=1e-12
            )


CELLS = st.sampled_from(["A", "B", "C", *TEXTS[:12], None])


@LIGHTER
@given(
    rows=st.lists(st.tuples(st.integers(0, 3) | st.none(), CELLS, CELLS), max_size=30),
    released=st.lists(st.tuples(st.integers(0, 3) | st.none(), CELLS, CELLS), max_size=30),
    names=st.lists(st.sampled_from(NAMES), min_size=5, max_size=5, unique_by=str.casefold),
    shares=st.tuples(st.sampled_from([0.0, 0.2, 0.5]), st.sampled_from([0.0, 0.3, 1.0])),
)
def test_rules_of_any_table(
    rows: list[Any], released: list[Any], names: list[str], shares: tuple[float, float]
) -> None:
    table, other, user, when, item = names
    support, confidence = shares
    limits = {"least_support": support, "least_confidence": confidence}
    with connect() as connection:
        kept = []
        for name, cells in ((table, rows), (other, released)):
            make(connection, {user: "INTEGER", when: "VARCHAR", item: "VARCHAR"}, cells, name)
            baskets: dict[Hashable, set[str]] = defaultdict(set)
            for person, moment, bought in cells:
                if person is not None and bought is not None:
                    baskets[person, moment].add(bought)
            every = oracle.all_rules(list(baskets.values())) if baskets else {}
            kept.append(
                {
                    pair: rule
                    for pair, rule in every.items()
                    if rule.support >= Fraction(str(support)) and rule.confidence >= Fraction(str(confidence))
                }
            )
        columns: dict[str, Any] = {"user": user, "basket": [when], "item": item}
        found = run(connection, "association_rules", source=table, **columns, **limits)
        assert {(one["first"], one["second"]) for one in found} == set(kept[0])
        for one in found:
            rule = kept[0][one["first"], one["second"]]
            for name, value in rule._asdict().items():
                assert value is None or one[name] == pytest.approx(float(value), abs=1e-12)
                assert (value is None) == (one[name] is None)
        loss = row(
            connection,
            "association_rules_loss",
            original=table,
            release=other,
            pseudonym=user,
            **columns,
            **limits,
        )
    before, after = kept
    union = set(before) | set(after)
    assert close(loss["loss_rules"], 1 - Fraction(len(set(before) & set(after)), len(union)) if union else 0)
    changes = [
        abs(rule.confidence - (after[pair].confidence if pair in after else 0))
        for pair, rule in before.items()
    ]
    expected = sum(changes, Fraction(0)) / len(changes) if changes else Fraction(0)
    assert loss["loss_confidence"] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("guesses", "expected"),
    [([], (0.5, 0.3, 0.9, 0.4)), ([(25, 0.9), (50, 0.1), (50, 0.3)], (0.5, 0.6, 0.9, 0.55))],
)
def test_score_of_losses_and_rates(
    connection: duckdb.DuckDBPyConnection, guesses: list[tuple[float, float]], expected: tuple[float, ...]
) -> None:
    """The second attack is none of the committee's; guesses count by the best at each share."""
    found = row(
        connection,
        "contest_score",
        losses=["0.5", "0.1"],
        attacks=[0, 0, 1, 1],
        rates=["0.2", "0.4", "0.9", "0.9"],
        committee=1,
        shares=[repr(share) for share, _ in guesses],
        guesses=[repr(rate) for _, rate in guesses],
    )
    assert tuple(found.values())[:4] == pytest.approx(expected)
    assert found["attacks"] == pytest.approx([0.3, 0.9])
    assert found["guesses"] == (pytest.approx(0.6) if guesses else None)
