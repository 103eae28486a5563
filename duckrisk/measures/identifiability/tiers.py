"""The tiers of attribute sets, which all have one ease, and the sets of a tier, listed in SQL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.measures.identifiability.examining import Examining
from duckrisk.measures.identifiability.levels import Level

#: The sets of no more attributes than these are listed in one statement.
LISTED_ATTRIBUTES = 14
#: A tier with more sets than these is not begun.
MOST_SETS_OF_A_TIER = 5_000_000


@dataclass(frozen=True)
class Tier:
    """All sets of ``size`` attributes whose highest levels are these; all have one ease."""

    number: int
    size: int
    economic: int
    psychological: int


class Tiers(Examining):
    """The combinations of a source, and the sets of their attributes, by tier."""

    def _tiers(self) -> list[Tier]:
        """All tiers that have sets, the easiest first; the table ``tier_ease`` holds them by number."""
        shapes = [
            (size, economic, psychological)
            for economic in (1, 2, 3)
            for psychological in (1, 2, 3)
            for size in range(1, len(self.levels) + 1)
            if self._sets_of(size, economic, psychological)
        ]
        sizes, economic, psychological = map(list, zip(*shapes, strict=True)) if shapes else ([], [], [])
        self.session.run("tier_ease", sizes=sizes, economic=economic, psychological=psychological)
        return [Tier(**row) for row in self.session.run("tiers")]

    def _sets_of(
        self, size: int, economic: int, psychological: int, positions: Sequence[int] | None = None
    ) -> int:
        """How many sets, of these attributes or of all, have exactly this size and these highest levels."""
        levels = self.levels if positions is None else [self.levels[position] for position in positions]

        def up_to(e: int, p: int) -> int:
            return math.comb(sum(within(level, e, p) for level in levels), size)

        e, p = economic, psychological
        return up_to(e, p) - up_to(e - 1, p) - up_to(e, p - 1) + up_to(e - 1, p - 1)

    @property
    def sets_possible(self) -> int:
        return int(2 ** len(self.levels) - 1)

    def _too_many(self, tier: Tier, positions: Sequence[int]) -> bool:
        sets = self._sets_of(tier.size, tier.economic, tier.psychological, positions)
        return sets > MOST_SETS_OF_A_TIER

    def _list_sets(self, tiers: Sequence[Tier], positions: Sequence[int]) -> dict[int, int] | None:
        """List the sets of all tiers at once where they are few; returns how many each tier has."""
        self._listed = 0
        if len(positions) > LISTED_ATTRIBUTES:
            return None
        self.session.run(
            "all_sets",
            sizes=[tier.size for tier in tiers],
            economic=[tier.economic for tier in tiers],
            psychological=[tier.psychological for tier in tiers],
            searched=len(positions),
            words=self.layout.count,
            redundant=self.redundant,
        )
        return {row["tier"]: row["sets"] for row in self.session.run("count_sets")}

    def _make_tiers(self, step: Sequence[Tier], listed: dict[int, int] | None) -> tuple[int, int]:
        """The number of the first set of these tiers and how many they have; they are listed now if they were
        not. Tiers come in their order."""
        if listed is not None:
            first = sum(sets for number, sets in listed.items() if number < step[0].number)
            return first, sum(listed.get(tier.number, 0) for tier in step)
        (tier,) = step
        first = self._listed
        count = self._made(
            "tier_sets",
            tier=tier.number,
            size=tier.size,
            economic=tier.economic,
            psychological=tier.psychological,
            words=self.layout.count,
            redundant=self.redundant,
            before=first,
            replace=tier.number == 0,
        )
        self._listed += count
        return first, count

    def _useful(self, step: Sequence[Tier], class_bit: int = 0, after: int | None = None) -> tuple[int, int]:
        """List the sets of these tiers that can single somebody out, or those of them that were useful and
        come after one of these; returns how many these are, and for how many open combinations each is tried
        on the average."""
        self.session.run(
            "useful_sets",
            sets="sets" if after is None else "useful",
            after=after,
            first=step[0].number,
            last=step[-1].number,
            words=self.layout.count,
            questions=self.questions,
            **{"class": class_bit},
        )
        row = self.session.fetch_row("count_useful")
        return row["sets"], row["wanted"] // max(1, row["sets"])


def within(level: Level, economic: int, psychological: int) -> bool:
    return level.economic <= economic and level.psychological <= psychological
