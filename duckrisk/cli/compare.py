"""``duckrisk compare``: releases of a table beside the original."""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import attribute, identifiability, policy
from duckrisk.base.options.comparison import Options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED, finish, judged
from duckrisk.cli.output import (
    check_outputs,
    chosen_format,
    give,
    in_form,
    remark_written,
    watched,
)
from duckrisk.cli.settings import read_settings, resources_of, settings_named
from duckrisk.cli.signature import CommandLine, command, some

_ATTACH = (
    "A database: a .duckdb file, or the name of a DuckDB extension and an address, such as postgres:…; "
    "ORIGINAL and each RELEASE are then its tables, as schema.name."
)


@command(
    some(Request, "attach", attach={"help": _ATTACH}),
    *(RoleOverrides, SettingsFile, Options, Resources),
    some(attribute.Options, "k", "seed"),
    some(identifiability.Options, "levels", "missing", "missing_tokens"),
    some(policy.Options, "name"),
    JUDGED,
    some(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}),
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
    """Compare releases with their original: the risk that is left, and what was lost for it."""
    from duckrisk.api import config as settings_file
    from duckrisk.release.comparison import run
    from duckrisk.release.comparison.results import Comparison
    from duckrisk.source.requested import request_of

    out, attach = args.options(Output), args.options(Request).attach
    form = chosen_format(out.format, out.output, JUDGED_FORMATS)
    if form not in JUDGED_FORMATS:
        raise UsageError("cli.format_of_assess", forms=", ".join(JUDGED_FORMATS), form=form)
    if attach is None and "-" in (original, *releases):
        raise UsageError("cli.comparison_of_standard_input")
    settings = read_settings(args)
    settings = dataclasses.replace(settings, file_settings=settings.file_settings.drop(("only",)))
    first, *others = (request_of(table, attach) for table in (original, *releases))
    first = first.or_else(settings.source)
    check_outputs(args, (first, *others))
    options = args.options(
        Options,
        k=settings.measures.k,
        seed=settings.measures.seed,
        settled_hierarchies=str(args.options(SettingsFile).config or settings_file.NAME),
    )
    resources = resources_of(args)

    def work(progress: Any) -> Any:
        return run(first, others, settings, options, resources, progress)

    with settings_named(settings):
        judged_work = judged(work, args, Comparison, options.unmeasured)
        report = watched(judged_work, out.quiet, settings.language.spoken, "compare")
    if form == "table" and out.output is None and sys.stdout.isatty():
        from duckrisk.report.forms import print_report

        print_report(report, sys.stdout, language=settings.language.spoken)
    else:
        give(in_form(report, form, settings.language.spoken, sources=[*releases, original]), out.output)
        remark_written(out)
    finish(report, args, report.original.name, settings.language.spoken)
