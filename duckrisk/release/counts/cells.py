"""The cells of a table of counts, and the lines in which cells add up to a total.

A cell has a place: its number in each dimension from 1, or 0 where it is the total of that dimension.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Place = tuple[int, ...]


@dataclass(frozen=True)
class Need:
    """How far the bounds of a hidden cell must reach, in units of the table.

    Attributes:
        width: The distance of the bounds.
        above: How far the upper bound lies above the true count.
        below: How far the lower bound lies below it.
    """

    width: int = 1
    above: int = 0
    below: int = 0


@dataclass
class Cells:
    """A table as an attacker sees it.

    Attributes:
        sizes: The number of values of each dimension.
        counts: The count of each cell that is shown; of a hidden one what is known to its maker, or None.
        hidden: The places of hidden cells.
        most: The largest count that a mark such as "<5" leaves to a hidden cell.
        needs: How far the bounds of hidden cells must reach.
    """

    sizes: tuple[int, ...]
    counts: dict[Place, int | None]
    hidden: set[Place]
    most: dict[Place, int] = field(default_factory=dict)
    needs: dict[Place, Need] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.margins = {_totals_of(place) for place in self.counts}
        above = {_total(place, margin) for place in self.counts for margin in self.margins if any(margin)}
        #: Totals without a row although their parts have some: unknown, but nothing to protect.
        self.absent = {place for place in above if _totals_of(place) in self.margins} - self.counts.keys()

    def _places(self, margin: tuple[bool, ...]) -> Iterator[Place]:
        """Yield all places whose totals are those of a margin."""
        ranges = (
            (0,) if is_total else range(1, n + 1) for is_total, n in zip(margin, self.sizes, strict=True)
        )
        return itertools.product(*ranges)

    @property
    def unknown(self) -> set[Place]:
        """The cells whose count an attacker lacks."""
        return self.hidden | self.absent

    def lines_of(self, place: Place) -> list[tuple[int, Place]]:
        """Return the lines through a cell, as the dimension and the place of the total."""
        lines = [(dimension, _replace(place, dimension, 0)) for dimension in range(len(self.sizes))]
        return [line for line in lines if self.has_line(*line)]

    def has_line(self, dimension: int, total: Place) -> bool:
        """Return whether the table has the total of a line, and its parts."""
        parts = _totals_of(_replace(total, dimension, 1))
        return _totals_of(total) in self.margins and parts in self.margins

    def lines(self) -> Iterator[tuple[tuple[int, Place], list[Place]]]:
        """Yield each line with the places of its parts; one without a row is empty."""
        for margin in sorted(self.margins):
            for dimension in (number for number, is_total in enumerate(margin) if is_total):
                for total in self._places(margin):
                    if self.has_line(dimension, total):
                        numbers = range(1, self.sizes[dimension] + 1)
                        yield (dimension, total), [_replace(total, dimension, n) for n in numbers]

    def count_at(self, place: Place) -> int:
        """Return the count that a table shows, 0 for a cell without a row."""
        return self.counts.get(place) or 0


def _totals_of(place: Sequence[int]) -> tuple[bool, ...]:
    return tuple(number == 0 for number in place)


def _total(place: Place, margin: tuple[bool, ...]) -> Place:
    return tuple(0 if is_total else number for number, is_total in zip(place, margin, strict=True))


def _replace(place: Place, dimension: int, number: int) -> Place:
    return (*place[:dimension], number, *place[dimension + 1 :])
