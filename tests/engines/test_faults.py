"""What goes wrong with an engine: one sentence, the right exit code, nothing left behind, no cell shown."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from duckrisk.base.errors import EngineError
from duckrisk.engine.spark import connecting, dialects
from duckrisk.engine.spark.spark import SparkEngine
from duckrisk.release.anonymization.randomness import Chance
from tests.command import command, started, without_notice
from tests.engines.comparing import parquet
from tests.engines.serving import serving

pytest.importorskip("pysail.spark", reason="the stand-in for Spark, pysail, is not installed here")
pytest.importorskip("pyspark.sql.connect", reason="pyspark-client is not installed here")

#: What stands in cells, and so in no message.
CANARY = "Meier-1960"
ROWS = (
    f"SELECT i % 90 AS user_id, '{CANARY}' || i % 3000 AS item, i % 1000 AS height FROM range({{}}) AS t(i)"
)
PARTS = ("--only", "attribute_risk", "--only", "identifiability")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def small(tmp_path: Path) -> str:
    return parquet(tmp_path / "small.parquet", ROWS.format(4000))


@pytest.fixture
def server() -> Iterator[tuple[str, subprocess.Popen[Any]]]:
    with serving() as begun:
        yield begun


def fails(code: int, words: str, scratch: Path, *arguments: Any) -> None:
    """Run assess on an engine: it has to end with a code, one sentence that holds the words, and no trace."""
    done = command("assess", *arguments, "--scratch", scratch, *PARTS)
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1), done.err
    assert words in done.err
    assert CANARY not in done.err
    assert list(scratch.iterdir()) == []


def before(monkeypatch: pytest.MonkeyPatch, table: str, act: Any) -> None:
    """Let something happen when the engine is about to make a table."""
    real = SparkEngine.materialize

    def made(self: SparkEngine, name: str, sql: str) -> None:
        if name == table:
            act()
        real(self, name, sql)

    monkeypatch.setattr(SparkEngine, "materialize", made)


@contextmanager
def listening(answer: bytes | None) -> Iterator[int]:
    """The port of a server that is no Spark: it accepts, and is silent or sends an answer and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepted: list[socket.socket] = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    accepted.append(server.accept()[0])
                    if answer is not None:
                        with accepted.pop() as one:
                            one.recv(4096)
                            one.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for one in accepted:
                one.close()


def unreached(address: str, words: str, small: str, scratch: Path) -> None:
    """Assess on an engine that does not answer: a sentence names its address soon, and no token."""
    begun = time.monotonic()
    fails(3, words, scratch, small, "--engine", f"{address}/;token={CANARY}")
    assert time.monotonic() - begun < 10
    fails(3, f" {address}", scratch, small, "--engine", address)


def test_nothing_listens_at_the_address(small: str, scratch: Path) -> None:
    unreached("sc://127.0.0.1:9", "Nothing listens at sc://127.0.0.1:9; start", small, scratch)
    with listening(None) as port:
        pass
    unreached(f"sc://localhost:{port}", f"Nothing listens at sc://localhost:{port};", small, scratch)


def test_the_host_of_the_address_is_unknown(small: str, scratch: Path) -> None:
    unreached("sc://spark.invalid:15002", "The host of sc://spark.invalid:15002 is not", small, scratch)


@pytest.mark.slow
def test_a_server_is_silent(small: str, scratch: Path) -> None:
    with listening(None) as port:
        unreached(f"sc://127.0.0.1:{port}", f"sc://127.0.0.1:{port} does not answer; wait", small, scratch)


