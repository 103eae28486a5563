"""The options that commands on membership share, and the tables and files that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.release.anonymization import Target

REPORT = (
    select_options(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}),
    *(Language, Resources),
)
#: The options of a command that makes a release of a source.
MAKES = (
    Request,
    select_options(
        Output,
        *("output", "overwrite", "format", "quiet"),
        output={"help": "The release: a .parquet or .csv file.", "shown": ""},
        format={"help": "The format of the summary.", "shown": "table"},
    ),
    Language,
    Resources,
)


def target_of(args: CommandLine) -> Target:
    """The release that a command writes."""
    from duckrisk.release.anonymization import Target

    out = args.options(Output)
    if out.output is None:
        raise UsageError("cli.release_file_missing")
    return Target(out.output, None, out.overwrite)
