"""The session: settings, lock, private folder, stopping, memory, and an input that stays as it was."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from duckrisk.base import folders
from duckrisk.base.errors import (
    DuckriskError,
    EngineError,
    Interrupted,
    MemoryEndedError,
    SourceError,
    UsageError,
)
from duckrisk.base.folders import create_private_folder, hold_signals, remove_folder
from duckrisk.engine import session as module
from duckrisk.engine.errors import translate_error
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql
from tests.command import FEW, HISTORY, command, ended, environment, started, table
from tests.tables import EXAMPLES, thinned

#: Runs for ever, in a place where the engine can be stopped.
ENDLESS = "SELECT a.range AS n, a.range % 7 AS city FROM range(100000000) a, range(100000000) b"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and a folder for temporary files that has to be empty afterwards."""
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "temp").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DUCKRISK_TEMP", str(tmp_path / "temp"))
    return folder


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    return tmp_path / "temp"


def wait_for(happened: Any, seconds: float = 60) -> Any:
    """The first true answer, looked for until the time is up."""
    until = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
    return found


# --- settings and lock ---------------------------------------------------------------------------


def test_every_setting_is_in_force(temp: Path) -> None:
    with Session(Resources(memory="400MiB", threads=2)) as session:
        session.lock(["/nowhere/a.parquet"])
        rows = session._connection.execute("SELECT name, value FROM duckdb_settings()").fetchall()
        settings = dict(rows)
        spill = session.folder / "spill"
    expected = {
        "memory_limit": "400.0 MiB",
        "threads": "2",
        "temp_directory": str(spill),
        "TimeZone": "UTC",
        "enable_progress_bar_print": "false",
        "preserve_insertion_order": "false",
        "asof_loop_join_threshold": "0",
        "python_enable_replacements": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_unsigned_extensions": "false",
        "allow_persistent_secrets": "false",
        "enable_external_access": "false",
        "lock_configuration": "true",
        "allowed_directories": f"[{spill}/]",  # the engine adds its own
    }
    assert {name: settings[name] for name in expected} == expected
    assert "/nowhere/a.parquet" in settings["allowed_paths"]
    assert spill.parent.parent == temp


@pytest.fixture
def locked(here: Path) -> Iterator[tuple[Session, Path]]:
    """A session locked to one file that has a neighbour."""
    allowed = table(here / "allowed.parquet", "SELECT 1 AS x")
    table(here / "other.parquet", "SELECT 2 AS x")
    (here / "sub").mkdir()
    (here / "link.parquet").symlink_to(here / "other.parquet")
    with duckdb.connect(str(here / "other.duckdb")) as other:
        other.execute("CREATE TABLE t AS SELECT 1 AS x")
    with Session() as session:
        session.lock([str(allowed)])
        yield session, here


ESCAPES = [
    "FROM '{0}/other.parquet'",
    "FROM read_parquet('{0}/other.parquet')",
    "FROM read_parquet('{0}/sub/../other.parquet')",
    "FROM '{0}/link.parquet'",
    "FROM '{0}/*.parquet'",
    "FROM read_parquet(['{0}/allowed.parquet', '{0}/other.parquet'])",
    "FROM read_csv('/etc/passwd')",
    "FROM read_text('/etc/passwd')",
    "FROM read_blob('{0}/other.parquet')",
    "FROM glob('{0}/*')",
    "FROM parquet_schema('{0}/other.parquet')",
    "FROM sniff_csv('/etc/passwd')",
    "COPY (SELECT 1) TO '{0}/out.csv'",
    "COPY (SELECT 1) TO '{0}/allowed.parquet.csv'",
    "COPY (SELECT 1 AS x) TO '{0}/sub'(FORMAT parquet, PER_THREAD_OUTPUT)",
    "COPY (SELECT 5 AS x) TO '{0}/allowed.parquet' (FORMAT parquet)",
    "EXPORT DATABASE '{0}/sub'",
    "ATTACH '{0}/other.duckdb' AS other",
    "ATTACH '{0}/new.duckdb' AS fresh",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{0}/evil.duckdb_extension'",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/']",
    "SET allowed_directories = ['/']",
    "SET lock_configuration = false",
    "RESET enable_external_access",
    "RESET memory_limit",
    "SET memory_limit = '1GB'",
    "SET temp_directory = '{0}/sub'",
    "SET python_enable_replacements = true",
    "FROM 'http://127.0.0.1:9/a.parquet'",
    "FROM 's3://bucket/a.parquet'",
    "CREATE PERSISTENT SECRET s (TYPE http)",
    "FROM query('COPY (SELECT 1) TO ''{0}/out.csv''')",
    "FROM secret_frame",
]


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_locked_engine_cannot_be_left(locked: tuple[Session, Path], escape: str) -> None:
    import pandas

    session, folder = locked
    secret_frame = pandas.DataFrame({"x": [1]})  # what a replacement scan would find
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(duckdb.Error):
        session.run_in_worker(lambda: session._connection.execute(escape.format(folder)).fetchall(), "escape")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert len(secret_frame) == 1
    # What is allowed still works.
    assert session.describe(Sql(f"'{folder}/allowed.parquet'")) == [("x", "INTEGER")]


