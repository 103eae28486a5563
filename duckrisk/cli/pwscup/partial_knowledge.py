"""``duckrisk pwscup partial-knowledge``: what an attacker holds of the original."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duckrisk.cli.options import (
    ConfigOption,
    MemoryOption,
    OverwriteOption,
    QuietOption,
    SeedOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import watched
from duckrisk.cli.pwscup.options import (
    DateOption,
    HistoryUserOption,
    ItemOption,
    ItemPrefixOption,
    history_options,
    tell,
)


def partial_knowledge(
    original: Annotated[
        str,
        typer.Argument(metavar="ORIGINAL", help="The history as it was (T): a file of the contest, or any."),
    ],
    alpha: Annotated[float, typer.Option("--alpha", help="The percentage of records that is known.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The partial table: a .csv or .parquet file.")
    ],
    seed: SeedOption = None,
    item_prefix: ItemPrefixOption = None,
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
    """Write the records of the original that an attacker knows, in their places; the others are empty."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup.writing import partial_knowledge as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    columns = {"user": user, "date": date, "item": item}
    options = history_options(config, columns, item_prefix, original)
    target, resources = Target(output, None, overwrite), Resources(memory, threads, temp)
    made = watched(
        lambda watch: run(
            Request(original), target, alpha, seed or 0, options.item_prefix, options, resources, watch
        ),
        quiet,
    )
    tell(made, quiet)
