"""Costs and errors of the models, and the points of figure 1 for single values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.engine.templates import Attribute, Part
from tests import oracle
from tests.tables import DATASETS, LIGHT, Drawn, attribute, close, connect, drawn_tables, make, row, run


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        made.execute("CREATE TABLE example AS FROM read_csv(?)", [str(DATASETS / "ito_example.csv")])
        yield made


def single(connection: duckdb.DuckDBPyConnection, made: Attribute, **arguments: Any) -> list[dict[str, Any]]:
    settled = {"source": "t", "user": "u", "attribute": made, "most": 1000, "seed": 1}
    return run(connection, "single_values", **settled | arguments)


def test_example(connection):
    """The dates of the example, with 12/1 and 12/3 sampled (examples 3.1 to 3.3)."""
    found = run(
        connection,
        "model_errors",
        records=10,
        exact=0.65,
        minimum_cost=0.3,
        sampled=0.75,
        records_read=7,
    )
    assert {(one["cost"], one["risk"], round(one["error"], 12)) for one in found} == {
        (10, 0.65, 0),
        (7, 0.75, 0.1),
        (0, 0.3, 0.35),
    }
    assert len({one["model"] for one in found}) == 3


def test_table_5(connection):
    """Table 5 of the paper: the date attribute of its first table."""
    found = run(
        connection,
        "model_errors",
        records=38_087,
        exact=0.1860,
        minimum_cost=0.0076,
        sampled=None,
        records_read=None,
    )
    by_cost = {one["cost"]: one for one in found}
    assert by_cost.keys() == {38_087, 0}
    assert by_cost[38_087]["error"] == 0
    assert by_cost[0]["error"] == pytest.approx(0.1784)


@LIGHT
@given(
    records=st.integers(1, 10**12),
    exact=st.floats(0, 1),
    minimum_cost=st.floats(0, 1),
    sampled=st.none() | st.floats(0, 2),
    read=st.integers(0, 10**6),
)
def test_costs_and_errors(connection, records, exact, minimum_cost, sampled, read):
    """An error is a distance: never negative, also where a sample says too much."""
    found = run(
        connection,
        "model_errors",
        records=records,
        exact=exact,
        minimum_cost=minimum_cost,
        sampled=sampled,
        records_read=None if sampled is None else read,
    )
    expected = [(records, exact, 0.0), (0, minimum_cost, abs(minimum_cost - exact))]
    if sampled is not None:
        expected.append((read, sampled, abs(sampled - exact)))
    lines = sorted((one["cost"], one["risk"], one["error"]) for one in found)
    assert [line[0] for line in lines] == sorted(line[0] for line in expected)
    for line, wanted in zip(lines, sorted(expected), strict=True):
        assert line == pytest.approx(wanted, rel=1e-12, abs=1e-15)


def test_single_dates_of_the_example(connection):
    found = single(connection, attribute("date"), source="example", user="user")
    assert Counter((one["cost"], round(one["risk"], 12), round(one["error"], 12)) for one in found) == {
        (4, 0.6, 0.05): 1,
        (3, 0.45, 0.2): 1,
        (3, 0.9, 0.25): 1,
    }


def test_centroid_of_the_dates_of_the_example(connection):
    """The three points above: costs 4, 3, 3 and errors 0.05, 0.2, 0.25."""
    known = {"source": "example", "user": "user", "attribute": attribute("date")}
    found = row(connection, "sampling_centroid", **known)
    assert found == {
        "distinct_values": 3,
        "mean_cost": pytest.approx(10 / 3),
        "mean_error": pytest.approx(0.5 / 3),
    }


@LIGHT
@given(table=drawn_tables())
def test_centroid_against_the_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    known = Attribute("a", table.parts)
    found = row(connection, "sampling_centroid", source="t", user="u", attribute=known)
    values = oracle.attribute_values(table.pairs())
    assert found["distinct_values"] == len(values)
    if not values:
        assert (found["mean_cost"], found["mean_error"]) == (None, None)
        return
    risk = oracle.risk(table.pairs())
    errors = [abs(one.records_per_user * Fraction(len(values), one.of) - risk) for one in values.values()]
    assert close(found["mean_cost"], Fraction(sum(one.records for one in values.values()), len(values)))
    assert found["mean_error"] == pytest.approx(float(sum(errors) / len(errors)), rel=1e-12, abs=1e-15)


@LIGHT
@given(table=drawn_tables())
def test_single_values_against_the_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    found = single(connection, Attribute("a", table.parts))
    values = oracle.attribute_values(table.pairs())
    if not values:
        assert found == []
        return
    risk = oracle.risk(table.pairs())
    expected = sorted(
        (value.records, value.records_per_user * Fraction(len(values), value.of)) for value in values.values()
    )
    actual = sorted((one["cost"], one["risk"]) for one in found)
    assert len(actual) == len(expected)
    assert all(a[0] == e[0] and close(a[1], e[1]) for a, e in zip(actual, expected, strict=True))
    for one in found:
        assert one["error"] == pytest.approx(abs(one["risk"] - float(risk)), abs=1e-12)
    mean = sum(one["risk"] for one in found) / len(found)
    assert mean == pytest.approx(float(risk), rel=1e-12)


@LIGHT
@given(
    table=drawn_tables(values=["text", "integer", "double"]),
    most=st.integers(0, 5),
    seed=st.integers(0, 9),
    data=st.data(),
)
def test_single_values_by_seed(connection, table: Drawn, most: int, seed: int, data: st.DataObject):
    """At most so many, chosen by the seed and not by the order of the records."""
    make(connection, table.columns, table.rows)
    known = Attribute("a", table.parts)
    found = single(connection, known, most=most, seed=seed)
    assert len(found) == min(most, len(oracle.attribute_values(table.pairs())))
    make(connection, table.columns, data.draw(st.permutations(table.rows)))
    assert single(connection, known, most=most, seed=seed) == found


def test_seeds_choose_different_single_values(connection):
    path = str(DATASETS / "retail.parquet")
    connection.execute("CREATE OR REPLACE TABLE retail AS FROM read_parquet(?)", [path])
    known = attribute(Part("InvoiceDate", "date"))
    found = [
        repr(single(connection, known, source="retail", user="CustomerID", most=20, seed=seed))
        for seed in range(5)
    ]
    assert len(set(found)) == 5