# call() hands the engine's error through translate_error(); here the raw one matters.
@pytest.fixture(autouse=True)
def _raw(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.name.startswith("test_a_locked_engine"):
        monkeypatch.setattr(module, "translate_error", lambda error, _: error)


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        (Resources(memory="abc"), "abc"),
        (Resources(memory=""), "size"),
        (Resources(memory="0"), "size"),
        (Resources(memory="12"), "size"),
        (Resources(threads=0), "from 1 to 1,024, not 0"),
        (Resources(threads=-3), "from 1 to 1,024, not -3"),
        (Resources(threads=10**6), "1,024, not 1000000"),
        (Resources(temp="/proc/none"), "/proc/none"),
    ],
)
def test_resources_that_make_no_sense(resources: Resources, words: str, temp: Path) -> None:
    with pytest.raises(UsageError, match=words.replace("(", r"\(")):
        Session(resources)
    assert list(temp.iterdir()) == []


# --- the private folder --------------------------------------------------------------------------


def test_the_folder_is_private_and_goes(temp: Path) -> None:
    with Session() as session:
        folder = session.folder
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / "owner").stat().st_mode & 0o777 == 0o600
        assert not folders._lock(os.open(folder / "owner", os.O_RDWR))
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, UsageError])
def test_the_folder_goes_after_an_error(temp: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), Session():
        raise error
    assert list(temp.iterdir()) == []


