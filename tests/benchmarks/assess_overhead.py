"""What `duckrisk assess` costs beyond its own statements: start-up, roles, assembly, the report.

    python tests/benchmarks/assess_overhead.py SOURCE [--runs 5]

Runs the command and, in turn, a process that does nothing but execute the same rendered statements in
one connection; prints the medians of wall and CPU time and the difference.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE = """
import json, sys, duckdb
connection = duckdb.connect(config={"preserve_insertion_order": False})
for statement in json.load(open(sys.argv[1])):
    connection.execute(statement).fetchall()
"""


def timed(command: list[str]) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    import duckrisk

    report = duckrisk.assess(given.source)
    statements = [s.sql for s in report.statements if s.name != "set_option"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "statements.json"
        path.write_text(json.dumps(statements))
        whole, bare = [], []
        for _ in range(given.runs + 1):
            whole.append(timed([sys.executable, "-m", "duckrisk", "assess", given.source, "-q"]))
            bare.append(timed([sys.executable, "-c", BARE, str(path)]))
    print(f"{len(statements)} statements; medians of {given.runs} runs after one to warm up, seconds")
    for name, column in (("wall", 0), ("cpu", 1)):
        first = statistics.median(run[column] for run in whole[1:])
        second = statistics.median(run[column] for run in bare[1:])
        print(
            f"{name:5} assess {first:.2f}  bare statements {second:.2f}  more {first - second:.2f}  "
            f"ratio {first / second:.2f}"
        )
    helped = [timed([sys.executable, "-m", "duckrisk", "--help"]) for _ in range(given.runs)]
    print(f"--help {statistics.median(run[0] for run in helped):.2f} wall")


if __name__ == "__main__":
    main()
