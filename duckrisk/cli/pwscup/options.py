"""What the commands on purchase histories share."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import Selection, select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.source import Resources
from duckrisk.cli.settings import settings_path
from duckrisk.cli.signature import CommandLine
from duckrisk.contests.pwscup.options import Layout, Options, Tables

#: No path is as long as a line of these.
MOST_CELLS = 10_000
#: The options of a history whose columns have names, and of every command.
HISTORY = (Layout, select_options(Options, "period"), SettingsFile, Resources)
#: Those of a history of which only what the contest needs is read.
SHORT_HISTORY = (select_options(Layout, "user", "date", "item"), SettingsFile, Resources)
REPORT = (select_options(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}), Language)

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


def tables_of(args: CommandLine, tables: list[str] | None) -> tuple[str, list[str]]:
    """Return the original and its releases, which are arguments in this order or named by options."""
    named, rest = args.options(Tables), list(tables or ())
    original: str | None = named.original
    if original is None:
        if not rest:
            raise UsageError("pwscup.release_missing")
        original, *rest = rest
    return original, [*rest, *named.releases]


def pair_of(args: CommandLine, tables: list[str] | None) -> tuple[str | None, str]:
    """Return the original, if there is one, and the one release; a table alone is the release."""
    named, rest = args.options(Tables), list(tables or ())
    original: str | None = named.original
    release: str | None = named.release
    if release is None and rest:
        release = rest.pop()
    if original is None and rest:
        original = rest.pop()
    if release is None or rest:
        raise UsageError("pwscup.not_one_release")
    return original, release


def writes(help: str) -> tuple[Selection, type[Language]]:
    """The options of a command that writes a file, and says so."""
    needed = {"help": help, "default_text": "", "required": True}
    summary = {"help": "The format of the summary.", "default_text": "table"}
    silent = {"help": "No progress and no summary."}
    names = ("output", "format", "overwrite", "quiet")
    return select_options(Output, *names, output=needed, format=summary, quiet=silent), Language


def history_options(args: CommandLine, source: str | None = None, **more: Any) -> Options:
    """The options of histories: those that were given, else those of the settings file, else ``more`` and the
    defaults.

    Names of columns in the settings file are not for a ``source`` that is a file of the contest.
    """
    from duckrisk.api import config as settings_file
    from duckrisk.contests.pwscup.contest_format import is_of_contest
    from duckrisk.contests.pwscup.options import layout_of

    path, columns, own = settings_path(args), args.of(Layout), args.of(Options)
    settled = settings_file.read_history(path) if path is not None else {}
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
