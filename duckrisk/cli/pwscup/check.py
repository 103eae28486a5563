"""``duckrisk pwscup check``: the constraints on releases and guesses."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from duckrisk.base.options.output import Language, Output
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED, finish, judged
from duckrisk.cli.output import TEXT_FORMATS, check_outputs, form_of, give, in_form, watched
from duckrisk.cli.pwscup.options import (
    HISTORY,
    MasterOption,
    OriginalOption,
    TablesArgument,
    history_options,
    original_and_releases,
)
from duckrisk.cli.settings import language, resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.pwscup.options import Options


@command(
    *HISTORY,
    some(Options, "show_values"),
    JUDGED,
    some(Output, "output", "format", "quiet", format={"choices": TEXT_FORMATS}),
    Language,
)
def check(
    args: CommandLine,
    tables: TablesArgument = None,
    original: OriginalOption = None,
    guess: Annotated[
        list[str] | None,
        typer.Option(
            "--guess",
            metavar="FILE",
            help="A guess of who used which pseudonym. Repeatable.",
            rich_help_panel="Source",
        ),
    ] = None,
    master: MasterOption = None,
) -> None:
    """Check releases and guesses against the constraints of the contest: every violation is counted.

    Ends with exit code 1 where a constraint is violated.
    """
    from duckrisk.contests.pwscup.constraints import run
    from duckrisk.contests.pwscup.results import Check

    out, resources = args.options(Output), resources_of(args)
    form = form_of(out.format, out.output, "A check is", TEXT_FORMATS)
    original, releases = original_and_releases(tables, original)
    options = history_options(args, original)
    first = Request(original)
    others, guesses = [Request(name) for name in releases], [Request(name) for name in guess or ()]
    listed = Request(master) if master is not None else None
    check_outputs(args, (first, *others, *guesses, listed))

    def work(progress: Any) -> Check:
        return run(first, others, guesses, listed, options, resources, progress)

    report = watched(judged(work, args, Check), out.quiet, language(args))
    named = [*releases, *(guess or ()), original]
    give(in_form(report, form, language(args), sources=named), out.output, options.show_values)
    finish(report, args, original, language(args))
