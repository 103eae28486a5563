"""``duckrisk membership anneal``: a synthetic release that reaches the thresholds of the contest."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from duckrisk.base.options.output import Output
from duckrisk.base.options.source import Request
from duckrisk.cli.membership.forms import MAKES, TestOption, asked, target_of
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, form_of, in_form, remark, watched
from duckrisk.cli.settings import language, resources_of
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import SearchOptions, TreeOptions


@command(SearchOptions, TreeOptions, *MAKES)
def anneal(
    args: CommandLine,
    source: SourceArgument = None,
    test: TestOption = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="Keep the search in this file, to go on with --resume.",
            rich_help_panel="Output",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FILE",
            help="Go on from this state, and keep it there.",
            rich_help_panel="Source",
        ),
    ] = None,
) -> None:
    """Search for a synthetic release that reaches all thresholds of the contest of 2020.

    It begins with a table of the generator and swaps its records for fresh ones, by simulated annealing or
    genetically; or whole tables are drawn again until one passes (redraw). An interrupt (Ctrl-C) ends the
    search; the best table so far is written.
    """
    from duckrisk.contests.membership.synthesis import trees
    from duckrisk.contests.membership.synthesis.annealing import Annealing
    from duckrisk.contests.membership.synthesis.annealing import anneal as run

    out, output, resources = args.options(Output), target_of(args), resources_of(args)
    form = form_of(out.format, None, "The summary is")
    targets = tuple(trees.Target(*trees.target_of(text)) for text in args.options(TreeOptions).predicted)
    options = Annealing(**args.of(SearchOptions), targets=targets)
    request = args.options(Request, source=source)
    check_outputs(args, [request, asked(test)])
    release = watched(
        lambda progress: run(request, output, options, asked(test), state, resume, resources, progress),
        out.quiet,
        language(args),
    )
    if not out.quiet or release.interrupted or out.format is not None:
        remark(in_form(release, form, language(args)))
    if release.interrupted:
        raise typer.Exit(143 if release.interrupted == signal.SIGTERM else 130)
