"""``duckrisk membership attack``: guess whose records a release was made from."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import asked, deliver
from duckrisk.cli.output import form_of
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.membership.options import AttackOptions

_OUTPUT = "Write the guesses, places in the population from 0, as .csv; or the report, by its suffix."


@command(
    AttackOptions,
    JUDGED,
    some(
        Output,
        "output",
        "format",
        "overwrite",
        "quiet",
        output={"help": _OUTPUT, "shown": ""},
        format={"choices": JUDGED_FORMATS},
    ),
    Language,
    Resources,
)
def attack(
    args: CommandLine,
    population: Annotated[
        str, typer.Argument(metavar="POPULATION", help="The candidates, members among them.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of the members' records.")],
    members: Annotated[
        str | None,
        typer.Option(
            "--members",
            metavar="FILE",
            help="The records that the release was made from: how many are hit.",
            rich_help_panel="Source",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help="Records like the members' that are not in the release, for calibrated, density and "
            "lira-offline. [of the population]",
            rich_help_panel="Source",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="FILE",
            help="For classifier: another release of the same members, for the same classifiers. Repeatable.",
            rich_help_panel="Source",
        ),
    ] = None,
    scores_out: Annotated[
        Path | None,
        typer.Option(
            "--scores-out",
            metavar="FILE",
            help="Write the scores of all candidates: a .csv file.",
            rich_help_panel="Output",
        ),
    ] = None,
) -> None:
    """Guess whose records a release was made from; with the members, tell how many guesses are right."""
    from duckrisk.contests.membership.attacks.inference import Outputs, run
    from duckrisk.contests.membership.attacks.results import Attacks

    out, options, resources = args.options(Output), args.options(AttackOptions), resources_of(args)
    # Guesses are written as CSV; a file of another suffix, or of none that is known, is a report.
    report = None if out.output is None or out.output.suffix.lower() == ".csv" else out.output
    form_of(out.format, report, "The report is", JUDGED_FORMATS)
    first, second, third, fourth = (
        Request(population),
        Request(release),
        asked(members),
        asked(reference),
    )
    others = [Request(name) for name in also or []]
    outputs = Outputs(out.output if report is None else None, scores_out, out.overwrite)
    deliver(
        lambda progress: run(first, second, options, third, fourth, outputs, resources, progress, others),
        [first, second, third, fourth, *others],
        args,
        out=dataclasses.replace(out, output=report),
        judging=(Attacks, release),
    )
