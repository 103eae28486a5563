"""Tables of a comparison that are in databases, and every way to name them wrongly."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.source import Request
from duckrisk.source.recipes import locate_recipe
from duckrisk.source.requests import parse_request
from tests.command import command, refused
from tests.opening import database, parquet

PEOPLE = "SELECT 20 + (i * 7) % 41 AS age, 'job' || (i * i) % 5 AS job FROM range(60) AS t(i)"
DECADES = "SELECT '[' || age // 10 * 10 || ', ' || (age // 10 + 1) * 10 || '[' AS age, job FROM people"
WAREHOUSE = [
    f"CREATE TABLE people AS {PEOPLE}",
    f"CREATE TABLE decades AS {DECADES}",
    "CREATE SCHEMA s",
    f'CREATE TABLE s."odd: ""name""" AS {DECADES}',
    f"CREATE TABLE s.people AS {DECADES}",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    database(tmp_path / "wh.duckdb", *WAREHOUSE)
    parquet(tmp_path / "people.parquet", PEOPLE)
    return tmp_path


def left(*tables: object, **options: object) -> list[float]:
    found = duckrisk.compare(*tables, user="", only=["information"], **options)
    return [entry["information"]["information"] for entry in found.data["tables"][1:]]


@pytest.mark.slow
def test_tables_of_one_database_and_of_several(folder: Path) -> None:
    database(folder / "out.duckdb", f"CREATE TABLE people AS {PEOPLE}", f"CREATE TABLE r AS {DECADES}")
    with sqlite3.connect(folder / "l.sqlite") as made:
        made.execute("CREATE TABLE people (age INTEGER, job TEXT)")
        made.executemany("INSERT INTO people VALUES (?, ?)", duckdb.sql(PEOPLE).fetchall())
    (wanted,) = left("people.parquet", "wh.duckdb:decades")
    assert 0 < wanted < 1
    assert left("wh.duckdb:people", "wh.duckdb:main.decades", 'wh.duckdb:s.odd: "name"') == [wanted] * 2
    assert left("wh.duckdb:main.people", "out.duckdb:r", "wh.duckdb:s.people") == [wanted] * 2
    assert left("l.sqlite", folder / "wh.duckdb:decades", "l.sqlite:people") == [wanted, 1.0]
    assert left("people", "decades", "s.people", attach="wh.duckdb") == [wanted] * 2
    risk = duckrisk.compare("people", "decades", attach="wh.duckdb", user="", only=["risk"]).data["tables"]
    assert [entry["name"] for entry in risk] == ["wh.duckdb: people", "wh.duckdb: decades"]
    assert all(entry["risk"]["attribute_risk"] for entry in risk)


def test_files_whose_own_name_exists_win(folder: Path) -> None:
    parquet(folder / "wh.duckdb:decades", PEOPLE)
    assert left("people.parquet", "wh.duckdb:decades") == [1.0]
    database(folder / "a:b.duckdb", f"CREATE TABLE t AS {PEOPLE}")
    (folder / "a").write_text("no database")
    assert left("people.parquet", "a:b.duckdb:t") == [1.0]


def test_the_recipe_beside_a_table(folder: Path) -> None:
    tree = {"job": {"tree": {"some": ["job0", "job1"], "others": ["job4"]}}}
    step = {"method": "generalize", "column": "job", "level": 1}
    duckrisk.anonymize(
        "wh.duckdb", into="out.duckdb", into_table="t", table="main.people", steps=[step], hierarchies=tree
    )
    (one,) = left("wh.duckdb:people", "out.duckdb:t")
    assert 0 < one < 1
    assert locate_recipe(Request("out.duckdb", "t")) == Path("out.duckdb.t.recipe.toml")
    assert locate_recipe(Request(None, "t", "out.duckdb")) == Path("out.duckdb.t.recipe.toml")
    assert locate_recipe(Request(duckdb)) is None


def test_the_command(folder: Path) -> None:
    options = ["--user", "", "--only", "information", "--format", "json", "--quiet"]
    one = command("compare", "wh.duckdb:people", "wh.duckdb:decades", *options)
    other = command("compare", "--attach", "wh.duckdb", "people", "main.decades", *options)
    assert one.code == other.code == 0, (one.err, other.err)
    assert one.json["tables"] == other.json["tables"]


@pytest.mark.parametrize(
    ("code", "arguments", "words"),
    [
        (2, ["people.parquet", "wh.duckdb:peple"], ['no table "peple"', '"people"']),
        (2, ["people.parquet", "wh.duckdb:"], ["no table after the colon"]),
        (2, ["people.parquet", "wh.duckdb"], ['as in "wh.duckdb:']),
        (2, ["people.parquet:t", "people.parquet"], ["is not a database"]),
        (3, ["people.parquet", "whh.duckdb:people"], ['no file "whh.duckdb"', '"wh.duckdb"']),
        (2, ["postgres:password=hush", "people.parquet"], ['"postgres:"', "--attach"]),
        (2, ["--attach", "wh.duckdb", "people", ""], ["name of a table is empty"]),
        (2, ["--attach", "wh.duckdb", "people", "people.parquet"], ['no table "people.parquet"']),
        (3, ["--attach", "wx.duckdb", "people", "decades"], ["wx.duckdb"]),
        (2, ["--attach", "wh.duckdb", "-", "people"], ['no table "-"']),
        (2, ["wh.duckdb:people", "wh.duckdb:decades", "-o", "wh.duckdb"], ["names no format"]),
    ],
)
def test_what_is_refused(folder: Path, code: int, arguments: list[str], words: list[str]) -> None:
    said = refused(code, *words, arguments=["compare", *arguments])
    assert "hush" not in said


def test_what_is_refused_in_python(folder: Path) -> None:
    frame = duckdb.sql("SELECT 1 AS a").df()
    with pytest.raises(UsageError, match="named by a text"):
        parse_request(frame, "wh.duckdb")
    with pytest.raises(SourceError, match="no file"):
        left("people.parquet", "nothing at all")
    assert parse_request(frame).source is frame
