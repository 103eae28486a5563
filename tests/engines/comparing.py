"""Whole reports of an engine beside those of DuckDB, as JSON."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

from duckrisk.base.options.calls import options_from
from duckrisk.base.options.source import Distributed, Request, Resources
from duckrisk.decision import assessment
from duckrisk.decision.assessment.engine_support import SUPPORTED_PARTS
from duckrisk.engine.spark.protocol import Engine
from duckrisk.measures import attribute, disclosure, identifiability
from duckrisk.roles import RoleOverrides, content

#: What cannot be the same: records have no numbers to be listed by, one sentence names attributes of those
#: that are, and what made the report.
LEFT_OUT = re.compile(r"\.scenarios|\.checklist\[3\]\.evidence$|\.environment\.engine$|\.source\.digest$")
#: How sure a role is can rest on an estimated number of values: DuckDB's is at times 10 % off the truth.
SURE = re.compile(r"\.source\.columns\[\d+\]\.confidence$")


def report(
    source: Any, engine: str | None = None, scratch: str | None = None, **options: Any
) -> dict[str, Any]:
    """The JSON report of the parts that an engine offers, as data. The cells are looked at for direct
    identifiers on no engine, so DuckDB leaves that out too: roles and the verdict follow from it."""
    settings = assessment.Settings(
        overrides=options_from(RoleOverrides, options),
        measures=options_from(attribute.Options, options),
        identifiability=options_from(identifiability.Options, options),
        disclosure=options_from(disclosure.Options, options),
        only=options.get("only", SUPPORTED_PARTS if "sensitive" in options else SUPPORTED_PARTS[:-1]),
        engine=Distributed(engine, scratch),
    )
    with mock.patch.object(content, "scan", lambda session, columns, *tokens: content.unexamined(columns)):
        made: dict[str, Any] = assessment.run(Request(source), settings, Resources()).to_dict()
    return made


def differences(here: Any, there: Any, path: str = "", near: float = 1e-9) -> list[tuple[str, Any, Any]]:
    """Where two reports differ: numbers by more than ``near`` of themselves."""
    if LEFT_OUT.search(path) or (SURE.search(path) and {here, there} == {"sure", "likely"}):
        return []
    if there is not None and (path == ".class_sizes.users" or path.endswith(".other_rules")):
        # By the other rules for missing cells DuckDB alone compares users, and tells of classes.
        here = here[: len(there)]
    if path.startswith(".uniqueness.whole_records"):
        near = 0.1  # the records that are drawn of each person depend on the hash of the engine
    if isinstance(here, dict) and isinstance(there, dict):
        keys = [*here, *(key for key in there if key not in here)]
        return [d for key in keys for d in differences(here.get(key), there.get(key), f"{path}.{key}", near)]
    if path == ".source.notes":  # that an engine does not look through texts
        there = [note for note in there if not note.startswith("On Spark texts stay texts")]
        there = [note for note in there if "has the type time(6) in the engine" not in note]
    if isinstance(here, list) and isinstance(there, list) and len(here) == len(there):
        pairs = enumerate(zip(here, there, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{path}[{i}]", near)]
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (here, there))
    if numbers and math.isclose(here, there, rel_tol=near, abs_tol=1e-12):
        return []
    return [] if here == there else [(path, here, there)]


def parquet(path: Path, query: str) -> str:
    """What a query of DuckDB gives, as a Parquet file."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return str(path)


