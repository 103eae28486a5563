"""``duckrisk pwscup lifetimes``: what the life of pseudonyms and other treatments hide, and what it costs."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.pwscup.options import HISTORY, REPORT, OriginalArgument, read_history_options
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import KNOWN_TO_LIFETIMES, LifetimeOptions, Options

_ALPHAS = ", ".join(map(str, KNOWN_TO_LIFETIMES))


@command(
    LifetimeOptions,
    *HISTORY,
    select_options(Options, "seed", "item_prefix", "most_items", "alphas", alphas={"default_text": _ALPHAS}),
    JUDGED,
    *REPORT,
)
def lifetimes(args: CommandLine, original: OriginalArgument) -> None:
    """Measure how long pseudonyms may live, and what else hides people.

    A release is made for each combination of the treatments, and attacked. Nothing is written but the report.
    """
    from duckrisk.contests.pwscup.lifetime_results import Lifetimes
    from duckrisk.contests.pwscup.lives import run

    options = read_history_options(args, original, alphas=KNOWN_TO_LIFETIMES)
    asked, resources, request = args.options(LifetimeOptions), read_resources(args), Request(original)
    run_report_command(
        args,
        lambda progress: run(request, asked, options, resources, progress),
        Lifetimes,
        [request],
        lambda _: [str(request.source)],
        lambda _: str(request.source),
    )
