"""Outputs that cannot grow (`ulimit -f`, a full disk, a quota): both are named, and no part stays."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from duckrisk.base import files
from duckrisk.base.errors import OutputError, SourceError, WriteError
from duckrisk.base.options.source import Resources
from duckrisk.engine.errors import translate_error
from tests.command import HISTORY, command, environment, everything, table
from tests.forked import forking
from tests.tables import thinned

COLUMNS = ("--user", "customer_id", "--date", "bought", "--item", "item")
FEW = ("--only", "attribute_risk", "--known-records", "0")
#: Limits the files of its process, then runs the command.
LIMIT = """
import resource, runpy, sys
sys.dont_write_bytecode = True  # a cut file would be read by the next run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
runpy.run_module("duckrisk", run_name="__main__", alter_sys=True)
"""
LIMITED = "no file may be as large as that here"
#: Each writer: the command, and the file that does not fit under the limit of bytes.
WRITERS: dict[str, tuple[int, str, tuple[str, ...]]] = {
    "csv": (9_000, "out.csv", ("anonymize", "large.parquet", "-o", "out.csv", "--top", "a=5")),
    "parquet": (9_000, "out.parquet", ("anonymize", "large.parquet", "-o", "out.parquet", "--top", "a=5")),
    "recipe": (
        4_000,
        "o.csv.recipe.toml",
        ("anonymize", "few.csv", "-o", "o.csv", "--delete", f"a >= 0 AND {'a > 0 OR ' * 500} a > 3"),
    ),
    "keys": (
        400,
        "k.csv",
        (
            "anonymize",
            "large.parquet",
            "-o",
            "o.csv",
            "--delete",
            "a > 0",
            "--pseudonymize",
            "b",
            "--keys",
            "k.csv",
        ),
    ),
    "database": (
        9_000,
        "out.duckdb",
        ("anonymize", "few.csv", "--into", "out.duckdb", "--into-table", "t", "--top", "a=5"),
    ),
    **{
        f"report {suffix}": (900, f"r.{suffix}", ("assess", "h.parquet", *FEW, "-o", f"r.{suffix}"))
        for suffix in ("txt", "json", "md", "html", "sarif")
    },
    "rows csv": (50, "r.csv", ("assess", "h.parquet", *FEW, "-o", "r.csv")),
    "rows parquet": (50, "r.parquet", ("assess", "h.parquet", *FEW, "-o", "r.parquet")),
    "junit": (50, "j.xml", ("assess", "h.parquet", *FEW, "--junit", "j.xml")),
    "sql log": (900, "l.sql", ("assess", "h.parquet", *FEW, "--sql-log", "l.sql")),
    "settings": (50, "duckrisk.toml", ("init", "h.parquet")),
    "release of a history": (900, "A.csv", ("pwscup", "anonymize", "h.parquet", "-o", "A.csv", *COLUMNS)),
    "partial table": (
        900,
        "P.csv",
        ("pwscup", "partial-knowledge", "h.parquet", "-o", "P.csv", "--alpha", "50", *COLUMNS),
    ),
    "synthetic": (
        900,
        "s.csv",
        ("membership", "synthesize", "p.parquet", "-o", "s.csv", "--method", "rr", "--keep", "0.5"),
    ),
    "synthetic parquet": (600, "s.parquet", ("membership", "synthesize", "p.parquet", "-o", "s.parquet")),
    "annealed": (
        900,
        "s.csv",
        ("membership", "anneal", "p.parquet", "-o", "s.csv", "--iterations", "2"),
    ),
    "state": (
        2_000,
        "state",
        ("membership", "anneal", "p.parquet", "-o", "s.csv", "--iterations", "2", "--state", "state"),
    ),
    "guesses": (
        50,
        "g.csv",
        ("membership", "attack", "p.parquet", "m.parquet", "--attack", "density", "-o", "g.csv"),
    ),
    "scores": (
        90,
        "sc.csv",
        ("membership", "attack", "p.parquet", "m.parquet", "--attack", "density", "--scores-out", "sc.csv"),
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    table(folder / "h.parquet", HISTORY)
    table(folder / "large.parquet", "SELECT hash(i) % 1000 AS a, hash(i + 1) AS b FROM range(20000) r(i)")
    table(folder / "few.csv", "SELECT i % 9 AS a, i % 7 AS b FROM range(40) r(i)")
    table(folder / "p.parquet", "SELECT 20 + i % 7 AS age, 'city ' || i % 5 AS city FROM range(400) t(i)")
    table(folder / "m.parquet", "SELECT 20 + i % 5 AS age, 'city ' || i % 3 AS city FROM range(30) t(i)")
    return folder


def limited(limit: int, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command where files may have so many bytes."""
    with forking():
        return subprocess.run(
            [sys.executable, "-c", LIMIT, str(limit), *arguments],
            env=environment(TMPDIR="/tmp"),
            capture_output=True,
            timeout=120,
        )


