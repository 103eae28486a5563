"""The climb from one treatment to the next: each step is the best of all that are one step away.

A step is worth the part of the risk that it takes away for each part of what the table tells that it costs.
What cannot be the best is not searched: the information is quick to compute, and the risk has bounds.
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
from duckrisk.release.advice.measures import Remains, Source
from duckrisk.release.advice.remaining import Remaining
from duckrisk.release.advice.results import Line, Risk, StopReason, UsersLine
from duckrisk.release.advice.treatments import Deletion, Treatment, next_treatments

#: A step takes away such a part of the risk, if any does: of many small ones nobody reads the frontier.
LEAST_GAIN = 0.05
#: Bounds are compared with so much room for rounding.
_ROOM = 1 + 1e-9


@dataclass(frozen=True)
class Target:
    """A number of the lines, of records or of their users, and the gate that it is to meet."""

    gate: Gate
    users: bool

    def of(self, line: Line) -> float:
        """The number of a line."""
        risk = line.risk if line.users is None or not self.users else line.users.risk
        return float(getattr(risk, self.gate.field))

    def holds(self, line: Line) -> bool:
        """Whether a line meets it."""
        value, limit = self.of(line), self.gate.limit
        return value < limit or (self.gate.sign == "<=" and value == limit)


@dataclass(frozen=True)
class _Point:
    """A treatment with what is left, the totals of its records and, on a history, of its users, and the value
    of a leak of one of these. ``detail`` is measured at once where records are deleted."""

    treatment: Treatment
    remains: Remains
    records: Totals
    users: Totals | None
    each: float
    detail: Detail | None


@dataclass
class _Candidate:
    """A treatment one step away: its index among them, what it leaves and what that costs, what the total
    value of its records and the value of a leak of one user cannot fall below, and so the most that it takes
    away."""

    index: int
    treatment: Treatment
    remains: Remains
    loss: float
    floor: float
    each: float
    most: float

    def worth(self, gain: float) -> tuple[bool, float, float]:
        """What it is worth where it takes that part of the risk away: the larger the better."""
        return gain >= LEAST_GAIN, gain / self.loss if self.loss > 0 else math.inf, gain


@dataclass(frozen=True)
class _Best:
    """The best of the treatments one step away that were measured, and what it is worth."""

    worth: tuple[bool, float, float]
    index: int
    point: _Point


class Frontier:
    """Climbs from a source as it is to treatments that tell less."""

    def __init__(self, source: Source, until: float | None, remaining: Remaining) -> None:
        self.source, self.until, self._remaining = source, until, remaining
        #: How many treatments had their risk measured, and how many had not.
        self.measured = self.spared = 0
        self.unfinished = False
        #: The total value of the records, and the value of a leak of a user, of the table as it is.
        self.whole = (0.0, 0.0)
        self._records: dict[tuple[tuple[int, ...], Deletion | None], Totals] = {}
        self._users: dict[Treatment, Totals] = {}
        self._points: dict[Treatment, _Point] = {}

    def climb(self, target: Target | None, steps: int) -> tuple[list[Line], StopReason]:
        """The lines from the table as it is on, and why they end."""
        with self.source.session.limit_time(self.until) as time:
            whole = Treatment((0,) * len(self.source.names.columns))
            self.source.stand(whole)
            now = self._point(whole)
        if time.is_over or (now is None and self._late()):
            raise too_late()
        if now is None:
            raise UsageError("advice.too_many_attribute_sets")
        self.whole = (now.records.total_value, now.each)
        lines = [self._line(now, now)]
        while (ended := self._ended(lines, now, target, steps)) is None:
            after = self._best(now)
            if after is not None:
                lines.append(self._line(now, after))
                now = after
            if self.unfinished:
                return lines, "time_limit"
            if after is None:
                return lines, "no_step"
        return lines, ended

    def _ended(self, lines: list[Line], now: _Point, target: Target | None, steps: int) -> StopReason | None:
        if target is not None and target.holds(lines[-1]):
            return "target"
        if self._risk(now) == 0:
            return "no_risk"
        return "steps" if len(lines) > steps else None

    def _risk(self, point: _Point) -> float:
        return self.risk(point.records.total_value, point.each)

    def risk(self, value: float, each: float) -> float:
        """The risk of which steps take a part away: the total value, or on a history the mean of it and of
        that of one user, each as a part of that of the table as it is."""
        if not self.source.several:
            return value
        parts = [now / whole for now, whole in zip((value, each), self.whole, strict=True) if whole > 0]
        return sum(parts) / 2

    # --- one step ----------------------------------------------------------------------------

    def _best(self, now: _Point) -> _Point | None:
        """The best treatment one step away that lowers the risk; the best of those that were tried where time
        runs out. What cannot take LEAST_GAIN away is looked at only where nothing does."""
        treatments = list(enumerate(next_treatments(self.source.names, now.treatment)))
        candidates, small = self._candidates(now, treatments, LEAST_GAIN)
        best = self._best_of(now, candidates, None)
        if not self._late() and small and (best is None or not best.worth[0]):
            candidates, small = self._candidates(now, small, 0.0)
            best = self._best_of(now, candidates, best)
        self.spared += len(small)
        self.unfinished = self.unfinished or self._late()
        return best.point if best is not None else None

    def _best_of(self, now: _Point, waiting: list[_Candidate], best: _Best | None) -> _Best | None:
        """The best of these candidates and what was the best before, the most promising measured first."""
        least = best.worth[:2] if best is not None else (False, 0.0)
        while waiting and not self._late():
            candidate = max(waiting, key=lambda one: (one.worth(one.most), -one.index))
            if candidate.worth(candidate.most)[:2] < least:
                break
            # Where its column is left out, a leak tells what it cannot fall below in any form.
            left_out = self.source.names.left_out(now.treatment, candidate.treatment)
            first = next((one for one in waiting if one.treatment == left_out), candidate)
            waiting.remove(first)

            def promises(each: float, candidate: _Candidate = candidate, least: Any = least) -> bool:
                most = self._most(now, candidate.floor, each)
                return bool(candidate.worth(min(most, candidate.most))[:2] >= least)

            point = None
            with self.source.session.limit_time(self.until):
                point = self._point(first.treatment, first.remains, promises if first is candidate else None)
            if point is None:
                self.spared += 1
                continue
            gain = 1 - self._risk(point) / self._risk(now)
            if gain > 0:
                ranked = _Best(first.worth(gain), -first.index, point)
                if best is None or (ranked.worth, ranked.index) > (best.worth, best.index):
                    best, least = ranked, ranked.worth[:2]
            self._bound(now, point, waiting)
        self.spared += len(waiting)
        return best

    def _bound(self, now: _Point, point: _Point, waiting: Sequence[_Candidate]) -> None:
        """Bound what candidates take away by a point that tells less than they do."""
        for candidate in waiting:
            if candidate.treatment.is_finer(point.treatment):
                candidate.floor = max(candidate.floor, point.records.total_value)
                candidate.each = max(candidate.each, point.each)
                candidate.most = min(candidate.most, self._most(now, candidate.floor, candidate.each))

    def _most(self, now: _Point, value: float, each: float) -> float:
        """The most of the risk that is taken away where these cannot fall below so much."""
        return (1 - self.risk(value, each) / self._risk(now)) * _ROOM

    def _candidates(
        self, now: _Point, treatments: Sequence[tuple[int, Treatment]], least: float
    ) -> tuple[list[_Candidate], list[tuple[int, Treatment]]]:
        """Those of these treatments that may take so much of the risk away, and those that cannot; where time
        is short, those that are found in half of what is left of it."""
        until, seconds = self.until, self.seconds() or 0.0
        candidates: list[_Candidate] = []
        small: list[tuple[int, Treatment]] = []
        if until is not None:
            self.until = until - seconds / 2
        with self.source.session.limit_time(self.until) as time:
            self.source.stand(now.treatment)
            floors = _Floors(self.source, now)
            for index, treatment in treatments:
                if self._most(now, *floors.at_first(treatment)) < least:
                    small.append((index, treatment))
                    continue
                if not self.source.step(treatment):
                    continue
                value, each = floors.of(treatment)
                most = self._most(now, value, each)
                if most < least:
                    small.append((index, treatment))
                    continue
                remains = self.source.remains(treatment)
                same = treatment.deletion != now.treatment.deletion and remains.records == now.remains.records
                if remains.records == 0 or remains.users == 0 or same or most <= 0:
                    continue
                loss = (now.remains.information - remains.information) + (now.remains.links - remains.links)
                candidates.append(_Candidate(index, treatment, remains, loss, value, each, most))
        self.until = until
        self.unfinished = self.unfinished or time.is_over
        for point in self._points.values():
            self._bound(now, point, candidates)
        return candidates, small

    def _late(self) -> bool:
        return self.until is not None and time.monotonic() > self.until

    def seconds(self) -> float | None:
        """What is left of the time."""
        return None if self.until is None else max(self.until - time.monotonic(), 1e-3)

    # --- points and lines --------------------------------------------------------------------

    def _point(
        self,
        treatment: Treatment,
        remains: Remains | None = None,
        promises: Callable[[float], bool] | None = None,
    ) -> _Point | None:
        """Measure a treatment that is at most one step away from the one that stands; None where a limit
        ended the search, or where the value of a leak of one user ``promises`` nothing: that is searched in
        less time than the records."""
        source = self.source
        if treatment in self._points:
            return self._points[treatment]
        source.step(treatment)
        remains = remains or source.remains(treatment)
        detail = self._measure_detail(treatment, remains) if treatment.deletion is not None else None
        users, each = None, 0.0
        if remains.users is not None:
            users = self._of_users(treatment)
            if users is None:
                return None
            each = source.value_each(users.total_value, remains.users)
            if promises is not None and not promises(each):
                return None
        key = treatment.levels, treatment.deletion  # whatever the pseudonyms, records are what they are
        if key not in self._records:
            totals = source.risk(treatment, users=False, seconds=self.seconds())
            if totals is None:
                return None
            self._records[key] = totals
        self.measured += 1
        self._points[treatment] = _Point(treatment, remains, self._records[key], users, each, detail)
        return self._points[treatment]

    def _of_users(self, treatment: Treatment) -> Totals | None:
        """The totals of the users of the treatment that was published; None where a limit ended it."""
        if treatment not in self._users:
            totals = self.source.risk(treatment, users=True, seconds=self.seconds())
            if totals is None:
                return None
            self._users[treatment] = totals
        return self._users[treatment]

    def _line(self, before: _Point, point: _Point) -> Line:
        """A line of the frontier."""
        remains, names, users = point.remains, self.source.names, None
        if point.users is not None and remains.users is not None:
            users = UsersLine(users=remains.users, risk=Risk.of(point.users), value_per_user=point.each)
        return Line(
            step=names.step(before.treatment, point.treatment),
            options=tuple(names.options(point.treatment)),
            records=remains.records,
            risk=Risk.of(point.records),
            detail=point.detail or self._measure_detail(point.treatment, remains),
            information=remains.information,
            links=remains.links if users is not None else None,
            users=users,
        )

    def _measure_detail(self, treatment: Treatment, remains: Remains) -> Detail:
        """Measure the detail that a treatment leaves; one that deletes records has to be published."""
        forms = {
            column.name: column.generalizations[level].cell
            for column, level in zip(self.source.names.columns, treatment.levels, strict=True)
            if level
        }
        if treatment.deletion is None:
            return self._remaining.measure(forms)
        return self._remaining.measure(forms, remains.records, self.source.keep_values)


def too_late() -> UsageError:
    """That a frontier has not even its first line."""
    return UsageError("advice.time_limit_too_short")


class _Floors:
    """What the figures of a step cannot fall below: the total value, and that of a leak of one user.

    Whom a set without a column singles out, it does whatever becomes of the column; and where records are
    deleted, or pseudonyms live shorter, of the others is singled out who was.
    """

    def __init__(self, source: Source, now: _Point) -> None:
        self.source, self.now = source, now
        self._values: dict[int, tuple[float, float]] = {}
        self._each: dict[int, tuple[float, float]] = {}
        if now.treatment.deletion is None:  # else whom a step deletes is not whom the one before did
            self._values = source.column_floors(None)
            if now.remains.users is not None:
                self._each = source.column_floors(now.remains.users)

    def at_first(self, treatment: Treatment) -> tuple[float, float]:
        """Those that are known before a treatment is published."""
        index = self._changed(treatment)
        if index is None:
            return 0.0, 0.0
        place = int(self._keeps_all(treatment, index))
        return self._values.get(index, (0.0, 0.0))[place], self._each.get(index, (0.0, 0.0))[place]

    def of(self, treatment: Treatment) -> tuple[float, float]:
        """Those of the treatment that was published last."""
        source, now = self.source, self.now
        index = self._changed(treatment)
        if index is not None:
            value, each = self.at_first(treatment)
            if self._values and self._keeps_all(treatment, index):
                value = max(value, source.unchanged_value(self._only(treatment, index)))
            return value, each
        if treatment.period != now.treatment.period:
            return now.records.total_value, source.each_floor(treatment)
        if now.treatment.deletion is not None:
            return 0.0, 0.0
        return source.kept_value(), source.each_floor(treatment) if source.several else 0.0

    def _changed(self, treatment: Treatment) -> int | None:
        """The place of the column that has another form."""
        levels = zip(self.now.treatment.levels, treatment.levels, strict=True)
        return next((index for index, (before, after) in enumerate(levels) if before != after), None)

    def _keeps_all(self, treatment: Treatment, index: int) -> bool:
        """Whether the column is there, and all that was known of it still is."""
        form = self.source.names.columns[index].generalizations[treatment.levels[index]]
        return not form.dropped and not self.source.more_missing(self.now.treatment, treatment)

    def _only(self, treatment: Treatment, index: int) -> int | None:
        """The one attribute that changes, by its position, if one does."""
        column: Column = self.source.names.columns[index]
        old: Generalization = column.generalizations[self.now.treatment.levels[index]]
        new: Generalization = column.generalizations[treatment.levels[index]]
        changed = [place for place, attribute in old.attributes.items() if attribute != new.attributes[place]]
        return changed[0] if len(changed) == 1 else None
