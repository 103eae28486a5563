"""``duckrisk pwscup attack``: attacks a release with a part of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckrisk.base.options import select_options
from duckrisk.base.options.output import Language, Output
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.output import TEXT_FORMATS
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.pwscup.options import HISTORY, PairArgument, find_pair, read_history_options
from duckrisk.cli.pwscup.score import parse_partials
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.attacks import ATTACKS
from duckrisk.contests.pwscup.options import AttackOptions, Options, Tables

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.attacking import AttackInputs
    from duckrisk.release.anonymization import Target

#: The options of reports on attacks.
ATTACK_REPORT = (
    select_options(Options, "show_values", "item_prefix"),
    JUDGED,
    select_options(
        Output,
        *("output", "format", "overwrite", "quiet"),
        format={"choices": TEXT_FORMATS},
        overwrite={"rare": True},
    ),
    Language,
)


@command(
    select_options(
        Tables,
        *("release", "original", "partials", "truth", "master", "guess"),
        original={
            "help": "The history as it was (T). A team has none: it gives --partial.",
            "default_text": "the first of two tables",
        },
    ),
    AttackOptions,
    *HISTORY,
    select_options(Options, "seed", "alphas", alphas={"default_text": "of --partial, or 25, 50, 75, 100"}),
    *ATTACK_REPORT,
)
def attack(
    args: CommandLine,
    tables: PairArgument = None,
) -> None:
    """Attack a release: count users that can be followed.

    The report also has the number that chance would find.
    """
    from duckrisk.contests.pwscup.attacking import AttackInputs

    original, release = find_pair(args, tables)
    partials, named = parse_partials(args), args.options(Tables)
    options = read_history_options(args, original or release, alphas=tuple(partials) or None)
    inputs = AttackInputs(
        release=Request(release),
        original=request_or_none(original),
        master=request_or_none(named.master),
        partials=partials,
        truth=request_or_none(named.truth),
        pseudonym=args.options(AttackOptions).pseudonym,
        names=args.options(AttackOptions).attacks or ATTACKS,
        guess=guess_target(args),
    )
    report_attacks(args, inputs, options)


def guess_target(args: CommandLine) -> Target | None:
    """Return the file of ``--guess-out``; None without one."""
    from duckrisk.release.anonymization import Target

    path = args.options(Tables).guess
    return Target(path, None, args.options(Output).overwrite) if path is not None else None


def report_attacks(args: CommandLine, inputs: AttackInputs, options: Options) -> None:
    """Run the attacks, judge the report, and write or print it."""
    from duckrisk.contests.pwscup.attacking import run
    from duckrisk.contests.pwscup.results import Attacks

    resources = read_resources(args)
    run_report_command(
        args,
        lambda progress: run(inputs, options, resources, progress),
        Attacks,
        inputs.requests,
        lambda _: [str(inputs.release.source)],
        lambda report: report.release.name,
        subject="Attacks are",
        forms=TEXT_FORMATS,
        private=options.show_values,
    )
