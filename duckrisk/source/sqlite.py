"""Reads a table of an SQLite database with Python's own module, where the engine's extension is missing.

The statements are SQLite's, not the engine's. The records go through a private CSV file: memory does not
grow with them.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from duckrisk.base.errors import SourceError
from duckrisk.engine.templates import Sql, render
from duckrisk.source.dialect import Dialect, read_csv_options
from duckrisk.source.files import engine_path

_BATCH_RECORDS = 10_000
#: SQLite takes 2,000 result columns at most, and each column asks for two.
_BATCH_COLUMNS = 500


@contextlib.contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading only. Failures inside the block become SourceError."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
            yield connection
    except sqlite3.Error:
        raise SourceError("source.sqlite_unreadable", path=path.name) from None


def tables(connection: sqlite3.Connection) -> list[str]:
    """The names of its tables and views."""
    return [name for (name,) in connection.execute(render("sqlite_tables"))]


def copy(connection: sqlite3.Connection, table: str, target: Path) -> tuple[Sql, list[str]]:
    """Write a table as CSV; returns it as a relation with types that hold for every value, and its names."""
    cursor = connection.execute(render("sqlite_records", source=table))
    names = [column[0] for column in cursor.description]
    types: list[str] = []
    for start in range(0, len(names), _BATCH_COLUMNS):
        batch = names[start : start + _BATCH_COLUMNS]
        row = connection.execute(render("sqlite_classes", source=table, columns=batch)).fetchone()
        types += [_kind(row[i], row[i + 1]) for i in range(0, len(row), 2)]
    dialect = Dialect(",", '"', '"', False, tuple((f"c{i}", type_name) for i, type_name in enumerate(types)))
    try:
        # The folder is its owner's alone.
        with target.open("x", encoding="utf-8", newline="") as file:
            while records := cursor.fetchmany(_BATCH_RECORDS):
                file.writelines(",".join(map(_cell, record)) + "\n" for record in records)
    except UnicodeError:
        raise SourceError("source.database_text_not_utf8", table=table) from None
    except OSError:
        raise SourceError("source.temporary_copy_not_written") from None
    relation = render("read_csv", paths=[engine_path(target)], arguments=read_csv_options(dialect))
    return relation, names


def _kind(classes: str | None, wide: int | None) -> str:
    stored = set((classes or "").split(",")) - {"null", ""}
    if stored == {"integer"}:
        return "BIGINT"
    if stored and stored <= {"integer", "real"} and not wide:
        return "DOUBLE"
    return "VARCHAR"


def _cell(value: Any) -> str:
    """A CSV field: nothing for NULL, quotes round every text, the bytes of a BLOB in hexadecimal."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"\"x'{value.hex()}'\""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)
