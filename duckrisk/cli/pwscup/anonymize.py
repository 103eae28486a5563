"""``duckrisk pwscup anonymize``: a release of a history under pseudonyms."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.output import Draws, SettingsFile
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.pipeline import target_of, write_command
from duckrisk.cli.pwscup.options import MOST_CELLS, OriginalArgument, history_options, writes
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Layout, Options, ReleaseOptions


@command(
    ReleaseOptions,
    select_options(Layout, "user", "date", "item", "price"),
    select_options(Options, "period"),
    *(Draws, SettingsFile, Resources),
    *writes("The release A(T): a .csv or .parquet file."),
)
def anonymize(args: CommandLine, original: OriginalArgument) -> None:
    """Write a release under new pseudonyms, aligned with the original: deleted records stay as empty ones.

    What is deleted goes first, then dates and items change places, and pseudonyms come last.
    """
    from duckrisk.contests.pwscup.treatment import ReleaseSettings, run

    options, settings = history_options(args, original), ReleaseSettings(**args.of(ReleaseOptions))
    target, resources, seed = target_of(args), resources_of(args), args.options(Draws).seed
    request = Request(original)
    write_command(
        args,
        lambda progress: run(request, target, settings, seed, options, resources, progress),
        [request],
        MOST_CELLS,
    )