@pytest.mark.parametrize("writer", thinned(WRITERS, 5))
def test_a_limit_on_files(folder: Path, writer: str) -> None:
    limit, name, arguments = WRITERS[writer]
    before = everything(folder)
    done = limited(limit, *arguments)
    said = done.stderr.decode()
    assert done.returncode == 3, (done.returncode, said)
    assert said.count("\n") == 1, said
    assert f'"{name}" was not written: {LIMITED}' in said, said
    assert everything(folder) == before


@pytest.mark.parametrize("writer", ["--records-out", "spilled"])
def test_a_limit_on_temporary_files(folder: Path, writer: str) -> None:
    """They have another place: this is told, and nothing stays of the output."""
    before = everything(folder)
    if writer == "spilled":
        table(folder / "wide.parquet", "SELECT hash(i) AS a, md5(i::VARCHAR) AS b FROM range(1500000) r(i)")
        before = everything(folder)
        asked = (
            "anonymize",
            "wide.parquet",
            "-o",
            "o.csv",
            "--shuffle",
            "--memory",
            "100MB",
            "--threads",
            "1",
        )
    else:
        asked = ("assess", "h.parquet", "--only", "identifiability", "--records-out", "r.parquet")
    done = limited(900, *asked)
    said = done.stderr.decode()
    assert done.returncode == 3, said
    assert said.startswith("duckrisk: A temporary file was not written: no file may be as large as that here")
    assert "--temp" in said
    assert said.count("\n") == 1
    assert everything(folder) == before


@pytest.mark.parametrize("more", [4_000, 100_000])
@pytest.mark.parametrize("records", [40, 20_000])
def test_a_database_that_cannot_grow_stays_as_it_was(folder: Path, records: int, more: int) -> None:
    """Its other tables are there afterwards, and nothing of the new one: where the log cannot grow, and where
    the log has all of it and the file cannot grow."""
    into = ("--into", "out.duckdb", "--into-table")
    table(folder / "kept.parquet", f"SELECT i % 9 AS a, i % 7 AS b FROM range({records}) r(i)")
    made = command("anonymize", "kept.parquet", *into, "kept", "--top", "a=5")
    assert made.code == 0, made.err
    size = (folder / "out.duckdb").stat().st_size
    done = limited(size + more, "anonymize", "large.parquet", *into, "t", "--top", "a=5")
    said = done.stderr.decode()
    assert done.returncode == 3, said
    assert f'"out.duckdb" was not written: {LIMITED}' in said
    assert said.count("\n") == 1
    with duckdb.connect("out.duckdb", read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert tables == [("kept",)]
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (records,)
    assert not (folder / "out.duckdb.t.recipe.toml").exists()


@pytest.mark.parametrize("number", files.WHY_NOT_WRITTEN)
def test_what_the_system_says_of_an_output(tmp_path: Path, number: int) -> None:
    """A full disk, a quota and a limit, from Python's own writing."""
    path = tmp_path / "r.json"

    def refuse(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(OutputError) as caught:
        files.write_file(path, refuse, private=False)
    assert str(caught.value) == f'"{path}" was not written: {files.WHY_NOT_WRITTEN[number]}.'
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", files.WHY_NOT_WRITTEN)
@pytest.mark.parametrize("kind", [duckdb.IOException, duckdb.TransactionException])
def test_what_the_engine_says_of_an_output(
    tmp_path: Path, number: int, kind: Callable[[str], BaseException]
) -> None:
    """Its words as DuckDB 1 and 2 have them: the file that is written is named, others are not."""
    reason = os.strerror(number)

    def said(path: Path) -> list[str]:
        plain = f'Could not write file "{path}": {reason}'
        nested = json.dumps({"exception_message": plain, "errno": str(number)})
        return [f"IO Error: {plain}", f"Failed to commit: {plain}", f"IO Error: Async write failed: {nested}"]

    for words in said(tmp_path / "elsewhere"):
        error = translate_error(kind(words), Resources())
        assert isinstance(error, WriteError)
        assert error.why == files.WHY_NOT_WRITTEN[number]
        assert error.path == str(tmp_path / "elsewhere")
        assert str(tmp_path) not in str(error)
    for at in range(3):
        with (
            pytest.raises(OutputError, match="was not written"),
            files.atomic_write(tmp_path / "r.csv", private=False) as unfinished,
        ):
            raise translate_error(kind(said(unfinished)[at]), Resources())
    assert list(tmp_path.iterdir()) == []


def test_a_value_in_a_message_is_no_reason() -> None:
    """What a cell holds may look like the engine's own words."""
    words = f'Could not write file "x": {os.strerror(errno.EFBIG)}'
    for kind in (duckdb.ConversionException, duckdb.InvalidInputException):
        assert type(translate_error(kind(f"Could not convert '{words}'"), Resources())) is SourceError


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_standard_output_that_is_full(folder: Path) -> None:
    """One sentence names it."""
    for arguments in thinned(("assess h.parquet --only class_sizes", "explain suda", "sql macros")):
        line = f"{sys.executable} -m duckrisk {arguments} > /dev/full"
        done = subprocess.run(["sh", "-c", line], env=environment(), capture_output=True, timeout=120)
        said = done.stderr.decode()
        assert done.returncode == 3, said
        assert said == 'duckrisk: "standard output" was not written: the disk is full.\n'
