"""What commands cost, each as a process: every command of the README, and `assess` of the public tables.

    python tests/benchmarks/commands.py [--data FOLDER] [--cases WORDS ...] [--runs 1] [--timeout 300]
        [--against OTHER/duckrisk]
    python tests/benchmarks/commands.py --growth [--cases WORDS ...] [--records 10000] [--timeout 300]

FOLDER holds adult.parquet, diabetes130.parquet, online_retail.parquet and online_retail_clean.parquet; what
is not there is left out. Two wide tables are made. --cases takes those whose names hold one of the words.
Printed are the medians of CPU and wall seconds, the largest peak of memory, and the bytes written to files
and to standard output; with --against the same of the commands of other checkouts, in turn with ours, and the
ratio. A command that is late is stopped, and what it had used by then is printed.

With --growth the main commands run on made purchases: on so many records of 8 columns, 10 and 100 times as
many, and on so many records of 5, 10, 20 and 40 columns. Beside each figure stands the exponent of its growth
since the one before: 1 where twice as much takes twice as long. What a command takes on ten records is start,
and taken off before; where less than a fifth of a second is left, growth is not told.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests import readme
from tests.measured import Run, measured

ROOT = Path(__file__).resolve().parents[2]
RETAIL = ROOT / "datasets" / "retail.parquet"
PUBLIC = ("adult", "diabetes130", "online_retail", "online_retail_clean")
#: Columns and records; the columns hold so many values in turn, a quarter of them with missing cells.
WIDE = {"wide120": (120, 2_000), "wide500": (500, 1_000)}
VALUES = (2, 3, 5, 8, 20, 60, 300, 2_000)
MAKE_WIDE = """
import duckdb, sys
path, columns, records, *values = sys.argv[1:]
cells = []
for n in range(int(columns)):
    value = f"hash(i, {n}) % {values[n % len(values)]}"
    cell = f"'v' || {value}" if n % 3 == 0 else f"CAST({value} AS INTEGER)"
    cells.append(f"CASE WHEN {n} % 4 = 1 AND hash(i, -{n}) % 10 = 0 THEN NULL ELSE {cell} END AS col_{n}")
duckdb.execute(f"COPY (SELECT {', '.join(cells)} FROM range({records}) AS r (i)) TO '{path}'")
"""
#: What grows, and the commands that are shown: {source} is a table, {release} one that was made of it.
TIMES, COLUMNS, USUAL = (1, 10, 100), (5, 10, 20, 40), 8
NO_RECORDS = 10
#: Of less beside the start a growth is noise.
SOME_SECONDS = 0.2
GROWING = {
    "assess": "assess {source} --user c0",
    "assess --only attribute_risk": "assess {source} --user c0 --only attribute_risk",
    "assess --only class_sizes": "assess {source} --user c0 --only class_sizes",
    "anonymize --generalize": "anonymize {source} -o made.parquet --overwrite --generalize c3=10",
    "anonymize --k": "anonymize {source} -o made.parquet --overwrite --k 5 "
    "--quasi-identifier c1 --quasi-identifier c2 --quasi-identifier c3 --quasi-identifier c4",
    "compare": "compare {source} {release} --user c0",
    "advise": "advise {source} --user c0 --steps 1",
}
MAKE_PURCHASES = """
import duckdb, sys
path, columns, records, *values = sys.argv[1:]
records = int(records)
cells = [f"hash(i, 0) % {max(1, records // 20)} AS c0"]
for n in range(1, int(columns)):
    value = f"hash(i, {n}) % {values[n % len(values)]}"
    cells.append((f"'v' || {value}" if n % 3 == 1 else f"CAST({value} AS INTEGER)") + f" AS c{n}")
duckdb.execute(f"COPY (SELECT {', '.join(cells)} FROM range({records}) AS r (i)) TO '{path}'")
"""


class Case(NamedTuple):
    name: str
    command: readme.Command


#: Commands of which each may use what those before it wrote.
Block = list[Case]


def of_readme() -> Iterator[Block]:
    for block in readme.blocks():
        commands = [command for line in block for command in readme.commands(line)]
        yield [Case(" ".join(command.arguments), command) for command in commands]


def of_tables(data: Path, scratch: Path) -> Iterator[Block]:
    paths = [data / f"{name}.parquet" for name in PUBLIC]
    for name, (columns, records) in WIDE.items():
        paths.append(scratch / f"{name}.parquet")
        made = [sys.executable, "-c", MAKE_WIDE, str(paths[-1]), str(columns), str(records)]
        subprocess.run([*made, *map(str, VALUES)], check=True)
    for path in paths:
        if path.is_file():
            yield [Case(f"assess {path.stem}", readme.Command(["assess", str(path)], None))]


class Folder:
    """A folder in which one checkout's command runs, with the table where the README has it."""

    def __init__(self, executable: str, path: Path, timeout: float) -> None:
        self.executable, self.path, self.timeout = executable, path, timeout
        (path / "datasets").mkdir(parents=True)
        for place in (path, path / "datasets"):
            shutil.copy(RETAIL, place)

    def files(self) -> set[Path]:
        return {path for path in self.path.iterdir() if path.is_file()}

    def keep(self, files: set[Path]) -> None:
        for path in self.files() - files:
            path.unlink()

    def run(self, command: readme.Command) -> Run:
        # Modules are compiled once, as installed ones are.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        found = measured([self.executable, *command.arguments], self.path, environment, self.timeout)
        if command.target is not None:
            (self.path / command.target).write_bytes(found.out)
        return found


