"""``duckrisk membership score``: what attacks on membership found, beside chance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT, deliver
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.membership.options import RiskOptions

if TYPE_CHECKING:
    from duckrisk.contests.membership.attacks.results import Phase
    from duckrisk.contests.membership.attacks.scoring import Guess, Members


def _guesses(flag: str, help: str) -> typer.models.OptionInfo:
    info: typer.models.OptionInfo = typer.Option(
        flag,
        metavar="NAME=FILE",
        help=f"{help} With several teams NAME@TEAM=FILE. Repeatable.",
        rich_help_panel="Source",
    )
    return info


@command(some(RiskOptions, "confidence"), JUDGED, *REPORT)
def score(
    args: CommandLine,
    population: Annotated[
        str,
        typer.Option(
            "--population",
            metavar="FILE",
            help="All candidates (B), each once.",
            rich_help_panel="Source",
        ),
    ],
    members: Annotated[
        list[str],
        typer.Option(
            "--members",
            metavar="FILE",
            help="The records that the release was made of (C): FILE, or TEAM=FILE. Repeatable.",
            rich_help_panel="Source",
        ),
    ],
    guess: Annotated[
        list[str] | None,
        _guesses("--guess", "A participant's guess, rows of the population from 0."),
    ] = None,
    preliminary_guess: Annotated[
        list[str] | None,
        _guesses("--preliminary-guess", "The same of the preliminary round, a tenth of the score."),
    ] = None,
    scores: Annotated[
        list[str] | None,
        _guesses("--scores", "A row of the population and a score in each record."),
    ] = None,
) -> None:
    """Score attacks on membership: hits beside chance, safety, ROC, and the league table of the contest."""
    from duckrisk.contests.membership.attacks.results import Score
    from duckrisk.contests.membership.attacks.scoring import score as run

    table, confidence, resources = (
        Request(population),
        args.options(RiskOptions).confidence,
        resources_of(args),
    )
    whose = [_members(text) for text in members]
    guesses = [_guess(text) for text in guess or []]
    guesses += [_guess(text, phase="preliminary") for text in preliminary_guess or []]
    guesses += [_guess(text, scores=True) for text in scores or []]
    deliver(
        lambda progress: run(table, whose, guesses, confidence, resources, progress),
        [table, *(file.request for file in whose), *(file.request for file in guesses)],
        args,
        judging=(Score, population),
    )


def _members(text: str) -> Members:
    """Members written as FILE or TEAM=FILE."""
    from duckrisk.contests.membership.attacks.scoring import Members

    name, sign, file = text.partition("=")
    if not sign or Path(text).exists():
        return Members(Request(text))
    if not name or not file:
        raise UsageError("cli.invalid_members", text=text)
    return Members(Request(file), name)


def _guess(text: str, phase: Phase = "final", scores: bool = False) -> Guess:
    """A guess written as NAME=FILE or NAME@TEAM=FILE."""
    from duckrisk.contests.membership.attacks.scoring import Guess

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise UsageError("cli.invalid_attribute_guess", text=text)
    attacker, at, team = name.partition("@")
    if at and (not attacker or not team):
        raise UsageError("cli.invalid_member_guess", text=text)
    return Guess(attacker, Request(file), team if at else None, phase, scores)
