"""``duckrisk pwscup partial-knowledge``: what an attacker holds of the original."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request
from duckrisk.cli.pipeline import target_of, write_command
from duckrisk.cli.pwscup.options import (
    MOST_CELLS,
    SHORT_HISTORY,
    OriginalArgument,
    history_options,
    writes,
)
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Knowledge, Options


@command(
    Knowledge,
    *SHORT_HISTORY,
    select_options(Options, "seed", "item_prefix"),
    *writes("The partial table: a .csv or .parquet file."),
)
def partial_knowledge(
    args: CommandLine,
    original: OriginalArgument,
) -> None:
    """Write the records of the original that an attacker knows, in their places; the others are empty."""
    from duckrisk.contests.pwscup.writing import partial_knowledge as run

    options, alpha = history_options(args, original), args.options(Knowledge).alpha
    target, resources, request = target_of(args), resources_of(args), Request(original)
    seed, prefix = options.seed, options.item_prefix
    write_command(
        args,
        lambda progress: run(request, target, alpha, seed, prefix, options, resources, progress),
        [request],
        MOST_CELLS,
    )
