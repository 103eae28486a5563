"""Several sources in one session: each keeps its own records, and all are locked in together."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.source import Request, open_source, open_sources
from tests.opening import database, write


def read(*requests: Request) -> list[list[Any]]:
    """The first columns of the sources, as they are opened together."""
    with Session() as session:
        views = [f"view_{number}" for number in range(len(requests))]
        opened = open_sources(session, list(zip(views, requests, strict=True)))
        assert [len(source.columns) for source in opened] == [1] * len(requests)
        return [
            sorted(row["c0"] for row in session.run("select_all", source=Sql(f"temp.main.{view}")))
            for view in views
        ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_text_files_that_are_decoded(here: Path) -> None:
    write(here / "a.csv", "name\n東京\n大阪\n".encode("cp932"))
    write(here / "b.csv", "name\n京都\n".encode("euc-jp"))
    requests = [
        Request("a.csv", encoding="cp932", header=True),
        Request("b.csv", encoding="euc-jp", header=True),
    ]
    assert read(*requests) == [["大阪", "東京"], ["京都"]]


def test_the_same_file_twice(here: Path) -> None:
    write(here / "a.csv", "n\n1\n2\n")
    assert read(Request("a.csv"), Request("a.csv", where="n > 1")) == [[1, 2], [2]]


def test_two_databases_of_each_kind(here: Path) -> None:
    database(here / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS n")
    database(here / "b.duckdb", "CREATE TABLE t AS SELECT 2 AS n")
    for name, number in (("c.sqlite", 3), ("d.sqlite", 4)):
        with sqlite3.connect(here / name) as made:
            made.execute("CREATE TABLE t (n INTEGER)")
            made.execute("INSERT INTO t VALUES (?)", (number,))
    found = read(*(Request(name) for name in ("a.duckdb", "b.duckdb", "c.sqlite", "d.sqlite")))
    assert found == [[1], [2], [3], [4]]


def test_queries_find_the_tables_of_their_own_database(here: Path) -> None:
    database(here / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS n")
    database(here / "b.duckdb", "CREATE TABLE t AS SELECT 2 AS n")
    write(here / "t.csv", "n\n7\n")
    query = "SELECT n + 10 AS n FROM t"
    found = read(
        Request("a.duckdb", query=query),
        Request("t.csv", query="SELECT n FROM source"),
        Request("b.duckdb", query=query),
    )
    assert found == [[11], [7], [12]]


def test_tables_in_python(here: Path) -> None:
    frames = [pd.DataFrame({"n": [1, 2]}), pd.DataFrame({"n": [3]})]
    with duckdb.connect() as connection:
        relations = [connection.sql("SELECT 4 AS n"), connection.sql("SELECT 5 AS n")]
        assert read(*(Request(thing) for thing in (*frames, *relations))) == [[1, 2], [3], [4], [5]]


def test_only_the_outputs_can_be_written(here: Path) -> None:
    write(here / "a.csv", "n\n1\n")
    with Session() as session:
        open_source(session, Request("a.csv"), outputs=[here / "out.parquet"])
        arguments = {"source": Sql("temp.main.assessed"), "selected": Sql("c0"), "many_files": False}
        session.run("copy_records", path=str(here / "out.parquet"), **arguments)
        with pytest.raises(UsageError):
            session.run("copy_records", path=str(here / "other.parquet"), **arguments)
    assert (here / "out.parquet").is_file()
    assert not (here / "other.parquet").exists()
