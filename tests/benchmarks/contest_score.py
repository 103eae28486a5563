"""What `duckrisk pwscup score` costs: one submission of the contest, start-up included.

    python tests/benchmarks/contest_score.py FOLDER [--release AT.csv] [--runs 5] [--submissions 6]
        [--threads 2] [--memory 4GB]

FOLDER holds T.csv, M.csv and T25.csv to T100.csv; without --release AT_sample.csv of it is scored. The bare
statement reads and groups all these files once in a process of its own. Prints, of the quickest of some
runs, CPU time, wall time, the peak of memory and the ratio of CPU times, then the same for scores of
several submissions, for all attacks, and what the time of one score goes to.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ALPHAS = (25, 50, 75, 100)
BARE = """
import duckdb, sys
connection = duckdb.connect(config={"threads": int(sys.argv[1]), "memory_limit": sys.argv[2]})
for path in sys.argv[3:]:
    table = f"read_csv('{path}', header = false, all_varchar = true, delim = ',', quote = '')"
    connection.execute(f"SELECT count(*) FROM (SELECT DISTINCT * FROM {table})").fetchall()
"""


def measured(command: list[Any], runs: int) -> tuple[float, float, float]:
    """The least CPU seconds, the wall seconds of that run and the peak in megabytes."""
    best = (float("inf"), 0.0, 0.0)
    for _ in range(runs):
        started = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"failed: {command}")
        wall = time.perf_counter() - started
        best = min(best, (used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--release", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--submissions", type=int, default=6, help="How many submissions are scored at once.")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--memory", default="4GB")
    given = parser.parse_args()
    folder, release = given.folder, given.release or given.folder / "AT_sample.csv"
    partials = {alpha: folder / f"T{alpha}.csv" for alpha in ALPHAS}
    files = [folder / "T.csv", release, folder / "M.csv", *partials.values()]
    floor = measured([sys.executable, "-c", BARE, given.threads, given.memory, *files], given.runs)
    command = [sys.executable, "-m", "duckrisk", "pwscup", "score", "--original", folder / "T.csv"]
    command += ["--master", folder / "M.csv", "--threads", given.threads, "--memory", given.memory, "-q"]
    for alpha, path in partials.items():
        command += ["--partial", f"{alpha}={path}"]
    command += ["--format", "json", "--release", release]
    print(f"{'':24} {'cpu s':>8} {'wall s':>8} {'MB':>6} {'ratio':>6}")
    report("bare reading", floor, floor[0])
    report("score", measured(command, given.runs), floor[0])
    several = [*command, *["--release", release] * (given.submissions - 1)]
    report(f"{given.submissions} submissions", measured(several, 1), floor[0])
    report("all attacks", measured([*command, "--attacks", "all"], 1), floor[0])
    profile(files, partials)


def report(name: str, found: tuple[float, float, float], floor: float) -> None:
    print(f"{name:24} {found[0]:8.2f} {found[1]:8.2f} {found[2]:6.0f} {found[0] / floor:6.2f}", flush=True)


def profile(files: list[Path], partials: dict[int, Path]) -> None:
    """The wall time of each template in one score."""
    from duckrisk.contests import pwscup

    started = time.perf_counter()
    made = pwscup.score(files[0], files[1], master=files[2], partials=partials, threads=2)
    whole = time.perf_counter() - started
    seconds: Counter[str] = Counter()
    for statement in made.statements:
        seconds[statement.name] += statement.seconds
    print(f"{len(made.statements)} statements took {sum(seconds.values()):.2f} of {whole:.2f} s:")
    for name, taken in seconds.most_common(12):
        print(f"  {name:24} {taken:6.3f}")


if __name__ == "__main__":
    main()
