"""The measures of attribute disclosure beside pyCANON's, where both mean the same; where it is wrong, why.

pyCANON is not among the test dependencies: it pins versions of numpy and pandas.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import LIGHT, make, row

pytest.importorskip("pycanon")
import pandas as pd
from pycanon import anonymity
from pycanon.metrics._reidentification_metrics import average_rir

NAMES = ["q", "r"]
TABLES = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 1), st.integers(1, 5)), min_size=2, max_size=40
)
Row = tuple[Any, ...]


def both(rows: list[Row], kind: str = "INTEGER") -> tuple[dict[str, Any], pd.DataFrame]:
    """Our figures, and the table as pyCANON takes it."""
    with duckdb.connect() as connection:
        make(connection, {"q": "VARCHAR", "r": "INTEGER", "value": kind}, rows)
        found = row(connection, "attribute_disclosure", source="t", columns=NAMES, column="value", l=None)
    return found, pd.DataFrame(rows, columns=[*NAMES, "value"])


@LIGHT
@given(rows=TABLES, text=st.booleans())
def test_where_both_mean_the_same(rows: list[Row], text: bool) -> None:
    if len({value for *_, value in rows}) < 2:
        return  # it divides by the number of values less one
    if text:
        rows = [(q, r, f"v{value}") for q, r, value in rows]
    found, frame = both(rows, "VARCHAR" if text else "INTEGER")
    given_them = (frame, NAMES, ["value"])
    assert found["k"] == anonymity.k_anonymity(frame, NAMES)
    assert (found["alpha"], found["k"]) == pytest.approx(anonymity.alpha_k_anonymity(*given_them))
    assert found["distinct_l"] == anonymity.l_diversity(*given_them)
    # It cuts the fraction off, and so at times a whole one.
    entropy = anonymity.entropy_l_diversity(*given_them)
    assert entropy in (math.floor(found["entropy_l"] + 1e-9), math.floor(found["entropy_l"] - 1e-9))
    closeness = found["equal_t" if text else "ordered_t"]
    assert closeness == pytest.approx(anonymity.t_closeness(*given_them), abs=1e-12)
    assert found["basic_beta"] == pytest.approx(anonymity.basic_beta_likeness(*given_them), abs=1e-12)
    assert found["enhanced_beta"] == pytest.approx(anonymity.enhanced_beta_likeness(*given_them), abs=1e-12)
    assert found["delta"] == pytest.approx(anonymity.delta_disclosure(*given_them), abs=1e-12)


@LIGHT
@given(rows=TABLES)
def test_recursive_diversity_takes_the_commonest_value_first(rows: list[Row]) -> None:
    """pyCANON sorts the counts from the smallest up, so that its r_1 is the rarest value, and says the whole
    number above c. With the order put right its c is ours."""
    found, frame = both(rows)
    classes: dict[Row, Counter[Any]] = defaultdict(Counter)
    for *known, value in rows:
        classes[tuple(known)][value] += 1
    least = min(map(len, classes.values()))
    counts = [sorted(held.values(), reverse=True) for held in classes.values()]
    exact = max(Fraction(some[0], sum(some[least - 1 :])) for some in counts)
    assert (found["recursive_l"], found["recursive_c"]) == (least, float(exact))
    theirs, their_l = anonymity.recursive_c_l_diversity(frame, NAMES, ["value"])
    assert their_l == least
    if least > 1:
        upside_down = max(Fraction(some[-1], sum(some[::-1][least - 1 :])) for some in counts)
        assert theirs == math.floor(upside_down) + 1
    else:
        assert math.isnan(theirs)


def test_five_three_two() -> None:
    found, frame = both([("a", 0, 1)] * 5 + [("a", 0, 2)] * 3 + [("a", 0, 3)] * 2)
    assert (found["recursive_l"], found["recursive_c"]) == (3, 2.5)  # 5 < c * 2
    assert anonymity.recursive_c_l_diversity(frame, NAMES, ["value"]) == (1, 3)


def test_a_missing_quasi_identifier_is_a_class() -> None:
    """pandas leaves such records out of its groups: k is 2 there, though the third record is alone."""
    rows = [("a", 0, 1), ("a", 0, 2), (None, 0, 1)]
    found, frame = both(rows)
    assert (found["k"], anonymity.k_anonymity(frame, ["q"])) == (1, 2)


def test_order_of_records_means_nothing() -> None:
    """pyCANON takes labels of a frame for places: in another order its answer is safer than the truth."""
    found, frame = both([("a", 0, "x"), ("a", 0, "x"), ("b", 0, "y"), ("b", 0, "y")], "VARCHAR")
    frame.index = pd.Index([0, 2, 1, 3])
    assert (found["distinct_l"], found["alpha"]) == (1, 1)
    assert anonymity.l_diversity(frame, NAMES, ["value"]) == 2
    assert anonymity.alpha_k_anonymity(frame, NAMES, ["value"])[0] == 0.5


def test_the_average_is_one_of_persons() -> None:
    """pyCANON's is one of classes: of one and of nine records 0.556, though a record is found with 0.2."""
    rows = [("a", 0, 1)] + [("b", 0, 1)] * 9
    _, frame = both(rows)
    with duckdb.connect() as connection:
        make(
            connection,
            {"class_size": "INTEGER", "classes": "INTEGER", "records": "INTEGER"},
            [(1, 1, 1), (9, 1, 9)],
        )
        found = row(connection, "reidentification_risk", sizes="t")
    assert found["average_risk"] == 0.2
    assert found["class_average_risk"] == pytest.approx(average_rir(frame, NAMES)) == pytest.approx(5 / 9)
