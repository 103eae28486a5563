"""``duckrisk pwscup pseudonyms``: who used which pseudonym when."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duckrisk.cli.options import (
    ConfigOption,
    MemoryOption,
    OverwriteOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import watched
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
    TimeOption,
    history_options,
    tell,
)


def pseudonyms(
    original: OriginalOption,
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of it: A(T).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The table of pseudonyms (F): a .csv file.")],
    master: MasterOption = None,
    user: HistoryUserOption = None,
    date: DateOption = None,
    time: TimeOption = None,
    item: ItemOption = None,
    price: PriceOption = None,
    quantity: QuantityOption = None,
    invoice: InvoiceOption = None,
    period: PeriodOption = None,
    overwrite: OverwriteOption = False,
    config: ConfigOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the true pseudonyms of all users, one a period: for your eyes only."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup.writing import pseudonyms as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    options = history_options(
        config, columns | {"quantity": quantity, "invoice": invoice}, source=original, period=period
    )
    listed = Request(master) if master is not None else None
    target, resources = Target(output, None, overwrite), Resources(memory, threads, temp)
    made = watched(
        lambda watch: run(Request(original), Request(release), listed, target, options, resources, watch),
        quiet,
    )
    tell(made, quiet)
