"""``duckrisk pwscup pseudonyms``: who used which pseudonym when."""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.pipeline import target_of, write_command
from duckrisk.cli.pwscup.options import (
    HISTORY,
    MOST_CELLS,
    PairArgument,
    history_options,
    pair_of,
    writes,
)
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Tables


@command(
    select_options(Tables, "original", "master"),
    *HISTORY,
    *writes("The table of pseudonyms (F): a .csv file."),
)
def pseudonyms(args: CommandLine, tables: PairArgument = None) -> None:
    """Write the true pseudonyms of all users, one a period: for your eyes only."""
    from duckrisk.contests.pwscup.writing import pseudonyms as run

    original, release = pair_of(args, tables)
    if original is None:
        raise UsageError("pwscup.not_one_release")
    options = history_options(args, original)
    first, second, master = Request(original), Request(release), request_or_none(args.options(Tables).master)
    target, resources = target_of(args), resources_of(args)
    write_command(
        args,
        lambda progress: run(first, second, master, target, options, resources, progress),
        [first, second, master],
        MOST_CELLS,
    )
