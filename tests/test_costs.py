"""What commands cost: the memory of those in the README, and the work of the main job, counted in rows."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import duckrisk
from duckrisk.engine.session import Session
from tests import readme
from tests.cli.test_examples import VISITS, counts
from tests.command import ROOT, command, environment, table
from tests.measured import measured
from tests.tables import COMMANDS_FROM, EXAMPLES, thinned

RETAIL = ROOT / "datasets" / "retail.parquet"
MOST_MEGABYTES = 500
#: The heaviest statement makes 7.04 million in every run, all of them 76.3 to 76.4: where several sets or
#: records would do, order decides which is taken.
MOST_ROWS, MOST_ROWS_IN_ALL = 10_000_000, 120_000_000


#: What there is little of where the whole of a command is tried before.
FEWER = {"assess": ["--only", "attribute_risk", "--known-records", "0"], "advise": ["--steps", "1"]}


def blocks() -> list[list[tuple[readme.Command, bool]]]:
    """The commands of each block, and whether it is the first of its kind without a choice of parts."""
    found, kinds = [], set()
    for block in readme.blocks():
        found.append([])
        for one in (one for line in block for one in readme.commands(line)):
            kind = one.arguments[0]
            if kind == "open":  # it runs until it is ended: tests/page/test_serving.py
                continue
            first = kind not in kinds and "--only" not in one.arguments
            found[-1].append((one, first))
            kinds |= {kind} if first else set()
    return [block for block in found if block]


@pytest.mark.slow
@pytest.mark.parametrize(
    "block",
    thinned(blocks(), 4, all_from=COMMANDS_FROM),
    ids=lambda block: " ".join(block[0][0].arguments)[:50],
)
def test_commands_of_the_readme(
    block: list[tuple[readme.Command, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each succeeds as a process of its own, on the whole history, and in little memory. Where examples are
    few, the history is a twentieth, and the first of a kind alone is such a process."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").mkdir()
    for place in (tmp_path, tmp_path / "datasets"):
        if EXAMPLES >= 20:
            shutil.copy(RETAIL, place)
        else:
            table(place / RETAIL.name, f"SELECT * FROM '{RETAIL}' WHERE CustomerID % 20 = 0")
    if block[0][0].arguments[0] == "tables":
        write_tables(tmp_path)
    for (arguments, target), first in block:
        # As on a machine with two cores: each thread of the engine takes memory.
        more = [] if arguments[0] in ("sql", "explain") else ["--threads", "2"]
        whole = first and (EXAMPLES >= 20 or arguments[0] == "assess")
        more += [] if whole or "--only" in arguments else FEWER.get(arguments[0], [])
        # A gate of the README holds for the whole history.
        allowed = (0,) if EXAMPLES >= 20 or "--fail-on" not in arguments else (0, 1)
        if first or EXAMPLES >= 20:
            call = [sys.executable, "-m", "duckrisk", *arguments, *more]
            run = measured(call, tmp_path, environment(), timeout=300)
            assert run.peak <= MOST_MEGABYTES, (arguments, run.peak)
            code, out, err = run.code, run.out, run.err
        else:
            done = command(*arguments, *more)
            code, out, err = done.code, done.out.encode(), done.err
        assert code in allowed, (arguments, code, err)
        if target is not None:
            (tmp_path / target).write_bytes(out)


def write_tables(folder: Path) -> None:
    """Write what the README on tables of counts has: two tables, and what tables are made of."""
    counts(folder)
    table(folder / "visits.csv", VISITS)
    firms = "SELECT i AS firm, i % 3 AS region, i % 4 AS sector, 100 + i * i AS turnover FROM range(90) t(i)"
    table(folder / "firms.csv", firms)


@contextmanager
def rows_made() -> Iterator[list[tuple[int, str]]]:
    """How many rows the operators of each statement make, with the name of its template."""
    made: list[tuple[int, str]] = []
    begin, call = Session.__init__, Session.run_in_worker

    def begun(session: Session, *given: Any, **named: Any) -> None:
        begin(session, *given, **named)
        session._connection.execute("SET enable_profiling = 'no_output'")
        session._connection.execute("SET profiling_coverage = 'ALL'")

    def called(session: Session, function: Callable[[], Any], name: str) -> Any:
        found = call(session, function, name)
        told = json.loads(call(session, session._connection.get_profiling_information, name))
        # Since DuckDB 2 the counts of a statement stand together, under another name.
        rows = told["query"]["total_intermediate_rows"] if "query" in told else told["cumulative_cardinality"]
        made.append((rows, name))
        return found

    with mock.patch.object(Session, "__init__", begun), mock.patch.object(Session, "run_in_worker", called):
        yield made


@pytest.mark.slow
def test_rows_of_the_main_job() -> None:
    """No statement multiplies what it reads: time and memory depend on the machine, this hardly does."""
    with rows_made() as made:
        duckrisk.assess(RETAIL)
    assert sum(name == "examine_sets" for _, name in made) > 5
    assert 1_000_000 < max(made)[0] < MOST_ROWS, max(made)
    assert sum(rows for rows, _ in made) < MOST_ROWS_IN_ALL


def _people(folder: Path, records: int) -> tuple[Path, Path]:
    """A table with many different numbers, dates and texts, and a release of it in coarser forms."""
    table, release = folder / "people.csv", folder / "release.csv"
    lines = ["income,height,birth_date,city,note"]
    for i in range(records):
        birth_date = f"{1950 + i % 50}-{1 + i % 12:02}-{1 + i % 28:02}"
        lines.append(f"{1000 + 7 * i},{100 + 37 * i % records / 100},{birth_date},city{i % 23},text {i}")
    table.write_text("\n".join(lines) + "\n")
    steps = [
        {"method": "generalize", "column": "height", "width": 0.1},
        {"method": "generalize", "column": "birth_date", "moment": "month"},
    ]
    duckrisk.anonymize(table, release, steps=steps)
    return table, release


#: What looks at a whole table in more ways than the main job.
JOBS: dict[str, Callable[[Path, Path], object]] = {
    "compare": lambda table, release: duckrisk.compare(table, release, only=["utility"]),
    "disclosure": lambda table, release: duckrisk.assess(
        table, only=["attribute_disclosure", "information_gain"]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_rows_grow_no_faster_than_the_table(job: Callable[[Path, Path], object], tmp_path: Path) -> None:
    """A join that compares all pairs of values makes four times as many rows on a table twice as long."""
    heaviest: list[dict[str, int]] = []
    for records in (600, 1_200):
        (folder := tmp_path / str(records)).mkdir()
        table, release = _people(folder, records)
        with rows_made() as made:
            job(table, release)
        heaviest.append({})
        for rows, name in made:
            heaviest[-1][name] = max(rows, heaviest[-1].get(name, 0))
    short, long = heaviest
    assert {
        name: rows for name, rows in long.items() if rows > 30_000 and rows > 3 * short.get(name, 0)
    } == {}
