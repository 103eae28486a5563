"""``duckrisk membership score``: what attacks on membership found, beside chance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.cli.membership.forms import deliver
from duckrisk.cli.options import (
    FormatOption,
    MemoryOption,
    OutputOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import form_of
from duckrisk.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.membership.attacks.results import Phase
    from duckrisk.membership.attacks.scoring import Guess, Members

_GUESS = "NAME=FILE, or with several teams NAME@TEAM=FILE; repeatable."


def score(
    population: Annotated[str, typer.Option("--population", help="All candidates (B), each once.")],
    members: Annotated[
        list[str],
        typer.Option(
            "--members", help="The records that the release was made of (C): FILE, or TEAM=FILE; repeatable."
        ),
    ],
    guess: Annotated[
        list[str] | None,
        typer.Option("--guess", help=f"A participant's guess, rows of the population from 0: {_GUESS}"),
    ] = None,
    preliminary_guess: Annotated[
        list[str] | None,
        typer.Option(
            "--preliminary-guess", help=f"The same of the preliminary round, a tenth of the score: {_GUESS}"
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--scores", help=f"A row of the population and a score in each record: {_GUESS}"),
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Confidence of the intervals.")] = 0.95,
    format: FormatOption = None,  # named as the option
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Score attacks on membership: hits beside chance, safety, ROC, and the league table of the contest."""
    from duckrisk.membership.attacks.scoring import score as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = form_of(format, output, "The report is")
    table = Request(population)
    whose = [_members(text) for text in members]
    guesses = [_guess(text) for text in guess or []]
    guesses += [_guess(text, phase="preliminary") for text in preliminary_guess or []]
    guesses += [_guess(text, scores=True) for text in scores or []]
    deliver(
        lambda watch: run(table, whose, guesses, confidence, Resources(memory, threads, temp), watch),
        [table, *(one.request for one in whose), *(one.request for one in guesses)],
        form,
        output,
        quiet,
    )


def _members(text: str) -> Members:
    """Members written as FILE or TEAM=FILE."""
    from duckrisk.membership.attacks.scoring import Members
    from duckrisk.source import Request

    name, sign, file = text.partition("=")
    if not sign or Path(text).exists():
        return Members(Request(text))
    if not name or not file:
        raise UsageError(f'The members "{text}" are not written as a team and its file, as in TEAM=C.csv.')
    return Members(Request(file), name)


def _guess(text: str, phase: Phase = "final", scores: bool = False) -> Guess:
    """A guess written as NAME=FILE or NAME@TEAM=FILE."""
    from duckrisk.membership.attacks.scoring import Guess
    from duckrisk.source import Request

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise UsageError(f'The guess "{text}" is not written as a name and its file, as in TEAM=E.csv.')
    attacker, at, team = name.partition("@")
    if at and (not attacker or not team):
        raise UsageError(f'The guess "{text}" is not written as NAME@TEAM=FILE.')
    return Guess(attacker, Request(file), team if at else None, phase, scores)
