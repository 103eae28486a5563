"""Options that commands on membership share."""

from __future__ import annotations

from duckrisk.base.options import select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources

REPORT = (
    select_options(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}),
    *(Language, Resources),
)
#: The options of a command that makes a release.
RELEASE_OPTIONS = (
    Request,
    select_options(
        Output,
        *("output", "overwrite", "format", "quiet"),
        output={"help": "The release: a .parquet or .csv file.", "default_text": ""},
        format={"help": "The format of the summary.", "default_text": "table"},
    ),
    Language,
    Resources,
)
