"""Where the reports of membership go: a terminal, or a file in one of their forms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.cli.output import chosen_format, say, watched, write_text
from duckrisk.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckrisk.report.parts import Report
    from duckrisk.source import Request

_FORMS = ("table", "json", "markdown", "html")

FormatOption = Annotated[str | None, typer.Option("--format", help="table, json, markdown or html.")]


def form_of(format: str | None, output: Path | None) -> str:
    """The form of the report; raises UsageError for one that it has not."""
    form = chosen_format(format, output)
    if form not in _FORMS:
        raise UsageError(f"The report is written as {', '.join(_FORMS)}, not as {form}.")
    return form


def deliver(
    work: Callable[[Any], Report],
    sources: Sequence[Request],
    form: str,
    output: Path | None,
    quiet: bool,
    private: bool = False,
) -> None:
    """Do the work and write or print the report; ``private`` says that it shows values of records."""
    from duckrisk.report.write import check_target, write
    from duckrisk.source import spare_source

    if output is not None:
        check_target(output)
        for request in sources:
            spare_source(output, request)
    report = watched(work, quiet)
    makers = {
        "json": report.to_json,
        "markdown": report.to_markdown,
        "html": report.to_html,
        "table": report.to_text,
    }
    text = makers[form]()
    if output is not None:
        write(output, lambda path: write_text(path, text), private=private)
    else:
        say(text)
