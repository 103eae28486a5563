"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
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
TableOption = Annotated[str | None, typer.Option("--table", help="The table of a database, as schema.name.")]
AttachOption = Annotated[
    str | None,
    typer.Option(
        "--attach",
        help="A database: a .duckdb file, or the name of a DuckDB extension and an address, such as "
        "postgres:…, mysql:…, sqlite:…, ducklake:…; always read-only.",
    ),
]
QueryOption = Annotated[
    str | None,
    typer.Option("--query", help="A SELECT to assess; it can read SOURCE under the name source."),
]
WhereOption = Annotated[str | None, typer.Option("--where", help="An SQL condition that records must meet.")]
EncodingOption = Annotated[
    str | None,
    typer.Option("--encoding", help="The encoding of a CSV file, where the guess is wrong."),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether a CSV file opens with column names."),
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user", help="The column of the person behind a record; '' takes each record as a person."
    ),
]
AttributeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute", help="Assess this attribute; repeatable. A+B is known together, A.week coarser."
    ),
]
IgnoreOption = Annotated[
    list[str] | None, typer.Option("--ignore", help="Leave this column out; repeatable.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="A settings file instead of duckrisk.toml in the current folder."),
]
MemoryOption = Annotated[str | None, typer.Option("--memory", help="The engine's memory limit, such as 4GB.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="How many threads the engine uses.")]
TempOption = Annotated[
    str | None,
    typer.Option("--temp", help="The folder for what does not fit into memory."),
]
LevelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--level", help="How sensitive a column is: age=date_of_birth, or income=2,2 (E,P); repeatable."
    ),
]
MissingOption = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help="A missing cell tells nothing (none), is a value (value) or agrees with all (wildcard, on "
        "disclosure alone). [none; on disclosure value]",
    ),
]
HierarchiesOption = Annotated[
    Path | None,
    typer.Option("--hierarchies", help="A TOML file with [hierarchies]; else the settings file."),
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Of everything that is drawn. [0]")]
OutputOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to a file; its suffix says the format.")
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace an output that is there already.")
]
FormatOption = Annotated[str | None, typer.Option("--format", help="table, json, markdown or html.")]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="No progress.")]
