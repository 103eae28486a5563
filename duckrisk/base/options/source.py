"""What is opened, and with what."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.options.reading import Asked, merge_readings, typed_option

#: The engine takes a negative size, and none, for no limit.
_SIZE = re.compile(r"\s*(?=.*[1-9])(\d+(\.\d*)?|\.\d+)\s*([kmgt]i?b?|b|%)\s*", re.IGNORECASE)
MOST_THREADS = 1024
#: The time zone of days and times without ``--timezone``.
UTC = "UTC"


@dataclass(frozen=True)
class Request(OptionSet, table="source", group="Source"):
    """What a person asked to assess."""

    source: Any = option(
        None,
        help="A Parquet, CSV or JSON file, a folder, a glob pattern, a .duckdb file, or - for CSV on "
        "standard input.",
        flags=(),
        setting=False,
    )
    table: str | None = option(None, help="The table of a database, as schema.name.", metavar="NAME")
    attach: str | None = option(
        None,
        help="A database: a .duckdb file, or the name of a DuckDB extension and an address, such as "
        "postgres:…, mysql:…, sqlite:…, ducklake:…; always read-only.",
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
        None, help="Whether a CSV file opens with column names.", shown="guessed", example=True, rare=True
    )
    beside: tuple[str, ...] = option(
        (),
        help="Another source that --query can read, under this name.",
        flag="--with",
        metavar="NAME=SOURCE",
        shown="none",
        rare=True,
    )
    skip_lines: int | None = option(
        None,
        help="Skip these lines of a CSV file: a title above the names.",
        least=0,
        shown="none",
        example=1,
        rare=True,
    )

    def or_else(self, other: Request) -> Request:
        """This request, with what it leaves open taken from another one; a table and a query from the
        same one, as they can be about each other."""
        kept = {field.name for field in fields(self) if getattr(self, field.name) is not None}
        kept -= set() if self.beside else {"beside"}
        if kept & {"table", "query"}:
            kept |= {"table", "query"}
        return replace(other, **{name: getattr(self, name) for name in kept})


def request_or_none(table: Any, where: str | None = None) -> Request | None:
    """Return the request for a table, where one is named."""
    return None if table is None else Request(table, where=where)


@dataclass(frozen=True)
class Original(OptionSet, group="Who is who"):
    """The table that a release was made of."""

    original: str | None = option(
        None,
        help="The table that SOURCE was made of: it says whose each record is, where SOURCE has no user "
        "column. Records are matched by the recipe beside SOURCE, else in their order.",
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
    )


@dataclass(frozen=True)
class Resources(OptionSet, group="Engine"):
    """What a run may use; None means the engine's own default, and the system's folder."""

    memory: str | None = option(None, help="The engine's memory limit, such as 4GB.", metavar="SIZE")
    threads: int | None = option(
        None,
        help="How many threads the engine uses.",
        least=1,
        most=MOST_THREADS,
        shown="all processors",
        rare=True,
    )
    temp: str | None = option(
        None,
        help="The folder for what does not fit into memory.",
        metavar="FOLDER",
        shown="that of the system",
        rare=True,
    )
    sql_log: str | None = option(
        None,
        help="Write every SQL statement of the run to this file, as a script for a DuckDB shell.",
        metavar="FILE.sql",
        rare=True,
    )
    timezone: str | None = option(
        None,
        help="The time zone for days and times of TIMESTAMP WITH TIME ZONE columns, such as Asia/Tokyo.",
        group="Source",
        table="source",
        metavar="NAME",
        shown=UTC,
        example=UTC,
        rare=True,
    )
    read: tuple[str, ...] = option(
        (),
        help="How a column is written: born=month/day/year, born=2026 (the last year of two digits), "
        "code=text, or day=spreadsheet.",
        group="Source",
        table="source",
        metavar="COLUMN=FORM",
        shown="as its cells show",
        rare=True,
    )
    missing_tokens: tuple[str, ...] = option(
        TOKENS,
        help="A text that means a missing cell, instead of the usual ones.",
        group="Source",
        flag="--missing-token",
        shown='empty, "?", "*", "NULL", "N/A"',
        setting=False,
        rare=True,
    )

    @property
    def reading(self) -> Asked:
        """Return what ``read`` says of columns."""
        return Asked.of(self.read)

    @property
    def reading_options(self) -> tuple[tuple[str, ...], ...]:
        """Return the options that read a source as these do."""
        zone = [("--timezone", self.timezone)] if self.timezone is not None else []
        tokens = self.missing_tokens if self.missing_tokens != TOKENS else ()
        return (
            *zone,
            *(typed_option("--read", text) for text in self.read),
            *(typed_option("--missing-token", token) for token in tokens),
        )

    def part(self, number: int) -> Resources:
        """The same for a further part of a run, whose script has a number."""
        if self.sql_log is None:
            return self
        path = Path(self.sql_log)
        return replace(self, sql_log=str(path.with_stem(f"{path.stem}-{number}")))

    def or_timezone(self, *others: str | None) -> Resources:
        """Return the same with the first time zone that is given, its own before ``others``."""
        return replace(self, timezone=next(filter(None, (self.timezone, *others)), None))

    def or_else(self, *others: Any) -> Resources:
        """Return the same with what it leaves open of how a source is read: its time zone, how columns are
        written, and the texts of missing cells, as the ``others`` that have these fields say, the first
        first."""
        said = [(self.read, self.missing_tokens), *((other.read, other.missing_tokens) for other in others)]
        return replace(
            self.or_timezone(*(other.timezone for other in others)),
            read=merge_readings(*(read for read, _ in said)),
            missing_tokens=next((tokens for _, tokens in said if tokens != TOKENS), TOKENS),
        )

    def check(self) -> None:
        super().check()
        Asked.of(self.read)
        if self.memory is not None and not _SIZE.fullmatch(self.memory):
            raise UsageError("options.invalid_memory", memory=self.memory)


@dataclass(frozen=True)
class Distributed(OptionSet, table="engine", group="Engine"):
    """The engine that holds the records where DuckDB does not."""

    engine: str | None = option(
        None,
        help="A Spark that holds the records and runs the statements on all of them: sc://HOST:PORT with "
        "--table, or spark://local[2] with Parquet files.",
        metavar="ADDRESS",
        example="sc://localhost:15002",
        rare=True,
    )
    scratch: str | None = option(
        None,
        help="A folder that the engine and this machine see, for the engine's tables; they go with the run.",
        metavar="FOLDER",
        shown="the engine's cache",
        rare=True,
    )

    @property
    def given(self) -> bool:
        """Whether there is one."""
        return (self.engine, self.scratch) != (None, None)
