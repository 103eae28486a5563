"""l-diversity, t-closeness and their kin: by hand, against the definitions in exact numbers, on Adult."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import shared
from tests.tables import LIGHTER, make, row

KINDS = {"q one": "VARCHAR", "class": "INTEGER", "value": "INTEGER"}
CELLS = st.tuples(
    st.sampled_from(["a", "A", "é", "'", None]),
    st.sampled_from([0, 1, None]),
    st.sampled_from([1, 2, 5, 9, None]),
)


def oracle(rows: list[tuple[Any, Any, Any]], least: int | None = None) -> dict[str, Any]:
    """Every measure from its definition: shares are exact, absent values are spelt out."""
    classes: dict[tuple[Any, Any], Counter[Any]] = defaultdict(Counter)
    for first, second, value in rows:
        classes[first, second][value] += 1
    whole = Counter(value for _, _, value in rows)
    domain = sorted(whole, key=lambda value: (value is None, value or 0))
    n = len(rows)
    shares = {value: Fraction(whole[value], n) for value in domain}
    least = least or min(map(len, classes.values()))
    found: dict[str, list[Any]] = defaultdict(list)
    for held in classes.values():
        size = sum(held.values())
        own = {value: Fraction(held[value], size) for value in domain}
        counts = sorted(held.values(), reverse=True)
        found["alpha"].append(max(own.values()))
        found["l"].append(len(held))
        found["entropy"].append(math.exp(-math.fsum(p * math.log(p) for p in own.values() if p)))
        found["c"].append(Fraction(counts[0], sum(counts[least - 1 :])) if len(counts) >= least else None)
        found["equal"].append(sum(abs(own[v] - shares[v]) for v in domain) / 2)
        moved = [abs(sum(own[v] - shares[v] for v in domain[: end + 1])) for end in range(len(domain) - 1)]
        found["ordered"].append(sum(moved, Fraction(0)) / max(len(domain) - 1, 1))
        found["gain"] += [(own[v] - shares[v]) / shares[v] for v in held]
        found["beyond"] += [float(own[v] / shares[v] - 1) > -math.log(shares[v]) + 1e-9 for v in held]
        found["delta"] += [abs(math.log(own[v] / shares[v])) for v in held]
    alike = [sum(held.values()) for held in classes.values() if len(held) == 1]
    basic = max(found["gain"])
    return {
        "records": n,
        "classes": len(classes),
        "distinct_values": len(domain),
        "k": min(sum(held.values()) for held in classes.values()),
        "alpha": float(max(found["alpha"])),
        "distinct_l": min(found["l"]),
        "entropy_l": pytest.approx(min(found["entropy"]), rel=1e-12),
        "recursive_l": least,
        "recursive_c": None if None in found["c"] else float(max(found["c"])),
        "equal_t": pytest.approx(float(max(found["equal"])), abs=1e-15),
        "ordered_t": pytest.approx(float(max(found["ordered"])), abs=1e-15),
        "basic_beta": pytest.approx(float(basic), abs=1e-14),
        "enhanced_beta": pytest.approx(min(float(basic), -math.log(min(shares.values()))), abs=1e-14),
        "beyond_enhanced": sum(found["beyond"]),
        "delta": pytest.approx(max(found["delta"]), abs=1e-14),
        "homogeneous_classes": len(alike),
        "homogeneous_records": sum(alike),
        "share_homogeneous": sum(alike) / n,
    }


def measured(rows: list[tuple[Any, Any, Any]], least: int | None = None) -> dict[str, Any]:
    with duckdb.connect() as connection:
        make(connection, KINDS, rows)
        return row(
            connection,
            "attribute_disclosure",
            source="t",
            columns=["q one", "class"],
            column="value",
            l=least,
        )


def test_by_hand() -> None:
    rows = [("a", 0, 1)] * 5 + [("a", 0, 2)] * 3 + [("a", 0, 5)] * 2 + [("é", 1, 1)] * 2 + [("é", 1, 5)] * 2
    found = measured(rows, 3)
    assert (found["k"], found["distinct_l"], found["alpha"]) == (4, 2, 0.5)
    assert found["recursive_c"] is None  # one class has two values only
    assert measured(rows[:10], 2)["recursive_c"] == 1  # 5 / (3 + 2)
    assert measured(rows[:10], 3)["recursive_c"] == 2.5  # 5 / 2
    assert measured(rows[:10])["recursive_l"] == 3
    # The table has 7, 3 and 4 of 14; the second class lacks the middle value: 3 / 14.
    assert found["equal_t"] == pytest.approx(3 / 14)
    assert found["ordered_t"] == pytest.approx((0 + 3 / 14) / 2)


def test_nothing() -> None:
    found = measured([])
    assert (found["records"], found["classes"], found["k"], found["equal_t"]) == (0, 0, None, None)


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=30), least=st.sampled_from([None, 1, 2, 3]))
def test_against_the_definitions(rows: list[tuple[Any, Any, Any]], least: int | None) -> None:
    found = measured(rows, least)
    assert found == oracle(rows, least)
    doubled = measured([*rows, *reversed(rows)], least)
    assert doubled == found | {name: found[name] * 2 for name in ("records", "k", "homogeneous_records")} | {
        name: pytest.approx(found[name], abs=1e-12) for name in ("entropy_l", "equal_t", "ordered_t")
    }


def test_adult() -> None:
    """Published figures of other tools on the same table."""
    known = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW adult AS FROM '{shared('adult.parquet')}'")
        found = row(
            connection, "attribute_disclosure", source="adult", columns=known, column="income", l=None
        )
    assert (found["k"], found["classes"], found["distinct_l"], found["alpha"]) == (1, 27_118, 1, 1)
    assert found["equal_t"] == 0.7607182343065395
    assert found["basic_beta"] == 3.1791734405749983
    assert found["delta"] == 2.8175502065227245


# --- values in a hierarchy -----------------------------------------------------------------------

TREE = {1: ("low", "*"), 2: ("low", "*"), 5: ("high", "*"), 9: ("high", "*"), None: (None, "*")}


def distant(first: Any, second: Any) -> Fraction:
    if first == second:
        return Fraction(0)
    return Fraction(1, 2) if TREE[first][0] is not None and TREE[first][0] == TREE[second][0] else Fraction(1)


def cheapest(own: dict[Any, Fraction], whole: dict[Any, Fraction]) -> Fraction:
    """The earth mover's distance where near values are those below one label: moved there first, which is
    the cheapest as the distances of a hierarchy are an ultrametric."""
    over = {value: own[value] - whole[value] for value in whole}
    cost = Fraction(0)
    for price in (Fraction(1, 2), Fraction(1)):
        for giver in over:
            for taker in over:
                if over[giver] > 0 > over[taker] and distant(giver, taker) == price:
                    moved = min(over[giver], -over[taker])
                    over[giver] -= moved
                    over[taker] += moved
                    cost += price * moved
    assert not any(over.values())
    return cost


def closeness(rows: list[tuple[Any, Any, Any]], labels: list[tuple[str, ...]]) -> dict[str, Any]:
    with duckdb.connect() as connection:
        make(connection, KINDS, rows)
        make(connection, {f"level{i}": "VARCHAR" for i in range(len(labels[0]))}, labels, "tree")
        return row(
            connection,
            "hierarchical_closeness",
            source="t",
            columns=["q one", "class"],
            column="value",
            hierarchy="tree",
            labels=[f"level{i}" for i in range(len(labels[0]) - 1)],
        )


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=30))
def test_hierarchical_closeness_against_the_cheapest_move(rows: list[tuple[Any, Any, Any]]) -> None:
    classes: dict[tuple[Any, Any], Counter[Any]] = defaultdict(Counter)
    for first, second, value in rows:
        classes[first, second][value] += 1
    whole = Counter(value for _, _, value in rows)
    shares = {value: Fraction(count, len(rows)) for value, count in whole.items()}
    costs = [
        cheapest({value: Fraction(held[value], sum(held.values())) for value in whole}, shares)
        for held in classes.values()
    ]
    labels = [(str(value), *above) for value, above in TREE.items() if value is not None]
    found = closeness(rows, labels)
    assert (found["records"], found["classes"]) == (len(rows), len(classes))
    assert found["hierarchical_t"] == pytest.approx(float(max(costs)), abs=1e-15)
    flat = [(str(value), "*") for value in TREE if value is not None]
    assert closeness(rows, flat)["hierarchical_t"] == pytest.approx(measured(rows)["equal_t"], abs=1e-15)


def test_hierarchical_closeness_of_nothing() -> None:
    assert closeness([], [("1", "*")])["hierarchical_t"] is None
