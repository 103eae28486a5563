"""``duckrisk membership exposed``: finds the records that an attacker tries first."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options import select_options
from duckrisk.base.options.output import Output
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import ExposureOptions


@command(
    select_options(Request, "where"),
    ExposureOptions,
    select_options(Output, "show_values", show_values={"help": "Show which records are exposed."}),
    JUDGED,
    *REPORT,
)
def exposed(
    args: CommandLine,
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table to release.")],
) -> None:
    """Find the records that are least like any others.

    An attacker tries them first: a release can be safe for most records, and not for these.
    """
    from duckrisk.contests.membership.exposure import find_exposed
    from duckrisk.contests.membership.release_risks.results import Exposure

    options, resources = args.options(ExposureOptions), read_resources(args)
    request, shown = Request(original, where=args.options(Request).where), args.options(Output).show_values
    run_report_command(
        args,
        lambda progress: find_exposed(request, options, resources, progress, show_values=shown),
        Exposure,
        [request],
        lambda _: [original],
        lambda _: original,
        private=shown,
    )
