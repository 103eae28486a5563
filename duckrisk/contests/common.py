"""What runs of both contests share: file order, row counts, files without a header, and report facts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk.base.results import Environment
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.release.anonymization import output


def keep_file_order(session: Session) -> None:
    """Read sources in file order: row numbers identify records in both contests."""
    session.run("set_option", option="preserve_insertion_order", setting=True)


def count_rows(session: Session, table: str) -> int:
    """Count the rows of a table of the session."""
    rows: int = session.fetch_row("table_size", source=identifier(table))["found"]
    return rows


def format_without_header(quoting: str = "") -> Sql:
    """Return the options of CSV without a header, and further ones for quotes."""
    return Sql(f"FORMAT csv, HEADER false{quoting}")


def copy_without_header(
    session: Session,
    source: Sql,
    columns: Sequence[str],
    names: Sequence[str],
    order: Sql | None,
    path: Path,
    file: Path,
    quoting: str = "",
) -> None:
    """Write a relation as the contests write files: CSV without a header.

    Args:
        session: Runs the statement.
        source: The relation to write.
        columns: Its columns, in the order of the file.
        names: Their names in the relation that is written.
        order: What the lines are ordered by.
        path: The file that the user named, for error messages.
        file: The file that is written, which is renamed to `path` later.
        quoting: Further options of the CSV writer.

    Raises:
        OutputError: The file could not be written.
    """
    with output.name_output_in_errors(session, path):
        session.run(
            "copy_release",
            source=source,
            columns=list(columns),
            names=list(names),
            order=order,
            path=str(file),
            options=format_without_header(quoting),
            group_bytes=None,
        )


def run_facts(session: Session) -> dict[str, Any]:
    """Return the fields `environment` and `statements` of a result."""
    environment = Environment(duckrisk.__version__, session.engine_version)
    return {"environment": environment, "statements": tuple(session.log)}
