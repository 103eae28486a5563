"""Runs a command as a process of its own and says what it cost.

A process begins with the peak of memory of the one that starts it. So a small one stands between, which is
this file run as a script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """How a process ended (None: it was stopped when its time was up), what it wrote to its standard streams,
    seconds, the peak of memory in megabytes, and the bytes of the files that it wrote into its folder."""

    code: int | None
    out: bytes
    err: str
    cpu: float
    wall: float
    peak: float
    files: int


def measured(
    command: Sequence[str], cwd: Path, env: dict[str, str] | None = None, timeout: float = 600
) -> Run:
    """Run a command in a folder."""
    before = _written(cwd)
    with tempfile.TemporaryDirectory() as name:
        out, err = Path(name) / "out", Path(name) / "err"
        between = [sys.executable, "-I", "-S", __file__, str(out), str(err), str(timeout), *command]
        done = subprocess.run(between, cwd=cwd, env=env, stdout=subprocess.PIPE, check=True)
        said = out.read_bytes(), err.read_text(encoding="utf-8", errors="replace")
    changed = {file: at for file, at in _written(cwd).items() if before.get(file) != at}
    ended = json.loads(done.stdout)
    return Run(ended.pop("code"), *said, **ended, files=sum(size for size, _ in changed.values()))


def _written(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of each file of a folder."""
    files = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {path: (found.st_size, found.st_mtime_ns) for path, found in files.items()}


def _between(out: str, err: str, timeout: str, *command: str) -> None:
    started = time.perf_counter()
    with open(out, "wb") as said, open(err, "wb") as told:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=told)
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    clock = threading.Timer(float(timeout), stop)
    clock.start()
    _, status, used = os.wait4(process.pid, 0)
    clock.cancel()
    ended = {
        "code": None if late.is_set() else os.waitstatus_to_exitcode(status),
        "cpu": used.ru_utime + used.ru_stime,
        "wall": time.perf_counter() - started,
        "peak": used.ru_maxrss / 1024,
    }
    print(json.dumps(ended))


if __name__ == "__main__":
    _between(*sys.argv[1:])
