"""Which attribute sets are looked at where there are too many for all of them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.measures.uniqueness.results import KnownFacts

#: The places of the attributes of a set, in their order.
Places = tuple[int, ...]

#: Strata are made of no more sets than these: of more, so many are drawn at random first.
LISTED = 10_000
#: Sets of a stratum that are drawn: two say how much its sets differ.
_EACH = 2
#: A set that hardly singles out anybody, by its values, counts as this part of the mean.
_LEAST = 0.05


@dataclass(frozen=True)
class Drawn:
    """Sets that were drawn, each with the number and the size of its stratum; ``listed`` sets are in all
    strata, of ``possible`` ones."""

    sets: tuple[Places, ...]
    strata: tuple[int, ...]
    sizes: tuple[int, ...]
    listed: int
    possible: int

    @property
    def complete(self) -> bool:
        return len(self.sets) == self.possible


def draw(values: Sequence[int], size: int, most: int, records: int, source: random.Random) -> Drawn:
    """All sets of a size of attributes with so many values each, or ``most`` of them, drawn from those with
    many and with few combinations of values alike: whom a set singles out depends on that most of all."""
    possible = math.comb(len(values), size)
    if possible <= LISTED:
        every = list(itertools.combinations(range(len(values)), size))
    else:
        drawn: set[Places] = set()
        while len(drawn) < LISTED:
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
    strata = _strata(every, [_expected(bits[places], records) for places in every], most // _EACH)
    sets: list[Places] = []
    numbers_of: list[int] = []
    sizes: list[int] = []
    for number, stratum in enumerate(strata):
        some = source.sample(stratum, min(_EACH, len(stratum)))
        sets += some
        numbers_of += [number] * len(some)
        sizes += [len(stratum)] * len(some)
    return Drawn(tuple(sets), tuple(numbers_of), tuple(sizes), len(every), possible)


def _expected(bits: float, records: int) -> float:
    """A rough idea of the share of records that are alone with one of so many combinations of values."""
    return 1 / (1 + records / 2 ** min(bits, 1000.0))


def _strata(every: Sequence[Places], expected: Sequence[float], many: int) -> list[Sequence[Places]]:
    """Cut sets, in their order, into ``many`` strata that are expected to single out equally many."""
    least = _LEAST * math.fsum(expected) / len(expected)
    left = math.fsum(expected) + least * len(expected)
    strata: list[Sequence[Places]] = []
    first, inside = 0, 0.0
    for place, share in enumerate(expected):
        inside += share + least
        after = many - len(strata) - 1
        enough = place + 1 - first >= _EACH and len(every) - place - 1 >= _EACH * after
        if after > 0 and enough and inside * (after + 1) >= left:
            strata.append(every[first : place + 1])
            first, left, inside = place + 1, left - inside, 0.0
    strata.append(every[first:])
    return strata


def can_more_people_decide(facts: Sequence[KnownFacts], limit: float, people: int) -> bool:
    """Return whether more people could move a limit out of an interval.

    Few people make two standard errors of a share; the rest of the interval is of the drawn sets.

    Args:
        facts: The shares by number of facts, of a sample of people.
        limit: The limit of the largest typical share.
        people: The people of the sample.
    """
    strongest = max(facts, key=lambda known: (known.typical, known.facts))
    error = 2 * math.sqrt(strongest.typical * (1 - strongest.typical) / people)
    is_inside = strongest.typical_lower <= limit < strongest.typical_upper
    return is_inside and abs(strongest.typical - limit) <= error
