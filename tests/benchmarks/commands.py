"""What commands cost, each as a process: every command of the README, and `assess` of the public tables.

    python tests/benchmarks/commands.py [--data FOLDER] [--cases WORDS ...] [--runs 1] [--timeout 300]
        [--against OTHER/duckrisk]

FOLDER holds adult.parquet, diabetes130.parquet, online_retail.parquet and online_retail_clean.parquet; what
is not there is left out. Two wide tables are made. --cases takes those whose names hold one of the words.
Printed are the medians of CPU and wall seconds, the largest peak of memory, and the bytes written to files
and to standard output; with --against the same of the commands of other checkouts, in turn with ours, and the
ratio. A command that is late is stopped, and what it had used by then is printed.
"""

from __future__ import annotations

import argparse
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
    given = parser.parse_args()
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
