"""Columns that differ in case alone keep their names, and are never taken for one another."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.release.anonymization import parquet_names
from duckrisk.source import names
from tests.command import command, refused
from tests.tables import LIGHTER, thinned

NAMES = ["person_id", "source", "SOURCE", "Source", "a,b", "A,B", 'q"', "É", "é"]
#: What SQL calls them.
CALLED = ["person_id", "source", "SOURCE_1", "Source_2", "a,b", "A,B_1", 'q"', "É", "é"]
ROWS = [(f"p{i % 12}", i % 5, "xyz"[i % 3], i % 4, i % 2, i % 7, i, f"{i % 2}", None) for i in range(60)]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def frame() -> pandas.DataFrame:
    return pandas.DataFrame(ROWS, columns=NAMES)


def written(suffix: str) -> str:
    path = f"people.{suffix}"
    if suffix == "parquet":
        cells = [pyarrow.array(column) for column in zip(*ROWS, strict=True)]
        pyarrow.parquet.write_table(pyarrow.table(cells, names=NAMES), path)
    elif suffix == "csv":
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([NAMES, *ROWS])
    else:
        lines = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS]
        Path(path).write_text("\n".join(lines), encoding="utf-8")
    return path


def titles(path: str) -> list[str]:
    if path.endswith(".parquet"):
        return pyarrow.parquet.read_schema(path).names
    with open(path, newline="", encoding="utf-8") as file:
        return next(csv.reader(file))


def cells(path: str) -> list[tuple[str, ...]]:
    if path.endswith(".parquet"):
        table = pyarrow.parquet.read_table(path)
        rows = zip(*[column.to_pylist() for column in table.columns], strict=True)
    else:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
    return [tuple("" if cell is None else str(cell) for cell in row) for row in rows]


@pytest.mark.parametrize(
    ("source", "suffix"),
    thinned(itertools.product(["parquet", "csv", "json", "frame"], ["parquet", "csv"]), 3),
)
def test_a_release_has_the_names_of_its_source(source: str, suffix: str) -> None:
    given = frame() if source == "frame" else written(source)
    steps = [{"method": "generalize", "column": "SOURCE", "prefix": 1}, {"method": "suppress", "column": "é"}]
    release = f"release.{suffix}"
    duckrisk.anonymize(given, release, steps=steps)
    assert titles(release) == NAMES
    expected = [tuple("" if c is None else str(c) for c in row) for row in ROWS]
    assert [row[:2] + row[3:8] for row in cells(release)] == [row[:2] + row[3:8] for row in expected]
    if source == "parquet":
        assert command("anonymize", given, "-o", "again.csv", "--recipe", f"{release}.recipe.toml").code == 0
        assert titles("again.csv") == NAMES
        compared = command("compare", given, release, "--only", "information", "--format", "json")
        assert compared.code == 0, compared.err


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_release_without_records_is_a_header(suffix: str) -> None:
    done = command("anonymize", written("csv"), "-o", f"none.{suffix}", "--delete", "TRUE")
    assert done.code == 0, done.err
    assert titles(f"none.{suffix}") == NAMES
    assert cells(f"none.{suffix}") == []
    if suffix == "csv":
        assert Path("none.csv").read_bytes().count(b"\n") == 1


def test_no_table_of_a_database_can_have_them() -> None:
    words = ['"source", "SOURCE", "Source", "a,b", "A,B"', "differ only in case", "--drop"]
    line = ["anonymize", written("csv"), "--into", "a.duckdb", "--into-table", "t"]
    refused(2, *words, arguments=[*line, "--drop", "é"])
    few = ["--drop", "SOURCE", "--drop", "Source", "--drop", "A,B"]
    assert command(*line, *few).code == 0
    with duckdb.connect("a.duckdb") as made:
        assert [row[0] for row in made.execute("DESCRIBE t").fetchall()] == [
            name for name in NAMES if name not in ("SOURCE", "Source", "A,B")
        ]


@pytest.mark.parametrize(
    ("condition", "kept"),
    thinned(
        [
            ("source = 3", [row for row in ROWS if row[1] != 3]),
            ("\"SOURCE_1\" = 'x'", [row for row in ROWS if row[2] != "x"]),
            ('"Source_2" = 3', [row for row in ROWS if row[3] != 3]),
            ('"SOURCE" = 3', None),
            ("SOURCE = 3", None),
            ("sOuRCE = 3", None),
        ],
        3,
    ),
)
def test_a_condition_is_about_the_column_that_it_names(condition: str, kept: list[tuple] | None) -> None:
    path = written("parquet")
    where = ["assess", path, "--where", f"NOT ({condition})", "--only", "attribute_risk", "--format", "json"]
    query = ["assess", path, "--query", f"SELECT person_id FROM source WHERE NOT ({condition})", *where[4:]]
    delete = ["anonymize", path, "-o", "release.csv", "--delete", condition]
    if kept is None:
        for line in (where, query, delete):
            refused(2, "SQL does not distinguish", '"source", "SOURCE_1", "Source_2"', arguments=line)
        return
    for line in (where, query):
        source = command(*line).json["source"]
        assert source["records"] == len(kept)
        assert any("called SOURCE_1" in note for note in source["notes"]) == (line is query)
    assert command(*delete).code == 0
    assert [row[:4] for row in cells("release.csv")] == [tuple(map(str, row[:4])) for row in kept]


def test_keys_of_json_that_cannot_be_told_are_said_to_be_numbered() -> None:
    row = {"person_id": 1, "a": 2, "A": 3, "A_1": 4}
    Path("people.json").write_text("\n".join([json.dumps(row)] * 3), encoding="utf-8")
    done = command("anonymize", "people.json", "-o", "release.csv", "--drop", "person_id")
    assert "have a number at their end" in done.out
    assert len(set(titles("release.csv"))) == 3
    Path("people.json").write_text("\n".join([json.dumps({"a_1": 1, "a_2": 2})] * 3), encoding="utf-8")
    done = command("anonymize", "people.json", "-o", "other.csv", "--shuffle")
    assert "number" not in done.out
    assert titles("other.csv") == ["a_1", "a_2"]


# --- the footer of a Parquet file ----------------------------------------------------------------

KINDS = ["i", "'t' || i", "[i, i]", "{'x': i, 'y': [i]}", "MAP {i: i}", "NULL", "i::DOUBLE", "i % 2 = 0"]
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200)


@LIGHTER
@given(
    st.lists(st.tuples(_TEXT, st.sampled_from(KINDS)), min_size=1, max_size=40, unique_by=lambda p: p[0]),
    st.sampled_from([0, 1, 5000]),
)
def test_only_names_change_in_a_parquet_file(columns: list[tuple[str, str]], records: int) -> None:
    wanted = [name for name, _ in columns]
    selected = ", ".join(f"{kind} AS c{position}" for position, (_, kind) in enumerate(columns))
    with duckdb.connect() as connection:
        select = f"SELECT {selected} FROM range({records}) AS r(i)"
        connection.execute(f"COPY ({select}) TO 'a.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        before = connection.execute("FROM 'a.parquet'").fetchall()
        parquet_names.rename_columns(Path("a.parquet"), wanted)
        assert connection.execute("FROM 'a.parquet'").fetchall() == before
        statistics = "SELECT stats_min_value, stats_null_count FROM parquet_metadata('{}')"
        connection.execute(f"COPY ({select}) TO 'b.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        assert connection.execute(statistics.format("a.parquet")).fetchall() == (
            connection.execute(statistics.format("b.parquet")).fetchall()
        )
    assert pyarrow.parquet.read_schema("a.parquet").names == wanted
    read = pyarrow.parquet.read_table("a.parquet")
    assert read.rename_columns([f"c{at}" for at in range(len(wanted))]).equals(
        pyarrow.parquet.read_table("b.parquet")
    )


@LIGHTER
@given(st.lists(st.text("aAbBéÉ_1", min_size=1, max_size=3), max_size=12))
def test_names_for_sql_are_different_for_the_engine(given: list[str]) -> None:
    called = names.make_unique(given)
    assert not names.list_case_variants(called)
    if called:
        with duckdb.connect() as connection:
            columns = ", ".join(f'1 AS "{name}"' for name in called)
            connection.execute(f"CREATE TABLE t AS SELECT {columns}")
            assert [row[0] for row in connection.execute("DESCRIBE t").fetchall()] == called