def test_the_folder_goes_where_opening_fails(temp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(duckdb, "connect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Session()
    assert list(temp.iterdir()) == []


def test_a_session_that_nobody_closed_leaves_nothing(temp: Path) -> None:
    code = "from duckrisk.engine.session import Session; s = Session(); print(s.folder, flush=True)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=60)
    assert done.returncode == 0
    assert str(temp) in done.stdout.decode()
    assert list(temp.iterdir()) == []


def test_a_forked_child_leaves_its_parents_folder(temp: Path) -> None:
    folder = create_private_folder(None)
    child = os.fork()
    if child == 0:
        folders.remove_all_folders()
        os._exit(0)
    os.waitpid(child, 0)
    assert (folder / "owner").is_file()
    remove_folder(folder)


def test_only_folders_of_the_dead_are_swept(temp: Path) -> None:
    code = (
        "import sys; from duckrisk.base.folders import create_private_folder as create; f = create(None);"
        "(f / 'spill').mkdir(); (f / 'spill' / 'a.tmp').write_text('x'); print(f, flush=True); "
        "sys.stdin.read()"
    )
    program, pipes = [sys.executable, "-c", code], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        ended(subprocess.Popen(program, env=environment(), **pipes)) as dead,
        ended(subprocess.Popen(program, env=environment(), **pipes)) as living,
    ):
        folders = [Path(process.stdout.readline().decode().strip()) for process in (dead, living)]
        dead.kill()
        dead.wait()
        stranger = temp / "duckrisk-justmade"  # no owner file yet: somebody may be about to lock it
        stranger.mkdir()
        old = temp / "duckrisk-an_empty"
        old.mkdir()
        os.utime(old, (0, 0))
        (temp / "duckrisk-link").symlink_to(stranger)
        (temp / "duckrisk-file").write_text("x")
        assert folders[0].is_dir()
        with Session():
            assert not folders[0].exists()
            assert (folders[1] / "spill" / "a.tmp").is_file()
        assert {path.name for path in temp.iterdir()} == {
            folders[1].name,
            "duckrisk-justmade",
            "duckrisk-link",
            "duckrisk-file",
        }
        living.communicate(b"")
        assert not folders[1].exists()


def test_an_owner_is_locked_before_it_is_seen(temp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = folders._lock

    def lock(descriptor: int) -> bool:
        (folder,) = temp.iterdir()
        assert not (folder / "owner").exists()
        folders._sweep(temp, "duckrisk-")
        assert folder.is_dir()
        return real(descriptor)

    monkeypatch.setattr(folders, "_lock", lock)
    folder = create_private_folder(None)
    monkeypatch.undo()
    assert (folder / "owner").is_file()
    remove_folder(folder)


# --- stopping ------------------------------------------------------------------------------------


@contextlib.contextmanager
def interrupted_after(began: threading.Event, seconds: float, times: int = 1) -> Iterator[None]:
    """Press Ctrl-C a while after something began, in the main thread. One that came sooner, while the engine
    is opened, can be lost in a place that takes no exception; nothing would end the statement then."""
    left = threading.Event()

    def press() -> None:
        while not began.wait(0.01):
            if left.is_set():
                return
        for number in range(times):
            if left.wait(0.02 if number else seconds):
                return
            signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join()


@pytest.mark.parametrize("times", [1, 2, 5])
def test_an_interrupt_while_waiting_for_the_engine(temp: Path, times: int) -> None:
    started = time.monotonic()
    pressed = 0
    began = threading.Event()

    def endless(session: Session) -> None:
        began.set()
        session._connection.execute(f"SELECT sum(n) FROM ({ENDLESS})").fetchall()

    try:
        with interrupted_after(began, 0.3, times):
            try:
                with Session() as session:
                    session.run("describe", source=Sql("range(1)"))
                    session.run_in_worker(lambda: endless(session), "")
            except KeyboardInterrupt:
                pressed += 1
                assert not session._worker.is_alive()
                assert list(temp.iterdir()) == []
    except KeyboardInterrupt:  # one that came later still
        pressed += 1
    assert pressed
    assert time.monotonic() - started < 5
    assert list(temp.iterdir()) == []


def test_an_interrupt_before_the_statement_began(temp: Path) -> None:
    """The engine forgets an interrupt that comes between two statements: it has to be said again."""
    began = threading.Event()

    def late(session: Session) -> None:
        began.set()
        time.sleep(0.3)  # the interrupt comes now, and nothing runs that could notice it
        session._connection.execute(f"SELECT sum(n) FROM ({ENDLESS})").fetchall()

    def press() -> None:
        began.wait(30)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt), Session() as session:
        session.run_in_worker(lambda: late(session), "late")
    thread.join()
    assert not session._worker.is_alive()
    assert list(temp.iterdir()) == []


def test_an_interrupt_between_statements_and_while_closing(
    temp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module.remove_folder

    def slowly(folder: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        real(folder)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module, "remove_folder", slowly)
    with pytest.raises(KeyboardInterrupt), Session():
        pass
    assert list(temp.iterdir()) == []


def test_held_signals_come_afterwards_and_handlers_return() -> None:
    before = signal.getsignal(signal.SIGINT)
    reached: list[str] = []

    def interrupted() -> None:
        with hold_signals():
            signal.raise_signal(signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached
    assert signal.getsignal(signal.SIGINT) is before


def test_a_watcher_that_fails_stops_the_engine(temp: Path) -> None:
    def watch(name: str, share: float | None) -> None:
        raise ValueError(name)

    started = time.monotonic()
    with pytest.raises(ValueError, match="forever"), Session(progress=watch) as session:
        session.run_in_worker(
            lambda: session._connection.execute(f"SELECT sum(n) FROM ({ENDLESS})").fetchall(), "forever"
        )
    assert time.monotonic() - started < 5
    assert list(temp.iterdir()) == []


def test_closing_twice_and_from_another_thread(temp: Path) -> None:
    session = Session()
    thread = threading.Thread(target=session.close)
    thread.start()
    thread.join()
    session.close()
    assert list(temp.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "twice"),
    thinned(
        [
            (signal.SIGINT, 130, False),
            (signal.SIGINT, 130, True),
            (signal.SIGTERM, 143, True),
            (signal.SIGTERM, 143, False),
            (signal.SIGHUP, 129, False),
            (signal.SIGHUP, 129, True),
        ],
        5,
    ),
)
def test_a_signal_ends_the_command(here: Path, temp: Path, number: int, code: int, twice: bool) -> None:
    with started("assess", "--query", ENDLESS, "-o", "report.json", cwd=here) as process:
        wait_for(
            lambda: list(temp.glob("duckrisk-*/spill")) or list(temp.glob("duckrisk-*/records.parquet*"))
        )
        pressed = time.monotonic()
        process.send_signal(number)
        if twice:
            process.send_signal(number)
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - pressed
    assert process.returncode == code, err
    assert out == b""
    assert err.decode().count("\n") == 1
    assert b"Traceback" not in err
    assert list(temp.iterdir()) == []
    assert list(here.iterdir()) == []
    assert took < 3  # about 0.2 seconds; the machine may be busy


@pytest.mark.slow
def test_a_signal_during_measures_of_a_file(here: Path, temp: Path) -> None:
    source = table(
        here / "long.parquet",
        "SELECT hash(i) % 3000000 AS customer_id, hash(i + 1) AS a, hash(i + 2) AS b, "
        "i // 3 AS c FROM range(6000000) t(i)",
    )
    before = (hashlib.sha256(source.read_bytes()).hexdigest(), source.stat().st_mtime_ns)
    with started("assess", source, "-o", "report.json", cwd=here) as process:
        (folder,) = wait_for(lambda: list(temp.glob("duckrisk-*")))
        time.sleep(1)  # somewhere in the measures, wherever that is
        assert process.poll() is None, process.communicate()
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert time.monotonic() - pressed < 3
    assert process.returncode == 130, err
    assert not folder.exists()
    assert [path.name for path in here.iterdir()] == ["long.parquet"]
    assert (hashlib.sha256(source.read_bytes()).hexdigest(), source.stat().st_mtime_ns) == before


def test_a_killed_run_is_swept_by_the_next(here: Path, temp: Path) -> None:
    table(here / "small.parquet", HISTORY)
    with started("assess", "--query", ENDLESS, cwd=here):
        (folder,) = wait_for(lambda: list(temp.glob("duckrisk-*/owner")))
    assert folder.exists()
    assert command("assess", "small.parquet", "--format", "json", *FEW).code == 0
    assert list(temp.iterdir()) == []


def test_an_ignored_signal_stays_ignored(here: Path) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); sys.argv = ['duckrisk', "
        "'--version'];"
        "from duckrisk import cli\n"
        "try: cli.main()\n"
        "finally: print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=60)
    assert done.stdout.decode().split()[-1] == "True"


# --- memory and disk -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("memory", "asked", "used"),
    [("70MB", 16, 2), ("140MB", 16, 4), ("20MB", 2, 1), ("8GB", 3, 3), ("9000TB", 2, 2), ("50MB", None, 1)],
)
def test_threads_have_memory(temp: Path, memory: str, asked: int | None, used: int) -> None:
    """With 70MB for 16 threads all attribute sets of 1,000 records had not ended after a minute."""
    with Session(Resources(memory, asked)) as session:
        assert session.fetch_row("engine_limits")["threads"] == used


@pytest.mark.slow
def test_little_memory_gives_the_same_report(here: Path, temp: Path) -> None:
    table(
        here / "large.parquet",
        "SELECT 'user ' || (hash(i) % 200000) AS customer_id, 'value ' || (hash(i + 7) % 360000) AS item"
        " FROM range(600000) t(i)",
    )
    spilled = threading.Event()
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            if any(file.stat().st_size for file in temp.glob("duckrisk-*/spill/*")):
                spilled.set()

    # Where examples are few, what fills the memory alone.
    asked = ["assess", "large.parquet", "--format", "json"]
    asked += [] if EXAMPLES >= 20 else ["--only", "attribute_risk", "--known-records", "0", "--samples", "0"]
    plain = command(*asked)
    watcher = threading.Thread(target=look)
    watcher.start()
    memory = "70MB" if duckdb.__version__ < "2" else "50MB"  # DuckDB 1.5 does not spill as much
    small = command(*asked, "--memory", memory, "--threads", "1")
    done.set()
    watcher.join()
    assert plain.code == small.code == 0, small.err
    assert spilled.is_set()
    assert small.out == plain.out
    assert list(temp.iterdir()) == []


def test_the_input_is_never_touched(here: Path) -> None:
    for name in ("a.parquet", "a.csv"):
        path = table(here / name, HISTORY)
        os.utime(path, ns=(10**18, 10**18))
        content = path.read_bytes()
        assert command("assess", path, "-o", "report.html", *FEW).code == 0
        assert command("init", path, "-o", "written.toml", "--overwrite").code == 0
        assert path.read_bytes() == content
        assert path.stat().st_mtime_ns == 10**18
        assert {found.name for found in here.iterdir()} <= {
            "a.parquet",
            "a.csv",
            "report.html",
            "written.toml",
        }


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (duckdb.InterruptException("INTERRUPT Error: Interrupted!"), Interrupted),
        (KeyboardInterrupt(), Interrupted),
        (duckdb.OutOfMemoryException("failed to allocate 4711"), MemoryEndedError),
        (MemoryError("4711"), MemoryEndedError),
        (duckdb.IOException("No space left on device 4711"), EngineError),
        (
            duckdb.ConversionException("Conversion Error: CSV Error on Line: 12\nOriginal Line: 4711"),
            SourceError,
        ),
        (duckdb.ConversionException("Could not convert 'Query interrupted 4711'"), SourceError),
        (duckdb.ConversionException("Could not convert 'No space left on device 4711'"), SourceError),
        (
            duckdb.ConversionException("Conversion Error: Could not convert 'CSV Error on Line: 4711\n'"),
            SourceError,
        ),
        (duckdb.InvalidInputException("4711"), SourceError),
        (duckdb.OutOfRangeException("Overflow 4711"), SourceError),
        (duckdb.BinderException("4711"), SourceError),
        (duckdb.PermissionException("4711"), UsageError),
        (duckdb.InternalException("4711"), EngineError),
        (duckdb.Error("TProtocolException: 4711"), SourceError),
        (OSError("4711"), SourceError),
        (ZeroDivisionError("4711"), EngineError),
    ],
)
def test_errors_become_sentences_without_values(error: BaseException, kind: type[DuckriskError]) -> None:
    made = translate_error(error, Resources())
    assert type(made) is kind
    assert "4711" not in str(made)
    assert str(made).endswith(".")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("No magic bytes found at end of file '/a/b.parquet'", 'The Parquet file "b.parquet" is damaged'),
        ("Footer length error in file '/a/b.parquet'", 'The Parquet file "b.parquet" is damaged'),
        ('Failed to read Parquet file "/a/b.parquet": 4711', 'The Parquet file "b.parquet" is damaged'),
        ("Parquet file (/a/b.parquet) corrupted: 4711", 'The Parquet file "b.parquet" is damaged'),
        ('Invalid string encoding found in Parquet file "/b.parquet": 4711', '"b.parquet" is damaged'),
        ("Parquet metadata is corrupt. Column has 1 values but row group has 2", "is damaged or cut short"),
        ("Incorrect stats size for type BIGINT", "is damaged or cut short"),
        ("Perfect hash aggregate: aggregate group 9 exceeded total groups 4", "is damaged or cut short"),
        ('Could not parse string "corrupt 4711"', "does not fit its type"),
        ("Could not parse: corrupt 4711", "does not fit its type"),
    ],
)
def test_a_damaged_file_is_told_from_a_value_that_does_not_fit(said: str, told: str) -> None:
    made = translate_error(duckdb.InvalidInputException(f"Invalid Input Error: {said}"), Resources())
    assert isinstance(made, SourceError)
    assert told in str(made)
    assert "4711" not in str(made)


def test_a_line_number_is_the_engines_own() -> None:
    told = translate_error(
        duckdb.InvalidInputException("Invalid Input Error: CSV Error on Line: 12\nOriginal"), Resources()
    )
    assert "Line 12 " in str(told)
