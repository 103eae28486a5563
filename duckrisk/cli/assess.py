"""``duckrisk assess``: the main job."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import typer

from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import chosen_format, deliver, remark_written, watched
from duckrisk.cli.settings import read_settings, settings_named
from duckrisk.cli.signature import Given, command, some
from duckrisk.errors import UsageError
from duckrisk.options import attribute, disclosure, identifiability
from duckrisk.options.output import ALL_FORMATS, Judgement, Language, Output, SettingsFile
from duckrisk.options.roles import RoleOverrides
from duckrisk.options.source import Request, Resources


@command(
    *(Request, Resources, RoleOverrides, SettingsFile, attribute.Options, Judgement),
    some(disclosure.Options, missing={"shown": "none; on disclosure value"}),
    identifiability.Options,
    some(Output, "output", "format", "show_values", "quiet", format={"choices": ALL_FORMATS}),
    Language,
)
def assess(given: Given, source: SourceArgument = None) -> None:
    """Assess a source: who is who in it, and how dangerous each attribute is."""
    from duckrisk import assessment
    from duckrisk.files import check_target
    from duckrisk.source import spare_source

    out, judged = given.made(Output), given.made(Judgement)
    chosen = chosen_format(out.format, out.output)
    settings = dataclasses.replace(read_settings(given), show_values=out.show_values)
    request = given.made(Request, source=source).or_else(settings.source)
    named: dict[Path, str] = {}
    for option, target in {"-o": out.output, "--junit": judged.junit, "--records": judged.records}.items():
        if target is None:
            continue
        check_target(target)
        spare_source(target, request)
        if (other := named.setdefault(target.resolve(), option)) != option:
            raise UsageError("cli.same_file_different_ones", other=other, option=option)
    resources = given.made(Resources)
    with settings_named(settings):
        report = watched(
            lambda watch: assessment.run(request, settings, resources, watch, judged.records), out.quiet
        )
    deliver(report, chosen, out.output, judged.junit, settings.language.spoken)
    remark_written(out)
    if not report.passed:
        raise typer.Exit(1)
