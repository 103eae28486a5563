"""What the rows of a table of counts stand for: statements on a few rows, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


#: Words for a sum, and signs for a hidden count.
TOTALS, MARKS = "total|all", r"[-*]|<\d+|"


def counted(name: str = "n") -> dict[str, Any]:
    number = Sql(f"TRY_CAST(TRIM({name}) AS DECIMAL(38, 6))")
    asked = {"source": "t", "column": name, "totals": TOTALS, "texts": ["a"], "keys": ["a", "b"]}
    return {**asked, "number": number}


def test_rows_of_counts(connection: duckdb.DuckDBPyConnection) -> None:
    """A row is a sum by its name, or as it lacks all else; of all others some are hidden or cannot be
    read."""
    people = [("x", 1, "5"), ("x", 2, " 1 "), ("y", None, "7"), (None, 1, "2"), ("totals", 1, "3")]
    nobody = [("y", 1, "0"), ("z", 1, "0.0")]
    hidden = [("x", 3, "*"), ("x", 4, "<5"), ("x", 5, None), ("x", 6, "")]
    sums = [(" Total ", 1, "20"), ("ALL", 1, "0"), ("all", 1, "*"), ("total", 1, "many"), (None, None, "9")]
    sums += [("total", 1, "-1"), ("total", None, "2.5"), (None, None, None)]
    unreadable = [("x", 7, "-1"), ("x", 8, "0.5"), ("x", 9, "-0.5"), ("x", 10, "many")]
    put(connection, "t", "a:VARCHAR b n:VARCHAR", *people, *nobody, *hidden, *sums, *unreadable)
    assert row(connection, "count_rows", **counted(), marks=MARKS) == {
        "cells": 5, "people": 18, "empty_cells": 2, "hidden_cells": 4, "total_rows": 8, "unreadable_cells": 4,
    }  # fmt: skip
    run(connection, "counted_records", **counted(), names=["b", "n", "a"])
    told = tell(connection, "FROM counted_records")
    assert told == [(b, int(n), a) for a, b, n in people]
    assert tell(connection, "SELECT TYPEOF(n) FROM counted_records LIMIT 1") == [("BIGINT",)]
    lacking = {"source": "counted_records", "column": "n", "columns": ["a", "b"]}
    assert row(connection, "counted_missing", **lacking) == {"people": [2, 7]}
    put(connection, "t", "a:VARCHAR b n:VARCHAR")
    assert list(row(connection, "count_rows", **counted(), marks=MARKS).values()) == [0] * 6
    run(connection, "counted_records", **counted(), names=["b", "n", "a"])
    assert row(connection, "counted_missing", **lacking) == {"people": [0, 0]}


def test_a_count_of_one_is_of_somebody(connection: duckdb.DuckDBPyConnection) -> None:
    """Small are counts from 1 to below 3; a count below 0 cannot be read, nor one that is no mark."""
    counts = ["1", "2", "2.5", "3", "0", "-1", "*", "<5", "many", None, " 1 "]
    put(
        connection,
        "t",
        "a:VARCHAR b n:VARCHAR",
        *((("x", "y")[n % 2], n % 4, one) for n, one in enumerate(counts)),
    )
    asked = {name: counted()[name] for name in ("source", "column", "number")}
    assert row(connection, "unique_cells", **asked, marks=MARKS, columns=["a", "b"], small=3) == {
        "cells": 11, "small_cells": 4, "readable_cells": 6, "unreadable_cells": 1, "combinations": 4,
    }  # fmt: skip


def test_rows_that_look_like_sums(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [
        ("x", "y", 1),
        ("total", "y", 2),
        ("x", "All ", None),
        ("totals", "y", None),
        ("total", "all", None),
    ]
    put(connection, "t", "a:VARCHAR c:VARCHAR b", *rows)
    asked = {"source": "t", "totals": TOTALS, "texts": ["a", "c"]}
    assert row(connection, "total_rows", **asked, columns=[]) == {"rows_found": 3, "first_row": 2}
    assert row(connection, "total_rows", **asked, columns=["b"]) == {"rows_found": 2, "first_row": 3}
    assert row(connection, "total_rows", **asked, columns=["a", "b"]) == {"rows_found": 2, "first_row": 3}
