"""What an attacker learns of hidden cells, and which further cells to hide."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from duckrisk.release.counts.cells import Cells, Need, Place
from duckrisk.release.counts.network import UNLIMITED, Network
from duckrisk.release.counts.programs import Boxes, Programs, has_programs


class Solver(Protocol):
    """A way to the bounds of hidden cells."""

    cells: Cells
    contradictory: set[Place]

    def add(self, place: Place, count: int) -> None:
        """Hide one cell more."""

    def find_bounds(self, place: Place) -> tuple[int, int | None]:
        """Return the least and the largest count of a cell; None without a limit."""

    def is_by_subtraction(self, place: Place) -> bool:
        """Return whether a count follows even if counts could be negative."""


@dataclass(frozen=True)
class Bound:
    """What is known of a hidden cell.

    Attributes:
        place: The cell.
        lower: Its least count.
        upper: Its largest count; None if no total limits it.
        by_subtraction: Whether the count follows from the totals alone.
        is_open: Whether the bounds are closer than the rule asks for.
    """

    place: Place
    lower: int
    upper: int | None
    by_subtraction: bool
    is_open: bool

    @property
    def is_exact(self) -> bool:
        """Whether only one count fits."""
        return self.lower == self.upper


def make_solver(cells: Cells) -> Solver:
    """Return what bounds a table: flows for two dimensions, programs for more."""
    if len(cells.sizes) <= 2:
        return Network(cells)
    return Programs(cells) if has_programs() else Boxes(cells)


def list_bounds(solver: Solver) -> list[Bound]:
    """List what is known of each hidden cell, but of those that contradict the totals."""
    places = sorted(solver.cells.hidden - solver.contradictory)
    return [_bound(solver, place) for place in places]


def _bound(solver: Solver, place: Place) -> Bound:
    lower, upper = solver.find_bounds(place)
    need = solver.cells.needs.get(place)
    exact = lower == upper
    count = solver.cells.counts.get(place)
    return Bound(
        place,
        lower,
        upper,
        exact and solver.is_by_subtraction(place),
        need is not None and _is_open(need, count, lower, upper),
    )


def _is_open(need: Need, count: int | None, lower: int, upper: int | None) -> bool:
    top = UNLIMITED if upper is None else upper
    if top - lower < need.width:
        return True
    return count is not None and (top < count + need.above or lower > max(0, count - need.below))


# --- mending --------------------------------------------------------------------------------------


def mend(solver: Solver) -> list[Place]:
    """Hide further cells, the cheapest first, until all bounds are wide enough.

    Args:
        solver: The table; the cells are added to it.

    Returns:
        The cells that were added.
    """
    cells, added = solver.cells, []
    ordered = sorted(cells.needs, key=lambda place: (-max(vars(cells.needs[place]).values()), place))
    for place in ordered:
        if place in solver.contradictory:
            continue
        while (bound := _bound(solver, place)).is_open:
            chosen = _choose(solver, bound)
            if not chosen:
                break
            for more in chosen:
                cells.hidden.add(more)
                solver.add(more, cells.count_at(more))
            added += chosen
    return added


def _choose(solver: Solver, bound: Bound) -> list[Place]:
    """Return the cheapest cells that widen the bounds of one; none if no cells do."""
    cells, need = solver.cells, solver.cells.needs[bound.place]
    if not isinstance(solver, Network):
        return _choose_box(cells, bound.place)
    count = solver.flow[bound.place]
    steps: list[tuple[bool, int]] = []
    if bound.upper is not None and bound.upper < count + need.above:
        steps = [(True, need.above)]
    elif bound.lower > max(0, count - need.below):
        steps = [(False, min(count, need.below))]
    else:
        steps = [(True, need.width), (False, need.width)]
    # Where no cells let the count move that far, the largest step that some cells allow is taken.
    amounts = sorted({amount >> halves for _, amount in steps for halves in range(amount.bit_length())})
    for amount in reversed(amounts):
        found = [solver.find_cheapest(bound.place, upward, amount) for upward, _ in steps]
        ways = [way for way in found if way is not None and way[1]]
        if ways:
            return min(ways, key=lambda way: (way[0], way[1]))[1]
    return []


def _choose_box(cells: Cells, place: Place) -> list[Place]:
    """Return the cheapest corners of a box in which the count of a cell can move."""
    best: tuple[int, list[Place]] | None = None
    for corners in _boxes(cells, place):
        new = [corner for corner in corners if corner not in cells.unknown]
        if new and all(cells.count_at(corner) and any(corner) for corner in new):
            price = (sum(cells.count_at(corner) for corner in new), new)
            best = min(best, price) if best is not None else price
    return best[1] if best is not None else []


def _boxes(cells: Cells, place: Place) -> Iterator[Sequence[Place]]:
    """Yield the corners of each box with a cell, other than the cell."""
    others = [[n for n in range(size + 1) if n != own] for own, size in zip(place, cells.sizes, strict=True)]
    for opposite in itertools.product(*others):
        corners = itertools.product(*zip(place, opposite, strict=True))
        yield [corner for corner in corners if corner != place]
