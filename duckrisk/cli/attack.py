"""``duckrisk attack``: links known records of persons to a release, or draws what is known from one table."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, disclosure, options_of, select_options
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import collect_gates, read_baseline
from duckrisk.cli.output import TEXT_FORMATS
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.pwscup.attack import ATTACK_REPORT, guess_target, report_attacks
from duckrisk.cli.pwscup.options import HISTORY, read_history_options
from duckrisk.cli.settings import find_settings_file, read_resources, read_settings
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.pwscup.options import AttackOptions, Layout, Options, Tables

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings

#: The options of one table, and the columns of a history that it can have.
_OF_ONE_TABLE = ("noisy_days", "noisy_band", "seed")
_FACTS = ("item", "date", "price")


@command(
    select_options(
        Tables,
        *("original", "truth", "master", "guess"),
        original={
            "help": "The table as it was, record by record: says how much is right.",
            "default_text": "",
        },
    ),
    AttackOptions,
    *HISTORY,
    select_options(
        disclosure.Options, *_OF_ONE_TABLE, noisy_days={"rare": False}, noisy_band={"rare": False}
    ),
    *ATTACK_REPORT,
)
def attack(
    args: CommandLine,
    known: Annotated[
        str,
        typer.Argument(metavar="KNOWN", help="Records that the attacker knows; alone: the table to attack."),
    ],
    release: Annotated[
        str | None, typer.Argument(metavar="RELEASE", help="The released records, with pseudonyms.")
    ] = None,
) -> None:
    """Link known records of persons to the pseudonyms of a release, by period.

    With one table alone the knowledge is drawn from it, a part of it wrong.
    """
    if release is None:
        _attack_table(args, known)
        return
    from duckrisk.contests.pwscup.attacking import AttackInputs
    from duckrisk.contests.pwscup.attacks import STRONG

    if option := _find_option(args, disclosure.Options):
        raise UsageError("cli.option_of_one_table", option=option)
    options, named, chosen = read_history_options(args), args.options(Tables), args.options(AttackOptions)
    if options.layout is None:
        raise UsageError("cli.columns_not_named")
    inputs = AttackInputs(
        release=Request(release),
        original=request_or_none(named.original),
        known=Request(known),
        master=request_or_none(named.master),
        truth=request_or_none(named.truth),
        pseudonym=chosen.pseudonym,
        names=chosen.attacks or STRONG,
        guess=guess_target(args),
    )
    report_attacks(args, inputs, options)


def _attack_table(args: CommandLine, table: str) -> None:
    """Assess what attackers find who know a part of a table, some of it wrong."""
    from duckrisk.decision import assessment

    others = (_find_option(args, options) for options in (Tables, AttackOptions, Options))
    if option := next(filter(None, others), None) or _find_option(args, Layout, "user", *_FACTS):
        raise UsageError("cli.option_of_release", option=option)
    settings = _read_table_settings(args)
    request = args.options(Request, source=table).with_defaults_from(settings.source)
    run_report_command(
        args,
        lambda progress: assessment.run(request, settings, read_resources(args), progress),
        None,
        [request],
        lambda _: [table],
        lambda report: report.source.name,
        forms=TEXT_FORMATS,
        settings=settings,
    )


def _read_table_settings(args: CommandLine) -> Settings:
    """Return the settings of this part alone, by the named columns of a history."""
    from duckrisk.api import config
    from duckrisk.decision.assessment.results import Assessment
    from duckrisk.decision.gates import parse_all

    settings, path = read_settings(args), find_settings_file(args)
    named = {**(config.read_history(path) if path is not None else {}), **args.values_of(Layout)}
    facts = tuple(named[role] for role in _FACTS if role in named)
    user = RoleOverrides(user=named.get("user"), settled=settings.overrides.settled)
    return dataclasses.replace(
        settings,
        overrides=user,
        disclosure=dataclasses.replace(
            settings.disclosure, quasi_identifiers=facts or settings.disclosure.quasi_identifiers
        ),
        only=("noisy_knowledge",),
        gates=parse_all(collect_gates(args, Assessment), Assessment),
        baseline=read_baseline(args, Assessment),
    )


def _find_option(args: CommandLine, options: type[OptionSet], *offered: str) -> str | None:
    """Return the first given option of a set, apart from those that are offered."""
    given = (name for name in args.values_of(options) if name not in offered)
    return next((options_of(options)[name].flags[-1] for name in given), None)
