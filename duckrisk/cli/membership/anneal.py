"""``duckrisk membership anneal``: searches for a release that reaches all thresholds."""

from __future__ import annotations

import signal

import typer

from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.membership.forms import RELEASE_OPTIONS
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.pipeline import output_target, run_write_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import SearchOptions, Tables, TreeOptions


@command(
    select_options(Tables, "test", "candidates", "state", "resume"),
    *(SearchOptions, TreeOptions, *RELEASE_OPTIONS),
)
def anneal(args: CommandLine, source: SourceArgument = None) -> None:
    """Search for a release that reaches all thresholds.

    The thresholds are those of the contest of 2020. The search begins with a table of the generator and swaps
    its records for fresh ones, by simulated annealing or genetically; or it draws whole tables until one
    passes (redraw). An interrupt (Ctrl-C) ends the search, and the best table so far is written. The method
    noise goes the other way: it leaves as few cells of SOURCE as the thresholds allow.
    """
    from duckrisk.contests.membership.synthesis import trees
    from duckrisk.contests.membership.synthesis.annealing import Annealing
    from duckrisk.contests.membership.synthesis.annealing import anneal as run

    files, output, resources = args.options(Tables), output_target(args), read_resources(args)
    targets = tuple(trees.Target(*trees.target_of(text)) for text in args.options(TreeOptions).predicted)
    options = Annealing(**args.values_of(SearchOptions), targets=targets)
    request, test = args.options(Request, source=source), request_or_none(files.test)
    candidates = request_or_none(files.candidates)
    release = run_write_command(
        args,
        lambda progress: run(
            *(request, output, options, test, files.state, files.resume, resources, progress, candidates)
        ),
        [request, test, candidates],
    )
    if release.interrupted:
        raise typer.Exit(143 if release.interrupted == signal.SIGTERM else 130)
