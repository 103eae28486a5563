"""Reads a table of an SQLite database with Python's own module, without the engine's extension.

The statements are those of SQLite. The records go through a private CSV file, so memory does not grow.
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
from duckrisk.source.files import escape_glob

#: Records that are fetched at a time (a choice: some megabytes).
_BATCH_RECORDS = 10_000
#: Columns of a statement with two result columns for each (a choice: half of what SQLite allows).
_BATCH_COLUMNS = 500


@contextlib.contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database read-only; errors in the block become SourceError."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
            yield connection
    except sqlite3.Error:
        raise SourceError("source.sqlite_unreadable", path=path.name) from None


def list_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the tables and views."""
    return [name for (name,) in connection.execute(render("sqlite_tables"))]


def copy_table(connection: sqlite3.Connection, table: str, target: Path) -> tuple[Sql, list[str]]:
    """Copy a table to a CSV file.

    Args:
        connection: The database.
        table: Name of the table.
        target: The file; must not exist.

    Returns:
        The relation of the copy, with types that fit all values, and the column names.

    Raises:
        SourceError: A text is not UTF-8, or the file cannot be written.
    """
    cursor = connection.execute(render("sqlite_records", source=table))
    names = [column[0] for column in cursor.description]
    types: list[str] = []
    for start in range(0, len(names), _BATCH_COLUMNS):
        batch = names[start : start + _BATCH_COLUMNS]
        row = connection.execute(render("sqlite_classes", source=table, columns=batch)).fetchone()
        types += [_column_type(row[i], row[i + 1]) for i in range(0, len(row), 2)]
    dialect = Dialect(",", '"', '"', False, tuple((f"c{i}", type_name) for i, type_name in enumerate(types)))
    try:
        # The folder is private.
        with target.open("x", encoding="utf-8", newline="") as file:
            while records := cursor.fetchmany(_BATCH_RECORDS):
                file.writelines(",".join(map(_csv_field, record)) + "\n" for record in records)
    except UnicodeError:
        raise SourceError("source.database_text_not_utf8", table=table) from None
    except OSError:
        raise SourceError("source.temporary_copy_not_written") from None
    relation = render("read_csv", paths=[escape_glob(target)], arguments=read_csv_options(dialect))
    return relation, names


def _column_type(classes: str | None, wide: int | None) -> str:
    stored = set((classes or "").split(",")) - {"null", ""}
    if stored == {"integer"}:
        return "BIGINT"
    if stored and stored <= {"integer", "real"} and not wide:
        return "DOUBLE"
    return "VARCHAR"


def _csv_field(value: Any) -> str:
    """Return a CSV field: empty for NULL, texts in quotes, a BLOB in hexadecimal."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"\"x'{value.hex()}'\""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)
