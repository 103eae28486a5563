"""``duckrisk compare``: releases of a table beside the original."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from duckrisk.cli.options import (
    AttributeOption,
    ConfigOption,
    FormatOption,
    IgnoreOption,
    LevelOption,
    MemoryOption,
    MissingOption,
    OutputOption,
    QuietOption,
    SeedOption,
    TempOption,
    ThreadsOption,
    UserOption,
)
from duckrisk.cli.output import FORMS, chosen_format, give, in_form, printable, spare_sources, watched
from duckrisk.cli.settings import changed, levels_of, read_settings, settings_named
from duckrisk.errors import UsageError


def compare(
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help="The table as it was: a file, a folder, a glob pattern, or FILE.duckdb:TABLE.",
        ),
    ],
    releases: Annotated[
        list[str],
        typer.Argument(metavar="RELEASE", help="What was made of it: one table or several, as ORIGINAL."),
    ],
    attach: Annotated[
        str | None,
        typer.Option(
            "--attach",
            help="A database: a .duckdb file, or the name of a DuckDB extension and an address, such as "
            "postgres:…; ORIGINAL and each RELEASE are then its tables, as schema.name.",
        ),
    ] = None,
    user: UserOption = None,
    attribute: AttributeOption = None,
    ignore: IgnoreOption = None,
    config: ConfigOption = None,
    level: LevelOption = None,
    missing: MissingOption = None,
    quasi_identifier: Annotated[
        list[str] | None,
        typer.Option("--quasi-identifier", help="Make classes of this column; repeatable. [all attributes]"),
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="A class smaller than this is rare. [5]")] = None,
    aligned: Annotated[
        bool, typer.Option("--aligned", help="The records of all tables correspond, in their order.")
    ] = False,
    key: Annotated[
        str | None, typer.Option("--key", help="A column that tells which record is which.")
    ] = None,
    item: Annotated[
        str | None,
        typer.Option("--item", help="The column of what users buy or use: compare recommendations too."),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            "--hierarchies", help="A TOML file with the [hierarchies] that releases were made with."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Measure this alone: information, utility, risk, linkage or recommendation; repeatable.",
        ),
    ] = None,
    seed: SeedOption = None,
    format: FormatOption = None,  # named as the option
    output: OutputOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare releases with their original: the risk that is left, and what was lost for it."""
    from duckrisk import config as settings_file
    from duckrisk.comparison import PARTS, Options, request_of, run
    from duckrisk.session import Resources

    form = chosen_format(format, output)
    if form not in FORMS:
        raise UsageError(f"A comparison is written as {', '.join(FORMS)}; {form} is a form of assess.")
    if attach is None and "-" in (original, *releases):
        raise UsageError("Standard input cannot be compared: the tables are read more than once.")
    settings = read_settings(config, user, attribute, ignore)
    first, *others = (request_of(given, attach) for given in (original, *releases))
    first = first.or_else(settings.source)
    spare_sources(output, (first, *others))
    settings = dataclasses.replace(
        settings,
        measures=changed(settings.measures, {"k": k, "seed": seed}),
        identifiability=changed(settings.identifiability, {"levels": levels_of(level), "missing": missing}),
    )
    options = Options(
        quasi_identifiers=tuple(quasi_identifier or ()),
        k=settings.measures.k,
        aligned=aligned,
        key=key,
        only=tuple(only) if only else PARTS,
        hierarchies=str(hierarchies) if hierarchies is not None else None,
        settled_hierarchies=str(config or settings_file.NAME),
        seed=settings.measures.seed,
        item=item,
    )
    resources = Resources(memory, threads, temp)

    def work(watch: Any) -> Any:
        return run(first, others, settings, options, resources, watch)

    with settings_named(settings):
        report = watched(work, quiet)
    if form == "table" and output is None and sys.stdout.isatty():
        from duckrisk.report.comparison.terminal import print_comparison

        print_comparison(report, sys.stdout)
        return
    give(in_form(report, form), output)
    if output is not None and not quiet and sys.stderr.isatty():
        print(printable(f"Wrote {output}."), file=sys.stderr)
