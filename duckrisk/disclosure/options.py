"""How disclosure is measured: the settings and what they may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from duckrisk.errors import UsageError
from duckrisk.identifiability.options import TOKENS

#: Class sizes that guidelines ask for, where they say 0.33, 0.2, 0.09, 0.075 and 0.05.
CLASS_SIZES = (3, 5, 11, 15, 20)
#: What a missing cell is: a value of its own, one that agrees with every value, or nothing that is known.
Rule = Literal["value", "wildcard", "none"]
MISSING: tuple[Rule, ...] = ("value", "wildcard", "none")
#: The rules for missing cells other than the first are tried unasked on no more records than these.
UNASKED = 20_000
#: How a minimal unique is scored: by the sets around it (Elliot), or as the first program of the IHSN did.
Scores = Literal["elliot", "ihsn"]
SCORES: tuple[Scores, ...] = ("elliot", "ihsn")


@dataclass(frozen=True)
class Options:
    """How disclosure is measured.

    ``quasi_identifiers`` and ``sensitive`` name columns; without them they are proposed, with reasons.
    ``class_sizes`` are the sizes of classes to report against. ``missing`` is one of :data:`MISSING`, and
    texts in ``missing_tokens`` are missing cells too; with ``compare_missing`` searches over attribute sets
    are run by the other rules as well, and what large tables are not measured by unasked is. ``suda_scores``
    is one of :data:`SCORES`.
    ``fraction`` is the share of the population that the records are. ``population`` is a second table, the
    people that an attacker looks among, with ``population_count`` naming its column of class sizes where it
    has one row a class. ``weight`` names the column of survey weights, ``household`` that of households.
    ``share`` of the people singled out makes a set of attributes one to list.
    ``max_size`` (attributes of a set) and ``time_limit`` (seconds) end searches over attribute sets early.
    ``hierarchies`` is a TOML file with value hierarchies of sensitive attributes.
    """

    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    class_sizes: tuple[int, ...] = CLASS_SIZES
    missing: Rule = "value"
    missing_tokens: tuple[str, ...] = TOKENS
    compare_missing: bool = False
    suda_scores: Scores = "elliot"
    fraction: float | None = None
    population: str | None = None
    population_count: str | None = None
    weight: str | None = None
    household: str | None = None
    max_size: int | None = None
    time_limit: float | None = None
    seed: int = 0
    share: float = 0.05
    hierarchies: str | None = None

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
        """Raise UsageError with one sentence where a setting makes no sense."""
        if self.missing not in MISSING:
            raise UsageError(f'missing is {", ".join(MISSING[:-1])} or {MISSING[-1]}, not "{self.missing}".')
        if not all(isinstance(token, str) for token in self.missing_tokens):
            raise UsageError("missing_tokens takes a list of texts.")
        if self.suda_scores not in SCORES:
            raise UsageError(f'suda_scores is {" or ".join(SCORES)}, not "{self.suda_scores}".')
        if not self.class_sizes or any(type(size) is not int or size < 2 for size in self.class_sizes):
            raise UsageError("class_sizes takes whole numbers of 2 or more.")
        if self.fraction is not None and not (math.isfinite(self.fraction) and 0 < self.fraction <= 1):
            raise UsageError("fraction is the share of the population in the table: above 0, at most 1.")
        if type(self.share) not in (int, float) or not 0 < self.share <= 1:
            raise UsageError("share has to be above 0 and at most 1.")
        if self.max_size is not None and (type(self.max_size) is not int or self.max_size < 1):
            raise UsageError("max_size has to be a whole number of 1 or more.")
        if self.time_limit is not None and not (math.isfinite(self.time_limit) and self.time_limit > 0):
            raise UsageError("time_limit has to be a number of seconds above 0.")
        if self.population_count is not None and self.population is None:
            raise UsageError("population_count names a column of the population; name the population too.")


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