def test_a_spark_accepts_and_then_is_silent(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is connected, and its first statement does not end."""
    monkeypatch.setattr(connecting, "_SESSION_SECONDS", 1)
    real = connecting._await_connection

    def stop(channel: Any) -> str:
        state = real(channel)
        server[1].send_signal(signal.SIGSTOP)
        return state

    monkeypatch.setattr(connecting, "_await_connection", stop)
    fails(3, f"{server[0]} does not answer; wait", scratch, small, "--engine", server[0])


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_another_server_is_at_the_address(answer: bytes, small: str, scratch: Path) -> None:
    with listening(answer) as port:
        unreached(f"sc://localhost:{port}", f"server is at sc://localhost:{port}, but", small, scratch)


def test_a_server_of_other_calls_and_one_that_wants_a_login(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql.connect.session import SparkSession

    for status, words in (
        ("UNIMPLEMENTED", "No Spark Connect server is"),
        ("UNAUTHENTICATED", "refuses the login"),
    ):

        def fail(_: Any, status: str = status) -> str:
            raise RuntimeError(f"StatusCode.{status} {CANARY}")

        monkeypatch.setattr(SparkSession, "version", property(fail))
        fails(3, words, scratch, small, "--engine", server[0])


@pytest.mark.parametrize(
    "rest", [":15002", "host:x", "host:99999", "host:0", "ho st", "host/path", "[::1", ""]
)
def test_an_address_is_malformed(rest: str, small: str, scratch: Path) -> None:
    fails(2, "is not the address of an engine", scratch, small, "--engine", f"sc://{rest};token={CANARY}")


def test_the_parameters_of_an_address_are_malformed(small: str, scratch: Path) -> None:
    fails(2, "The parameters of sc://host:1 cannot", scratch, small, "--engine", f"sc://host:1/;{CANARY}")


def test_no_address_in_an_error_holds_a_token(small: str, scratch: Path) -> None:
    fails(2, '"https://host:1/"', scratch, small, "--engine", f"https://host:1/;token={CANARY}")


def test_the_engine_goes_away_between_two_statements(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    before(monkeypatch, "combinations", server[1].kill)
    begun = time.monotonic()
    fails(3, f"The server at {server[0]} does not answer any more", scratch, small, "--engine", server[0])
    assert time.monotonic() - begun < 30


def signalled(tmp_path: Path, scratch: Path, address: str, send: Any) -> tuple[int, bytes]:
    """The code of a real command and what it said; ``send`` is called while the engine writes a table."""
    large = parquet(tmp_path / "large.parquet", ROWS.format(3_000_000))
    words = ("--engine", address, "--scratch", scratch)
    with started("assess", large, *words, *PARTS, cwd=tmp_path, DUCKRISK_TEMP=str(tmp_path)) as process:
        until = time.monotonic() + 60
        while not any(scratch.rglob("*.parquet")) and time.monotonic() < until:
            time.sleep(0.05)
        send(process)
        _, err = process.communicate(timeout=10)
    assert list(scratch.iterdir()) == []
    return process.returncode, without_notice(err.decode()).encode()


@pytest.mark.slow
def test_the_engine_goes_away_within_a_statement(
    tmp_path: Path, scratch: Path, server: tuple[str, Any]
) -> None:
    code, err = signalled(tmp_path, scratch, server[0], lambda _: server[1].kill())
    assert (code, len(err.splitlines()), CANARY.encode() in err) == (3, 1, False), err
    assert f"The server at {server[0]} does not answer any more".encode() in err


def test_the_scratch_folder_is_full(small: str, scratch: Path, server: tuple[str, Any]) -> None:
    mounted = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(scratch)]
    if os.name != "posix" or subprocess.run(mounted, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        fails(3, "is full", scratch, small, "--engine", server[0])
    finally:
        subprocess.run(["umount", str(scratch)], check=True)


def test_the_engine_cannot_write_to_the_scratch_folder() -> None:
    if os.geteuid() != 0:
        pytest.skip("a server of another user needs the rights of root")
    with tempfile.TemporaryDirectory() as name, serving(user=65534) as (address, _):
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "scratch").mkdir()
        small = parquet(folder / "small.parquet", ROWS.format(4000))
        fails(3, "cannot write to the scratch folder", folder / "scratch", small, "--engine", address)


def test_the_session_may_make_no_views(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql.connect.dataframe import DataFrame

    def refused(*_: Any) -> None:
        raise RuntimeError(f"[INSUFFICIENT_PERMISSIONS] Insufficient privileges: {CANARY}")

    monkeypatch.setattr(DataFrame, "createOrReplaceTempView", refused)
    fails(
        3,
        "and to create temporary views",
        scratch,
        small,
        "--engine",
        server[0],
    )


def test_a_column_has_an_unknown_type(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(dialects._TYPES, "string")
    fails(3, "has the type string", scratch, small, "--engine", server[0])


def test_a_value_that_does_not_fit(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SparkEngine.materialize

    def made(self: SparkEngine, name: str, sql: str) -> None:
        real(self, name, "SELECT CAST(c1 AS INT) AS value FROM assessed")

    monkeypatch.setattr(SparkEngine, "materialize", made)
    log = scratch.parent / "log.sql"
    fails(
        3,
        'could not run the statement "drawn_users" (',
        scratch,
        small,
        "--engine",
        server[0],
        "--sql-log",
        log,
    )
    text = log.read_text()
    assert CANARY not in text
    assert text.count("which Spark could not run:") == 1
    assert "FROM `assessed`" in text.partition("which Spark could not run:")[2]


@pytest.mark.parametrize("writable", [True, False])
def test_the_log_of_a_run_that_fails_holds_no_secret(
    writable: bool,
    tmp_path: Path,
    small: str,
    scratch: Path,
    server: tuple[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A log that cannot be written does not hide what went wrong."""
    log = tmp_path / "log.sql"
    secret = Chance(3).derive_secret(1, "pseudonyms")[:32]

    def fail(*_: Any) -> None:
        if not writable:
            log.mkdir()
        raise EngineError("engines.statement_failed", kind="X")

    monkeypatch.setattr(SparkEngine, "materialize", fail)
    words = ("--pseudonymize", "user_id", "--seed", 3, "--engine", server[0], "--scratch", scratch)
    done = command("anonymize", small, "-o", tmp_path / "r.parquet", *words, "--sql-log", log)
    assert (done.code, 'the statement "pseudonyms" (X)' in done.err) == (3, True), done.err
    assert not writable or ("SHA2" in log.read_text() and secret not in log.read_text())


def test_an_interrupt_stops_the_statement(tmp_path: Path, scratch: Path, server: tuple[str, Any]) -> None:
    code, err = signalled(tmp_path, scratch, server[0], lambda process: process.send_signal(signal.SIGINT))
    assert (code, len(err.splitlines()), CANARY.encode() in err) == (130, 1, False), err


def test_a_session_of_the_user_is_left_as_it_was(
    small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import SparkSession

    import duckrisk

    session = SparkSession.builder.remote(server[0]).create()
    session.conf.set("spark.sql.caseSensitive", "false")
    try:
        before(monkeypatch, "combinations", lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises((KeyboardInterrupt, duckrisk.DuckriskError)):
            duckrisk.assess(session.read.parquet(small), user="user_id", scratch=str(scratch))
        assert list(scratch.iterdir()) == []
        assert session.catalog.listTables() == []
        assert session.conf.get("spark.sql.caseSensitive") == "false"
        assert session.range(3).count() == 3
    finally:
        session.stop()


# --- releases --------------------------------------------------------------------------------------


def withheld(code: int, words: str, folder: Path, source: str, address: str, *more: Any) -> None:
    """Run anonymize on an engine: it has to end with a code and one sentence, and leave what was there."""
    before = sorted(folder.rglob("*"))
    output = folder / "release.parquet"
    steps = ("--pseudonymize", "user_id", "--generalize", "height=10", "--keys", folder / "keys.csv")
    scratch = ("--scratch", folder / "scratch")
    done = command("anonymize", source, "-o", output, *steps, "--engine", address, *scratch, *more)
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1), done.err
    assert words in done.err
    assert CANARY not in done.err
    assert sorted(folder.rglob("*")) == before


def writing(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Let something happen when the engine is about to write the release, or has written it."""
    real = SparkEngine.write_parquet
    monkeypatch.setattr(
        SparkEngine, "write_parquet", lambda self, sql, folder: act(lambda: real(self, sql, folder))
    )


def test_the_engine_goes_away_before_it_writes(
    tmp_path: Path, small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(write: Any) -> int:
        server[1].kill()
        return int(write())

    writing(monkeypatch, act)
    withheld(3, "does not answer any more", tmp_path, small, server[0])


def test_a_source_that_changes_before_it_is_written(
    tmp_path: Path, small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    writing(monkeypatch, lambda write: write() - 1)
    withheld(3, "3,999 records when it was written and 4,000 when it was counted", tmp_path, small, server[0])


def test_a_release_that_is_there_stays_until_the_new_one_is_whole(
    tmp_path: Path, small: str, scratch: Path, server: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "release.parquet"
    words = ("--drop", "item", "--engine", server[0], "--scratch", scratch)
    assert command("anonymize", small, "-o", output, *words).code == 0
    was = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet") if path.is_file()}
    with monkeypatch.context() as patched:
        writing(patched, lambda write: write() - 1)
        withheld(3, "changed meanwhile", tmp_path, small, server[0], "--overwrite")
    assert was == {path: path.read_bytes() for path in tmp_path.rglob("*.parquet") if path.is_file()}


def test_the_engine_cannot_write_beside_the_output() -> None:
    if os.geteuid() != 0:
        pytest.skip("a server of another user needs the rights of root")
    with tempfile.TemporaryDirectory() as name, serving(user=65534) as (address, _):
        folder = Path(name)
        folder.chmod(0o755)
        small = parquet(folder / "small.parquet", ROWS.format(4000))
        done = command("anonymize", small, "-o", folder / "r.parquet", "--drop", "item", "--engine", address)
        assert (done.code, "cannot write next to the output" in done.err) == (3, True), done.err
        assert [path.name for path in folder.iterdir()] == ["small.parquet"]


def test_an_interrupt_leaves_no_release(tmp_path: Path, scratch: Path, server: tuple[str, Any]) -> None:
    large = parquet(tmp_path / "large.parquet", ROWS.format(3_000_000))
    output = tmp_path / "out" / "release.parquet"
    output.parent.mkdir()
    words = ("--generalize", "item=prefix3", "--engine", server[0], "--scratch", scratch, "-o", output)
    with started("anonymize", large, *words, cwd=tmp_path, DUCKRISK_TEMP=str(tmp_path)) as process:
        until = time.monotonic() + 60
        while not any(output.parent.rglob("made/*")) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=40)
    err = without_notice(err.decode()).encode()
    assert (process.returncode, len(err.splitlines()), CANARY.encode() in err) == (130, 1, False), err
    assert list(output.parent.iterdir()) == []
    assert list(scratch.iterdir()) == []
