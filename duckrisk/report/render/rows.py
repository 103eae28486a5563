"""A list of a result as flat rows: for frames, CSV and Parquet."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_origin

from duckrisk.base.errors import OutputError, UsageError, suggest_names
from duckrisk.base.files import find_write_error
from duckrisk.base.results import Result, as_data
from duckrisk.base.shapes import fields_of
from duckrisk.report.words import in_english

_TYPES = {int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
#: A spreadsheet takes text that opens with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclasses.dataclass(frozen=True)
class Rows:
    """The columns with their types in Parquet, None for what is a list or an object, and the rows."""

    columns: dict[str, str | None]
    rows: list[dict[str, Any]]

    def plain(self) -> Rows:
        """Without the columns of lists and objects."""
        kept = {name: type_name for name, type_name in self.columns.items() if type_name is not None}
        return Rows(dict(kept), [{name: row[name] for name in kept} for row in self.rows])


def rows_of(result: Result, path: str | None = None) -> Rows:
    """The list at a path of keys with dots between them, by default that which the result is about. Raises
    UsageError for a path that leads to none."""
    lists = dict(_lists(type(result), result))
    path = path if path is not None else getattr(result, "listing", None) or next(iter(lists), "")
    if path not in lists:
        raise UsageError("report.list_not_found", path=path, suggestion=suggest_names(path, list(lists)))
    entry_type, entries = lists[path]
    columns = list(_columns(entry_type))
    return Rows({c.name: c.type for c in columns}, [_row(columns, entry) for entry in entries or ()])


def to_csv(result: Result) -> str:
    """The rows as CSV (RFC 4180): text that a spreadsheet would take for a formula gets a leading apostrophe,
    numbers never."""
    table = rows_of(result).plain()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_cell(value) for value in row.values()])
    return text.getvalue()


def write_parquet(result: Result, path: str | Path) -> None:
    """The rows as a Parquet file; raises OutputError or WriteError where it cannot be written."""
    import duckdb

    table = rows_of(result).plain()
    columns = [[row[name] for row in table.rows] for name in table.columns]
    # Parallel unnest() puts the lists back into rows; names and types are ours, values are parameters.
    query = "SELECT " + ", ".join(f'unnest(?::{t}[]) AS "{name}"' for name, t in table.columns.items())
    try:
        with duckdb.connect(":memory:") as connection:
            connection.sql(query, params=columns).write_parquet(str(path))
    except duckdb.Error as error:
        if (unwritten := find_write_error(error)) is not None:
            raise unwritten from None
        raise OutputError("report.parquet_not_written", path=path) from None


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def _row(columns: Sequence[_Column], entry: Any) -> dict[str, Any]:
    row = {}
    for column in columns:
        value = entry
        for attribute in column.path:
            value = None if value is None else getattr(value, attribute)
        row[column.name] = as_data(value, in_english)
    return row


# --- what the dataclasses say ----------------------------------------------------------------------


class _Column(NamedTuple):
    """The name of a column, the attributes that lead to its cells, one inside the other, and its type."""

    name: str
    path: tuple[str, ...]
    type: str | None


def _columns(entry_type: Any, before: str = "", path: tuple[str, ...] = ()) -> Iterator[_Column]:
    """Yield the columns of the fields that an entry always has; those of objects inside come last."""
    fields = [field for field in fields_of(entry_type) if not field.is_aside and not field.is_left_out]
    for field in fields:
        if not field.is_object:
            several = field.is_several or field.type is Any
            type_name = None if several else _TYPES.get(field.type, "VARCHAR")
            yield _Column(before + field.name, (*path, field.name), type_name)
    for field in fields:
        if field.is_object:
            inside = before if field.is_inlined else f"{before}{field.name}_"
            yield from _columns(field.type, inside, (*path, field.name))


def _lists(result_type: Any, result: Any, before: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield the lists of objects in a result by their paths, with the types of their entries."""
    for field in fields_of(result_type):
        value = getattr(result, field.name)
        if field.is_aside or (value is None and field.is_left_out):
            continue
        if get_origin(field.type) is tuple and field.shapes:
            yield before + field.name, (field.shapes[0], value)
        elif field.is_object and value is not None:
            inside = before if field.is_inlined else f"{before}{field.name}."
            yield from _lists(field.type, value, inside)
