"""How a command on membership gives its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.cli.judging import finish, judged
from duckrisk.cli.output import check_outputs, form_of, give, in_form, watched
from duckrisk.cli.settings import language
from duckrisk.cli.signature import Given, some
from duckrisk.errors import UsageError
from duckrisk.options.output import FORMATS, JUDGED_FORMATS, Language, Output
from duckrisk.options.source import Request, Resources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckrisk.anonymization import Target
    from duckrisk.results import Result

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


def target_of(given: Given) -> Target:
    """The release that a command writes."""
    from duckrisk.anonymization import Target

    out = given.made(Output)
    if out.output is None:
        raise UsageError("cli.say_release_goes_o_file")
    return Target(out.output, None, out.overwrite)


def asked(table: str | None, where: str | None = None) -> Request | None:
    """The table, where one is named."""
    return Request(table, where=where) if table is not None else None


def deliver(
    work: Callable[[Any], Result],
    sources: Sequence[Request | None],
    given: Given,
    private: bool = False,
    out: Output | None = None,
    judging: tuple[type[Result], str] | None = None,
) -> Result:
    """Do the work and write or print the report; ``private`` says that it shows values of records, and
    ``out`` where it goes, if not where all output does. One that is judged comes with its kind and the name
    of what it is about. Returns the report."""
    out = out or given.made(Output)
    form = form_of(
        out.format, out.output, "The report is", JUDGED_FORMATS if judging is not None else FORMATS
    )
    check_outputs(given, sources)
    wanted = judged(work, given, judging[0]) if judging is not None else work
    report: Result = watched(wanted, out.quiet, language(given))
    named = [judging[1]] if judging is not None else []
    give(in_form(report, form, language(given), sources=named), out.output, private)
    if judging is not None:
        finish(report, given, judging[1], language(given), out=out)
    return report