def amount(count: int) -> str:
    return f"{count:,}" if count < 100_000 else f"{count / 1000:,.0f}k"


def line(name: str, runs: list[Run]) -> str:
    def middle(column: str) -> float:
        return statistics.median(getattr(run, column) for run in runs)

    last = runs[-1]
    ended = "" if last.code == 0 else "  stopped" if last.code is None else f"  code {last.code}"
    said = f": {last.err.strip().splitlines()[-1]}" if last.code and last.err.strip() else ""
    return (
        f"{middle('cpu'):8.2f} {middle('wall'):8.2f} {max(run.peak for run in runs):8,.0f} "
        f"{amount(int(middle('files'))):>9} {amount(len(last.out)):>9}  {name}{ended}{said}"
    )


def growth(words: list[str], records: int, timeout: float) -> None:
    """What the main commands cost as their table grows, by records and by columns."""
    executable = str(Path(sys.executable).with_name("duckrisk"))
    sizes = [(records * times, USUAL) for times in TIMES]
    wide = [(records, columns) for columns in COLUMNS]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def made(size: tuple[int, int]) -> dict[str, str]:
            paths = {which: f"{which}-{size[0]}-{size[1]}.parquet" for which in ("source", "release")}
            if not (folder / paths["release"]).exists():
                table = [sys.executable, "-c", MAKE_PURCHASES, paths["source"], str(size[1]), str(size[0])]
                subprocess.run([*table, *map(str, VALUES)], check=True, cwd=folder)
                treated = ["anonymize", paths["source"], "-o", paths["release"], "--generalize", "c3=10"]
                subprocess.run([executable, *treated], check=True, cwd=folder, capture_output=True)
            return paths

        heads = f"{'records':>10} {'columns':>8} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}"
        print(f"{heads} {'exponent':>9}  command")
        for case, command in GROWING.items():
            if not any(word in case for word in words):
                continue
            for grown in (sizes, wide):
                before: tuple[int, float] | None = None
                start = cost(executable, command, made((NO_RECORDS, grown[0][1])), folder, timeout).cpu
                for size in grown:
                    run = cost(executable, command, made(size), folder, timeout)
                    own, rate = run.cpu - start, None
                    amount = size[0] if grown is sizes else size[1]
                    if before is not None and before[1] >= SOME_SECONDS and run.code == 0:
                        rate = math.log(own / before[1]) / math.log(amount / before[0])
                    before = amount, own
                    said = "" if run.code == 0 else "  stopped" if run.code is None else f"  code {run.code}"
                    figures = f"{run.cpu:8.2f} {run.wall:8.2f} {run.peak:8,.0f}"
                    exponent = f"{rate:9.2f}" if rate is not None else f"{'':9}"
                    print(f"{size[0]:10,} {size[1]:8} {figures} {exponent}  {case}{said}", flush=True)


def cost(executable: str, command: str, paths: dict[str, str], folder: Path, timeout: float) -> Run:
    """What a command takes."""
    words = command.format(**paths).split()
    return measured([executable, *words], folder, {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}, timeout)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = Path(os.environ.get("DUCKRISK_SHARED_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument("--cases", nargs="+", default=[""])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--against", type=Path, nargs="+", default=[])
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--records", type=int, default=10_000)
    given = parser.parse_args()
    if given.growth:
        growth(given.cases, given.records, given.timeout)
        return
    executables = [Path(sys.executable).with_name("duckrisk"), *given.against]
    for path in executables:
        if not path.is_file():
            parser.error(f"there is no {path}")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folders = [Folder(str(path), scratch / str(n), given.timeout) for n, path in enumerate(executables)]
        print(f"{'CPU s':>8} {'wall s':>8} {'peak MB':>8} {'files':>9} {'stdout':>9}  command")
        for block in [*of_readme(), *of_tables(given.data.absolute(), scratch)]:
            show(block, folders, given.cases, given.runs)


def show(block: Block, folders: list[Folder], words: list[str], times: int) -> None:
    """Run what is asked for of a block, and what comes before it."""
    chosen = [any(word in case.name for word in words) for case in block]
    there = [folder.files() for folder in folders]
    for place, case in enumerate(block):
        if not chosen[place]:
            for folder in folders if any(chosen[place:]) else ():
                folder.run(case.command)
            continue
        before = [folder.files() for folder in folders]
        runs: list[list[Run]] = [[] for _ in folders]
        for _ in range(times):
            for folder, files, found in zip(folders, before, runs, strict=True):
                folder.keep(files)
                found.append(folder.run(case.command))
        print(line(case.name, runs[0]), flush=True)
        for found in runs[1:]:
            ratio = statistics.median(
                ours.cpu / other.cpu for ours, other in zip(runs[0], found, strict=True)
            )
            print(line(f"  the other; ours takes {ratio:.2f} of its CPU time", found), flush=True)
    for folder, files in zip(folders, there, strict=True):
        folder.keep(files)


if __name__ == "__main__":
    main()
