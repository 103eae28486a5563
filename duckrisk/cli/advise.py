"""``duckrisk advise``: what to change first."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.cli.options import (
    AttachOption,
    AttributeOption,
    ConfigOption,
    EncodingOption,
    FormatOption,
    HeaderOption,
    HierarchiesOption,
    IgnoreOption,
    LevelOption,
    MemoryOption,
    MissingOption,
    OutputOption,
    QueryOption,
    QuietOption,
    SourceArgument,
    TableOption,
    TempOption,
    ThreadsOption,
    UserOption,
    WhereOption,
)
from duckrisk.cli.output import chosen_format, give, spare_sources, watched
from duckrisk.cli.settings import changed, levels_of, read_settings, settings_named
from duckrisk.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.hierarchies import Definition


def advise(
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
    level: LevelOption = None,
    missing: MissingOption = None,
    hierarchies: HierarchiesOption = None,
    target: Annotated[
        str | None,
        typer.Option("--target", help="Stop once this holds: 'identifiability.singled_out_share < 0.01'."),
    ] = None,
    steps: Annotated[int, typer.Option("--steps", help="Take so many steps at most.")] = 20,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Try steps for so many seconds at most.")
    ] = None,
    format: FormatOption = None,  # named as the option
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Advise what to change first: the steps that lower the risk most for the least loss."""
    import json

    from duckrisk import advice
    from duckrisk.report.advice import to_html, to_markdown, to_text
    from duckrisk.session import Resources
    from duckrisk.source import Request

    form = chosen_format(format, output)
    if form not in ("table", "json", "markdown", "html"):
        raise UsageError(f'Advice has no format "{form}"; write table, json, markdown or html.')
    settings = read_settings(config, user, attribute, ignore)
    request = Request(source, table, attach, query, where, encoding, header).or_else(settings.source)
    spare_sources(output, [request])
    levels = changed(settings.identifiability, {"levels": levels_of(level), "missing": missing})
    levels = dataclasses.replace(levels, time_limit=None)
    options = advice.Options(target, steps, time_limit)
    known = _hierarchies(hierarchies, config)
    with settings_named(settings):
        found = watched(
            lambda watch: advice.run(
                request, settings.overrides, levels, options, Resources(memory, threads, temp), watch, known
            ),
            quiet,
        )
    if known and (hierarchies or config):
        for line in found.lines:
            if any(option.rpartition("=")[2].startswith("level") for option in line["options"]):
                line["options"] = [*line["options"], "--hierarchies", str(hierarchies or config)]
    data = found.to_dict()
    stream = (sys.stdout.encoding or "utf-8") if output is None else "utf-8"
    forms = {
        "json": lambda: json.dumps(data, indent=2, ensure_ascii=False) + "\n",
        "markdown": lambda: to_markdown(data),
        "html": lambda: to_html(data),
        "table": lambda: to_text(data, stream),
    }
    give(forms[form](), output)


def _hierarchies(path: Path | None, config: Path | None) -> Mapping[str, Definition]:
    """The hierarchies of their own file, else of the settings."""
    from duckrisk import config as settings_file
    from duckrisk.hierarchies import load

    if path is not None:
        return load(path)
    return load(config or Path(settings_file.NAME), required=False)
