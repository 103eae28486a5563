"""``duckrisk membership score``: what attacks on membership found, beside chance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT
from duckrisk.cli.pipeline import report_command
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import RiskOptions, Scored

if TYPE_CHECKING:
    from duckrisk.contests.membership.attacks.results import Phase
    from duckrisk.contests.membership.attacks.scoring import Guess, Members


@command(Scored, select_options(RiskOptions, "confidence"), JUDGED, *REPORT)
def score(args: CommandLine) -> None:
    """Score attacks on membership: hits beside chance, safety, ROC, and the league table of the contest."""
    from duckrisk.contests.membership.attacks.results import Score
    from duckrisk.contests.membership.attacks.scoring import score as run

    given = args.of(Scored)
    confidence, resources = args.options(RiskOptions).confidence, resources_of(args)
    population, members = Request(given["population"]), [_members(text) for text in given["members"]]
    guesses = [_guess(text) for text in given.get("guesses", ())]
    guesses += [_guess(text, phase="preliminary") for text in given.get("preliminary_guesses", ())]
    guesses += [_guess(text, scores=True) for text in given.get("scores", ())]
    report_command(
        args,
        lambda progress: run(population, members, guesses, confidence, resources, progress),
        Score,
        [population, *(one.request for one in members), *(one.request for one in guesses)],
        lambda _: [given["population"]],
        lambda _: given["population"],
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
