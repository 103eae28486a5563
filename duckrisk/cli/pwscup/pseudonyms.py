"""``duckrisk pwscup pseudonyms``: who used which pseudonym when."""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request
from duckrisk.cli.pwscup.options import (
    HISTORY,
    MasterOption,
    OriginalOption,
    PairArgument,
    history_options,
    original_and_release,
    target_of,
    write,
    writes,
)
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command


@command(*HISTORY, *writes("The table of pseudonyms (F): a .csv file."))
def pseudonyms(
    args: CommandLine,
    tables: PairArgument = None,
    original: OriginalOption = None,
    master: MasterOption = None,
) -> None:
    """Write the true pseudonyms of all users, one a period: for your eyes only."""
    from duckrisk.contests.pwscup.writing import pseudonyms as run

    original, release = original_and_release(tables, original)
    if original is None:
        raise UsageError("pwscup.not_one_release")
    options = history_options(args, original)
    listed = Request(master) if master is not None else None
    target, resources = target_of(args), resources_of(args)
    write(
        lambda progress: run(
            Request(original), Request(release), listed, target, options, resources, progress
        ),
        args,
        *filter(None, (original, release, master)),
    )
