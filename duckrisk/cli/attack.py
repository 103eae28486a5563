"""``duckrisk attack``: links known records of persons to a release with pseudonyms."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.pwscup.attack import ATTACK_REPORT, guess_target, report_attacks
from duckrisk.cli.pwscup.options import HISTORY, read_history_options
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import AttackOptions, Tables


@command(
    select_options(
        Tables,
        *("original", "truth", "master", "guess"),
        original={
            "help": "The table as it was, record by record: says how much is right.",
            "default_text": "",
        },
    ),
    AttackOptions,
    *HISTORY,
    *ATTACK_REPORT,
)
def attack(
    args: CommandLine,
    known: Annotated[
        str, typer.Argument(metavar="KNOWN", help="Records of persons that the attacker knows.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The released records, with pseudonyms.")],
) -> None:
    """Link known records of persons to the pseudonyms of a release, by period."""
    from duckrisk.contests.pwscup.attacking import AttackInputs
    from duckrisk.contests.pwscup.attacks import STRONG

    options, named, chosen = read_history_options(args), args.options(Tables), args.options(AttackOptions)
    if options.layout is None:
        raise UsageError("cli.columns_not_named")
    inputs = AttackInputs(
        release=Request(release),
        original=request_or_none(named.original),
        known=Request(known),
        master=request_or_none(named.master),
        truth=request_or_none(named.truth),
        pseudonym=chosen.pseudonym,
        names=chosen.attacks or STRONG,
        guess=guess_target(args),
    )
    report_attacks(args, inputs, options)
