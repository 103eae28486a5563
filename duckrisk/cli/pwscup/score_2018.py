"""``duckrisk pwscup score-2018``: what a release with generalized cells lost, and whether it is unsafe."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options.output import JUDGED_FORMATS, Output, SettingsFile
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED, finish, judged
from duckrisk.cli.output import check_outputs, form_of, give, in_form, watched
from duckrisk.cli.pwscup.options import REPORT
from duckrisk.cli.settings import language, resources_of
from duckrisk.cli.signature import CommandLine, command


@command(SettingsFile, Resources, JUDGED, *REPORT)
def score_2018(
    args: CommandLine,
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help="The history as it was (T): customer, date, item, price and quantity in each line.",
        ),
    ],
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="What was made of it (A), line by line: a cell is a value, *, a "
            "set {a;b} of items, or an interval [a;b].",
        ),
    ],
    guess: Annotated[
        list[str] | None,
        typer.Option(
            "--guess",
            metavar="FILE",
            help="A guess of who has which pseudonym: a pseudonym and a customer in each line. Repeatable.",
            rich_help_panel="Source",
        ),
    ] = None,
) -> None:
    """Score a release as the contest of 2018 did: the loss of its cells, and whether a guess declares it
    unsafe."""
    from duckrisk.contests.pwscup.generalized import Score2018, run

    out = args.options(Output)
    form = form_of(out.format, out.output, "A score is", JUDGED_FORMATS)
    sources = [Request(name) for name in (original, release, *(guess or ()))]
    check_outputs(args, sources)
    first, second, *guesses = sources
    resources = resources_of(args)
    report = watched(
        judged(lambda progress: run(first, second, guesses, resources, progress), args, Score2018),
        out.quiet,
        language(args),
    )
    give(in_form(report, form, language(args), sources=[release, *(guess or ()), original]), out.output)
    finish(report, args, original, language(args))
