"""``duckrisk membership utility``: how like releases are to the original, by the indices of the contest."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options.output import Output
from duckrisk.base.options.source import Request
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.membership.forms import REPORT, TestOption, asked, deliver
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.contests.membership.options import AttackOptions, TreeOptions


@command(
    some(Request, "where"),
    some(AttackOptions, "attributes", attributes={"help": "Compare this column."}),
    some(Output, "show_values", show_values={"help": "Name the categories that differ most."}),
    TreeOptions,
    JUDGED,
    *REPORT,
)
def utility(
    args: CommandLine,
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table that releases are made of.")],
    releases: Annotated[list[str], typer.Argument(metavar="RELEASE", help="A release of it.")],
    test: TestOption = None,
    depth: Annotated[
        list[int] | None,
        typer.Option(
            "--depth",
            metavar="N",
            help="How deep the tree of a --predict is, in their order. Repeatable. [5]",
            rich_help_panel="What is measured",
        ),
    ] = None,
) -> None:
    """Measure how like releases are to the original: histogram, covariance, correlation and tree indices,
    with the thresholds of both rounds of the contest of 2020."""
    from duckrisk.contests.membership.synthesis.indices import UtilityOptions
    from duckrisk.contests.membership.synthesis.indices import utility as run
    from duckrisk.contests.membership.synthesis.results import Utility
    from duckrisk.contests.membership.synthesis.trees import DEPTH, Target, target_of

    predicted = args.options(TreeOptions).predicted
    if len(depth or []) > len(predicted):
        raise UsageError("cli.more_depths_than_trees")
    depths = [*(depth or []), *([DEPTH] * len(predicted))]
    targets = [Target(*target_of(text), depth=deep) for text, deep in zip(predicted, depths, strict=False)]
    out, where, resources = args.options(Output), args.options(Request).where, resources_of(args)
    first, tested = Request(original, where=where), asked(test, where)
    others = [Request(name, where=where) for name in releases]
    options = UtilityOptions(args.options(AttackOptions).attributes, targets, out.show_values)
    deliver(
        lambda progress: run(first, others, tested, options, resources, progress),
        [first, *others, tested],
        args,
        out.show_values,
        judging=(Utility, original),
    )
