"""Opens what is assessed: one relation of records, read-only, its columns bound by position.

Whatever the source is (files, a database, a query, a table in Python), it ends as the view
:data:`duckrisk.session.ASSESSED` with columns ``c0, c1, ...``. The names a person knows are data for
display only, so names that differ in case alone, or not at all, stay different columns.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duckrisk.errors import SourceError, UsageError, nearest
from duckrisk.session import Session
from duckrisk.source import digest, query, text  # noqa
from duckrisk.templates import Sql, identifier, render

_FORMATS = {
    ".parquet": "parquet", ".parq": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "csv", ".txt": "csv",
    ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".duckdb": "duckdb", ".ddb": "duckdb", ".db": "duckdb",
    ".sqlite": "sqlite", ".sqlite3": "sqlite",
}
_COMPRESSED = (".gz", ".gzip")
_DATABASE = "attached"


@dataclass(frozen=True)
class Request:
    """What a person asked to assess; see the options of ``duckrisk assess`` for each field."""

    source: Any = None
    table: str | None = None
    attach: str | None = None
    query: str | None = None
    where: str | None = None
    encoding: str | None = None
    header: bool | None = None


@dataclass(frozen=True)
class Column:
    """A column of the source: its ``position`` from 0, the ``name`` for people (unique), the
    engine's ``type``, and the ``binding`` that templates use."""

    position: int
    name: str
    type: str

    @property
    def binding(self) -> str:
        return f"c{self.position}"


@dataclass
class Source:
    """An opened source.

    ``readable`` is a relation with real column names where they are unambiguous, for SQL that is
    printed for people; ``notes`` are sentences on what was done to open it.
    """

    name: str
    kind: str
    columns: list[Column]
    readable: Sql
    readable_names: list[str]
    digest: dict[str, Any] | None = None
    encoding: str | None = None
    notes: list[str] = field(default_factory=list)

    def column(self, name: str) -> Column:
        """The column of that name, exactly or else in any case; raises UsageError otherwise."""
        exact = [column for column in self.columns if column.name == name]
        if exact:
            return exact[0]
        folded = [c for c in self.columns if c.name.casefold() == name.casefold()]
        if len(folded) == 1:
            return folded[0]
        if folded:
            raise UsageError(
                f'The name "{name}" fits {len(folded)} columns that differ only in case: '
                + ", ".join(f'"{column.name}"' for column in folded) + "; write one of them."
            )
        names = [column.name for column in self.columns]
        raise UsageError(f'The source has no column "{name}"; did you mean {nearest(name, names)}?')


@dataclass
class _Opened:
    """What a reader found: the relation, the true names, and what the lock must let through."""

    name: str
    kind: str
    relation: Sql
    names: list[str] | None = None
    paths: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    encoding: str | None = None
    notes: list[str] = field(default_factory=list)
    csv: tuple[list[Path], text.Dialect] | None = None


