"""Climb from one treatment to the next: each step is the best of all that are one step away.

A step is ranked by its share of the risk per unit of lost information. Treatments that cannot be the best are
not searched: their information is quick to compute, and their risk has lower bounds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.decision.gates import Gate
from duckrisk.measures.detail import Detail
from duckrisk.measures.identifiability.results import Totals
from duckrisk.release.advice.generalizations import Column, Generalization
from duckrisk.release.advice.measures import EncodedSource, Remainder
from duckrisk.release.advice.remaining import Remaining
from duckrisk.release.advice.results import Line, Risk, StopReason, UsersLine
from duckrisk.release.advice.treatments import Deletion, Treatment, list_next_treatments

#: Share of the current risk; a step that removes less ranks behind all others (a choice: nobody reads a
#: frontier of many small steps).
MIN_GAIN = 0.05
#: Factor of a bound on the gain, so that rounding excludes no step (a choice: far above the relative rounding
#: error of a double, 2e-16).
_ROUNDING_FACTOR = 1 + 1e-9

#: Key of the best step, larger is better: whether it reaches MIN_GAIN, its gain per loss, its gain.
_Rank = tuple[bool, float, float]


@dataclass(frozen=True)
class Target:
    """A figure of the lines and the gate that it has to meet.

    Attributes:
        gate: The gate.
        is_of_users: Whether the figure is that of users, else of records.
    """

    gate: Gate
    is_of_users: bool

    def read_value(self, line: Line) -> float:
        """Read the figure of a line.

        Args:
            line: The line.
        """
        risk = line.risk if line.users is None or not self.is_of_users else line.users.risk
        return float(getattr(risk, self.gate.field))

    def is_met_by(self, line: Line) -> bool:
        """Return whether a line meets the target.

        Args:
            line: The line.
        """
        value, limit = self.read_value(line), self.gate.limit
        return value < limit or (self.gate.sign == "<=" and value == limit)


@dataclass(frozen=True)
class _Point:
    """A measured treatment.

    Attributes:
        treatment: The treatment.
        remainder: The part of the table that it leaves.
        records: The totals of the records.
        users: The totals of the users; None without users.
        value_per_user: The mean value of a leak of one user; 0 without users.
        detail: The remaining detail; None until a line needs it, unless records are deleted.
    """

    treatment: Treatment
    remainder: Remainder
    records: Totals
    users: Totals | None
    value_per_user: float
    detail: Detail | None


@dataclass
class _Candidate:
    """A treatment one step away whose risk is not measured yet.

    Attributes:
        index: Its index among the treatments one step away.
        treatment: The treatment.
        remainder: The part of the table that it leaves.
        loss: The information and links that the step removes.
        min_value: Lower bound of the total value of the records.
        min_value_per_user: Lower bound of the mean value of a leak of one user.
        max_gain: Upper bound of the share of the risk that it removes.
    """

    index: int
    treatment: Treatment
    remainder: Remainder
    loss: float
    min_value: float
    min_value_per_user: float
    max_gain: float

    def rank_gain(self, gain: float) -> _Rank:
        """Return the sort key of a step that removes this share of the risk."""
        return gain >= MIN_GAIN, gain / self.loss if self.loss > 0 else math.inf, gain


@dataclass(frozen=True)
class _Best:
    """The best measured treatment one step away, with its sort key and its negative index."""

    rank: _Rank
    index: int
    point: _Point


class Frontier:
    """Climbs from an unchanged source to treatments with less risk.

    Attributes:
        measured: Number of treatments whose risk was measured.
        skipped: Number of treatments one step away that were not measured.
        is_unfinished: Whether the time limit ended the steps.
    """

    def __init__(self, source: EncodedSource, deadline: float | None, remaining: Remaining) -> None:
        """Start at the unchanged source.

        Args:
            source: The encoded source.
            deadline: A moment of ``time.monotonic()``; None for no limit.
            remaining: Measures the remaining detail.
        """
        self.source, self._remaining = source, remaining
        self._deadline = deadline
        self.measured = self.skipped = 0
        self.is_unfinished = False
        #: Of the unchanged table: the total value of the records, and the mean value of a leak of one user.
        self._original = (0.0, 0.0)
        self._record_totals: dict[tuple[tuple[int, ...], Deletion | None], Totals] = {}
        self._user_totals: dict[Treatment, Totals] = {}
        self._points: dict[Treatment, _Point] = {}

    def climb(self, target: Target | None, steps: int) -> tuple[list[Line], StopReason]:
        """Take the best step again and again.

        Args:
            target: The target that ends the steps; None for none.
            steps: Maximum number of steps.

        Returns:
            The lines, the unchanged table first, and the reason why they end.

        Raises:
            UsageError: The risk of the unchanged table cannot be measured within the limits.
        """
        with self.source.session.limit_time(self._deadline) as time:
            unchanged = Treatment((0,) * len(self.source.space.columns))
            self.source.set_current(unchanged)
            current = self._measure_point(unchanged)
        if time.is_over or (current is None and self._is_late()):
            raise make_time_limit_error()
        if current is None:
            raise UsageError("advice.too_many_attribute_sets")
        self._original = (current.records.total_value, current.value_per_user)
        lines = [self._make_line(current, current)]
        while (reason := self._find_stop_reason(lines, current, target, steps)) is None:
            following = self._find_best_step(current)
            if following is not None:
                lines.append(self._make_line(current, following))
                current = following
            if self.is_unfinished:
                return lines, "time_limit"
            if following is None:
                return lines, "no_step"
        return lines, reason

    def _find_stop_reason(
        self, lines: list[Line], current: _Point, target: Target | None, steps: int
    ) -> StopReason | None:
        if target is not None and target.is_met_by(lines[-1]):
            return "target"
        if self._compute_risk(current) == 0:
            return "no_risk"
        return "steps" if len(lines) > steps else None

    def _compute_risk(self, point: _Point) -> float:
        return self._combine_risk(point.records.total_value, point.value_per_user)

    def _combine_risk(self, value: float, value_per_user: float) -> float:
        """Combine the total value of records and the value per user into one risk.

        Without users it is the total value. Otherwise it is the mean of both, each as a share of that of the
        unchanged table.
        """
        if not self.source.has_users:
            return value
        pairs = zip((value, value_per_user), self._original, strict=True)
        shares = [now / original for now, original in pairs if original > 0]
        return sum(shares) / 2

    # --- one step ----------------------------------------------------------------------------

    def _find_best_step(self, current: _Point) -> _Point | None:
        """Find the best treatment one step away that lowers the risk.

        Treatments that cannot reach MIN_GAIN are measured only if no other does. At the deadline the best
        measured one is returned.
        """
        treatments = list(enumerate(list_next_treatments(self.source.space, current.treatment)))
        candidates, small = self._list_candidates(current, treatments, MIN_GAIN)
        best = self._measure_candidates(current, candidates, None)
        if not self._is_late() and small and (best is None or not best.rank[0]):
            candidates, small = self._list_candidates(current, small, 0.0)
            best = self._measure_candidates(current, candidates, best)
        self.skipped += len(small)
        self.is_unfinished = self.is_unfinished or self._is_late()
        return best.point if best is not None else None

    def _measure_candidates(
        self, current: _Point, waiting: list[_Candidate], best: _Best | None
    ) -> _Best | None:
        """Find the best of the candidates and the best so far, most promising first."""
        threshold = best.rank[:2] if best is not None else (False, 0.0)
        while waiting and not self._is_late():
            candidate = max(waiting, key=lambda one: (one.rank_gain(one.max_gain), -one.index))
            if candidate.rank_gain(candidate.max_gain)[:2] < threshold:
                break
            # The treatment without the column comes first: its risk bounds that of every form of the column.
            dropped = self.source.space.drop_changed_column(current.treatment, candidate.treatment)
            first = next((one for one in waiting if one.treatment == dropped), candidate)
            waiting.remove(first)

            def is_promising(
                value_per_user: float, candidate: _Candidate = candidate, threshold: Any = threshold
            ) -> bool:
                max_gain = self._bound_gain(current, candidate.min_value, value_per_user)
                return bool(candidate.rank_gain(min(max_gain, candidate.max_gain))[:2] >= threshold)

            point = None
            with self.source.session.limit_time(self._deadline):
                check = is_promising if first is candidate else None
                point = self._measure_point(first.treatment, first.remainder, check)
            if point is None:
                self.skipped += 1
                continue
            gain = 1 - self._compute_risk(point) / self._compute_risk(current)
            if gain > 0:
                ranked = _Best(first.rank_gain(gain), -first.index, point)
                if best is None or (ranked.rank, ranked.index) > (best.rank, best.index):
                    best, threshold = ranked, ranked.rank[:2]
            self._tighten_bounds(current, point, waiting)
        self.skipped += len(waiting)
        return best

    def _tighten_bounds(self, current: _Point, point: _Point, waiting: Sequence[_Candidate]) -> None:
        """Bound the gain of candidates by a measured point that discloses less."""
        for candidate in waiting:
            if candidate.treatment.is_finer(point.treatment):
                candidate.min_value = max(candidate.min_value, point.records.total_value)
                candidate.min_value_per_user = max(candidate.min_value_per_user, point.value_per_user)
                max_gain = self._bound_gain(current, candidate.min_value, candidate.min_value_per_user)
                candidate.max_gain = min(candidate.max_gain, max_gain)

    def _bound_gain(self, current: _Point, min_value: float, min_value_per_user: float) -> float:
        """Return an upper bound of the share of the risk that a step removes."""
        lowest = self._combine_risk(min_value, min_value_per_user)
        return (1 - lowest / self._compute_risk(current)) * _ROUNDING_FACTOR

    def _list_candidates(
        self, current: _Point, treatments: Sequence[tuple[int, Treatment]], min_gain: float
    ) -> tuple[list[_Candidate], list[tuple[int, Treatment]]]:
        """List the treatments that can remove a share of the risk, and the others.

        With a deadline, the list ends after half of the time left.
        """
        deadline, seconds = self._deadline, self._count_seconds_left() or 0.0
        candidates: list[_Candidate] = []
        small: list[tuple[int, Treatment]] = []
        if deadline is not None:
            self._deadline = deadline - seconds / 2
        with self.source.session.limit_time(self._deadline) as time:
            self.source.set_current(current.treatment)
            bounds = _Bounds(self.source, current)
            for index, treatment in treatments:
                if self._bound_gain(current, *bounds.bound_early(treatment)) < min_gain:
                    small.append((index, treatment))
                    continue
                if not self.source.apply_step(treatment):
                    continue
                value, value_per_user = bounds.bound_applied(treatment)
                max_gain = self._bound_gain(current, value, value_per_user)
                if max_gain < min_gain:
                    small.append((index, treatment))
                    continue
                remainder, before = self.source.measure_remainder(treatment), current.remainder
                has_new_deletion = treatment.deletion != current.treatment.deletion
                deletes_none = has_new_deletion and remainder.records == before.records
                if remainder.records == 0 or remainder.users == 0 or deletes_none or max_gain <= 0:
                    continue
                loss = (before.information - remainder.information) + (before.links - remainder.links)
                candidates.append(
                    _Candidate(index, treatment, remainder, loss, value, value_per_user, max_gain)
                )
        self._deadline = deadline
        self.is_unfinished = self.is_unfinished or time.is_over
        for point in self._points.values():
            self._tighten_bounds(current, point, candidates)
        return candidates, small

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _count_seconds_left(self) -> float | None:
        """Return the seconds until the deadline, at least 0.001; None without one."""
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 1e-3)

    # --- points and lines --------------------------------------------------------------------

    def _measure_point(
        self,
        treatment: Treatment,
        remainder: Remainder | None = None,
        is_promising: Callable[[float], bool] | None = None,
    ) -> _Point | None:
        """Measure a treatment that is at most one step away from the current one.

        Users are measured before records, as they take less time. If their value per user is not promising,
        the records are not measured.

        Args:
            treatment: The treatment.
            remainder: The part of the table that it leaves, if known.
            is_promising: Returns whether a step with this value per user can be the best.

        Returns:
            The point; None if a limit ended the search, or the value per user is not promising.
        """
        source = self.source
        if treatment in self._points:
            return self._points[treatment]
        source.apply_step(treatment)
        remainder = remainder or source.measure_remainder(treatment)
        detail = self._measure_detail(treatment, remainder) if treatment.deletion is not None else None
        users, value_per_user = None, 0.0
        if remainder.users is not None:
            users = self._measure_users(treatment)
            if users is None:
                return None
            value_per_user = source.compute_value_per_user(users.total_value, remainder.users)
            if is_promising is not None and not is_promising(value_per_user):
                return None
        key = treatment.levels, treatment.deletion  # pseudonyms do not change records
        if key not in self._record_totals:
            totals = source.measure_risk(treatment, by_user=False, seconds=self._count_seconds_left())
            if totals is None:
                return None
            self._record_totals[key] = totals
        self.measured += 1
        records = self._record_totals[key]
        self._points[treatment] = _Point(treatment, remainder, records, users, value_per_user, detail)
        return self._points[treatment]

    def _measure_users(self, treatment: Treatment) -> Totals | None:
        """Measure the users of the applied treatment; return None at a limit."""
        if treatment not in self._user_totals:
            totals = self.source.measure_risk(treatment, by_user=True, seconds=self._count_seconds_left())
            if totals is None:
                return None
            self._user_totals[treatment] = totals
        return self._user_totals[treatment]

    def _make_line(self, before: _Point, point: _Point) -> Line:
        """Make the line of a point, with the step from the point before."""
        remainder, space, users = point.remainder, self.source.space, None
        if point.users is not None and remainder.users is not None:
            risk = Risk.of(point.users)
            users = UsersLine(users=remainder.users, risk=risk, value_per_user=point.value_per_user)
        return Line(
            step=space.describe_step(before.treatment, point.treatment),
            options=tuple(space.list_options(point.treatment)),
            records=remainder.records,
            risk=Risk.of(point.records),
            detail=point.detail or self._measure_detail(point.treatment, remainder),
            information=remainder.information,
            links=remainder.links if users is not None else None,
            users=users,
        )

    def _measure_detail(self, treatment: Treatment, remainder: Remainder) -> Detail:
        """Measure the remaining detail; a treatment that deletes records must be applied."""
        forms = {
            column.name: column.generalizations[level].cell
            for column, level in zip(self.source.space.columns, treatment.levels, strict=True)
            if level
        }
        if treatment.deletion is None:
            return self._remaining.measure(forms)
        return self._remaining.measure(forms, remainder.records, self.source.keep_values)


def make_time_limit_error() -> UsageError:
    """Make the error of a time limit that ends before the first line."""
    return UsageError("advice.time_limit_too_short")


class _Bounds:
    """Lower bounds of the figures of a step: the total value, and the value per user.

    A set without the changed column singles out the same records as before. After a deletion, or with shorter
    periods of pseudonyms, a kept record that was singled out still is.
    """

    def __init__(self, source: EncodedSource, current: _Point) -> None:
        self.source, self.current = source, current
        self._values: dict[int, tuple[float, float]] = {}
        self._values_per_user: dict[int, tuple[float, float]] = {}
        if current.treatment.deletion is None:  # with one, a step deletes other records than before
            self._values = source.bound_columns(None)
            if current.remainder.users is not None:
                self._values_per_user = source.bound_columns(current.remainder.users)

    def bound_early(self, treatment: Treatment) -> tuple[float, float]:
        """Return the bounds that are known before a treatment is applied."""
        index = self._find_changed_column(treatment)
        if index is None:
            return 0.0, 0.0
        kind = int(self._keeps_known_values(treatment, index))
        unknown = (0.0, 0.0)
        return self._values.get(index, unknown)[kind], self._values_per_user.get(index, unknown)[kind]

    def bound_applied(self, treatment: Treatment) -> tuple[float, float]:
        """Return the bounds of the treatment that was applied last."""
        source, current = self.source, self.current
        index = self._find_changed_column(treatment)
        if index is not None:
            value, value_per_user = self.bound_early(treatment)
            if self._values and self._keeps_known_values(treatment, index):
                position = self._find_changed_attribute(treatment, index)
                value = max(value, source.bound_unchanged_records(position))
            return value, value_per_user
        if treatment.period != current.treatment.period:
            return current.records.total_value, source.bound_pseudonyms(treatment)
        if current.treatment.deletion is not None:
            return 0.0, 0.0
        value = source.bound_kept_records()
        return value, source.bound_pseudonyms(treatment) if source.has_users else 0.0

    def _find_changed_column(self, treatment: Treatment) -> int | None:
        """Return the index of the column whose form changes."""
        levels = zip(self.current.treatment.levels, treatment.levels, strict=True)
        return next((index for index, (before, after) in enumerate(levels) if before != after), None)

    def _keeps_known_values(self, treatment: Treatment, index: int) -> bool:
        """Return whether the column remains, and no known value of it becomes missing."""
        form = self.source.space.columns[index].generalizations[treatment.levels[index]]
        return not form.is_dropped and not self.source.has_new_missing(self.current.treatment, treatment)

    def _find_changed_attribute(self, treatment: Treatment, index: int) -> int | None:
        """Return the position of the only attribute that changes; None if several do."""
        column: Column = self.source.space.columns[index]
        old: Generalization = column.generalizations[self.current.treatment.levels[index]]
        new: Generalization = column.generalizations[treatment.levels[index]]
        changed = [
            position
            for position, attribute in old.attributes.items()
            if attribute != new.attributes[position]
        ]
        return changed[0] if len(changed) == 1 else None