_PEOPLE = "SELECT i % 40 AS user_id, {} FROM range({}) AS t(i)"
#: Tables by name: what DuckDB is asked for, and the options of both runs.
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "retail": (
        "SELECT * FROM 'datasets/retail.parquet' LIMIT 4000",
        {
            "user": "CustomerID",
            "attributes": ("StockCode", "InvoiceDate.date", "UnitPrice+Quantity"),
            "detailed": 2,
            "sensitive": ("Quantity",),
        },
    ),
    "hostile names": (
        'SELECT i % 30 AS "user\'s `id`", i % 7 AS "a""b `c` \\ d", '
        "'it''s \\ ' || i % 11 AS \"x; DROP -- y\", CASE i % 5 WHEN 0 THEN 'NULL' WHEN 1 THEN '?' "
        "WHEN 2 THEN ' * ' ELSE '日本 ' || i % 3 END AS \"{{ z }}\" FROM range(400) AS t(i)",
        {"user": "user's `id`", "levels": {"x; DROP -- y": (2, 1)}},
    ),
    "nulls": (
        _PEOPLE.format("CAST(NULL AS VARCHAR) AS nothing, CASE WHEN i % 3 > 0 THEN i % 9 END AS some", 300),
        {"user": "user_id", "levels": {"some": (1, 2)}},
    ),
    "many attributes": (
        _PEOPLE.format(
            ", ".join(f"CASE WHEN i % {n + 2} > 0 THEN i % {3 * n + 2} END AS c{n}" for n in range(20)), 200
        ),
        {"user": "user_id", "only": ("attribute_risk",), "detailed": 1, "samples": 0},
    ),
    "disclosure": (
        _PEOPLE.format(
            "CASE WHEN i % 11 > 0 THEN i % 6 END AS age, 'c' || i % 4 AS city, "
            "CASE WHEN i % 13 > 0 THEN i * i % 9 END AS income, 'x' || i * i % 5 AS illness",
            600,
        ),
        {
            "user": "",
            "only": ("attribute_disclosure",),
            "quasi_identifiers": ("age", "city"),
            "sensitive": ("income", "illness"),
        },
    ),
    "one row": (_PEOPLE.format("7 AS age, 'x' AS colour", 1), {"user": ""}),
    "decimals": (
        _PEOPLE.format("CAST(i % 13 / 4 AS DECIMAL(9, 2)) AS price, i % 17 * 0.25 AS height", 300),
        {"user": "user_id"},
    ),
    "old dates": (
        _PEOPLE.format(
            "DATE '1850-01-31' + CAST(i % 90 AS INTEGER) AS born, "
            "TIMESTAMP '1869-12-31 23:59:59.5' + INTERVAL 7 HOUR * (i % 50) AS seen",
            300,
        ),
        {"user": "user_id"},
    ),
    # Nanoseconds, as pandas and some engines count them, begin in 1677.
    "older dates": (
        _PEOPLE.format(
            "DATE '1583-01-01' + CAST(i % 90 AS INTEGER) AS born, "
            "CASE i % 5 WHEN 0 THEN DATE '9999-12-31' WHEN 1 THEN DATE '0044-03-15' END AS until, "
            "TIMESTAMP '1583-01-01 03:00:00.5' + INTERVAL 7 HOUR * (i % 50) AS seen, "
            "TIMESTAMPTZ '0983-12-31 22:00:00+00' + INTERVAL 37 MINUTE * (i % 60) AS met",
            300,
        ),
        {"user": "user_id"},
    ),
    "clock times": (
        _PEOPLE.format(
            "CASE WHEN i % 7 > 0 THEN TIME '08:00:00' + INTERVAL 7 MINUTE * (i % 90) "
            "+ INTERVAL 11 SECOND * (i % 3) END AS at, "
            "TIME '23:59:59.000001' - INTERVAL 3 HOUR * (i % 5) AS until",
            300,
        ),
        {"user": "user_id", "levels": {"at": (2, 1)}, "sensitive": ("until",)},
    ),
    "time zones": (
        _PEOPLE.format("TIMESTAMPTZ '2021-03-28 00:30:00+00' + INTERVAL 37 MINUTE * (i % 60) AS seen", 300),
        {"user": "user_id", "levels": {"seen": (2, 1)}},
    ),
    "names that differ in case": (
        'SELECT i % 20 AS user_id, i % 3 AS age, i % 7 AS "AGE" FROM range(200) AS t(i)',
        {"user": "user_id"},
    ),
    "two words": (
        "SELECT "
        + ", ".join(f"(i * {7 + k}) % {1300 + k} AS age{k}" for k in range(7))
        + " FROM range(3000) AS t(i)",
        {
            "user": "",
            "only": ("identifiability",),
            "max_size": 2,
            "levels": {f"age{k}": (2, 1) for k in range(7)},
        },
    ),
}


class DuckDBAsEngine:
    """A second DuckDB in the place of an engine: what is routed can be tried where no other engine is."""

    name, version = "another DuckDB", "0"

    def __init__(self) -> None:
        from duckrisk.engine.templates import DUCKDB

        self.dialect = DUCKDB
        self.connection = duckdb.connect()
        self.tables: set[str] = set()
        self.records: set[str] = set()
        self.closed = False

    def open(self, query: str) -> None:
        self.connection.execute(f"CREATE TEMP VIEW assessed AS {query}")
        self.tables.add("assessed")
        self.records.add("assessed")

    def query(self, sql: str) -> list[dict[str, Any]]:
        cursor = self.connection.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def materialize(self, table: str, sql: str) -> None:
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {sql}")
        self.tables.add(table)

    def create_view(self, name: str, sql: str) -> None:
        self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}")
        self.tables.add(name)
        self.records.add(name)

    def describe(self, name: str) -> list[tuple[str, str]]:
        return [(row["column_name"], row["column_type"]) for row in self.query(f"DESCRIBE {name}")]

    def write_parquet(self, sql: str, folder: str) -> int:
        self.connection.execute(f"COPY ({sql}) TO '{folder}' (FORMAT parquet, PER_THREAD_OUTPUT)")
        return int(self.query(f"SELECT COUNT(*) AS records FROM '{folder}/*.parquet'")[0]["records"])

    def fetch_table(self, table: str) -> Any:
        return self.fetch_rows(f"FROM {table}")

    def fetch_rows(self, sql: str) -> Any:
        return self.connection.execute(sql).to_arrow_table()

    def drop_table(self, table: str) -> None:
        self.connection.execute(f"DROP TABLE IF EXISTS {table}")
        self.tables.discard(table)

    def interrupt(self) -> None:
        self.connection.interrupt()

    def resume(self) -> None: ...

    def close(self) -> None:
        self.closed = True
        self.connection.close()


_: type[Engine] = DuckDBAsEngine
