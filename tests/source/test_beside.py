"""Other sources that a query reads by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from tests.command import command
from tests.tables import thinned
from tests.test_sql_log import numbers, repeated

QUERY = "SELECT sales.*, region, kind FROM source AS sales JOIN customers USING (id) JOIN items USING (item)"
WITH = ("--with", "customers=customers.parquet", "--with", "items=items.csv")
QUICK = ("-q", "--user", "id", "--samples", "0", "--known-records", "0", "--only", "attribute_risk")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sales of 40 customers in 4 regions, of 9 items of 3 kinds; and the same in one table."""
    monkeypatch.chdir(tmp_path)
    duckdb.sql(
        "COPY (SELECT i % 40 AS id, i * 7 % 9 AS item, i % 5 AS quantity FROM range(300) AS n (i)) "
        "TO 'sales.parquet'"
    )
    duckdb.sql(
        "COPY (SELECT i AS id, 'region ' || i % 4 AS region FROM range(40) AS n (i)) TO 'customers.parquet'"
    )
    duckdb.sql("COPY (SELECT i AS item, 'kind ' || i % 3 AS kind FROM range(9) AS n (i)) TO 'items.csv'")
    joined = "FROM 'sales.parquet' JOIN 'customers.parquet' USING (id) JOIN 'items.csv' USING (item)"
    duckdb.sql(f"COPY (SELECT id, item, quantity, region, kind {joined}) TO 'joined.parquet'")
    return tmp_path


def risks(report: dict[str, Any]) -> list[tuple[str, float]]:
    return [(entry["attribute"], entry["mean_risk"]) for entry in report["attribute_risk"]]


def test_joined_sources_are_as_the_table_of_them() -> None:
    whole = command("assess", "joined.parquet", *QUICK, "--format", "json")
    parts = command("assess", "sales.parquet", *WITH, "--query", QUERY, *QUICK, "--format", "json")
    assert parts.code == whole.code == 0, parts.err
    assert risks(parts.json) == risks(whole.json)
    assert len(risks(whole.json)) == 4
    assert parts.json["source"]["digest"]["files"] == 3


def test_python_and_the_settings_file_name_them_too(folder: Path) -> None:
    named = ["customers=customers.parquet", "items=items.csv"]
    asked: dict[str, Any] = {"user": "id", "only": ["attribute_risk"], "samples": 0, "known_records": 0}
    told = duckrisk.assess("sales.parquet", query=QUERY, beside=named, **asked).to_dict()
    (folder / "duckrisk.toml").write_text(f'[source]\nquery = """{QUERY}"""\nbeside = {named}\n', "utf-8")
    by_file = command("assess", "sales.parquet", *QUICK, "--format", "json")
    assert by_file.code == 0, by_file.err
    assert risks(by_file.json) == risks(told)


def test_every_kind_of_source(folder: Path) -> None:
    with duckdb.connect("customers.duckdb") as connection:
        connection.execute("CREATE TABLE people AS FROM 'customers.parquet'")
    (folder / "parts").mkdir()
    duckdb.sql("COPY (FROM 'items.csv' WHERE item < 5) TO 'parts/a.parquet'")
    duckdb.sql("COPY (FROM 'items.csv' WHERE item >= 5) TO 'parts/b.parquet'")
    duckdb.sql("COPY (FROM 'items.csv') TO 'items.json'")
    (folder / "items-sjis.csv").write_bytes(
        b"item,kind\n" + b"".join(f"{i},種{i % 3}\n".encode("cp932") for i in range(9))
    )
    expected = risks(command("assess", "joined.parquet", *QUICK, "--format", "json").json)
    for customers, items in (
        ("customers.duckdb", "parts"),
        ("customers.parquet", "items.json"),
        ("customers.parquet", "items-sjis.csv"),
    ):
        named = ("--with", f"customers={customers}", "--with", f"items={items}")
        done = command("assess", "sales.parquet", *named, "--query", QUERY, *QUICK, "--format", "json")
        assert done.code == 0, done.err
        assert risks(done.json) == expected


def test_a_database_is_read_beside_a_file() -> None:
    with duckdb.connect("facts.duckdb") as connection:
        connection.execute("CREATE TABLE sales AS FROM 'sales.parquet'")
    query = QUERY.replace("FROM source AS sales", "FROM sales")
    done = command("assess", "--attach", "facts.duckdb", *WITH, "--query", query, *QUICK, "--format", "json")
    assert done.code == 0, done.err
    assert risks(done.json) == risks(command("assess", "joined.parquet", *QUICK, "--format", "json").json)


def warehouse(name: str, kind: str = "") -> None:
    """A database with the fact table and its two dimensions."""
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{name}' AS made {kind}")
        for table in ("sales.parquet", "customers.parquet", "items.csv"):
            connection.execute(f"CREATE TABLE made.{Path(table).stem} AS FROM '{table}'")


