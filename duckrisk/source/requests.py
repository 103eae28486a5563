"""Parses the name of one of several tables: a file, a table of a database, a table in Python."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request
from duckrisk.source.files import find_files, match_files
from duckrisk.source.formats import File, detect_format

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_]+")


def parse_request(table: Any, attach: str | None = None) -> Request:
    """Return the request for a table.

    Args:
        table: A file, a folder or a pattern if one exists, else ``FILE:TABLE`` for a table of a database
            file. Anything but a text or a path is a table in Python.
        attach: Address of the database that has the table.

    Raises:
        UsageError: The name is none of these.
        SourceError: The file before the colon does not exist.
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
    if _is_existing(name):
        return Request(name)
    places = [position for position, character in enumerate(name) if character == ":"]
    for position in reversed(places):
        if _is_existing(name[:position]) and Path(name[:position]).is_file():
            return _table_request(name[:position], name[position + 1 :])
    for position in places:
        if Path(name[:position]).suffix:
            find_files(name[:position])  # raises, with similar names
    if places and _SCHEME.fullmatch(scheme := name[: places[0]]):
        # An address can hold a password, so it is not repeated.
        raise UsageError("source.address_as_file", scheme=scheme)
    return Request(name)


def _is_existing(name: str) -> bool:
    try:
        return bool(name) and (Path(name).is_dir() or bool(match_files(name)))
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _table_request(file: str, table: str) -> Request:
    """Return the request for a table of a database file."""
    if not detect_format(File(file, Path(file).resolve())).is_database:
        raise UsageError("source.table_of_non_database", name=Path(file).name, table=table)
    if not table:
        raise UsageError("source.table_name_missing", name=Path(file).name)
    return Request(file, table)
