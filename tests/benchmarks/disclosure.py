"""Special uniques, all attribute sets and minimal keys on Adult, beside bare statements in the same DuckDB.

    python tests/benchmarks/disclosure.py ADULT.parquet [--cases suda10 sets8x100 ...] [--scratch FOLDER]

Every measurement is a process of its own, printed with the CPU seconds and the peak of memory, start-up
included; "bare" is a statement (or one for each set) that does the first part of the work, in the same run.
x10 and x100 are Adult repeated with noise: age by up to 3, hours by up to 2, fnlwgt by up to 500, and 5 % of
the occupations and countries from other records; they are written into --scratch once. "distinct" drops
records that equal another.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NAMES = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
    "relationship", "hours-per-week", "capital-gain", "capital-loss", "education-num", "income", "fnlwgt",
)  # fmt: skip
#: What is measured, the table, how many attributes, and settings.
CASES: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "suda8": ("suda", "x1", 8, {}),
    "suda10": ("suda", "x1", 10, {}),
    "suda12": ("suda", "x1", 12, {}),
    "suda14size3": ("suda", "x1", 14, {"max_size": 3}),
    "suda8x10": ("suda", "x10", 8, {}),
    "sets8": ("attribute_sets", "x1", 8, {}),
    "sets12": ("attribute_sets", "x1", 12, {}),
    "sets8x10": ("attribute_sets", "x10", 8, {}),
    "sets8x100": ("attribute_sets", "x100", 8, {}),
    "keys15": ("minimal_keys", "x1distinct", 15, {"max_size": 1}),
    "keys15x10": ("minimal_keys", "x10distinct", 15, {"max_size": 1}),
}
REPEATED = """
COPY (
    WITH adult AS (SELECT *, file_row_number AS r FROM read_parquet('{source}', file_row_number = TRUE)),
    lists AS (
        SELECT LIST(occupation ORDER BY r) AS jobs, LIST("native-country" ORDER BY r) AS countries FROM adult
    )
    SELECT * EXCLUDE (r, jobs, countries, copy) REPLACE (
        age + CAST(hash(r, copy, 1) % 7 AS INTEGER) - 3 AS age,
        fnlwgt + CAST(hash(r, copy, 2) % 1001 AS INTEGER) - 500 AS fnlwgt,
        "hours-per-week" + CAST(hash(r, copy, 5) % 5 AS INTEGER) - 2 AS "hours-per-week",
        CASE WHEN hash(r, copy, 3) % 20 = 0 THEN jobs[CAST(1 + hash(r, copy, 4) % 48842 AS BIGINT)]
            ELSE occupation END AS occupation,
        CASE WHEN hash(r, copy, 6) % 20 = 0 THEN countries[CAST(1 + hash(r, copy, 7) % 48842 AS BIGINT)]
            ELSE "native-country" END AS "native-country"
    )
    FROM adult, lists, range({times}) AS copies (copy)
) TO '{target}'
"""


def ours(part: str, path: str, count: int, options: dict[str, Any]) -> dict[str, Any]:
    """One section of a report."""
    import importlib

    from duckrisk import roles
    from duckrisk.base.options.disclosure import Options
    from duckrisk.engine.session import Resources, Session
    from duckrisk.source import Request, open_source

    measure = importlib.import_module(f"duckrisk.measures.disclosure.{part}").measure
    names = NAMES[:count]
    with Session(Resources(threads=2)) as session:
        source = open_source(session, Request(path))
        found = roles.infer(session, source, roles.RoleOverrides(user="", attributes=names))
        before = used()
        section, _ = measure(session, source, found, Options(quasi_identifiers=names, **options))
        spent = round(used() - before, 2)
    keys = ("scored", "score_total", "sets_examined", "keys_found", "keys_checked", "estimated_seconds")
    return {"section": spent, **{key: getattr(section, key) for key in keys if hasattr(section, key)}}


def bare(part: str, path: str, count: int, options: dict[str, Any]) -> dict[str, Any]:
    """A GROUP BY for each set up to the size; for keys, one on all attributes."""
    from itertools import combinations

    import duckdb

    names = [f'"{name}"' for name in NAMES[:count]]
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"CREATE TABLE records AS FROM '{path}'").fetchall()
    sizes = [count] if part == "minimal_keys" else range(1, options.get("max_size", count) + 1)
    sets = [", ".join(some) for size in sizes for some in combinations(names, size)]
    before = used()
    for keys in sets:
        query = f"SELECT COUNT(*) FROM (SELECT 1 FROM records GROUP BY {keys} HAVING COUNT(*) = 1)"
        connection.execute(query).fetchall()
    return {"section": round(used() - before, 2), "statements": len(sets)}


def used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def table(original: Path, kind: str, scratch: Path) -> Path:
    """The file of a kind of table, made where it is not there."""
    import duckdb

    if kind == "x1":
        return original
    path = scratch / f"adult-{kind}.parquet"
    if path.exists():
        return path
    if kind.endswith("distinct"):
        source = table(original, kind.removesuffix("distinct"), scratch)
        duckdb.execute(f"COPY (SELECT DISTINCT * FROM '{source}') TO '{path}'").fetchall()
    else:
        duckdb.execute(REPEATED.format(source=original, times=int(kind[1:]), target=path)).fetchall()
    return path


def made(original: str, kind: str, scratch: str) -> dict[str, Any]:
    return {"path": str(table(Path(original), kind, Path(scratch)))}


def child(*task: Any) -> dict[str, Any]:
    """What a process of its own says of a task."""
    command = [sys.executable, __file__, "--child", json.dumps(task)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("adult", type=Path, nargs="?")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--child")
    given = parser.parse_args()
    if given.child is not None:
        who, *rest = json.loads(given.child)
        result = {"duckrisk": ours, "bare": bare, "table": made}[who](*rest)
        result["whole"] = round(used(), 2)
        result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps(result))
        return
    for name in given.cases:
        part, kind, count, options = CASES[name]
        # A process begins with the peak of the one that starts it, so that this one stays small.
        path = child("table", str(given.adult), kind, str(given.scratch))["path"]
        for who in ("duckrisk", "bare"):
            found = child(who, part, path, count, options)
            spent, whole, peak = (found.pop(key) for key in ("section", "whole", "peak_mb"))
            print(
                f"{name:12} {who:9} cpu {spent:7.2f}  with start-up {whole:7.2f}  peak {peak:6,} MB  {found}",
                flush=True,
            )


if __name__ == "__main__":
    main()
