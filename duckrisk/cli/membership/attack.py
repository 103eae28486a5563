"""``duckrisk membership attack``: guess whose records a release was made from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duckrisk.cli.membership.forms import deliver
from duckrisk.cli.options import (
    FormatOption,
    MemoryOption,
    QuietOption,
    TempOption,
    ThreadsOption,
)
from duckrisk.cli.output import form_of
from duckrisk.cli.settings import changed
from duckrisk.errors import UsageError


def attack(
    population: Annotated[
        str, typer.Argument(metavar="POPULATION", help="The candidates, members among them.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of the members' records.")],
    attack: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            help="distance, nearest, calibrated, density, kmeans, kmeans-common, lira, "
            "lira-offline, or all; and the experiment classifier; repeatable. [distance]",
        ),
    ] = None,
    guesses: Annotated[
        int | None, typer.Option("--guesses", help="Number of candidates to guess. [100]")
    ] = None,
    members: Annotated[
        str | None,
        typer.Option("--members", help="The records that the release was made from: how many are hit."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            help="Records like the members' that are not in the release, for calibrated, density and "
            "lira-offline. "
            "[of the population]",
        ),
    ] = None,
    weight: Annotated[
        float | None,
        typer.Option("--weight", help="What a category that differs adds to the squared distance. [2]"),
    ] = None,
    clusters: Annotated[int | None, typer.Option("--clusters", help="Clusters of kmeans. [16]")] = None,
    starts: Annotated[
        int | None, typer.Option("--starts", help="Starts of kmeans, the best counts. [10]")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw-numbers", help="kmeans takes numbers as they are, not standardised.")
    ] = False,
    shadow_releases: Annotated[
        int | None,
        typer.Option("--shadows", help="Shadow releases for lira and lira-offline. [16]"),
    ] = None,
    targets: Annotated[
        int | None,
        typer.Option("--targets", help="classifier: members, and as many others, to learn. [100]"),
    ] = None,
    block: Annotated[
        list[str] | None,
        typer.Option("--block", help="Attributes of a block of density: A,B,C; repeatable. [three each]"),
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option("--attribute", help="Use this column; repeatable. [all]")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Another seed draws anew. [0]")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Write the guesses, places in the population from 0, as .csv; or the report, by its suffix.",
        ),
    ] = None,
    scores_out: Annotated[
        Path | None, typer.Option("--scores-out", help="Write the scores of all candidates: a .csv file.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that are there already.")
    ] = False,
    format: FormatOption = None,  # named as the option
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Guess whose records a release was made from; with the members, tell how many guesses are right."""
    from duckrisk.membership.attacks.inference import ATTACKS, AttackOptions, Outputs, run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    # Guesses are written as CSV; a file of another suffix, or of none that is known, is a report.
    told = None if output is None or output.suffix.lower() == ".csv" else output
    form = form_of(format, told, "The report is")
    if told is not None and told.exists() and not overwrite:
        raise UsageError(f'The output "{told}" is there already; add --overwrite to replace it.')
    names = attack or None
    if names and "all" in names:
        names = [*ATTACKS, *(name for name in names if name != "all")]
    asked = {
        "names": names,
        "guesses": guesses,
        "weight": weight,
        "clusters": clusters,
        "starts": starts,
        "standardise": not raw,
        "blocks": [[name.strip() for name in text.split(",")] for text in block] if block else None,
        "attributes": attribute or None,
        "seed": seed,
        "shadows": shadow_releases,
        "targets": targets,
    }
    options = changed(AttackOptions(), asked)
    first, second = Request(population), Request(release)
    third = Request(members) if members is not None else None
    fourth = Request(reference) if reference is not None else None
    outputs = Outputs(output if told is None else None, scores_out, overwrite)
    deliver(
        lambda watch: run(
            first, second, options, third, fourth, outputs, Resources(memory, threads, temp), watch
        ),
        [one for one in (first, second, third, fourth) if one is not None],
        form,
        told,
        quiet,
    )
