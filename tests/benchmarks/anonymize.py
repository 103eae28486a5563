"""What `duckrisk anonymize` costs beside a bare COPY of the same columns.

    python tests/benchmarks/anonymize.py FOLDER [--records 10000000] [--narrow] [--memory 4GB] [--runs 3]

Writes a history once (visits of 20 records, 100,000 users, six columns, or with --narrow three of them that
repeat), then runs, in every round, the bare COPY of the source and, of each method, the command and the bare
COPY of its finished release, each in a process of its own: the least CPU time, its wall time, the peak of
memory, and the ratios of CPU times of the same round, as the median of the rounds. The COPY of the release
writes the same bytes: nothing that writes such a release costs less. Every ratio is given with what both take
to start, which they need for ten records too, and without.
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
NARROW = """
COPY (
    SELECT
        CAST(12346 + POW((hash(i // 20) % 1000000) / 1e6, 2) * 100000 AS INTEGER) AS customer_id
        , CAST(TIMESTAMP '2010-12-01' + INTERVAL (i // 20) MINUTE AS DATE) AS bought_at
        , CAST(17 + hash(i // 20 + 4) % 73 AS INTEGER) AS age
    FROM range({records}) AS r(i)
) TO '{path}' (FORMAT parquet)
"""
BARE = """
import duckdb, sys
connection = duckdb.connect(config={"threads": int(sys.argv[3]), "memory_limit": sys.argv[4]})
connection.execute(f"COPY (FROM '{sys.argv[1]}') TO '{sys.argv[2]}' (FORMAT parquet)")
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


#: What the narrow history has no columns for.
WIDE = ("item", "quantity", "price")


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
    parser.add_argument("--narrow", action="store_true")
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(METHODS), help="some of the methods")
    given = parser.parse_args()
    name, history = ("narrow", NARROW) if given.narrow else ("history", HISTORY)
    source, target = given.folder / f"{name}_{given.records}.parquet", given.folder / "release.parquet"
    if not source.exists():
        duckdb.execute(history.format(records=given.records, path=source))
    hierarchy = given.folder / "hierarchies.toml"
    groups = {f"group {g}": [f"item {i}" for i in range(g, 4000, 40)] for g in range(40)}
    hierarchy.write_text(
        "[hierarchies.item.tree]\n" + "\n".join(f'"{label}" = {items}' for label, items in groups.items())
    )
    few, copied = given.folder / f"{name}_10.parquet", given.folder / "copied.parquet"
    duckdb.execute(f"COPY (FROM '{source}' LIMIT 10) TO '{few}' (FORMAT parquet)")

    def bare(path: Path) -> Run:
        return measured([sys.executable, "-c", BARE, str(path), str(copied), given.threads, given.memory])

    def ours(path: Path, options: list[str]) -> Run:
        where = [str(path), "-o", str(target), "--overwrite", "-q", "--hierarchies", str(hierarchy)]
        limits = ["--memory", given.memory, "--threads", given.threads]
        return measured([sys.executable, "-m", "duckrisk", "anonymize", *where, *limits, *options])

    methods = [
        name
        for name in given.only
        if not given.narrow or not any(option.startswith(WIDE) for option in METHODS[name])
    ]
    begun = {
        "ours": min(ours(few, METHODS["top"]).cpu for _ in range(3)),
        "bare": min(bare(few).cpu for _ in range(3)),
    }
    of_source: list[Run] = []
    of_release: dict[str, list[Run]] = {name: [] for name in methods}
    treated: dict[str, list[Run]] = {name: [] for name in methods}
    for _ in range(given.runs):
        of_source.append(bare(source))
        for name in methods:
            treated[name].append(ours(source, METHODS[name]))
            of_release[name].append(bare(target))

    def ratios(runs: list[Run], copies: list[Run]) -> str:
        pairs = [(run.cpu, copy.cpu) for run, copy in zip(runs, copies, strict=True)]
        whole = statistics.median(run / copy for run, copy in pairs)
        rest = statistics.median((run - begun["ours"]) / (copy - begun["bare"]) for run, copy in pairs)
        return f"{whole:8.2f} ({rest:5.2f})"

    least = min(of_source)
    print(
        f"start: {begun['ours']:.2f} s, of a bare COPY {begun['bare']:.2f} s; ratios in brackets are without"
    )
    print(f"{'':22} {'cpu s':>7} {'wall s':>7} {'MB':>5} {'to source COPY':>16} {'to release COPY':>16}")
    print(f"{'bare COPY of source':22} {least.cpu:7.2f} {least.wall:7.2f} {least.peak:5.0f}")
    for name in methods:
        best, runs = min(treated[name]), treated[name]
        to_source, to_release = ratios(runs, of_source), ratios(runs, of_release[name])
        print(
            f"{name:22} {best.cpu:7.2f} {best.wall:7.2f} {best.peak:5.0f} {to_source:>16} {to_release:>16}",
            flush=True,
        )
    for path in (target, copied):
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
