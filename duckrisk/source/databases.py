"""Opens databases read-only: DuckDB files, and those that an extension of DuckDB attaches."""

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
from duckrisk.source.formats import File, Inputs, detect_format, short_name
from duckrisk.source.model import OpenedInput, Request, Workspace

#: A kind of database: the name of the extension that attaches it.
_KIND = re.compile(r"[a-z][a-z0-9_]+")
_ALIASES = {"postgresql": "postgres", "sqlite3": "sqlite"}
#: Kinds whose extensions are known to exist, and those of servers.
_KNOWN = ("postgres", "mysql", "sqlite", "ducklake")
_SERVERS = ("postgres", "mysql")
#: Schemes of files on other machines, before two slashes.
_REMOTE_SCHEMES = (
    "http",
    "https",
    "s3",
    "s3a",
    "s3n",
    "gs",
    "gcs",
    "r2",
    "hf",
    "az",
    "azure",
    "abfs",
    "abfss",
)
#: Schemas of MySQL that hold no tables of users.
_SYSTEM_SCHEMAS = ("mysql", "performance_schema", "sys")
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
    """A database that an extension attaches.

    Attributes:
        kind: Name of the extension.
        location: Address for the extension; can hold a password.
        file: The file on this machine; None for a server.
    """

    kind: str
    location: str = field(repr=False)
    file: Path | None = None

    @property
    def extensions(self) -> list[str]:
        """The extensions that the database needs."""
        inner = _catalog_kind(self.location) if self.kind == "ducklake" and self.file is None else None
        return [self.kind] if inner in (None, "duckdb") else [self.kind, inner]

    @property
    def label(self) -> str:
        """The name for people, without secrets."""
        return f'database "{_mask_secrets(str(self.file))}"' if self.file else f"{self.kind} database"


def parse_address(address: str) -> Address | Path:
    """Parse the address of a database to write to.

    Args:
        address: A file, or a kind of database, a colon and an address.

    Returns:
        The address, or the path of a DuckDB file.

    Raises:
        UsageError: duckrisk does not write to this kind of database.
    """
    if _exists(address):
        is_sqlite = detect_format(_file(address)).name == "sqlite"
        return Address("sqlite", str(Path(address).absolute()), Path(address)) if is_sqlite else Path(address)
    scheme, colon, rest = address.partition(":")
    kind = _parse_kind(scheme) if colon and len(scheme) > 1 else None  # one letter is a drive of Windows
    if kind is None:
        return Path(address)
    if kind == "duckdb":
        return Path(rest)
    if kind not in _KNOWN:
        raise UsageError(
            "source.into_unknown_database",
            masked=_mask_secrets(scheme),
            known=", ".join(f"{name}:" for name in _KNOWN),
        )
    if kind == "sqlite" or (kind == "ducklake" and _catalog_kind(rest) is None):
        return Address(kind, str(Path(rest).absolute()), Path(rest))
    return Address(kind, address if rest.startswith("//") else rest)


def load_extensions(session: Session, extensions: Sequence[str]) -> None:
    """Load extensions of DuckDB.

    Raises:
        SourceError: An extension is not installed or does not load.
    """
    for extension in extensions:
        try:
            session.run("load_extension", name=extension)
        except (SourceError, UsageError):
            raise SourceError(_extension_error(session, extension)) from None
    _set_secret_directory(session)


def _set_secret_directory(session: Session) -> None:
    """Set an empty folder of secrets, once for a session.

    The extension of PostgreSQL fails without a folder. The setting cannot change once a database is attached.
    """
    if not any(s.name == "set_option" and "secret_directory" in s.sql for s in session.log):
        session.run("set_option", option="secret_directory", setting=str(session.folder / "secrets"))
        session.run("set_option", option="allow_persistent_secrets", setting=True)


