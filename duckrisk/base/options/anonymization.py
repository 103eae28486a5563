"""Options of anonymization."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option
from duckrisk.base.options.policy import PRESETS

#: The value of ``--to-policy`` for the policy of the settings file.
OF_SETTINGS = "settings"


@dataclass(frozen=True)
class Methods(OptionSet, group="Treatment"):
    """Methods as the command line writes them; they run in the order of their numbers."""

    delete: tuple[str, ...] = option(
        (), help="1. Delete the records that meet a condition.", metavar="CONDITION"
    )
    sample: str | None = option(
        None,
        help="2. Keep a share of the records (0.1), or this number (5000).",
        metavar="NUMBER",
        rare=True,
    )
    truncate: str | None = option(
        None, help="3. Keep this many records of each user: CustomerID=10.", metavar="COLUMN=N", rare=True
    )
    pseudonymize: str | None = option(
        None, help="4. New random names for users: CustomerID, or CustomerID=month.", metavar="COLUMN=PERIOD"
    )
    summarize: str | None = option(
        None,
        help="5. One row a user: counts, sums, first and last, most frequent.",
        metavar="COLUMN",
        rare=True,
    )
    swap: tuple[str, ...] = option(
        (), help="6. A share of the records exchange a cell: age=0.05.", metavar="COLUMN=SHARE", rare=True
    )
    perturb: tuple[str, ...] = option(
        (),
        help="7. Replace a share of the cells by drawn values: age=0.05.",
        metavar="COLUMN=SHARE",
        rare=True,
    )
    bottom: tuple[str, ...] = option(
        (), help="8. Raise smaller numbers to a limit: age=20.", metavar="COLUMN=LIMIT", rare=True
    )
    top: tuple[str, ...] = option(
        (), help="9. Lower larger numbers to a limit: age=90.", metavar="COLUMN=LIMIT", rare=True
    )
    microaggregate: tuple[str, ...] = option(
        (), help="10. The mean of groups of near numbers, of 5 or more: age=5.", metavar="COLUMN=K", rare=True
    )
    generalize: tuple[str, ...] = option(
        (),
        help="11. Coarser: age=10 (widths), date=month, code=prefix3, city=level1 (hierarchy).",
        metavar="COLUMN=HOW",
    )
    suppress_cells: tuple[str, ...] = option(
        (), help="12. * where a condition holds: age=\"city = 'Ise'\".", metavar="COLUMN=CONDITION", rare=True
    )
    suppress: tuple[str, ...] = option((), help="13. * for the whole column.", metavar="COLUMN", rare=True)
    k: int | None = option(
        None, help="14. k-anonymity: K records or more in every class.", metavar="K", minimum=1
    )
    delete_classes_below: int | None = option(
        None,
        help="15. Delete the records of classes of fewer than K records.",
        metavar="K",
        rare=True,
    )
    drop: tuple[str, ...] = option((), help="16. Leave a column out.", metavar="COLUMN")
    shuffle: bool = option(False, help="17. Put the records into a random order.", rare=True)
    sort: bool = option(False, help="18. Put the records into the order of their values.", rare=True)
    quasi_identifiers: tuple[str, ...] = option(
        (),
        help="What an attacker may know, for --k and --delete-classes-below.",
        group="Who is who",
        flag="--quasi-identifier",
        metavar="COLUMN",
    )
    together: int | None = option(
        None,
        help="For --delete-classes-below: any M quasi-identifiers at once.",
        metavar="M",
        default_text="all",
        rare=True,
    )
    user: str | None = option(
        None,
        help="The users: --k, --to-policy and --delete-classes-below count them.",
        group="Who is who",
        metavar="COLUMN",
        default_text="--to-policy finds them",
        rare=True,
    )
    perturb_by: str | None = option(
        None,
        help="For --perturb: draw from the domain, or as often as values are there.",
        choices=("domain", "empirical"),
        open=True,
        default_text="domain",
        rare=True,
    )
    time: str | None = option(
        None,
        help="The column of dates that determines the period of pseudonyms.",
        flag="--date",
        group="Who is who",
        metavar="COLUMN",
        rare=True,
    )


def parse_percent(value: Any) -> Any:
    """Parse a share such as `50%` or `0.5`; anything else stays as it is.

    Args:
        value: The text of the command line.
    """
    text = str(value).strip()
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return value


@dataclass(frozen=True)
class Wishes(OptionSet, group="Treatment"):
    """How quasi-identifiers become coarser, and what a release has to keep."""

    method: str | None = option(
        None,
        help="By class, one form a column, fewer columns, or one row a user.",
        choices=("auto", "local", "uniform", "columns", "summary"),
        default_text="local for --k, auto for --to-policy",
    )
    importance: tuple[str, ...] = option(
        (),
        help="What the detail of a column is worth where others have 1: income=3.",
        metavar="COLUMN=WEIGHT",
        rare=True,
    )
    delete_at_most: float = option(
        0.05,
        help="Maximum share of the records that uniform deletes.",
        metavar="PERCENT",
        default_text="5%",
        minimum=0,
        maximum=1,
        parse=parse_percent,
        rare=True,
    )
    least_detail: float = option(
        0.5,
        help="For --to-policy: write nothing if less of the detail is left.",
        metavar="PERCENT",
        default_text="50%",
        minimum=0,
        maximum=1,
        parse=parse_percent,
        rare=True,
    )

    numbers: str | None = option(
        None,
        help="What numbers and dates become: intervals, the mean, or two columns.",
        choices=("interval", "mean", "bounds"),
        default_text="interval for local, mean for uniform",
        rare=True,
    )
    categories: str | None = option(
        None,
        help="What several categories become: a text such as {a, b}, or a list.",
        choices=("text", "list"),
        default_text="text",
        rare=True,
    )

    @property
    def cells(self) -> dict[str, str]:
        """What numbers and categories become, where a person said so."""
        given = {"numbers": self.numbers, "categories": self.categories}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def weights(self) -> dict[str, float]:
        """The weights by name of the column, above 0.

        Raises:
            UsageError: A text is no column and number, or the number is not above 0.
        """
        weights = {}
        for text in self.importance:
            name, _, number = text.rpartition("=")
            weight = parse_percent(number)
            if not name or not isinstance(weight, float) or not 0 < weight < math.inf:
                raise UsageError("anonymization.invalid_importance", text=text)
            weights[name] = weight
        return weights


@dataclass(frozen=True)
class Steps(OptionSet, group="Treatment"):
    """Methods as Python writes them."""

    steps: tuple[Any, ...] = option(
        (), help="Steps as dictionaries, as in the tables of a recipe; they run in this order.", flags=()
    )


@dataclass(frozen=True)
class Options(OptionSet, group="Treatment"):
    """What methods share, and what replaces them."""

    to_policy: str | None = option(
        None,
        help="Make a release that keeps this policy (settings: that of the settings file).",
        choices=(*PRESETS, OF_SETTINGS),
    )
    recipe: Path | None = option(None, help="Steps from a file instead, in its own order.")
    hierarchies: Path | None = option(
        None,
        help="A TOML file with [hierarchies].",
        group="Source",
        default_text="the settings file",
        rare=True,
    )
    seed: int | None = option(
        None,
        help="Random seed, for the same draws again.",
        default_text="none: nobody can repeat the draws",
        rare=True,
    )
    keys: Path | None = option(
        None, help="Also write who got which pseudonym, for your eyes only.", group="Output"
    )
    into: str | None = option(
        None,
        help="Write to a database: a DuckDB file, sqlite:…, postgres:…, mysql:…, ducklake:….",
        group="Output",
        metavar="DATABASE",
        rare=True,
    )
    into_table: str | None = option(
        None, help="The table to make there.", group="Output", metavar="NAME", rare=True
    )
