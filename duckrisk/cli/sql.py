"""``duckrisk sql``: the statements behind the numbers."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
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
    from duckrisk.engine.sql_log import Statement
    from duckrisk.engine.templates import Algorithm
    from duckrisk.report.statements import ExecutedStatements

app = typer.Typer(help="The SQL behind every number.", no_args_is_help=True)


@app.command("list", cls=GroupedCommand)
@command(Language)
def sql_list(args: CommandLine) -> None:
    """List metrics and algorithms by topic."""
    from duckrisk.cli.explain import format_contents

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
    from duckrisk.api import listing
    from duckrisk.engine import templates
    from duckrisk.engine.session import Resources
    from duckrisk.source.requests import parse_request

    names = {**templates.algorithms(), **dict.fromkeys(templates.catalogue())}
    if name in names and name not in templates.metrics():
        _print_statements(format_statements(name, _find_executed(name, args, source)), args)
        return
    settings = read_settings(args)
    request = args.options(Request, source=source).with_defaults_from(settings.source)
    with name_settings_in_errors(settings):
        release = args.options(OtherTable).release
        second = parse_request(release) if release is not None else None
        statement = listing.render_metric(
            *(name, request, settings.overrides, settings.measures, settings.identifiability, second),
            resources=Resources().with_readings_from(settings),
        )
    _print_statements(statement + "\n", args)


def _print_statements(text: str, args: CommandLine) -> None:
    """Print SQL; in Japanese the first line says that its comments are in English."""
    if args.options(Language).resolved != "en":
        from duckrisk.cli.japanese.explanations import note_comments

        text = f"{note_comments()}\n{text}"
    print_result(text)


#: By topic, the part of an assessment that runs its algorithms; disclosure has a part for each.
_PARTS = {"attribute": "attribute_risk", "identifiability": "identifiability", "uniqueness": "uniqueness"}
#: The topics of every assessment.
_ALWAYS_RUN = ("source", "roles", "engine")


def format_statements(name: str, executed: ExecutedStatements | None = None) -> str:
    """Return statements of an algorithm without values of records.

    Args:
        name: The algorithm, or one of its steps.
        executed: Those that ran are as they ran, the others as they are written.
    """
    from duckrisk.engine import templates

    algorithm = _find_algorithm(name)
    names = algorithm.names if algorithm.name == name else (name,)
    pieces = [f"-- {algorithm.name}: {algorithm.header.summary}\n"]
    for step in names:
        ran = executed.find(step) if executed is not None else None
        if ran is None:
            template = templates.template_of(step)
            pieces.append(f"-- {step}, as it is written\n-- {template.summary}\n{template.body}\n;\n")
        else:
            masked = "; texts that it was given are left out" if ran.is_masked else ""
            pieces.append(f"-- {step}, as it ran{masked}\n{ran.sql}\n;\n")
    return "\n".join(pieces)


def _find_algorithm(name: str) -> Algorithm:
    from duckrisk.engine import templates

    algorithm = templates.algorithms().get(name) or templates.algorithm_of(name)
    assert algorithm is not None
    return algorithm


def _find_executed(name: str, args: CommandLine, source: str | None) -> ExecutedStatements | None:
    """Return the statements of an algorithm that run for a source; None if none does."""
    from duckrisk.report.statements import ExecutedStatements

    parts = _parts_of(_find_algorithm(name)) if source is not None else []
    return ExecutedStatements(_run_parts(args, source, parts)) if parts else None


def _parts_of(algorithm: Algorithm) -> list[str]:
    """Return the parts of an assessment that may run an algorithm; [] if none does."""
    from duckrisk.measures import disclosure

    if algorithm.topic == "disclosure":
        return [part for part in disclosure.PARTS if algorithm.name.startswith(part)] or [*disclosure.PARTS]
    if algorithm.topic in _ALWAYS_RUN:
        return ["direct_identifiers"]
    return [_PARTS[algorithm.topic]] if algorithm.topic in _PARTS else []


def _run_parts(args: CommandLine, source: str | None, parts: list[str]) -> Sequence[Statement]:
    """Assess parts of a source, and return the statements that ran."""
    from duckrisk.decision import assessment
    from duckrisk.engine.session import Resources

    settings = dataclasses.replace(read_settings(args), only=tuple(parts), gates=(), baseline=None)
    request = args.options(Request, source=source).with_defaults_from(settings.source)
    with name_settings_in_errors(settings):
        return assessment.run(request, settings, Resources().with_readings_from(settings)).statements


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