def open_address(session: Session, workspace: Workspace, address: str, request: Request) -> OpenedInput:
    """Open the database that ``--attach`` names.

    Args:
        session: The session that attaches it.
        workspace: Folder and names of the source.
        address: A file, or a kind of database, a colon and an address.
        request: The request; its table or query selects the records.

    Raises:
        UsageError: The address names no database, or no table is chosen.
        SourceError: The database cannot be opened.
    """
    if _exists(address):
        return _open_database(session, workspace, _file(address), request)
    scheme, colon, rest = address.partition(":")
    if not colon or len(scheme) == 1:  # a drive of Windows
        raise SourceError("source.attached_file_not_found", masked=_mask_secrets(address))
    kind = _parse_kind(scheme)
    if kind is None:
        raise UsageError("source.attach_unknown_database", masked=_mask_secrets(scheme))
    if kind in _REMOTE_SCHEMES and rest.startswith("//"):
        raise UsageError("source.remote_database_file")
    if kind in ("sqlite", "duckdb") or (kind == "ducklake" and _catalog_kind(rest) is None):
        if not _exists(rest):
            raise SourceError("source.database_file_not_found", masked=_mask_secrets(rest))
        if kind != "ducklake":
            return _open_database(session, workspace, _file(rest), request, kind)
    return _attach_database(
        session, workspace, kind, address if rest.startswith("//") else rest, None, request
    )


def list_local_files(address: str) -> list[Path]:
    """Return the files of an address: one with its logs, or those of a folder."""
    while not _exists(address):
        with contextlib.suppress(OSError, ValueError):
            if address and Path(address).is_dir():
                return sorted(path for path in Path(address).resolve().rglob("*") if path.is_file())
        scheme, _, address = address.partition(":")
        if _parse_kind(scheme) is None:
            return []
    path = Path(address).resolve()
    logs = (Path(f"{path}{suffix}") for suffix in (".wal", "-wal"))
    return [path, *(log for log in logs if log.is_file())]


