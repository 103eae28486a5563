"""``duckrisk membership attack``: guesses whose records a release was made from."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from duckrisk.base.options import select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.output import resolve_offered_format
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import AttackOptions, Tables

_OUTPUT = "A .csv of the guesses, rows of the population from 0, or the report."


@command(
    select_options(Tables, "members", "reference", "also", "scores_output"),
    AttackOptions,
    JUDGED,
    select_options(
        Output,
        "output",
        "format",
        "overwrite",
        "quiet",
        output={"help": _OUTPUT, "default_text": ""},
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
) -> None:
    """Guess whose records a release was made from.

    With the members, the report counts the right guesses.
    """
    from duckrisk.contests.membership.attacks.inference import Outputs, run
    from duckrisk.contests.membership.attacks.results import Attacks

    out, options, resources = args.options(Output), args.options(AttackOptions), read_resources(args)
    # A .csv file takes the guesses, any other file the report.
    report = None if out.output is None or out.output.suffix.lower() == ".csv" else out.output
    resolve_offered_format(out.format, report, "The report is", JUDGED_FORMATS)
    tables, requests = args.options(Tables), (Request(population), Request(release))
    members, reference = request_or_none(tables.members), request_or_none(tables.reference)
    also = [Request(name) for name in tables.also]
    outputs = Outputs(out.output if report is None else None, tables.scores_output, out.overwrite)
    run_report_command(
        args,
        lambda progress: run(*requests, options, members, reference, outputs, resources, progress, also),
        Attacks,
        [*requests, members, reference, *also],
        lambda _: [release],
        lambda _: release,
        out=dataclasses.replace(out, output=report),
    )
