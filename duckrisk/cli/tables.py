"""``duckrisk tables``: checks tables of counts."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from duckrisk.base.options import counts, policy, select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command


@command(
    *(counts.OF_SOURCES, counts.Options, Resources),
    select_options(policy.Options, "name"),
    JUDGED,
    select_options(Output, "output", "format", "show_values", "quiet", format={"choices": JUDGED_FORMATS}),
    Language,
)
def tables(
    args: CommandLine,
    published: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE",
            help="Tables of counts of the same people, or records: a file, a glob, or FILE.duckdb:TABLE.",
        ),
    ],
) -> None:
    """Find hidden counts that totals reveal, and what else to hide.

    A row of TABLE is a cell (--count), or TABLE is a crosstab, or records are counted (--by).
    """
    from duckrisk.release.counts import run
    from duckrisk.release.counts.results import Tables
    from duckrisk.source.requests import parse_request

    given, out = args.options(Request), args.options(Output)
    requests = [parse_request(table, given.attach).with_defaults_from(given) for table in published]
    options, judged_by, resources = (
        args.options(counts.Options),
        args.options(policy.Options),
        read_resources(args),
    )

    def work(progress: Any) -> Any:
        return run(requests, options, judged_by, resources, progress, show_values=out.show_values)

    run_report_command(
        args,
        work,
        Tables,
        requests,
        lambda report: [table.name for table in report.tables],
        lambda report: report.tables[0].name,
        private=out.show_values,
        command="tables",
    )
