"""``duckrisk pwscup score``: what releases of a history lost, and what attacks still find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.cli.options import (
    ConfigOption,
    FormatOption,
    MemoryOption,
    OutputOption,
    QuietOption,
    SeedOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import form_of
from duckrisk.cli.pwscup.options import (
    DateOption,
    HistoryUserOption,
    InvoiceOption,
    ItemOption,
    ItemPrefixOption,
    MasterOption,
    OriginalOption,
    PeriodOption,
    PriceOption,
    QuantityOption,
    TimeOption,
    history_options,
)
from duckrisk.cli.pwscup.utility import (
    MostItemsOption,
    ProfileOption,
    ReleasesOption,
    TopOption,
    deliver,
)
from duckrisk.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.pwscup.scoring import Guess
    from duckrisk.source import Request


def score(
    original: OriginalOption,
    release: ReleasesOption,
    master: MasterOption = None,
    partial: Annotated[
        list[str] | None,
        typer.Option(
            "--partial",
            help="What an attacker knows, as PERCENT=FILE; repeatable. [drawn by the seed]",
        ),
    ] = None,
    alpha: Annotated[
        list[float] | None,
        typer.Option(
            "--alpha",
            help="Attackers hold so many percent; repeatable. [25, 50, 75, 100; of --partial, where one is "
            "none of these]",
        ),
    ] = None,
    guess: Annotated[
        list[str] | None,
        typer.Option(
            "--guess",
            help="Somebody's guess as NAME=FILE, or NAME@PERCENT=FILE where it was made from that share "
            "alone; repeatable.",
        ),
    ] = None,
    attacks: Annotated[
        str, typer.Option("--attacks", help="Those of the committee, or all: the stronger ones too.")
    ] = "committee",
    seed: SeedOption = None,
    profile: ProfileOption = None,
    top: TopOption = None,
    most_items: MostItemsOption = None,
    item_prefix: ItemPrefixOption = None,
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
    """Score releases as the contest did: utility (UTL), safety (SEC) and their mean (AVG); of several
    releases a league table."""
    from duckrisk.pwscup.options import shares_of
    from duckrisk.pwscup.scoring import ScoreInputs
    from duckrisk.pwscup.scoring import score as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = form_of(format, output, "A score is")
    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    columns |= {"quantity": quantity, "invoice": invoice}
    partials = _partials(partial or [])
    options = history_options(
        config,
        columns,
        item_prefix,
        original,
        period=period,
        profile=profile,
        top=top,
        most_items=most_items,
        seed=seed,
        alphas=shares_of(map(_whole, alpha) if alpha else None, partials),
    )
    inputs = ScoreInputs(
        Request(original),
        [Request(name) for name in release],
        Request(master) if master is not None else None,
        partials,
        [_guess(text) for text in guess or []],
    )
    resources = Resources(memory, threads, temp)
    deliver(lambda watch: run(inputs, options, attacks, resources, watch), inputs, form, output, quiet)


def _partials(texts: list[str]) -> dict[float, Request]:
    """Partial tables written as PERCENT=FILE."""
    from duckrisk.source import Request

    found: dict[float, Request] = {}
    for text in texts:
        share, sign, file = text.partition("=")
        alpha = _percent(share)
        if not sign or not file or alpha is None:
            raise UsageError(
                f'The partial table "{text}" is not written as the percentage and its file, as in 25=T25.csv.'
            )
        if alpha in found:
            raise UsageError(f"There are two partial tables of {alpha:g} percent; leave one.")
        found[alpha] = Request(file)
    return found


def _guess(text: str) -> Guess:
    """A guess written as NAME=FILE or NAME@PERCENT=FILE."""
    from duckrisk.pwscup.scoring import Guess
    from duckrisk.source import Request

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise UsageError(f'The guess "{text}" is not written as a name and its file, as in TEAM=F.csv.')
    own, at, share = name.rpartition("@")
    alpha = _percent(share) if at and own else None
    return Guess(name if alpha is None else own, Request(file), alpha)


def _percent(text: str) -> float | None:
    try:
        return _whole(float(text))
    except ValueError:
        return None


def _whole(value: float) -> float:
    """A percentage; a whole number where it is one."""
    return int(value) if value == value and abs(value) < 1e9 and value == int(value) else value
