"""What a session asks of a distributed engine."""

from __future__ import annotations

from typing import Any, Protocol

from duckrisk.engine.templates import Dialect


class Stopped(Exception):
    """A statement that was interrupted."""


class Engine(Protocol):
    """What holds the records. Statements are in its dialect, and know the tables of a run by plain names.

    Every method raises errors of :mod:`duckrisk.base.errors`, without a word of the engine's own message,
    which can quote cells, or :class:`Stopped` after an interrupt.
    """

    @property
    def dialect(self) -> Dialect: ...

    #: What it is called where the report says which one ran a statement, with its version.
    name: str
    version: str
    #: The tables and views of the run that are there, and those of them that hold the records.
    tables: set[str]
    records: set[str]

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a statement that gives few."""

    def materialize(self, table: str, sql: str) -> None:
        """Make a table of the run from a query, in place of one of that name."""

    def view(self, name: str, sql: str) -> None:
        """Make a view of the run from a query of its records, in place of one of that name."""

    def columns(self, name: str) -> list[tuple[str, str]]:
        """The names of the columns of a table or view of the run, and their types as DuckDB calls them."""

    def write(self, sql: str, folder: str) -> int:
        """Write the rows of a query as Parquet files into a new folder; how many these hold then."""

    def fetch(self, table: str) -> Any:
        """All rows of a table of the run, as an Arrow table."""

    def rows(self, sql: str) -> Any:
        """All rows of a query, as an Arrow table."""

    def drop(self, table: str) -> None:
        """Remove a table of the run, if it is there."""

    def interrupt(self) -> None:
        """Stop the statement that runs, from another thread, and let none begin."""

    def resume(self) -> None:
        """Let statements begin again."""

    def close(self) -> None:
        """Remove all that the run left; end the session where it was begun for the run."""
