"""``duckrisk pwscup release``: what attackers get."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duckrisk.cli.options import (
    ConfigOption,
    MemoryOption,
    OverwriteOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import watched
from duckrisk.cli.pwscup.options import (
    DateOption,
    HistoryUserOption,
    ItemOption,
    history_options,
    tell,
)


def release(
    source: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of the original: A(T).")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="What attackers get (S): a .csv or .parquet file.")
    ],
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The same order again. Without it nobody can find the order that was."),
    ] = None,
    user: HistoryUserOption = None,
    date: DateOption = None,
    item: ItemOption = None,
    overwrite: OverwriteOption = False,
    config: ConfigOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write a release without its deleted records, in an order of chance."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup.writing import release as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    options = history_options(config, {"user": user, "date": date, "item": item}, source=source)
    target, resources = Target(output, None, overwrite), Resources(memory, threads, temp)
    made = watched(
        lambda watch: run(Request(source), target, seed, options, resources, watch),
        quiet,
    )
    tell(made, quiet)
