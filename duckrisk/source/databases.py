"""Opens databases, read-only: DuckDB files, and SQLite, PostgreSQL and MySQL by the engine's extensions."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from duckrisk.errors import SourceError, UsageError, nearest
from duckrisk.session import Session
from duckrisk.source import sqlite
from duckrisk.source.files import File, format_of
from duckrisk.source.model import Opened, Request
from duckrisk.source.names import some
from duckrisk.templates import Sql, identifier, render

#: The name that every database is attached under.
DATABASE = "attached"
_KINDS = {"postgres": "postgres", "postgresql": "postgres", "sqlite": "sqlite", "mysql": "mysql"}
_PASSWORD = re.compile(r"(?i)(\bpass(?:word|wd)?\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&;]+)|(?<=:)([^:/@]*)(?=@)")


def open_address(session: Session, address: str, request: Request) -> Opened:
    """What --attach names: a file, or a kind of database and its address."""
    if Path(address).is_file():
        return open_file(session, _file(address), request)
    scheme, colon, rest = address.partition(":")
    kind = _KINDS.get(scheme.lower())
    if not colon or len(scheme) == 1:  # a drive of Windows
        raise SourceError(f'There is no file "{address}"; --attach takes a database.')
    if kind is None:
        raise UsageError(
            f'--attach cannot open "{scheme}:"; it takes postgres:, sqlite:, mysql: or a .duckdb file.'
        )
    if kind == "sqlite":
        if not Path(rest).is_file():
            raise SourceError(f'There is no file "{rest}".')
        return open_file(session, _file(rest), request, kind)
    return _attached(session, kind, address if rest.startswith("//") else rest, None, request)


def _file(name: str) -> File:
    return File(name, Path(name).resolve())


def open_file(session: Session, file: File, request: Request, kind: str | None = None) -> Opened:
    """A database in a file."""
    found = format_of(file)
    if found not in ("duckdb", "sqlite") or (kind and found != kind):
        raise SourceError(f'"{Path(file.shown).name}" is not a database that --attach can open.')
    return _attached(session, None if found == "duckdb" else "sqlite", str(file.path), file, request)


def _attached(
    session: Session, kind: str | None, address: str, file: File | None, request: Request
) -> Opened:
    if request.query is not None and request.table is not None:
        raise UsageError("Give either --table or --query, not both.")
    label = Path(file.shown).name if file else f"{kind} database"
    shown = _plain(file.shown) if file else _PASSWORD.sub(lambda found: f"{found[1] or ''}...", address)
    setup = [render("attach", address=shown, name=DATABASE, kind=kind)]
    if kind is not None:
        setup = [*(render(name, name=kind) for name in ("install_extension", "load_extension")), *setup]
    opened = Opened(
        label, "database", None, setup=tuple(setup), copied=kind is not None or request.query is not None
    )
    if file is not None:
        # SQLite and DuckDB keep what is not yet written through beside the file.
        beside = [Path(f"{file.path}{ending}") for ending in (".wal", "-wal")]
        opened.files = [file.path, *(path for path in beside if path.is_file())]
        opened.paths = [str(path) for path in opened.files]
    if kind is not None:
        try:
            session.run("load_extension", name=kind)
        except (SourceError, UsageError):
            if kind == "sqlite" and request.query is None and file is not None:
                return _without_extension(session, opened, file, request)
            raise SourceError(_missing(session, kind)) from None
        opened.notes.append(f"Attached read-only with the engine's {kind} extension.")
        # PostgreSQL's asks for a place of kept secrets, and stops where there is none: an empty one.
        session.run("set_option", option="secret_directory", setting=str(session.folder / "secrets"))
        session.run("set_option", option="allow_persistent_secrets", setting=True)
    _attach(session, kind, address, shown, label)
    if request.query is not None:
        session.run("use_database", name=DATABASE)
        opened.setup = (*opened.setup, render("use_database", name=DATABASE))
        return opened
    tables = {
        (row["table_schema"], row["table_name"]): row["is_view"]
        for row in session.run("list_tables", database=DATABASE)
    }
    schema, table = _choose_table(request.table, list(tables), label)
    opened.name = f"{label}: {_shown(schema, table)}"
    opened.relation = opened.readable = render("qualified", names=[DATABASE, schema, table])
    opened.copied = opened.copied or tables[schema, table]  # a view is a query
    return opened


def _plain(name: str) -> str:
    """A path in which the engine finds no kind of database before a colon."""
    return f"./{name}" if ":" in name and not Path(name).is_absolute() else name


def _attach(session: Session, kind: str | None, address: str, shown: str, label: str) -> None:
    try:
        session.run("attach", address=address, name=DATABASE, kind=kind)
    except (SourceError, UsageError) as error:
        if kind is None:
            raise SourceError(f'"{label}" cannot be opened. {error}') from None
        raise SourceError(
            f'The database "{label}" cannot be opened; check that it is one, that it runs, that the address '
            "is right, and that you may read it."
        ) from None
    finally:
        # The report shows the executed statements, and an address can hold a password.
        if session.log and session.log[-1].name == "attach":
            public = render("attach", address=shown, name=DATABASE, kind=kind)
            session.log[-1] = dataclasses.replace(session.log[-1], sql=public)


def _missing(session: Session, kind: str) -> str:
    return (
        f"The engine's {kind} extension is not installed for DuckDB {session.engine_version}; install it "
        f"once with: python -c \"import duckdb; duckdb.sql('INSTALL {kind}')\""
    )


def _without_extension(session: Session, opened: Opened, file: File, request: Request) -> Opened:
    """A table of an SQLite database, read by Python's own module."""
    with sqlite.connect(file.path) as connection:
        tables = [("main", name) for name in sqlite.tables(connection)]
        _, table = _choose_table(request.table, tables, opened.name)
        target = session.folder / "sqlite.csv"
        opened.relation, opened.names = sqlite.copy(connection, table, target)
    opened.name = f"{opened.name}: {table}"
    opened.readable = render("qualified", names=[DATABASE, "main", table])
    opened.paths = [str(target)]
    opened.notes.append(
        "Read with Python's own SQLite; dates stay the texts or numbers that SQLite keeps them as."
    )
    return opened


def _shown(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def _choose_table(wanted: str | None, tables: list[tuple[str, str]], label: str) -> tuple[str, str]:
    if not tables:
        raise SourceError(f'"{label}" has no tables.')
    shown = [_shown(schema, table) for schema, table in tables]
    if wanted is None:
        if len(tables) == 1:
            return tables[0]
        raise UsageError(f'"{label}" has {len(tables)} tables; choose one with --table: {some(shown)}.')

    def names(schema: str, table: str) -> list[Sql | str]:
        return [table, f"{schema}.{table}", identifier(table), render("qualified", names=[schema, table])]

    fits = [fit for fit in tables if wanted in names(*fit)]
    if len(fits) > 1:
        fits = [fit for fit in fits if fit[0] in ("main", "public")] or fits
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UsageError(f'--table "{wanted}" fits several tables; write schema.table.')
    raise UsageError(f'"{label}" has no table "{wanted}"; did you mean {nearest(wanted, shown)}?')
