"""``duckrisk pwscup partial-knowledge``: what an attacker holds of the original."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options.source import Request
from duckrisk.cli.pwscup.options import (
    SHORT_HISTORY,
    OriginalArgument,
    history_options,
    target_of,
    write,
    writes,
)
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.pwscup.options import Options


@command(
    *SHORT_HISTORY,
    some(Options, "seed", "item_prefix"),
    *writes("The partial table: a .csv or .parquet file."),
)
def partial_knowledge(
    args: CommandLine,
    original: OriginalArgument,
    alpha: Annotated[
        float,
        typer.Option(
            "--alpha", help="The percentage of records that is known.", rich_help_panel="What is measured"
        ),
    ],
) -> None:
    """Write the records of the original that an attacker knows, in their places; the others are empty."""
    from duckrisk.contests.pwscup.writing import partial_knowledge as run

    options = history_options(args, original)
    target, resources = target_of(args), resources_of(args)
    write(
        lambda progress: run(
            Request(original), target, alpha, options.seed, options.item_prefix, options, resources, progress
        ),
        args,
        original,
    )
