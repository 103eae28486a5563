"""Opens sources in tests: what is read, and that the SQL for people reads the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import identifier, render
from duckrisk.source import Request, Source, open_source
from tests.tables import engine


@dataclass
class Read:
    """An opened source and its records, sorted, values as text."""

    source: Source
    rows: list[tuple[Any, ...]]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.source.columns]

    @property
    def types(self) -> list[str]:
        return [column.type for column in self.source.columns]


def opened(source: Any = None, plain: bool = True, **request: Any) -> Read:
    """Open and read a source; with ``plain`` also as a plain DuckDB reads the SQL for people."""
    with Session() as session:
        found = open_source(session, Request(source, **request))
        rows = [tuple(row.values()) for row in session.run("select_all", source=ASSESSED)]
        private = str(session.folder)
        assert len(found.columns) == len(found.printed_names)
    rows.sort(key=repr)
    if plain:
        assert private not in found.printed_relation
        again = in_plain_duckdb(found)
        assert Counter(map(_text, rows)) == Counter(map(_text, again))
    return Read(found, rows)


def records_moved(session: Session) -> int:
    """How many records of a source whose first column counts from 0 have another number."""
    numbered = f"SELECT c0, ROW_NUMBER() OVER () AS record FROM {ASSESSED}"
    moved = f"SELECT COUNT(*) FROM ({numbered}) WHERE c0 + 1 <> record"
    rows = session.run_in_worker(lambda: session._connection.execute(moved).fetchall(), "moved")
    return int(rows[0][0])


def in_plain_duckdb(source: Source) -> list[tuple[Any, ...]]:
    """The records as a DuckDB without any setting reads them, by the names for people."""
    columns = ", ".join(identifier(name) for name in source.printed_names)
    select = f"SELECT {columns} FROM {source.printed_relation}"
    if not source.setup:
        return engine().execute(select).fetchall()
    with duckdb.connect() as connection:
        for statement in source.setup:
            if not statement.startswith("INSTALL"):
                connection.execute(statement)
        return connection.execute(select).fetchall()


def _text(row: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(str(value) for value in row)


def write(path: Path, content: bytes | str) -> Path:
    """Write a file, and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(path: Path, select: str) -> Path:
    """Write the result of a SELECT as Parquet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    engine().execute(f"COPY ({select}) TO {render_literal(path)} (FORMAT parquet)")
    return path


def database(path: Path, *statements: str) -> Path:
    """Make a DuckDB database by statements."""
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def render_literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


__all__ = ["Read", "database", "in_plain_duckdb", "opened", "parquet", "render", "write"]
