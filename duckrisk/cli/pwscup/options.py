"""What the commands on purchase histories share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.output import check_outputs, form_of, in_form, remark, watched
from duckrisk.cli.settings import language, settings_path
from duckrisk.cli.signature import CommandLine, Some, some
from duckrisk.contests.pwscup.options import Layout, Options

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.release.anonymization import Target

#: No path is as long as a line of these.
MOST_CELLS = 10_000
#: The options of a history whose columns have names, and of every command.
HISTORY = (Layout, some(Options, "period"), SettingsFile, Resources)
#: Those of a history of which only what the contest needs is read.
SHORT_HISTORY = (some(Layout, "user", "date", "item"), SettingsFile, Resources)
REPORT = (some(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}), Language)

OriginalOption = Annotated[
    str | None,
    typer.Option(
        "--original",
        metavar="FILE",
        help="The history as it was (T). [the first table]",
        rich_help_panel="Source",
    ),
]
OriginalArgument = Annotated[
    str,
    typer.Argument(metavar="ORIGINAL", help="The history as it was (T): a file of the contest, or any."),
]
TablesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ORIGINAL RELEASE",
        help="The history as it was (T): a file of the contest, or any; then what was made of it, record by "
        "record: A(T), one or several.",
    ),
]
PairArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ORIGINAL RELEASE",
        help="The history as it was (T): a file of the contest, or any; then what was made of it: A(T).",
    ),
]
ReleasesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--release",
        metavar="FILE",
        help="What was made of it (A(T)). Repeatable. [the tables after the original]",
        rich_help_panel="Source",
    ),
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="FILE",
        help="The table of all customers (M). [those of the original]",
        rich_help_panel="Source",
    ),
]


def original_and_releases(
    tables: list[str] | None, original: str | None, releases: list[str] | None = None
) -> tuple[str, list[str]]:
    """The original and its releases, which stand one after the other or are named by options."""
    rest = list(tables or ())
    if original is None:
        if not rest:
            raise UsageError("pwscup.release_missing")
        original, *rest = rest
    return original, [*rest, *(releases or ())]


def original_and_release(
    tables: list[str] | None, original: str | None, release: str | None = None
) -> tuple[str | None, str]:
    """The original, if there is one, and the one release; a table alone is the release."""
    rest = list(tables or ())
    if release is None and rest:
        release = rest.pop()
    if original is None and rest:
        original = rest.pop()
    if release is None or rest:
        raise UsageError("pwscup.not_one_release")
    return original, release


def writes(help: str) -> tuple[Some, type[Language]]:
    """The options of a command that writes a file, and says so."""
    needed = {"help": help, "shown": "", "required": True}
    summary = {"help": "The format of the summary.", "shown": "table"}
    silent = {"help": "No progress and no summary."}
    names = ("output", "format", "overwrite", "quiet")
    return some(Output, *names, output=needed, format=summary, quiet=silent), Language


def target_of(args: CommandLine) -> Target:
    """The file that a command writes."""
    from duckrisk.release.anonymization import Target

    out = args.options(Output)
    assert out.output is not None
    return Target(out.output, None, out.overwrite)


def history_options(args: CommandLine, source: str | None = None, **more: Any) -> Options:
    """The options of histories: those that were given, else those of the settings file, else ``more`` and the
    defaults.

    Names of columns in the settings file are not for a ``source`` that is a file of the contest.
    """
    from duckrisk.api import config as settings_file
    from duckrisk.contests.pwscup.contest_format import is_of_contest
    from duckrisk.contests.pwscup.options import layout_of

    path, columns, own = settings_path(args), args.of(Layout), args.of(Options)
    settled = settings_file.history(path) if path is not None else {}
    if settled and source is not None and not any(columns.values()) and is_of_contest(source):
        settled = {}
    period = settled.pop("period", None)
    options = Options(layout=layout_of({**settled, **columns}))
    prefix = own.pop("item_prefix", None)
    if prefix is not None or options.layout is not None:
        options = dataclasses.replace(options, item_prefix=prefix or None)
    if period is not None and options.layout is not None:
        options = dataclasses.replace(options, period=period)
    more = {name: value for name, value in more.items() if value is not None}
    return dataclasses.replace(options, **{**more, **own})


def write(work: Callable[[Any], Result], args: CommandLine, *sources: str) -> None:
    """Write a file made of these sources and say what was done, each sentence in a line of its own however
    long a path is."""
    out, spoken = args.options(Output), language(args)
    form = form_of(out.format, None, "The summary is")
    check_outputs(args, map(Request, sources))
    written = watched(work, out.quiet, spoken)
    if not out.quiet or out.format is not None:
        wide = form == "table"
        remark(written.to_text(MOST_CELLS, spoken) if wide else in_form(written, form, spoken))
