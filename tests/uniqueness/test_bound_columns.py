"""A statement binds the columns that it reads, and few others, however many a table has."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest

import duckrisk
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_hashed_one_to_one
from tests.command import table
from tests.tables import EXAMPLES, thinned

RECORDS = 60
#: Sets of one statement.
SETS = 4


def wide(folder: Path, columns: int) -> Path:
    chosen = ", ".join(f"hash(i * {columns} + {n}) % {2 + n % 7} AS a{n}" for n in range(columns))
    return table(folder / f"wide{columns}.parquet", f"SELECT {chosen} FROM range({RECORDS}) t(i)")


def assessed(path: Path, unstored: int = 8, **limits: int) -> Any:
    with contextlib.ExitStack() as patched:
        patched.enter_context(mock.patch("duckrisk.measures.uniqueness.SETS_PER_STATEMENT", SETS))
        patched.enter_context(mock.patch("duckrisk.measures.uniqueness.UNSTORED_SETS", unstored))
        for name, limit in limits.items():
            patched.enter_context(mock.patch(f"duckrisk.measures.sets.costs.{name}", limit))
        return duckrisk.assess(path, user="", only=["uniqueness"])


def bound(sql: str) -> int:
    """How many numbers of attributes a statement makes or names."""
    return len(set(re.findall(r"\bh\d+\b", sql)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "columns", "unstored"),
    thinned(
        [
            *(("HELD_VALUES", 39, 8), ("HELD_COLUMNS", 39, 0), ("HELD_COLUMNS", 43, 0)),
            *(("HELD_VALUES", 43, 8), ("HELD_VALUES", 43, 0)),
        ],
        4,
    ),
)
def test_sets_bind_their_own_columns(tmp_path: Path, columns: int, limit: str, unstored: int) -> None:
    """Tables below and above the limit: 41 columns, or their values."""
    path = wide(tmp_path, columns)
    held = assessed(path)
    limits = {limit: 41 * (RECORDS if limit == "HELD_VALUES" else 1)}
    made = assessed(path, unstored, LISTED_VALUES=0, **limits)
    assert made.to_dict() == held.to_dict()
    stored, read = [], []
    for statement in made.statements:
        if statement.name == "fact_values":
            stored.append(bound(statement.sql))
        elif statement.name == "facts_known":
            direct = "FROM fact_values" not in statement.sql
            read.append(bound(statement.sql) if direct else stored[-1])
    if columns > 41:
        assert 0 < max(read) <= 4 * SETS
        assert max(stored, default=0) <= 4 * SETS
        assert bool(stored) == (unstored < SETS)
    else:
        assert set(read) == {columns}
        assert stored == [columns]


MIXED = """
    SELECT
        'u' || i % 23 AS customer, {columns},
        CASE WHEN i % 5 > 0 THEN TIMESTAMP '2020-01-01' + to_hours(CAST(i * 7 AS INTEGER)) END AS moment
    FROM range({records}) t(i)
