"""The list of values: table 2 of the paper, the oracle, the order, and coarser knowledge by hand."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.engine.templates import Attribute, Part
from tests import oracle
from tests.tables import DATASETS, LIGHT, TEXTS, Drawn, attribute, close, connect, drawn_tables, make, run

NUMBERS = (
    "records",
    "users",
    "records_per_user",
    "probability",
    "identification_given_value",
    "identification",
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        made.execute("CREATE TABLE example AS FROM read_csv(?)", [str(DATASETS / "ito_example.csv")])
        yield made


def values_of(
    connection: duckdb.DuckDBPyConnection, made: Attribute, **arguments: Any
) -> list[dict[str, Any]]:
    settled = {"source": "t", "user": "u", "attribute": made, "most": None}
    return run(connection, "attribute_values", **settled | arguments)


def line(found: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(found[column] for column in NUMBERS)


def expected_line(value: oracle.Value) -> tuple[Any, ...]:
    return tuple(getattr(value, column) for column in NUMBERS)


def equal(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return all(close(a, b) for a, b in zip(left, right, strict=True))


def assert_same_values(found: list[dict[str, Any]], pairs: list[tuple[Any, Any]]) -> None:
    """The same lines as the oracle's, whatever the values are called."""
    expected = Counter((value.records, value.users) for value in oracle.attribute_values(pairs).values())
    assert Counter((value["records"], value["users"]) for value in found) == expected
    total = len(oracle.complete(pairs))
    for value in found:
        assert equal(line(value), expected_line(oracle.Value(value["records"], value["users"], total)))
    assert close(float(sum(Fraction(value["identification"]) for value in found)), oracle.risk(pairs))


def test_table_2(connection):
    """Table 2 of the paper, row by row."""
    found = values_of(connection, attribute("date"), source="example", user="user")
    by_value = {value["value"]: line(value) for value in found}
    assert by_value.keys() == {"2010-12-01", "2010-12-02", "2010-12-03"}
    for day, records, users, share, identified, both in (
        ("2010-12-01", 4, 2, 0.4, 0.5, 0.2),
        ("2010-12-02", 3, 2, 0.3, 0.5, 0.15),
        ("2010-12-03", 3, 1, 0.3, 1, 0.3),
    ):
        assert equal(by_value[day], (records, users, Fraction(records, users), share, identified, both)), day
    assert found[0]["value"] == "2010-12-03"


def test_composite_values_of_the_example(connection):
    found = values_of(connection, attribute("date", "goods"), source="example", user="user")
    assert len(found) == 9
    assert [(value["records"], value["users"]) for value in found] == [(1, 1)] * 8 + [(2, 2)]
    assert "2010-12-01" in found[-1]["value"]
    assert "Bread" in found[-1]["value"]


@pytest.mark.parametrize("rows", [[], [(None, "x")], [(1, None)]])
def test_no_complete_record(connection, rows):
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, rows)
    assert values_of(connection, attribute("a")) == []


@LIGHT
@given(table=drawn_tables())
def test_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    assert_same_values(values_of(connection, Attribute("a", table.parts)), table.pairs())


