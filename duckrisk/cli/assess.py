"""``duckrisk assess``: the main job."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options import attribute, context, disclosure, identifiability, policy
from duckrisk.base.options.output import ALL_FORMATS, FINDINGS, Judgement, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Distributed, Original, Request, Resources
from duckrisk.cli.judging import earlier, finish, gates_of
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, chosen_format, deliver, remark_written, watched
from duckrisk.cli.settings import read_settings, resources_of, settings_named
from duckrisk.cli.signature import CommandLine, command, some

if TYPE_CHECKING:
    from duckrisk.decision.assessment.results import Invocation


@command(
    *(Request, Original, Resources, Distributed, RoleOverrides, SettingsFile, attribute.Options, Judgement),
    some(disclosure.Options, missing={"shown": "none; on disclosure value"}),
    identifiability.Options,
    *(context.Options, policy.Options),
    some(
        Output,
        "output",
        "format",
        "full",
        "show_values",
        "quiet",
        format={"choices": (*ALL_FORMATS, *FINDINGS)},
    ),
    Language,
)
def assess(args: CommandLine, source: SourceArgument = None) -> None:
    """Assess a source: who is who in it, and how dangerous each attribute is."""
    from duckrisk.decision import assessment
    from duckrisk.decision.assessment.results import Assessment
    from duckrisk.decision.gates import parse_all
    from duckrisk.release.anonymization.people_behind import OriginalTable
    from duckrisk.source.requested import request_of

    out, judged = args.options(Output), args.options(Judgement)
    chosen = chosen_format(out.format, out.output)
    settings = dataclasses.replace(
        read_settings(args),
        gates=parse_all(gates_of(args, Assessment), Assessment),
        baseline=earlier(args, Assessment),
        show_values=out.show_values,
    )
    if chosen in ("csv", "parquet") and not {"attribute_risk", "identifiability"} & {*settings.parts}:
        raise UsageError("cli.rows_without_part", form=chosen)
    request = args.options(Request, source=source).or_else(settings.source)
    original = args.options(Original).original
    if original is not None:
        settings = dataclasses.replace(settings, original=OriginalTable(request_of(original)))
    check_outputs(args, [request, *([settings.original.table] if settings.original is not None else [])])
    resources = resources_of(args)
    with settings_named(settings):
        report = watched(
            lambda progress: assessment.run(request, settings, resources, progress, judged.records),
            out.quiet,
            settings.language.spoken,
            "assess",
        )
    report = dataclasses.replace(report, invocation=_invocation(args, source))
    deliver(report, chosen, out, source or report.source.name, settings.language.spoken)
    remark_written(out)
    finish(report, args, report.source.name, settings.language.spoken, out.show_values)


def _invocation(args: CommandLine, source: str | None) -> Invocation:
    """How this run was asked for, for the commands that come next."""
    from duckrisk.decision.assessment.results import Invocation

    asked = args.options(Request)
    read = (
        some(Request, "table", "encoding", "header", "skip_lines"),
        some(Resources, "timezone", "read", "missing_tokens"),
    )
    table = args.words(*read, Distributed)
    who = args.words(
        *(RoleOverrides, SettingsFile, some(identifiability.Options, "levels", "missing")),
        *(some(policy.Options, "name"), Language),
    )
    every = args.words(
        *(some(Request, "table", "encoding", "header", "skip_lines"), Original, RoleOverrides, SettingsFile),
        attribute.Options,
        *(some(Judgement, "only", "fail_on"), disclosure.Options, identifiability.Options, policy.Options),
        *(Resources, Distributed, some(Output, "show_values"), Language),
    )
    config = args.words(SettingsFile)
    last = (source,) if source is not None and not source.startswith("-") else ("--", source or "")
    hidden = (asked.query, asked.where, asked.attach)
    repeatable = source not in (None, "-") and hidden == (None, None, None)
    return Invocation((*table, *config, *last), (*table, *who, *last), (*every, *last), repeatable)
