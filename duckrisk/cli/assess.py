"""``duckrisk assess``: the main job."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from duckrisk.cli.options import (
    AttachOption,
    AttributeOption,
    ConfigOption,
    EncodingOption,
    HeaderOption,
    HierarchiesOption,
    IgnoreOption,
    LevelOption,
    MemoryOption,
    MissingOption,
    OutputOption,
    QueryOption,
    QuietOption,
    SeedOption,
    SourceArgument,
    TableOption,
    TempOption,
    ThreadsOption,
    UserOption,
    WhereOption,
)
from duckrisk.cli.output import chosen_format, deliver, printable, watched
from duckrisk.cli.settings import changed, levels_of, read_settings, settings_named
from duckrisk.errors import UsageError


def assess(
    source: SourceArgument = None,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    user: UserOption = None,
    attribute: AttributeOption = None,
    ignore: IgnoreOption = None,
    config: ConfigOption = None,
    approximate: Annotated[
        bool,
        typer.Option("--approximate", help="Estimate users instead of counting them: a third of the time."),
    ] = False,
    sample_only: Annotated[
        bool, typer.Option("--sample-only", help="Only sample values, with intervals; no exact risk.")
    ] = False,
    k: Annotated[int | None, typer.Option("--k", help="A value shared by fewer users is rare. [5]")] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Values the sampling model draws; 0: none. [50]")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="Of intervals: 0.8, 0.9, 0.95, 0.99. [0.9]")
    ] = None,
    paper_interval: Annotated[
        bool,
        typer.Option(
            "--paper-interval", help="The paper's mean ± deviation instead of a confidence interval."
        ),
    ] = False,
    known_records: Annotated[
        int | None,
        typer.Option("--known-records", help="An attacker knows up to so many records; 0: skip. [4]"),
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", help="Attackers drawn to measure that. [1000]")
    ] = None,
    seed: SeedOption = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Measure this alone, attribute_risk or another part (see README); repeatable. "
            "[attribute_risk, identifiability, and what options ask for]",
        ),
    ] = None,
    quasi_identifier: Annotated[
        list[str] | None,
        typer.Option("--quasi-identifier", help="A column an attacker knows; repeatable. [every attribute]"),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", help="A column nobody is to learn; repeatable. [proposed by its level]"),
    ] = None,
    hierarchies: HierarchiesOption = None,
    fraction: Annotated[
        float | None, typer.Option("--fraction", help="The share of the population that is in the source.")
    ] = None,
    population: Annotated[
        str | None, typer.Option("--population", help="A table of the people an attacker looks among.")
    ] = None,
    population_count: Annotated[
        str | None,
        typer.Option("--population-count", help="Its column of class sizes, if it has a row a class."),
    ] = None,
    suda_scores: Annotated[
        str | None, typer.Option("--suda-scores", help="Of special uniques: elliot or ihsn. [elliot]")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option("--share", help="List attribute sets that single out this share of people. [0.05]"),
    ] = None,
    weight: Annotated[str | None, typer.Option("--weight", help="The column of survey weights.")] = None,
    household: Annotated[str | None, typer.Option("--household", help="The column of households.")] = None,
    level: LevelOption = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", help="The chart of levels: jo2003, jo_late or a CSV file. [jo2003]"),
    ] = None,
    missing: MissingOption = None,
    compare_missing: Annotated[
        bool,
        typer.Option(
            "--compare-missing",
            help="Measure by the other rules for missing cells as well, where it takes long.",
        ),
    ] = False,
    missing_token: Annotated[
        list[str] | None,
        typer.Option("--missing-token", help="A text that means a missing cell, instead of ? and the like."),
    ] = None,
    max_sets: Annotated[
        int | None, typer.Option("--max-sets", help="Examine so many attribute sets at most.")
    ] = None,
    max_size: Annotated[
        int | None, typer.Option("--max-size", help="Examine sets of so many attributes at most.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Examine sets for so many seconds at most.")
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Search all attribute sets to the end, however long it takes."),
    ] = False,
    what_if: Annotated[
        bool | None,
        typer.Option("--what-if/--no-what-if", help="Compute what would help. [where it is cheap]"),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", help="Write each record's ease, value and sets to a Parquet file."),
    ] = None,
    format: Annotated[  # named as the option
        str | None, typer.Option("--format", help="table, json, markdown, html, csv or parquet.")
    ] = None,
    output: OutputOption = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option("--fail-on", help="Exit with 1 if this holds, e.g. 'attribute_risk.mean_risk > 0.2'."),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the gates as a JUnit file.")] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Show values of people's records in the report.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Assess a source: who is who in it, and how dangerous each attribute is."""
    from duckrisk import assessment
    from duckrisk.files import check_target
    from duckrisk.gates import parse_gate
    from duckrisk.session import Resources
    from duckrisk.source import Request, spare_source

    chosen = chosen_format(format, output)
    settings = read_settings(config, user, attribute, ignore)
    request = Request(source, table, attach, query, where, encoding, header).or_else(settings.source)
    targets = {"-o": output, "--junit": junit, "--records": records}
    named: dict[Path, str] = {}
    for option, target in targets.items():
        if target is None:
            continue
        check_target(target)
        spare_source(target, request)
        if (other := named.setdefault(target.resolve(), option)) != option:
            raise UsageError(f"{other} and {option} name the same file; give them different ones.")
    if approximate and sample_only:
        raise UsageError("Give either --approximate or --sample-only, not both.")
    changes: dict[str, Any] = {
        "k": k,
        "samples": samples,
        "confidence": confidence,
        "known_records": known_records,
        "draws": draws,
        "seed": seed,
        "method": "approximate" if approximate else "sample" if sample_only else None,
        "interval": "paper" if paper_interval else None,
    }
    identifying: dict[str, Any] = {
        "levels": levels_of(level),
        "profile": profile,
        "missing": missing,
        "missing_tokens": tuple(missing_token) if missing_token else None,
        "max_sets": max_sets,
        "max_size": max_size,
        "time_limit": time_limit,
        "thorough": thorough or None,
        "what_if": what_if,
    }
    disclosing: dict[str, Any] = {
        "quasi_identifiers": tuple(quasi_identifier) if quasi_identifier else None,
        "sensitive": tuple(sensitive) if sensitive else None,
        "hierarchies": str(hierarchies) if hierarchies is not None else None,
        "fraction": fraction,
        "population": population,
        "population_count": population_count,
        "suda_scores": suda_scores,
        "share": share,
        "weight": weight,
        "household": household,
        "missing": missing,
        "compare_missing": compare_missing or None,
        "max_size": max_size,
        "time_limit": time_limit,
        "seed": seed,
    }
    settings = dataclasses.replace(
        settings,
        measures=changed(settings.measures, changes),
        identifiability=changed(settings.identifiability, identifying),
        disclosure=changed(settings.disclosure, disclosing),
        only=tuple(only) if only else settings.only,
        gates=settings.gates + tuple(parse_gate(text) for text in fail_on or ()),
        show_values=show_values,
    )
    resources = Resources(memory, threads, temp)
    with settings_named(settings):
        report = watched(lambda watch: assessment.run(request, settings, resources, watch, records), quiet)
    deliver(report, chosen, output, junit)
    if output is not None and not quiet and sys.stderr.isatty():
        print(printable(f"Wrote {output}."), file=sys.stderr)
    if not report.passed:
        raise typer.Exit(1)
