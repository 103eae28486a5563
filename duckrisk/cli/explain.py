"""``duckrisk explain``: the meaning of a number, and the steps that compute it."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.base.options.output import Language
from duckrisk.cli.output import print_result
from duckrisk.cli.signature import CommandLine, command


@command(Language)
def explain(
    args: CommandLine,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A term, such as k-anonymity, a metric, such as attribute_risk, an algorithm, such as "
            "jo_model, a step, or a key of a report, such as ncp; or: options, policy.",
        ),
    ] = None,
) -> None:
    """Explain a metric, an algorithm, a term or a key of a report; options; policies."""
    print_result(explain_topic(name, args.options(Language).resolved))


def explain_topic(name: str | None, language: str) -> str:
    """Explain a name, the options or the policies; without a name, list what there is.

    Raises:
        UsageError: There is nothing of this name.
    """
    from duckrisk.report import explaining
    from duckrisk.report.words import Words

    if name in ("options", "policy"):
        from duckrisk.cli import reference

        describe = reference.format_options if name == "options" else reference.format_policies
        return describe(language)
    if name is None:
        return explaining.format_contents(language)
    return explaining.format_explanation(name, Words(language))
