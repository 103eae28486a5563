"""``duckrisk sql``: the statements behind the numbers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import OtherTable, Request
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import escape_controls, print_result
from duckrisk.cli.settings import name_settings_in_errors, read_settings
from duckrisk.cli.signature import CommandLine, GroupedCommand, command

if TYPE_CHECKING:
    pass

app = typer.Typer(help="The SQL behind every number.", no_args_is_help=True)


@app.command("list", cls=GroupedCommand)
@command(Language)
def sql_list(args: CommandLine) -> None:
    """List metrics and algorithms by topic."""
    from duckrisk.report.explaining import format_contents

    print_result(format_contents(args.options(Language).resolved))


@app.command("show", cls=GroupedCommand)
@command(OtherTable, Request, select_options(RoleOverrides, "user", "attributes"), SettingsFile, Language)
def sql_show(
    args: CommandLine,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A metric, such as attribute_risk; an algorithm, such as jo_model; or a step.",
        ),
    ],
    source: SourceArgument = None,
) -> None:
    """Print the statements of a metric or an algorithm.

    A metric is ready for any DuckDB shell. Statements of an algorithm are printed as they run when SOURCE is
    assessed, without a source as they are written.
    """
    from duckrisk.api import statements
    from duckrisk.engine.session import Resources
    from duckrisk.source.requests import parse_request

    if source is None and statements.is_algorithm(name):
        _print_statements(statements.format_written(name), args)
        return
    settings = read_settings(args)
    request = args.options(Request, source=source).with_defaults_from(settings.source)
    resources = Resources().with_readings_from(settings)
    with name_settings_in_errors(settings):
        release = args.options(OtherTable).release
        second = parse_request(release) if release is not None else None
        text = statements.format_statements(name, request, settings, second, resources)
    _print_statements(text, args)


def _print_statements(text: str, args: CommandLine) -> None:
    """Print SQL; in Japanese the first line says that its comments are in English."""
    if args.options(Language).resolved != "en":
        from duckrisk.report.explaining.japanese import note_comments

        text = f"{note_comments()}\n{text}"
    print_result(text)


@app.command("macros", cls=GroupedCommand)
@command(
    select_options(
        Output,
        *("output", "overwrite"),
        output={"help": "Write the macros as a DuckDB database, duckrisk.duckdb, to attach in a shell."},
    ),
    Language,
)
def sql_macros(args: CommandLine) -> None:
    """Print the macros for the DuckDB shell, one per metric.

    With -o they become a database, which also compares tables with the limits of a policy: attach it as
    duckrisk, then FROM duckrisk.help().
    """
    from duckrisk.base.files import check_target, refuse_overwriting, write_file
    from duckrisk.base.sentences import Data, Sentence
    from duckrisk.engine.templates import SQL_FOLDER, literal
    from duckrisk.report.words import Words

    out = args.options(Output)
    if out.output is None:
        _print_statements((SQL_FOLDER / "duckrisk.sql").read_text(encoding="utf-8"), args)
        return
    if out.output.suffix != ".duckdb":
        raise UsageError("cli.macros_not_a_database", output=out.output)
    check_target(out.output)
    refuse_overwriting(out.output, out.overwrite)
    from duckrisk.decision.shell import write_database

    write_file(out.output, write_database, private=False)
    written = Sentence("sql.macros_written", file=Data(out.output), literal=Data(literal(str(out.output))))
    print(escape_controls(Words(args.options(Language).resolved).format(written)), file=sys.stderr)
