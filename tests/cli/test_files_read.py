"""Files that are read: a pipe, a device, a folder, a socket or a huge file is refused in one sentence."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from duckrisk import cli
from duckrisk.base import files, toml
from duckrisk.base.errors import UsageError
from tests.cli.test_every_option import GIVEN, commands, here, options, without_engine
from tests.command import command, environment, table
from tests.tables import EXAMPLES, thinned

__all__ = ["here"]
#: What commands write; all other files are read, and a state is both.
WRITTEN = {
    *("--output", "--junit", "--records-out", "--sql-log", "--scores-out", "--guess-out", "--keys"),
    *("--state", "--resume", "--temp", "--scratch", "--evidence", "--export"),
}
#: Options that name tables: of these what cannot be read is the source, exit code 3.
TABLES = {
    *("--population", "--original", "--truth", "--master", "--test", "--members", "--reference", "--also"),
    *("--control", "--guess", "--preliminary-guess", "--scores", "--partial", "--release"),
    *("--earlier", "--key-table", "--candidates"),
}
#: Files that are no tables and may be of any size as far as anybody knows.
TEXTS = {"--config", "--baseline", "--hierarchies", "--recipe", "--profile"}
#: How the file of an option is written where not as it is.
WRITTEN_AS = {"membership score": "x={}", "pwscup score --guess": "x={}", "--partial": "50={}"}
#: Seconds; on a busy machine a refusal takes some.
PATIENCE = 30


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


KINDS: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "fifo": fifo,
    "device": device,
    "socket": listening,
    "sparse": sparse,
}


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """End a block that hangs."""

    def late(*_: object) -> None:
        raise TimeoutError(f"nothing happened within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def refused(*arguments: str) -> str:
    """Run a command that refuses a file before the engine is opened: the sentence."""
    with no_longer_than(PATIENCE):
        result = command(*arguments)
    assert result.code == 2, (arguments, result.code, result.err)
    assert result.out == ""
    assert result.err.count("\n") == 1, (arguments, result.err)
    assert result.err.startswith("duckrisk: "), (arguments, result.err)
    assert result.err.rstrip().endswith("."), (arguments, result.err)
    assert "please report" not in result.err
    return result.err


@pytest.fixture
def hostile(here: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A file of each kind, by its kind."""
    monkeypatch.setattr(files, "PIPE_PATIENCE", 0.05)
    for kind, make in KINDS.items():
        make(here / f"{kind}.csv")
    return {kind: f"{kind}.csv" for kind in KINDS}


def read_options() -> Iterator[tuple[str, str]]:
    """Each command with each of its options that name a file to read."""
    for name, function in commands(cli.app_of(None)):
        for flag, _ in options(function):
            if flag in TEXTS | TABLES:
                yield name, flag


def test_every_option_that_names_a_file_is_known() -> None:
    """An option that takes a file is one of these, so that a new one is tried too."""
    named = set()
    for _, function in commands(cli.app_of(None)):
        for own in getattr(function, "options", {}).values():
            for field in own:
                if field.flags and (field.kind is Path or "FILE" in str(field.option.metavar)):
                    named.add(field.flags[-1])
    named |= {"--profile"}  # also takes a name
    assert named <= WRITTEN | TABLES | TEXTS, named - WRITTEN - TABLES - TEXTS
    assert {flag for _, flag in read_options()} >= TEXTS


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_are_no_tables(hostile: dict[str, str], kind: str) -> None:
    """With every command that takes one."""
    words = {
        "folder": "it is a folder",
        "fifo": "is a pipe",
        "device": "it is a device",
        "socket": "a socket",
    }
    first, every = (0, 1) if EXAMPLES >= 20 else (list(KINDS).index(kind) % 4, 4)
    for name, flag in [asked for asked in read_options() if asked[1] in TEXTS][first::every]:
        more = ("--quasi-identifier", "age", "--only", "class_sizes") if name == "assess" else ()
        given = GIVEN[name]
        if name == "anonymize":
            given = (*GIVEN[name][:4], *(("--drop", "age") if flag != "--recipe" else ()))
        with without_engine(name.split()[0]):
            said = refused(*name.split(), *given, *more, flag, hostile[kind])
        assert words.get(kind, "is larger than ") in said, (name, flag, said)
        assert hostile[kind] in said


@pytest.mark.parametrize("kind", KINDS)
def test_settings_that_nobody_named(hostile: dict[str, str], kind: str, here: Path) -> None:
    """They are not passed over either."""
    Path(hostile[kind]).rename("duckrisk.toml")
    for arguments in (("assess", "p.parquet"), ("anonymize", "p.parquet", "-o", "o.csv", "--drop", "age")):
        assert "duckrisk.toml" in refused(*arguments)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hierarchy_in_a_file_of_its_own(hostile: dict[str, str], kind: str) -> None:
    Path("h.toml").write_text(f'[hierarchies]\nage = "{hostile[kind]}"\n', encoding="utf-8")
    asked = [
        "anonymize",
        "p.parquet",
        "-o",
        "out.csv",
        "--generalize",
        "age=level1",
        "--hierarchies",
        "h.toml",
    ]
    with no_longer_than(PATIENCE):
        result = command(*asked)
    assert result.code == 2, result.err
    assert hostile[kind] in result.err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("kind", ["fifo", "device", "socket"])
