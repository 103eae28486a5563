"""Runs the command in tests: in this process, which is quick, or as the real one, which can be killed."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from duckrisk import cli
from duckrisk.cli.progress import Progress
from duckrisk.decision import assessment
from tests.tables import engine

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Result:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


@contextmanager
def signals_kept() -> Iterator[None]:
    """Signals do after the block what they did before: the command takes them for its own."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def page_not_served() -> AbstractContextManager[Any]:
    """Let `duckrisk open` end where it would serve: tests/page serves."""
    return mock.patch("uvicorn.Server.run")


def command(*arguments: Any, stdin: bytes = b"") -> Result:
    """Run ``duckrisk`` in this process as its own would run."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = 0
    try:
        with ExitStack() as stack:
            stack.enter_context(signals_kept())
            stack.enter_context(mock.patch.object(sys, "argv", ["duckrisk", *map(str, arguments)]))
            stack.enter_context(mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")))
            stack.enter_context(mock.patch.object(sys, "stdout", out))
            stack.enter_context(mock.patch.object(sys, "stderr", err))
            stack.enter_context(page_not_served())
            cli.main()
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    said = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]  # type: ignore[attr-defined]
    return Result(code, *said)


def on_terminal(*arguments: Any) -> str:
    """What a command says to a terminal, which is its standard output and its standard error."""
    ours, theirs = pty.openpty()
    said: list[bytes] = []

    def listen() -> None:
        try:
            while got := os.read(ours, 65536):
                said.append(got)
        except OSError:  # the other end is closed
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    with (
        open(theirs, "w", encoding="utf-8") as stream,
        signals_kept(),
        mock.patch.object(sys, "argv", ["duckrisk", *map(str, arguments)]),
        mock.patch.object(sys, "stdout", stream),
        mock.patch.object(sys, "stderr", stream),
        mock.patch.object(Progress, "_show"),  # the bar is drawn by steering, and has no names
        suppress(SystemExit),
    ):
        cli.main()
    listener.join()
    os.close(ours)
    return b"".join(said).decode("utf-8").replace("\r\n", "\n")


@contextmanager
def measured_once(module: Any = assessment, function: str = "run") -> Iterator[dict[str, Any]]:
    """Commands that ask again for the same assessment, in another form or language, get what was measured
    before; or, of another module and ``function``, for the same of that. What was measured is kept there."""
    real = getattr(module, function)
    made: dict[str, Any] = {}

    def run(*given: Any, **named: Any) -> Any:
        inputs = [one for one in given if not callable(one)]  # but who watches
        while inputs and inputs[-1] is None:  # or nobody does
            inputs.pop()
        asked = re.sub(r"Language\(language=[^)]*\)", "", repr([*inputs, named]))
        if asked not in made:
            made[asked] = real(*given, **named)
        return made[asked]

    with mock.patch.object(module, function, run):
        yield made


#: Little to measure of a history, for what does not depend on what it is.
FEW = ["--only", "attribute_risk", "--attribute", "item", "--known-records", "0"]


def without_notice(err: str) -> str:
    """What a command said, without the notice that it will take minutes, as it may on a busy machine."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("duckrisk: This takes longer than"))


def refused(code: int, *words: str, arguments: Sequence[Any]) -> str:
    """Run a command that must be refused: one sentence that holds the words, and nothing else."""
    folder = Path.cwd()
    before = everything(folder)
    result = command(*arguments)
    assert result.code == code, (result.code, result.err)
    assert result.out == ""
    lines = without_notice(result.err).splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("duckrisk: ")
    assert lines[0].rstrip().endswith((".", "?"))
    assert "Traceback" not in result.err
    assert "please report" not in result.err
    for word in words:
        assert word in result.err, (word, result.err)
    assert everything(folder) == before, "something was left behind"
    return result.err


def everything(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, with the content of the files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def environment(**changes: str) -> dict[str, str]:
    """The variables of a real command."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **changes}


@contextmanager
def ended(process: subprocess.Popen[Any]) -> Iterator[subprocess.Popen[Any]]:
    """A process that does not outlive the block, however a test ends."""
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def started(*arguments: Any, cwd: Path, **changes: str) -> Iterator[subprocess.Popen[bytes]]:
    """The real command, started as a shell in the foreground would: an interrupt reaches it even where this
    process ignores it. No code runs between fork and exec: a client of gRPC that has threads may abort there.
    """
    with signals_kept():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(
            [sys.executable, "-m", "duckrisk", *map(str, arguments)],
            cwd=cwd,
            env=environment(**changes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    with ended(process):
        yield process


def table(path: Path, select: str) -> Path:
    """Write a query's result to a Parquet, CSV or JSON file."""
    form = "json" if path.suffix == ".json" else "parquet"
    options = "(HEADER, QUOTE '\"')" if path.suffix == ".csv" else f"(FORMAT {form})"
    engine().execute(f"COPY ({select}) TO '{path}' {options}")
    return path


#: A small history: 40 users, 400 records.
HISTORY = """
    SELECT 'u' || (i * 7 % 40) AS customer_id, 'item ' || (i * 13 % 17) AS item, i * 11 % 5 AS quantity,
           TIMESTAMP '2024-01-01 08:00:00' + INTERVAL (i * 37 % 500) HOUR AS bought,
           'c' || (i * 7 % 40 % 6) AS city
    FROM range(400) AS r(i)
"""
