"""The way to a policy: which form of each column keeps its limits, and in which order to change them.

From nothing at all, what is published becomes finer column by column, the change first that keeps most of
what a column tells for what it takes from people's anonymity, as long as the limits are kept (top-down
specialisation). Finer cells make classes smaller and never larger, so what was too much once stays so. From
the table as it is the changes that lead there are then put in order, the one first that helps most.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from duckrisk.base.options.policy import LimitName
from duckrisk.decision import policy
from duckrisk.release.advice.records import Classes, Records

#: So many of the records may be deleted for being in small classes.
_MOST_DELETED = 0.05
#: What is measured on a sample of people keeps so much of its limit.
_ROOM = 0.8
#: Facts that the limit on several facts is about.
_FACTS = 3
#: Of more changes than these, the columns that are left out are left out at once.
_MOST_ALONE = 12

PUBLISHED, REACHED = "people_published", "people_reached"


@dataclass(frozen=True)
class Figures:
    """What is left of the risk for people: those whom all that is published singles out, the people in the
    smallest class, and with which probability one fact identifies, at most."""

    classes: Classes
    people: int
    one_fact: float
    measured: Mapping[LimitName, policy.Figure]


@dataclass(frozen=True)
class Change:
    """A change: columns left out by their names, a column in another form by its index, new names for users,
    or records of small classes deleted."""

    dropped: tuple[str, ...] = ()
    index: int | None = None
    renamed: bool = False
    delete: bool = False


@dataclass(frozen=True)
class Reached:
    """A point on the way: the change that leads to it, and what it leaves."""

    change: Change | None
    forms: tuple[int, ...]
    records: int
    figures: Figures
    information: float


@dataclass
class Way:
    """Leads from a source as it is to what keeps a policy; ``others`` are columns to be left out, for they
    identify or hold free text, ``renamed`` says that users get new names, ``named`` that the old ones
    identify as well, ``identifying`` counts all that do, and ``stay`` those that have to be kept. Where the
    user column is one of the ``others``, ``is_linked`` is false: records of a person stay in the release, but
    nothing links them."""

    records: Records
    limits: policy.Options
    people: int
    others: tuple[str, ...]
    renamed: bool
    named: bool
    identifying: int
    stay: int = 0
    until: float | None = None
    is_linked: bool = True
    #: How many changes had their classes counted.
    measured: int = 0
    unfinished: bool = False
    _original: float | None = field(default=None)

    # --- what can be published ---------------------------------------------------------------

    def reach(self) -> tuple[tuple[int, ...], bool] | None:
        """The forms of all columns that keep the policy and keep much of the table, and whether records have
        to be deleted then; None where nothing does."""
        records = self.records
        forms = [self._coarsest(index) for index in range(len(records.columns))]
        records.start(REACHED, whole=False)
        for index, form in enumerate(forms):
            if form != records.last(index):
                records.keep(records.changed(REACHED, index, records.last(index), form), "people_next")
                records.session.run("stand_instead", table="people_next", name=REACHED, is_view=False)
        now = self._classes(REACHED)
        if now.small:
            return None
        if not forms:  # nothing to make coarser
            return (), False
        # The best change first; what it was worth is looked at again where another was made since.
        waiting = [(-math.inf, index, -1) for index in range(len(forms)) if not records.is_key(index)]
        changes = 0
        while waiting:
            if self._late():
                self.unfinished = True
                break
            _, index, at = heapq.heappop(waiting)
            if at < changes:
                worth = self._finer(forms, index, now)
                if worth is not None:
                    heapq.heappush(waiting, (-worth, index, changes))
                continue
            form = self._next(index, forms[index])
            changed = records.changed(REACHED, index, forms[index], form)
            records.keep(changed, "people_next")
            records.session.run("stand_instead", table="people_next", name=REACHED, is_view=False)
            now = self._last[index]
            forms[index] = form
            changes += 1
            if form > 0:
                heapq.heappush(waiting, (-math.inf, index, -1))
        if all(form == records.last(index) for index, form in enumerate(forms)):
            return None
        return tuple(forms), now.small > 0

    def _finer(self, forms: Sequence[int], index: int, now: Classes) -> float | None:
        """What the next finer form of a column is worth: what it tells more for the anonymity that it costs;
        None where it breaks a limit."""
        records, form = self.records, self._next(index, forms[index])
        if not self._allowed(index, form):
            return None
        then = self._classes(records.changed(REACHED, index, forms[index], form))
        deleted = then.small / then.records
        if deleted > _MOST_DELETED:
            return None
        kept = sum(map(records.worth, range(len(forms)), forms))
        more = records.worth(index, form) - records.worth(index, forms[index])
        gain = (kept + more) * (1 - deleted) - kept * (1 - now.small / now.records)
        if gain <= 0:
            return None
        self._last[index] = then
        return gain / (now.mean_bits - then.mean_bits + 0.01)

    def _coarsest(self, index: int) -> int:
        """The form of a column that the search begins with: left out, unless it has to be kept."""
        last = self.records.last(index)
        return max(0, last - 1) if self.records.decisions[index].keep else last

    def _next(self, index: int, form: int) -> int:
        """The next finer form of a column that tells more: the widest intervals may hold all its values."""
        worth = self.records.worth
        told = worth(index, form) + 1e-12
        return next((finer for finer in range(form - 1, 0, -1) if worth(index, finer) > told), 0)

    def _allowed(self, index: int, form: int) -> bool:
        """Whether what is known of a column in this form alone keeps the limits on one and several facts."""
        limit, records = self._limit, self.records
        risk = records.facts(REACHED, {index: form}).get(index, 0.0)
        if risk > limit("one_fact"):
            return False
        if not records.several or not self.is_linked or limit("three_facts") >= 1:
            return True
        if (index, form) not in self._unicity:
            self._unicity[index, form] = records.unicity(REACHED, index, form, _FACTS)
        return self._unicity[index, form] <= limit("three_facts") * _ROOM

    def _limit(self, name: LimitName) -> float:
        return next(limit.value for limit in policy.list_limits(self.limits) if limit.name == name)

    def _classes(self, source: str) -> Classes:
        self.measured += 1
        return self.records.classes(source)

    def _late(self) -> bool:
        return self.until is not None and time.monotonic() > self.until

    def __post_init__(self) -> None:
        self._last: dict[int, Classes] = {}
        self._unicity: dict[tuple[int, int], float] = {}
        #: Whether the records of a person are linked in what is published now: the table as it is has users.
        self._shows_links = True

    # --- the way there -----------------------------------------------------------------------

    def steps(self, goal: tuple[tuple[int, ...], bool] | None, most: int) -> list[Reached]:
        """The points from the table as it is to the goal, no more than so many changes away."""
        records, forms = self.records, [0] * len(self.records.columns)
        points = self._beginning(forms)
        self._shows_links = self.is_linked
        if goal is None or most < 1:
            return points[:1]
        wanted, delete = goal
        for change in [
            *([Change(self.others)] if self.others else []),
            *([Change(renamed=True)] * self.renamed),
        ]:
            if len(points) <= most:
                staying = self.stay + self.named
                self.identifying = self.identifying - self.named if change.renamed else staying
                points.append(self._point(change, forms, points[-1].figures.classes))
        waiting = [index for index, form in enumerate(wanted) if form != forms[index]]
        gone = [index for index in waiting if wanted[index] == records.last(index)]
        if len(waiting) > _MOST_ALONE and len(gone) > 1 and len(points) <= most:
            records.start(PUBLISHED, whole=False)
            kept = [index for index, form in enumerate(forms) if form == 0 and index not in gone]
            forms[:] = [records.last(index) for index in range(len(forms))]
            for index in kept:
                self._make(forms, index, 0)
            names = tuple(records.columns[index].name for index in gone)
            points.append(self._point(Change(names), forms, self._classes(PUBLISHED)))
            waiting = [index for index in waiting if index not in gone]
        while waiting and len(points) <= most and not self._late():
            index = self._best(forms, waiting, wanted)
            self._make(forms, index, wanted[index])
            waiting.remove(index)
            name = records.columns[index].name
            dropped = (name,) if wanted[index] == records.last(index) else ()
            change = Change(dropped, None if dropped else index)
            points.append(self._point(change, forms, self._classes(PUBLISHED)))
        self.unfinished = self.unfinished or bool(waiting and len(points) <= most)
        if delete and not waiting and len(points) <= most:
            points.append(self._deleted(forms))
        return points

    def _beginning(self, forms: list[int]) -> list[Reached]:
        """The table as it is, and where numbers of events are in it, without these. As in an assessment
        nobody is singled out by them: they are left out before anything is counted."""
        records = self.records
        records.start(PUBLISHED, whole=True)
        self._original, _ = records.information(PUBLISHED, None)
        whole = tuple(forms)
        keys = [
            index
            for index in range(len(forms))
            if records.is_key(index) and not records.decisions[index].keep
        ]
        for index in keys:
            self._make(forms, index, records.last(index))
        without = self._point(None, forms, self._classes(PUBLISHED))
        points = [replace(without, forms=whole, information=1.0)]
        if keys:
            names = tuple(records.columns[index].name for index in keys)
            points.append(replace(without, change=Change(names)))
        return points

    def _best(self, forms: Sequence[int], waiting: Sequence[int], wanted: Sequence[int]) -> int:
        """The change that hides people best for what it costs."""
        if len(waiting) == 1:
            return waiting[0]
        records, ranks = self.records, {}
        now = records.facts(PUBLISHED, {index: forms[index] for index in waiting})
        for index in waiting:
            then = self._classes(records.changed(PUBLISHED, index, forms[index], wanted[index]))
            lost = records.worth(index, forms[index]) - records.worth(index, wanted[index])
            ranks[index] = (then.mean_bits + now.get(index, 0.0)) / (lost + 0.1)
        return max(waiting, key=lambda index: (ranks[index], -index))

    def _make(self, forms: list[int], index: int, form: int) -> None:
        records = self.records
        records.keep(records.changed(PUBLISHED, index, forms[index], form), "people_next")
        records.session.run("stand_instead", table="people_next", name=PUBLISHED, is_view=False)
        forms[index] = form

    def _point(self, change: Change | None, forms: Sequence[int], classes: Classes) -> Reached:
        _, information = self.records.information(PUBLISHED, self._original)
        risks = self.records.facts(PUBLISHED, dict(enumerate(forms)))
        figures = self.figures(classes, max(risks.values(), default=0.0), forms, self.people)
        return Reached(change, tuple(forms), classes.records, figures, information)

    def _deleted(self, forms: Sequence[int]) -> Reached:
        """Where the records of small classes are deleted."""
        records = self.records
        _, information = records.information(PUBLISHED, self._original, least=records.least)
        records.keep(PUBLISHED, "people_next", least=records.least)
        records.session.run("stand_instead", table="people_next", name=PUBLISHED, is_view=False)
        classes = self._classes(PUBLISHED)
        risks = records.facts(PUBLISHED, dict(enumerate(forms)), again=True)
        people = records.session.fetch_row("people_count", source=PUBLISHED, by_user=records.several)[
            "people"
        ]
        figures = self.figures(classes, max(risks.values(), default=0.0), forms, people)
        return Reached(Change(delete=True), tuple(forms), classes.records, figures, information)

    def figures(self, classes: Classes, one_fact: float, forms: Sequence[int], people: int) -> Figures:
        """What is left of the risk where the records are published in these forms."""
        alone = classes.alone / people if people else 0.0
        least, most = self._bound_three_facts(alone, forms)
        measured: dict[LimitName, policy.Figure] = {
            "identifying_columns": policy.Figure(self.identifying),
            "unique_people": policy.Figure(alone),
            "smallest_class": policy.Figure(classes.smallest),
            "one_fact": policy.Figure(one_fact),
            "three_facts": policy.Figure(least if least == most else None, least, most),
        }
        if self.records.several and not self._shows_links:
            # Records that link themselves are in classes of their own: their people are alone.
            if alone > 0:
                measured["unique_histories"] = measured["three_records"] = policy.Figure(None, 0.0, alone)
                measured["smallest_history"] = policy.Figure(None, 1, people)
        elif self.records.several and self._keeps(measured):
            whole, known = self.records.histories(PUBLISHED)
            measured["unique_histories"] = policy.Figure(whole.share)
            measured["smallest_history"] = policy.Figure(whole.smallest_class)
            measured["three_records"] = policy.Figure(known.share, known.share_lower, known.share_upper)
        return Figures(classes, people, one_fact, measured)

    def _keeps(self, measured: Mapping[LimitName, policy.Figure]) -> bool:
        """Whether what was measured exceeds no limit for certain."""
        found = policy.judge(self.limits, policy.Evidence(measured))
        return not found.exceeded

    def _bound_three_facts(self, alone: float, forms: Sequence[int]) -> tuple[float, float]:
        """Bound the share of people whom three facts single out.

        All facts together single out as many at least. On a history several records of a person may single
        out more: by each column a sample of people is tried where the other limits leave room. An assessment
        judges the mean over columns, which is no more than the largest of these.

        Args:
            alone: Share of people whom all columns together single out.
            forms: The form of each column.

        Returns:
            The lower and the upper bound, between 0 and 1.
        """
        records = self.records
        if not records.several or not self._shows_links:
            return 0.0, alone
        if alone > self._limit("unique_people"):
            return 0.0, 1.0
        tried = [
            records.unicity(PUBLISHED, index, form, _FACTS)
            for index, form in enumerate(forms)
            if form != records.last(index)
        ]
        if not tried:
            return 0.0, alone
        return sum(tried) / len(tried), max(*tried, alone)