def open_source(session: Session, request: Request) -> Source:
    """Open the source, lock the session to it, and name its columns.

    Raises UsageError for what was asked wrongly and SourceError for what cannot be read.
    """
    opened = _open(session, request)
    query_tree = None
    if request.query is not None:
        query_tree = query.check_query(session, request.query)
    where = query.check_condition(session, request.where) if request.where is not None else None
    if request.query is not None and opened.kind != "database" and request.source is None:
        opened.files = [
            Path(path) for name in query.named_files(query_tree) for path in _existing(name)
        ]
        opened.paths = [str(path.resolve()) for path in opened.files]
    session.lock(sorted({p for path in opened.paths for p in (path, _escape(path))}))

    relation, names = opened.relation, opened.names
    if request.query is not None:
        if request.source is not None:
            described = session.describe(relation)
            _open_view(session, "source", relation, _unique(names or [n for n, _ in described]), None)
        relation, names = query.as_relation(request.query), None
    try:
        described = session.describe(relation)
    except SourceError:
        if request.query is not None:
            raise UsageError(
                "The query cannot be run: it names a table, column or function that is not there, or a "
                "file that cannot be read."
            ) from None
        if opened.csv is None:
            raise
        opened, relation = _widened(session, opened)
        described = session.describe(relation)
    names = names or [name for name, _ in described]
    if len(names) < len(described):  # columns named by the folders come after those in the files
        names = names + [name for name, _ in described[len(names):]]
    displayed = _displayed(names, opened.notes)
    columns = [Column(i, name, described[i][1]) for i, name in enumerate(displayed)]
    if not columns:
        raise SourceError(f'"{opened.name}" has no columns.')
    bindings = [column.binding for column in columns]
    unique = _unique(names)
    try:
        if where is not None:
            _open_view(session, "readable", relation, unique, None)
            _open_view(session, "assessed", identifier("readable"), bindings, where)
        else:
            _open_view(session, "assessed", relation, bindings, None)
    except SourceError:
        if where is None:
            raise
        raise UsageError(
            "The condition given with --where cannot be used: it names a column that is not there, "
            f"or compares things of different types; the columns are {_some(displayed)}."
        ) from None
    return Source(
        name=opened.name,
        kind=opened.kind,
        columns=columns,
        readable=_readable(relation, unique, names, where),
        readable_names=unique,
        digest=digest.of_files(opened.files) if opened.files else None,
        encoding=opened.encoding,
        notes=opened.notes,
    )


def _open_view(session: Session, name: str, relation: Sql, names: list[str], where: Sql | None) -> None:
    session.run("open_view", name=name, source=relation, names=names, where=where)


def _readable(relation: Sql, unique: list[str], names: list[str], where: Sql | None) -> Sql:
    """The relation for people: as simple as the names allow."""
    if where is None and unique == names:
        return relation
    return render("renamed", source=relation, names=unique, where=where)


# --- kinds of sources ----------------------------------------------------------------------------


def _open(session: Session, request: Request) -> _Opened:
    if request.attach is not None:
        if request.source is not None:
            raise UsageError("Give either a SOURCE or --attach, not both.")
        return _open_database(session, request.attach, request)
    if request.source is None:
        if request.query is None:
            raise UsageError("Name a SOURCE: a file, a folder, or a database with --attach.")
        return _Opened("query", "query", Sql(""))
    if not isinstance(request.source, (str, os.PathLike)):
        return _open_object(session, request)
    name = os.fspath(request.source)
    if name == "-":
        path = session.folder / "standard-input.csv"
        text.spool(sys.stdin.buffer, path)
        return _open_csv(session, "standard input", [path], request, hive=False)
    files = _files(name)
    kind = _format(files[0], name)
    if kind in ("duckdb", "sqlite"):
        prefix = "sqlite:" if kind == "sqlite" else ""
        return _open_database(session, prefix + str(files[0]), request)
    if request.table is not None:
        raise UsageError(f'--table goes with a database; "{name}" is a {kind} source.')
    other = [path for path in files if _format(path, name) != kind]
    if other:
        raise SourceError(
            f'"{name}" mixes {kind} files with others such as "{other[0].name}"; name one kind with a '
            "glob pattern."
        )
    empty = [path for path in files if path.stat().st_size == 0]
    if empty:
        raise SourceError(f'"{empty[0].name}" is an empty file.')
    hive = len(files) > 1 and all("=" in path.parent.name for path in files)
    if kind == "parquet":
        return _open_parquet(session, name, files, hive)
    if kind == "json":
        relation = render("read_json", paths=[_escape(str(p)) for p in files], hive=hive)
        return _Opened(_short(name), "json", relation, None, [str(p) for p in files], files)
    return _open_csv(session, _short(name), files, request, hive=hive)


def _open_parquet(session: Session, name: str, files: list[Path], hive: bool) -> _Opened:
    paths = [_escape(str(path)) for path in files]
    layouts = session.run("parquet_layouts", paths=paths)
    if len(layouts) > 1:
        odd = Path(layouts[-1]["first_file"]).name
        raise SourceError(
            f'The Parquet files of "{name}" do not have the same columns ("{odd}" differs from '
            f"{layouts[0]['files']} other(s)); name the files that belong together with a glob pattern."
        )
    names = _top_level(layouts[0]["layout"])
    relation = render("read_parquet", paths=paths, hive=hive)
    return _Opened(_short(name), "parquet", relation, names, [str(p) for p in files], files)


