"""``duckrisk pwscup utility``: what releases of a history still serve for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.cli.options import (
    ConfigOption,
    FormatOption,
    MemoryOption,
    OutputOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import form_of, give, in_form, spare_sources, watched
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
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from duckrisk.pwscup.results import Score
    from duckrisk.pwscup.scoring import ScoreInputs

ReleasesOption = Annotated[
    list[str], typer.Option("--release", help="What was made of it (A(T)), record by record; repeatable.")
]
ProfileOption = Annotated[
    str | None,
    typer.Option("--profile", help="Recommendations as the judge's program or the paper has them. [judge]"),
]
TopOption = Annotated[int | None, typer.Option("--top", help="E3 is about so many items. [100]")]
MostItemsOption = Annotated[
    int | None,
    typer.Option(
        "--most-items",
        help="Leave users with more different items out of recommendations, and count them. [nobody]",
    ),
]


def utility(
    original: OriginalOption,
    release: ReleasesOption,
    master: MasterOption = None,
    profile: ProfileOption = None,
    top: TopOption = None,
    most_items: MostItemsOption = None,
    user: HistoryUserOption = None,
    date: DateOption = None,
    time: TimeOption = None,
    item: ItemOption = None,
    price: PriceOption = None,
    quantity: QuantityOption = None,
    invoice: InvoiceOption = None,
    period: PeriodOption = None,
    config: ConfigOption = None,
    format: FormatOption = None,  # named as the option
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """What releases still serve for: the seven losses of the contest, rules, cross tables, group means."""
    from duckrisk.pwscup.scoring import ScoreInputs
    from duckrisk.pwscup.scoring import utility as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = form_of(format, output, "A score is")
    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    columns |= {"quantity": quantity, "invoice": invoice}
    options = history_options(
        config,
        columns,
        source=original,
        period=period,
        profile=profile,
        top=top,
        most_items=most_items,
    )
    inputs = ScoreInputs(
        Request(original),
        [Request(name) for name in release],
        Request(master) if master is not None else None,
    )
    resources = Resources(memory, threads, temp)
    deliver(lambda watch: run(inputs, options, resources, watch), inputs, form, output, quiet)


def deliver(
    work: Callable[[Any], Score], inputs: ScoreInputs, form: str, output: Path | None, quiet: bool
) -> None:
    """Do the work and write or print the report."""
    guesses = [guess.request for guess in inputs.guesses]
    sources = (inputs.original, *inputs.releases, inputs.master, *inputs.partials.values(), *guesses)
    spare_sources(output, sources)
    report = watched(work, quiet)
    if form == "table" and output is None and sys.stdout.isatty():
        from duckrisk.report.forms import print_report

        print_report(report, sys.stdout)
        return
    give(in_form(report, form), output)
