"""Databases: DuckDB files, and SQLite, PostgreSQL, MySQL and lakes, always read-only."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib.util
import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from duckrisk.base.errors import DuckriskError, SourceError, UsageError
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Sql
from duckrisk.source import Request, Source, databases, open_source
from tests.opening import database, in_plain_duckdb, opened, write
from tests.tables import connect, put, run, thinned


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
    thinned(
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
        3,
    ),
)
def test_tables_of_a_database(warehouse, table, rows):
    before = hashlib.sha256(warehouse.read_bytes()).hexdigest()
    read = opened("wh.duckdb", table=table)
    assert read.rows == rows
    assert read.source.digest.value == before
    assert read.source.setup[0].startswith("ATTACH 'wh.duckdb'")
    assert opened(attach="wh.duckdb", table=table).rows == rows
    assert hashlib.sha256(warehouse.read_bytes()).hexdigest() == before
    assert [path.name for path in warehouse.parent.iterdir()] == ["wh.duckdb"]


@pytest.mark.parametrize("table", ["t", "v"])
@pytest.mark.parametrize("where", [None, "n > 0"])
def test_texts_are_told_apart_whatever_the_rule_of_their_column(here, table, where):
    """A table can say that A and a are equal: a release shows both, and a class of two is two of one."""
    columns = (
        '"c1 VARCHAR COLLATE c" VARCHAR, a VARCHAR COLLATE NOCASE, """b" VARCHAR COLLATE NOACCENT, n INTEGER'
    )
    with duckdb.connect("texts.duckdb") as connection:
        connection.execute(f"CREATE TABLE t ({columns}); CREATE VIEW v AS FROM t")
        connection.execute("INSERT INTO t VALUES ('p', 'x', 'e', 1), ('p', 'X', 'é', 2), ('p', NULL, 'e', 3)")
    read = opened("texts.duckdb", table=table, where=where)
    assert read.types == ["VARCHAR"] * 3 + ["INTEGER"]
    assert {row[1:3] for row in read.rows} == {("x", "e"), ("X", "é"), (None, "e")}
    with Session() as session:
        found = open_source(session, Request("texts.duckdb", table=table, where=where))
        counts = "COUNT(DISTINCT {0}), COUNT(DISTINCT {1})"
        for relation, columns in ((ASSESSED, ("c1", "c2")), (found.printed_relation, ("a", '"""b"'))):
            counted = f"SELECT {counts.format(*columns)} FROM {relation}"
            assert session.run_in_worker(
                lambda sql=counted: session._connection.execute(sql).fetchall(), "n"
            ) == [(2, 2)]


def test_database_is_read_only(warehouse):
    with Session() as session:
        open_source(session, Request("wh.duckdb", table="people"))
        with pytest.raises(duckdb.InvalidInputException):
            session._connection.execute("INSERT INTO attached.main.people VALUES (9, 'y')")


@pytest.mark.parametrize(
    "name", thinned(["assessed", "source", "readable", "records", "history", "attached"])
)
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


def test_a_query_on_a_table_of_a_database(warehouse):
    """The table is the source; the others keep their names."""
    strange = 's.x.t"; DROP TABLE people; --'
    query = 'SELECT s."select", p.v FROM source AS s JOIN people AS p ON p.id = 1'
    rows = opened(attach="wh.duckdb", table=strange, query=query).rows
    assert rows == [(7, "x")]
    assert opened("wh.duckdb", table="people", query="SELECT COUNT(*) AS n FROM source").rows == [(3,)]
    assert 'no table "peple"' in refusal(UsageError, "wh.duckdb", table="peple", query="FROM source")
    refusal(UsageError, "wh.duckdb", table="people", query="SELECT nosuch FROM source")


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
    assert "a view of files" in refusal(SourceError, "v.duckdb")
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
    assert read.source.digest.files == 2


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
    assert "There is no file" in refusal(SourceError, attach="ducklake:nosuch.ducklake")
    assert "There is no file" in refusal(SourceError, attach=f"sqlite:{'x' * 5000}")
    assert 'cannot open "my-db:"' in refusal(UsageError, attach="my-db:x")
    assert "of this machine only" in refusal(UsageError, attach="https://example.org/wh.duckdb")
    assert "of this machine only" in refusal(UsageError, attach="s3://bucket/wh.duckdb")
    assert "either a SOURCE or --attach" in refusal(UsageError, "wh.duckdb", attach="wh.duckdb")
    assert "is not a database" in refusal(SourceError, attach="sqlite:wh.duckdb")
    assert opened(attach="duckdb:wh.duckdb", table="records").rows == [(4,)]
    write(here / "a.csv", "a\n1\n")
    assert "is not a database" in refusal(SourceError, attach="a.csv")
    shutil.copy(warehouse, here / "odd:name.duckdb")
    assert opened(attach="odd:name.duckdb", table="records").rows == [(4,)]
    shutil.copy(warehouse, here / "x*'y.db")
    assert opened("x*'y.db", table="records").rows == [(4,)]


