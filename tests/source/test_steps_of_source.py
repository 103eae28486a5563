"""Statements about the cells of a source, on a few texts."""

from __future__ import annotations

from duckrisk.engine.templates import Sql, render
from tests.tables import connect, put, row, run

#: The text of the first way, NULL where it means a missing cell.
PRESENT = Sql("CASE WHEN t0 NOT IN ('', '-') THEN t0 END")


def test_long_sets_are_both() -> None:
    """Of more characters than what is not long, and in braces: {a, b} has six."""
    texts = ["{a, b}", "{a, bc}", "{a, bcdef}", "{a, bcdef", "a, bcdef}", "abcdefghijk", "{}", None]
    with connect(threads=1) as connection:
        put(connection, "t", "a:VARCHAR", *((text,) for text in texts))
        for most, cells in ((1, 4), (6, 2), (7, 1), (10, 0)):
            assert row(connection, "long_sets", source="t", column="a", most=most) == {"cells": cells}


def test_how_cells_write_numbers() -> None:
    """By a pattern of digits with an optional fraction; "-" and an empty text are missing cells."""
    cells = [
        "007",
        "12",
        "12",
        "1.5",
        "1.50",
        "3e2",
        "x9",
        "-",
        "",
        " 12",
        None,
        "0,5",
        "3,2",
        "2,2",
        "1,2",
        "９",
    ]
    cells += ["100200300", "-"]
    with connect(threads=1) as connection:
        put(connection, "t", "a:VARCHAR b", *((text, n) for n, text in enumerate(cells)))
        text = Sql("TRANSLATE(TRIM(a), '９', '9')")
        found = row(
            connection, "number_counts", source=Sql("t"), texts=[text], columns=["a"], present=[PRESENT],
            numbers=[Sql("TRY_CAST(v0 AS DOUBLE)")],
            patterns=[r"\d+(\.\d+|e\d)?"], decimals=["."],
        )  # fmt: skip
        assert found == {
            "present0": 14, "marks0": 2, "fitting0": 9, "fractions0": 3, "numbers0": 6, "writings0": 8,
            "wide0": 1,
            "shortest0": 1, "longest0": 9, "falling0": 3,
        }  # fmt: skip


def test_how_cells_write_days() -> None:
    cells = ["2020-1-2", "2020-01-02", "2020-01-02", "1999-12-31", "x", "-", "", None, "2150-01-01", "n/k"]
    with connect(threads=1) as connection:
        put(connection, "t", "a:VARCHAR", *((text,) for text in cells))
        days = {"parts": Sql("NULL"), "day": Sql("TRY_CAST(v AS DATE)")}
        present = Sql("CASE WHEN t NOT IN ('', '-') THEN t END")
        asked = {"columns": ["a"], "text": Sql("cell"), "present": present, "different": True, **days}
        assert row(connection, "day_counts", source=Sql("t"), **asked) == {
            "position": 0, "present": 7, "marks": 1, "fitting": 5, "shortest": 8, "longest": 10, "days": 3,
            "texts": 4,
            "first": 1999, "last": 2150,
        }  # fmt: skip
        connection.execute("CREATE VIEW d AS SELECT TRY_CAST(a AS DATE) AS a, DATE '2099-12-31' AS b FROM t")
        assert row(connection, "last_years", source=Sql("d"), columns=["a", "b"]) == {"a": 2020, "b": 2099}
        ends = connection.execute(render("extreme_values", source=Sql("t"), columns=["a"])).fetchall()
        assert sorted(ends) == [("",), ("x",)]


def test_tables_and_views_of_a_database() -> None:
    with connect() as connection:
        connection.execute("ATTACH ':memory:' AS other")
        connection.execute("CREATE TABLE other.b (x INTEGER)")
        connection.execute("CREATE VIEW other.a AS SELECT 1 AS x")
        connection.execute("CREATE SCHEMA other.s")
        connection.execute("CREATE TABLE other.s.b (x INTEGER)")
        connection.execute("CREATE TABLE elsewhere (x INTEGER)")
        assert [tuple(one.values()) for one in run(connection, "list_tables", database="other")] == [
            ("main", "a", True),
            ("main", "b", False),
            ("s", "b", False),
        ]
