"""Whose days and records are whose: two statements on a few rows."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, put, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def test_pseudonyms_of_days(connection: duckdb.DuckDBPyConnection) -> None:
    """Days 0 to 9 are period 0; a missing day is a period of its own."""
    put(connection, "days", "person:VARCHAR moment", ("a", 3), ("a", 12), ("a", None), ("b", 7), ("c", 1))
    pseudonyms = [
        ("a", 0, "p"),
        ("a", 10, "q"),
        ("a", None, "r"),
        ("b", 0, "s"),
        ("b", 10, "t"),
        ("c", 10, "u"),
    ]
    put(connection, "pseudonyms", "person:VARCHAR period pseudonym:VARCHAR", *pseudonyms)
    given = {"days": Sql("days"), "pseudonyms": Sql("pseudonyms"), "period": Sql("moment // 10 * 10")}
    run(connection, "day_pseudonyms", name="made", **given)
    expected = {("a", 3, "p"), ("a", 12, "q"), ("a", None, "r"), ("b", 7, "s")}
    assert set(tell(connection, "SELECT person, period, pseudonym FROM made")) == expected


def test_numbers_of_records_by_a_key(connection: duckdb.DuckDBPyConnection) -> None:
    """Both are numbered from 0 as they stand; the key of one may be a number and of the other a text."""
    put(connection, "original", "key a", (11, 0), (12, 0), (13, 0))
    put(connection, "release", "name:VARCHAR", ("13",), ("14",), ("11",), (None,))
    given = {"original": Sql("original"), "release": Sql("release")}
    run(connection, "key_numbers", **given, original_key="key", release_key="name")
    assert set(tell(connection, "FROM released_numbers")) == {(0, 2), (2, 0)}


def test_cells_that_stayed_as_they_were(connection: duckdb.DuckDBPyConnection) -> None:
    """Release record n is made of the original's record 3 - n; of the second column all values are one."""
    put(connection, "original", "a b:VARCHAR c", (1, "x", 9), (2, "y", 9), (None, "x", 9), (4, "x", None))
    put(connection, "release", "p:VARCHAR q:VARCHAR r", ("4", "x", None), ("3", "x", None), ("2", None, None))
    put(connection, "numbers", "record number", (3, 0), (2, 1), (1, 2))
    given = {"original": Sql("original"), "release": Sql("release"), "numbers": Sql("numbers")}
    (found,) = run(connection, "rows_alike", **given, columns=["a", "b", "c"], released=["p", "q", "r"])
    assert found == {"present": [3, 2, 0], "alike": [2, 2, 0], "varies": [True, False, False]}


def test_values_that_are_only_drawn(connection: duckdb.DuckDBPyConnection) -> None:
    """All cells of two values are drawn anew, and some of two others."""
    put(connection, "domain", "cells changed", (3, 3), (4, 0), (1, 1), (5, 4), (0, 1))
    assert run(connection, "count_drawn_out", domain=Sql("domain")) == [{"found": 2}]


def test_values_that_the_original_has_not(connection: duckdb.DuckDBPyConnection) -> None:
    """5 and 6 are new, however often; a missing cell is no value."""
    put(connection, "original", "a", (1,), (2,), (None,))
    put(connection, "release", "p:VARCHAR", ("1",), ("5",), ("5",), ("6",), (None,))
    given = {"original": Sql("original"), "release": Sql("release")}
    assert run(connection, "foreign_values", **given, column="a", released_column="p") == [{"found": 2}]
