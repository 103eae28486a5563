"""The search for attribute sets, against one GROUP BY a set on the raw table in the same DuckDB.

    python tests/benchmarks/attribute_sets.py FOLDER [--cases adult9 adult14 ...] [--runs 3] [--memory 8GB]

FOLDER holds adult.parquet, diabetes130.parquet and online_retail.parquet. Every measurement is a process of
its own, start-up included; printed are the medians of CPU and wall seconds, the peak of memory, and for
adult9 the ratio to the 511 statements. retail10 and retail100 are online_retail repeated with shifted ids
and dates and a fifth of the quantities redrawn, written into --scratch once.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ADULT9 = {
    "age": (1, 1),
    "workclass": (1, 1),
    "education": (1, 2),
    "marital-status": (1, 1),
    "occupation": (1, 1),
    "race": (1, 2),
    "sex": (1, 1),
    "native-country": (1, 2),
    "income": (2, 2),
}
ADULT14 = ADULT9 | {
    "education-num": (1, 2),
    "relationship": (1, 1),
    "capital-gain": (2, 2),
    "capital-loss": (2, 2),
    "hours-per-week": (1, 1),
}
DIABETES20 = {
    "race": (1, 2),
    "gender": (1, 1),
    "age": (1, 1),
    "weight": (1, 1),
    **dict.fromkeys(("admission_type_id", "discharge_disposition_id", "admission_source_id"), (1, 2)),
    **dict.fromkeys(("time_in_hospital", "payer_code", "medical_specialty", "num_lab_procedures"), (1, 2)),
    **dict.fromkeys(("num_procedures", "num_medications", "number_outpatient", "number_emergency"), (1, 2)),
    **dict.fromkeys(("number_inpatient", "diag_1", "diag_2", "diag_3", "number_diagnoses"), (1, 2)),
}
RETAIL = {
    "InvoiceNo": (2, 1),
    "StockCode": (2, 1),
    "Description": (2, 1),
    "Quantity": (2, 1),
    "InvoiceDate": (2, 1),
    "UnitPrice": (2, 1),
    "CustomerID": (1, 1),
    "Country": (1, 1),
}
CASES: dict[str, tuple[str, dict[str, tuple[int, int]], dict[str, Any]]] = {
    "adult9": ("adult.parquet", ADULT9, {}),
    "adult14": ("adult.parquet", ADULT14, {}),
    "diabetes20": ("diabetes130.parquet", DIABETES20, {}),
    "diabetes20-size4": ("diabetes130.parquet", DIABETES20, {"max_size": 4}),
    "diabetes20-10s": ("diabetes130.parquet", DIABETES20, {"time_limit": 10}),
    "retail": ("online_retail.parquet", RETAIL, {}),
    "retail10": ("retail10.parquet", RETAIL, {}),
    "retail100": ("retail100.parquet", RETAIL, {}),
}
REPEATED = """
COPY (
    SELECT
        InvoiceNo || '-' || copy AS InvoiceNo, StockCode, Description,
        CASE WHEN hash(InvoiceNo, StockCode, copy) % 5 = 0
            THEN CAST(hash(StockCode, Quantity, copy) % 50 AS INTEGER) ELSE Quantity END AS Quantity,
        InvoiceDate + INTERVAL 1 DAY * CAST(copy AS INTEGER) AS InvoiceDate, UnitPrice,
        CustomerID + 100000 * CAST(copy AS INTEGER) AS CustomerID, Country
    FROM '{source}', range({times}) AS copies(copy)
) TO '{target}'
"""


def search(path: str, levels: dict[str, list[int]], limits: dict[str, Any], memory: str) -> dict[str, Any]:
    """The search alone: what `duckrisk assess --only identifiability` does before it writes a report."""
    from duckrisk.engine.session import Resources, Session
    from duckrisk.engine.templates import Attribute, Part
    from duckrisk.measures.sets.combinations import Combinations, EncodedSource
    from duckrisk.measures.sets.easiest import EasiestSets
    from duckrisk.measures.sets.limits import Limits
    from duckrisk.measures.sets.tiers import count_possible
    from duckrisk.source import Request, open_source

    with Session(Resources(memory=memory, threads=2)) as session:
        source = open_source(session, Request(path))
        attributes = []
        for name in levels:
            column = source.column(name)
            kind = "number" if column.type in ("DOUBLE", "FLOAT") else "exact"
            tokens = ("", "?") if column.type == "VARCHAR" else ()
            attributes.append(Attribute(name, (Part(column.binding, kind, tokens=tokens),)))
        encoding = EncodedSource(session, attributes, len(levels))
        pairs = [(economic, psychological) for economic, psychological in levels.values()]
        found = Combinations(session, encoding, len(levels), len(levels), levels=pairs)
        seconds = limits.pop("time_limit", None)
        ends = Limits(**limits, until=time.monotonic() + seconds if seconds is not None else None)
        found.find_dependencies(False, ends)
        walk = EasiestSets(found, ignore_missing=False, limits=ends).run()
        settled, left = (
            session.fetch_row("row_counts", tables=[table])["records"]
            for table in ("settled", "left_persons")
        )
        return {"sets": walk.examined, "of": count_possible(len(levels)), "settled": settled, "unknown": left}


def bare(path: str, names: list[str]) -> dict[str, Any]:
    """One GROUP BY for each set of attributes, which lists the records that the set singles out."""
    import duckdb

    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"CREATE TABLE records AS SELECT *, ROW_NUMBER() OVER () AS record FROM '{path}'")
    connection.execute("CREATE TABLE found (record BIGINT, mask INTEGER)")
    for mask in range(1, 2 ** len(names)):
        keys = ", ".join(f'"{name}"' for place, name in enumerate(names) if mask >> place & 1)
        singled = f"SELECT ANY_VALUE(record), {mask} FROM records GROUP BY {keys} HAVING COUNT(*) = 1"
        connection.execute(f"INSERT INTO found {singled}")
    (single,) = connection.execute("SELECT COUNT(*) FROM found").fetchall()[0]
    return {"sets": 2 ** len(names) - 1, "single": single}


def measured(*arguments: Any) -> dict[str, Any]:
    """One run in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps(arguments)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},  # modules are compiled once, as installed ones are
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": wall, **json.loads(done.stdout)}


