"""Options of disclosure and of class sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option
from duckrisk.base.options.identifiability import TOKENS

#: Records; the class sizes of guidelines whose limits are 0.33, 0.2, 0.09, 0.075 and 0.05.
CLASS_SIZES = (3, 5, 11, 15, 20)
#: A missing cell is a value of its own, agrees with every value, or is unknown to the attacker.
Rule = Literal["value", "wildcard", "none"]
MISSING: tuple[Rule, ...] = ("value", "wildcard", "none")
#: Records; up to this many, slow parts run by all rules (a choice: a small table answers within seconds).
MAX_RECORDS_OF_ALL_RULES = 20_000
#: The score of a minimal unique: by its supersets (Elliot), or as in the first program of the IHSN.
Scores = Literal["elliot", "ihsn"]
#: The parts of an assessment that are about disclosure, in the order of a report.
PARTS = (
    *("class_sizes", "direct_identifiers", "attribute_disclosure", "suda"),
    *("attribute_sets", "minimal_keys", "information_gain", "noisy_knowledge"),
)
_LIMITS = "Limits of the search"


@dataclass(frozen=True)
class Options(OptionSet, table="disclosure"):
    """How disclosure is measured.

    Without ``quasi_identifiers`` and ``sensitive``, duckrisk proposes these columns with its reasons.
    ``compare_missing`` runs all parts by every rule for missing cells, also the searches over attribute sets
    and the parts that large tables skip.
    """

    quasi_identifiers: tuple[str, ...] = option(
        (),
        help="A column an attacker knows.",
        group="Who is who",
        flag="--quasi-identifier",
        metavar="COLUMN",
        default_text="every attribute",
    )
    sensitive: tuple[str, ...] = option(
        (),
        help="A column whose values must not be disclosed.",
        group="Who is who",
        metavar="COLUMN",
        default_text="proposed by its level",
    )
    class_sizes: tuple[int, ...] = option(
        CLASS_SIZES, help="The sizes of classes that records are counted below.", flags=(), minimum=2
    )
    missing: Rule = option(
        "value",
        help="A missing cell: value (a value), wildcard (agrees with all) or none (unknown).",
    )
    missing_tokens: tuple[str, ...] = option(
        TOKENS, help="Texts that mean a missing cell.", flags=(), setting=False
    )
    compare_missing: bool = option(
        False, help="Measure by the other rules for missing cells as well, where it takes long.", rare=True
    )
    suda_scores: Scores = option(
        "elliot",
        help="How special uniques are scored: elliot, or ihsn (sdcMicro's first program).",
        rare=True,
    )
    fraction: float | None = option(
        None,
        help="The share of the population that is in the source.",
        group="Who is who",
        above=0,
        maximum=1,
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
        None, help="Maximum number of attributes in a set.", group=_LIMITS, minimum=1, example=4, rare=True
    )
    time_limit: float | None = option(
        None, help="Maximum number of seconds for a search over sets.", group=_LIMITS, above=0, example=60
    )
    seed: int = option(0, help="Random seed: the same seed, the same draws.", setting=False, rare=True)
    share: float = option(
        0.05,
        help="List attribute sets that single out this share of the people.",
        above=0,
        maximum=1,
        rare=True,
    )
    noisy_days: int = option(
        14,
        help="Dates known by an attacker are wrong by up to this many days (noisy_knowledge).",
        minimum=0,
        maximum=10_000,
        rare=True,
    )
    noisy_band: float = option(
        0.1,
        help="Numbers known are wrong by up to this share of the middle half's range.",
        minimum=0,
        maximum=10,
        rare=True,
    )
    hierarchies: str | None = option(
        None,
        help="A TOML file with [hierarchies].",
        group="Who is who",
        metavar="FILE",
        default_text="the settings file",
        example="hierarchies.toml",
        rare=True,
    )

    @property
    def has_all_rules(self) -> bool:
        """Whether slow parts run by every rule on a table of any size."""
        return self.missing != "value" or self.compare_missing

    def can_compare_rules(self, records: int) -> bool:
        """Return whether slow parts run by every rule on this number of records."""
        return self.has_all_rules or records <= MAX_RECORDS_OF_ALL_RULES

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts with changed settings; they run unless parts are chosen."""
        defaults = Options()
        return tuple(
            part
            for part, names in _SETTINGS_OF.items()
            if any(getattr(self, name) != getattr(defaults, name) for name in names)
        )

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if not self.class_sizes:
            raise UsageError("options.invalid_class_sizes")
        if self.population_count is not None and self.population is None:
            raise UsageError("options.population_count_alone")


#: By part, the settings that concern it alone or mainly.
_SETTINGS_OF = {
    "class_sizes": (
        *("quasi_identifiers", "class_sizes", "fraction", "population", "population_count"),
        *("weight", "household"),
    ),
    "attribute_disclosure": ("sensitive",),
    "minimal_keys": ("share",),
    "suda": ("suda_scores",),
    "noisy_knowledge": ("noisy_days", "noisy_band"),
}
