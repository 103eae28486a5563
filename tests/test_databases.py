"""Databases: DuckDB files, and SQLite and PostgreSQL, always read-only."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from duckrisk.errors import SourceError, UsageError
from duckrisk.session import Session
from duckrisk.source import Request, open_source
from tests.opening import database, in_plain_duckdb, opened, write


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """A folder of its own, also for the engine's extensions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def refusal(error: type[Exception], source: object = None, **request: object) -> str:
    """The sentence of a refusal, which holds no engine text."""
    with pytest.raises(error) as caught:
        opened(source, plain=False, **request)
    text = str(caught.value)
    assert "\n" not in text
    assert "Error:" not in text
    assert "secret" not in text
    return text


def install(name: str) -> None:
    """Install an extension from the file in its package; skips where there is none for this engine."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    files = list(Path(spec.origin).parent.rglob("*.duckdb_extension*")) if spec and spec.origin else []
    try:
        with duckdb.connect() as connection:
            connection.execute(f"INSTALL '{files[0]}'")
            connection.execute(f"LOAD {name}")
    except (IndexError, duckdb.Error):
        pytest.skip(f"no package has the {name} extension of DuckDB {duckdb.__version__}")


# --- DuckDB --------------------------------------------------------------------------------------

WAREHOUSE = [
    "CREATE TABLE people AS SELECT range AS id, 'x' AS v FROM range(3)",
    "CREATE TABLE assessed AS SELECT 1 AS a",
    "CREATE TABLE source AS SELECT 2 AS a",
    "CREATE TABLE readable AS SELECT 3 AS a",
    "CREATE TABLE records AS SELECT 4 AS a",
    "CREATE TABLE history AS SELECT 5 AS a",
    "CREATE TABLE attached AS SELECT 6 AS a",
    "CREATE VIEW grown AS SELECT id + 1 AS id FROM people WHERE id > 0",
    'CREATE SCHEMA "s.x"',
    'CREATE TABLE "s.x"."t""; DROP TABLE people; --" AS SELECT 7 AS "select"',
    "CREATE SCHEMA attached",
    "CREATE TABLE attached.attached AS SELECT 8 AS a",
    'CREATE TABLE "a.b" AS SELECT 9 AS a',
    "CREATE SCHEMA a",
    "CREATE TABLE a.b AS SELECT 10 AS a",
]


@pytest.fixture
def warehouse(here) -> Path:
    return database(here / "wh.duckdb", *WAREHOUSE)


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("people", [(0, "x"), (1, "x"), (2, "x")]),
        ("main.people", [(0, "x"), (1, "x"), (2, "x")]),
        ("grown", [(2,), (3,)]),
        ("assessed", [(1,)]),
        ("source", [(2,)]),
        ("readable", [(3,)]),
        ("records", [(4,)]),
        ("history", [(5,)]),
        ("attached", [(6,)]),
        ("attached.attached", [(8,)]),
        ('s.x.t"; DROP TABLE people; --', [(7,)]),
        ('"s.x"."t""; DROP TABLE people; --"', [(7,)]),
        ('t"; DROP TABLE people; --', [(7,)]),
        ("main.a.b", [(9,)]),
        ("a.b", [(9,)]),
        ('"a"."b"', [(10,)]),
    ],
)
def test_tables_of_a_database(warehouse, table, rows):
    before = hashlib.sha256(warehouse.read_bytes()).hexdigest()
    read = opened("wh.duckdb", table=table)
    assert read.rows == rows
    assert read.source.digest["value"] == before
    assert read.source.setup[0].startswith("ATTACH 'wh.duckdb'")
    assert opened(attach="wh.duckdb", table=table).rows == rows
    assert hashlib.sha256(warehouse.read_bytes()).hexdigest() == before
    assert [path.name for path in warehouse.parent.iterdir()] == ["wh.duckdb"]


def test_database_is_read_only(warehouse):
    with Session() as session:
        open_source(session, Request("wh.duckdb", table="people"))
        with pytest.raises(duckdb.InvalidInputException):
            session._connection.execute("INSERT INTO attached.main.people VALUES (9, 'y')")


@pytest.mark.parametrize("name", ["assessed", "source", "readable", "records", "history", "attached"])
def test_query_on_a_table_that_is_named_like_ours(warehouse, name):
    rows = opened("wh.duckdb", table=name).rows
    assert opened(attach="wh.duckdb", query=f"SELECT a FROM main.{name}").rows == rows
    assert opened("wh.duckdb", query=f"SELECT * FROM main.{name}", where=f"a = {rows[0][0]}").rows == rows


def test_query_on_a_database(warehouse):
    query = 'SELECT p.*, s."select" FROM people AS p, "s.x"."t""; DROP TABLE people; --" AS s WHERE p.id = 1'
    assert opened(attach="wh.duckdb", query=query).rows == [(1, "x", 7)]
    write(warehouse.parent / "a.csv", "secret\n1\n")
    for bad in ("SELECT * FROM 'a.csv'", "SELECT * FROM nosuch", "ATTACH 'x.duckdb'", "DROP TABLE people"):
        refusal(UsageError, attach="wh.duckdb", query=bad)
    assert "either --table or --query" in refusal(UsageError, "wh.duckdb", table="people", query="SELECT 1")


def test_choosing_a_table(warehouse, here):
    assert "has 12 tables; choose one with --table" in refusal(UsageError, "wh.duckdb")
    assert 'did you mean "people"' in refusal(UsageError, "wh.duckdb", table="peple")
    database(here / "one.duckdb", "CREATE TABLE single AS SELECT 1 AS a")
    assert opened("one.duckdb").source.name == "one.duckdb: single"
    database(here / "none.duckdb")
    assert "has no tables" in refusal(SourceError, "none.duckdb")
    twice = [f"CREATE SCHEMA {s}; CREATE TABLE {s}.t AS SELECT 1 AS a" for s in ("x", "y")]
    database(here / "two.duckdb", *twice)
    assert "write schema.table" in refusal(UsageError, "two.duckdb", table="t")


def test_view_that_reads_a_file(here):
    write(here / "a.csv", "secret\n1\n")
    database(here / "v.duckdb", "CREATE VIEW leak AS SELECT * FROM read_csv('a.csv')")
    assert "a view on files" in refusal(SourceError, "v.duckdb")
    refusal(UsageError, attach="v.duckdb", query="SELECT * FROM leak")


def test_changes_that_are_not_yet_written_through(here):
    """A database and its write-ahead log, as a crash leaves them."""
    program = (
        "import duckdb, os; c = duckdb.connect('w.duckdb'); c.execute('CREATE TABLE t AS SELECT 1 AS a'); "
        "c.execute('CHECKPOINT'); c.execute('INSERT INTO t VALUES (2)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=here)
    assert (here / "w.duckdb.wal").is_file()
    read = opened("w.duckdb")
    assert len(read.rows) == 2
    assert read.source.digest["files"] == 2


def test_database_that_another_program_writes(here):
    database(here / "w.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    program = "import duckdb; c = duckdb.connect('w.duckdb'); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout.readline() == "open\n"
        try:
            sentence = refusal(SourceError, "w.duckdb")
        finally:
            writer.communicate("\n")
    assert "another program" in sentence
    assert opened("w.duckdb").rows == [(1,)]


def test_database_of_a_newer_duckdb(here):
    if duckdb.__version__ >= "2":
        pytest.skip("this DuckDB reads the format")
    write(here / "n.duckdb", zlib.decompress(base64.b85decode(HEADER_OF_2_0)) + b"\0" * 8192)
    assert f"newer DuckDB than {duckdb.__version__}" in refusal(SourceError, "n.duckdb")


#: The first page of a database that DuckDB 2.0 wrote.
HEADER_OF_2_0 = (
    "c-m75H=NM?Qs%!)sI&KTW(J}_nUS7>o&j$86jPJrq@+~ilr;S2?Ej(Bx+-s7rdi_z6YonZ"
    "{~1QXC>RB!U=)mkQ7{Td!6+C7qhJ(_f>A&d000I%65R"
)


@pytest.mark.parametrize("keep", [20, 4096, 9000, 13_000, 100_000])
def test_database_that_is_cut_short(here, keep):
    path = database(here / "c.duckdb", "CREATE TABLE t AS SELECT range AS a FROM range(200000)")
    write(path, path.read_bytes()[:keep])
    assert '"c.duckdb" cannot be opened' in refusal(SourceError, "c.duckdb", table="t")


def test_addresses(here, warehouse):
    assert "There is no file" in refusal(SourceError, attach="nosuch.duckdb")
    assert "There is no file" in refusal(SourceError, attach="sqlite:nosuch.db")
    assert 'cannot open "oracle:"' in refusal(UsageError, attach="oracle:x")
    assert "either a SOURCE or --attach" in refusal(UsageError, "wh.duckdb", attach="wh.duckdb")
    assert "is not a database" in refusal(SourceError, attach="sqlite:wh.duckdb")
    write(here / "a.csv", "a\n1\n")
    assert "is not a database" in refusal(SourceError, attach="a.csv")
    shutil.copy(warehouse, here / "odd:name.duckdb")
    assert opened(attach="odd:name.duckdb", table="records").rows == [(4,)]
    shutil.copy(warehouse, here / "x*'y.db")
    assert opened("x*'y.db", table="records").rows == [(4,)]


# --- SQLite --------------------------------------------------------------------------------------


@pytest.fixture
def shop(here) -> Path:
    path = here / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript("""
            CREATE TABLE "order; --" (id INTEGER PRIMARY KEY, "select" TEXT, price REAL, "a""b" NUMERIC);
            INSERT INTO "order; --" VALUES (1, 'x,"y"', 1.5, 2), (2, '', 2.0, 2.5), (3, NULL, NULL, NULL);
            CREATE VIEW dear AS SELECT id FROM "order; --" WHERE price > 1.7;
            CREATE TABLE mixed (whole, wide, any, bytes, none, text TEXT);
            INSERT INTO mixed VALUES (1, 9007199254740993, 1, x'00ff', NULL, '007'),
                (2, 0.5, 'a', x'', NULL, '7'), (9223372036854775807, 1, 0.1, NULL, NULL, char(10, 13, 34));
        """)
    connection.close()
    return path


def test_sqlite_through_python(shop):
    before = hashlib.sha256(shop.read_bytes()).hexdigest()
    read = opened("shop.sqlite", plain=False, table="order; --")
    assert read.names == ["id", "select", "price", 'a"b']
    assert read.types == ["BIGINT", "VARCHAR", "DOUBLE", "DOUBLE"]
    assert read.rows == [(1, 'x,"y"', 1.5, 2.0), (2, "", 2.0, 2.5), (3, None, None, None)]
    assert read.source.digest["value"] == before
    assert "Python's own SQLite" in read.source.notes[0]
    assert opened(attach="sqlite:shop.sqlite", plain=False, table="dear", where="id > 1").rows == [(2,)]
    mixed = opened("shop.sqlite", plain=False, table="mixed")
    assert mixed.types == ["BIGINT", "VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR"]
    assert mixed.rows == [
        (1, "9007199254740993", "1", "x'00ff'", None, "007"),
        (2, "0.5", "a", "x''", None, "7"),
        (9223372036854775807, "1", "0.1", None, None, '\n\r"'),
    ]


def test_sqlite_without_its_extension(shop):
    sentence = refusal(SourceError, attach="sqlite:shop.sqlite", query="SELECT 1")
    assert duckdb.__version__ in sentence
    assert "duckdb.sql('INSTALL sqlite')" in sentence
    assert "duckdb.sql('INSTALL postgres')" in refusal(SourceError, attach="postgres:dbname=x")
    assert "duckdb.sql('INSTALL mysql')" in refusal(SourceError, attach="mysql:database=x")
    assert "has 3 tables" in refusal(UsageError, "shop.sqlite")


def test_sqlite_that_is_damaged(shop, here):
    write(here / "cut.sqlite", shop.read_bytes()[:5000])
    assert "SQLite database" in refusal(SourceError, "cut.sqlite", table="order; --")


def test_large_sqlite_streams(here):
    path = here / "large.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, v TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", ((i, "x" * 100) for i in range(200_000)))
    connection.close()
    import tracemalloc

    with Session() as session:
        tracemalloc.start()
        open_source(session, Request("large.sqlite"))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 12_000_000  # the table takes about 40


def test_sqlite_through_the_extension(shop):
    install("sqlite_scanner")
    before = hashlib.sha256(shop.read_bytes()).hexdigest()
    read = opened("shop.sqlite", table="order; --")
    assert read.names == ["id", "select", "price", 'a"b']
    assert [row[:3] for row in read.rows] == [(1, 'x,"y"', 1.5), (2, "", 2.0), (3, None, None)]
    assert read.source.notes == ["Attached read-only with the engine's sqlite extension."]
    assert opened(attach="sqlite:shop.sqlite", query="SELECT count(*) AS n FROM dear").rows == [(1,)]
    assert hashlib.sha256(shop.read_bytes()).hexdigest() == before


# --- PostgreSQL ----------------------------------------------------------------------------------

#: Where the server's programs are: where Debian keeps them, or on the path.
INITDB = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")), shutil.which("initdb")]
POSTGRES = next((Path(found).resolve().parent for found in INITDB if found), None)


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """A server of its own on a private socket; gives the folder of the socket."""
    if POSTGRES is None:
        pytest.skip("PostgreSQL is not installed here")
    # Right below the folder for temporary files: its own account has to get there, and the names of
    # sockets are short.
    with tempfile.TemporaryDirectory(prefix="server-", ignore_cleanup_errors=True) as folder:
        yield from serve(Path(folder))


def serve(folder: Path) -> Iterator[Path]:
    assert POSTGRES is not None
    before: list[str] = []
    if os.getuid() == 0:  # the server refuses to run as root
        try:
            account = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("there is no account to run PostgreSQL with")
        os.chown(folder, account.pw_uid, account.pw_gid)
        before = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]

    def run(*command: str) -> None:
        subprocess.run([*before, *command], check=True, cwd=folder, capture_output=True, timeout=60)

    data = str(folder / "data")
    run(str(POSTGRES / "initdb"), "-D", data, "-U", "reader", "-A", "trust", "--no-sync")
    run(str(POSTGRES / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o",
        f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off", "start")
    try:
        script = """
            CREATE TABLE people (id bigint, "Age" int, age int, born date, "select" text);
            INSERT INTO people VALUES (1, 30, 31, '1990-01-02', 'x'), (2, 40, 41, NULL, 'y');
            CREATE SCHEMA "s.x"; CREATE TABLE "s.x"."t""; --" AS SELECT 7 AS n;
        """
        run(str(POSTGRES / "psql"), "-h", str(folder), "-U", "reader", "-d", "postgres", "-c", script)
        yield folder
    finally:
        run(str(POSTGRES / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


@pytest.fixture
def postgres_extension(here) -> None:
    install("postgres_scanner")


def test_postgres(postgres_extension, server):
    address = f"postgres:host={server} user=reader dbname=postgres"
    read = opened(attach=address, table="people")
    assert len(read.names) == 5
    assert [row[:3] for row in read.rows] == [(1, 30, 31), (2, 40, 41)]
    assert (read.source.name, read.source.digest) == ("postgres database: public.people", None)
    assert opened(attach=address, table='s.x.t"; --').rows == [(7,)]
    assert opened(attach=address, query="SELECT count(*) AS n FROM people", where="n > 0").rows == [(2,)]
    assert "choose one with --table" in refusal(UsageError, attach=address)
    assert "did you mean" in refusal(UsageError, attach=address, table="peple")
    with Session() as session:
        open_source(session, Request(attach=address, table="people"))
        with pytest.raises(duckdb.Error):
            session._connection.execute("DELETE FROM attached.public.people")


def test_password_is_shown_nowhere(postgres_extension, server):
    address = f"postgres:host={server} user=reader password='s3 cret' dbname=postgres"
    with Session() as session:
        found = open_source(session, Request(attach=address, table="people"))
        shown = " ".join([*found.setup, found.name, *found.notes, *(entry.sql for entry in session.log)])
    assert "s3 cret" not in shown
    assert "user=reader" in shown
    assert in_plain_duckdb(found)
    with pytest.raises(SourceError) as caught:
        opened(attach="postgres://reader:s3cret@127.0.0.1:1/postgres", table="people")
    assert "s3cret" not in str(caught.value)
    assert "cannot be opened" in str(caught.value)
