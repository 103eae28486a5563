"""Opens databases, read-only: DuckDB files, and whatever the engine's extensions attach."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from duckrisk.base.errors import (
    EngineError,
    SourceError,
    UsageError,
    format_message,
    quote_names,
    suggest_names,
)
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.source import query, sqlite
from duckrisk.source.formats import File, Inputs, format_of, short
from duckrisk.source.model import Opened, Place, Request

#: A kind of database is the name of the extension that attaches it.
_KIND = re.compile(r"[a-z][a-z0-9_]+")
_ALIASES = {"postgresql": "postgres", "sqlite3": "sqlite"}
#: Kinds whose extensions are known to exist, and to be servers.
_KNOWN = ("postgres", "mysql", "sqlite", "ducklake")
_SERVERS = ("postgres", "mysql")
#: What files are called that are on other machines; it is followed by two slashes.
_ELSEWHERE = ("http", "https", "s3", "s3a", "s3n", "gs", "gcs", "r2", "hf", "az", "azure", "abfs", "abfss")
#: What MySQL keeps beside the databases of its users.
_SYSTEM = ("mysql", "performance_schema", "sys")
_PASSWORD = re.compile(
    r"""(?ix)
    ( \b [\w-]* (?: pass(?:word|wd|phrase)? | pwd | token | secret
                  | (?:access|account|api|private|shared|secret)[_-]?key ) \s* = \s* )
    (?: '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | \{[^}]*\} | [^\s&;]+ )
    | ( ://[^/@:\s]*: ) \S+ (?=@)  # the user and the password of an URI
    | (?<=:) [^:/@]* (?=@)
    """
)


@dataclass(frozen=True)
class Address:
    """A database that an extension attaches: its ``kind``, the ``place`` that the extension is told, and its
    ``file`` where it is one of this machine."""

    kind: str
    place: str = field(repr=False)
    file: Path | None = None

    @property
    def extensions(self) -> list[str]:
        """The extensions that it needs."""
        inner = _catalog_kind(self.place) if self.kind == "ducklake" and self.file is None else None
        return [self.kind] if inner in (None, "duckdb") else [self.kind, inner]

    @property
    def label(self) -> str:
        """What a person is told of it, without what is secret."""
        return f'database "{_masked(str(self.file))}"' if self.file else f"{self.kind} database"


def address_of(address: str) -> Address | Path:
    """The database that is written to: one of a kind that extensions attach, or a file of DuckDB's own.
    Raises UsageError for a kind that cannot be written to."""
    if _exists(address):
        is_sqlite = format_of(_file(address)).name == "sqlite"
        return Address("sqlite", str(Path(address).absolute()), Path(address)) if is_sqlite else Path(address)
    scheme, colon, rest = address.partition(":")
    kind = _kind(scheme) if colon and len(scheme) > 1 else None  # one letter is a drive of Windows
    if kind is None:
        return Path(address)
    if kind == "duckdb":
        return Path(rest)
    if kind not in _KNOWN:
        raise UsageError(
            "source.into_unknown_database",
            masked=_masked(scheme),
            known=", ".join(f"{name}:" for name in _KNOWN),
        )
    if kind == "sqlite" or (kind == "ducklake" and _catalog_kind(rest) is None):
        return Address(kind, str(Path(rest).absolute()), Path(rest))
    return Address(kind, address if rest.startswith("//") else rest)


def load_extensions(session: Session, extensions: Sequence[str]) -> None:
    """Load what an address needs. Raises SourceError for what is not installed."""
    for extension in extensions:
        try:
            session.run("load_extension", name=extension)
        except (SourceError, UsageError):
            raise SourceError(_missing(session, extension)) from None
    _keep_secrets(session)


def _keep_secrets(session: Session) -> None:
    """PostgreSQL's extension asks for a place of kept secrets, and stops where there is none: an empty one.
    It is given once: with the first database that is attached it is in use."""
    if not any(s.name == "set_option" and "secret_directory" in s.sql for s in session.log):
        session.run("set_option", option="secret_directory", setting=str(session.folder / "secrets"))
        session.run("set_option", option="allow_persistent_secrets", setting=True)


def open_address(session: Session, place: Place, address: str, request: Request) -> Opened:
    """What --attach names: a file, or a kind of database and its address."""
    if _exists(address):
        return _open_database(session, place, _file(address), request)
    scheme, colon, rest = address.partition(":")
    if not colon or len(scheme) == 1:  # a drive of Windows
        raise SourceError("source.attached_file_not_found", masked=_masked(address))
    kind = _kind(scheme)
    if kind is None:
        raise UsageError("source.attach_unknown_database", masked=_masked(scheme))
    if kind in _ELSEWHERE and rest.startswith("//"):
        raise UsageError("source.remote_database_file")
    if kind in ("sqlite", "duckdb") or (kind == "ducklake" and _catalog_kind(rest) is None):
        if not _exists(rest):
            raise SourceError("source.database_file_not_found", masked=_masked(rest))
        if kind != "ducklake":
            return _open_database(session, place, _file(rest), request, kind)
    return _attached(session, place, kind, address if rest.startswith("//") else rest, None, request)


def local_files(address: str) -> list[Path]:
    """The files that an address names: a file with what is kept beside it, or all files of a folder."""
    while not _exists(address):
        with contextlib.suppress(OSError, ValueError):
            if address and Path(address).is_dir():
                return sorted(path for path in Path(address).resolve().rglob("*") if path.is_file())
        scheme, _, address = address.partition(":")
        if _kind(scheme) is None:
            return []
    path = Path(address).resolve()
    # SQLite and DuckDB keep what is not yet written through beside the file.
    return [path, *(beside for end in (".wal", "-wal") if (beside := Path(f"{path}{end}")).is_file())]


def _exists(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _kind(scheme: str) -> str | None:
    """The extension that a scheme names, if it can be the name of one."""
    kind = scheme.lower()
    return _ALIASES.get(kind, kind) if _KIND.fullmatch(kind) else None


def _catalog_kind(address: str) -> str | None:
    """The kind of database that the catalog of a DuckLake is in, where it is not a DuckDB file."""
    scheme, colon, _ = address.partition(":")
    return _kind(scheme) if colon and not _exists(address) else None


def _masked(address: str) -> str:
    """An address without what is secret in it."""
    return _PASSWORD.sub(lambda match: f"{match[1] or match[2] or ''}...", address)


def _file(name: str) -> File:
    return File(name, Path(name).resolve())


def open_file(session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
    """Open the database in a file. Raises SourceError where several are named."""
    if len(inputs.files) > 1:
        raise SourceError("source.several_databases", name=inputs.name, count=len(inputs.files))
    return _open_database(session, place, inputs.files[0], request)


def _open_database(
    session: Session, place: Place, file: File, request: Request, kind: str | None = None
) -> Opened:
    """Open the database in a file. Raises SourceError where it holds none, or none of the kind."""
    file_format = format_of(file)
    if not file_format.is_database or (kind and file_format.name != kind):
        raise SourceError("source.not_a_database", short=short(file.shown))
    extension = None if file_format.name == "duckdb" else "sqlite"
    return _attached(session, place, extension, str(file.path), file, request)


def _attached(
    session: Session, place: Place, kind: str | None, address: str, file: File | None, request: Request
) -> Opened:
    label = short(file.shown) if file else f"{kind} database"
    printed = _plain(file.shown) if file else _masked(address)
    opened = Opened(label, "database", None, copied=kind is not None or request.query is not None)
    if kind not in _SERVERS:
        opened.files = local_files(str(file.path) if file else address)
        opened.paths = [str(path) for path in opened.files]
    extensions = [kind] if kind is not None else []
    if kind == "ducklake" and (inner := _catalog_kind(address)) not in (None, "duckdb"):
        extensions.append(inner)
    opened.setup = (
        *(render(f"{does}_extension", name=name) for name in extensions for does in ("install", "load")),
        render("attach", address=printed, name=place.database, kind=kind),
    )
    for extension in extensions:
        try:
            session.run("load_extension", name=extension)
        except (SourceError, UsageError):
            if kind == "sqlite" and request.query is None and file is not None:
                return _without_extension(session, place, opened, file, request)
            raise SourceError(_missing(session, extension)) from None
    if kind is not None:
        opened.notes.append(Sentence("source.attached", kind=Data(kind)))
        _keep_secrets(session)
    _attach(session, place, kind, address, printed, label)
    opened.extension = kind
    tables: dict[tuple[str, str], bool] = {}
    if request.query is None or request.table is not None or kind == "ducklake":
        tables = _tables(session, place, kind, label)
    if request.query is None or request.table is not None:  # a query calls the table source
        schema, table = _choose_table(request.table, list(tables), label, place.several)
        if kind == "ducklake":
            _let_through(session, place, opened, schema, table, tables[schema, table])
        opened.relation = opened.printed_relation = render("qualified", names=[place.database, schema, table])
        if request.query is None:
            opened.name = f"{label}: {_shown(schema, table)}"
            opened.copied = opened.copied or tables[schema, table]  # a view is a query
            return opened
    if kind == "ducklake":
        called = {name.casefold() for name in query.tables(query.check_query(session, request.query))}
        for name, is_view in tables.items():
            if name[1].casefold() in called:
                _let_through(session, place, opened, *name, is_view)
    try:
        session.run("use_database", name=place.database)
    except (SourceError, UsageError, EngineError):
        if kind is None:
            raise
        raise UsageError("source.address_without_database", kind=kind) from None
    opened.setup = (*opened.setup, render("use_database", name=place.database))
    opened.default = place.database
    return opened


def functions(session: Session, requests: Sequence[Request], places: Sequence[Place]) -> dict[str, bool]:
    """The functions that there are, and whether an attached database brings one of that name; asked for
    only where a request could call one."""
    if all(request.query is None and request.where is None for request in requests):
        return {}
    rows = session.run("list_functions", databases=[place.database for place in places])
    return {row["function_name"].lower(): row["attached"] for row in rows}


def refuse_functions(
    session: Session, request: Request, before: dict[str, bool], now: dict[str, bool]
) -> None:
    """Refuse the functions of an extension and of an attached database in what the person asks: some change
    the database or its files although it is attached read-only. ``before`` are the functions from before the
    first was attached, ``now`` those after the last."""
    texts = [request.query] if request.query is not None else []
    if request.where is not None:
        texts.append(render("renamed", source="records", names=None, where=Sql(request.where)))
    called = {name for text in texts for name in query.functions(query.check_query(session, text))}
    if refused := sorted(name for name in called & now.keys() if now[name] or name not in before):
        raise UsageError("source.function_of_database", refused=refused[0])


def _let_through(
    session: Session, place: Place, opened: Opened, schema: str, table: str, is_view: bool
) -> None:
    """Let the files through that the catalog of a DuckLake names for a table."""
    name = _shown(schema, table)
    # A view can call what changes files, and nothing tells which files it needs.
    if is_view:
        raise UsageError("source.view_of_ducklake", shown=name)
    for row in session.run("lake_files", database=place.database, schema=schema, table=table):
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", row["file"]):
            raise SourceError("source.records_elsewhere", shown=name)
        opened.paths.append(row["file"])
        opened.files.append(Path(row["file"]).resolve())


def _tables(session: Session, place: Place, kind: str | None, label: str) -> dict[tuple[str, str], bool]:
    """The schema and the name of each table and view, and whether it is a view."""
    try:
        rows = session.run("list_tables", database=place.database)
    except (SourceError, UsageError, EngineError):
        if kind is None:
            raise
        raise _unopened(kind, label) from None  # some extensions look only now
    hidden = _SYSTEM if kind == "mysql" else ()
    return {
        (row["table_schema"], row["table_name"]): row["is_view"]
        for row in rows
        if row["table_schema"] not in hidden
    }


def _plain(name: str) -> str:
    """A path in which the engine finds no kind of database before a colon."""
    return f"./{name}" if ":" in name and not Path(name).is_absolute() else name


def _attach(session: Session, place: Place, kind: str | None, address: str, printed: str, label: str) -> None:
    try:
        session.run("attach", address=address, name=place.database, kind=kind)
    except (SourceError, UsageError, EngineError) as error:
        if kind is None:
            raise SourceError("source.extension_failed", label=label, error=error) from None
        raise _unopened(kind, label) from None
    finally:
        # The report shows the executed statements, and an address can hold a password.
        if session.log and session.log[-1].name == "attach":
            session.redact_last_statement("attach", address=printed, name=place.database, kind=kind)


def _unopened(kind: str, label: str) -> SourceError:
    further = "" if kind in _SERVERS else "that nothing more is needed, such as credentials, "
    if kind == "ducklake":
        further = "that its data files are on this machine, "
    return SourceError("source.database_not_opened", label=label, further=further)


def _missing(session: Session, kind: str) -> str:
    if session.fetch_row("is_installed", name=kind)["installed"]:
        return format_message("source.extension_does_not_load", kind=kind, version=session.engine_version)
    perhaps = "" if kind in _KNOWN else "if there is one of that name, "
    return format_message(
        "source.extension_not_installed", kind=kind, version=session.engine_version, perhaps=perhaps
    )


def _without_extension(
    session: Session, place: Place, opened: Opened, file: File, request: Request
) -> Opened:
    """A table of an SQLite database, read by Python's own module."""
    with sqlite.connect(file.path) as connection:
        tables = [("main", name) for name in sqlite.tables(connection)]
        _, table = _choose_table(request.table, tables, opened.name, place.several)
        target = place.folder / "sqlite.csv"
        opened.relation, opened.names = sqlite.copy(connection, table, target)
    opened.name = f"{opened.name}: {table}"
    opened.printed_relation = render("qualified", names=[place.database, "main", table])
    opened.paths = [str(target)]
    opened.notes.append(Sentence("source.own_sqlite"))
    return opened


def _shown(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def _choose_table(
    wanted: str | None, tables: list[tuple[str, str]], label: str, several: bool
) -> tuple[str, str]:
    """The table that is wanted, or the only one; where ``several`` sources are opened each names its own."""
    if not tables:
        raise SourceError("source.no_tables", label=label)
    names = [_shown(schema, table) for schema, table in tables]
    if wanted is None:
        if len(tables) == 1:
            return tables[0]
        how = f'as in "{label}:{names[0]}"' if several else "with --table"
        raise UsageError(
            "source.table_not_chosen", label=label, count=len(tables), how=how, some=quote_names(names)
        )

    def spellings(schema: str, table: str) -> list[Sql | str]:
        return [table, f"{schema}.{table}", identifier(table), render("qualified", names=[schema, table])]

    fits = [fit for fit in tables if wanted in spellings(*fit)]
    if len(fits) > 1:
        fits = [fit for fit in fits if fit[0] in ("main", "public")] or fits
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UsageError("source.ambiguous_table", wanted=wanted, label=label)
    raise UsageError(
        "source.table_not_found", label=label, wanted=wanted, suggestion=suggest_names(wanted, names)
    )
