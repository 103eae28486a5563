"""``duckrisk pwscup partial-knowledge``: writes the known part of the original."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request
from duckrisk.cli.pipeline import output_target, run_write_command
from duckrisk.cli.pwscup.options import (
    SHORT_HISTORY,
    SUMMARY_WIDTH,
    OriginalArgument,
    output_options,
    read_history_options,
)
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import KnownShare, Options


@command(
    KnownShare,
    *SHORT_HISTORY,
    select_options(Options, "seed", "item_prefix"),
    *output_options("The partial table: a .csv or .parquet file."),
)
def partial_knowledge(
    args: CommandLine,
    original: OriginalArgument,
) -> None:
    """Write the records that an attacker knows.

    All other records become empty.
    """
    from duckrisk.contests.pwscup.writing import partial_knowledge as run

    options, alpha = read_history_options(args, original), args.options(KnownShare).alpha
    target, resources, request = output_target(args), read_resources(args), Request(original)
    run_write_command(
        args,
        lambda progress: run(request, target, alpha, options, resources, progress),
        [request],
        SUMMARY_WIDTH,
    )
