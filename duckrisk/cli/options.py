"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

SourceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SOURCE",
        help="A Parquet, CSV, JSON or .duckdb file, a folder, a glob, or - for standard input.",
    ),
]
