"""A source as a person names it where there are several: a file, a table of a database, a table in Python."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request
from duckrisk.source.files import existing, find
from duckrisk.source.formats import File, format_of

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_]+")


def parse_request(table: Any, attach: str | None = None) -> Request:
    """The request for one of several tables.

    A text is a file, a folder or a pattern where there is one of that name, else ``FILE:TABLE``, a table of
    the database in a file; with ``attach``, the address of a database, it is a table of that. Anything
    else is a table in Python. Raises UsageError and SourceError for what is none of these.
    """
    if not isinstance(table, (str, os.PathLike)):
        if attach is not None:
            raise UsageError("source.attached_table_not_text")
        return Request(table)
    name = os.fspath(table)
    if attach is not None:
        if not name:
            raise UsageError("source.attached_table_empty")
        return Request(None, name, attach)
    if _is_there(name):
        return Request(name)
    places = [position for position, character in enumerate(name) if character == ":"]
    for position in reversed(places):
        if _is_there(name[:position]) and Path(name[:position]).is_file():
            return _table(name[:position], name[position + 1 :])
    for position in places:
        if Path(name[:position]).suffix:
            find(name[:position])  # says that there is none, and what it may have been
    if places and _SCHEME.fullmatch(scheme := name[: places[0]]):
        # An address can hold a password, so it is not repeated.
        raise UsageError("source.address_as_file", scheme=scheme)
    return Request(name)


def _is_there(name: str) -> bool:
    try:
        return bool(name) and (Path(name).is_dir() or bool(existing(name)))
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _table(file: str, table: str) -> Request:
    """A table of the database in a file."""
    if not format_of(File(file, Path(file).resolve())).is_database:
        raise UsageError("source.table_of_non_database", name=Path(file).name, table=table)
    if not table:
        raise UsageError("source.table_name_missing", name=Path(file).name)
    return Request(file, table)
