"""List the tables of a source that holds several: those of a database file, or the files of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from duckrisk.engine.session import Session
from duckrisk.source import files, sqlite
from duckrisk.source.databases import full_name
from duckrisk.source.formats import PARQUET, File, detect_format

#: Formats of the files that a person can choose in a folder.
_TABLES, _DATABASES = ("parquet", "csv", "json"), ("duckdb", "sqlite")


@dataclass(frozen=True)
class TableChoice:
    """A table of a source.

    Attributes:
        name: Its name for people.
        source: The file that holds it.
        table: Its name in a database; None for a file that is one table.
        records: Its records, about; None if only reading it could say.
        columns: Its columns; None likewise.
    """

    name: str
    source: str
    table: str | None = None
    records: int | None = None
    columns: int | None = None


def list_choices(session: Session, source: str) -> list[TableChoice]:
    """List the tables of a database file, or those of the files in a folder.

    Args:
        session: A session that is not locked, and opens no source later.
        source: The file or folder, as a person typed it.

    Returns:
        The tables; [] if the source is neither.

    Raises:
        SourceError: A file cannot be read.
    """
    path = Path(source)
    if path.is_dir():
        return list(_list_folder(session, source))
    if path.is_file() and (file := File(source, path.resolve())) and detect_format(file).is_database:
        return list(_list_database(session, file, ""))
    return []


def _list_folder(session: Session, source: str) -> Iterator[TableChoice]:
    by_format = files.group_by_format(source)
    for name in (*_TABLES, *_DATABASES):
        for file in by_format.get(name, ()):
            shown = str(Path(file.shown).relative_to(source))
            if "=" in shown:  # it shows a value, and belongs to one table with its neighbours
                continue
            if name in _DATABASES:
                yield from _list_database(session, file, f"{shown}: ")
            else:
                yield TableChoice(shown, file.shown, records=_count_records(session, name, file))


def _count_records(session: Session, format_name: str, file: File) -> int | None:
    if format_name != PARQUET.name:
        return None
    records: int = session.fetch_row("parquet_records", path=files.escape_glob(file.path))["records"]
    return records


def _list_database(session: Session, file: File, prefix: str) -> Iterator[TableChoice]:
    if detect_format(file).name == "sqlite":
        with sqlite.connect(file.path) as connection:
            for name in sqlite.list_tables(connection):
                yield TableChoice(prefix + name, file.shown, name)
        return
    database = f"listed_{len(session.log)}"
    session.run("attach", address=str(file.path), name=database, kind=None)
    for row in session.run("table_sizes", database=database):
        name = full_name(row["table_schema"], row["table_name"])
        yield TableChoice(prefix + name, file.shown, name, row["records"], row["columns"])
