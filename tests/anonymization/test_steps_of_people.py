"""Whose days and records are whose: two statements on a few rows."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from duckrisk.templates import Sql
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
