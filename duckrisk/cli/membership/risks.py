"""``duckrisk membership risks``: singling out, linkability and inference, beside a control set."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT, asked, deliver
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.membership.options import RiskOptions


@command(some(Request, "where"), RiskOptions, JUDGED, *REPORT)
def risks(
    args: CommandLine,
    original: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The table that the release is made of.")
    ],
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was made of it.")],
    control: Annotated[
        str | None,
        typer.Option(
            "--control",
            metavar="FILE",
            help="Records like the original's that the release was not made of: a holdout.",
            rich_help_panel="Source",
        ),
    ] = None,
) -> None:
    """Measure three risks of a release, singling out, linkability and inference, beside a naive attacker and
    a control set."""
    from duckrisk.contests.membership.release_risks.measuring import risks as run
    from duckrisk.contests.membership.release_risks.results import Risks

    options, resources = args.options(RiskOptions), resources_of(args)
    where = args.options(Request).where
    first, second, held = Request(original, where=where), Request(release, where=where), asked(control, where)
    deliver(
        lambda progress: run(first, second, held, options, resources, progress),
        [first, second, held],
        args,
        judging=(Risks, release),
    )