def test_kinds_that_are_not_installed(here):
    """Nothing is fetched; a scheme that is no extension's name is told the same way."""
    install = "python -c \"import duckdb; duckdb.sql('INSTALL {}')\""
    for address, name in [
        ("postgres:dbname=x", "postgres"),
        ("postgresql://u@h/x", "postgres"),
        ("MySQL:database=x", "mysql"),
        ("ducklake:sqlite:x.db", "ducklake"),
    ]:
        sentence = refusal(SourceError, attach=address)
        assert sentence.startswith(
            f'No extension "{name}" is installed for DuckDB {duckdb.__version__}; install'
        )
        assert sentence.endswith(install.format(name))
    sentence = refusal(SourceError, attach="foo:bar")
    assert "if there is one of that name, install it once with" in sentence
    assert sentence.endswith(install.format("foo"))
    assert list(here.iterdir()) == []


def test_extension_that_does_not_load(here):
    install("delta")
    (damaged,) = here.rglob("delta.duckdb_extension")
    damaged.unlink()  # it is in use
    damaged.write_bytes(b"x" * 1000)
    assert 'extension "delta" of DuckDB' in (sentence := refusal(SourceError, attach="delta:x"))
    assert "does not load" in sentence


def test_extension_that_attaches_nothing(here):
    assert "that nothing more is needed" in refusal(SourceError, attach="json:x")


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("host=h password=geheim dbname=x", "host=h password=... dbname=x"),
        ("password='ge heim' dbname=x", "password=... dbname=x"),
        (r"password='ge\' heim' dbname=x", "password=... dbname=x"),
        ('host=h passwd="ge heim" db=x', "host=h passwd=... db=x"),
        ("Server=h;Pwd={ge;heim};Database=x", "Server=h;Pwd=...;Database=x"),
        ("project=x&access_token=geheim&y=1", "project=x&access_token=...&y=1"),
        ("client_secret = geheim api-key=geheim", "client_secret = ... api-key=..."),
        ("postgres://u:geheim@h/x", "postgres://u:...@h/x"),
        ("mssql://u:ge:h/ei@m@h/x", "mssql://u:...@h/x"),
        ("u:geheim@h/x", "u:...@h/x"),
        ("host=h user=reader sslkey=k.pem", "host=h user=reader sslkey=k.pem"),
    ],
)
def test_what_is_secret_in_an_address(address, masked):
    assert databases._mask_secrets(address) == masked


def test_password_in_an_address_that_is_refused():
    for address in ("dbname=x password=secret", "dbname=x password=secret:x", "sqlite:password=secret"):
        refusal(DuckriskError, attach=address)


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
    assert read.source.digest.value == before
    assert read.source.notes == [Sentence("source.own_sqlite")]
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
    assert "has 3 tables" in refusal(UsageError, "shop.sqlite")


def test_sqlite_that_is_damaged(shop, here):
    write(here / "cut.sqlite", shop.read_bytes()[:5000])
    assert "SQLite database" in refusal(SourceError, "cut.sqlite", table="order; --")


