"""``duckrisk pwscup anonymize``: a release of a history under pseudonyms."""

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
    ItemOption,
    PeriodOption,
    PriceOption,
    history_options,
    tell,
)
from duckrisk.errors import UsageError


def anonymize(
    original: Annotated[
        str,
        typer.Argument(metavar="ORIGINAL", help="The history as it was (T): a file of the contest, or any."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The release A(T): a .csv or .parquet file.")
    ],
    life: Annotated[
        str | None,
        typer.Option("--life", help="A pseudonym lives for so many periods, or for all of them: all. [1]"),
    ] = None,
    delete_rare_items: Annotated[
        int | None,
        typer.Option(
            "--delete-rare-items", help="Delete records of items bought once, or by fewer users than this."
        ),
    ] = None,
    delete_outliers: Annotated[
        float | None,
        typer.Option(
            "--delete-outliers",
            help="Delete records with prices beyond the mean and so many standard deviations.",
        ),
    ] = None,
    perturb_dates: Annotated[
        float | None,
        typer.Option("--perturb-dates", help="A share of the records exchange dates within their period."),
    ] = None,
    perturb_items: Annotated[
        float | None,
        typer.Option("--perturb-items", help="A share of the records exchange items within their period."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The same draws again. Without it nobody can repeat them."),
    ] = None,
    user: HistoryUserOption = None,
    date: DateOption = None,
    item: ItemOption = None,
    price: PriceOption = None,
    period: PeriodOption = None,
    overwrite: OverwriteOption = False,
    config: ConfigOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write a release under new pseudonyms, aligned with the original: deleted records stay as empty ones.

    What is deleted goes first, then dates and items change places, and pseudonyms come last.
    """
    from duckrisk.anonymization import Target
    from duckrisk.pwscup.treatment import ReleaseSettings, run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    columns = {"user": user, "date": date, "item": item, "price": price}
    options = history_options(config, columns, source=original, period=period)
    settings = ReleaseSettings(_life(life), delete_rare_items, delete_outliers, perturb_dates, perturb_items)
    target, resources = Target(output, None, overwrite), Resources(memory, threads, temp)
    made = watched(
        lambda watch: run(Request(original), target, settings, seed, options, resources, watch), quiet
    )
    tell(made, quiet)


def _life(text: str | None) -> int | None:
    """How many periods a pseudonym lives for; None for all of them."""
    if text == "all":
        return None
    try:
        return 1 if text is None else int(text)
    except ValueError:
        raise UsageError(f'--life takes a number of periods or all, and "{text}" is neither.') from None