def child(arguments: list[Any]) -> None:
    kind, *rest = arguments
    result = search(*rest) if kind == "search" else bare(*rest)
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result))


def shown(name: str, runs: list[dict[str, Any]]) -> float:
    cpu = statistics.median(run["cpu"] for run in runs)
    wall = statistics.median(run["wall"] for run in runs)
    facts = {key: value for key, value in runs[0].items() if key not in ("cpu", "wall", "peak_mb")}
    peak = max(run["peak_mb"] for run in runs)
    print(f"{name:18} cpu {cpu:7.2f}  wall {wall:7.2f}  peak {peak:6,} MB  {facts}", flush=True)
    return cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--cases", nargs="+", default=[name for name in CASES if name != "retail100"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--child")
    given = parser.parse_args()
    if given.child is not None:
        child(json.loads(given.child))
        return
    for name in given.cases:
        file, levels, limits = CASES[name]
        path = given.folder / file
        if file.startswith("retail"):
            path = given.scratch / file
            if not path.exists():
                import duckdb

                times = int(file.removeprefix("retail").removesuffix(".parquet"))
                original = given.folder / "online_retail.parquet"
                duckdb.execute(REPEATED.format(source=original, times=times, target=path))
        runs = given.runs if name in ("adult9", "retail") else 1
        ours, theirs = [], []
        for _ in range(runs):
            ours.append(measured("search", str(path), levels, limits, given.memory))
            if name == "adult9":
                theirs.append(measured("bare", str(path), list(levels)))
        cpu = shown(name, ours)
        if theirs:
            print(f"{'':18} 1/{shown('  511 GROUP BYs', theirs) / cpu:.1f} of their CPU time")


if __name__ == "__main__":
    main()
