"""Options of identifiability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option

#: Texts that mean a missing cell, besides NULL.
TOKENS = ("", "?", "*", "NULL", "N/A")
PROFILES = ("jo2003", "jo_late")
DEFAULT_PROFILE = PROFILES[0]
_LIMITS = "Limits of the search"


def parse_levels(pairs: list[str]) -> tuple[tuple[str, Any], ...]:
    """Parse levels written as NAME=TYPE or NAME=E,P.

    Raises:
        UsageError: A text is written otherwise, or two texts name the same column.
    """
    levels: dict[str, Any] = {}
    for text in pairs:
        name, sign, level = text.rpartition("=")
        if not sign or not name or not level:
            raise UsageError("options.invalid_level", text=text)
        if name in levels:
            raise UsageError("options.duplicate_level", name=name)
        levels[name] = level
    return tuple(levels.items())


@dataclass(frozen=True)
class Options(OptionSet, table="identifiability"):
    """How identifiability is measured.

    Without ``max_sets`` the search ends once its work gets long, unless it is ``thorough``.

    Attributes:
        levels: Pairs of a column and its type of the chart, its [economic, psychological] level, or a mapping
            with a default, and values or a file, for levels by value. They replace the ``settled_levels`` of
            the same columns.
        settled_levels: The same from a settings file.
    """

    levels: tuple[tuple[str, Any], ...] = option(
        (),
        help="A column's sensitivity: age=date_of_birth, income=2,2 (economic, psychological).",
        group="Who is who",
        flag="--level",
        metavar="COLUMN=LEVEL",
        setting=False,
        parse=parse_levels,
    )
    settled_levels: tuple[tuple[str, Any], ...] = ()
    profile: str = option(
        DEFAULT_PROFILE,
        help="The chart of sensitivity levels: jo2003, jo_late, or a CSV file of your own.",
        choices=PROFILES,
        open=True,
        rare=True,
    )
    missing: str = option(
        "none",
        help="A missing cell is unknown (none), or is a value (value).",
        choices=("none", "value"),
    )
    missing_tokens: tuple[str, ...] = option(
        TOKENS,
        help="A text that means a missing cell, instead of the usual ones.",
        flag="--missing-token",
        default_text='empty, "?", "*", "NULL", "N/A"',
        rare=True,
    )
    compare_missing: bool = option(
        True, help="Search by the other rule as well, where cells are missing.", flags=()
    )
    max_sets: int | None = option(
        None,
        help="Maximum number of attribute sets to examine.",
        group=_LIMITS,
        minimum=1,
        example=100_000,
        rare=True,
    )
    max_size: int | None = option(
        None, help="Maximum number of attributes in a set.", group=_LIMITS, minimum=1, example=4, rare=True
    )
    time_limit: float | None = option(
        None, help="Maximum number of seconds for a search over sets.", group=_LIMITS, above=0, example=60
    )
    thorough: bool = option(
        False, help="Search all attribute sets to the end, however long it takes.", group=_LIMITS, rare=True
    )
    what_if: bool | None = option(
        None, help="Compute what would help.", default_text="where it is cheap", example=True, rare=True
    )
    currency: str = option("yen", help="The currency of values.", flags=())
    base: float = option(
        500, help="The value of the least sensitive record.", flags=(), above=0, maximum=10**12
    )
    social_responsibility: int = option(
        1, help="JO's factor, 2 for holders with a higher social responsibility.", flags=(), choices=(1, 2)
    )
    post_response: int = option(
        1, help="JO's factor, 2 where the response to a leak is bad.", flags=(), choices=(1, 2)
    )

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if not all(isinstance(name, str) for name, _ in self.levels):
            raise UsageError("options.levels_not_text")
        if not self.currency.strip():
            raise UsageError("options.currency_not_text")
