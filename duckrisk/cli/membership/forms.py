"""How a command on membership gives its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options.output import FORMATS, JUDGED_FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import finish, judged
from duckrisk.cli.output import check_outputs, form_of, give, in_form, watched
from duckrisk.cli.settings import language
from duckrisk.cli.signature import CommandLine, some

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckrisk.base.results import Result
    from duckrisk.release.anonymization import Target

REPORT = (some(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}), Language, Resources)
#: The options of a command that makes a release of a source.
MAKES = (
    Request,
    some(
        Output,
        *("output", "overwrite", "format", "quiet"),
        output={"help": "The release: a .parquet or .csv file.", "shown": ""},
        format={"help": "The format of the summary.", "shown": "table"},
    ),
    Language,
    Resources,
)
TestOption = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="FILE",
        help="Records that the trees predict. [without it no trees]",
        rich_help_panel="Source",
    ),
]


def target_of(args: CommandLine) -> Target:
    """The release that a command writes."""
    from duckrisk.release.anonymization import Target

    out = args.options(Output)
    if out.output is None:
        raise UsageError("cli.release_file_missing")
    return Target(out.output, None, out.overwrite)


def asked(table: str | None, where: str | None = None) -> Request | None:
    """The table, where one is named."""
    return Request(table, where=where) if table is not None else None


def deliver(
    work: Callable[[Any], Result],
    sources: Sequence[Request | None],
    args: CommandLine,
    private: bool = False,
    out: Output | None = None,
    judging: tuple[type[Result], str] | None = None,
) -> Result:
    """Do the work and write or print the report; ``private`` says that it shows values of records, and
    ``out`` where it goes, if not where all output does. One that is judged comes with its kind and the name
    of what it is about. Returns the report."""
    out = out or args.options(Output)
    form = form_of(
        out.format, out.output, "The report is", JUDGED_FORMATS if judging is not None else FORMATS
    )
    check_outputs(args, sources)
    wanted = judged(work, args, judging[0]) if judging is not None else work
    report: Result = watched(wanted, out.quiet, language(args))
    named = [judging[1]] if judging is not None else []
    give(in_form(report, form, language(args), sources=named), out.output, private)
    if judging is not None:
        finish(report, args, judging[1], language(args), out=out)
    return report
