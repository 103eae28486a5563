"""Options of reports: their parts, forms and files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.options import OptionSet, option, select_options
from duckrisk.base.options.disclosure import PARTS

#: The formats of an assessment, and those of the other reports.
ALL_FORMATS = ("table", "json", "markdown", "html", "csv", "parquet")
FORMATS = ALL_FORMATS[:4]
#: Formats that list only the findings of a verdict.
FINDINGS = ("sarif", "github")
JUDGED_FORMATS = (*FORMATS, *FINDINGS)
LANGUAGES = ("en", "ja")


@dataclass(frozen=True)
class Output(OptionSet, group="Output"):
    """Where a report goes, and how it is written."""

    output: Path | None = option(
        None,
        help="Write to a file; its suffix says the format.",
        flags=("-o", "--output"),
        default_text="standard output",
    )
    format: str | None = option(
        None,
        help="The format of the report.",
        choices=FORMATS,
        open=True,
        default_text="by the suffix of the output, else table",
    )
    overwrite: bool = option(False, help="Replace an output that is there already.")
    show_values: bool = option(False, help="Show values of people's records in the report.")
    full: bool = option(False, help="Print the whole report, not its first screen alone.")
    quiet: bool = option(False, help="No progress.", flags=("-q", "--quiet"), rare=True)


@dataclass(frozen=True)
class Questions(OptionSet, group="Who is who"):
    """Whether a command asks questions."""

    yes: bool = option(
        False,
        help="Ask nothing: accept proposals that relax no limit, leave the others open.",
        flags=("-y", "--yes"),
    )


@dataclass(frozen=True)
class Draws(OptionSet, group="Output"):
    """The seed of the draws of a release."""

    seed: int | None = option(
        None,
        help="Random seed, for the same draws again.",
        minimum=0,
        below=2**63,
        default_text="none: nobody can repeat the draws",
    )


@dataclass(frozen=True)
class Language(OptionSet, table="report", group="Output"):
    """The language of a report."""

    language: str | None = option(
        None,
        help="The language of the report.",
        flag="--lang",
        choices=LANGUAGES,
        default_text="ja where LANG says so, else en",
        example="ja",
    )

    @property
    def resolved(self) -> str:
        """The chosen language, else that of the environment, else English."""
        if self.language is not None:
            return self.language
        spoken = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
        return "ja" if spoken.startswith("ja") else "en"


@dataclass(frozen=True)
class SettingsFile(OptionSet, group="Source"):
    """The file of settings."""

    config: Path | None = option(
        None, help="A settings file.", metavar="FILE", default_text="duckrisk.toml in the current folder"
    )


@dataclass(frozen=True)
class Judgement(OptionSet, table=""):
    """Which parts an assessment has, and when the command fails."""

    only: tuple[str, ...] | None = option(
        None,
        help="Measure this part alone: attribute_risk, identifiability, class_sizes, ...",
        choices=("attribute_risk", "identifiability", "uniqueness", *PARTS),
        open=True,
        metavar="PART",
        default_text="attribute_risk, identifiability, uniqueness, direct_identifiers, "
        "and what options ask for",
    )
    quick: bool = option(
        False,
        help="Measure only what the verdict needs: no value of a leak, no what-ifs.",
        group="Limits of the search",
        setting=False,
    )
    fail_on: tuple[str, ...] = option(
        (),
        help="Exit 1 if this holds ('attribute_risk.mean_risk > 0.2'); policy: unless a pass.",
        group="Output",
        metavar="CONDITION",
    )
    junit: Path | None = option(
        None,
        help="Write the verdict and the gates as a JUnit file.",
        group="Output",
        setting=False,
        metavar="FILE",
        rare=True,
    )
    baseline: Path | None = option(
        None,
        help="An earlier JSON report of this command on these columns: say what got worse.",
        group="Output",
        setting=False,
        metavar="REPORT.json",
        rare=True,
    )
    evidence: Path | None = option(
        None,
        help="Write a folder to sign and to check: report, settings, SQL log, digests.",
        group="Output",
        setting=False,
        metavar="FOLDER",
    )
    records: Path | None = option(
        None,
        help="Write each record's ease, value and sets to a Parquet file.",
        flag="--records-out",
        group="Output",
        setting=False,
        metavar="FILE",
        rare=True,
    )


#: The gates of a report, as functions in Python take them.
GATES = select_options(
    Judgement,
    *("fail_on", "baseline"),
    fail_on={
        "help": "A gate: a condition on a number of the report, such as 'attribute_risk.mean_risk > 0.2', or "
        "policy. Of the result `passed` is False where one holds, or for policy unless the verdict is a pass."
    },
)
