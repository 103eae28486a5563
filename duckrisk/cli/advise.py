"""``duckrisk advise``: what to change first."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import chosen_format, give, spare_sources, watched
from duckrisk.cli.settings import read_settings, settings_named
from duckrisk.cli.signature import Given, command, some
from duckrisk.errors import UsageError
from duckrisk.options import advice as advising
from duckrisk.options import disclosure, identifiability
from duckrisk.options.output import FORMATS, Output, SettingsFile
from duckrisk.options.roles import RoleOverrides
from duckrisk.options.source import Request, Resources

if TYPE_CHECKING:
    from duckrisk.hierarchies import Definition


@command(
    *(Request, Resources, RoleOverrides, SettingsFile, advising.Options),
    some(identifiability.Options, "levels", "missing"),
    some(disclosure.Options, "hierarchies"),
    some(Output, "output", "format", "quiet"),
)
def advise(given: Given, source: SourceArgument = None) -> None:
    """Advise what to change first: the steps that lower the risk most for the least loss."""
    import json

    from duckrisk import advice
    from duckrisk.report.advice import to_html, to_markdown, to_text

    out = given.made(Output)
    form = chosen_format(out.format, out.output)
    if form not in FORMATS:
        raise UsageError(f'Advice has no format "{form}"; write table, json, markdown or html.')
    settings = read_settings(given)
    request = given.made(Request, source=source).or_else(settings.source)
    spare_sources(out.output, [request])
    levels = dataclasses.replace(settings.identifiability, time_limit=None)
    options, resources = given.made(advising.Options), given.made(Resources)
    hierarchies = given.of(disclosure.Options).get("hierarchies")
    config = given.made(SettingsFile).config
    known = _hierarchies(hierarchies, config)
    with settings_named(settings):
        found = watched(
            lambda watch: advice.run(request, settings.overrides, levels, options, resources, watch, known),
            out.quiet,
        )
    if known and (hierarchies or config):
        for line in found.lines:
            if any(option.rpartition("=")[2].startswith("level") for option in line["options"]):
                line["options"] = [*line["options"], "--hierarchies", str(hierarchies or config)]
    data = found.to_dict()
    stream = (sys.stdout.encoding or "utf-8") if out.output is None else "utf-8"
    forms = {
        "json": lambda: json.dumps(data, indent=2, ensure_ascii=False) + "\n",
        "markdown": lambda: to_markdown(data),
        "html": lambda: to_html(data),
        "table": lambda: to_text(data, stream),
    }
    give(forms[form](), out.output)


def _hierarchies(path: str | None, config: Path | None) -> Mapping[str, Definition]:
    """The hierarchies of their own file, else of the settings."""
    from duckrisk import config as settings_file
    from duckrisk.hierarchies import load

    if path is not None:
        return load(Path(path))
    return load(config or Path(settings_file.NAME), required=False)
