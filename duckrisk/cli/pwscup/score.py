"""``duckrisk pwscup score``: what releases of a history lost, and what attacks still find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pwscup.options import (
    HISTORY,
    REPORT,
    MasterOption,
    OriginalOption,
    ReleasesOption,
    TablesArgument,
    history_options,
    original_and_releases,
)
from duckrisk.cli.pwscup.utility import UTILITY, deliver
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.pwscup.options import Options, percent, shares_of

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.scoring import Guess

PartialOption = Annotated[
    list[str] | None,
    typer.Option(
        "--partial",
        metavar="PERCENT=FILE",
        help="What an attacker knows. Repeatable. [drawn by the seed]",
        rich_help_panel="Source",
    ),
]
_ALPHAS = "25, 50, 75, 100; of --partial, where one is none of these"


@command(
    *HISTORY,
    UTILITY,
    some(Options, "seed", "item_prefix", "alphas", alphas={"shown": _ALPHAS}),
    JUDGED,
    *REPORT,
)
def score(
    args: CommandLine,
    tables: TablesArgument = None,
    original: OriginalOption = None,
    release: ReleasesOption = None,
    master: MasterOption = None,
    partial: PartialOption = None,
    guess: Annotated[
        list[str] | None,
        typer.Option(
            "--guess",
            metavar="NAME=FILE",
            help="A participant's guess, or NAME@PERCENT=FILE where it was made from that share alone; of "
            "several releases NAME:RELEASE=FILE or NAME@PERCENT:RELEASE=FILE. Repeatable.",
            rich_help_panel="Source",
        ),
    ] = None,
    attacks: Annotated[
        str,
        typer.Option(
            "--attacks",
            metavar="committee|all",
            help="Those of the committee, or all: the stronger ones too.",
            rich_help_panel="What is measured",
        ),
    ] = "committee",
) -> None:
    """Score releases as the contest did: utility (UTL), safety (SEC) and their mean (AVG); of several
    releases a league table."""
    from duckrisk.contests.pwscup.scoring import ScoreInputs
    from duckrisk.contests.pwscup.scoring import score as run

    original, named = original_and_releases(tables, original, release)
    partials = partials_of(partial or [])
    options = history_options(args, original, alphas=shares_of(None, partials))
    releases = [Request(name) for name in named]
    inputs = ScoreInputs(
        Request(original),
        releases,
        Request(master) if master is not None else None,
        partials,
        [_guess(text, releases) for text in guess or []],
    )
    resources = resources_of(args)
    deliver(lambda progress: run(inputs, options, attacks, resources, progress), inputs, args)


def partials_of(texts: list[str]) -> dict[float, Request]:
    """Partial tables written as PERCENT=FILE."""
    tables: dict[float, Request] = {}
    for text in texts:
        share, sign, file = text.partition("=")
        alpha = percent(share)
        if not sign or not file or alpha is None:
            raise UsageError("cli.invalid_partial_table", text=text)
        if alpha in tables:
            raise UsageError("cli.duplicate_partial_table", alpha=alpha)
        tables[alpha] = Request(file)
    return tables


def _guess(text: str, releases: list[Request]) -> Guess:
    """A guess written as NAME=FILE, NAME@PERCENT=FILE or NAME@PERCENT:RELEASE=FILE."""
    from duckrisk.contests.pwscup.scoring import guess_named

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise UsageError("cli.invalid_record_guess", text=text)
    return guess_named(name, Request(file), releases)
