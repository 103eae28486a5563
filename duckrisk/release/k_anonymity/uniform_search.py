"""Top-down specialisation: cut the column that gains most for the records that it deletes.

Every column begins as one group. A step takes the cut with the greatest score, which is (gain - deleted *
worth of a record) / (deleted + allowance), as long as all deleted records are few enough. The score of a
column mostly falls when others are cut, so a column is evaluated again only when it seems the best. Then
single cuts are undone, and others made instead, where that saves more. In the end each cut of numbers is
moved to a round number.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.release.k_anonymity.uniform_columns import Cut, Ladder, Parts

#: Share of records that a cut may delete at no price (GCP of four tables, 0.0005 to 0.016: within 7 % of the
#: best on each; 0.002 is 17 % worse on one).
ALLOWANCE = 0.004
#: Share of the gain that round numbers may cost (a choice: less than deleted records cost).
MAX_ROUNDING_LOSS = 0.02
#: Combinations up to which each cut is undone in turn (tests/k_anonymity/test_optimum.py: 1.06 instead of
#: 1.15 times the best NCP. Larger tables gain little for several times the time).
MAX_IMPROVED_ROWS = 2_000
#: Columns that are evaluated after cuts were undone (a choice: 150 lower the GCP of 500 records by 1 % more
#: and take a second of CPU).
MAX_EVALUATIONS = 60
#: Gain below which a cut is none (derived: sums over 10^12 records are exact to more digits).
_MIN_GAIN = 1e-9


@dataclass
class Search:
    """The state of a search.

    Attributes:
        session: The session that has the table `uniform_rows`.
        columns: The columns.
        records: Number of records.
        k: Least records of a class, or people.
        people: Whether classes count people.
        max_deleted: Most records to delete.
        forms: Number of forms of sensitive columns, whose values no class may disclose.
        deleted: Records that are deleted.
        worth: Loss that a remaining record has saved so far.
    """

    session: Session
    columns: list[Parts | Ladder]
    records: int
    k: int
    people: bool
    max_deleted: int
    forms: int = 0
    deleted: int = 0
    worth: float = 0.0
    _best: dict[int, tuple[float, Cut] | None] = field(default_factory=dict)
    #: Columns that were evaluated.
    _evaluated: int = 0
    #: Column and place of the cut that was undone, which is not made again.
    _undone: tuple[int, int] | None = None

    def run(self, keep: Collection[int] = ()) -> None:
        """Cut columns until no cut gains anything, and move the cuts.

        Args:
            keep: Indices of the columns to cut first, so that none of them is left out.
        """
        self.session.run("uniform_begin")
        kept = [column for column in self.columns if column.index in keep]
        while self._take_step([column for column in kept if column.is_whole], forced=True):
            pass
        self._cut_columns()
        self._improve(keep)
        self._try_apart()
        self._round_cuts()

    def _cut_columns(self) -> None:
        """Cut columns until no cut gains anything."""
        self._best.clear()
        while self._take_step(self.columns):
            pass

    # --- undoing cuts ----------------------------------------------------------------------

    def _improve(self, keep: Collection[int]) -> None:
        """Undo single cuts and make others instead, as long as that saves more.

        In a large table only ladders go back by a rung, where they left nothing for other columns.
        """
        rows = self.session.fetch_row("table_size", source=identifier("uniform_rows"))["found"]
        is_small = rows <= MAX_IMPROVED_ROWS
        columns = [column for column in self.columns if is_small or isinstance(column, Ladder)]
        last, before = self._evaluated + MAX_EVALUATIONS, -1.0
        if not columns or not (is_small or self._leaves_out()):
            return
        saved = self._measure_saved()
        while saved > before:
            before = saved
            for column in columns:
                place = 0
                while place < column.undoable and self._evaluated < last and (is_small or self._leaves_out()):
                    if (found := self._cut_anew(column, place, keep, saved)) > saved:
                        saved = found
                    else:
                        place += 1

    def _leaves_out(self) -> bool:
        return any(column.is_left_out and column.can_be_cut for column in self.columns)

    def _cut_anew(self, column: Parts | Ladder, place: int, keep: Collection[int], saved: float) -> float:
        """Undo a cut and make others, or none if that saves less; return what is saved."""
        states, deleted, worth = [each.state for each in self.columns], self.deleted, self.worth
        self._undone = column.index, column.undo_cut(place)
        found = 0.0
        if not (column.is_whole and column.index in keep):
            self.worth = self._measure_classes() / self.records
            self._cut_columns()
            found = self._measure_saved()
            self.worth = found / self.records
        self._undone = None
        if found > saved + _MIN_GAIN:
            return found
        self.deleted, self.worth = deleted, worth
        for each, state in zip(self.columns, states, strict=True):
            each.state = state
        return saved

    def _try_apart(self) -> None:
        """Write weeks for months where that saves more."""
        for column in self.columns:
            if isinstance(column, Ladder) and column.apart and column.rung == column.apart - 1:
                saved, deleted = self._measure_classes(), self.deleted
                column.rung += 1
                found = self._measure_classes()
                if self.deleted > self.max_deleted or found <= saved + _MIN_GAIN:
                    column.rung -= 1
                    found, self.deleted = saved, deleted
                self.worth = found / self.records

    def _measure_classes(self) -> float:
        """Make the large classes anew, and measure what they save."""
        self._make_classes(large=True)
        return self._measure_saved()

    def _measure_saved(self) -> float:
        """Measure the loss that the remaining records save, and count the deleted ones."""
        counts: dict[int, dict[int, int]] = {column.index: {} for column in self.columns}
        ladders = [column.index for column in self.columns if isinstance(column, Ladder)]
        for row in self.session.run("uniform_counts", indices=list(counts), ladders=ladders):
            counts[row["attribute"]][row["rank"]] = row["n"]
        left = sum(next(iter(counts.values())).values())
        self.deleted = self.records - left
        return sum(column.measure_saved(counts[column.index]) for column in self.columns)

    # --- moving cuts -----------------------------------------------------------------------

    def _round_cuts(self) -> None:
        """Make each cut of numbers anew, at a better place or a rounder number."""
        columns = [
            column
            for column in self.columns
            if isinstance(column, Parts) and column.is_numeric and not column.is_whole
        ]
        cuts = sum(len(column.ranges) - 1 for column in columns)
        tolerance = MAX_ROUNDING_LOSS * self.worth * self.records / max(1, cuts)
        for column in columns:
            for part in range(len(column.ranges) - 1):
                self._move_cut(column, part, tolerance)

    def _move_cut(self, column: Parts, part: int, tolerance: float) -> None:
        """Make the cut after a part anew, at the roundest number that costs little."""
        boundary = column.join_parts(part)
        self._make_classes()
        cuts = [cut for cut in column.list_cuts(self._count_changes(column), part) if cut.after]
        before = [cut for cut in cuts if cut.after <= boundary]
        if not before:  # one side holds no record any more
            column.apply_cut(Cut(part, boundary, 0.0, 0))
            return
        now = max(before, key=lambda cut: cut.after)
        nets = {
            cut: cut.gain - cut.deleted * self.worth
            for cut in cuts
            if cut.deleted <= self.max_deleted - self.deleted + now.deleted
        }
        least = max(nets.values()) - tolerance
        chosen = max(
            (cut for cut in nets if nets[cut] >= least),
            key=lambda cut: (column.measure_roundness(cut.after), nets[cut], -cut.after),
        )
        column.apply_cut(chosen)
        self.deleted += chosen.deleted - now.deleted
        self.worth += (chosen.gain - now.gain) / self.records

    def _make_classes(self, *, large: bool = False) -> None:
        """Make the classes anew, all or the large ones alone."""
        columns = [column for column in self.columns if not column.is_whole]
        ladders = [column.index for column in columns if isinstance(column, Ladder)]
        self.session.run(
            "uniform_classes",
            ladders=ladders,
            tables=[name_units(index) for index in ladders],
            parts=[render_part(column) for column in columns],
            large=large,
            people=self.people,
            k=self.k,
            count=self.forms,
        )

    # --- cutting ---------------------------------------------------------------------------

    def _take_step(self, columns: Collection[Parts | Ladder], forced: bool = False) -> bool:
        """Make the best cut of some columns; return False if there is none.

        With sensitive columns the score without them is a bound, which is counted in half the time.
        """
        first = bool(self.forms)
        for column in columns:
            if column.index not in self._best:
                self._best[column.index] = self._find_best(column, forced, is_bound=first)
        while True:
            scores = {column.index: best[0] for column in columns if (best := self._best[column.index])}
            if not scores:
                return False
            index = min(scores, key=lambda index: (-scores[index], index))
            column = next(column for column in columns if column.index == index)
            least = max((scores[other] for other in scores if other != index), default=-math.inf)
            for is_bound in (True, False) if first else (False,):
                found = self._best[index] = self._find_best(column, forced, is_bound=is_bound)
                if found is None or found[0] < least:
                    break
            else:
                break
        assert found is not None
        self._apply(column, found[1])
        del self._best[index]
        return True

    def _find_best(self, column: Parts | Ladder, forced: bool, *, is_bound: bool) -> tuple[float, Cut] | None:
        """Return the best cut of a column as the classes are now, with its score."""
        if not column.can_be_cut:
            return None
        best: tuple[float, Cut] | None = None
        self._evaluated += 1
        for cut in column.list_cuts(self._count_changes(column, is_bound)):
            if self._undone == (column.index, cut.after):
                continue
            net = cut.gain - cut.deleted * self.worth
            if self.deleted + cut.deleted > self.max_deleted or (net <= _MIN_GAIN and not forced):
                continue
            score = net / (cut.deleted + max(1, ALLOWANCE * self.records))
            if best is None or score > best[0]:
                best = score, cut
        return best

    def _count_changes(
        self, column: Parts | Ladder, is_bound: bool = False
    ) -> Mapping[int, Mapping[str, int]]:
        """Count what all cuts of a column delete; without sensitive columns for a bound."""
        common = self._get_limits(column) | ({"count": 0} if is_bound else {})
        if isinstance(column, Ladder):
            rows = self.session.run(
                "uniform_rung_deletions", units=name_units(column.index), rungs=column.finer, **common
            )
            return {row["rung"]: row for row in rows}
        missing = column.is_whole and column.has_missing
        return {row["rank"]: row for row in self.session.run("uniform_changes", missing=missing, **common)}

    def _get_limits(self, column: Parts | Ladder) -> dict[str, Any]:
        return {"attribute": column.index, "people": self.people, "k": self.k, "count": self.forms}

    def _apply(self, column: Parts | Ladder, cut: Cut) -> None:
        """Cut a column, and the classes with it."""
        common = self._get_limits(column)
        if isinstance(column, Ladder):
            self.session.run("uniform_refine", units=name_units(column.index), rung=cut.after, **common)
        else:
            self.session.run(
                "uniform_cut",
                above=cut.after + 1,
                last=column.ranges[cut.part][1],
                missing=column.is_whole and column.has_missing,
                **common,
            )
        column.apply_cut(cut)
        self.deleted += cut.deleted
        self.worth += cut.gain / self.records


def name_units(index: int) -> str:
    """Return the table of the units of a column.

    Args:
        index: Index of the quasi-identifier.
    """
    return f"uniform_units_{index}"


def render_part(column: Parts | Ladder, numbers: Sequence[int] | None = None, *, coded: bool = False) -> Sql:
    """Render the part of a row in a column.

    Args:
        column: The column.
        numbers: Numbers of its parts; their indices by default.
        coded: Whether to read the table of its units instead of the row.
    """
    if isinstance(column, Ladder):
        return render("uniform_rung", attribute=column.index, rung=column.rung)
    last = [end for _, end in column.ranges]
    parts = list(range(len(last)) if numbers is None else numbers)
    return render("uniform_part", attribute=column.index, coded=coded, last=last, parts=parts)
