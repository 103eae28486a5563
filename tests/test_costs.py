"""What commands cost: the memory of those in the README, and the work of the main job, counted in rows."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

import duckrisk
from duckrisk.session import Session
from tests import readme
from tests.command import ROOT, command, environment, table
from tests.measured import measured

RETAIL = ROOT / "datasets" / "retail.parquet"
MOST_MEGABYTES = 400
#: The heaviest statement makes 7.04 million in every run, all of them 76.3 to 76.4: where several sets or
#: records would do, order decides which is taken.
MOST_ROWS, MOST_ROWS_IN_ALL = 10_000_000, 120_000_000


#: Options that are work of their own.
HEAVY = {"--records-out", "--to-policy", "--sql-log"}
#: What there is little of where the whole of a command is tried before.
FEWER = {
    "assess": ["--only", "attribute_risk", "--known-records", "0"],
    "advise": ["--steps", "1", "--ignore", "InvoiceDate"],
}


class Try(NamedTuple):
    """A command, whether it is the first of its kind, and whether it is run on the whole history: where it is
    the first, has a gate, whose outcome depends on the table, or writes what such a command reads."""

    command: readme.Command
    first: bool
    whole: bool


def kind(arguments: list[str]) -> tuple[str, ...]:
    """The name of a command, the parts that it is asked for, and its options that are work."""
    name = tuple(itertools.takewhile(str.isalpha, arguments))
    parts = [part for option, part in itertools.pairwise(arguments) if option == "--only"]
    return (*name, *sorted(parts), *sorted(HEAVY.intersection(arguments)))


def blocks() -> list[list[Try]]:
    found: list[list[Try]] = []
    kinds: set[tuple[str, ...]] = set()
    for block in readme.blocks():
        commands = [command for line in block for command in readme.commands(line)]
        first = []
        for arguments, _ in commands:
            first.append(kind(arguments) not in kinds)
            kinds.add(kind(arguments))
        found.append([])
        read: set[str] = set()
        for one, new in reversed(list(zip(commands, first, strict=True))):
            arguments = one.arguments
            written = {file for option, file in itertools.pairwise(arguments) if option == "-o"}
            whole = new or "--fail-on" in arguments or bool(written & read)
            read |= {word for argument in arguments for word in argument.split("=")} if whole else set()
            found[-1].insert(0, Try(one, new, whole))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(), ids=lambda block: " ".join(block[0].command.arguments)[:50])
def test_commands_of_the_readme(block: list[Try], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind succeeds as a process of its own, on the whole history, and in little memory; what follows of
    a kind succeeds on some of the customers."""
    (tmp_path / "datasets").mkdir()
    for place in (tmp_path, tmp_path / "datasets"):
        shutil.copy(RETAIL, place)
    monkeypatch.chdir(tmp_path)
    for (arguments, target), first, _ in (one for one in block if one.whole):
        # As on a machine with two cores: each thread of the engine takes memory.
        more = [] if arguments[0] == "sql" else ["--threads", "2"]
        more += [] if first or "--only" in arguments else FEWER.get(arguments[0], [])
        call = [sys.executable, "-m", "duckrisk", *arguments, *more]
        run = measured(call, tmp_path, environment(), timeout=300)
        assert run.code == 0, (arguments, run.code, run.err)
        assert run.peak <= MOST_MEGABYTES, (arguments, run.peak)
        if target is not None:
            (tmp_path / target).write_bytes(run.out)
    some = f"SELECT * FROM '{RETAIL}' WHERE CustomerID % 12 = 0"
    for place in (tmp_path, tmp_path / "datasets") if not all(one.whole for one in block) else ():
        table(place / RETAIL.name, some)
    for arguments, target in (one.command for one in block if not one.whole):
        done = command(*arguments, *([] if "--only" in arguments else FEWER.get(arguments[0], [])))
        assert done.code == 0, (arguments, done.err)
        if target is not None:
            (tmp_path / target).write_text(done.out, encoding="utf-8")


@contextmanager
def rows_made() -> Iterator[list[tuple[int, str]]]:
    """How many rows the operators of each statement make, with the name of its template."""
    made: list[tuple[int, str]] = []
    begin, call = Session.__init__, Session.call

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

    with mock.patch.object(Session, "__init__", begun), mock.patch.object(Session, "call", called):
        yield made


@pytest.mark.slow
def test_rows_of_the_main_job() -> None:
    """No statement multiplies what it reads: time and memory depend on the machine, this hardly does."""
    with rows_made() as made:
        duckrisk.assess(RETAIL)
    assert sum(name == "examine_sets" for _, name in made) > 5
    assert 1_000_000 < max(made)[0] < MOST_ROWS, max(made)
    assert sum(rows for rows, _ in made) < MOST_ROWS_IN_ALL