"""
#: One of each group of attributes that differ in nothing but their columns.
KINDS = (
    "CASE WHEN hash(i + {n}) % 9 > 0 THEN CAST(hash(i * {n}) % 5 AS TINYINT) END",
    "(['', '?', 'a', ' a', 'text with end 1', 'text with end 2'])[1 + CAST(hash(i + {n}) % 6 AS INTEGER)]",
    "(['0.0', '-0.0', 'nan', '-nan', '2.5', NULL]::DOUBLE[])[1 + CAST(hash(i * {n}) % 6 AS INTEGER)]",
    "DATE '2020-01-01' + CAST(hash(i + {n}) % 4 AS INTEGER)",
    "[hash(i + {n}) % 3, NULL]",
    "CAST(hash(i + {n}) % 7 AS HUGEINT) - 1",
)


def mixed(folder: Path, columns: int) -> Path:
    """Columns of several types with missing values, tokens, and people with several records."""
    chosen = ", ".join(f"{KINDS[n % len(KINDS)].format(n=n + 1)} AS a{n}" for n in range(columns))
    return table(folder / "mixed.parquet", MIXED.format(columns=chosen, records=RECORDS))


@pytest.mark.slow
@pytest.mark.parametrize(("user", "missing"), thinned([("customer", "value"), ("", "none")]))
def test_lists_give_the_same_figures(tmp_path: Path, user: str, missing: str) -> None:
    """A table above the limit of columns: attributes of one type read as lists, and each by itself."""
    path = mixed(tmp_path, 60 if EXAMPLES >= 20 else 32)
    asked: dict[str, Any] = {"user": user, "missing": missing, "only": ["attribute_risk", "uniqueness"]}
    if EXAMPLES < 20:  # what is drawn is read of one attribute at a time
        asked |= {"samples": 0, "known_records": 0}
    reports = []
    for values, cells in ((0, 0), (2_000_000, 200_000)):
        uniqueness = mock.patch.multiple(
            "duckrisk.measures.sets.costs", HELD_COLUMNS=20, LISTED_VALUES=values
        )
        with uniqueness, mock.patch("duckrisk.measures.attribute._MAX_VALUES", cells):
            reports.append(duckrisk.assess(path, **asked))
    alone, listed = reports
    assert alone.to_dict() == listed.to_dict()
    names = [[statement.name for statement in report.statements] for report in reports]
    assert ["fact_lists" in one for one in names] == [False, True]
    assert "missing_facts" not in names[1]
    assert names[1].count("attribute_risk") < names[0].count("attribute_risk") / 4


def test_a_wide_source_is_read_by_blocks(tmp_path: Path) -> None:
    """Every statement on one attribute reads a view of its block of columns; the figures are the same."""
    path = wide(tmp_path, 43 if EXAMPLES >= 20 else 13)
    made = []
    for block in (64, 4):
        with (
            mock.patch("duckrisk.engine.views.BLOCK_COLUMNS", block),
            mock.patch("duckrisk.measures.attribute._MAX_VALUES", 0),
        ):
            made.append(duckrisk.assess(path, user="", only=["attribute_risk", "uniqueness"]))
    whole, blocks = made
    assert whole.to_dict() == blocks.to_dict()
    views = [s.sql for s in blocks.statements if s.name == "open_view" and "assessed_columns" in s.sql]
    assert views
    for statement in blocks.statements:
        if statement.name in ("attribute_risk", "value_span", "attribute_sample"):
            assert "assessed_columns" in statement.sql
            assert "temp.main.assessed\n" not in statement.sql


@pytest.mark.parametrize(
    "kind",
    [
        *(
            "BOOLEAN",
            "TINYINT",
            "UTINYINT",
            "SMALLINT",
            "USMALLINT",
            "INTEGER",
            "UINTEGER",
            "BIGINT",
            "UBIGINT",
        ),
        *("HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL(4,1)", "DECIMAL(9,2)", "DECIMAL(18,3)"),
        *("DECIMAL(19,3)", "DECIMAL(38,0)", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"),
        *("TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIME WITH TIME ZONE", "VARCHAR", "BLOB", "UUID"),
        *("INTERVAL", "INTEGER[]", "DOUBLE[]", "STRUCT(a INTEGER)", "ENUM('a', 'b')", "JSON", "BIT"),
    ],
)
def test_a_type_that_is_hashed_has_the_number_of_a_cell(kind: str) -> None:
    """The condition in Python is that of the statement."""
    number = render("cell_number", cell=Sql("v"))
    matched = re.search(r"REGEXP_MATCHES\(\s*TYPEOF\(v\),\s*('\^[^']+\$')\s*\)", number)
    assert matched is not None
    ((same,),) = duckdb.execute(f"SELECT REGEXP_MATCHES(?, {matched[1]})", [kind]).fetchall()
    assert is_hashed_one_to_one(kind) == same
