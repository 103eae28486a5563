"""Releases of an engine beside those of DuckDB: the same records, as often, under the same names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

import duckrisk
from duckrisk.release.anonymization import Release

_PEOPLE = "SELECT i % 40 AS user_id, {} FROM range({}) AS t(i)"


def generalized(column: str, **how: Any) -> dict[str, Any]:
    return {"method": "generalize", "column": column, **how}


def deleted(where: str) -> dict[str, Any]:
    return {"method": "delete", "where": where}


#: Tables by name: what DuckDB is asked for, and the steps.
TREATMENTS: dict[str, tuple[str, Sequence[dict[str, Any]]]] = {
    "retail": (
        "SELECT * FROM 'datasets/retail.parquet' LIMIT 3000",
        [
            deleted("Quantity < 0 OR UnitPrice = 0"),
            {"method": "pseudonymize", "column": "CustomerID", "period": "month"},
            generalized("InvoiceDate", moment="day"),
            generalized("UnitPrice", width=0.5),
            generalized("StockCode", prefix=3),
            {"method": "suppress", "column": "Quantity", "drop": True},
        ],
    ),
    "hostile names": (
        'SELECT i % 30 AS "user\'s `id`", i % 7 AS "a""b `c` \\ d", '
        "'it''s \\ ' || i % 11 AS \"x; DROP -- y\", CASE i % 5 WHEN 0 THEN 'AS VARCHAR)' WHEN 1 THEN '?' "
        "WHEN 2 THEN ' * ' ELSE '日本語 ' || i % 3 END AS \"{{ z }}\" FROM range(400) AS t(i)",
        [
            deleted("\"x; DROP -- y\" = 'it''s \\ 3' OR \"{{ z }}\" IN ('AS VARCHAR)', '\"z\"')"),
            generalized("{{ z }}", prefix=2),
            generalized('a"b `c` \\ d', width=3),
            {"method": "pseudonymize", "column": "user's `id`"},
        ],
    ),
    "nulls": (
        _PEOPLE.format("CAST(NULL AS VARCHAR) AS empty, CASE WHEN i % 3 > 0 THEN i % 9 END AS some", 300),
        [
            deleted("\"some\" > 4 OR empty = 'x'"),
            generalized("some", width=2),
            generalized("empty", prefix=1),
            {"method": "suppress", "column": "user_id"},
        ],
    ),
    "nobody is left": (_PEOPLE.format("7 AS age", 20), [deleted("age = 7"), generalized("age", width=5)]),
    "one row": (
        _PEOPLE.format("7 AS age, 'x' AS colour", 1),
        [generalized("age", width=5), {"method": "pseudonymize", "column": "user_id"}],
    ),
    "numbers": (
        _PEOPLE.format(
            "CAST((i - 100) % 13 / 4 AS DECIMAL(9, 2)) AS price, (i - 150) * 0.1e0 AS height, "
            "CAST((i - 150) * 12345.7 AS DOUBLE) AS large, CAST(i * 0.3 AS FLOAT) AS small, "
            "CAST(i - 150 AS BIGINT) * 1000000007 AS whole, "
            "CASE i % 3 WHEN 0 THEN CAST('inf' AS DOUBLE) WHEN 1 THEN CAST('nan' AS DOUBLE) END AS odd",
            300,
        ),
        [
            generalized("price", width=0.25),
            generalized("height", width=0.1),
            generalized("large", width=2500),
            generalized("small", width=0.7),
            generalized("whole", width=1000000000),
            generalized("odd", width=10),
        ],
    ),
    "old dates": (
        _PEOPLE.format(
            "DATE '1850-01-31' + CAST(i * 37 AS INTEGER) AS born, "
            "TIMESTAMP '1869-12-31 23:59:59.5' + INTERVAL 7 HOUR * i AS seen, "
            "TIMESTAMP '1869-12-31 23:59:59.5' + INTERVAL 70 HOUR * i AS met, "
            "TIMESTAMPTZ '2020-12-28 23:30:00+00' + INTERVAL 3 DAY * i AS went, "
            "CAST(DATE '1999-12-20' + CAST(i AS INTEGER) AS VARCHAR) AS written",
            300,
        ),
        [
            deleted("born < '1851-01-31' OR seen BETWEEN TIMESTAMP '1870-01-01' AND '1870-01-02 03:04:05'"),
            generalized("born", moment="quarter"),
            generalized("met", moment="month"),
            generalized("went", moment="week"),
            generalized("written", moment="year"),
        ],
    ),
    "older dates": (
        _PEOPLE.format(
            "DATE '1583-01-01' + CAST(i * 37 AS INTEGER) AS born, "
            "DATE '0983-12-01' + CAST(i AS INTEGER) AS wed, "
            "TIMESTAMP '1582-12-31 23:59:59.5' + INTERVAL 70 HOUR * i AS met, "
            "TIMESTAMP '1600-02-28 23:59:59.5' + INTERVAL 7 HOUR * i AS seen, "
            "TIME '08:00:00' + INTERVAL 7 SECOND * i AS at",
            300,
        ),
        [
            deleted("born < '1583-03-31' OR seen BETWEEN TIMESTAMP '1600-03-01' AND '1600-03-02 03:04:05'"),
            generalized("born", moment="quarter"),
            generalized("wed", moment="week"),
            generalized("met", moment="month"),
            {"method": "pseudonymize", "column": "user_id", "period": "week", "time": "seen"},
            generalized("seen", moment="5years"),
            {"method": "suppress", "column": "at", "drop": True},
        ],
    ),
    "names that differ in case": (
        'SELECT i % 20 AS user_id, i % 3 AS age, i % 7 AS "AGE" FROM range(200) AS t(i)',
        [generalized("AGE", width=2), {"method": "suppress", "column": "age"}],
    ),
}
#: Conditions on the columns number, word, day and flag.
CONDITIONS = (
    "number > 3 AND NOT (word = 'a' OR flag)",
    "number IN (1, 2.0, -3) OR word NOT IN ('a', 'b')",
    "word LIKE 'a%' OR word NOT LIKE '_'",
    "day NOT BETWEEN '2011-01-03' AND DATE '2011-01-05'",
    "number IS DISTINCT FROM 3",
    "NUMBER <> 1e0 AND Word >= 'B'",
    "flag = (number > 4)",
    "word IS NULL OR number = NULL",
    "word = 'it''s \"a\" \\ `b` -- OR TRUE'",
    '"number" <= "of" AND "between" = 2',
)
CONDITIONED = (
    'SELECT CASE WHEN i % 8 > 0 THEN i % 8 - 3 END AS number, i % 3 AS "of", i % 4 AS "between", '
    "CASE i % 5 WHEN 0 THEN 'a' WHEN 1 THEN 'abc' WHEN 2 THEN 'B' "
    "WHEN 3 THEN 'it''s \"a\" \\ `b` -- OR TRUE' END AS word, "
    "DATE '2011-01-01' + CAST(i % 7 AS INTEGER) AS day, i % 2 = 0 AS flag FROM range(280) AS t(i)"
)


def release(source: Any, output: Path, steps: Any, **options: Any) -> Release:
    """A release with a seed."""
    return duckrisk.anonymize(source, output, steps=steps, **{"seed": 5, **options})


def rows(path: Path) -> tuple[list[str], Counter[tuple[Any, ...]]]:
    """The names of the columns of a release, a file or a folder, and its records, each as often as it is
    there. Names that differ in case are read by pyarrow: DuckDB numbers them."""
    import pyarrow.parquet

    files = sorted(path.iterdir()) if path.is_dir() else [path]
    tables = [pyarrow.parquet.read_table(file) for file in files]
    columns = tables[0].column_names
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        counted: Counter[tuple[Any, ...]] = Counter()
        for table in tables:
            bare = table.rename_columns([f"c{i}" for i in range(len(columns))])
            connection.register("bare", bare)
            texts = ", ".join(f"CAST(c{i} AS VARCHAR)" for i in range(len(columns)))
            counted.update(connection.execute(f"SELECT {texts} FROM bare").fetchall())
    return columns, counted