@pytest.mark.parametrize(
    ("source", "words"),
    thinned(
        [
            (("w.duckdb", "--table", "sales"), ()),
            (("--attach", "w.duckdb", "--table", "main.sales"), ()),
            (("w.duckdb", "--table", "sales"), ("--with", "items=items.csv")),
            (
                ("sales.parquet",),
                ("--with", "customers=w.duckdb:customers", "--with", "items=w.duckdb:items"),
            ),
            (("w.duckdb", "--table", "sales"), ("--with", "customers=w.duckdb:customers")),
        ]
    ),
)
def test_tables_of_one_database(source: tuple[str, ...], words: tuple[str, ...]) -> None:
    warehouse("w.duckdb")
    done = command("assess", *source, *words, "--query", QUERY, *QUICK, "--format", "json")
    assert done.code == 0, done.err
    assert risks(done.json) == risks(command("assess", "joined.parquet", *QUICK, "--format", "json").json)


def test_the_settings_file_and_python_name_a_table_and_a_query(folder: Path) -> None:
    warehouse("w.duckdb")
    (folder / "duckrisk.toml").write_text(f'[source]\ntable = "sales"\nquery = """{QUERY}"""\n', "utf-8")
    by_file = command("assess", "w.duckdb", *QUICK, "--format", "json")
    assert by_file.code == 0, by_file.err
    asked: dict[str, Any] = {"user": "id", "only": ["attribute_risk"], "samples": 0, "known_records": 0}
    told = duckrisk.assess("w.duckdb", table="sales", query=QUERY, **asked).to_dict()
    assert risks(by_file.json) == risks(told)


def test_the_script_reads_the_tables_of_a_database_again() -> None:
    warehouse("w.duckdb")
    line = ("w.duckdb", "--table", "sales", "--with", "items=w.duckdb:items", "--query", QUERY)
    done = command("assess", *line, *QUICK, "--format", "json", "--sql-log", "log.sql")
    assert done.code == 0, done.err
    held = set(numbers(list(repeated(Path("log.sql").read_text("utf-8")).values())))
    assert {risk for _, risk in risks(done.json)} <= held


def test_names_that_differ_in_case_alone_stay_columns(folder: Path) -> None:
    (folder / "twice.csv").write_text(
        "id,Code,code\n" + "".join(f"{i},a{i % 2},b{i % 5}\n" for i in range(40)), "utf-8"
    )
    query = 'SELECT sales.*, "Code", code_1 FROM source AS sales JOIN codes USING (id)'
    done = command(
        "assess", "sales.parquet", "--with", "codes=twice.csv", "--query", query, *QUICK, "--format", "json"
    )
    assert done.code == 0, done.err
    assert {name for name, _ in risks(done.json)} >= {"Code", "code_1"}


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--with", "items=items.csv"], 2, "add the query"),
        (["--with", "items.csv", "--query", "SELECT * FROM source"], 2, "NAME=SOURCE"),
        (["--with", "source=items.csv", "--query", "SELECT * FROM source"], 2, "NAME=SOURCE"),
        (["--with", "a=items.csv", "--with", "A=items.csv", "--query", "SELECT * FROM a"], 2, "NAME=SOURCE"),
        (["--with", 'x" AS (SELECT 1)=items.csv', "--query", "SELECT * FROM source"], 2, "NAME=SOURCE"),
        (["--with", "items=absent.csv", "--query", "SELECT * FROM items"], 3, "absent.csv"),
        (["--with", "items=items.csv", "--query", "SELECT * FROM item"], 2, "cannot be run"),
        (["--with", "items=items.csv", "--query", "SELECT * FROM 'customers.parquet'"], 2, ""),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(words: list[str], code: int, told: str) -> None:
    done = command("assess", "sales.parquet", *words, *QUICK)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done.err
    assert told in done.err


def test_an_output_spares_them(folder: Path) -> None:
    before = (folder / "items.csv").read_bytes()
    done = command(
        "assess", "sales.parquet", *WITH, "--query", QUERY, *QUICK, "--format", "csv", "-o", "items.csv"
    )
    assert (done.code, (folder / "items.csv").read_bytes()) == (2, before)


@pytest.mark.parametrize(("output", "code"), [("w.duckdb", 2), ("old.csv", 0)])
def test_an_output_spares_their_databases(folder: Path, output: str, code: int) -> None:
    warehouse("w.duckdb")
    (folder / "old.csv").write_text("old", "utf-8")
    before = (folder / output).read_bytes()
    named = ("--with", "customers=w.duckdb:customers", "--with", "items=w.duckdb:items")
    done = command(
        "assess", "sales.parquet", *named, "--query", QUERY, *QUICK, "--format", "csv", "-o", output
    )
    assert (done.code, (folder / output).read_bytes() == before) == (code, code == 2), done.err


def test_the_script_of_the_run_reads_them_again() -> None:
    done = command(
        *("assess", "sales.parquet", *WITH, "--query", QUERY, *QUICK, "--format", "json"),
        *("--sql-log", "log.sql"),
    )
    assert done.code == 0, done.err
    held = set(numbers(list(repeated(Path("log.sql").read_text("utf-8")).values())))
    assert {risk for _, risk in risks(done.json)} <= held


def test_a_keyword_that_is_one_text_is_refused() -> None:
    with pytest.raises((UsageError, SourceError), match="beside"):
        duckrisk.assess("sales.parquet", query=QUERY, beside="customers=customers.parquet")
