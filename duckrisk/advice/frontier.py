"""The climb from one treatment to the next: each step is the best of all that are one step away.

A step is worth the part of the risk that it takes away for each part of what the table tells that it costs.
What cannot be the best is not searched: the information is quick to compute, and the risk has bounds.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from duckrisk.advice.generalizations import Column, Generalization
from duckrisk.advice.measures import Remains, Source
from duckrisk.advice.results import Ended, Line, Risk, UsersLine
from duckrisk.advice.treatments import Deletion, Treatment, next_treatments
from duckrisk.errors import UsageError
from duckrisk.gates import Gate
from duckrisk.identifiability.results import Totals

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
    of a leak of one of these."""

    treatment: Treatment
    remains: Remains
    records: Totals
    users: Totals | None
    each: float


@dataclass(frozen=True)
class _Candidate:
    """A treatment one step away: its index among them, what it costs, the most that it takes away, and what
    the total value of its records cannot fall below."""

    index: int
    treatment: Treatment
    loss: float
    most: float
    floor: float

    def worth(self, gain: float) -> tuple[bool, float, float]:
        """What it is worth where it takes that part of the risk away: the larger the better."""
        return gain >= LEAST_GAIN, gain / self.loss if self.loss > 0 else math.inf, gain


class Frontier:
    """Climbs from a source as it is to treatments that tell less."""

    def __init__(self, source: Source, until: float | None) -> None:
        self.source, self.until = source, until
        #: How many treatments had their risk measured, and how many had not.
        self.measured = self.spared = 0
        self.unfinished = False
        #: The total value of the records, and the value of a leak of a user, of the table as it is.
        self.whole = (0.0, 0.0)
        self._records: dict[tuple[tuple[int, ...], Deletion | None], Totals] = {}
        self._users: dict[Treatment, Totals] = {}
        self._points: dict[Treatment, _Point] = {}

    def climb(self, target: Target | None, steps: int) -> tuple[list[Line], Ended]:
        """The lines from the table as it is on, and why they end."""
        with self.source.session.until(self.until) as time:
            now = self._point(Treatment((0,) * len(self.source.names.columns)))
        if time.over or (now is None and self._late()):
            raise too_late()
        if now is None:
            raise UsageError("advice.attribute_sets_too_many_searched")
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

    def _ended(self, lines: list[Line], now: _Point, target: Target | None, steps: int) -> Ended | None:
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
        runs out."""
        best: tuple[tuple[bool, float, float], int, _Point] | None = None
        for candidate in self._candidates(now):
            least = best[0][:2] if best is not None else (False, 0.0)

            def promises(each: float, candidate: _Candidate = candidate, least: Any = least) -> bool:
                most = (1 - self.risk(candidate.floor, each) / self._risk(now)) * _ROOM
                return bool(candidate.worth(min(most, candidate.most))[:2] >= least)

            point = None
            if not self._late() and promises(0.0):
                with self.source.session.until(self.until):
                    point = self._point(candidate.treatment, promises)
            gain = 1 - self._risk(point) / self._risk(now) if point is not None else 0.0
            self.spared += point is None
            if point is not None and gain > 0:
                ranked = candidate.worth(gain), -candidate.index, point
                best = ranked if best is None or ranked[:2] > best[:2] else best
            if self._late():
                break
        self.unfinished = self.unfinished or self._late()
        return best[2] if best is not None else None

    def _candidates(self, now: _Point) -> list[_Candidate]:
        """All treatments one step away that may lower the risk, the most promising first; where time is
        short, those that are found in half of what is left of it, by bounds that take a quarter."""
        until, seconds = self.until, self.seconds() or 0.0
        if until is not None:
            self.until = until - seconds * 3 / 4
        floors = _Floors(self, now)
        if until is not None:
            self.until = until - seconds / 2
        candidates = self._promising(now, floors)
        self.until = until
        return sorted(candidates, key=lambda candidate: candidate.worth(candidate.most), reverse=True)

    def _promising(self, now: _Point, floors: _Floors) -> list[_Candidate]:
        """Treatments one step away that may lower the risk, in their order."""
        source = self.source
        candidates = []
        with source.session.until(self.until) as time:
            source.stand(now.treatment)
            for index, treatment in enumerate(next_treatments(source.names, now.treatment)):
                if not source.step(treatment):
                    continue
                remains = source.remains(treatment)
                same = treatment.deletion != now.treatment.deletion and remains.records == now.remains.records
                if remains.records == 0 or remains.users == 0 or same:
                    continue
                loss = (now.remains.information - remains.information) + (now.remains.links - remains.links)
                value, each = floors.of(treatment)
                most = (1 - self.risk(value, each) / self._risk(now)) * _ROOM
                if most > 0:
                    candidates.append(_Candidate(index, treatment, loss, most, value))
        self.unfinished = self.unfinished or time.over
        return candidates

    def _late(self) -> bool:
        return self.until is not None and time.monotonic() > self.until

    def seconds(self) -> float | None:
        """What is left of the time."""
        return None if self.until is None else max(self.until - time.monotonic(), 1e-3)

    # --- points and lines --------------------------------------------------------------------

    def _point(self, treatment: Treatment, promises: Callable[[float], bool] | None = None) -> _Point | None:
        """Measure a treatment; None where a limit ended the search, or where the value of a leak of one user
        ``promises`` nothing: that is searched in less time than the records."""
        source = self.source
        if treatment in self._points:
            return self._points[treatment]
        source.apply(treatment)
        remains = source.remains(treatment)
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
        self._points[treatment] = _Point(treatment, remains, self._records[key], users, each)
        return self._points[treatment]

    def _of_users(self, treatment: Treatment) -> Totals | None:
        """The totals of the users of the treatment that was applied; None where a limit ended the search."""
        if treatment not in self._users:
            totals = self.source.risk(treatment, users=True, seconds=self.seconds())
            if totals is None:
                return None
            self._users[treatment] = totals
        return self._users[treatment]

    def each_without(self, now: _Point, index: int) -> float:
        """The value of a leak of one user where a column is left out; 0 where that is not known."""
        source, column = self.source, self.source.names.columns[index]
        levels = list(now.treatment.levels)
        levels[index] = len(column.generalizations) - 1
        dropped = dataclasses.replace(now.treatment, levels=tuple(levels))
        if not source.names.published(dropped) or self._late() or now.remains.users is None:
            return 0.0
        if dropped not in self._users:
            source.apply(dropped)
        users = self._of_users(dropped)
        return 0.0 if users is None else source.value_each(users.total_value, now.remains.users)

    def _line(self, before: _Point, point: _Point) -> Line:
        """A line of the frontier."""
        remains, names, users = point.remains, self.source.names, None
        if point.users is not None and remains.users is not None:
            users = UsersLine(users=remains.users, risk=Risk.of(point.users), value_each=point.each)
        return Line(
            step=names.step(before.treatment, point.treatment),
            options=tuple(names.options(point.treatment)),
            records=remains.records,
            risk=Risk.of(point.records),
            information=remains.information,
            links=remains.links if users is not None else None,
            users=users,
        )


def too_late() -> UsageError:
    """That a frontier has not even its first line."""
    return UsageError("advice.time_limit_was_over_before")


class _Floors:
    """What the figures of a step cannot fall below.

    A coarser column singles out, at least, whom the table without it would; and where records are deleted, of
    the others is singled out who was.
    """

    def __init__(self, frontier: Frontier, now: _Point) -> None:
        self.frontier, self.source, self.now = frontier, frontier.source, now
        self.without: dict[int, float] | None = None
        self.outcomes = False
        self._each: dict[int, float] = {}
        if now.treatment.deletion is None:
            with self.source.session.until(frontier.until):
                self._find()

    def _find(self) -> None:
        frontier, now = self.frontier, self.now
        self.source.apply(now.treatment)
        self.without, self.outcomes = self.source.without(now.treatment, frontier.seconds())
        if self.source.several:
            self._each = {
                index: frontier.each_without(now, index)
                for index, column in enumerate(self.source.names.columns)
                if now.treatment.levels[index] < len(column.generalizations) - 1
            }

    def of(self, treatment: Treatment) -> tuple[float, float]:
        """Those of the total value and of a leak of one user, of the treatment that was published last."""
        now = self.now.treatment
        if treatment.period != now.period:
            return self.now.records.total_value, 0.0
        if treatment.deletion is not None:
            return self._less(self.source.deleted_value) if now.deletion is None else 0.0, 0.0
        for index, column in enumerate(self.source.names.columns):
            if now.levels[index] != treatment.levels[index]:
                value = self._value(treatment, column, now.levels[index], treatment.levels[index])
                return value, self._each.get(index, 0.0)
        return 0.0, 0.0

    def _value(self, treatment: Treatment, column: Column, before: int, after: int) -> float:
        """What the total value cannot fall below where a column is generalized otherwise."""
        old: Generalization = column.generalizations[before]
        new: Generalization = column.generalizations[after]
        changed = [index for index, attribute in old.attributes.items() if attribute != new.attributes[index]]
        only = changed[0] if len(changed) == 1 else None
        floor = self.without[only] if self.without is not None and only is not None else 0.0
        now = self.now.treatment
        if new.dropped or self.source.more_missing(now, treatment):
            return floor
        return max(floor, self._less(lambda: self.source.changed_value(now, only)))

    def _less(self, lost: Any) -> float:
        """The total value less what the leaks tell that a step can touch."""
        if not self.outcomes:
            return 0.0
        return max(0.0, self.now.records.total_value - float(lost()))
