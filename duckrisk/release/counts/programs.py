"""The bounds of hidden cells in tables of three ways and more, by linear programs or by single lines."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

from duckrisk.release.counts.cells import Cells, Place

#: Distance of a bound from a whole number that is an error of the solver (HiGHS keeps rows within 1e-7).
_ERROR = 1e-5
#: Rounds over all lines (a choice: bounds that contradict each other may move by 1 in each).
_MAX_ROUNDS = 50


def has_programs() -> bool:
    """Return whether a solver of linear programs is installed."""
    return importlib.util.find_spec("scipy") is not None


class Boxes:
    """Bounds that follow from one line after the other: never too close, but perhaps too far.

    Attributes:
        contradictory: The cells of lines that no counts of 0 or more fit.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.contradictory: set[Place] = set()
        self._bounds: dict[Place, tuple[int, int | None]] | None = None
        self.contradictory = {
            place for place, (lower, upper) in self._find().items() if upper is not None and lower > upper
        }

    def add(self, place: Place, count: int) -> None:
        """Hide one cell more."""
        self._bounds = None

    def find_bounds(self, place: Place) -> tuple[int, int | None]:
        """Return the least and the largest count of a hidden cell."""
        return self._find()[place]

    def is_by_subtraction(self, place: Place) -> bool:
        """Return whether a line has no other hidden cell."""
        lines = [[*parts, line[1]] for line, parts in self.cells.lines()]
        return any(place in line and len(self.cells.unknown & set(line)) == 1 for line in lines)

    def _find(self) -> dict[Place, tuple[int, int | None]]:
        if self._bounds is None:
            self._bounds = {place: (0, self.cells.most.get(place)) for place in self.cells.unknown}
            lines = [(line[1], parts) for line, parts in self.cells.lines()]
            for _ in range(_MAX_ROUNDS):
                changed = [self._tighten(total, parts) for total, parts in lines]
                if not any(changed):
                    break
        return self._bounds

    def _tighten(self, total: Place, parts: list[Place]) -> bool:
        """Narrow the bounds of the cells of a line; return whether any changed."""
        assert self._bounds is not None
        changed, signed = False, [(total, -1), *((part, 1) for part in parts)]
        for place, sign in signed if any(place in self._bounds for place, _ in signed) else ():
            if place not in self._bounds:
                continue
            lower, upper = self._bounds[place]
            if upper is not None and lower > upper:
                continue
            others = [(other, sign * other_sign) for other, other_sign in signed if other != place]
            # place = - sum of sign * other: least where others of sign 1 are largest.
            ends = [self._range(other) for other, _ in others]
            least = [
                low if s < 0 else None if high is None else -high
                for (_, s), (low, high) in zip(others, ends, strict=True)
            ]
            most = [-low if s > 0 else high for (_, s), (low, high) in zip(others, ends, strict=True)]
            if None not in least and sum(least) > lower:  # type: ignore[arg-type]
                lower, changed = sum(least), True  # type: ignore[arg-type]
            if None not in most and (upper is None or sum(most) < upper):  # type: ignore[arg-type]
                upper, changed = sum(most), True  # type: ignore[arg-type]
            self._bounds[place] = lower, upper
        return changed

    def _range(self, place: Place) -> tuple[int, int | None]:
        assert self._bounds is not None
        count = self.cells.count_at(place)
        return self._bounds.get(place, (count, count))


class Programs(Boxes):
    """Bounds by two linear programs for each cell, which whole numbers may not reach."""

    def __init__(self, cells: Cells) -> None:
        self._matrix: Any = None
        super().__init__(cells)
        if cells.unknown and self._solve(next(iter(sorted(cells.unknown))), 1) is None:
            self.contradictory = set(cells.hidden)

    def add(self, place: Place, count: int) -> None:
        """Hide one cell more."""
        super().add(place, count)
        self._matrix = None

    def find_bounds(self, place: Place) -> tuple[int, int | None]:
        """Return the least and the largest count of a hidden cell."""
        outer = super().find_bounds(place)
        if outer[0] == outer[1]:
            return outer
        low, high = self._solve(place, 1), self._solve(place, -1)
        lower = max(outer[0], math.ceil((low or 0) - _ERROR))
        return lower, None if high is None or math.isinf(high) else math.floor(high + _ERROR)

    def is_by_subtraction(self, place: Place) -> bool:
        """Return whether the count is the same where counts can be negative."""
        ends = [self._solve(place, sign, signed=True) for sign in (1, -1)]
        return None not in ends and not any(map(math.isinf, ends)) and abs(ends[0] - ends[1]) < _ERROR  # type: ignore[arg-type,operator]

    def _solve(self, place: Place, sign: int, signed: bool = False) -> float | None:
        """Return the least count of a cell, or the largest for -1; None if none fits."""
        from scipy.optimize import linprog  # type: ignore[import-not-found,import-untyped,unused-ignore]

        if self._matrix is None:
            self._matrix = self._make_matrix()
        columns, rows, right = self._matrix
        costs = [0.0] * len(columns)
        costs[columns[place]] = sign
        limits = [(None, None) if signed else (0, self.cells.most.get(cell)) for cell in columns]
        found = linprog(costs, A_eq=rows, b_eq=right, bounds=limits, method="highs")
        if found.status == 3:
            return -sign * math.inf
        return sign * float(found.fun) if found.status == 0 else None

    def _make_matrix(self) -> tuple[dict[Place, int], Any, list[int]]:
        from scipy.sparse import coo_array  # type: ignore[import-not-found,import-untyped,unused-ignore]

        columns = {place: number for number, place in enumerate(sorted(self.cells.unknown))}
        entries: list[tuple[int, int, int]] = []
        right: list[int] = []
        for line, parts in self.cells.lines():
            signed = [(line[1], -1), *((part, 1) for part in parts)]
            if any(place in columns for place, _ in signed):
                entries += [(s, len(right), columns[place]) for place, s in signed if place in columns]
                right.append(
                    -sum(s * self.cells.count_at(place) for place, s in signed if place not in columns)
                )
        signs, rows, at = zip(*entries, strict=True)
        return columns, coo_array((signs, (rows, at)), shape=(len(right), len(columns))).tocsr(), right
