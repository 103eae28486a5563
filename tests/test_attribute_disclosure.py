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
