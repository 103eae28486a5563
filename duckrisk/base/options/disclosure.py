"""How disclosure is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option
from duckrisk.base.options.identifiability import TOKENS

#: Class sizes that guidelines ask for, where they say 0.33, 0.2, 0.09, 0.075 and 0.05.
CLASS_SIZES = (3, 5, 11, 15, 20)
#: What a missing cell is: a value of its own, one that agrees with every value, or nothing that is known.
Rule = Literal["value", "wildcard", "none"]
MISSING: tuple[Rule, ...] = ("value", "wildcard", "none")
#: The rules for missing cells other than the first are tried unasked on no more records than these.
UNASKED = 20_000
#: How a minimal unique is scored: by the sets around it (Elliot), or as the first program of the IHSN did.
Scores = Literal["elliot", "ihsn"]
#: The parts of an assessment that are about disclosure, in the order of a report.
PARTS = (
    *("class_sizes", "direct_identifiers", "attribute_disclosure", "suda"),
    *("attribute_sets", "minimal_keys", "information_gain"),
)
_LIMITS = "Limits of the search"


@dataclass(frozen=True)
class Options(OptionSet, table="disclosure"):
    """How disclosure is measured. ``quasi_identifiers`` and ``sensitive`` name columns; without them they are
    proposed, with reasons. With ``compare_missing`` searches over attribute sets are run by the other rules
    as well, and what large tables are not measured by unasked is."""

    quasi_identifiers: tuple[str, ...] = option(
        (),
        help="A column an attacker knows.",
        group="Who is who",
        flag="--quasi-identifier",
        metavar="COLUMN",
        shown="every attribute",
    )
    sensitive: tuple[str, ...] = option(
        (),
        help="A column nobody is to learn.",
        group="Who is who",
        metavar="COLUMN",
        shown="proposed by its level",
    )
    class_sizes: tuple[int, ...] = option(
        CLASS_SIZES, help="The sizes of classes that records are counted below.", flags=(), least=2
    )
    missing: Rule = option(
        "value",
        help="A missing cell is a value (value), agrees with all (wildcard), or tells nothing (none).",
    )
    missing_tokens: tuple[str, ...] = option(
        TOKENS, help="Texts that mean a missing cell.", flags=(), setting=False
    )
    compare_missing: bool = option(
        False, help="Measure by the other rules for missing cells as well, where it takes long.", rare=True
    )
    suda_scores: Scores = option(
        "elliot",
        help="How special uniques are scored: elliot, or as sdcMicro's first program did (ihsn).",
        rare=True,
    )
    fraction: float | None = option(
        None,
        help="The share of the population that is in the source.",
        group="Who is who",
        above=0,
        most=1,
        example=0.1,
        rare=True,
    )
    population: str | None = option(
        None,
        help="A table of the people an attacker looks among.",
        group="Source",
        metavar="FILE",
        example="register.parquet",
        rare=True,
    )
    population_count: str | None = option(
        None,
        help="The population's column of class sizes, if it has a row a class.",
        group="Source",
        metavar="COLUMN",
        example="people",
        rare=True,
    )
    weight: str | None = option(
        None,
        help="The column of survey weights.",
        group="Who is who",
        metavar="COLUMN",
        example="weight",
        rare=True,
    )
    household: str | None = option(
        None,
        help="The column of households.",
        group="Who is who",
        metavar="COLUMN",
        example="household",
        rare=True,
    )
    max_size: int | None = option(
        None, help="Examine sets of so many attributes at most.", group=_LIMITS, least=1, example=4, rare=True
    )
    time_limit: float | None = option(
        None, help="Examine sets for so many seconds at most.", group=_LIMITS, above=0, example=60
    )
    seed: int = option(0, help="Random seed: the same seed, the same draws.", setting=False, rare=True)
    share: float = option(
        0.05, help="List attribute sets that single out this share of the people.", above=0, most=1, rare=True
    )
    hierarchies: str | None = option(
        None,
        help="A TOML file with [hierarchies].",
        group="Who is who",
        metavar="FILE",
        shown="the settings file",
        example="hierarchies.toml",
        rare=True,
    )

    @property
    def asks_for_rules(self) -> bool:
        """Whether rules for missing cells other than the first are measured where that takes long, too."""
        return self.missing != "value" or self.compare_missing

    def compares_rules(self, records: int) -> bool:
        """Whether a part whose other rules take long measures by them too, of so many records."""
        return self.asks_for_rules or records <= UNASKED

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of an assessment that settings are given for, which are measured unless parts are
        chosen."""
        usual = Options()
        return tuple(
            part
            for part, names in _SETTINGS_OF.items()
            if any(getattr(self, name) != getattr(usual, name) for name in names)
        )

    def check(self) -> None:
        super().check()
        if not self.class_sizes:
            raise UsageError("options.invalid_class_sizes")
        if self.population_count is not None and self.population is None:
            raise UsageError("options.population_count_alone")


#: What is set for one part alone, or first of all for it.
_SETTINGS_OF = {
    "class_sizes": (
        *("quasi_identifiers", "class_sizes", "fraction", "population", "population_count"),
        *("weight", "household"),
    ),
    "attribute_disclosure": ("sensitive",),
    "minimal_keys": ("share",),
    "suda": ("suda_scores",),
}
