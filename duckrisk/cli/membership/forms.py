"""How a command on membership gives its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.cli.output import give, in_form, spare_sources, watched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckrisk.results import Result
    from duckrisk.source import Request


def deliver(
    work: Callable[[Any], Result],
    sources: Sequence[Request],
    form: str,
    output: Path | None,
    quiet: bool,
    private: bool = False,
) -> None:
    """Do the work and write or print the report; ``private`` says that it shows values of records."""
    spare_sources(output, sources)
    give(in_form(watched(work, quiet), form), output, private)
