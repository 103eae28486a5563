"""``duckrisk membership score``: scores attacks on membership."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import RiskOptions, Scored

if TYPE_CHECKING:
    from duckrisk.contests.membership.attacks.results import Phase
    from duckrisk.contests.membership.attacks.scoring import Guess, Members


@command(Scored, select_options(RiskOptions, "confidence"), JUDGED, *REPORT)
def score(args: CommandLine) -> None:
    """Score attacks on membership.

    The report has hits compared with chance, safety, ROC, and the league table of the contest.
    """
    from duckrisk.contests.membership.attacks.results import Score
    from duckrisk.contests.membership.attacks.scoring import score as run

    given = args.values_of(Scored)
    confidence, resources = args.options(RiskOptions).confidence, read_resources(args)
    population, members = Request(given["population"]), [_parse_members(text) for text in given["members"]]
    guesses = [_parse_guess(text) for text in given.get("guesses", ())]
    guesses += [_parse_guess(text, phase="preliminary") for text in given.get("preliminary_guesses", ())]
    guesses += [_parse_guess(text, scores=True) for text in given.get("scores", ())]
    run_report_command(
        args,
        lambda progress: run(population, members, guesses, confidence, resources, progress),
        Score,
        [population, *(team.request for team in members), *(guess.request for guess in guesses)],
        lambda _: [given["population"]],
        lambda _: given["population"],
    )


def _parse_members(text: str) -> Members:
    """Parse members written as FILE or TEAM=FILE."""
    from duckrisk.contests.membership.attacks.scoring import Members

    name, sign, file = text.partition("=")
    if not sign or Path(text).exists():
        return Members(Request(text))
    if not name or not file:
        raise UsageError("cli.invalid_members", text=text)
    return Members(Request(file), name)


def _parse_guess(text: str, phase: Phase = "final", scores: bool = False) -> Guess:
    """Parse a guess written as NAME=FILE or NAME@TEAM=FILE."""
    from duckrisk.contests.membership.attacks.scoring import Guess

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise UsageError("cli.invalid_attribute_guess", text=text)
    attacker, at, team = name.partition("@")
    if at and (not attacker or not team):
        raise UsageError("cli.invalid_member_guess", text=text)
    return Guess(attacker, Request(file), team if at else None, phase, scores)
