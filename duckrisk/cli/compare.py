"""``duckrisk compare``: compares releases of a table with the original."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import attribute, identifiability, policy, select_options
from duckrisk.base.options.comparison import ATTACH, Options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.output import (
    resolve_format,
)
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources, read_settings
from duckrisk.cli.signature import CommandLine, command


@command(
    select_options(Request, "attach", attach={"help": ATTACH}),
    *(EarlierOptions, RoleOverrides, SettingsFile, Options, Resources),
    select_options(attribute.Options, "k", "seed"),
    select_options(identifiability.Options, "levels", "missing", "missing_tokens"),
    select_options(policy.Options, "name"),
    JUDGED,
    select_options(Output, "output", "format", "show_values", "quiet", format={"choices": JUDGED_FORMATS}),
    Language,
)
def compare(
    args: CommandLine,
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help="The table as it was: a file, a folder, a glob pattern, or FILE.duckdb:TABLE.",
        ),
    ],
    releases: Annotated[
        list[str],
        typer.Argument(metavar="RELEASE", help="What was made of it: one table or several, as ORIGINAL."),
    ],
) -> None:
    """Compare releases with their original: remaining risk and lost information."""
    from duckrisk.api import config as settings_file
    from duckrisk.measures.sequence import Earlier
    from duckrisk.release.comparison import run
    from duckrisk.release.comparison.results import Comparison
    from duckrisk.source.requests import parse_request

    out, attach = args.options(Output), args.options(Request).attach
    form = resolve_format(out.format, out.output, JUDGED_FORMATS)
    if form not in JUDGED_FORMATS:
        raise UsageError("cli.format_of_assess", forms=", ".join(JUDGED_FORMATS), form=form)
    if attach is None and "-" in (original, *releases):
        raise UsageError("cli.comparison_of_standard_input")
    settings = read_settings(args)
    settings = dataclasses.replace(
        settings, file_settings=settings.file_settings.drop(("only",)), show_values=out.show_values
    )
    first, *others = (parse_request(table, attach) for table in (original, *releases))
    first = first.with_defaults_from(settings.source)
    options = args.options(
        Options,
        k=settings.measures.k,
        seed=settings.measures.seed,
        settled_hierarchies=str(args.options(SettingsFile).config or settings_file.NAME),
    )
    resources, earlier = read_resources(args), Earlier.of(settings.earlier)

    def work(progress: Any) -> Any:
        return run(first, others, settings, options, resources, progress)

    run_report_command(
        args,
        work,
        Comparison,
        [first, *others, *earlier.releases, *earlier.key_tables],
        lambda _: [*releases, original],
        lambda report: report.original.name,
        unmeasured=options.skipped_parts,
        private=out.show_values,
        settings=settings,
        command="compare",
    )
