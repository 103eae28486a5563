"""``duckrisk pwscup release``: what attackers get."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options.output import Draws
from duckrisk.base.options.source import Request
from duckrisk.cli.pipeline import target_of, write_command
from duckrisk.cli.pwscup.options import MOST_CELLS, SHORT_HISTORY, history_options, writes
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command


@command(*SHORT_HISTORY, Draws, *writes("What attackers get (S): a .csv or .parquet file."))
def release(
    args: CommandLine,
    source: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of the original: A(T).")],
) -> None:
    """Write a release without its deleted records, in an order of chance."""
    from duckrisk.contests.pwscup.writing import release as run

    options, seed = history_options(args, source), args.options(Draws).seed
    target, resources = target_of(args), resources_of(args)
    request = Request(source)
    write_command(
        args,
        lambda progress: run(request, target, seed, options, resources, progress),
        [request],
        MOST_CELLS,
    )
