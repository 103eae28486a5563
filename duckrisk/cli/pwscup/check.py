"""``duckrisk pwscup check``: the constraints on releases and guesses."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.cli.options import (
    ConfigOption,
    MemoryOption,
    OutputOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import TEXT_FORMS, form_of, give, in_form, spare_sources, watched
from duckrisk.cli.pwscup.options import (
    DateOption,
    HistoryUserOption,
    InvoiceOption,
    ItemOption,
    MasterOption,
    OriginalOption,
    PeriodOption,
    PriceOption,
    QuantityOption,
    ShowValuesOption,
    TimeOption,
    history_options,
)


def check(
    original: OriginalOption,
    releases: Annotated[
        list[str] | None, typer.Argument(metavar="RELEASE", help="What was made of it: A(T).")
    ] = None,
    guess: Annotated[
        list[str] | None, typer.Option("--guess", help="A guess of who used which pseudonym; repeatable.")
    ] = None,
    master: MasterOption = None,
    user: HistoryUserOption = None,
    date: DateOption = None,
    time: TimeOption = None,
    item: ItemOption = None,
    price: PriceOption = None,
    quantity: QuantityOption = None,
    invoice: InvoiceOption = None,
    period: PeriodOption = None,
    show_values: ShowValuesOption = False,
    config: ConfigOption = None,
    format: Annotated[  # named as the option
        str | None, typer.Option("--format", help="table, json or markdown.")
    ] = None,
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check releases and guesses against the constraints of the contest: every violation is counted.

    Ends with exit code 1 where a constraint is violated.
    """
    from duckrisk.pwscup.constraints import run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = form_of(format, output, "A check is", TEXT_FORMS)
    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    columns |= {"quantity": quantity, "invoice": invoice}
    options = history_options(config, columns, source=original, period=period, show_values=show_values)
    first = Request(original)
    others, guesses = [Request(name) for name in releases or ()], [Request(name) for name in guess or ()]
    listed = Request(master) if master is not None else None
    spare_sources(output, (first, *others, *guesses, listed))
    resources = Resources(memory, threads, temp)
    report = watched(lambda watch: run(first, others, guesses, listed, options, resources, watch), quiet)
    give(in_form(report, form), output, show_values)
    if not report.passed:
        raise typer.Exit(1)
