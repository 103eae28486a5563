"""What types hold is decided in one place, by the names that the engine gives them."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

import duckrisk
from duckrisk.engine import types as engine_types
from tests.command import command
from tests.tables import EXAMPLES, engine, thinned

PACKAGE = Path(duckrisk.__file__).parent
NUMBERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(38,0)"),
}
STAMPS = {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"}
CLOCKS = {"TIME", "TIMETZ", "TIME_NS"}
TEXTS = {"VARCHAR", "ENUM('a]', 'TIMESTAMP')"}
OTHERS = {"DATE", "INTERVAL", "BOOLEAN", "UUID", "BLOB", "BIT", "JSON", "BIGNUM", "STRUCT(a INTEGER)"}


@pytest.mark.parametrize("kind", sorted(NUMBERS | STAMPS | CLOCKS | TEXTS | OTHERS))
@pytest.mark.parametrize("of", ["", "[]", "[2]"])
def test_types_are_what_they_hold(kind: str, of: str) -> None:
    try:
        (found,) = engine().execute(f"DESCRIBE SELECT CAST(NULL AS {kind}{of}) AS a").fetchall()
    except duckdb.Error:
        pytest.skip("not every engine has every type")
    written, plain = found[1], not of
    assert engine_types.is_number(written) == (plain and kind in NUMBERS)
    assert engine_types.is_timestamp(written) == (plain and kind in STAMPS)
    assert engine_types.has_date(written) == (plain and kind in {*STAMPS, "DATE"})
    assert engine_types.is_time(written) == (plain and kind in CLOCKS)
    assert engine_types.is_text(written) == (plain and kind in TEXTS)


def test_types_are_sorted_in_one_place() -> None:
    own = re.compile(r"""def is_\w+\(kind\b|startswith\(\(?"(DATE|TIMESTAMP|DOUBLE)|\("DOUBLE", "FLOAT"\)""")
    for path in PACKAGE.rglob("*.py"):
        if path not in (Path(engine_types.__file__), PACKAGE / "base/shapes.py"):
            lines = path.read_text(encoding="utf-8").splitlines()
            assert [line for line in lines if own.search(line)] == [], path


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("odd") / "odd.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE TABLE odd AS SELECT '{2**128 - 60}'::UHUGEINT + (i * 7 % 45)::UHUGEINT AS large,"
            " (i * 7 % 45)::UHUGEINT AS wide, INTERVAL (i % 30) DAY AS span, i % 4 AS part,"
            " [TIMESTAMP '2024-01-01' + INTERVAL (i % 20) DAY] AS stamps, [(i % 20)::DECIMAL(5, 2)] AS prices"
            " FROM range(300) t(i)"
        )
    return path


def test_the_widest_whole_numbers_are_numbers_to_every_part(odd: Path) -> None:
    only = ["--attribute", "wide", "--attribute", "part"]
    found = command("assess", odd, "--user", "", *only, "--format", "json").json
    assert {entry["coarser"] for entry in found["coarser_knowledge"]} >= {"wide.band(5)"}
    done = command("anonymize", odd, "--generalize", "large=10", "-o", odd.parent / "out.parquet")
    assert done.code == 0, done.err


def test_lists_are_assessed_as_they_are(odd: Path) -> None:
    only = ["--attribute", "stamps", "--attribute", "prices", "--only", "attribute_risk"]
    found = command("assess", odd, "--user", "", *only, "--format", "json").json
    assert [entry["distinct_values"] for entry in found["attribute_risk"]] == [20, 20]
    roles = {column["name"]: column["role"] for column in found["source"]["columns"]}
    assert roles["stamps"] == roles["prices"] == "attribute"


@pytest.mark.parametrize("attribute", ["span.band(5)", "stamps.week", "stamps.hour", "prices.band(5)"])
def test_coarser_knowledge_of_what_has_none(odd: Path, attribute: str) -> None:
    done = command("assess", odd, "--user", "", "--attribute", attribute)
    assert done.code == 2
    assert "does not fit the column's type" in done.err


@pytest.mark.parametrize(
    ("kind", "cells", "way"),
    thinned(
        [
            ("INTERVAL", ["INTERVAL 1 MONTH", "INTERVAL 30 DAY"], "table"),
            ("INTERVAL", ["INTERVAL 1 MONTH", "INTERVAL 30 DAY"], "query"),
            ("STRUCT(a INTERVAL)", ["{'a': INTERVAL 1 MONTH}", "{'a': INTERVAL 30 DAY}"], "table"),
            ("VARIANT", ["1::VARIANT", "'1'::VARIANT"], "query"),
            ("INTEGER[]", ["[]", "[NULL]"], "table"),
            ("UNION(n INTEGER, s VARCHAR)", ["union_value(n := 1)", "union_value(s := '1')"], "table"),
            (
                "UNION(n INTEGER, s VARCHAR)",
                ["union_value(n := 1)", "union_value(n := NULL::INTEGER)"],
                "query",
            ),
        ],
        3,
    ),
)
def test_what_is_written_differently_is_different_to_every_part(
    tmp_path: Path, kind: str, cells: list[str], way: str
) -> None:
    """A release shows how cells are written: a month and 30 days are two values, whatever the engine says."""
    path, out = tmp_path / "written.duckdb", tmp_path / "out.parquet"
    with duckdb.connect(str(path)) as connection:
        try:
            connection.execute(f"CREATE TABLE t (v {kind}, g INTEGER)")
        except duckdb.Error:
            pytest.skip("not every engine has the type")
        for cell, group in ((cells[0], 1), (cells[0], 1), (cells[1], 1), *((cells[0], 2),) * 3):
            connection.execute(f"INSERT INTO t VALUES ({cell}, {group})")
    source = [path, "--table", "t", *(["--query", "FROM source"] if way == "query" else [])]
    known = ["--quasi-identifier", "v", "--quasi-identifier", "g"]
    parts = ["class_sizes", "uniqueness", "attribute_risk", "attribute_sets"]
    only = [word for part in parts for word in ("--only", part)]
    asked = ["--user", "", "--attribute", "v", "--attribute", "g", *only, *known]
    found = command("assess", *source, *asked, "--format", "json").json
    assert found["class_sizes"]["rules"][0]["smallest_class"] == 1
    assert found["uniqueness"]["all_attributes"]["people"] == 1
    assert found["uniqueness"]["missing_cells"] == 0
    assert found["attribute_risk"][0]["distinct_values"] == 2
    assert max(one["classes"] for one in found["attribute_sets"]["sets"]) == 3
    advised = command("advise", *source, *asked[:6], "--format", "json").json
    assert advised["lines"][0]["people"]["singled_out"] == 1
    shown = command("sql", "show", "attribute_risk", *source, "--user", "", "--attribute", "v").out
    with duckdb.connect() as shell:
        cursor = shell.execute(shown)
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    assert row["distinct_values"] == 2
    algorithms = ("local", "uniform", "columns")
    place = len(kind) % 3  # of a type one of them where examples are few
    for algorithm in algorithms if EXAMPLES >= 20 else algorithms[place : place + 1]:
        done = command(
            "anonymize", *source, "-o", out, "--overwrite", "--k", 2, *known, "--method", algorithm
        )
        assert done.code == 0, done.err
        released = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{out}'").fetchall()
        assert min(released.count(one) for one in released) >= 2
    compared = command("compare", f"{path}:t", out, "--user", "", "--format", "json")
    assert compared.code == 0, compared.err


#: Types, and values of them of which a careless reading loses something.
KEPT: dict[str, list[str]] = {
    "HUGEINT": [str(2**127 - 1), str(2**127 - 2), "0"],
    "UHUGEINT": [f"'{2**128 - 1}'", f"'{2**128 - 2}'"],
    "STRUCT(a HUGEINT)": ["{'a': 1}", f"{{'a': {2**64}}}", "{'a': NULL}"],
    "INTERVAL": ["INTERVAL 1 MONTH", "INTERVAL 30 DAY"],
    "UNION(n INTEGER, s VARCHAR)": ["union_value(n := 1)", "union_value(s := '1')"],
    "BIT": ["'1'::BIT", "'01'::BIT"],
    "TIMETZ": ["'10:00:00+00'", "'11:00:00+01'"],
    "DOUBLE": ["'nan'", "'inf'", "'-inf'", "1.5"],
    "DATE": ["'infinity'", "'-infinity'", "'9999-12-31'"],
    "TIMESTAMP": ["'infinity'", "'-infinity'", "'2020-01-01 10:00:00'"],
}


def test_a_release_of_what_stays_loses_nothing(tmp_path: Path) -> None:
    """Of a column of each type."""
    path = tmp_path / "kept.duckdb"
    cells = [[*of, of[0], "NULL"] for of in KEPT.values()]
    with duckdb.connect(str(path)) as connection:
        columns = ", ".join(f"v{place} {kind}" for place, kind in enumerate(KEPT))
        connection.execute(f"CREATE TABLE t ({columns}, g INTEGER, dropped VARCHAR)")
        for row in range(max(map(len, cells))):
            values = ", ".join(of[row % len(of)] for of in cells)
            connection.execute(f"INSERT INTO t VALUES ({values}, 1, 'x'), ({values}, 2, 'y')")
    releases = [tmp_path / "out.parquet", tmp_path / "out.csv"]
    for release in releases:
        done = command("anonymize", path, "--table", "t", "-o", release, "--drop", "dropped")
        assert done.code == 0, done.err
    few = ["--user", "", "--ignore", "dropped", "--only", "information", "--format", "json"]
    tables = command("compare", f"{path}:t", *releases, *few).json["tables"]
    for found in tables[-2:]:
        information = found["information"]
        assert (information["gcp"], information["valid"], information["information"]) == (0, True, 1)
