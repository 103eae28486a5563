"""``duckrisk membership utility``: measures releases by the indices of the contest."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import Output
from duckrisk.base.options.source import Request, request_or_none
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import AttackOptions, DepthOptions, Tables, TreeOptions


@command(
    select_options(Tables, "test"),
    DepthOptions,
    select_options(Request, "where"),
    select_options(AttackOptions, "attributes", attributes={"help": "Compare this column."}),
    select_options(Output, "show_values", show_values={"help": "Name the categories that differ most."}),
    TreeOptions,
    JUDGED,
    *REPORT,
)
def utility(
    args: CommandLine,
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table that releases are made of.")],
    releases: Annotated[list[str], typer.Argument(metavar="RELEASE", help="A release of it.")],
) -> None:
    """Measure the similarity of releases to the original.

    The report has histogram, covariance, correlation and tree indices, with the thresholds of both rounds of
    the contest of 2020.
    """
    from duckrisk.contests.membership.synthesis.indices import UtilityOptions
    from duckrisk.contests.membership.synthesis.indices import utility as run
    from duckrisk.contests.membership.synthesis.results import Utility
    from duckrisk.contests.membership.synthesis.trees import DEPTH, Target, target_of

    predicted = args.options(TreeOptions).predicted
    depth = args.options(DepthOptions).depth
    if len(depth) > len(predicted):
        raise UsageError("cli.more_depths_than_trees")
    depths = [*depth, *([DEPTH] * len(predicted))]
    targets = [Target(*target_of(text), depth=deep) for text, deep in zip(predicted, depths, strict=False)]
    out, where, resources = args.options(Output), args.options(Request).where, read_resources(args)
    first = Request(original, where=where)
    test = request_or_none(args.options(Tables).test, where)
    others = [Request(name, where=where) for name in releases]
    options = UtilityOptions(args.options(AttackOptions).attributes, targets, out.show_values)
    run_report_command(
        args,
        lambda progress: run(first, others, test, options, resources, progress),
        Utility,
        [first, *others, test],
        lambda _: [original],
        lambda _: original,
        private=out.show_values,
    )
