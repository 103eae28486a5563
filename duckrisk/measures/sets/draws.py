"""Draw attribute sets by strata, where there are too many to examine all."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.measures.sets import costs

#: The places of the attributes of a set, in their order.
Places = tuple[int, ...]

#: Sets that are drawn from a stratum (derived: two show how much its sets differ).
_DRAWN_OF_STRATUM = 2
#: Part of the mean; a set that hardly singles out anybody counts as this much (a choice: strata stay small).
_LEAST_EXPECTED = 0.05


@dataclass(frozen=True)
class Drawn:
    """Sets that were drawn by strata.

    Attributes:
        sets: The sets.
        strata: The number of the stratum of each set.
        sizes: The number of sets in that stratum.
        listed: Sets in all strata.
        possible: Sets of this size.
    """

    sets: tuple[Places, ...]
    strata: tuple[int, ...]
    sizes: tuple[int, ...]
    listed: int
    possible: int

    @property
    def complete(self) -> bool:
        """Return whether these are all sets."""
        return len(self.sets) == self.possible


def draw_sets(values: Sequence[int], size: int, most: int, records: int, source: random.Random) -> Drawn:
    """Draw sets of a size, by strata of equal numbers of combinations.

    The number of combinations decides more than anything how many people a set singles out.

    Args:
        values: The number of values of each attribute.
        size: Attributes of a set.
        most: Sets to draw; all are taken if there are no more.
        records: Records of the table.
        source: What draws.
    """
    possible = math.comb(len(values), size)
    if possible <= costs.LISTED_SETS:
        every = list(itertools.combinations(range(len(values)), size))
    else:
        drawn: set[Places] = set()
        while len(drawn) < costs.LISTED_SETS:
            drawn.add(tuple(sorted(source.sample(range(len(values)), size))))
        every = sorted(drawn)
    if possible <= most:
        numbers = tuple(range(possible))
        return Drawn(tuple(every), numbers, (1,) * possible, possible, possible)
    # Of sets with the same number of combinations the order is by chance, the same for the same seed.
    logs = [math.log2(max(1, count)) for count in values]
    bits = {places: sum(logs[place] for place in places) for places in every}
    source.shuffle(every)
    every.sort(key=bits.__getitem__, reverse=True)
    expected = [_expect_share(bits[places], records) for places in every]
    strata = _cut_strata(every, expected, most // _DRAWN_OF_STRATUM)
    sets: list[Places] = []
    numbers_of: list[int] = []
    sizes: list[int] = []
    for number, stratum in enumerate(strata):
        some = source.sample(stratum, min(_DRAWN_OF_STRATUM, len(stratum)))
        sets += some
        numbers_of += [number] * len(some)
        sizes += [len(stratum)] * len(some)
    return Drawn(tuple(sets), tuple(numbers_of), tuple(sizes), len(every), possible)


def _expect_share(bits: float, records: int) -> float:
    """Return a rough share of records that are alone among some combinations."""
    return 1 / (1 + records / 2 ** min(bits, 1000.0))


def _cut_strata(every: Sequence[Places], expected: Sequence[float], count: int) -> list[Sequence[Places]]:
    """Cut ordered sets into strata that may single out equally many people."""
    least = _LEAST_EXPECTED * math.fsum(expected) / len(expected)
    left = math.fsum(expected) + least * len(expected)
    strata: list[Sequence[Places]] = []
    first, inside = 0, 0.0
    for place, share in enumerate(expected):
        inside += share + least
        after = count - len(strata) - 1
        has_enough = (
            place + 1 - first >= _DRAWN_OF_STRATUM and len(every) - place - 1 >= _DRAWN_OF_STRATUM * after
        )
        if after > 0 and has_enough and inside * (after + 1) >= left:
            strata.append(every[first : place + 1])
            first, left, inside = place + 1, left - inside, 0.0
    strata.append(every[first:])
    return strata
