"""``duckrisk membership anneal``: a synthetic release that reaches the thresholds of the contest."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from duckrisk.cli.membership.options import (
    BandwidthOption,
    DrawSeedOption,
    MatchOption,
    ReleasedOption,
    ReleaseOption,
)
from duckrisk.cli.options import (
    AttachOption,
    EncodingOption,
    FormatOption,
    HeaderOption,
    MemoryOption,
    OverwriteOption,
    QueryOption,
    QuietOption,
    SourceArgument,
    TableOption,
    TempOption,
    ThreadsOption,
    WhereOption,
)
from duckrisk.cli.output import form_of, in_form, remark, watched
from duckrisk.errors import UsageError


def anneal(
    source: SourceArgument = None,
    output: ReleaseOption = None,
    test: Annotated[
        str | None, typer.Option("--test", help="Records that the trees predict; without, no trees.")
    ] = None,
    method: Annotated[str | None, typer.Option("--method", help="annealing, or genetic. [annealing]")] = None,
    guided: Annotated[
        bool, typer.Option("--guided", help="Propose records that help, not any; fewer at a time.")
    ] = False,
    round: Annotated[
        str | None, typer.Option("--round", help="Whose thresholds: preliminary or final. [final]")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Maximum number of iterations. [500000]")
    ] = None,
    swap: Annotated[
        int | None, typer.Option("--swap", help="Records swapped at a time. [50, guided 10]")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Initial temperature. [0.01, guided 0.0005]")
    ] = None,
    cooling: Annotated[
        float | None, typer.Option("--cooling", help="Factor of the temperature at each iteration. [0.9995]")
    ] = None,
    population: Annotated[
        int | None, typer.Option("--population", help="Number of tables of the genetic method. [8]")
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target", help="A tree predicts whether ATTRIBUTE=VALUE; repeatable. [those of the contest]"
        ),
    ] = None,
    bandwidth: BandwidthOption = None,
    match_marginals: MatchOption = False,
    attribute: ReleasedOption = None,
    seed: DrawSeedOption = None,
    state: Annotated[
        Path | None, typer.Option("--state", help="Keep the search in this file, to go on with --resume.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on from this state, and keep it there.")
    ] = None,
    overwrite: OverwriteOption = False,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    format: FormatOption = None,  # named as the option
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Search for a synthetic release that reaches all thresholds of the contest of 2020.

    It begins with a table of the generator and swaps its records for fresh ones, by simulated annealing or
    genetically. An interrupt (Ctrl-C) ends the search; the best table so far is written.
    """
    from duckrisk.anonymization import Target as Output
    from duckrisk.membership.synthesis.annealing import Annealing
    from duckrisk.membership.synthesis.annealing import anneal as run
    from duckrisk.membership.synthesis.trees import Target, target_of
    from duckrisk.session import Resources
    from duckrisk.source import Request

    if output is None:
        raise UsageError("Say where the release goes, with -o FILE.")
    form = form_of(format, None, "The summary is")
    options = Annealing(
        method=method,
        swap=swap,
        temperature=temperature,
        cooling=cooling,
        iterations=iterations,
        guided=guided or None,
        round=round,
        population=population,
        bandwidth=bandwidth,
        match_marginals=match_marginals or None,
        attributes=tuple(attribute) if attribute else None,
        targets=tuple(Target(*target_of(text)) for text in target or []),
        seed=seed,
    )
    request = Request(source, table, attach, query, where, encoding, header)
    tested = Request(test) if test is not None else None
    made = watched(
        lambda watch: run(
            request,
            Output(output, None, overwrite),
            options,
            tested,
            state,
            resume,
            Resources(memory, threads, temp),
            watch,
        ),
        quiet,
    )
    if not quiet or made.interrupted or format is not None:
        remark(in_form(made, form))
    if made.interrupted:
        raise typer.Exit(143 if made.interrupted == signal.SIGTERM else 130)
