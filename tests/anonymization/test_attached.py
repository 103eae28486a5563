"""Releases as tables of SQLite, PostgreSQL, MySQL and lakes: complete or not at all."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from duckrisk.base.errors import DuckriskError, OutputError, SourceError, UsageError
from duckrisk.engine.session import Resources, Session
from duckrisk.release.anonymization import Release, make_treatment, run
from duckrisk.release.anonymization.output import parse_destination
from duckrisk.source import Request
from tests.opening import opened
from tests.source.test_databases import MARIADB, POSTGRES, install, serve, serve_mysql

STEPS = [{"method": "generalize", "column": "age", "width": 10}]
#: What the release of people.parquet holds.
EXPECTED = [
    (i, f"[{i % 70 // 10 * 10}, {i % 70 // 10 * 10 + 10}[", None if i % 9 == 0 else "ü'") for i in range(2000)
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, also for the engine's extensions, with a table of people."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    duckdb.execute(
        "COPY (SELECT i AS id, i % 70 AS age, CASE WHEN i % 9 > 0 THEN 'ü''' END AS \"x;--\"\"\" "
        "FROM range(2000) AS r(i)) TO 'people.parquet'"
    )
    return tmp_path


def write(place: str, table: str, request: Request | None = None, **options: Any) -> Release:
    steps = options.pop("steps", STEPS)
    target = parse_destination(place, table, overwrite=options.pop("overwrite", False))
    return run(request or Request("people.parquet"), make_treatment(steps), target, Resources())


def refusal(error: type[DuckriskError], place: str, table: str, *args: Any, **options: Any) -> str:
    """The one sentence of a refusal."""
    with pytest.raises(error) as caught:
        write(place, table, *args, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert "Error:" not in text
    assert "geh" not in text
    return text


def rows(place: str, table: str) -> list[tuple[Any, ...]]:
    """The table in the order in which it is kept."""
    with duckdb.connect() as connection:
        kind = place.partition(":")[0]
        connection.execute(f"LOAD {kind}")
        connection.execute(f"ATTACH '{place.replace(chr(39), chr(39) * 2)}' AS kept (READ_ONLY)")
        return connection.execute(f"FROM kept.{table}").fetchall()


def without_recipes() -> None:
    for path in Path().glob("*.recipe.toml"):
        path.unlink()


def files() -> set[str]:
    return {path.name for path in Path().iterdir() if path.name != ".duckdb"}


# --- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("sqlite:out.db", "sqlite"),
        ("postgres:dbname=x password=geheim", "postgres"),
        ("postgresql://u:geheim@h/x", "postgres"),
        ("mysql:database=x", "mysql"),
        ("ducklake:out.ducklake", "ducklake"),
        ("ducklake:postgres:dbname=x", "ducklake"),
    ],
)
def test_extension_that_is_not_installed(place: str, name: str) -> None:
    before = files()
    sentence = refusal(SourceError, place, "people")
    assert sentence.startswith(f'No extension "{name}" is installed for DuckDB {duckdb.__version__}; install')
    assert files() == before


def test_places_that_are_none() -> None:
    Path("text.txt").write_text("x")
    assert "is not a DuckDB database" in refusal(UsageError, "text.txt", "people")
    assert 'Nothing can be written to "delta:"' in refusal(UsageError, "delta:x", "people")
    assert 'Nothing can be written to "https:"' in refusal(UsageError, "https://h/x", "people")
    assert "must have no slashes" in refusal(UsageError, "sqlite:out.db", "a/b")
    assert "does not exist" in refusal(OutputError, "sqlite:nowhere/out.db", "people")
    write("duckdb:out.duckdb", "people")
    assert opened("out.duckdb", table="people", plain=False).rows == sorted(EXPECTED, key=str)


# --- SQLite --------------------------------------------------------------------------------------


def test_sqlite() -> None:
    install("sqlite_scanner")
    release = write("sqlite:out.db", "people")
    assert (release.released, release.recipe_path.name) == (2000, "out.db.people.recipe.toml")
    assert files() == {"people.parquet", "out.db", "out.db.people.recipe.toml"}
    with sqlite3.connect("out.db") as connection:
        assert connection.execute("SELECT * FROM people").fetchall() == EXPECTED
        connection.executescript(
            "CREATE TABLE other (a INTEGER); INSERT INTO other VALUES (1); CREATE VIEW v AS SELECT 1"
        )
    connection.close()
    without_recipes()
    before = Path("out.db").read_bytes()
    assert "exists already; add --overwrite" in refusal(UsageError, "out.db", "PEOPLE")
    assert "is a view" in refusal(UsageError, "sqlite:out.db", "v", overwrite=True)
    assert "refused the table" in refusal(OutputError, "sqlite:out.db", "nowhere.people")
    source = Request("out.db", "other")
    assert "part of the source" in refusal(
        UsageError, "sqlite:out.db", "new", source, steps=[{"method": "shuffle"}]
    )
    assert Path("out.db").read_bytes() == before
    write("out.db", "people", overwrite=True, steps=[{"method": "delete", "where": "id > 4"}])
    assert rows("sqlite:out.db", "people") == [(i, i, row[2]) for i, row in enumerate(EXPECTED[:5])]
    assert rows("sqlite:out.db", "other") == [(1,)]


# --- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    if POSTGRES is None:
        pytest.skip("PostgreSQL is not installed here")
    with tempfile.TemporaryDirectory(prefix="server-", ignore_cleanup_errors=True) as folder:
        yield from serve(Path(folder))


def test_postgres(here: Path, server: Path) -> None:
    install("postgres_scanner")
    place = f"postgres:host={server} user=reader password='geh eim' dbname=postgres"
    release = write(place, "made")
    assert rows(place, "public.made") == EXPECTED
    assert release.recipe_path == Path("postgres.made.recipe.toml")
    assert "geh" not in release.recipe + str(release) + release.recipe_path.read_text()
    assert files() == {"people.parquet", "postgres.made.recipe.toml"}
    without_recipes()
    assert "exists already; add --overwrite" in refusal(UsageError, place, "public.made")
    source = Request(attach=place, table="public.made")
    assert "may be part of the source" in refusal(UsageError, place, "made", source, overwrite=True)
    # What the database refuses, and that the old table is still there then.
    wrong = [{"method": "delete", "where": "id > 3"}]
    duckdb.execute("COPY (SELECT 'a' || chr(0) AS a) TO 'nul.parquet'")
    assert "refused the table" in refusal(
        OutputError, place, "made", Request("nul.parquet"), overwrite=True, steps=[{"method": "shuffle"}]
    )
    assert "refused the table" in refusal(OutputError, place, "nowhere.made", steps=wrong)
    assert rows(place, "public.made") == EXPECTED
    without_recipes()
    write(place, "public.made", overwrite=True, steps=wrong)
    assert len(rows(place, "public.made")) == 4
    closed = "postgres://reader:geheim@127.0.0.1:1/postgres"
    assert "cannot be opened for writing" in refusal(OutputError, closed, "made")


# --- MySQL ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mysql_server() -> Iterator[Path]:
    if MARIADB is None:
        pytest.skip("MariaDB is not installed here")
    with tempfile.TemporaryDirectory(prefix="server-", ignore_cleanup_errors=True) as folder:
        yield from serve_mysql(Path(folder))


def test_mysql(mysql_server: Path) -> None:
    install("mysql_scanner")
    place = f'mysql:socket={mysql_server} user=reader passwd="geh eim"'
    within = f"{place} db=shop"
    assert "write --into-table DATABASE.TABLE" in refusal(UsageError, place, "made")
    release = write(within, "made")
    assert sorted(rows(within, "shop.made")) == EXPECTED
    assert "geh" not in release.recipe + str(release)
    without_recipes()
    assert "exists already; add --overwrite" in refusal(UsageError, place, "shop.made")
    assert "refused the table" in refusal(OutputError, place, "shop.older", overwrite=True)  # a view
    assert "refused the table" in refusal(OutputError, place, "nowhere.made")
    # A column that MySQL cannot have: the old table stays, and nothing half made.
    duckdb.execute("COPY (SELECT 1 AS \"a \", 2 AS b) TO 'name.parquet'")
    wrong = Request("name.parquet")
    shuffled = [{"method": "shuffle"}]
    assert "refused the table" in refusal(OutputError, within, "made", wrong, overwrite=True, steps=shuffled)
    assert sorted(rows(within, "shop.made")) == EXPECTED
    without_recipes()
    write(place, "shop.made", overwrite=True, steps=[{"method": "delete", "where": "id > 3"}])
    assert len(rows(within, "shop.made")) == 4
    with duckdb.connect() as connection:
        connection.execute("LOAD mysql")
        connection.execute(f"ATTACH '{within.replace(chr(39), chr(39) * 2)}' AS kept (READ_ONLY)")
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'"
        )
        assert {name for (name,) in names.fetchall()} == {"people", "older", "made"}


# --- lakes ---------------------------------------------------------------------------------------


def test_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    install("ducklake")
    place = "ducklake:out.ducklake"
    real = Session.run
    half: list[set[str]] = []

    def run(self: Session, name: str, /, **given: Any) -> Any:
        half.append({name for name in files() if not name.startswith(".duckrisk-")})
        return real(self, name, **given)

    with monkeypatch.context() as watched:
        watched.setattr(Session, "run", run)
        write(place, "people")
    assert half
    assert all(names == {"people.parquet"} for names in half)  # whoever kills it leaves no half lake
    assert rows(place, "people") == EXPECTED
    assert files() == {
        "people.parquet",
        "out.ducklake",
        "out.ducklake.files",
        "out.ducklake.people.recipe.toml",
    }
    without_recipes()
    assert "exists already; add --overwrite" in refusal(UsageError, place, "people")
    assert "refused the table" in refusal(OutputError, place, "nowhere.people")
    before = files()
    assert "refused the table" in refusal(OutputError, "ducklake:new.ducklake", "nowhere.people")
    assert files() == before
    release = write(place, "people", overwrite=True, steps=[{"method": "delete", "where": "id > 3"}])
    assert len(rows(place, "people")) == 4
    assert any("history" in note for note in release.data["notes"])
