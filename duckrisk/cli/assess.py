"""``duckrisk assess``: assesses a source."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options import attribute, context, disclosure, identifiability, policy, select_options
from duckrisk.base.options.output import ALL_FORMATS, FINDINGS, Judgement, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.options.source import Distributed, Original, Request, Resources
from duckrisk.cli.judging import collect_gates, read_baseline
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import open_early_screen, resolve_format
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources, read_settings
from duckrisk.cli.signature import CommandLine, command

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings
    from duckrisk.decision.assessment.results import Assessment, Invocation


@command(
    *(
        Request,
        Original,
        EarlierOptions,
        Resources,
        Distributed,
        RoleOverrides,
        SettingsFile,
        attribute.Options,
        Judgement,
    ),
    select_options(disclosure.Options, missing={"default_text": "none; on disclosure value"}),
    identifiability.Options,
    *(context.Options, policy.Options),
    select_options(
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
    """Assess a source: who can be singled out, by what, and at what cost."""
    from duckrisk.decision import assessment

    out, judged = args.options(Output), args.options(Judgement)
    form = resolve_format(out.format, out.output)
    request, settings, resources = read_job(args, source)
    if form in ("csv", "parquet") and not {"attribute_risk", "identifiability"} & {*settings.parts}:
        raise UsageError("cli.rows_without_part", form=form)
    invocation = _make_invocation(args, source)
    folder = None
    if judged.evidence is not None:
        from duckrisk.cli.evidence import EvidenceFolder

        folder = EvidenceFolder.of(args, source, request)
    # What got worse since an earlier report stands above the verdict, and is known last.
    screen = open_early_screen(form, out, settings.language.resolved) if judged.baseline is None else None

    def work(progress: Any) -> Assessment:
        def show(print_piece: Callable[[Any], None]) -> Callable[[Any], None]:
            def show_piece(known: Any) -> None:
                if progress is not None:
                    progress.close()  # the bar is drawn again below the piece
                print_piece(known)

            return show_piece

        # The lists of --only have no first screen.
        on_preview = show(screen.print_preview) if screen is not None and settings.only is None else None
        on_verdict = show(screen.print_head) if screen is not None else None

        def run(used: Resources) -> Assessment:
            report = assessment.run(
                *(request, settings, used, progress, judged.records), on_verdict, on_preview
            )
            return dataclasses.replace(report, invocation=invocation)

        return run(resources) if folder is None else folder.write(run, resources, settings.language.resolved)

    run_report_command(
        args,
        work,
        None,
        [request, *_list_other_tables(settings)],
        lambda report: [source or report.source.name],
        lambda report: report.source.name,
        forms=(*ALL_FORMATS, *FINDINGS),
        private=out.show_values,
        settings=settings,
        command="assess",
        screen=screen,
    )


def _list_other_tables(settings: Settings) -> Iterator[Request | None]:
    """Yield the tables that are read besides the source."""
    from duckrisk.measures.sequence import Earlier

    if settings.original is not None:
        yield settings.original.table
    earlier = Earlier.of(settings.earlier)
    yield from (*earlier.releases, *earlier.key_tables)


def read_job(args: CommandLine, source: str | None) -> tuple[Request, Settings, Resources]:
    """Return the source, the settings and the resources of a command line.

    Raises:
        UsageError: A gate, the baseline or the settings file cannot be used.
    """
    from duckrisk.decision.assessment.results import Assessment
    from duckrisk.decision.gates import parse_all
    from duckrisk.source.requests import parse_request

    settings = dataclasses.replace(
        read_settings(args),
        gates=parse_all(collect_gates(args, Assessment), Assessment),
        baseline=read_baseline(args, Assessment),
        show_values=args.options(Output).show_values,
    )
    request = args.options(Request, source=source).with_defaults_from(settings.source)
    original = args.options(Original).original
    if original is not None:
        from duckrisk.release.anonymization.people_behind import OriginalTable

        settings = dataclasses.replace(settings, original=OriginalTable(parse_request(original)))
    return request, settings, read_resources(args)


def _make_invocation(args: CommandLine, source: str | None) -> Invocation:
    """Return the words of this run that suggested commands repeat."""
    from duckrisk.decision.assessment.results import Invocation

    request = args.options(Request)
    read = (
        select_options(Request, "table", "encoding", "header", "skip_lines"),
        select_options(Resources, "timezone", "read", "missing_tokens"),
    )
    reading = args.to_words(*read, Distributed)
    decisions = args.to_words(
        *(RoleOverrides, SettingsFile, select_options(identifiability.Options, "levels", "missing")),
        *(select_options(policy.Options, "name"), Language),
    )
    all_words = args.to_words(
        *(
            select_options(Request, "table", "encoding", "header", "skip_lines"),
            Original,
            EarlierOptions,
            RoleOverrides,
            SettingsFile,
        ),
        attribute.Options,
        *(
            select_options(Judgement, "only", "fail_on"),
            disclosure.Options,
            identifiability.Options,
            policy.Options,
        ),
        *(Resources, Distributed, select_options(Output, "show_values"), Language),
    )
    config, spoken = args.to_words(SettingsFile), args.to_words(Language)
    last = (source,) if source is not None and not source.startswith("-") else ("--", source or "")
    hidden = (request.query, request.where, request.attach)
    repeatable = source not in (None, "-") and hidden == (None, None, None)
    return Invocation(
        (*reading, *config, *spoken, *last), (*reading, *decisions, *last), (*all_words, *last), repeatable
    )
