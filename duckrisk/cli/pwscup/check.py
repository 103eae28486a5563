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
from duckrisk.cli.output import chosen_format, say, watched, write_text
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
from duckrisk.errors import UsageError

_FORMS = ("table", "json", "markdown")


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
    from duckrisk.report.write import check_target, write
    from duckrisk.session import Resources
    from duckrisk.source import Request, spare_source

    form = chosen_format(format, output)
    if form not in _FORMS:
        raise UsageError(f"A check is written as {', '.join(_FORMS)}, not as {form}.")
    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    columns |= {"quantity": quantity, "invoice": invoice}
    options = history_options(config, columns, source=original, period=period, show_values=show_values)
    first = Request(original)
    others, guesses = [Request(name) for name in releases or ()], [Request(name) for name in guess or ()]
    listed = Request(master) if master is not None else None
    if output is not None:
        check_target(output)
        for request in (first, *others, *guesses, *([listed] if listed is not None else [])):
            spare_source(output, request)
    resources = Resources(memory, threads, temp)
    report = watched(lambda watch: run(first, others, guesses, listed, options, resources, watch), quiet)
    text = {"json": report.to_json, "markdown": report.to_markdown, "table": report.to_text}[form]()
    if output is not None:
        write(output, lambda path: write_text(path, text), private=show_values)
    else:
        say(text)
    if not report.passed:
        raise typer.Exit(1)