def _top_level(layout: list[Any]) -> list[str]:
    """The names of the columns from a flattened schema, whose first element is the root."""
    elements = [tuple(e.values()) if isinstance(e, dict) else tuple(e) for e in layout]
    names: list[str] = []
    position = 1

    def skip(at: int) -> int:
        children = elements[at][2] or 0
        at += 1
        for _ in range(children):
            at = skip(at)
        return at

    while position < len(elements):
        names.append(elements[position][0])
        position = skip(position)
    return names


def _open_csv(
    session: Session, name: str, files: list[Path], request: Request, *, hive: bool
) -> _Opened:
    notes: list[str] = []
    readable: list[Path] = []
    encodings: list[str] = []
    for number, path in enumerate(files):
        encoding = request.encoding or text.sniff_encoding(path)
        encodings.append(encoding)
        if encoding == "utf-8":
            readable.append(path)
            continue
        target = session.folder / f"decoded-{number}.csv"
        text.transcode(path, encoding, target)
        readable.append(target)
    if set(encodings) != {"utf-8"}:
        notes.append(f"Text decoded from {', '.join(sorted(set(encodings)))}.")
    dialects = [
        session.call(lambda path=path: text.sniff_dialect(session.connection, path, request.header), "dialect")
        for path in readable
    ]
    if odd := [i for i, d in enumerate(dialects) if len(d.columns) != len(dialects[0].columns)
               or d.header and [c[0] for c in d.columns] != [c[0] for c in dialects[0].columns]]:
        raise SourceError(
            f'The files of "{name}" do not have the same columns ("{files[odd[0]].name}" differs from '
            f'"{files[0].name}"); name the files that belong together with a glob pattern.'
        )
    if not dialects[0].header:
        notes.append("The file has no header line; columns are named by position.")
    dialect = _common(dialects)
    arguments = text.read_csv_options(dialect) | {"hive_partitioning": hive}
    relation = render("read_csv", paths=[_escape(str(p)) for p in readable], arguments=arguments)
    names = [column[0] for column in dialect.columns]
    return _Opened(
        name, "csv", relation, names, [str(p) for p in readable], files, encodings[0], notes,
        (readable, dialect),
    )


def _common(dialects: list[text.Dialect]) -> text.Dialect:
    """One dialect for all files: where the files disagree on a column's type it is read as text."""
    import dataclasses

    columns = [
        (first[0], first[1] if len({d.columns[i][1] for d in dialects}) == 1 else "VARCHAR")
        for i, first in enumerate(dialects[0].columns)
    ]
    return dataclasses.replace(dialects[0], columns=tuple(columns))


def _open_database(session: Session, address: str, request: Request) -> _Opened:
    scheme, colon, rest = address.partition(":")
    kind = None if not colon or len(scheme) == 1 else scheme.lower()
    known = {"postgres": "postgres", "postgresql": "postgres", "sqlite": "sqlite", "mysql": "mysql"}
    if kind is not None and kind not in known:
        raise UsageError(
            f'--attach cannot open "{scheme}:"; it takes postgres:, sqlite:, mysql: or a .duckdb file.'
        )
    files: list[Path] = []
    if kind is None or kind == "sqlite":
        path = Path(rest if kind else address)
        if not path.is_file():
            raise SourceError(f'There is no file "{path}".')
        rest, files = str(path.resolve()), [path.resolve()]
    label = files[0].name if files else f"{known[kind or '']} database"
    if kind is not None:
        _load_extension(session, known[kind])
    try:
        session.run("attach", address=rest, name=_DATABASE, kind=known[kind] if kind else None)
    except (SourceError, UsageError):
        raise SourceError(
            f'The database "{label}" cannot be opened; check that it is one, that no other program '
            "writes to it, that the address is right, and that it was not written by a newer DuckDB."
        ) from None
    notes = [f"Attached read-only with the engine's {known[kind]} extension."] if kind else []
    tables = [(row["table_schema"], row["table_name"]) for row in session.run("list_tables", database=_DATABASE)]
    paths = [str(path) for path in files]
    if request.query is not None:
        if request.table is not None:
            raise UsageError("Give either --table or --query, not both.")
        session.run("use_database", name=_DATABASE)
        return _Opened(label, "database", Sql(""), None, paths, files, None, notes)
    schema, table = _choose_table(request.table, tables, label)
    relation = Sql(".".join(identifier(part) for part in (_DATABASE, schema, table)))
    shown = table if schema == "main" else f"{schema}.{table}"
    return _Opened(f"{label}: {shown}", "database", relation, None, paths, files, None, notes)


