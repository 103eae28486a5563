"""The same report by DuckDB and by engines as a table grows.

    python -m tests.benchmarks.engines online_retail_clean.parquet --user CustomerID --skewed StockCode

The table is repeated, each copy with users of its own, so its different combinations stay as many; with
--skewed COLUMN once more at the first size, one value of that column with half of the records and one
user with a tenth. Every run is a process of its own. Printed are CPU seconds of the client and of the
engine (Linux tells them), the rows that were fetched, the peak of memory of the client in MB (it must
stay under 1,000), and how many figures differ from those of DuckDB (none). The engine sail is a Spark
Connect server without Java, in a process of its own; others are addresses, of a Spark of this machine or
of a cluster of two workers. An engine that is not installed is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

from duckrisk.engine.session import Session
from tests.engines.comparing import differences, report
from tests.engines.serving import serving

#: The engines, and the module that each needs.
NEEDED = {
    "sail": "pysail.spark",
    "spark://local[2]": "pyspark.core",
    "spark://local-cluster[2,1,1024]": "pyspark.core",
}
#: Uniqueness is left out: of large tables each engine draws its own people.
PARTS = ("attribute_risk", "identifiability", "class_sizes")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source")
    parser.add_argument("--user", required=True)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10, 30])
    parser.add_argument("--engines", nargs="+", default=list(NEEDED))
    parser.add_argument("--skewed")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(run(asked.one, asked.source, asked.user)))
        return
    print(f"{'copies':>6} {'engine':32} {'client s':>9} {'engine s':>9} {'fetched':>10} {'MB':>6} differ")
    engines = [engine for engine in asked.engines if is_installed(engine)]
    sizes = [(times, None) for times in asked.times]
    sizes += [(asked.times[0], asked.skewed)] if asked.skewed else []
    for times, skewed in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = repeated(asked.source, asked.user, times, Path(folder), skewed)
            first: Any = None
            for engine in ["duckdb", *engines]:
                one = [sys.executable, "-m", "tests.benchmarks.engines", path, "--user", asked.user]
                done = subprocess.run([*one, "--one", engine], stdout=subprocess.PIPE, text=True, check=True)
                told = json.loads(done.stdout.splitlines()[-1])
                first = first or told["report"]
                size = "skewed" if skewed else str(times)
                seconds = f"{told['client']:9.1f} {told['engine']:9.1f}"
                cost = f"{seconds} {told['fetched']:10,} {told['peak']:6.0f}"
                different = len(differences(first, told["report"]))
                print(f"{size:>6} {engine:32} {cost} {different}", flush=True)


def is_installed(engine: str) -> bool:
    """Whether what an engine needs is there; says so where it is not."""
    module = NEEDED.get(engine, "pyspark.core")
    with contextlib.suppress(ImportError):
        if importlib.util.find_spec(module) is not None:
            return True
    print(f"{engine} is left out: {module} is not installed here")
    return False


def repeated(source: str, user: str, times: int, folder: Path, skewed: str | None = None) -> str:
    """The records so many times, each copy with users of its own; where a column is ``skewed``, every other
    record has one value of it, and every tenth one user."""
    path = folder / "table.parquet"
    name = '"' + user.replace('"', '""') + '"'
    own = f"{name} || '-' || copy"
    columns = f"* EXCLUDE (copy) REPLACE ({own} AS {name})"
    if skewed is not None:
        column = '"' + skewed.replace('"', '""') + '"'
        often = f"CASE WHEN ROW_NUMBER() OVER () % 2 = 0 THEN MIN({column}) OVER () ELSE {column} END"
        busy = f"CASE WHEN ROW_NUMBER() OVER () % 10 = 0 THEN 'one' ELSE {own} END"
        columns = f"* EXCLUDE (copy) REPLACE ({busy} AS {name}, {often} AS {column})"
    query = f"SELECT {columns} FROM '{source}', range({times}) AS t(copy)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return str(path)


def run(engine: str, source: str, user: str) -> dict[str, Any]:
    """One report, and what it took."""
    fetched: list[int] = []
    close = Session.close

    def closing(self: Session) -> None:
        fetched.append(self.fetched_rows)
        close(self)

    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(mock.patch.object(Session, "close", closing))
        address = stack.enter_context(serving())[0] if engine == "sail" else engine
        there = (None, None) if engine == "duckdb" else (address, scratch)
        told = report(source, *there, user=user, only=PARTS)
        spent = cpu_of_children()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "client": used.ru_utime + used.ru_stime,
        "engine": spent,
        "fetched": fetched[-1],
        "peak": peak(),
        "report": told,
    }


def peak() -> float:
    """The peak of memory of this process in MB. What ``getrusage`` tells begins with that of the process that
    started it."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    return int(line.split()[1]) / 1024


def cpu_of_children() -> float:
    """CPU seconds so far of all processes below this one."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(") ")[2].split()
            number = int(stat.parent.name)
            parents[number] = int(fields[1])
            seconds[number] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def is_below(number: int) -> bool:
        while number in parents and number != os.getpid():
            number = parents[number]
        return number == os.getpid()

    return sum(spent for number, spent in seconds.items() if number != os.getpid() and is_below(number))


if __name__ == "__main__":
    main()
