"""Find the mass of a release on the combinations of one or two attributes with few values."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.release.comparison.coverage import Coverage

#: Points of the grid of two attributes; larger ones are compared by lookups (a choice: most are empty then).
MAX_POINTS = 250_000
#: Points of the grids of one statement (measured: a million take 0.2 GB).
_POINTS_PER_STATEMENT = 1_000_000


def split_batches(sets: Sequence[Sequence[int]], counts: Sequence[int]) -> list[list[tuple[int, ...]]]:
    """Split sets of one or two attributes into batches of a statement each.

    Args:
        sets: Numbers of the attributes of each set.
        counts: Number of values of each attribute.
    """
    batches: list[list[tuple[int, ...]]] = []
    room = 0
    for numbers in sets:
        points = count_points(numbers, counts)
        if points > room:
            batches.append([])
            room = _POINTS_PER_STATEMENT
        batches[-1].append(tuple(numbers))
        room -= points
    return batches


def count_points(numbers: Sequence[int], counts: Sequence[int]) -> int:
    """Count the points of the grid of one or two attributes."""
    return counts[numbers[0]] * (counts[numbers[1]] if len(numbers) > 1 else 1)


def find_masses(coverage: Coverage, sets: Sequence[tuple[int, ...]], first_set: int, bits: int) -> None:
    """Find the mass on each combination of each set.

    Args:
        coverage: What the values of the release cover.
        sets: Numbers of the attributes of each set, one or two.
        first_set: Number of the first of these sets.
        bits: Bits after the binary point of masses.
    """
    coverage.prepare_grids()
    counts = [*coverage.leaves.counts, 1]  # the last is that of -1
    first, second = [one[0] for one in sets], [one[1] if len(one) > 1 else -1 for one in sets]
    coverage.session.run(
        "grid_masses",
        first=first,
        second=second,
        first_sizes=[counts[number] for number in first],
        second_sizes=[counts[number] for number in second],
        bits=bits,
        first_set=first_set,
        replace=first_set == 0,
    )
