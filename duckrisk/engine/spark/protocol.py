"""The interface of a distributed engine to a session."""

from __future__ import annotations

from typing import Any, Protocol

from duckrisk.engine.templates import Dialect


class StatementStoppedError(Exception):
    """An interrupt stopped the statement."""


class Engine(Protocol):
    """A distributed engine that holds the records.

    Statements are in its dialect and call the tables of a run by plain names. Every method raises errors of
    :mod:`duckrisk.base.errors`, or :class:`StatementStoppedError` after an interrupt. The engine's own
    messages can quote values, so the errors hold nothing of them.

    Attributes:
        name: Name of the engine in reports.
        version: Its version.
        tables: The tables and views of the run that exist there.
        records: Those of them that hold the records themselves.
    """

    @property
    def dialect(self) -> Dialect:
        """The dialect of its SQL."""

    name: str
    version: str
    tables: set[str]
    records: set[str]

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a query and fetch its rows; meant for small results."""

    def materialize(self, table: str, sql: str) -> None:
        """Create or replace a table of the run from a query."""

    def create_view(self, name: str, sql: str) -> None:
        """Create or replace a view of the run from a query of its records."""

    def describe(self, name: str) -> list[tuple[str, str]]:
        """Return the columns of a table or view of the run: names and DuckDB types."""

    def write_parquet(self, sql: str, folder: str) -> int:
        """Write a query's rows as Parquet files into a new folder; return their number."""

    def fetch_table(self, table: str) -> Any:
        """Fetch a table of the run as an Arrow table."""

    def fetch_rows(self, sql: str) -> Any:
        """Run a query and fetch its rows as an Arrow table."""

    def drop_table(self, table: str) -> None:
        """Drop a table of the run, if it exists."""

    def interrupt(self) -> None:
        """Stop the running statement, from another thread, and let no other start."""

    def resume(self) -> None:
        """Let statements start again."""

    def close(self) -> None:
        """Remove everything the run created; end the session if the run owns it."""
