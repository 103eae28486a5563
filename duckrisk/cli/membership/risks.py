"""``duckrisk membership risks``: singling out, linkability and inference, beside a control set."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.cli.membership.forms import deliver
from duckrisk.cli.options import (
    FormatOption,
    MemoryOption,
    OutputOption,
    QuietOption,
    TempOption,
    ThreadsOption,
    WhereOption,
)
from duckrisk.cli.output import form_of
from duckrisk.cli.settings import changed


def risks(
    original: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The table that the release is made of.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of it.")],
    control: Annotated[
        str | None,
        typer.Option(
            "--control", help="Records like the original's that the release was not made of: a holdout."
        ),
    ] = None,
    risk: Annotated[
        list[str] | None,
        typer.Option("--risk", help="singling-out, linkability or inference; repeatable. [all]"),
    ] = None,
    attacks: Annotated[int | None, typer.Option("--attacks", help="Attacks per risk. [500]")] = None,
    columns: Annotated[
        int | None,
        typer.Option("--columns", help="Singling out: columns that a predicate combines. [3]"),
    ] = None,
    link_left: Annotated[
        list[str] | None,
        typer.Option(
            "--link-left",
            help="Linkability: a column known from one side; repeatable. [the first half, or all others]",
        ),
    ] = None,
    link_right: Annotated[
        list[str] | None,
        typer.Option("--link-right", help="Linkability: one known from the other side; repeatable."),
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option("--neighbours", help="Linkability: nearest records to look at. [1]"),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option("--secret", help="Inference: guess this column; repeatable. [each]"),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option("--known", help="Inference: this column is known; repeatable. [all but the secret]"),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance", help="Inference: a guessed number may be away by this share of it. [0.05]"
        ),
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option("--attribute", help="Use this column; repeatable. [all]")
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Confidence of the intervals.")] = 0.95,
    seed: Annotated[int | None, typer.Option("--seed", help="Another seed draws anew. [0]")] = None,
    where: WhereOption = None,
    format: FormatOption = None,  # named as the option
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Measure three risks of a release, singling out, linkability and inference, beside a naive attacker and
    a control set."""
    from duckrisk.membership.release_risks.measuring import RiskOptions
    from duckrisk.membership.release_risks.measuring import risks as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = form_of(format, output, "The report is")
    asked = {
        "risks": risk or None,
        "attacks": attacks,
        "columns": columns,
        "link_left": link_left or None,
        "link_right": link_right or None,
        "neighbours": neighbours,
        "known": known or None,
        "secrets": secret or None,
        "tolerance": tolerance,
        "attributes": attribute or None,
        "confidence": confidence,
        "seed": seed,
    }
    options = changed(RiskOptions(), asked)
    first, made = Request(original, where=where), Request(release, where=where)
    held = Request(control, where=where) if control is not None else None
    deliver(
        lambda watch: run(first, made, held, options, Resources(memory, threads, temp), watch),
        [first, made, *([held] if held is not None else [])],
        form,
        output,
        quiet,
    )
