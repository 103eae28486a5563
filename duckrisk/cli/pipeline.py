"""The two ways of a command: it reports on tables, or it writes a table and says what was done."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.output import JUDGED_FORMATS, Output
from duckrisk.cli.judging import finish, judged
from duckrisk.cli.output import (
    check_outputs,
    deliver,
    form_of,
    in_form,
    print_status,
    remark_written,
    watched,
)
from duckrisk.cli.settings import language, settings_named
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.decision.assessment import Settings
    from duckrisk.release.anonymization import Target
    from duckrisk.source import Request


def report_command(
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
) -> None:
    """Do the work of a command, judge its report, write or print it, and end with the exit code.

    Args:
        args: What was given.
        work: Makes the report; it is called with the progress.
        kind: The type of the report, whose gates are judged; None where the work has judged them.
        sources: What is read; no output may be one of these.
        names: Returns the tables that findings of the report are in, the one that it is about first.
        about: Returns the name of what the report is about, for the JUnit file.
        subject: Begins the sentence on a form that the report has not.
        forms: The forms of the report.
        private: Whether the report shows values of records.
        unmeasured: Parts of the report, or "policy", that this run does not measure.
        settings: The settings of a file that was read, if the command reads any.
        command: The command, where a note says what shortens it.
        out: Where the report goes, if not where all output does.
    """
    out, spoken = out or args.options(Output), settings.language.resolved if settings else language(args)
    form = form_of(out.format, out.output, subject, forms)
    check_outputs(args, sources)
    with settings_named(settings) if settings is not None else contextlib.nullcontext():
        wanted = judged(work, args, kind, unmeasured) if kind is not None else work
        report = watched(wanted, out.quiet, spoken, command)
    deliver(report, form, out, names(report), spoken, private)
    remark_written(out)
    finish(report, args, about(report), spoken, private, out)


def write_command(
    args: CommandLine,
    work: Callable[[Any], Any],
    sources: Sequence[Request | None],
    width: int | None = None,
) -> Any:
    """Do the work of a command that writes a table, and print what was done.

    Args:
        args: What was given.
        work: Writes the table; it is called with the progress.
        sources: What is read; no output may be one of these.
        width: Characters of a line of the summary, if not those of a terminal.

    Returns:
        What was done.
    """
    out, spoken = args.options(Output), language(args)
    form = form_of(out.format, None, "The summary is")
    check_outputs(args, sources)
    written = watched(work, out.quiet, spoken)
    if not out.quiet or out.format is not None or getattr(written, "interrupted", None):
        wide = form == "table" and width is not None
        print_status(written.to_text(width, spoken) if wide else in_form(written, form, spoken))
    return written


def target_of(args: CommandLine) -> Target:
    """Return the file that a command writes; raises UsageError where none is named."""
    from duckrisk.release.anonymization import Target

    out = args.options(Output)
    if out.output is None:
        raise UsageError("cli.release_file_missing")
    return Target(out.output, None, out.overwrite)
