"""``duckrisk sql``: the statements behind the numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import say
from duckrisk.cli.settings import read_settings, settings_named
from duckrisk.cli.signature import CommandLine, GroupedCommand, command, some
from duckrisk.options.output import SettingsFile
from duckrisk.options.roles import RoleOverrides
from duckrisk.options.source import Request

app = typer.Typer(help="The SQL behind every number.", no_args_is_help=True)


@app.command("list", cls=GroupedCommand)
def sql_list() -> None:
    """List the metrics and the algorithms by topic: one SQL file each."""
    from duckrisk.cli.explain import contents

    say(contents())


@app.command("show", cls=GroupedCommand)
@command(Request, some(RoleOverrides, "user", "attributes"), SettingsFile)
def sql_show(
    args: CommandLine,
    name: Annotated[str, typer.Argument(metavar="METRIC", help="A metric, such as attribute_risk.")],
    source: SourceArgument = None,
    release: Annotated[
        str | None,
        typer.Option(
            "--release",
            metavar="TABLE",
            help="The second table of a metric that compares: a file, or FILE.duckdb:TABLE.",
            rich_help_panel="Source",
        ),
    ] = None,
) -> None:
    """Print a metric's statement for a source, ready for any DuckDB shell."""
    from duckrisk import listing
    from duckrisk.source.requested import request_of

    settings = read_settings(args)
    request = args.options(Request, source=source).or_else(settings.source)
    with settings_named(settings):
        second = request_of(release) if release is not None else None
        statement = listing.statement(
            name, request, settings.overrides, settings.measures, settings.identifiability, second
        )
    say(statement + "\n")


@app.command("macros", cls=GroupedCommand)
def sql_macros() -> None:
    """Print the file of macros for the DuckDB shell: one for every metric."""
    from duckrisk.templates import SQL_FOLDER

    say((SQL_FOLDER / "duckrisk.sql").read_text(encoding="utf-8"))
