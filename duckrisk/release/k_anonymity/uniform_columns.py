"""Columns during the search for uniform forms: their parts, and what each cut of them gains.

A column of numbers or categories is cut into parts of consecutive units. A column with a ladder (periods,
prefixes, levels of a hierarchy) goes from one rung to a finer one as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from duckrisk.release.k_anonymity.tuples import MAX_SET_VALUES
from duckrisk.release.k_anonymity.uniform_forms import Kind, measure_step

#: Units of a column of numbers (a choice: a cut at a 256th of the records is as good as any other).
MAX_NUMBER_UNITS = 256
#: Units of a column of categories (a choice: rarer values are in no set that anybody reads).
MAX_CATEGORY_UNITS = 1_000

#: By unit that has records, or by rung: what cuts delete.
Counted = Mapping[int, Mapping[str, int]]


@dataclass(frozen=True)
class Cut:
    """A step of the search.

    Attributes:
        part: Index of the part that is cut; 0 for a ladder.
        after: The last unit below the cut, or the rung of a ladder.
        gain: Loss that it saves, summed over records.
        deleted: Records that it deletes.
    """

    part: int
    after: int
    gain: float
    deleted: int


@dataclass
class Parts:
    """A column of numbers or categories, cut into parts of consecutive units.

    Attributes:
        index: Index of the quasi-identifier.
        units: Its units: rank, size, and for numbers the places of both ends.
        leaves: Number of values, a missing one included.
        is_numeric: Whether a part covers what lies between its ends.
        has_missing: Whether there are missing values.
        max_set: Most values of a set.
        weight: Importance of the column.
        exponent: Of the covered share: 1 for NCP, 0.5 for its root.
        ranges: First and last unit of each part, in order.
    """

    index: int
    units: Sequence[Mapping[str, Any]]
    leaves: int
    is_numeric: bool
    has_missing: bool
    max_set: int = MAX_SET_VALUES
    weight: float = 1.0
    exponent: float = 0.5
    ranges: list[tuple[int, int]] = field(default_factory=list)
    #: Whether no cut has been made, so that missing values are in the only part.
    is_whole: bool = True

    def __post_init__(self) -> None:
        self.ranges = [(1, len(self.units))]

    @property
    def can_be_cut(self) -> bool:
        """Whether there are several units."""
        return len(self.units) + self.has_missing > 1

    @property
    def is_left_out(self) -> bool:
        """Whether no cut was made, although there are several values."""
        return self.is_whole and self.can_be_cut

    def measure_share(self, present: Sequence[int]) -> float:
        """Return the share of the range or of the values that units cover together.

        Args:
            present: Ranks of the units, ascending.
        """
        if not present:
            return 0.0
        if self.is_numeric:
            return float(self.units[present[-1] - 1]["high"] - self.units[present[0] - 1]["low"])
        return self.share_of(sum(self.units[rank - 1]["size"] for rank in present))

    def share_of(self, size: int) -> float:
        """Return the share of the values that a set covers.

        Args:
            size: Number of its values.
        """
        return 0.0 if size <= 1 else 1.0 if size > self.max_set else size / self.leaves

    def list_cuts(self, counted: Counted, part: int | None = None) -> Iterator[Cut]:
        """Yield the possible cuts of all parts.

        Args:
            counted: By unit that has records the columns of `uniform_changes`.
            part: The part to cut; None for all.
        """
        for index, (first, last) in enumerate(self.ranges):
            if part is None or part == index:
                yield from self._cut_part(index, counted, [r for r in range(first, last + 1) if r in counted])

    def _cut_part(self, part: int, counted: Counted, present: list[int]) -> Iterator[Cut]:
        missing = counted.get(0) if self.is_whole else None
        if not present or (missing is None and len(present) == 1):
            return
        records = sum(counted[rank]["n"] for rank in present)
        deleted = sum(counted[rank]["uncut"] for rank in present)
        loss = records * self.measure_share(present) ** self.exponent
        if missing is not None:
            loss, deleted = float(records + missing["n"]), deleted + missing["uncut"]
            rest = records * self.measure_share(present) ** self.exponent
            yield Cut(part, 0, self.weight * (loss - rest), deleted)
        size, below, total = 0, 0, sum(self.units[rank - 1]["size"] for rank in present)
        low, high = self.units[present[0] - 1]["low"], self.units[present[-1] - 1]["high"]
        for rank, following in pairwise(present):
            below += counted[rank]["n"]
            deleted += counted[rank]["change"]
            size += self.units[rank - 1]["size"]
            if self.is_numeric:
                shares = self.units[rank - 1]["high"] - low, high - self.units[following - 1]["low"]
            else:
                shares = self.share_of(size), self.share_of(total - size)
            both = below * shares[0] ** self.exponent + (records - below) * shares[1] ** self.exponent
            yield Cut(part, rank, self.weight * (loss - both), deleted)

    def apply_cut(self, cut: Cut) -> None:
        """Divide a part.

        Args:
            cut: The cut.
        """
        first, last = self.ranges[cut.part]
        sides = [(first, cut.after), (cut.after + 1, last)]
        self.ranges[cut.part : cut.part + 1] = [side for side in sides if side[0] <= side[1]]
        self.is_whole = False

    def join_all(self) -> None:
        """Undo all cuts."""
        self.ranges, self.is_whole = [(1, len(self.units))], True

    def join_parts(self, part: int) -> int:
        """Join a part with the next one.

        Args:
            part: The part.

        Returns:
            The last unit of the part before.
        """
        (first, boundary), (_, last) = self.ranges[part : part + 2]
        self.ranges[part : part + 2] = [(first, last)]
        return boundary

    @property
    def state(self) -> tuple[Sequence[tuple[int, int]], bool]:
        """The parts as they are, to come back to."""
        return list(self.ranges), self.is_whole

    @state.setter
    def state(self, state: tuple[Sequence[tuple[int, int]], bool]) -> None:
        self.ranges, self.is_whole = list(state[0]), state[1]

    @property
    def undoable(self) -> int:
        """Number of the cuts that can be undone, also of missing values from all others."""
        return 0 if self.is_whole else max(1, len(self.ranges) - 1)

    def undo_cut(self, place: int) -> int:
        """Undo a cut.

        Args:
            place: Number of the cut, from 0 to `undoable`.

        Returns:
            The last unit below the cut.
        """
        boundary = self.join_parts(place) if len(self.ranges) > 1 else 0
        self.is_whole = len(self.ranges) == 1 and (boundary == 0 or not self.has_missing)
        return boundary

    def measure_saved(self, counts: Mapping[int, int]) -> float:
        """Return the loss that records save, against a column that is left out.

        Args:
            counts: Records of each unit that has some, in order.
        """
        if self.is_left_out:
            return 0.0
        saved = float(sum(counts.values()))
        for first, last in self.ranges:
            present = [rank for rank in counts if first <= rank <= last]
            saved -= sum(counts[rank] for rank in present) * self.measure_share(present) ** self.exponent
        return self.weight * saved

    def measure_roundness(self, rank: int) -> float:
        """Return how round the number is at which a cut divides numbers.

        Args:
            rank: The last unit below the cut.
        """
        return measure_step(self.units[rank - 1]["most"], self.units[rank]["least"])


@dataclass
class Ladder:
    """A column whose values all go to the same rung: a period, a prefix, or a level.

    Attributes:
        index: Index of the quasi-identifier.
        rungs: Options of the step `generalize` for each rung, from coarse to fine; None for the value itself.
        losses: Loss of all records on each rung.
        records: Number of records.
        is_ranged: Whether losses are shares of the range; else of the values.
        leaves: Number of values, a missing one included.
        weight: Importance of the column.
        apart: The rung that is no part of coarser ones (weeks); None if each rung divides the one before.
        rung: The current rung; -1 if the column is left out.
    """

    index: int
    rungs: Sequence[tuple[Kind, Any] | None]
    losses: Sequence[float]
    records: int
    is_ranged: bool
    leaves: int
    weight: float = 1.0
    apart: int | None = None
    rung: int = -1

    @property
    def can_be_cut(self) -> bool:
        """Whether there are finer rungs."""
        return self.rung + 1 < len(self.rungs)

    @property
    def is_whole(self) -> bool:
        """Whether the column is left out."""
        return self.rung < 0

    @property
    def is_left_out(self) -> bool:
        """Whether the column is left out."""
        return self.rung < 0

    @property
    def state(self) -> int:
        """The rung, to come back to."""
        return self.rung

    @state.setter
    def state(self, state: int) -> None:
        self.rung = state

    @property
    def undoable(self) -> int:
        """Number of the steps that can be undone: the last one."""
        return int(self.rung >= 0)

    def undo_cut(self, place: int) -> int:
        """Go back to the next coarser rung.

        Args:
            place: Number of the step, 0.

        Returns:
            The rung before.
        """
        self.rung -= 1
        return self.rung + 1

    def measure_saved(self, counts: Mapping[int, int]) -> float:
        """Return the loss that records save, against a column that is left out.

        Args:
            counts: Records of each unit that has some, or of all units.
        """
        share = 1 - self.losses[self.rung] / self.records if self.rung >= 0 else 0.0
        return self.weight * share * sum(counts.values())

    @property
    def finer(self) -> list[int]:
        """The rungs that divide the current one."""
        rungs = range(self.rung + 1, len(self.rungs))
        return [rung for rung in rungs if self.rung < 0 or rung != self.apart]

    def list_cuts(self, counted: Counted) -> Iterator[Cut]:
        """Yield the steps to all finer rungs.

        Args:
            counted: By rung the column `deleted` of `uniform_rung_deletions`.
        """
        now = float(self.records) if self.rung < 0 else self.losses[self.rung]
        for rung in self.finer:
            yield Cut(0, rung, self.weight * (now - self.losses[rung]), counted[rung]["deleted"])

    def apply_cut(self, cut: Cut) -> None:
        """Go to a finer rung.

        Args:
            cut: The step.
        """
        self.rung = cut.after
