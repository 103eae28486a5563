"""Turn a list of a result into flat rows, for data frames, CSV and Parquet."""

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
from duckrisk.report.words import to_english

_TYPES = {int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
#: First characters of text that a spreadsheet takes for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclasses.dataclass(frozen=True)
class Rows:
    """Rows, and the columns with their DuckDB types; the type of a list or an object is None."""

    columns: dict[str, str | None]
    rows: list[dict[str, Any]]

    def drop_nested(self) -> Rows:
        """Drop the columns of lists and objects."""
        flat = {name: type_name for name, type_name in self.columns.items() if type_name is not None}
        return Rows(dict(flat), [{name: row[name] for name in flat} for row in self.rows])


def rows_of(result: Result, path: str | None = None) -> Rows:
    """Return the rows of a list of a result.

    Args:
        result: The result.
        path: The keys that lead to the list, joined by dots; by default the main list of the result.

    Raises:
        UsageError: The result has no list at this path.
    """
    entry_type, entries = _find_list(result, path)
    columns = list(_list_columns(entry_type))
    return Rows({c.name: c.type for c in columns}, [_make_row(columns, entry) for entry in entries or ()])


def _find_list(result: Result, path: str | None) -> tuple[Any, Any]:
    """Return the type of the entries of a list, and the list."""
    lists = dict(_find_lists(type(result), result))
    path = path if path is not None else getattr(result, "listing", None) or next(iter(lists), "")
    if path not in lists:
        raise UsageError("report.list_not_found", path=path, suggestion=suggest_names(path, list(lists)))
    return lists[path]


def flat_rows_of(result: Result, path: str | None = None) -> Rows:
    """Return the rows of a list with one value a cell, for data frames.

    Keys inside an entry are joined by dots, as in the paths of gates. Of a list of texts the cell has them
    all; lists of objects are left out.

    Args:
        result: The result.
        path: The list, as :func:`rows_of` takes it.

    Raises:
        UsageError: The result has no list at this path.
    """
    entry_type, entries = _find_list(result, path)
    columns = [column for column in _list_columns(entry_type) if not column.is_of_objects]
    made = [
        {column.dotted: value for column, value in zip(columns, row.values(), strict=True)}
        for row in (_make_row(columns, entry) for entry in entries or ())
    ]
    keys: dict[str, dict[str, None]] = {}
    for row in made:
        for name, value in row.items():
            if isinstance(value, dict):
                keys.setdefault(name, {}).update(dict.fromkeys(value))
    names: dict[str, str | None] = {}
    for column in columns:
        inner = keys.get(column.dotted)
        if inner is None:
            names[column.dotted] = column.type or "VARCHAR"
        else:
            names |= dict.fromkeys((f"{column.dotted}.{key}" for key in inner), "VARCHAR")
    return Rows(names, [_flatten_row(row) for row in made])


def _flatten_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with a cell for each key of an object, and lists as texts."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{key}": _join_list(inner) for key, inner in value.items()}
        else:
            flat[name] = _join_list(value)
    return flat


def _join_list(value: Any) -> Any:
    """Return a list as one text; lists of lists with semicolons."""
    if not isinstance(value, list):
        return value
    inner = [_join_list(entry) for entry in value]
    return ("; " if any(isinstance(entry, list) for entry in value) else ", ").join(map(str, inner))


def to_csv(result: Result) -> str:
    """Write the main list of a result as CSV (RFC 4180).

    Text that a spreadsheet would take for a formula gets a leading apostrophe; numbers never do.
    """
    table = rows_of(result).drop_nested()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_escape_cell(value) for value in row.values()])
    return text.getvalue()


def write_parquet(result: Result, path: str | Path) -> None:
    """Write the main list of a result as a Parquet file.

    Args:
        result: The result.
        path: The file; an existing one is replaced.

    Raises:
        OutputError: The file cannot be created.
        WriteError: The disk cannot hold it.
    """
    import duckdb

    table = rows_of(result).drop_nested()
    columns = [[row[name] for row in table.rows] for name in table.columns]
    # Parallel unnest() turns columns into rows; names and types come from dataclasses, values are parameters.
    query = "SELECT " + ", ".join(f'unnest(?::{t}[]) AS "{name}"' for name, t in table.columns.items())
    try:
        with duckdb.connect(":memory:") as connection:
            connection.sql(query, params=columns).write_parquet(str(path))
    except duckdb.Error as error:
        if (unwritten := find_write_error(error)) is not None:
            raise unwritten from None
        raise OutputError("report.parquet_not_written", path=path) from None


def _escape_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def _make_row(columns: Sequence[_Column], entry: Any) -> dict[str, Any]:
    row = {}
    for column in columns:
        value = entry
        for attribute in column.path:
            value = None if value is None else getattr(value, attribute)
        row[column.name] = as_data(value, to_english)
    return row


# --- columns of dataclasses ------------------------------------------------------------------------


class _Column(NamedTuple):
    """A column: its name, the attributes that lead from an entry to its cell, and its type.

    In a frame its name has dots before inner keys.
    """

    name: str
    path: tuple[str, ...]
    type: str | None
    dotted: str
    is_of_objects: bool


def _list_columns(
    entry_type: Any, before: tuple[str, ...] = (), path: tuple[str, ...] = ()
) -> Iterator[_Column]:
    """Yield the columns of the fields that every entry has, nested ones last."""
    fields = [field for field in fields_of(entry_type) if not field.is_aside and not field.is_left_out]
    for field in fields:
        if not field.is_object:
            is_nested = field.is_several or field.type is Any
            type_name = None if is_nested else _TYPES.get(field.type, "VARCHAR")
            keys = (*before, field.name)
            is_of_objects = field.is_several and bool(field.shapes)
            yield _Column("_".join(keys), (*path, field.name), type_name, ".".join(keys), is_of_objects)
    for field in fields:
        if field.is_object:
            inside = before if field.is_inlined else (*before, field.name)
            yield from _list_columns(field.type, inside, (*path, field.name))


def _find_lists(result_type: Any, result: Any, before: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield the paths of lists of objects, with entry types and the lists."""
    for field in fields_of(result_type):
        value = getattr(result, field.name)
        if field.is_aside or (value is None and field.is_left_out):
            continue
        if get_origin(field.type) is tuple and field.shapes:
            yield before + field.name, (field.shapes[0], value)
        elif field.is_object and value is not None:
            inside = before if field.is_inlined else f"{before}{field.name}."
            yield from _find_lists(field.type, value, inside)
