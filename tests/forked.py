"""Processes of Python that begin as a copy of this one: nothing is imported again, which takes longest."""

from __future__ import annotations

import inspect
import os
import runpy
import signal
import subprocess
import sys
import traceback
from typing import Any
from unittest import mock

import duckdb

_BEGIN = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_NAMES = inspect.signature(_BEGIN)
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def forking() -> Any:
    """Where a process of Python begins in the block, this one is copied; other programs begin as ever."""
    return mock.patch.object(subprocess.Popen, "_execute_child", _execute_child)


def _execute_child(process: Any, *given: Any) -> None:
    asked = _NAMES.bind(process, *given).arguments
    command = [os.fspath(part) for part in asked["args"]]
    # A copy has none of the threads that polars waits for once it was imported.
    if command[0] != sys.executable or command[1] in ("-I", "-S") or "polars" in sys.modules:
        return _BEGIN(process, *given)
    sys.stdout.flush()
    try:
        process.pid = os.fork()
    except OSError:  # a large process is not copied where memory is short
        return _BEGIN(process, *given)
    if process.pid:
        process._child_created = True
        process._close_pipe_fds(*(asked[name] for name in _PIPES))
        return None
    code = 1
    try:
        for number, name in enumerate(("p2cread", "c2pwrite", "errwrite")):
            if asked[name] != -1:
                os.dup2(asked[name], number)
        for name in ("p2cwrite", "c2pread", "errread"):
            if asked[name] != -1:
                os.close(asked[name])
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # no handler of Python runs while a library waits
        signal.alarm(120)  # a copy that waits for a thread of its original ends
        kept = duckdb.default_connection()  # whose threads are not copied: to end it would wait for them
        duckdb.set_default_connection(duckdb.connect())
        if asked["cwd"] is not None:
            os.chdir(asked["cwd"])
        if asked["env"] is not None:
            os.environ.clear()
            os.environ.update(asked["env"])
        code = _run(command[1:])
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        assert kept is not None
        os._exit(code)


def _run(command: list[str]) -> int:
    """Run a text, a module or a script with its arguments, and return the code that it ends with."""
    kind, *rest = command
    try:
        if kind == "-c":
            sys.argv = ["-c", *rest[1:]]
            exec(rest[0], {"__name__": "__main__"})
        elif kind == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = command
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else int(bool(stopped.code))
    return 0