def _load_extension(session: Session, name: str) -> None:
    try:
        session.run("load_extension", name=name)
    except (SourceError, UsageError):
        raise SourceError(
            f"The engine's {name} extension is not installed for DuckDB {session.engine_version}; install "
            f"it once with: python -c \"import duckdb; duckdb.sql('INSTALL {name}')\""
        ) from None


def _choose_table(
    wanted: str | None, tables: list[tuple[str, str]], label: str
) -> tuple[str, str]:
    if not tables:
        raise SourceError(f'"{label}" has no tables.')
    shown = [t if s == "main" else f"{s}.{t}" for s, t in tables]
    if wanted is None:
        if len(tables) == 1:
            return tables[0]
        raise UsageError(f'"{label}" has {len(tables)} tables; choose one with --table: {_some(shown)}.')
    fits = [
        (schema, table) for schema, table in tables
        if wanted in (f"{schema}.{table}", f'{identifier(schema)}.{identifier(table)}')
        or (wanted in (table, identifier(table)))
    ]
    if len(fits) > 1:
        fits = [fit for fit in fits if fit[0] in ("main", "public")] or fits
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UsageError(f'--table "{wanted}" fits several tables; write schema.table.')
    raise UsageError(f'"{label}" has no table "{wanted}"; did you mean {nearest(wanted, shown)}?')


def _open_object(session: Session, request: Request) -> _Opened:
    """A table in Python: frames and Arrow tables as they are, DuckDB's own spooled once."""
    import duckdb

    thing = request.source
    if isinstance(thing, duckdb.DuckDBPyConnection):
        if request.table is None and request.query is None:
            raise UsageError("A DuckDB connection needs table= or query= beside it.")
        cursor = thing.cursor()
        if request.table is not None:
            thing = cursor.query("FROM " + ".".join(identifier(p) for p in _split_name(request.table)))
        else:
            thing = cursor.query(query.text_of(request.query))
    if isinstance(thing, duckdb.DuckDBPyRelation):
        path = session.folder / "relation.parquet"
        names = list(thing.columns)
        session.spool(_exact_types(thing), path)
        relation = render("read_parquet", paths=[_escape(str(path))], hive=False)
        return _Opened("DuckDB relation", "relation", relation, names, [str(path)])
    kind = type(thing).__name__
    try:
        session.register("registered", thing)
    except Exception:
        raise UsageError(
            f"A {kind} cannot be assessed; give a path, a DataFrame, an Arrow table, a DuckDB relation "
            "or a DuckDB connection."
        ) from None
    names = [str(name) for name in getattr(thing, "columns", [])] if hasattr(thing, "iloc") else None
    return _Opened(kind, "frame", identifier("registered"), names)


def _split_name(name: str) -> list[str]:
    parts = re.findall(r'"((?:[^"]|"")*)"|([^.]+)', name)
    return [quoted.replace('""', '"') or plain for quoted, plain in parts]


def _exact_types(relation: Any) -> Any:
    """Parquet has no 128-bit integers: they are written as text, which keeps equality."""
    wide = [
        f"CAST({identifier(name)} AS VARCHAR) AS {identifier(name)}"
        for name, kind in zip(relation.columns, relation.types, strict=True)
        if str(kind) in ("HUGEINT", "UHUGEINT", "BIGNUM", "INTERVAL", "BIT")
    ]
    return relation.project(f"* REPLACE ({', '.join(wide)})") if wide else relation


