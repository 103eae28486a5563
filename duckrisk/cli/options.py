"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

SourceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SOURCE",
        help="A Parquet, CSV or JSON file, a folder, a glob pattern, a .duckdb file, or - for CSV on "
        "standard input.",
    ),
]
