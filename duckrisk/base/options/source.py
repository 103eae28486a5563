"""Options of sources: what is opened, and the resources of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.options.reading import ColumnReadings, merge_readings, typed_option

#: A positive size with its unit: the engine reads a size of 0 or less as no limit.
_SIZE = re.compile(r"\s*(?=.*[1-9])(\d+(\.\d*)?|\.\d+)\s*([kmgt]i?b?|b|%)\s*", re.IGNORECASE)
#: Threads (a choice: the engine would start any number of them).
MAX_THREADS = 1024
#: The time zone of days and times without ``--timezone``.
UTC = "UTC"


@dataclass(frozen=True)
class Request(OptionSet, table="source", group="Source"):
    """The source that a person names."""

    source: Any = option(
        None,
        help="A Parquet, CSV, JSON or .duckdb file, a folder, a glob, or - (CSV on stdin).",
        flags=(),
        setting=False,
    )
    table: str | None = option(None, help="The table of a database, as schema.name.", metavar="NAME")
    attach: str | None = option(
        None,
        help="A database to read: a .duckdb file, postgres:…, mysql:…, sqlite:…, ducklake:….",
        metavar="ADDRESS",
        setting=False,
    )
    query: str | None = option(
        None,
        help="A SELECT to assess; it can read SOURCE, or the --table of a database, as source.",
        metavar="SQL",
    )
    where: str | None = option(None, help="An SQL condition that records must meet.", metavar="SQL")
    encoding: str | None = option(
        None, help="The encoding of a CSV file, where the guess is wrong.", metavar="NAME", rare=True
    )
    header: bool | None = option(
        None,
        help="Whether a CSV file opens with column names.",
        default_text="guessed",
        example=True,
        rare=True,
    )
    beside: tuple[str, ...] = option(
        (),
        help="Another source that --query can read, under this name.",
        flag="--with",
        metavar="NAME=SOURCE",
        default_text="none",
        rare=True,
    )
    skip_lines: int | None = option(
        None,
        help="Skip these lines of a CSV file: a title above the names.",
        minimum=0,
        default_text="none",
        example=1,
        rare=True,
    )

    def with_defaults_from(self, other: Request) -> Request:
        """Return this request, completed from another one.

        A table and a query stay together, because the query can name the table.
        """
        given = {field.name for field in fields(self) if getattr(self, field.name) is not None}
        given -= set() if self.beside else {"beside"}
        if given & {"table", "query"}:
            given |= {"table", "query"}
        return replace(other, **{name: getattr(self, name) for name in given})


def request_or_none(table: Any, where: str | None = None) -> Request | None:
    """Return the request for a table; None without a table."""
    return None if table is None else Request(table, where=where)


@dataclass(frozen=True)
class Original(OptionSet, group="Who is who"):
    """The original of a release."""

    original: str | None = option(
        None,
        help="The original of SOURCE, which has no user column: it gives records their person.",
        metavar="FILE",
        setting=False,
        rare=True,
        keyword_type=Any,
    )


@dataclass(frozen=True)
class OtherTable(OptionSet, group="Source"):
    """The table that a metric compares a source with."""

    release: str | None = option(
        None,
        help="The second table of a metric that compares: a file, or FILE.duckdb:TABLE.",
        metavar="TABLE",
        keyword_type=Any,
    )


@dataclass(frozen=True)
class Resources(OptionSet, group="Engine"):
    """The resources of a run; None means the default of the engine or of the system."""

    memory: str | None = option(None, help="The engine's memory limit, such as 4GB.", metavar="SIZE")
    threads: int | None = option(
        None,
        help="How many threads the engine uses.",
        minimum=1,
        maximum=MAX_THREADS,
        default_text="all processors",
        rare=True,
    )
    temp: str | None = option(
        None,
        help="The folder for what does not fit into memory.",
        metavar="FOLDER",
        default_text="that of the system",
        rare=True,
    )
    sql_log: str | None = option(
        None,
        help="Write all SQL statements of the run to this file, as a DuckDB script.",
        metavar="FILE.sql",
        rare=True,
    )
    timezone: str | None = option(
        None,
        help="The time zone of TIMESTAMP WITH TIME ZONE columns, such as Asia/Tokyo.",
        group="Source",
        table="source",
        metavar="NAME",
        default_text=UTC,
        example=UTC,
        rare=True,
    )
    read: tuple[str, ...] = option(
        (),
        help="A column's form: born=month/day/year, born=2026 (last year), day=spreadsheet.",
        group="Source",
        table="source",
        metavar="COLUMN=FORM",
        default_text="as its cells show",
        rare=True,
    )
    missing_tokens: tuple[str, ...] = option(
        TOKENS,
        help="A text that means a missing cell, instead of the usual ones.",
        group="Source",
        flag="--missing-token",
        default_text='empty, "?", "*", "NULL", "N/A"',
        setting=False,
        rare=True,
    )

    @property
    def readings(self) -> ColumnReadings:
        """The readings of columns in ``read``."""
        return ColumnReadings.of(self.read)

    @property
    def reading_options(self) -> tuple[tuple[str, ...], ...]:
        """The words of a command line that reads a source as these options do."""
        zone = [("--timezone", self.timezone)] if self.timezone is not None else []
        tokens = self.missing_tokens if self.missing_tokens != TOKENS else ()
        return (
            *zone,
            *(typed_option("--read", text) for text in self.read),
            *(typed_option("--missing-token", token) for token in tokens),
        )

    def for_part(self, number: int) -> Resources:
        """Return the resources of a part of a run, which has its own SQL log."""
        if self.sql_log is None:
            return self
        path = Path(self.sql_log)
        return replace(self, sql_log=str(path.with_stem(f"{path.stem}-{number}")))

    def name_logged_file(self, name: str) -> Path | None:
        """Name a file that the script writes next to itself; None without a script.

        Args:
            name: Name of the file in the run.
        """
        if self.sql_log is None:
            return None
        path = Path(self.sql_log)
        return path.with_name(f"{path.stem}-{name}")

    def with_default_timezone(self, *others: str | None) -> Resources:
        """Return these resources; without a time zone, with the first that is not None."""
        return replace(self, timezone=next(filter(None, (self.timezone, *others)), None))

    def with_readings_from(self, *others: Any) -> Resources:
        """Return these resources, completed with how other options read a source.

        Args:
            others: Options with the fields ``timezone``, ``read`` and ``missing_tokens``; the first ones win.
        """
        readings = [(self.read, self.missing_tokens), *((o.read, o.missing_tokens) for o in others)]
        return replace(
            self.with_default_timezone(*(other.timezone for other in others)),
            read=merge_readings(*(read for read, _ in readings)),
            missing_tokens=next((tokens for _, tokens in readings if tokens != TOKENS), TOKENS),
        )

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        ColumnReadings.of(self.read)
        if self.memory is not None and not _SIZE.fullmatch(self.memory):
            raise UsageError("options.invalid_memory", memory=self.memory)


@dataclass(frozen=True)
class Distributed(OptionSet, table="engine", group="Engine"):
    """A distributed engine that holds the records instead of DuckDB."""

    engine: str | None = option(
        None,
        help="Run --table NAME or FILES on Spark: sc://HOST:PORT, or here spark://local[2].",
        metavar="ADDRESS",
        example="sc://localhost:15002",
        rare=True,
    )
    scratch: str | None = option(
        None,
        help="A folder that the engine and this machine share, for the tables of the run.",
        metavar="FOLDER",
        default_text="the engine's cache",
        rare=True,
    )

    @property
    def is_given(self) -> bool:
        """Whether an engine is named."""
        return (self.engine, self.scratch) != (None, None)