# --- files and names -----------------------------------------------------------------------------


def _files(name: str) -> list[Path]:
    """The files that a path, a folder or a glob pattern stands for, resolved and in order."""
    path = Path(name)
    if path.is_dir():
        files = [
            found for found in sorted(path.rglob("*"))
            if found.is_file() and not any(
                part.startswith((".", "_")) for part in found.relative_to(path).parts
            )
        ]
        if not files:
            raise SourceError(f'The folder "{name}" holds no files.')
        kinds = {_suffix(found) for found in files}
        for suffixes in (("parquet",), ("csv",), ("json",)):
            chosen = [found for found in files if _suffix(found) in suffixes]
            if chosen:
                return [found.resolve() for found in chosen]
        raise SourceError(
            f'The folder "{name}" holds no Parquet, CSV or JSON files ({len(files)} file(s) of '
            f"{len(kinds)} other kind(s))."
        )
    found = _existing(name)
    if not found:
        folder = path.parent if path.parent.is_dir() else Path(".")
        names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
        hint = f"; did you mean {nearest(path.name, names)}?" if names else "."
        raise SourceError(f'There is no file "{name}"{hint}')
    return found


def _existing(name: str) -> list[Path]:
    path = Path(name)
    if path.is_file():
        return [path.resolve()]
    if any(character in name for character in "*?["):
        return [Path(p).resolve() for p in sorted(glob.glob(name, recursive=True)) if Path(p).is_file()]
    return []


def _suffix(path: Path) -> str | None:
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes = suffixes[:-1]
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def _format(path: Path, name: str) -> str:
    """What a file is: by its first bytes where they tell, else by its name, else text."""
    with path.open("rb") as file:
        head = file.read(16)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head.startswith(b"SQLite format 3"):
        return "sqlite"
    by_name = _suffix(path)
    if by_name in ("parquet", "duckdb", "sqlite") and head:
        wanted = {"parquet": "Parquet file", "duckdb": "DuckDB database", "sqlite": "SQLite database"}
        raise SourceError(f'"{path.name}" is called a {wanted[by_name]} but is not one, or it is damaged.')
    return by_name or "csv"


def _escape(path: str) -> str:
    """A path in which the engine finds no glob characters."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _short(name: str) -> str:
    """A source's name for people: without the folders, which say nothing about the data."""
    return Path(name).name or name


def _unique(names: list[str]) -> list[str]:
    """Names that differ in more than case, close to the true ones."""
    taken: set[str] = set()
    made: list[str] = []
    for position, name in enumerate(names):
        base = name.replace("\0", "") or f"column{position}"
        candidate, number = base, 0
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{base}_{number}"
        taken.add(candidate.casefold())
        made.append(candidate)
    return made


def _displayed(names: list[str], notes: list[str]) -> list[str]:
    """Names for people: the true ones; equal ones are numbered, empty ones named by position."""
    made: list[str] = []
    for position, name in enumerate(names):
        base = name or f"column {position + 1}"
        candidate, number = base, 1
        while candidate in made:
            number += 1
            candidate = f"{base} ({number})"
        made.append(candidate)
    if made != names:
        changed = [made[i] for i in range(len(names)) if made[i] != names[i]]
        notes.append(f"Columns with an empty or repeated name are called {_some(changed)}.")
    return made


def _some(names: list[str], most: int = 8) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _widened(session: Session, opened: _Opened) -> tuple[_Opened, Sql]:
    """A text file read again with types that hold for all of its lines."""
    assert opened.csv is not None
    paths, dialect = opened.csv
    wide = _common([
        session.call(lambda path=path: text.widen(session.connection, path, dialect), "dialect")
        for path in paths
    ])
    arguments = text.read_csv_options(wide)
    relation = render("read_csv", paths=[_escape(str(p)) for p in paths], arguments=arguments)
    opened.csv = (paths, wide)
    opened.relation = relation
    return opened, relation
