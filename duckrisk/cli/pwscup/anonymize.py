"""``duckrisk pwscup anonymize``: writes a release of a history under pseudonyms."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.output import Draws, SettingsFile
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.pipeline import output_target, run_write_command
from duckrisk.cli.pwscup.options import SUMMARY_WIDTH, OriginalArgument, output_options, read_history_options
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Layout, Options, ReleaseOptions


@command(
    ReleaseOptions,
    select_options(Layout, "user", "date", "item", "price"),
    select_options(Options, "period"),
    *(Draws, SettingsFile, Resources),
    *output_options("The release A(T): a .csv or .parquet file."),
)
def anonymize(args: CommandLine, original: OriginalArgument) -> None:
    """Write a release under new pseudonyms.

    It is aligned with the original: deleted records stay as empty ones. Records are deleted first, then dates
    and items are exchanged, and pseudonyms come last.
    """
    from duckrisk.contests.pwscup.treatment import ReleaseSettings, run

    options = read_history_options(args, original)
    settings = ReleaseSettings(**args.values_of(ReleaseOptions))
    target, resources, seed = output_target(args), read_resources(args), args.options(Draws).seed
    request = Request(original)
    run_write_command(
        args,
        lambda progress: run(request, target, settings, seed, options, resources, progress),
        [request],
        SUMMARY_WIDTH,
    )
