"""``duckrisk pwscup utility``: measures the utility of releases of a history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.pwscup.options import HISTORY, REPORT, TablesArgument, find_tables, read_history_options
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Options, Tables

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.results import Score
    from duckrisk.contests.pwscup.scoring import ScoreInputs

UTILITY = select_options(Options, "profile", "top", "most_items", "show_values")


@command(select_options(Tables, "original", "releases", "master"), *HISTORY, UTILITY, JUDGED, *REPORT)
def utility(args: CommandLine, tables: TablesArgument = None) -> None:
    """Measure the utility of releases.

    It reports the seven losses of the contest, rules, cross tables and group means.
    """
    from duckrisk.contests.pwscup.scoring import ScoreInputs
    from duckrisk.contests.pwscup.scoring import utility as run

    original, releases = find_tables(args, tables)
    options, resources = read_history_options(args, original), read_resources(args)
    master = request_or_none(args.options(Tables).master)
    inputs = ScoreInputs(Request(original), [Request(name) for name in releases], master)
    report_scores(args, lambda progress: run(inputs, options, resources, progress), inputs)


def report_scores(args: CommandLine, work: Callable[[Any], Score], inputs: ScoreInputs) -> None:
    """Measure releases, judge the report, and write or print it."""
    from duckrisk.contests.pwscup.results import Score

    guesses = [guess.request for guess in inputs.guesses]
    run_report_command(
        args,
        work,
        Score,
        [inputs.original, *inputs.releases, inputs.master, *inputs.partials.values(), *guesses],
        lambda _: [str(request.source) for request in (*inputs.releases, inputs.original)],
        lambda _: str(inputs.original.source),
        subject="A score is",
        private=args.options(Options).show_values,
    )
