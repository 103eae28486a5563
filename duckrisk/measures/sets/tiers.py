"""The tiers of attribute sets, which all have one ease, and the sets of a tier, listed in SQL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.combinations import Combinations


@dataclass(frozen=True)
class Tier:
    """All sets of `size` attributes with these highest levels; all have one ease.

    Attributes:
        number: The number of the tier, the easiest first.
        size: Attributes of a set.
        economic: The highest economic level of an attribute.
        psychological: The highest psychological level of an attribute.
    """

    number: int
    size: int
    economic: int
    psychological: int

    def covers(self, level: tuple[int, int]) -> bool:
        """Return whether the levels of an attribute are no higher.

        Args:
            level: The economic and the psychological level of the attribute.
        """
        return level[0] <= self.economic and level[1] <= self.psychological


class Tiers:
    """The sets of the attributes of some combinations, by tier.

    Args:
        combinations: The combinations.

    Attributes:
        tiers: All tiers that have sets, the easiest first; the table `tier_ease` holds their ease.
        by_tier: How many sets each tier has, if all are listed; None if each tier is listed when it comes.
    """

    def __init__(self, combinations: Combinations) -> None:
        self.combinations, self.session = combinations, combinations.session
        shapes = [
            (size, economic, psychological)
            for economic in (1, 2, 3)
            for psychological in (1, 2, 3)
            for size in range(1, len(combinations.levels) + 1)
            if _count_sets(combinations.levels, size, economic, psychological)
        ]
        sizes, economic, psychological = map(list, zip(*shapes, strict=True)) if shapes else ([], [], [])
        self.session.run("tier_ease", sizes=sizes, economic=economic, psychological=psychological)
        self.tiers = [Tier(**row) for row in self.session.run("tiers")]
        self.by_tier: dict[int, int] | None = None
        self._listed = 0

    def count_sets(self, tier: Tier, positions: Sequence[int] | None = None) -> int:
        """Count the sets of a tier.

        Args:
            tier: The tier.
            positions: The positions of the attributes that make sets; None for all.
        """
        levels = self.combinations.levels
        made = levels if positions is None else [levels[position] for position in positions]
        return _count_sets(made, tier.size, tier.economic, tier.psychological)

    def is_too_large(self, tier: Tier) -> bool:
        """Return whether a tier has too many sets to begin with it.

        Args:
            tier: The tier.
        """
        return self.count_sets(tier, self.combinations.searched) > costs.MOST_SETS_OF_A_TIER

    def list_sets(self, positions: Sequence[int], redundant: Sequence[int]) -> None:
        """List the sets of all tiers at once if they are few.

        Args:
            positions: The positions of the attributes and coarser forms that make sets.
            redundant: Sets that add nothing, and what holds one of them neither.
        """
        self._listed, self._redundant, self.by_tier = 0, list(redundant), None
        if len(positions) > costs.LISTED_ATTRIBUTES:
            return
        self.session.run(
            "all_sets",
            sizes=[tier.size for tier in self.tiers],
            economic=[tier.economic for tier in self.tiers],
            psychological=[tier.psychological for tier in self.tiers],
            searched=len(positions),
            words=self.combinations.layout.count,
            redundant=self._redundant,
            low=self.combinations.order.low,
        )
        self.by_tier = {row["tier"]: row["sets"] for row in self.session.run("count_sets")}

    def begin(self, step: Sequence[Tier]) -> tuple[int, int]:
        """Return the number of the first set of some tiers, and how many sets they have.

        Tiers come in their order; sets that are not listed are listed now.

        Args:
            step: The tiers; one if not all sets are listed.
        """
        if self.by_tier is not None:
            first = sum(sets for number, sets in self.by_tier.items() if number < step[0].number)
            return first, sum(self.by_tier.get(tier.number, 0) for tier in step)
        (tier,) = step
        first = self._listed
        count = self.combinations.fill(
            "tier_sets",
            tier=tier.number,
            size=tier.size,
            economic=tier.economic,
            psychological=tier.psychological,
            words=self.combinations.layout.count,
            redundant=self._redundant,
            low=self.combinations.order.low,
            before=first,
            replace=tier.number == 0,
        )
        self._listed += count
        return first, count

    def list_useful(
        self, step: Sequence[Tier], has_questions: bool, after: int | None = None, among: str = "sets"
    ) -> tuple[int, int]:
        """List the sets of some tiers that can single out an open person.

        Args:
            step: The tiers.
            has_questions: Whether what is open are questions.
            after: List only the useful sets after this number; None for all sets of the tiers.
            among: The table of the sets.

        Returns:
            How many sets are useful, and for how many open combinations on average.
        """
        self.session.run(
            "useful_sets",
            sets=among,
            after=after,
            first=step[0].number,
            last=step[-1].number,
            words=self.combinations.layout.count,
            questions=has_questions,
            low=self.combinations.order.low,
        )
        row = self.session.fetch_row("count_useful")
        return row["sets"], row["wanted"] // max(1, row["sets"])


def count_possible(attributes: int) -> int:
    """Count the sets of some attributes.

    Args:
        attributes: The number of attributes.
    """
    return int(2**attributes - 1)


def _count_sets(levels: Sequence[tuple[int, int]], size: int, economic: int, psychological: int) -> int:
    """Count the sets with exactly this size and these highest levels."""

    def count_up_to(e: int, p: int) -> int:
        return math.comb(sum(level[0] <= e and level[1] <= p for level in levels), size)

    e, p = economic, psychological
    return count_up_to(e, p) - count_up_to(e - 1, p) - count_up_to(e, p - 1) + count_up_to(e - 1, p - 1)
