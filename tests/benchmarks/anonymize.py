"""What `duckrisk anonymize` costs beside a bare COPY of the same columns.

    python tests/benchmarks/anonymize.py FOLDER [--records 10000000] [--memory 4GB] [--threads 2] [--runs 3]

Writes a history once (visits of 20 records, 100,000 users, six columns), then runs, in every round, the bare
statement and each method after one another, each in a process of its own: the least CPU time, its wall time,
the peak of memory, and the ratio of CPU times to the bare statement of the same round: the median of the
rounds, and the same without what both take to start, which they need for ten records too. The bare statement
is timed as it is and with the users as texts, which is what pseudonyms are.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

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
    "perturb, three columns": [
        "--perturb", "age=0.05", "--perturb", "quantity=0.05", "--perturb", "item=0.05",
    ],
    "everyday": [
        "--pseudonymize", "customer_id", "--generalize", "bought_at=day", "--perturb", "quantity=0.05",
    ],
    "swap": ["--swap", "age=0.05"],
    "top": ["--top", "age=80"],
    "delete": ["--delete", "age > 80"],
    "sample": ["--sample", "0.5"],
    "shuffle": ["--shuffle"],
    "microaggregate": ["--microaggregate", "age=5"],
}  # fmt: skip


class Run(NamedTuple):
    cpu: float
    wall: float
    peak: float


def measured(command: list[str]) -> Run:
    """CPU and wall seconds of a process, and its peak in megabytes."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {command}")
    return Run(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss / 1024)


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
    few = given.folder / "history_10.parquet"
    duckdb.execute(f"COPY (FROM '{source}' LIMIT 10) TO '{few}' (FORMAT parquet)")

    def bare(path: Path, select: str) -> list[str]:
        where = [str(path), str(target), given.threads, given.memory]
        return [sys.executable, "-c", BARE, *where, select]

    def ours(path: Path, options: list[str]) -> list[str]:
        where = [str(path), "-o", str(target), "--overwrite", "-q", "--hierarchies", str(hierarchy)]
        limits = ["--memory", given.memory, "--threads", given.threads]
        return [sys.executable, "-m", "duckrisk", "anonymize", *where, *limits, *options]

    commands = {
        "bare COPY": bare(source, "*"),
        "bare COPY, users texts": bare(source, "* REPLACE ('P' || customer_id AS customer_id)"),
        **{name: ours(source, METHODS[name]) for name in given.only},
        "bare COPY of 10 records": bare(few, "*"),
        "top, of 10 records": ours(few, METHODS["top"]),
    }
    rounds = [{name: measured(command) for name, command in commands.items()} for _ in range(given.runs)]
    begun = {
        name: statistics.median(
            found["bare COPY of 10 records" if name.startswith("bare") else "top, of 10 records"].cpu
            for found in rounds
        )
        for name in commands
    }
    print(f"{'':24} {'cpu s':>8} {'wall s':>8} {'MB':>6} {'ratio':>6} {'less the start':>15}")
    for name in commands:
        best = min(found[name] for found in rounds)
        ratio = statistics.median(found[name].cpu / found["bare COPY"].cpu for found in rounds)
        rest = statistics.median(
            (found[name].cpu - begun[name]) / (found["bare COPY"].cpu - begun["bare COPY"])
            for found in rounds
        )
        print(f"{name:24} {best.cpu:8.2f} {best.wall:8.2f} {best.peak:6.0f} {ratio:6.2f} {rest:15.2f}")


if __name__ == "__main__":
    main()
