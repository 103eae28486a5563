"""``duckrisk pwscup check``: checks the constraints on releases and guesses."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.output import Language, Output
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.output import TEXT_FORMATS
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.pwscup.options import HISTORY, TablesArgument, find_tables, read_history_options
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import Options, Tables


@command(
    select_options(Tables, "original", "guesses", "master"),
    *HISTORY,
    select_options(Options, "show_values"),
    JUDGED,
    select_options(Output, "output", "format", "quiet", format={"choices": TEXT_FORMATS}),
    Language,
)
def check(args: CommandLine, tables: TablesArgument = None) -> None:
    """Check releases and guesses against the constraints.

    The report counts all violations. The exit code is 1 if a constraint is violated.
    """
    from duckrisk.contests.pwscup.constraints import run
    from duckrisk.contests.pwscup.results import Check

    (original, releases), named = find_tables(args, tables), args.options(Tables)
    options, resources = read_history_options(args, original), read_resources(args)
    first, master = Request(original), request_or_none(named.master)
    others, guesses = [Request(name) for name in releases], [Request(name) for name in named.guesses]
    run_report_command(
        args,
        lambda progress: run(first, others, guesses, master, options, resources, progress),
        Check,
        [first, *others, *guesses, master],
        lambda _: [*releases, *named.guesses, original],
        lambda _: original,
        subject="A check is",
        forms=TEXT_FORMATS,
        private=options.show_values,
    )
