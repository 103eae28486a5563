"""``duckrisk pwscup pseudonyms``: writes the true pseudonyms."""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.pipeline import output_target, run_write_command
from duckrisk.cli.pwscup.options import (
    HISTORY,
    SUMMARY_WIDTH,
    PairArgument,
    find_pair,
    output_options,
    read_history_options,
)
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Tables


@command(
    select_options(Tables, "original", "master"),
    *HISTORY,
    *output_options("The table of pseudonyms (F): a .csv file."),
)
def pseudonyms(args: CommandLine, tables: PairArgument = None) -> None:
    """Write the true pseudonyms of all users by period.

    The table is for your eyes only.
    """
    from duckrisk.contests.pwscup.writing import pseudonyms as run

    original, release = find_pair(args, tables)
    if original is None:
        raise UsageError("pwscup.not_one_release")
    options = read_history_options(args, original)
    first, second, master = Request(original), Request(release), request_or_none(args.options(Tables).master)
    target, resources = output_target(args), read_resources(args)
    run_write_command(
        args,
        lambda progress: run(first, second, master, target, options, resources, progress),
        [first, second, master],
        SUMMARY_WIDTH,
    )
