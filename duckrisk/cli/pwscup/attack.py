"""``duckrisk pwscup attack``: what attackers find who hold part of the history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.cli.options import (
    ConfigOption,
    MemoryOption,
    OutputOption,
    OverwriteOption,
    QuietOption,
    SeedOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import TEXT_FORMS, form_of, give, in_form, spare_sources, watched
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
    ShowValuesOption,
    TimeOption,
    history_options,
)
from duckrisk.cli.pwscup.score import _partials, _whole

if TYPE_CHECKING:
    from duckrisk.pwscup.attacking import AttackInputs
    from duckrisk.pwscup.options import Options
    from duckrisk.session import Resources

AttackOption = Annotated[
    list[str] | None, typer.Option("--attack", help="Run this attack; repeatable. [all]")
]
TruthOption = Annotated[
    str | None,
    typer.Option("--truth", help="The true pseudonyms (F), for a release in an order of its own."),
]
GuessOption = Annotated[
    Path | None, typer.Option("--guess-out", help="Write the guess of one attack: a .csv file.")
]
PseudonymOption = Annotated[
    str | None,
    typer.Option("--pseudonym", help="The release's column of pseudonyms. [as that of users]"),
]
AttackFormatOption = Annotated[str | None, typer.Option("--format", help="table, json or markdown.")]


def attack(
    original: OriginalOption,
    release: Annotated[str, typer.Option("--release", help="What was made of it: A(T), or S with --truth.")],
    attack: AttackOption = None,
    partial: Annotated[
        list[str] | None,
        typer.Option(
            "--partial", help="What an attacker knows, as PERCENT=FILE; repeatable. [drawn by the seed]"
        ),
    ] = None,
    alpha: Annotated[
        list[float] | None,
        typer.Option(
            "--alpha", help="Attackers hold so many percent; repeatable. [of --partial, or 25, 50, 75, 100]"
        ),
    ] = None,
    truth: TruthOption = None,
    master: MasterOption = None,
    seed: SeedOption = None,
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
    """Attack a release: how many users can be followed, and how many chance would find."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup.attacking import AttackInputs
    from duckrisk.pwscup.attacks import ATTACKS
    from duckrisk.session import Resources
    from duckrisk.source import Request

    partials = _partials(partial or [])
    columns = {"user": user, "date": date, "time": time, "item": item, "price": price}
    columns |= {"quantity": quantity, "invoice": invoice}
    options = history_options(
        config,
        columns,
        item_prefix,
        original,
        period=period,
        seed=seed,
        alphas=tuple(map(_whole, alpha)) if alpha else tuple(partials) or None,
        show_values=show_values,
    )
    inputs = AttackInputs(
        release=Request(release),
        original=Request(original),
        master=Request(master) if master is not None else None,
        partials=partials,
        truth=Request(truth) if truth is not None else None,
        pseudonym=pseudonym,
        names=attack or ATTACKS,
        guess=Target(guess_out, None, overwrite) if guess_out is not None else None,
    )
    deliver(inputs, options, Resources(memory, threads, temp), format, output, quiet)


def deliver(
    inputs: AttackInputs,
    options: Options,
    resources: Resources,
    format: str | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Run the attacks and write or print the report."""
    from duckrisk.pwscup.attacking import run

    form = form_of(format, output, "Attacks are", TEXT_FORMS)
    spare_sources(output, inputs.requests)

    def work(watch: Any) -> Any:
        return run(inputs, options, resources, watch)

    report = watched(work, quiet)
    give(in_form(report, form), output, options.show_values)