@pytest.mark.slow
def test_large_sqlite_streams(here):
    path = here / "large.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, v TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", ((i, "x" * 100) for i in range(80_000)))
    connection.close()
    import tracemalloc

    with Session() as session:
        tracemalloc.start()
        open_source(session, Request("large.sqlite"))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8_000_000  # the table takes about 16


def test_sqlite_through_the_extension(shop):
    install("sqlite_scanner")
    before = hashlib.sha256(shop.read_bytes()).hexdigest()
    read = opened("shop.sqlite", table="order; --")
    assert read.names == ["id", "select", "price", 'a"b']
    assert [row[:3] for row in read.rows] == [(1, 'x,"y"', 1.5), (2, "", 2.0), (3, None, None)]
    assert read.source.notes == [Sentence("source.attached", kind=Data("sqlite"))]
    assert opened(attach="sqlite:shop.sqlite", query="SELECT count(*) AS n FROM dear").rows == [(1,)]
    sentence = refusal(
        UsageError, attach="sqlite:shop.sqlite", query="FROM sqlite_scan('shop.sqlite', 'dear')"
    )
    assert sentence.startswith("sqlite_scan() comes with the attached database or its extension")
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


def as_account(name: str, folder: Path) -> list[str]:
    """What makes a command run as a server's own account, for servers that refuse to run as root; the
    folder becomes that account's."""
    if os.getuid() != 0:
        return []
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        pytest.skip(f"there is no account {name} to run the server with")
    os.chown(folder, account.pw_uid, account.pw_gid)
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]


def serve(folder: Path) -> Iterator[Path]:
    assert POSTGRES is not None
    before = as_account("postgres", folder)

    def run(*command: str) -> None:
        subprocess.run([*before, *command], check=True, cwd=folder, capture_output=True, timeout=60)

    data = str(folder / "data")
    run(str(POSTGRES / "initdb"), "-D", data, "-U", "reader", "-A", "trust", "--no-sync")
    run(
        str(POSTGRES / "pg_ctl"),
        "-D",
        data,
        "-w",
        "-l",
        str(folder / "log"),
        "-o",
        f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off",
        "start",
    )
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
        shown = " ".join(
            [*found.setup, found.name, *map(in_english, found.notes), *(entry.sql for entry in session.log)]
        )
    assert "s3 cret" not in shown
    assert "user=reader" in shown
    assert in_plain_duckdb(found)
    with pytest.raises(SourceError) as caught:
        opened(attach="postgres://reader:s3cret@127.0.0.1:1/postgres", table="people")
    assert "s3cret" not in str(caught.value)
    assert "cannot be opened" in str(caught.value)


def test_lake_with_its_catalog_in_postgres(postgres_extension, server, here):
    install("ducklake")
    catalog = f"ducklake:postgres:host={server} user=reader dbname=postgres"
    with duckdb.connect() as made:
        made.execute("LOAD postgres; LOAD ducklake")
        made.execute(f"ATTACH '{catalog}' AS attached (DATA_PATH '{here}/data/', META_SCHEMA 'public')")
        made.execute("CREATE TABLE attached.people AS SELECT range AS id FROM range(100)")
    read = opened(attach=catalog, table="main.people", plain=False)
    assert sorted(read.rows) == [(i,) for i in range(100)]
    assert [str(line) for line in read.source.setup[:4]] == [
        'INSTALL "ducklake"', 'LOAD "ducklake"', 'INSTALL "postgres"', 'LOAD "postgres"'
    ]  # fmt: skip


# --- MySQL ---------------------------------------------------------------------------------------

MARIADB = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin:/usr/libexec")


@pytest.fixture(scope="module")
def mysql_server() -> Iterator[Path]:
    """A MariaDB of its own on a private socket; gives the socket."""
    if MARIADB is None:
        pytest.skip("MariaDB is not installed here")
    with tempfile.TemporaryDirectory(prefix="server-", ignore_cleanup_errors=True) as folder:
        yield from serve_mysql(Path(folder))