def _exists(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _parse_kind(scheme: str) -> str | None:
    """Return the extension that a scheme names; None for an impossible name."""
    kind = scheme.lower()
    return _ALIASES.get(kind, kind) if _KIND.fullmatch(kind) else None


def _catalog_kind(address: str) -> str | None:
    """Return the kind of database of a DuckLake's catalog; None for a DuckDB file."""
    scheme, colon, _ = address.partition(":")
    return _parse_kind(scheme) if colon and not _exists(address) else None


def _mask_secrets(address: str) -> str:
    """Replace passwords and keys in an address by dots."""
    return _PASSWORD.sub(lambda match: f"{match[1] or match[2] or ''}...", address)


def _file(name: str) -> File:
    return File(name, Path(name).resolve())


def open_file(session: Session, workspace: Workspace, inputs: Inputs, request: Request) -> OpenedInput:
    """Open the database in a file.

    Raises:
        SourceError: Several files are named, or the file is no database.
        UsageError: No table is chosen.
    """
    if len(inputs.files) > 1:
        raise SourceError("source.several_databases", name=inputs.name, count=len(inputs.files))
    return _open_database(session, workspace, inputs.files[0], request)


def _open_database(
    session: Session, workspace: Workspace, file: File, request: Request, kind: str | None = None
) -> OpenedInput:
    """Open the database in a file; raise SourceError if it is not of the kind."""
    file_format = detect_format(file)
    if not file_format.is_database or (kind and file_format.name != kind):
        raise SourceError("source.not_a_database", short=short_name(file.shown))
    extension = None if file_format.name == "duckdb" else "sqlite"
    return _attach_database(session, workspace, extension, str(file.path), file, request)


def _attach_database(
    session: Session,
    workspace: Workspace,
    kind: str | None,
    address: str,
    file: File | None,
    request: Request,
) -> OpenedInput:
    label = short_name(file.shown) if file else f"{kind} database"
    printed = _prefix_path(file.shown) if file else _mask_secrets(address)
    opened = OpenedInput(label, "database", None, is_copied=kind is not None or request.query is not None)
    if kind not in _SERVERS:
        opened.files = list_local_files(str(file.path) if file else address)
        opened.paths = [str(path) for path in opened.files]
    extensions = [kind] if kind is not None else []
    if kind == "ducklake" and (inner := _catalog_kind(address)) not in (None, "duckdb"):
        extensions.append(inner)
    opened.setup = (
        *(render(f"{does}_extension", name=name) for name in extensions for does in ("install", "load")),
        render("attach", address=printed, name=workspace.database_name, kind=kind),
    )
    for extension in extensions:
        try:
            session.run("load_extension", name=extension)
        except (SourceError, UsageError):
            if kind == "sqlite" and request.query is None and file is not None:
                return _open_with_sqlite3(session, workspace, opened, file, request)
            raise SourceError(_extension_error(session, extension)) from None
    if kind is not None:
        opened.notes.append(Sentence("source.attached", kind=Data(kind)))
        _set_secret_directory(session)
    _attach(session, workspace, kind, address, printed, label)
    opened.extension = kind
    tables: dict[tuple[str, str], bool] = {}
    if request.query is None or request.table is not None or kind == "ducklake":
        tables = _list_tables(session, workspace, kind, label)
    if request.query is None or request.table is not None:  # a query calls the table source
        schema, table = _choose_table(request.table, list(tables), label, workspace.is_one_of_several)
        if kind == "ducklake":
            _allow_table_files(session, workspace, opened, schema, table, tables[schema, table])
        opened.relation = opened.printed_relation = render(
            "qualified", names=[workspace.database_name, schema, table]
        )
        if request.query is None:
            opened.name = f"{label}: {full_name(schema, table)}"
            opened.is_copied = opened.is_copied or tables[schema, table]  # a view is a query
            return opened
    if kind == "ducklake":
        called = {name.casefold() for name in query.list_relations(query.check_query(session, request.query))}
        for name, is_view in tables.items():
            if name[1].casefold() in called:
                _allow_table_files(session, workspace, opened, *name, is_view)
    try:
        session.run("use_database", name=workspace.database_name)
    except (SourceError, UsageError, EngineError):
        if kind is None:
            raise
        raise UsageError("source.address_without_database", kind=kind) from None
    opened.setup = (*opened.setup, render("use_database", name=workspace.database_name))
    opened.default_database = workspace.database_name
    return opened


def list_functions(
    session: Session, requests: Sequence[Request], workspaces: Sequence[Workspace]
) -> dict[str, bool]:
    """Return whether attached databases provide a function, for all functions by name.

    Empty if no request has a query or a condition, which could call one.
    """
    if all(request.query is None and request.where is None for request in requests):
        return {}
    rows = session.run("list_functions", databases=[workspace.database_name for workspace in workspaces])
    return {row["function_name"].lower(): row["attached"] for row in rows}


def refuse_functions(
    session: Session, request: Request, before: dict[str, bool], now: dict[str, bool]
) -> None:
    """Refuse SQL that calls functions of an extension or an attached database.

    Some of these change the database or its files, although it is attached read-only.

    Args:
        session: The session.
        request: The request with the query and the condition.
        before: Functions before the first database was attached, as :func:`list_functions` gives them.
        now: Functions after the last database was attached.

    Raises:
        UsageError: A function comes from an extension or a database.
    """
    texts = [request.query] if request.query is not None else []
    if request.where is not None:
        texts.append(render("renamed", source="records", names=None, where=Sql(request.where)))
    called = {name for text in texts for name in query.list_functions(query.check_query(session, text))}
    if refused := sorted(name for name in called & now.keys() if now[name] or name not in before):
        raise UsageError("source.function_of_database", refused=refused[0])


def _allow_table_files(
    session: Session, workspace: Workspace, opened: OpenedInput, schema: str, table: str, is_view: bool
) -> None:
    """Allow the files that the catalog of a DuckLake names for a table."""
    name = full_name(schema, table)
    # A view can call functions that change files, and the catalog does not list the files it needs.
    if is_view:
        raise UsageError("source.view_of_ducklake", shown=name)
    for row in session.run("lake_files", database=workspace.database_name, schema=schema, table=table):
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", row["file"]):
            raise SourceError("source.records_elsewhere", shown=name)
        opened.paths.append(row["file"])
        opened.files.append(Path(row["file"]).resolve())


def _list_tables(
    session: Session, workspace: Workspace, kind: str | None, label: str
) -> dict[tuple[str, str], bool]:
    """Return whether each table is a view, by its schema and name."""
    try:
        rows = session.run("list_tables", database=workspace.database_name)
    except (SourceError, UsageError, EngineError):
        if kind is None:
            raise
        raise _open_error(kind, label) from None  # some extensions connect only now
    hidden = _SYSTEM_SCHEMAS if kind == "mysql" else ()
    return {
        (row["table_schema"], row["table_name"]): row["is_view"]
        for row in rows
        if row["table_schema"] not in hidden
    }


def _prefix_path(name: str) -> str:
    """Return a path that cannot look like a kind of database and an address."""
    return f"./{name}" if ":" in name and not Path(name).is_absolute() else name


def _attach(
    session: Session, workspace: Workspace, kind: str | None, address: str, printed: str, label: str
) -> None:
    try:
        session.run("attach", address=address, name=workspace.database_name, kind=kind)
    except (SourceError, UsageError, EngineError) as error:
        if kind is None:
            raise SourceError("source.extension_failed", label=label, error=error) from None
        raise _open_error(kind, label) from None
    finally:
        # The report shows the executed statements, and an address can hold a password.
        if session.log and session.log[-1].name == "attach":
            session.redact_last_statement("attach", address=printed, name=workspace.database_name, kind=kind)


def _open_error(kind: str, label: str) -> SourceError:
    further = "" if kind in _SERVERS else "that nothing more is needed, such as credentials, "
    if kind == "ducklake":
        further = "that its data files are on this machine, "
    return SourceError("source.database_not_opened", label=label, further=further)


def _extension_error(session: Session, kind: str) -> str:
    if session.fetch_row("is_installed", name=kind)["installed"]:
        return format_message("source.extension_does_not_load", kind=kind, version=session.engine_version)
    perhaps = "" if kind in _KNOWN else "if there is one of that name, "
    return format_message(
        "source.extension_not_installed", kind=kind, version=session.engine_version, perhaps=perhaps
    )


def _open_with_sqlite3(
    session: Session, workspace: Workspace, opened: OpenedInput, file: File, request: Request
) -> OpenedInput:
    """Open a table of an SQLite database with Python's own module."""
    with sqlite.connect(file.path) as connection:
        tables = [("main", name) for name in sqlite.list_tables(connection)]
        _, table = _choose_table(request.table, tables, opened.name, workspace.is_one_of_several)
        target = workspace.folder / "sqlite.csv"
        opened.relation, opened.true_names = sqlite.copy_table(connection, table, target)
    opened.name = f"{opened.name}: {table}"
    opened.printed_relation = render("qualified", names=[workspace.database_name, "main", table])
    opened.paths = [str(target)]
    opened.notes.append(Sentence("source.own_sqlite"))
    return opened


def full_name(schema: str, table: str) -> str:
    """Return the name of a table, without the schema that needs none."""
    return table if schema == "main" else f"{schema}.{table}"


def _choose_table(
    wanted: str | None, tables: list[tuple[str, str]], label: str, several: bool
) -> tuple[str, str]:
    """Return the schema and name of the wanted table, or of the only one.

    ``several`` says that each of several sources names its table.
    """
    if not tables:
        raise SourceError("source.no_tables", label=label)
    names = [full_name(schema, table) for schema, table in tables]
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