def test_tables(hostile: dict[str, str], kind: str) -> None:
    """Where a table is asked for: one sentence, and nothing hangs."""

    def asked() -> Iterator[tuple[str, ...]]:
        for name, flag in read_options():
            if flag in TABLES:
                written = WRITTEN_AS.get(f"{name} {flag}", WRITTEN_AS.get(name, WRITTEN_AS.get(flag, "{}")))
                yield (*name.split(), *GIVEN[name], flag, written.format(hostile[kind]))
        for name, given in GIVEN.items():
            if given and given[0].endswith(".parquet"):
                yield (*name.split(), hostile[kind], *given[1:])

    first, every = (0, 1) if EXAMPLES >= 20 else (["fifo", "device", "socket"].index(kind), 6)
    for arguments in list(asked())[first::every]:
        with no_longer_than(PATIENCE):
            result = command(*arguments)
        assert result.code in (2, 3), (arguments, result.err)
        assert result.err.startswith("duckrisk: "), (arguments, result.err)
        assert result.err.count("\n") == 1, (arguments, result.err)
        assert "please report" not in result.err, (arguments, result.err)


# --- what is read of a pipe ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_pipe_of_a_shell_is_read(here: Path) -> None:
    """As `--baseline <(...)`, also where what writes to it begins late and pauses."""
    made = command("assess", "p.parquet", "--only", "class_sizes", "-o", "r.json")
    assert made.code == 0, made.err
    asked = f"{sys.executable} -m duckrisk assess p.parquet --only class_sizes --format json "
    asked += "--fail-on 'class_sizes.rules.smallest_class < baseline' --baseline "
    slowly = "<(sleep 0.3; head -c 5000 r.json; sleep 0.3; tail -c +5001 r.json)"
    for pipe in thinned([slowly, "<(cat r.json)", "/dev/stdin < r.json"]):
        done = subprocess.run(
            ["bash", "-c", asked + pipe], env=environment(), capture_output=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert b'"baseline"' in done.stdout


def test_a_pipe_whose_writer_comes_later(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p")

    def write() -> None:
        time.sleep(0.2)
        (tmp_path / "p").write_text("late\r\n" * 100_000, encoding="utf-8")

    thread = threading.Thread(target=write)
    thread.start()
    with no_longer_than(PATIENCE):
        assert files.read_text(tmp_path / "p") == "late\n" * 100_000
    thread.join()


def test_a_pipe_that_never_ends(tmp_path: Path) -> None:
    """It is read up to the limit."""
    os.mkfifo(tmp_path / "p")
    with subprocess.Popen(["sh", "-c", f"exec cat /dev/zero > '{tmp_path / 'p'}'"]) as writer:
        with no_longer_than(PATIENCE), pytest.raises(UsageError, match="larger than 1 MiB"):
            files.read_text(tmp_path / "p", 2**20)
        writer.kill()


def test_settings_from_a_pipe_are_refused_and_not_half_read(here: Path) -> None:
    """They are read twice, and the second time nothing comes."""
    asked = f"{sys.executable} -m duckrisk assess p.parquet --config <(echo 'fail_on = [\"policy\"]')"
    done = subprocess.run(["bash", "-c", asked], env=environment(), capture_output=True, timeout=120)
    assert done.returncode == 2
    assert b"A pipe can be read once" in done.stderr


# --- the limit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101])
def test_the_limit(tmp_path: Path, size: int) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"x" * size)
    if size <= 100:
        assert files.read_text(path, 100) == "x" * size
        return
    with pytest.raises(UsageError, match="larger than"):
        files.read_text(path, 100)


def test_a_file_that_tells_no_size(tmp_path: Path) -> None:
    """Those of /proc have none; they are read all the same, up to the limit."""
    path = Path("/proc/self/mounts")
    if not path.exists():
        pytest.skip("no /proc")
    assert files.read_text(path) == path.read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="larger than"):
        files.read_text(path, 3)


@pytest.mark.slow
def test_what_is_written_can_be_read(here: Path) -> None:
    """Largest of what duckrisk itself makes: a report of 500 columns is far below the limit, and one of fewer
    as far in proportion."""
    count, times = (500, 20) if EXAMPLES >= 20 else (125, 80)
    columns = ", ".join(f"(i * {n + 3}) % {n % 90 + 2} AS c{n}" for n in range(count))
    table(here / "wide.parquet", f"SELECT {columns} FROM range(60) r(i)")
    made = command(
        "assess", "wide.parquet", "--only", "attribute_risk", "--known-records", "0", "-o", "w.json"
    )
    assert made.code == 0, made.err
    assert (here / "w.json").stat().st_size * times < files.MAX_BYTES
    made = command("init", "wide.parquet", "-o", "w.toml")
    assert made.code == 0, made.err
    assert (here / "w.toml").stat().st_size * times < toml.MAX_BYTES


def test_python_is_refused_alike(hostile: dict[str, str]) -> None:
    def calls(path: str) -> Iterator[Callable[[], Any]]:
        yield lambda: duckrisk.assess("p.parquet", baseline=path)
        yield lambda: duckrisk.assess("p.parquet", hierarchies=path)
        yield lambda: duckrisk.assess("p.parquet", profile=path)
        yield lambda: duckrisk.anonymize("p.parquet", "o.csv", recipe=path)
        yield lambda: duckrisk.advise("p.parquet", hierarchies=path)
        yield lambda: duckrisk.compare("p.parquet", "m.parquet", baseline=path)

    for path in hostile.values():
        for call in calls(path):
            with no_longer_than(PATIENCE), pytest.raises(UsageError, match="cannot be read"):
                call()
