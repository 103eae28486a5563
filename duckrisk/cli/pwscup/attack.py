"""``duckrisk pwscup attack``: what attackers find who hold part of the history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.base.options.output import Language, Output
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED, finish, judged
from duckrisk.cli.output import TEXT_FORMATS, check_outputs, form_of, give, in_form, watched
from duckrisk.cli.pwscup.options import (
    HISTORY,
    MasterOption,
    PairArgument,
    history_options,
    original_and_release,
)
from duckrisk.cli.pwscup.score import PartialOption, partials_of
from duckrisk.cli.settings import language, resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.pwscup.attacks import ATTACKS
from duckrisk.contests.pwscup.options import Options

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.attacking import AttackInputs
    from duckrisk.release.anonymization import Target

#: What a command that attacks reports.
ATTACK_REPORT = (
    some(Options, "show_values", "item_prefix"),
    JUDGED,
    some(
        Output,
        *("output", "format", "overwrite", "quiet"),
        format={"choices": TEXT_FORMATS},
        overwrite={"rare": True},
    ),
    Language,
)
AttackOption = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        metavar="NAME",
        help=f"Run this attack: {', '.join(ATTACKS)}. Repeatable. [all of them]",
        rich_help_panel="What is measured",
    ),
]
TruthOption = Annotated[
    str | None,
    typer.Option(
        "--truth",
        metavar="FILE",
        help="The true pseudonyms (F), for a release in an order of its own.",
        rich_help_panel="Source",
    ),
]
GuessOption = Annotated[
    Path | None,
    typer.Option(
        "--guess-out",
        metavar="FILE",
        help="Write the guess of one attack: a .csv file.",
        rich_help_panel="Output",
    ),
]
PseudonymOption = Annotated[
    str | None,
    typer.Option(
        "--pseudonym",
        metavar="COLUMN",
        help="The release's column of pseudonyms. [as that of users]",
        rich_help_panel="Who is who",
    ),
]


@command(
    *HISTORY,
    some(Options, "seed", "alphas", alphas={"shown": "of --partial, or 25, 50, 75, 100"}),
    *ATTACK_REPORT,
)
def attack(
    args: CommandLine,
    tables: PairArgument = None,
    release: Annotated[
        str | None,
        typer.Option(
            "--release",
            metavar="FILE",
            help="What was made of it: A(T), or S with --truth or without the original. [the last table]",
            rich_help_panel="Source",
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The history as it was (T). A team has none: it gives --partial. [the first of two tables]",
            rich_help_panel="Source",
        ),
    ] = None,
    attack: AttackOption = None,
    partial: PartialOption = None,
    truth: TruthOption = None,
    master: MasterOption = None,
    pseudonym: PseudonymOption = None,
    guess_out: GuessOption = None,
) -> None:
    """Attack a release: how many users can be followed, and how many chance would find."""
    from duckrisk.contests.pwscup.attacking import AttackInputs

    original, release = original_and_release(tables, original, release)
    partials = partials_of(partial or [])
    options = history_options(args, original or release, alphas=tuple(partials) or None)
    inputs = AttackInputs(
        release=Request(release),
        original=Request(original) if original is not None else None,
        master=Request(master) if master is not None else None,
        partials=partials,
        truth=Request(truth) if truth is not None else None,
        pseudonym=pseudonym,
        names=attack or ATTACKS,
        guess=guess_target(guess_out, args),
    )
    deliver(inputs, options, args)


def guess_target(path: Path | None, args: CommandLine) -> Target | None:
    """The file that a guess is written to."""
    from duckrisk.release.anonymization import Target

    return Target(path, None, args.options(Output).overwrite) if path is not None else None


def deliver(inputs: AttackInputs, options: Options, args: CommandLine) -> None:
    """Run the attacks and write or print the report."""
    from duckrisk.contests.pwscup.attacking import run
    from duckrisk.contests.pwscup.results import Attacks

    out, resources = args.options(Output), resources_of(args)
    form = form_of(out.format, out.output, "Attacks are", TEXT_FORMATS)
    check_outputs(args, inputs.requests)

    def work(progress: Any) -> Any:
        return run(inputs, options, resources, progress)

    report = watched(judged(work, args, Attacks), out.quiet, language(args))
    named = [str(inputs.release.source)]
    give(in_form(report, form, language(args), sources=named), out.output, options.show_values)
    finish(report, args, report.release.name, language(args))