@LIGHT
@given(table=drawn_tables(width=2))
def test_oracle_of_composites(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    assert_same_values(values_of(connection, Attribute("ab", table.parts)), table.pairs())


@LIGHT
@given(table=drawn_tables(values=["text"]))
def test_texts_are_shown_as_they_are(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    found = {value["value"]: line(value) for value in values_of(connection, attribute("a"))}
    expected = oracle.attribute_values(table.pairs())
    assert found.keys() == expected.keys()
    assert all(equal(found[value], expected_line(expected[value])) for value in expected)


@LIGHT
@given(
    table=drawn_tables(values=["text", "integer", "date"], most_rows=30),
    most=st.integers(0, 8),
    data=st.data(),
)
def test_order_and_the_most_dangerous(connection, table: Drawn, most: int, data: st.DataObject):
    """The most dangerous come first, the order of the rows does not matter, a short list is a beginning."""
    make(connection, table.columns, table.rows)
    found = values_of(connection, Attribute("a", table.parts))
    assert values_of(connection, Attribute("a", table.parts), most=most) == found[:most]
    order = [(value["users"], -value["records"]) for value in found]
    assert order == sorted(order)
    make(connection, table.columns, data.draw(st.permutations(table.rows)))
    assert values_of(connection, Attribute("a", table.parts)) == found


@LIGHT
@given(table=drawn_tables())
def test_records_are_persons_without_a_user_column(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    found = values_of(connection, Attribute("a", table.parts), user=None)
    pairs = [(number, cells[1]) for number, cells in enumerate(table.rows)]
    assert all(value["records"] == value["users"] for value in found)
    if oracle.complete(pairs):
        assert_same_values(found, pairs)


MOMENT = dt.datetime(2020, 3, 1, 23, 59, 59, 999_999)


@pytest.mark.parametrize(
    ("kind", "part", "cells", "values"),
    [
        ("TIMESTAMP", ("date",), [MOMENT, MOMENT.replace(hour=0)], ["2020-03-01"]),
        ("TIMESTAMP", ("time",), [MOMENT, MOMENT.replace(second=0), MOMENT.replace(hour=0)], ["1439", "59"]),
        ("TIMESTAMP", ("hour",), [MOMENT, MOMENT.replace(hour=0)], ["0", "23"]),
        (
            "TIMESTAMP",
            ("week",),
            [MOMENT, dt.datetime(2020, 2, 24), dt.datetime(2020, 3, 2)],
            ["2020-02-24", "2020-03-02"],
        ),
        (
            "TIMESTAMP",
            ("month",),
            [MOMENT, dt.datetime(2020, 3, 31), dt.datetime(2019, 3, 1)],
            ["2019-03-01", "2020-03-01"],
        ),
        ("TIMESTAMP", ("year",), [MOMENT, dt.datetime(1969, 12, 31)], ["1969", "2020"]),
        (
            "TIMESTAMPTZ",
            ("date",),
            ["2020-01-01 00:30:00+09", "2019-12-31 23:00:00-05"],
            ["2019-12-31", "2020-01-01"],
        ),
        ("TIMESTAMPTZ", ("hour",), ["2020-01-01 00:30:00+09", "2019-12-31 10:00:00-05"], ["15"]),
        ("TIMESTAMPTZ", ("time",), ["2020-01-01 00:30:00+09", "2019-12-31 10:31:00-05"], ["930", "931"]),
        ("TIME", ("time",), [dt.time(8, 45), dt.time(8, 45, 30), dt.time(0, 0)], ["0", "525"]),
        ("TIME", ("hour",), [dt.time(8, 45), dt.time(23, 59)], ["23", "8"]),
        (
            "DATE",
            ("week",),
            [dt.date(2018, 12, 31), dt.date(2019, 1, 6), dt.date(2019, 1, 7)],
            ["2018-12-31", "2019-01-07"],
        ),
        ("DATE", ("month",), [dt.date(2020, 2, 29), dt.date(2020, 2, 1)], ["2020-02-01"]),
        (
            "VARCHAR",
            ("prefix", 2),
            ["", "a", "ab", "abc", "あいう", "\U0001f469x"],
            ["", "a", "ab", "あい", "\U0001f469x"],
        ),
        ("INTEGER", ("prefix", 2), [123, 12, 1, -12], ["-1", "1", "12"]),
        ("DATE", ("prefix", 7), [dt.date(2020, 2, 29), dt.date(2020, 2, 1)], ["2020-02"]),
    ],
)
def test_coarser_knowledge_by_hand(connection, kind, part, cells, values):
    make(connection, {"u": "INTEGER", "a": kind}, enumerate([*cells, None]))
    found = values_of(connection, attribute(Part("a", *part)))
    assert sorted(value["value"] for value in found) == sorted(values)
    assert sum(value["records"] for value in found) == len(cells)


@pytest.mark.parametrize(
    ("kind", "width", "cells", "bands"),
    [
        ("INTEGER", 10, [-11, -10, -1, 0, 9, 10], [-20, -10, -10, 0, 0, 10]),
        ("BIGINT", 1000, [-(2**53) - 1, 2**53 + 1], [-9007199254741000, 9007199254740000]),
        ("DECIMAL(9, 2)", 5, [Decimal("-0.01"), Decimal("4.99"), Decimal("5.00")], [-5, 0, 5]),
        ("DECIMAL(9, 2)", 0.5, [Decimal("-0.01"), Decimal("0.49"), Decimal("0.50")], [-0.5, 0, 0.5]),
        ("DOUBLE", 0.25, [-0.1, 0.0, -0.0, 0.2, 0.25], [-0.25, 0, 0, 0, 0.25]),
        ("DOUBLE", 10, [float("inf"), float("-inf"), 1e300], [float("inf"), float("-inf"), 1e300]),
        ("UTINYINT", 100, [0, 99, 100, 255], [0, 0, 100, 200]),
    ],
)
def test_bands_by_hand(connection, kind, width, cells, bands):
    make(connection, {"u": "INTEGER", "a": kind}, enumerate(cells))
    lines = values_of(connection, attribute(Part("a", "band", width)))
    found = {float(value["value"]): value["records"] for value in lines}
    assert found == pytest.approx(dict(Counter(map(float, bands))))


def test_bands_of_decimals_by_hand(connection):
    """0.30 is a multiple of 0.1, so it is the beginning of its band and no part of the one before."""
    cells = [Decimal("0.20"), Decimal("0.29"), Decimal("0.30"), Decimal("0.69"), Decimal("0.70")]
    make(connection, {"u": "INTEGER", "a": "DECIMAL(9, 2)"}, enumerate(cells))
    lines = values_of(connection, attribute(Part("a", "band", 0.1)))
    assert sorted(line["records"] for line in lines) == [1, 1, 1, 2]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_first_characters_are_code_points(connection, length):
    """Texts with nothing after the cut are themselves; none becomes missing."""
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, enumerate(TEXTS))
    found = {v["value"]: v["records"] for v in values_of(connection, attribute(Part("a", "prefix", length)))}
    assert found == Counter(text[:length] for text in TEXTS)
