"""Runs the two kinds of commands: those that report on tables, and those that write one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.output import JUDGED_FORMATS, Output
from duckrisk.cli.judging import attach_gates, finish_report
from duckrisk.cli.output import (
    check_outputs,
    print_status,
    print_target,
    render_form,
    resolve_offered_format,
    run_with_progress,
    summary_width,
    write_report,
)
from duckrisk.cli.settings import name_settings_in_errors, report_language
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.decision.assessment import Settings
    from duckrisk.release.anonymization import Target
    from duckrisk.report.forms import EarlyScreen
    from duckrisk.source import Request


def run_report_command(
    args: CommandLine,
    work: Callable[[Any], Any],
    kind: type[Result] | None,
    sources: Sequence[Request | None],
    names: Callable[[Any], Sequence[str]],
    about: Callable[[Any], str],
    *,
    subject: str = "The report is",
    forms: Sequence[str] = JUDGED_FORMATS,
    private: bool = False,
    unmeasured: Set[str] = frozenset(),
    settings: Settings | None = None,
    command: str | None = None,
    out: Output | None = None,
    screen: EarlyScreen | None = None,
) -> None:
    """Run a command: make, judge and write its report, and set the exit code.

    Args:
        args: The command line.
        work: Makes the report, with the progress as its argument.
        kind: The type of the report; None if the work judges the gates itself.
        sources: The tables that the command reads; no output may be one of them.
        names: Returns the tables of the findings, that of the report first.
        about: Returns the name of the source, for the JUnit file.
        subject: Begins the error on a format that the report lacks.
        forms: The formats of the report.
        private: Whether the report shows values of records.
        unmeasured: Parts of the report, or "policy", that this run does not measure.
        settings: The settings, if the command reads a settings file.
        command: The command, for the note on what shortens a long run.
        out: The destination of the report; None for that of the command line.
        screen: The screen on which the work shows the head of the report; None for none.
    """
    out = out or args.options(Output)
    language = settings.language.resolved if settings else report_language(args)
    form = resolve_offered_format(out.format, out.output, subject, forms)
    check_outputs(args, sources)
    with name_settings_in_errors(settings) if settings is not None else contextlib.nullcontext():
        judging = attach_gates(work, args, kind, unmeasured) if kind is not None else work
        report = run_with_progress(judging, out.quiet, language, command)
    write_report(report, form, out, names(report), language, private, screen)
    print_target(out, language)
    finish_report(report, args, about(report), language, private, out)


def run_write_command(
    args: CommandLine,
    work: Callable[[Any], Any],
    sources: Sequence[Request | None],
    width: int | None = None,
) -> Any:
    """Run a command that writes a table, and print its summary.

    Args:
        args: The command line.
        work: Writes the table, with the progress as its argument.
        sources: The tables that the command reads; no output may be one of them.
        width: Characters of a line of the summary; None for those of a terminal.

    Returns:
        The summary.
    """
    out, language = args.options(Output), report_language(args)
    form = resolve_offered_format(out.format, None, "The summary is")
    check_outputs(args, sources)
    written = run_with_progress(work, out.quiet, language)
    if not out.quiet or out.format is not None or getattr(written, "interrupted", None):
        print_status(render_form(written, form, language, width=width or summary_width()))
    return written


def output_target(args: CommandLine) -> Target:
    """Return the file that a command writes; raises UsageError without one."""
    from duckrisk.release.anonymization import Target

    out = args.options(Output)
    if out.output is None:
        raise UsageError("cli.release_file_missing")
    return Target(out.output, None, out.overwrite)
