"""``duckrisk pwscup score``: scores the utility and the safety of releases of a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pwscup.options import HISTORY, REPORT, TablesArgument, find_tables, read_history_options
from duckrisk.cli.pwscup.utility import UTILITY, report_scores
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import (
    NamedGuesses,
    Options,
    ScoreOptions,
    Tables,
    percent,
    shares_of,
)

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.scoring import Guess

_ALPHAS = "25, 50, 75, 100; of --partial, where one is none of these"


@command(
    select_options(Tables, "original", "releases", "master", "partials"),
    *(NamedGuesses, ScoreOptions),
    *HISTORY,
    UTILITY,
    select_options(Options, "seed", "item_prefix", "alphas", alphas={"default_text": _ALPHAS}),
    JUDGED,
    *REPORT,
)
def score(
    args: CommandLine,
    tables: TablesArgument = None,
) -> None:
    """Score releases as the contest did.

    The scores are utility (UTL), safety (SEC) and their mean (AVG). Several releases make a league table.
    """
    from duckrisk.contests.pwscup.scoring import ScoreInputs
    from duckrisk.contests.pwscup.scoring import score as run

    original, named = find_tables(args, tables)
    partials = parse_partials(args)
    options = read_history_options(args, original, alphas=shares_of(None, partials))
    releases, attacks = [Request(name) for name in named], args.options(ScoreOptions).attacks
    guesses = [_parse_guess(text, releases) for text in args.values_of(NamedGuesses).get("guesses", ())]
    master = request_or_none(args.options(Tables).master)
    inputs, resources = (
        ScoreInputs(Request(original), releases, master, partials, guesses),
        read_resources(args),
    )
    report_scores(args, lambda progress: run(inputs, options, attacks, resources, progress), inputs)


def parse_partials(args: CommandLine) -> dict[float, Request]:
    """Parse partial tables, written as PERCENT=FILE."""
    tables: dict[float, Request] = {}
    for text in args.values_of(Tables).get("partials", ()):
        share, sign, file = text.partition("=")
        alpha = percent(share)
        if not sign or not file or alpha is None:
            raise UsageError("cli.invalid_partial_table", text=text)
        if alpha in tables:
            raise UsageError("cli.duplicate_partial_table", alpha=alpha)
        tables[alpha] = Request(file)
    return tables


def _parse_guess(text: str, releases: list[Request]) -> Guess:
    """Parse NAME=FILE, NAME@PERCENT=FILE or NAME@PERCENT:RELEASE=FILE."""
    from duckrisk.contests.pwscup.scoring import guess_named

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise UsageError("cli.invalid_record_guess", text=text)
    return guess_named(name, Request(file), releases)
