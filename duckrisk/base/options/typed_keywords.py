"""The types of keywords that many functions take, for type checkers.

A class has the keywords of a set of options; ``tests/test_keywords.py`` compares it with the option fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TypedDict


class RequestKeywords(TypedDict, total=False):
    """How a source is opened."""

    table: str | None
    attach: str | None
    query: str | None
    where: str | None
    encoding: str | None
    header: bool | None
    beside: Iterable[str]
    skip_lines: int | None


class ResourceKeywords(TypedDict, total=False):
    """What a run may use, and how columns are read."""

    memory: str | None
    threads: int | None
    temp: str | None
    sql_log: str | None
    timezone: str | None
    read: Iterable[str]
    missing_tokens: Iterable[str]


class EngineKeywords(TypedDict, total=False):
    """The engine that holds the records where DuckDB does not."""

    engine: str | None
    scratch: str | None


class GateKeywords(TypedDict, total=False):
    """The gates of a report."""

    fail_on: Iterable[str]
    baseline: str | PathLike[str] | None


class RoleKeywords(TypedDict, total=False):
    """What a person decides about columns."""

    user: str | None
    attributes: Iterable[str]
    ignore: Iterable[str]
    roles: Mapping[str, str] | None
    quasi_identifiers: Iterable[str]
    sensitive: Iterable[str]
    insensitive: Iterable[str]
    pseudonym: str | None
    identifiers: Iterable[str]
    fold_keys: bool | None
    keep: Iterable[str]
    count: str | None
    no_persons: bool
