"""A list of a result as flat rows: for frames, CSV and Parquet."""

from __future__ import annotations

import csv
import dataclasses
import io
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from duckrisk.errors import OutputError, UsageError, suggestion
from duckrisk.report.words import in_english
from duckrisk.results import Result, as_data
from duckrisk.sentences import Sentence

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
        kept = {name: kind for name, kind in self.columns.items() if kind is not None}
        return Rows(dict(kept), [{name: row[name] for name in kept} for row in self.rows])


def rows_of(result: Result, path: str | None = None) -> Rows:
    """The list at a path of keys with dots between them, by default that which the result is about. Raises
    UsageError for a path that leads to none."""
    lists = dict(_lists(type(result), result))
    path = path if path is not None else getattr(result, "listing", None) or next(iter(lists), "")
    if path not in lists:
        raise UsageError("report.no_list_result", path=path, suggestion=suggestion(path, list(lists)))
    kind, entries = lists[path]
    columns = list(_columns(kind))
    return Rows({one.name: one.type for one in columns}, [_row(columns, entry) for entry in entries or ()])


def to_csv(result: Result) -> str:
    """The rows as CSV (RFC 4180): text that a spreadsheet would take for a formula gets a leading apostrophe,
    numbers never."""
    told = rows_of(result).plain()
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow(told.columns)
    for row in told.rows:
        writer.writerow([_cell(value) for value in row.values()])
    return made.getvalue()


def write_parquet(result: Result, path: str | Path) -> None:
    """The rows as a Parquet file; raises OutputError where it cannot be written."""
    import duckdb

    told = rows_of(result).plain()
    columns = [[row[name] for row in told.rows] for name in told.columns]
    # Parallel unnest() puts the lists back into rows; names and types are ours, values are parameters.
    query = "SELECT " + ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in told.columns.items())
    try:
        with duckdb.connect(":memory:") as connection:
            connection.sql(query, params=columns).write_parquet(str(path))
    except duckdb.Error:
        raise OutputError("report.parquet_file_could_not_written", path=path) from None


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def _row(columns: Sequence[_Column], entry: Any) -> dict[str, Any]:
    row = {}
    for one in columns:
        value = entry
        for field in one.fields:
            value = None if value is None else getattr(value, field)
        row[one.name] = as_data(value, in_english)
    return row


# --- what the dataclasses say ----------------------------------------------------------------------


class _Column(NamedTuple):
    """The name of a column, the fields that lead to its cells, one inside the other, and its type."""

    name: str
    fields: tuple[str, ...]
    type: str | None


class _Field(NamedTuple):
    """A field that the JSON form always has: its name there (nothing where its keys stand in its place), its
    own, and its type without None."""

    key: str
    name: str
    type: Any

    @property
    def is_object(self) -> bool:
        return dataclasses.is_dataclass(self.type) and self.type is not Sentence


def _fields(kind: Any, aside: Sequence[str] = ("aside", "left_out")) -> Iterator[_Field]:
    hints = typing.get_type_hints(kind)
    for one in dataclasses.fields(kind):
        if not any(name in one.metadata for name in aside):
            key = "" if "inlined" in one.metadata else one.name
            yield _Field(key, one.name, _without_none(hints[one.name]))


def _without_none(hint: Any) -> Any:
    inside = [one for one in get_args(hint) if one is not type(None)]
    return inside[0] if get_origin(hint) in (Union, UnionType) and len(inside) == 1 else hint


def _columns(kind: Any, before: str = "", fields: tuple[str, ...] = ()) -> Iterator[_Column]:
    """Fields in their order; those of objects inside come last, after their names."""
    objects = []
    for one in _fields(kind):
        if one.is_object:
            objects.append(one)
        else:
            several = one.type is Any or get_origin(one.type) in (tuple, list, dict, Mapping)
            shown = None if several else _TYPES.get(one.type, "VARCHAR")
            yield _Column(before + one.key, (*fields, one.name), shown)
    for one in objects:
        inside = f"{before}{one.key}_" if one.key else before
        yield from _columns(one.type, inside, (*fields, one.name))


def _lists(kind: Any, found: Any, before: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The lists of objects in a result, by their paths, with the types of their entries."""
    sometimes = {one.name for one in dataclasses.fields(kind) if "left_out" in one.metadata}
    for one in _fields(kind, aside=("aside",)):
        value = getattr(found, one.name)
        if value is None and one.name in sometimes:
            continue
        if get_origin(one.type) is tuple and dataclasses.is_dataclass(get_args(one.type)[0]):
            yield before + one.key, (get_args(one.type)[0], value)
        elif one.is_object and value is not None:
            yield from _lists(one.type, value, f"{before}{one.key}." if one.key else before)
