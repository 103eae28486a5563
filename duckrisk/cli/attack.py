"""``duckrisk attack``: what somebody who knows records of persons links in a release with pseudonyms."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request
from duckrisk.cli.pwscup.attack import (
    ATTACK_REPORT,
    AttackOption,
    GuessOption,
    PseudonymOption,
    TruthOption,
    deliver,
    guess_target,
)
from duckrisk.cli.pwscup.options import HISTORY, MasterOption, history_options
from duckrisk.cli.signature import CommandLine, command


@command(*HISTORY, *ATTACK_REPORT)
def attack(
    args: CommandLine,
    known: Annotated[
        str, typer.Argument(metavar="KNOWN", help="Records of persons that the attacker knows.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The released records, with pseudonyms.")],
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The table as it was, record by record: says how much is right.",
            rich_help_panel="Source",
        ),
    ] = None,
    attack: AttackOption = None,
    truth: TruthOption = None,
    master: MasterOption = None,
    pseudonym: PseudonymOption = None,
    guess_out: GuessOption = None,
) -> None:
    """Link persons of whom records are known to the pseudonyms of a release, period by period."""
    from duckrisk.contests.pwscup.attacking import AttackInputs
    from duckrisk.contests.pwscup.attacks import STRONG

    options = history_options(args)
    if options.layout is None:
        raise UsageError("cli.columns_not_named")
    inputs = AttackInputs(
        release=Request(release),
        original=Request(original) if original is not None else None,
        known=Request(known),
        master=Request(master) if master is not None else None,
        truth=Request(truth) if truth is not None else None,
        pseudonym=pseudonym,
        names=attack or STRONG,
        guess=guess_target(guess_out, args),
    )
    deliver(inputs, options, args)
