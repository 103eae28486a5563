"""``duckrisk membership utility``: how like releases are to the original, by the indices of the contest."""

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
from duckrisk.errors import UsageError

ReleasesArgument = Annotated[list[str], typer.Argument(metavar="RELEASE", help="A release of it.")]


def utility(
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table that releases are made of.")],
    releases: ReleasesArgument,
    test: Annotated[
        str | None, typer.Option("--test", help="Records that the trees predict; without, no trees.")
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            help="A tree predicts whether ATTRIBUTE=VALUE; repeatable. [those of the contest]",
        ),
    ] = None,
    depth: Annotated[
        list[int] | None,
        typer.Option("--depth", help="How deep the tree of a --target is, in their order. [5]"),
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option("--attribute", help="Compare this column; repeatable. [all]")
    ] = None,
    where: WhereOption = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Name the categories that differ most.")
    ] = False,
    format: FormatOption = None,  # named as the option
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Measure how like releases are to the original: histogram, covariance, correlation and tree indices,
    with the thresholds of both rounds of the contest of 2020."""
    from duckrisk.membership.synthesis.indices import UtilityOptions
    from duckrisk.membership.synthesis.indices import utility as run
    from duckrisk.membership.synthesis.trees import DEPTH, Target, target_of
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = form_of(format, output, "The report is")
    if len(depth or []) > len(target or []):
        raise UsageError("There are more --depth than --target; give each target at most one.")
    depths = [*(depth or []), *([DEPTH] * len(target or []))]
    targets = [Target(*target_of(text), depth=deep) for text, deep in zip(target or [], depths, strict=False)]
    first = Request(original, where=where)
    others = [Request(name, where=where) for name in releases]
    tested = Request(test, where=where) if test is not None else None
    options = UtilityOptions(attribute or None, targets, show_values)
    deliver(
        lambda watch: run(first, others, tested, options, Resources(memory, threads, temp), watch),
        [first, *others, *([tested] if tested is not None else [])],
        form,
        output,
        quiet,
        show_values,
    )
