"""``duckrisk pwscup score-2018``: scores a release with generalized cells."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options import select_options
from duckrisk.base.options.output import SettingsFile
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.pwscup.options import REPORT
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Tables

_GUESS = "A guess of who has which pseudonym: a pseudonym and a customer in each line."


@command(
    select_options(Tables, "guesses", guesses={"help": _GUESS}), SettingsFile, Resources, JUDGED, *REPORT
)
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
) -> None:
    """Score a release as the contest of 2018 did.

    The score is the loss of its cells. A guess can declare the release unsafe.
    """
    from duckrisk.contests.pwscup.generalized import Score2018, run

    guesses = args.options(Tables).guesses
    first, second, *others = sources = [Request(name) for name in (original, release, *guesses)]
    resources = read_resources(args)
    run_report_command(
        args,
        lambda progress: run(first, second, others, resources, progress),
        Score2018,
        sources,
        lambda _: [release, *guesses, original],
        lambda _: original,
        subject="A score is",
    )
