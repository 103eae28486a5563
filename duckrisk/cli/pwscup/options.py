"""The options that the commands on purchase histories share."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.cli.output import remark

if TYPE_CHECKING:
    from duckrisk.pwscup.options import Options
    from duckrisk.results import Result

#: No path is as long as a line of these.
MOST_CELLS = 10_000
OriginalOption = Annotated[
    str,
    typer.Option("--original", help="The history as it was (T): a file of the contest, or any source."),
]
MasterOption = Annotated[
    str | None, typer.Option("--master", help="The table of all customers (M). [those of the original]")
]
HistoryUserOption = Annotated[
    str | None, typer.Option("--user", help="The column of users; files of the contest need no names.")
]
DateOption = Annotated[str | None, typer.Option("--date", help="The column of dates or moments.")]
TimeOption = Annotated[str | None, typer.Option("--time", help="The column of times of day, if any.")]
ItemOption = Annotated[str | None, typer.Option("--item", help="The column of items.")]
PriceOption = Annotated[
    str | None,
    typer.Option(
        "--price",
        help="The column of prices, if any. Numbers compare as numbers; texts, and files of the contest, as "
        "they are written (1.5 is not 1.50).",
    ),
]
QuantityOption = Annotated[
    str | None,
    typer.Option("--quantity", help="The column of quantities; without it each record is one piece."),
]
InvoiceOption = Annotated[
    str | None, typer.Option("--invoice", help="The column that tells purchases apart, if any.")
]
PeriodOption = Annotated[
    str | None,
    typer.Option("--period", help="What a pseudonym is valid for: day, week, month, quarter. [month]"),
]
ItemPrefixOption = Annotated[
    int | None,
    typer.Option(
        "--item-prefix",
        help="Attackers know so many first characters of items; 0: all. [2 in the contest, else all]",
    ),
]
ShowValuesOption = Annotated[
    bool, typer.Option("--show-values", help="Name values of records too; they are people's.")
]


def history_options(
    config: Path | None,
    columns: dict[str, str | None],
    item_prefix: int | None = None,
    source: str | None = None,
    **given: Any,
) -> Options:
    """The options of histories: those that were given, else those of the settings file, else the defaults.

    Names of columns in the settings file are not for a ``source`` that is a file of the contest.
    """
    from duckrisk import config as settings_file
    from duckrisk.pwscup.contest_format import is_of_contest
    from duckrisk.pwscup.options import Options, layout_of

    path = config or (Path(settings_file.NAME) if Path(settings_file.NAME).is_file() else None)
    settled = settings_file.history(path) if path is not None else {}
    if settled and source is not None and not any(columns.values()) and is_of_contest(source):
        settled = {}
    period = settled.pop("period", None)
    layout = layout_of({**settled, **{role: name for role, name in columns.items() if name is not None}})
    options = Options(layout=layout)
    if item_prefix is not None or layout is not None:
        options = dataclasses.replace(options, item_prefix=item_prefix or None)
    if period is not None and layout is not None:
        options = dataclasses.replace(options, period=period)
    return dataclasses.replace(options, **{name: value for name, value in given.items() if value is not None})


def tell(result: Result, quiet: bool) -> None:
    """Say what was done, each sentence in a line of its own however long a path is."""
    if not quiet:
        remark(result.to_text(width=MOST_CELLS))
