"""Attribute risk, exact and approximate: worked examples, oracle, and what changes must leave alone."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.engine.templates import Attribute, Part
from tests import oracle
from tests.cases import Cases
from tests.tables import (
    DATASETS,
    EXAMPLES,
    LIGHT,
    METRICS,
    TEXTS,
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


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


@pytest.fixture(scope="module")
def example(connection: duckdb.DuckDBPyConnection) -> str:
    path = str(DATASETS / "ito_example.csv")
    connection.execute("CREATE TABLE example AS FROM read_csv(?)", [path])
    return "example"


def risk_of(connection: duckdb.DuckDBPyConnection, made: Attribute, **arguments: Any) -> dict[str, Any]:
    settled = {"source": "t", "user": "u", "attribute": made, "k": 3}
    return row(connection, "attribute_risk", **settled | arguments)


def assert_oracle(found: dict[str, Any], pairs: list[tuple[Any, Any]], k: int = 3) -> None:
    expected = {"position": 0} | oracle.attribute_risk(pairs, k)
    assert found.keys() == expected.keys()
    wrong = {name: (found[name], expected[name]) for name in found if not close(found[name], expected[name])}
    assert not wrong


# --- worked by hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "risk", "cost", "per_user"),
    [
        (("date",), 0.65, 0.3, Fraction(13, 6)),
        (("time",), 1.0, 0.6, Fraction(10, 6)),
        (("goods",), 0.55, 0.4, Fraction(11, 8)),
        (("date", "goods"), 0.9, 0.9, 1),
        (("goods", "date"), 0.9, 0.9, 1),
    ],
)
@pytest.mark.parametrize("template", ["attribute_risk", "attribute_risk_approximate"])
def test_example(connection, example, template, columns, risk, cost, per_user):
    found = row(connection, template, source=example, user="user", attribute=attribute(*columns), k=2)
    assert close(found["mean_risk"], risk)
    assert close(found["mean_model_risk"], risk)
    assert close(found["minimum_cost_risk"], cost)
    assert close(found["mean_records_per_user"], per_user)
    assert found["records"] == 10


def test_several_values_that_one_user_has(connection):
    """x is one user's with two records, y one user's with one, z is shared."""
    rows = [(1, "x"), (1, "x"), (2, "y"), (3, "z"), (4, "z")]
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, rows)
    found = row(connection, "attribute_risk", source="t", user="u", attribute=attribute("a"), k=2)
    assert (found["singled_out_values"], found["singled_out_records"], found["records_below_k"]) == (2, 3, 3)


@pytest.mark.parametrize(("k", "below"), [(0, 0), (1, 0), (2, 3), (3, 10), (4, 10)])
def test_example_of_rare_values(connection, example, k, below):
    """On 12/1 and 12/2 two users bought, on 12/3 one user with three records."""
    found = row(connection, "attribute_risk", source=example, user="user", attribute=attribute("date"), k=k)
    assert (found["singled_out_values"], found["singled_out_records"]) == (1, 3)
    assert (found["records_below_k"], found["share_below_k"]) == (below, below / 10)
    assert found["max_value_risk"] == 1.0
    near = row(
        connection,
        "attribute_risk_approximate",
        source=example,
        user="user",
        attribute=attribute("date"),
        k=k,
    )
    assert (near["records_below_k"], near["share_below_k"]) == (below, below / 10)


def test_oracle_on_the_example():
    with open(DATASETS / "ito_example.csv", newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    pairs = [(record["user"], record["date"]) for record in records]
    assert oracle.risk(pairs) == Fraction(13, 20)
    assert oracle.minimum_cost(pairs) == Fraction(3, 10)
    goods = [(record["user"], record["goods"]) for record in records]
    assert oracle.known_records(goods, 1).risk == oracle.risk(goods) == Fraction(11, 20)
    assert oracle.known_records(goods, 2).risk == Fraction(79, 120)


@pytest.mark.parametrize("template", ["attribute_risk", "attribute_risk_approximate"])
@pytest.mark.parametrize("rows", [[], [(None, "x")], [("u", None)], [(None, None)] * 3])
def test_no_complete_record(connection, template, rows):
    make(connection, {"u": "VARCHAR", "a": "VARCHAR"}, rows)
    found = row(connection, template, source="t", user="u", attribute=attribute("a"), k=3)
    assert_oracle(found, rows)


def test_missing_users_and_values_are_left_out(connection):
    rows = [(1, "x"), (None, "x"), (2, None), (None, None), (2, "x"), (2, "y")]
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, rows)
    found = risk_of(connection, attribute("a"))
    assert (found["records"], found["distinct_values"]) == (3, 2)
    assert close(found["mean_risk"], Fraction(2, 3))


def test_a_composite_value_is_missing_where_a_part_is(connection):
    rows = [(1, "x", 1), (2, "x", None), (2, None, 1), (2, "y", 1)]
    make(connection, {"u": "INTEGER", "a": "VARCHAR", "b": "INTEGER"}, rows)
    found = risk_of(connection, attribute("a", "b"))
    assert (found["records"], found["distinct_values"], found["mean_risk"]) == (2, 2, 1.0)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("a", "bc"), ("ab", "c")),
        (("a, b", "c"), ("a", "b, c")),
        (("", "a"), ("a", "")),
        (("'a", "b"), ("a", "'b")),
    ],
)
@pytest.mark.parametrize("template", METRICS)
def test_parts_of_a_composite_value_never_flow_together(connection, template, left, right):
    """Two composites that read alike when joined are two values, as two plain values are."""
    columns = {"u": "INTEGER", "a": "VARCHAR", "b": "VARCHAR", "c": "VARCHAR"}
    rows = [(1, *left, "l"), (2, *left, "l"), (2, *right, "r"), (3, *right, "r"), (3, *right, "r")]
    make(connection, columns, rows)
    arguments = {"source": "t", "user": "u"} | METRICS[template]
    joined = run(connection, template, attribute=attribute("a", "b"), **arguments)
    plain = run(connection, template, attribute=attribute("c"), **arguments)
    if template in ("attribute_risk", "attribute_risk_approximate", "single_values"):
        assert joined == plain
    assert len(joined) == len(plain)
    if template == "attribute_values":
        shown = [{**line, "value": None} for line in joined]
        assert shown == [{**line, "value": None} for line in plain]


@pytest.mark.parametrize("knowledge", ["date", "time", "hour", "week", "month", "year"])
def test_the_last_nanosecond_is_in_its_day(knowledge):
    """What is known of a moment in nanoseconds is not rounded up to the next day."""
    last, first = "2023-12-31 23:59:59.999999999", "2024-01-01 00:00:00"
    records = [(1, last), (2, last.rstrip("9").rstrip(".")), (3, first)]
    with connect() as connection:
        make(connection, {"u": "INTEGER", "t": "TIMESTAMP_NS"}, records)
        found = duckrisk.assess(connection, table="t", user="u", attributes=[f"t.{knowledge}"])
    assert [entry.distinct_values for entry in found.attribute_risk] == [2]


@pytest.mark.parametrize(
    ("kind", "knowledge", "cells", "distinct"),
    [
        ("DOUBLE", "number", ["0.0", "-0.0", "nan", "-nan", "inf", "-inf"], 4),
        ("DOUBLE", "exact", ["0.0", "-0.0", "nan", "nan"], 2),
        ("FLOAT", "number", ["0.0", "-0.0", "nan", "inf"], 3),
        ("VARCHAR", "exact", ["a", "a ", "A", "é", "e\u0301", "ｱ", "ア"], 7),
        ("DECIMAL(9, 2)", "exact", ["1.5", "1.50", "1.51"], 2),
        ("INTERVAL", "as_text", ["1 month", "30 days", "720 hours"], 3),
        ("JSON", "as_text", ['{"a":1}', '{"a": 1}'], 2),
        ("UUID", "exact", ["00000000-0000-0000-0000-000000000001"] * 2, 1),
        ("BLOB", "exact", ["\\x00", "\\x00\\x00", "a"], 3),
        ("TIMESTAMPTZ", "exact", ["2020-01-01 00:00:00+00", "2020-01-01 01:00:00+01"], 1),
        ("TIMESTAMP_NS", "exact", ["2020-01-01 00:00:00.000000001", "2020-01-01 00:00:00.000000002"], 2),
        ("HUGEINT", "exact", [str(2**127 - 1), str(2**127 - 2)], 2),
        ("VARCHAR[]", "exact", ["['a, b']", "['a', 'b']"], 2),
        ("STRUCT(x INTEGER, y INTEGER)", "exact", ["{'x': 1, 'y': 2}", "{'x': 2, 'y': 1}"], 2),
    ],
)
def test_equality_by_type(connection, kind, knowledge, cells, distinct):
    """Every metric counts as many different values as the type has among the cells."""
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, enumerate(cells), "texts")
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT u, CAST(a AS {kind}) AS a FROM texts")
    arguments = {"source": "t", "user": "u", "attribute": attribute(Part("a", knowledge))}
    with Cases() as case:
        for template, more in METRICS.items():
            with case(template):
                found = run(connection, template, **arguments, **more)
                _distinguishes(template, found, len(cells), distinct)


def _distinguishes(template, found, records, distinct):
    if template.startswith("attribute_risk"):
        assert found[0]["distinct_values"] == distinct
        assert found[0]["records"] == records
    elif template == "attribute_values":
        assert len(found) == distinct
    elif template == "known_records":
        assert close(found[0]["risk"], Fraction(distinct, records))
    elif template == "single_values":
        assert len(found) == min(5, distinct)
    elif template.startswith("attribute_sample"):
        assert found[0]["estimate"] is not None
    else:
        assert None not in found[0].values()


# --- against the oracle --------------------------------------------------------------------------


@LIGHT
@given(table=drawn_tables(), k=st.integers(0, 5))
def test_oracle(connection, table: Drawn, k: int):
    make(connection, table.columns, table.rows)
    found = risk_of(connection, Attribute("a", table.parts), k=k)
    assert_oracle(found, table.pairs(), k)


@LIGHT
@given(table=drawn_tables(width=3, most_rows=16), k=st.integers(1, 4))
def test_oracle_of_composites(connection, table: Drawn, k: int):
    make(connection, table.columns, table.rows)
    assert_oracle(risk_of(connection, Attribute("abc", table.parts), k=k), table.pairs(), k)
    assert_oracle(risk_of(connection, Attribute("ca", table.parts[::-2]), k=k), table.pairs(2, 0), k)


@LIGHT
@given(table=drawn_tables(most_rows=40), k=st.integers(1, 4))
def test_approximate_keeps_what_is_sure(connection, table: Drawn, k: int):
    make(connection, table.columns, table.rows)
    found = row(
        connection,
        "attribute_risk_approximate",
        source="t",
        user="u",
        attribute=Attribute("a", table.parts),
        k=k,
    )
    if not oracle.complete(table.pairs()):
        assert_oracle(found, table.pairs(), k)
        return
    for column, (low, high) in oracle.approximate_bounds(table.pairs(), k).items():
        assert float(low) * (1 - 1e-12) <= found[column] <= float(high) * (1 + 1e-12), column
    omega, m = found["distinct_values"], found["records"]
    assert close(found["mean_risk"], found["mean_model_risk"])
    assert close(found["mean_risk"], found["mean_records_per_user"] * omega / m)
    assert close(found["share_below_k"], Fraction(found["records_below_k"], m))


@pytest.mark.parametrize("user", ["u", None])
@pytest.mark.parametrize("template", ["attribute_risk", "attribute_risk_approximate"])
@LIGHT
@given(table=drawn_tables(width=3))
def test_several_attributes_are_each_as_alone(connection, template, user, table: Drawn):
    """Whatever stands beside it, to the last digit: also what has no value, and composites."""
    make(connection, table.columns | {"n": "VARCHAR"}, [(*cells, None) for cells in table.rows])
    parts = [*((part,) for part in table.parts), (Part("n"),), table.parts, table.parts[:1]]
    several = [Attribute(f"a{number}", of) for number, of in enumerate(parts)]
    arguments = {"source": "t", "user": user, "k": 3}
    found = run(connection, template, attributes=several, **arguments)
    alone = [row(connection, template, attributes=[each], **arguments) for each in several]
    assert found == [each | {"position": position} for position, each in enumerate(alone)]


@pytest.mark.parametrize("user", ["u", None])
@LIGHT
@given(table=drawn_tables(width=2))
def test_many_attributes_of_one_type_are_each_as_alone(connection, user, table: Drawn):
    """More than 16 are read as one list: to the last digit, also what has no value."""
    first = table.parts[0]
    kind = table.columns[first.column]
    make(connection, table.columns | {"n": kind}, [(*cells, None) for cells in table.rows])
    parts = [part for part in table.parts if table.columns[part.column] == kind]
    several = [
        Attribute(f"a{number}", (part,))
        for number, part in enumerate([*parts, replace(first, column="n"), *[first] * 16])
        if part.knowledge == first.knowledge
    ]
    arguments = {"source": "t", "user": user, "k": 3}
    found = run(connection, "attribute_risk", attributes=several, **arguments)
    alone = [row(connection, "attribute_risk", attributes=[each], **arguments) for each in several]
    assert found == [each | {"position": position} for position, each in enumerate(alone)]


@LIGHT
@given(table=drawn_tables())
def test_records_are_persons_without_a_user_column(connection, table: Drawn):
    """Then the risk is omega / m: every record is its own person."""
    make(connection, table.columns, table.rows)
    found = risk_of(connection, Attribute("a", table.parts), user=None)
    assert_oracle(found, [(number, cells[1]) for number, cells in enumerate(table.rows)])
    assert found["mean_risk"] == found["minimum_cost_risk"]


def test_retail(connection):
    """The invented purchase history, every column against the oracle; the approximation is near."""
    path = str(DATASETS / "retail.parquet")
    connection.execute("CREATE OR REPLACE TABLE retail AS FROM read_parquet(?)", [path])
    for column, knowledge in (("InvoiceDate", "date"), ("StockCode", "exact"), ("UnitPrice", "exact")):
        known = attribute(Part(column, knowledge))
        arguments = {"source": "retail", "user": "CustomerID", "attribute": known, "k": 5}
        found = row(connection, "attribute_risk", **arguments)
        cast = f"CAST({column} AS DATE)" if knowledge == "date" else column
        assert_oracle(found, connection.execute(f"SELECT CustomerID, {cast} FROM retail").fetchall(), 5)
        near = row(connection, "attribute_risk_approximate", **arguments)
        assert near["mean_risk"] == pytest.approx(found["mean_risk"], rel=0.04)
        assert near["minimum_cost_risk"] == found["minimum_cost_risk"]


# --- changes of the table ------------------------------------------------------------------------

TABLES = drawn_tables(width=2, most_rows=20)


@LIGHT
@given(table=TABLES, data=st.data())
def test_order_of_rows_and_columns(connection, table: Drawn, data: st.DataObject):
    make(connection, table.columns, table.rows)
    found = risk_of(connection, Attribute("ab", table.parts))
    order = data.draw(st.permutations(range(len(table.rows))))
    columns = dict(reversed(table.columns.items()))
    make(connection, columns, [table.rows[place][::-1] for place in order])
    assert risk_of(connection, Attribute("ab", table.parts)) == found
    assert risk_of(connection, Attribute("ba", table.parts[::-1])) == found


@LIGHT
@given(table=drawn_tables(), data=st.data())
def test_one_to_one_renaming(connection, table: Drawn, data: st.DataObject):
    """New names for users and values change nothing."""
    make(connection, table.columns, table.rows)
    found = risk_of(connection, Attribute("a", table.parts))
    renamed = [[oracle.key(cell) for cell in cells] for cells in table.rows]
    for place in (0, 1):
        old = list({cells[place]: None for cells in renamed if cells[place] is not None})
        new = dict(zip(old, data.draw(st.permutations(TEXTS)), strict=False)) | {None: None}
        renamed = [[new[cell] if at == place else cell for at, cell in enumerate(cells)] for cells in renamed]
    make(connection, {"u": "VARCHAR", "a": "VARCHAR"}, renamed)
    assert risk_of(connection, attribute("a")) == found


@LIGHT
@given(table=drawn_tables(users=["integer"]), times=st.integers(2, 3))
def test_repeated_rows(connection, table: Drawn, times: int):
    """The same users with every row repeated: the risk stays, the minimum cost is shared out."""
    make(connection, table.columns, table.rows)
    before = risk_of(connection, Attribute("a", table.parts))
    make(connection, table.columns, table.rows * times)
    after = risk_of(connection, Attribute("a", table.parts))
    for column in ("mean_risk", "mean_model_risk", "max_value_risk", "share_below_k", "singled_out_values"):
        assert close(after[column], before[column]), column
    for column in ("records", "singled_out_records", "records_below_k"):
        assert after[column] == times * before[column]
    if before["records"]:
        assert close(after["minimum_cost_risk"], before["minimum_cost_risk"] / times)
        assert close(after["mean_records_per_user"], before["mean_records_per_user"] * times)


@LIGHT
@given(table=drawn_tables(users=["text"]))
def test_the_same_records_of_new_users(connection, table: Drawn):
    """Every user gets a twin: the risk halves exactly and no value singles anyone out."""
    make(connection, table.columns, table.rows)
    before = risk_of(connection, Attribute("a", table.parts))
    twins = [(None if cells[0] is None else f"twin of {cells[0]}", *cells[1:]) for cells in table.rows]
    own = [(None if cells[0] is None else f"own {cells[0]}", *cells[1:]) for cells in table.rows]
    make(connection, table.columns, own + twins)
    after = risk_of(connection, Attribute("a", table.parts))
    assert after["singled_out_values"] == after["singled_out_records"] == 0
    if before["records"]:
        assert after["mean_risk"] == before["mean_risk"] / 2
        assert after["max_value_risk"] == before["max_value_risk"] / 2
        assert after["minimum_cost_risk"] == before["minimum_cost_risk"] / 2


@LIGHT
@given(table=drawn_tables(users=["text", "integer"]))
def test_constant_column(connection, table: Drawn):
    """A constant tells one of n users; beside another column it tells nothing, and a copy neither."""
    columns = table.columns | {"k": "VARCHAR", "copy": table.columns["a"]}
    make(connection, columns, [(*cells, "same", cells[1]) for cells in table.rows])
    users = {oracle.key(cells[0]) for cells in table.rows} - {None}
    constant = risk_of(connection, attribute("k"))
    if users:
        assert close(constant["mean_risk"], Fraction(1, len(users)))
    alone = risk_of(connection, Attribute("a", table.parts))
    assert risk_of(connection, Attribute("ak", (*table.parts, Part("k")))) == alone
    copy = Part("copy", table.parts[0].knowledge)
    assert risk_of(connection, Attribute("ac", (*table.parts, copy))) == alone


@LIGHT
@given(table=drawn_tables(width=3, missing=False, most_rows=16))
def test_more_columns_never_tell_less(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    risks = [risk_of(connection, Attribute("abc"[:n], table.parts[:n]))["mean_risk"] for n in (1, 2, 3)]
    if table.rows:
        assert risks[0] * (1 - 1e-12) <= risks[1] <= risks[2] * (1 + 1e-12) <= 1 + 1e-12


COARSER = {
    "timestamp": ("exact", "date", "month", "year"),
    "moment": ("exact", "date", "week"),
    "clock": ("exact", "time", "hour"),
    "date": ("exact", "week"),
    "text": ("exact", ("prefix", 3), ("prefix", 2), ("prefix", 1)),
    "integer": ("exact", ("band", 2), ("band", 10), ("band", 100)),
    "decimal": ("exact", ("band", 1), ("band", 5)),
}


@pytest.mark.parametrize("ladder", COARSER)
@LIGHT
@given(data=st.data())
def test_coarser_knowledge_never_tells_more(connection, ladder, data: st.DataObject):
    kind = "timestamp" if ladder in ("moment", "clock") else ladder
    table = data.draw(drawn_tables(values=[kind], most_rows=20))
    rows = [
        (user, max(-1000, min(cell, 1000)) if kind == "integer" and cell is not None else cell)
        for user, cell in table.rows
    ]
    make(connection, table.columns, rows)
    risks = []
    for step in COARSER[ladder]:
        known = Part("a", *step) if isinstance(step, tuple) else Part("a", step)
        found = risk_of(connection, attribute(known))
        assert found["records"] == len(oracle.complete(rows))
        risks.append((found["mean_risk"], found["distinct_values"], found["max_value_risk"]))
    if found["records"]:
        for finer, coarser in pairwise(risks):
            assert all(low <= high * (1 + 1e-12) for low, high in zip(coarser, finer, strict=True))


def test_no_string_is_shortened_to_a_missing_value(connection):
    """The first characters of an empty text are an empty text."""
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, [(1, ""), (2, "ab"), (3, "ac"), (4, None)])
    found = risk_of(connection, attribute(Part("a", "prefix", 1)))
    assert (found["records"], found["distinct_values"]) == (3, 2)


# --- threads ---------------------------------------------------------------------------------------

BIG = """
CREATE TABLE big AS
SELECT md5(CAST(i * i % 1009 AS VARCHAR)) AS u, CAST(sqrt(i) * 10 AS INTEGER) AS a,
    CASE WHEN i % 7 > 0 THEN md5(CAST(i % 977 AS VARCHAR)) END AS b, (i % 613) / 7.0 AS c
