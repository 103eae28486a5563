"""Options of the commands on purchase histories."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import Selection, select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.source import Resources
from duckrisk.cli.settings import find_settings_file
from duckrisk.cli.signature import CommandLine
from duckrisk.contests.pwscup.options import Layout, Options, Tables

#: Characters of a line of a summary (a choice: longer than any path, so that none is wrapped).
SUMMARY_WIDTH = 10_000
#: The options of a history with named columns.
HISTORY = (Layout, select_options(Options, "period"), SettingsFile, Resources)
#: The options of a history with the three columns that the contest needs.
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


def find_tables(args: CommandLine, tables: list[str] | None) -> tuple[str, list[str]]:
    """Return the original and its releases, from arguments and options."""
    named, rest = args.options(Tables), list(tables or ())
    original: str | None = named.original
    if original is None:
        if not rest:
            raise UsageError("pwscup.release_missing")
        original, *rest = rest
    return original, [*rest, *named.releases]


def find_pair(args: CommandLine, tables: list[str] | None) -> tuple[str | None, str]:
    """Return the original, if any, and the release; a single table is the release."""
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


def output_options(help: str) -> tuple[Selection, type[Language]]:
    """Return the options of a command that writes a file and prints a summary."""
    required = {"help": help, "default_text": "", "required": True}
    summary = {"help": "The format of the summary.", "default_text": "table"}
    quiet = {"help": "No progress and no summary."}
    names = ("output", "format", "overwrite", "quiet")
    return select_options(Output, *names, output=required, format=summary, quiet=quiet), Language


def read_history_options(args: CommandLine, source: str | None = None, **more: Any) -> Options:
    """Return the options of histories, with those of the settings file.

    Args:
        args: The command line.
        source: The history; a file of the contest ignores the columns of the settings file.
        more: Other defaults.
    """
    from duckrisk.api import config as settings_file
    from duckrisk.contests.pwscup.contest_format import is_of_contest
    from duckrisk.contests.pwscup.options import layout_of

    path, columns, given = find_settings_file(args), args.values_of(Layout), args.values_of(Options)
    in_file = settings_file.read_history(path) if path is not None else {}
    if in_file and source is not None and not any(columns.values()) and is_of_contest(source):
        in_file = {}
    period = in_file.pop("period", None)
    options = Options(layout=layout_of({**in_file, **columns}))
    prefix = given.pop("item_prefix", None)
    if prefix is not None or options.layout is not None:
        options = dataclasses.replace(options, item_prefix=prefix or None)
    if period is not None and options.layout is not None:
        options = dataclasses.replace(options, period=period)
    more = {name: value for name, value in more.items() if value is not None}
    return dataclasses.replace(options, **{**more, **given})
