"""``duckrisk pwscup utility``: what releases of a history still serve for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from duckrisk.base.options.output import JUDGED_FORMATS, Output
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED, finish, judged
from duckrisk.cli.output import check_outputs, form_of, give, in_form, watched
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
from duckrisk.cli.settings import language, resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.pwscup.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from duckrisk.contests.pwscup.results import Score
    from duckrisk.contests.pwscup.scoring import ScoreInputs

UTILITY = some(Options, "profile", "top", "most_items", "show_values")


@command(*HISTORY, UTILITY, JUDGED, *REPORT)
def utility(
    args: CommandLine,
    tables: TablesArgument = None,
    original: OriginalOption = None,
    release: ReleasesOption = None,
    master: MasterOption = None,
) -> None:
    """What releases still serve for: the seven losses of the contest, rules, cross tables, group means."""
    from duckrisk.contests.pwscup.scoring import ScoreInputs
    from duckrisk.contests.pwscup.scoring import utility as run

    original, releases = original_and_releases(tables, original, release)
    options, resources = history_options(args, original), resources_of(args)
    inputs = ScoreInputs(
        Request(original),
        [Request(name) for name in releases],
        Request(master) if master is not None else None,
    )
    deliver(lambda progress: run(inputs, options, resources, progress), inputs, args)


def deliver(work: Callable[[Any], Score], inputs: ScoreInputs, args: CommandLine) -> None:
    """Do the work, write or print the report, and judge it."""
    from duckrisk.contests.pwscup.results import Score

    out, spoken = args.options(Output), language(args)
    form = form_of(out.format, out.output, "A score is", JUDGED_FORMATS)
    guesses = [guess.request for guess in inputs.guesses]
    sources = (inputs.original, *inputs.releases, inputs.master, *inputs.partials.values(), *guesses)
    check_outputs(args, sources)
    named = [str(request.source) for request in (*inputs.releases, inputs.original)]
    report = watched(judged(work, args, Score), out.quiet, spoken)
    if form == "table" and out.output is None and sys.stdout.isatty():
        from duckrisk.report.forms import print_report

        print_report(report, sys.stdout, language=spoken)
    else:
        give(in_form(report, form, spoken, sources=named), out.output, args.options(Options).show_values)
    finish(report, args, str(inputs.original.source), spoken)
