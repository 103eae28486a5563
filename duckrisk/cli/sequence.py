"""``duckrisk sequence``: measures releases one after another."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import identifiability, select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.sequence import ATTACH, KEY_TABLES, EarlierOptions, Options
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources, read_settings
from duckrisk.cli.signature import CommandLine, command


@command(
    select_options(Request, "attach", attach={"help": ATTACH}),
    *(RoleOverrides, SettingsFile, Options, Resources),
    select_options(EarlierOptions, "key_tables", key_tables=KEY_TABLES),
    select_options(identifiability.Options, "missing_tokens"),
    JUDGED,
    select_options(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}),
    Language,
)
def sequence(
    args: CommandLine,
    releases: Annotated[
        list[str],
        typer.Argument(metavar="RELEASE", help="The releases in their order: two tables or more."),
    ],
) -> None:
    """Measure releases one after another: who is alone in all, though hidden in each."""
    from duckrisk.measures.sequence import Earlier
    from duckrisk.release.sequence import run
    from duckrisk.release.sequence.results import ReleaseSequence
    from duckrisk.source.requests import parse_request

    attach = args.options(Request).attach
    if attach is None and "-" in releases:
        raise UsageError("cli.comparison_of_standard_input")
    settings = read_settings(args)
    settings = dataclasses.replace(settings, file_settings=settings.file_settings.drop(("only",)))
    earlier = Earlier.of(args.options(EarlierOptions, earlier=tuple(releases[:-1])), attach)
    requests = [*earlier.releases, parse_request(releases[-1], attach)]
    options, resources = args.options(Options), read_resources(args)
    run_report_command(
        args,
        lambda progress: run(requests, earlier.key_tables, settings, options, resources, progress),
        ReleaseSequence,
        [*requests, *earlier.key_tables],
        lambda _: [*reversed(releases)],
        lambda report: str(report.releases[-1].name),
        settings=settings,
        command="sequence",
    )
