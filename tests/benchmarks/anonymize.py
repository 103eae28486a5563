"""What `duckrisk anonymize` costs beside a bare COPY of the same columns.

    python tests/benchmarks/anonymize.py FOLDER [--records 10000000] [--memory 4GB] [--threads 2] [--runs 3]

Writes a history once (visits of 20 records, 100,000 users, six columns), then runs the bare statement and
each method in a process of its own: the least CPU time, the wall time, the peak of memory, and the ratio of
CPU times. The bare statement is timed as it is and with the users as texts, which is what pseudonyms are.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import duckdb

HISTORY = """
COPY (
    SELECT
        CAST(12346 + POW((hash(i // 20) % 1000000) / 1e6, 2) * 100000 AS INTEGER) AS customer_id
        , TIMESTAMP '2010-12-01' + INTERVAL (i // 20) MINUTE AS bought_at
        , 'item ' || (hash(i + 1) % 4000) AS item
        , CAST((hash(i + 2) % 20000) / 100 AS DECIMAL(8, 2)) AS price
        , CAST(hash(i + 3) % 80 AS INTEGER) AS quantity
        , CAST(17 + hash(i // 20 + 4) % 73 AS INTEGER) AS age
    FROM range({records}) AS r(i)
) TO '{path}' (FORMAT parquet)
"""
BARE = """
import duckdb, sys
connection = duckdb.connect(config={"threads": int(sys.argv[3]), "memory_limit": sys.argv[4]})
connection.execute(f"COPY (SELECT {sys.argv[5]} FROM '{sys.argv[1]}') TO '{sys.argv[2]}' (FORMAT parquet)")
"""
METHODS = {
    "generalize, widths": ["--generalize", "age=10"],
    "generalize, month": ["--generalize", "bought_at=month"],
    "generalize, prefix": ["--generalize", "item=prefix6"],
    "generalize, tree": ["--generalize", "item=level1"],
    "generalize, all three": [
        "--generalize", "age=10", "--generalize", "bought_at=month", "--generalize", "item=prefix6",
    ],
    "pseudonymize": ["--pseudonymize", "customer_id"],
    "pseudonymize, month": ["--pseudonymize", "customer_id=month"],
    "perturb, domain": ["--perturb", "age=0.05"],
    "perturb, empirical": ["--perturb", "age=0.05", "--perturb-by", "empirical"],
    "swap": ["--swap", "age=0.05"],
    "top": ["--top", "age=80"],
    "delete": ["--delete", "age > 80"],
    "sample": ["--sample", "0.5"],
    "shuffle": ["--shuffle"],
    "microaggregate": ["--microaggregate", "age=5"],
}  # fmt: skip


def measured(command: list[str], runs: int) -> tuple[float, float, float]:
    """The least CPU seconds, the wall seconds of that run and the peak in megabytes."""
    best = (float("inf"), 0.0, 0.0)
    for _ in range(runs):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"failed: {command}")
        wall = time.perf_counter() - started
        best = min(best, (used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(METHODS), help="some of the methods")
    given = parser.parse_args()
    source, target = given.folder / f"history_{given.records}.parquet", given.folder / "release.parquet"
    if not source.exists():
        duckdb.execute(HISTORY.format(records=given.records, path=source))
    hierarchy = given.folder / "hierarchies.toml"
    groups = {f"group {g}": [f"item {i}" for i in range(g, 4000, 40)] for g in range(40)}
    hierarchy.write_text(
        "[hierarchies.item.tree]\n" + "\n".join(f'"{label}" = {items}' for label, items in groups.items())
    )
    bare = [sys.executable, "-c", BARE, str(source), str(target), given.threads, given.memory]
    floor = measured([*bare, "*"], given.runs)
    texts = measured([*bare, "* REPLACE ('P' || customer_id AS customer_id)"], given.runs)
    print(f"{'':24} {'cpu s':>8} {'wall s':>8} {'MB':>6} {'ratio':>6}")
    report("bare COPY", floor, floor[0])
    report("bare COPY, users texts", texts, floor[0])
    command = [
        sys.executable,
        "-m",
        "duckrisk",
        "anonymize",
        str(source),
        "-o",
        str(target),
        "--overwrite",
        "-q",
    ]
    command += ["--memory", given.memory, "--threads", given.threads, "--hierarchies", str(hierarchy)]
    for name in given.only:
        report(name, measured([*command, *METHODS[name]], given.runs), floor[0])


def report(name: str, found: tuple[float, float, float], floor: float) -> None:
    print(f"{name:24} {found[0]:8.2f} {found[1]:8.2f} {found[2]:6.0f} {found[0] / floor:6.2f}", flush=True)


if __name__ == "__main__":
    main()
