"""``duckrisk pwscup release``: writes the release that attackers get."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options.output import Draws
from duckrisk.base.options.source import Request
from duckrisk.cli.pipeline import output_target, run_write_command
from duckrisk.cli.pwscup.options import SHORT_HISTORY, SUMMARY_WIDTH, output_options, read_history_options
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command


@command(*SHORT_HISTORY, Draws, *output_options("What attackers get (S): a .csv or .parquet file."))
def release(
    args: CommandLine,
    source: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of the original: A(T).")],
) -> None:
    """Write a shuffled release without deleted records."""
    from duckrisk.contests.pwscup.writing import release as run

    options, seed = read_history_options(args, source), args.options(Draws).seed
    target, resources = output_target(args), read_resources(args)
    request = Request(source)
    run_write_command(
        args,
        lambda progress: run(request, target, seed, options, resources, progress),
        [request],
        SUMMARY_WIDTH,
    )
