"""``duckrisk pwscup anonymize``: a release of a history under pseudonyms."""

from __future__ import annotations

from duckrisk.base.options.output import Draws, SettingsFile
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.pwscup.options import OriginalArgument, history_options, target_of, write, writes
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.pwscup.options import Layout, Options, ReleaseOptions


@command(
    ReleaseOptions,
    some(Layout, "user", "date", "item", "price"),
    some(Options, "period"),
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
    write(
        lambda progress: run(Request(original), target, settings, seed, options, resources, progress),
        args,
        original,
    )
