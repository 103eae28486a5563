"""Find the mass of a release on the combinations of one or two attributes with few values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.release.comparison.coverage import Coverage

#: Points of the grid of two attributes; larger ones are compared by lookups (a choice: most are empty then).
MAX_POINTS = 250_000
#: Points of the grids of one statement (measured: a million take 0.2 GB).
_POINTS_PER_STATEMENT = 1_000_000


def split_batches(coverage: Coverage, sets: Sequence[Sequence[int]]) -> list[list[tuple[int, ...]]]:
    """Split sets of one or two attributes into batches of a statement each.

    Args:
        coverage: What the values of the release cover.
        sets: Numbers of the attributes of each set.
    """
    batches: list[list[tuple[int, ...]]] = []
    room, leaves = 0, coverage.leaves
    for numbers in sets:
        combinations = min(leaves.records, math.prod(leaves.counts[number] for number in numbers))
        points = max(count_points(coverage, numbers), combinations)
        if points > room:
            batches.append([])
            room = _POINTS_PER_STATEMENT
        batches[-1].append(tuple(numbers))
        room -= points
    return batches


def count_points(coverage: Coverage, numbers: Sequence[int]) -> int:
    """Count the points of the grid of one or two attributes.

    An attribute that the release lacks has one: all its values have the same mass.
    """
    return math.prod(_count_values(coverage, number) for number in numbers)


def _count_values(coverage: Coverage, number: int) -> int:
    return coverage.leaves.counts[number] if number in coverage.bindings else 1


def find_masses(coverage: Coverage, sets: Sequence[tuple[int, ...]], first_set: int, bits: int) -> None:
    """Find the mass on each combination of each set.

    Args:
        coverage: What the values of the release cover.
        sets: Numbers of the attributes of each set, one or two.
        first_set: Number of the first of these sets.
        bits: Bits after the binary point of masses.
    """
    coverage.prepare_grids()
    first, second = [one[0] for one in sets], [one[1] if len(one) > 1 else -1 for one in sets]
    coverage.session.run(
        "grid_masses",
        first=first,
        second=second,
        first_sizes=[_count_values(coverage, number) for number in first],
        second_sizes=[_count_values(coverage, number) for number in second],
        missing=[part.attribute.number for part in coverage.parts if part.missing],
        bits=bits,
        first_set=first_set,
        replace=first_set == 0,
    )
