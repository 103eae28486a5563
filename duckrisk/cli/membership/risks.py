"""``duckrisk membership risks``: measures singling out, linkability and inference."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options import select_options
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import RiskOptions, Tables


@command(select_options(Tables, "control"), select_options(Request, "where"), RiskOptions, JUDGED, *REPORT)
def risks(
    args: CommandLine,
    original: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The table that the release is made of.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of it.")],
) -> None:
    """Measure singling out, linkability and inference of a release.

    A naive attacker and a control set give the baselines.
    """
    from duckrisk.contests.membership.release_risks.measuring import risks as run
    from duckrisk.contests.membership.release_risks.results import Risks

    options, resources = args.options(RiskOptions), read_resources(args)
    where = args.options(Request).where
    first, second = Request(original, where=where), Request(release, where=where)
    control = request_or_none(args.options(Tables).control, where)
    run_report_command(
        args,
        lambda progress: run(first, second, control, options, resources, progress),
        Risks,
        [first, second, control],
        lambda _: [release],
        lambda _: release,
    )
