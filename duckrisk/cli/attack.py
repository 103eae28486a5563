"""``duckrisk attack``: what somebody who knows records of persons links in a release with pseudonyms."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.cli.options import (
    ConfigOption,
    MemoryOption,
    OutputOption,
    OverwriteOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.pwscup.attack import (
    AttackFormatOption,
    AttackOption,
    GuessOption,
    PseudonymOption,
    TruthOption,
    deliver,
)
from duckrisk.cli.pwscup.options import (
    DateOption,
    HistoryUserOption,
    InvoiceOption,
    ItemOption,
    ItemPrefixOption,
    MasterOption,
    PeriodOption,
    PriceOption,
    QuantityOption,
    ShowValuesOption,
    TimeOption,
    history_options,
)
from duckrisk.errors import UsageError

#: What is tried where nothing is named: the strongest of each kind.
_STRONG = ("vote-item2datenum", "overlap-item2", "combined")


def attack(
    known: Annotated[
        str, typer.Argument(metavar="KNOWN", help="Records of persons that the attacker knows.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The released records, with pseudonyms.")],
    original: Annotated[
        str | None,
        typer.Option("--original", help="The table as it was, record by record: says how much is right."),
    ] = None,
    attack: AttackOption = None,
    truth: TruthOption = None,
    master: MasterOption = None,
    guess_out: GuessOption = None,
    overwrite: OverwriteOption = False,
    user: HistoryUserOption = None,
    date: DateOption = None,
    time: TimeOption = None,
    item: ItemOption = None,
    price: PriceOption = None,
    quantity: QuantityOption = None,
    invoice: InvoiceOption = None,
    pseudonym: PseudonymOption = None,
    period: PeriodOption = None,
    item_prefix: ItemPrefixOption = None,
    show_values: ShowValuesOption = False,
    config: ConfigOption = None,
    format: AttackFormatOption = None,  # named as the option
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Link persons of whom records are known to the pseudonyms of a release, period by period."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup.attacking import AttackInputs
    from duckrisk.session import Resources
    from duckrisk.source import Request

    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    columns |= {"quantity": quantity, "invoice": invoice}
    options = history_options(config, columns, item_prefix, period=period, show_values=show_values)
    if options.layout is None:
        raise UsageError(
            "Name the columns of users, dates and items with --user, --date and --item; files of the contest "
            "go to `duckrisk pwscup attack`."
        )
    inputs = AttackInputs(
        release=Request(release),
        original=Request(original) if original is not None else None,
        known=Request(known),
        master=Request(master) if master is not None else None,
        truth=Request(truth) if truth is not None else None,
        pseudonym=pseudonym,
        names=attack or _STRONG,
        guess=Target(guess_out, None, overwrite) if guess_out is not None else None,
    )
    deliver(inputs, options, Resources(memory, threads, temp), format, output, quiet)