FROM range(160_000) AS numbers(i)
ORDER BY {order}
"""
BIG_ARGUMENTS = METRICS | {
    "attribute_sample": {"samples": 50, "confidence": 0.90, "seed": 7},
    "attribute_values": {"most": 1000},
    "attribute_sample_paper": {"samples": 5, "seed": 7},
    "known_records": {"known": 3, "draws": 2000, "confidence": 0.95, "seed": 7},
    "single_values": {"most": 500, "seed": 7},
}
BIG_ATTRIBUTES = (attribute("a"), attribute("b", "c"))


@pytest.fixture(scope="module")
def engines() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """One thread and two threads, the rows in different orders."""
    with connect(1) as one, connect(2) as two:
        one.execute(BIG.format(order="i"))
        two.execute(BIG.format(order="md5(CAST(i AS VARCHAR))"))
        yield [one, two]


@pytest.mark.parametrize(
    ("template", "user"),
    thinned([(template, user) for template in METRICS for user in ("u", None)], 5),
)
def test_threads_and_order_of_many_rows(engines, template, user):
    """Results are the same to the last digit."""
    for known in BIG_ATTRIBUTES if user else BIG_ATTRIBUTES[-1:]:
        arguments = {"source": "big", "user": user, "attribute": known} | BIG_ARGUMENTS[template]
        one, two = (repr(run(engine, template, **arguments)) for engine in engines)
        assert one == two, known.name


@pytest.mark.parametrize("user", ["who", None])
def test_named_tokens_are_cells_that_nobody_learns(tmp_path: Path, user: str | None) -> None:
    """Every figure of every attribute is that of the table whose cells are empty there; "?" is a value where
    another token was named."""
    cells = [(f"p{i % 13}", f"c{i % 7}", i % 23, f"2020-01-{i % 5 + 1:02}") for i in range(90)]
    gaps = {(i, place) for i in range(90) for place in (1, 2) if (i * place) % 3 == 1}

    def risks(name: str, text: str | None, number: int | None) -> dict[str, Any]:
        gap = {1: text, 2: number}
        rows = [
            [gap[place] if (i, place) in gaps else cell for place, cell in enumerate(record)]
            for i, record in enumerate(cells)
        ]
        frame = pandas.DataFrame(rows, columns=["who", "city", "price", "day"])
        frame["price"] = frame["price"].astype("Int64")
        frame.to_parquet(tmp_path / f"{name}.parquet")
        report = duckrisk.assess(
            tmp_path / f"{name}.parquet",
            user=user or "",
            ignore=() if user else ("who",),
            attributes=("city", "price", "day", "city+price"),
            missing_tokens=("no", "-9"),
            only=("attribute_risk",),
            draws=1000 if EXAMPLES >= 20 else 60,
        ).to_dict()
        parts = "attribute_risk", "known_records", "coarser_knowledge", "model_errors", "single_values"
        return {name: report[name] for name in parts}

    emptied = risks("emptied", None, None)
    assert risks("named", " no", -9) == emptied
    assert emptied["attribute_risk"][0]["records"] < 90
    asked = risks("asked", "?", -1)
    assert [line["records"] for line in asked["attribute_risk"]] == [90] * 4


def test_numbers_that_nobody_knows_are_neither_coarser_nor_the_most_dangerous(tmp_path: Path) -> None:
    """That of a visit names everybody, and no attacker has it: nothing is gained where it is coarser."""
    path = str(tmp_path / "visits.parquet")
    visits = "SELECT 500 + i AS visit_id, i % 90 AS patient_id, i % 70 AS age FROM range(900) t(i)"
    duckdb.sql(visits).write_parquet(path)
    report = duckrisk.assess(path)
    assert {entry.attribute for entry in report.coarser_knowledge} == {"age"}
    assert [entry.attribute for entry in report.attribute_risk if entry.sampled.most_dangerous] == ["age"]
    text = report.to_text(full=True)
    assert "finds the same most dangerous attribute" in " ".join(text.split())
    named = duckrisk.assess(path, attributes=["visit_id"])
    assert {entry.attribute for entry in named.coarser_knowledge} == {"visit_id"}


@pytest.mark.parametrize(
    ("rows", "lower", "upper"),
    [
        ([None], None, None),
        ([7, None], 7.0, 7.0),
        ([*range(1, 21), None], 1.0, 19.0),
        ([*range(1, 101), 10**9, -(10**9)], 5.0, 96.0),
        ([0] * 95 + [50] * 5, 0.0, 0.0),
        ([0] * 94 + [50] * 6, 0.0, 50.0),
    ],
)
def test_between_which_numbers_nearly_all_records_lie(
    connection: duckdb.DuckDBPyConnection, rows: list[int | None], lower: float | None, upper: float | None
) -> None:
    make(connection, {"a": "BIGINT"}, [(cell,) for cell in rows])
    found = row(connection, "value_span", source="t", column="a")
    assert found == {"span_lower": lower, "span_upper": upper}
    cells = Counter(rows)
    make(connection, {"a": "BIGINT", "n": "BIGINT"}, list(cells.items()))
    assert row(connection, "value_span", source="t", column="a", counted="n") == found


def test_bands_are_as_wide_as_numbers_lie_apart(tmp_path: Path) -> None:
    """Of shares, amounts, ages and milliseconds some ten bands hold most records, whatever the outliers;
    days of many years become years, those of one do not."""
    path = str(tmp_path / "t.parquet")
    duckdb.sql(
        "SELECT (i * 37 % 1000) / 1000.0::DOUBLE AS part,"
        " CASE WHEN i = 5 THEN 1e9 ELSE 20000.5 + i * 31 END AS income,"
        " CAST(18 + i % 70 AS SMALLINT) AS age, 1700000000000 + i * 604800 AS ms, i % 13 AS visits,"
        " DATE '1950-01-01' + (i * 13)::INTEGER AS born, DATE '2024-01-01' + (i % 300)::INTEGER AS seen"
        " FROM range(2000) t(i)"
    ).write_parquet(path)
    report = duckrisk.assess(path, user="")
    forms: dict[str, list[str]] = {}
    for entry in report.coarser_knowledge:
        forms.setdefault(entry.attribute, []).append(entry.coarser.removeprefix(entry.attribute + "."))
    assert forms == {
        "part": ["band(0.05)", "band(0.2)"],
        "income": ["band(5000)", "band(10000)"],
        "age": ["band(5)", "band(10)"],
        "ms": ["band(100000000)", "band(200000000)"],
        "visits": ["band(2)"],
        "born": ["month", "year"],
        "seen": ["week", "month"],
    }
    again = duckrisk.assess(path, user="", attributes=["part.band(0.2)", "born.year"])
    assert {entry.distinct_values for entry in again.attribute_risk} == {5, 72}