def serve_mysql(folder: Path) -> Iterator[Path]:
    before, socket, data = as_account("mysql", folder), folder / "socket", f"--datadir={folder / 'data'}"
    subprocess.run(
        [*before, "mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal",
         "--skip-test-db"],
        check=True, cwd=folder, capture_output=True, timeout=120,
    )  # fmt: skip
    options = [data, f"--socket={socket}", "--skip-networking", "--innodb-flush-log-at-trx-commit=0"]
    server = subprocess.Popen(
        [*before, str(MARIADB), "--no-defaults", *options],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    script = """
        CREATE USER reader@localhost IDENTIFIED BY 'geh eim'; GRANT ALL ON *.* TO reader@localhost;
        CREATE DATABASE shop; CREATE DATABASE `s.x`;
        CREATE TABLE shop.people (id bigint, Age int, born date, paid decimal(8, 2), `select` text);
        INSERT INTO shop.people VALUES (1, 30, '1990-01-02', 1.50, 'x'), (2, 40, NULL, NULL, '');
        CREATE VIEW shop.older AS SELECT id FROM shop.people WHERE Age > 35;
        CREATE TABLE `s.x`.`t"; --` (n int); INSERT INTO `s.x`.`t"; --` VALUES (7);
    """
    client = ["mariadb", "--no-defaults", f"--socket={socket}", "--user=root", "--connect-timeout=5"]
    try:
        for _ in range(300):
            if subprocess.run([*client, "-e", "SELECT 1"], capture_output=True, timeout=60).returncode == 0:
                break
            assert server.poll() is None, "the server ended"
            time.sleep(0.1)
        subprocess.run([*client, "-e", script], check=True, capture_output=True, timeout=60)
        yield socket
    finally:
        server.terminate()
        try:
            server.wait(60)
        finally:
            server.kill()


def test_mysql(mysql_server, here):
    install("mysql_scanner")
    address = f'mysql:socket={mysql_server} user=reader passwd="geh eim"'
    read = opened(attach=address, table="shop.people", plain=False)
    assert read.names == ["id", "Age", "born", "paid", "select"]
    assert read.rows == [
        (1, 30, date(1990, 1, 2), Decimal("1.50"), "x"), (2, 40, None, None, "")
    ]  # fmt: skip
    assert (read.source.name, read.source.digest) == ("mysql database: shop.people", None)
    assert in_plain_duckdb_as_root(read.source) == read.rows
    assert opened(attach=f"{address} db=shop", table="older", plain=False).rows == [(2,)]
    assert opened(attach=address, table='s.x.t"; --', plain=False).rows == [(7,)]
    counted = "SELECT count(*) AS n FROM shop.people"
    named = opened(attach=f"{address} db=shop", query=counted, where="n > 0", plain=False)
    assert named.rows == [(2,)]
    assert "such as mysql:database=shop" in refusal(UsageError, attach=address, query=counted)
    assert "has 3 tables; choose one with --table" in refusal(UsageError, attach=address)
    assert "did you mean" in refusal(UsageError, attach=address, table="peple")
    for call in (
        "mysql_query('attached', 'SELECT 1')",
        "system.main.MYSQL_execute('attached', 'DROP TABLE x')",
    ):
        within = f"{address} db=shop"
        assert "comes with the attached" in refusal(UsageError, attach=within, query=f"FROM {call}")
    with pytest.raises(SourceError) as caught:
        opened(attach=f'mysql:socket={mysql_server} user=reader passwd="secret"', table="shop.people")
    assert "cannot be opened" in str(caught.value)
    assert "secret" not in str(caught.value)
    with Session() as session:
        found = open_source(session, Request(attach=f"{address} db=shop", table="people"))
        shown = " ".join(
            [*found.setup, found.name, *map(in_english, found.notes), *(entry.sql for entry in session.log)]
        )
        assert "geh" not in shown
        assert "eim" not in shown
        for change in ("DELETE FROM attached.shop.people", "CREATE TABLE attached.shop.more (a INTEGER)"):
            with pytest.raises(duckdb.Error):
                session._connection.execute(change)
    assert opened(attach=address, table="shop.people", plain=False).rows == read.rows


def in_plain_duckdb_as_root(source: Source) -> list[tuple[object, ...]]:
    """The SQL for people, with the masked password left out."""
    setup = tuple(Sql(line.replace("user=reader passwd=...", "user=root")) for line in source.setup)
    return sorted(in_plain_duckdb(dataclasses.replace(source, setup=setup)), key=str)


# --- lakes ---------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, str]:
    """The files of a folder but for the engine's own, and what they hold."""
    files = [path for path in folder.rglob("*") if path.is_file() and ".duckdb" not in path.parts]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_files_of_a_lake_by_hand() -> None:
    """Of three data files two have one with what is deleted, the same."""
    with connect() as connection:
        put(
            connection, "listed_files", "data_file:VARCHAR delete_file:VARCHAR",
            ("b", None), ("a", "d"), ("c", "d"), (None, None),
        )  # fmt: skip
        connection.execute(
            "CREATE MACRO ducklake_list_files(lake, name, schema := 'main') AS TABLE FROM listed_files"
        )
        found = run(connection, "lake_files", database="lake", schema="s", table="t")
    assert [one["file"] for one in found] == ["a", "b", "c", "d"]


@pytest.fixture
def lake(here) -> Path:
    install("ducklake")
    with duckdb.connect() as made:
        made.execute("LOAD ducklake")
        made.execute("ATTACH 'ducklake:shop.ducklake' AS attached")
        made.execute("USE attached")
        made.execute("CREATE TABLE people AS SELECT range AS id, range % 7 AS age FROM range(1000)")
        made.execute("DELETE FROM people WHERE id < 400")
        made.execute("CREATE TABLE few AS SELECT 1 AS a")
        made.execute('CREATE SCHEMA "s.x"')
        made.execute('CREATE TABLE "s.x"."t""; --" AS SELECT range AS n FROM range(50)')
        made.execute("CREATE VIEW grown AS SELECT id + 1 AS id FROM people")
    return here / "shop.ducklake"


def test_lake(lake, here):
    before = contents(here)
    address = "ducklake:shop.ducklake"
    read = opened(attach=address, table="people")
    assert (read.names, len(read.rows), read.source.name) == (["id", "age"], 600, "ducklake database: people")
    assert read.source.digest.files == 3  # the catalog, the records, which of them are deleted
    assert read.source.notes == [Sentence("source.attached", kind=Data("ducklake"))]
    assert opened(attach=address, table="few").rows == [(1,)]
    assert opened(attach=address, table='s.x.t"; --', where="n > 47").rows == [(48,), (49,)]
    query = 'SELECT max(id) AS last, count(*) AS n FROM PEOPLE, (SELECT max(n) FROM "s.x"."t""; --")'
    assert opened(attach=address, query=query).rows == [(999, 600)]
    assert opened(attach=address, query="SELECT sum(id) AS s FROM query_table('people')").rows == [(419700,)]
    assert "has 4 tables" in refusal(UsageError, attach=address)
    assert contents(here) == before


def test_lake_lets_only_its_data_through(lake, here):
    address = "ducklake:shop.ducklake"
    write(here / "a.csv", "secret\n1\n")
    for query in ("FROM 'a.csv'", "SELECT a FROM few, 'a.csv'"):
        refusal(UsageError, attach=address, query=query)
    with Session() as session:
        open_source(session, Request(attach=address, table="few"))
        for statement in (
            "FROM attached.people", "DELETE FROM attached.few", "CREATE TABLE attached.more (a INTEGER)",
            "CALL ducklake_expire_snapshots('attached', older_than => now())",
        ):  # fmt: skip
            with pytest.raises(duckdb.Error):
                session._connection.execute(statement).fetchall()


def test_what_could_change_a_lake(lake, here):
    """A catalog that asks for a file's deletion gets its way although it is attached read-only, if only the
    extension's function is called, be it by a view or a macro of the lake."""
    clean = "ducklake_cleanup_old_files('attached', cleanup_all => true)"
    address = "ducklake:shop.ducklake"
    with duckdb.connect() as made:
        made.execute("LOAD ducklake")
        made.execute(f"ATTACH '{address}' AS attached")
        made.execute(f"CREATE VIEW attached.bad AS FROM {clean}")
        made.execute(f"CREATE MACRO attached.main.lower(x) AS (SELECT count(*) FROM {clean})")
    with duckdb.connect("shop.ducklake") as catalog:
        where, which = "path LIKE '%delete%'", "data_file_id, 'main/people/' || path, true, now()"
        deletes = f"FROM ducklake_delete_file WHERE {where}"
        catalog.execute(f"INSERT INTO ducklake_files_scheduled_for_deletion SELECT {which} {deletes}")
        assert catalog.execute("SELECT count(*) FROM ducklake_files_scheduled_for_deletion").fetchall() == [
            (1,)
        ]
    before = contents(here)
    for query in (f"FROM {clean}", "SELECT lower('x') AS x FROM people", f"FROM people, {clean.upper()}"):
        assert "comes with the attached" in refusal(UsageError, attach=address, query=query)
    sentence = refusal(UsageError, attach=address, table="people", where="attached.main.lower('x') > 0")
    assert sentence.startswith("lower() comes with the attached")
    for request in ({"table": "bad"}, {"table": "grown"}, {"query": "FROM (SELECT * FROM Bad)"}):
        assert "a view of a DuckLake" in refusal(UsageError, attach=address, **request)
    assert contents(here) == before


def test_lake_whose_data_is_elsewhere(lake):
    request = {"attach": "ducklake:shop.ducklake", "table": "people"}
    with duckdb.connect("shop.ducklake") as catalog:
        catalog.execute("UPDATE ducklake_data_file SET path = 's3://x/y', path_is_relative = false")
    assert "are not on this machine" in refusal(SourceError, **request)
    with duckdb.connect("shop.ducklake") as catalog:
        catalog.execute("UPDATE ducklake_metadata SET value = 's3://bucket/' WHERE key = 'data_path'")
    assert "that its data files are on this machine" in refusal(SourceError, **request)


def test_lake_with_its_catalog_in_sqlite(here):
    install("ducklake")
    install("sqlite_scanner")
    with duckdb.connect() as made:
        made.execute("LOAD sqlite; LOAD ducklake")
        made.execute("ATTACH 'ducklake:sqlite:shop.db' AS attached (DATA_PATH 'data/')")
        made.execute("CREATE TABLE attached.people AS SELECT range AS id FROM range(100)")
    before = contents(here)
    assert len(opened(attach="ducklake:sqlite:shop.db", table="people").rows) == 100
    assert contents(here) == before


def test_delta(here):
    """A kind that is known to the engine's extension only, in a folder."""
    install("delta")
    with duckdb.connect() as made:
        (here / "people" / "_delta_log").mkdir(parents=True)
        made.execute("COPY (SELECT range AS id FROM range(5)) TO 'people/1.parquet'")
    column = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    schema = json.dumps({"type": "struct", "fields": [column]})
    size = (here / "people" / "1.parquet").stat().st_size
    log = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "00000000-0000-0000-0000-000000000001", "schemaString": schema, "createdTime": 1,
                      "format": {"provider": "parquet", "options": {}}, "partitionColumns": [],
                      "configuration": {}}},
        {"add": {"path": "1.parquet", "partitionValues": {}, "size": size, "modificationTime": 1,
                 "dataChange": True}},
    ]  # fmt: skip
    write(here / "people" / "_delta_log" / f"{0:020}.json", "\n".join(map(json.dumps, log)))
    before = contents(here)
    read = opened(attach="delta:people")
    assert read.rows == [(0,), (1,), (2,), (3,), (4,)]
    assert read.source.digest.files == 2
    assert "comes with" in refusal(UsageError, attach="delta:people", where="write_blob('x', 'y') > 0")
    assert contents(here) == before
    assert "cannot be opened" in refusal(SourceError, attach="delta:nosuch")
