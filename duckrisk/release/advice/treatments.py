"""Treatments: how coarse each published column is, the life of pseudonyms, and whose records are deleted.

A step leads from one treatment to the next: one column coarser or left out, shorter lives, more deletions.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.release.advice.generalizations import Column
from duckrisk.release.advice.results import Step

#: How long pseudonyms can live, from long to short.
PERIODS = ("year", "quarter", "month", "week", "day")
#: So many columns together, at most, are asked whether a record is alone with its cells; and all of them.
TOGETHER = (1, 2, 3)
#: No more sets of columns than these are asked.
MOST_SETS = 300


@dataclass(frozen=True)
class Deletion:
    """Records are deleted that are alone with their cells in any ``together`` of these columns,
    which are given by their places; None means all columns that are published."""

    columns: tuple[int, ...] | None
    together: int | None


@dataclass(frozen=True)
class Treatment:
    """Of each column the number of its generalization, the period of a pseudonym (None: users stay as they
    are), and the deletion, if any."""

    levels: tuple[int, ...]
    period: str | None = None
    deletion: Deletion | None = None

    def is_finer(self, other: Treatment) -> bool:
        """Whether it tells as much of the same records and pseudonyms as another, or more."""
        alike = self.period == other.period and self.deletion is None and other.deletion is None
        return alike and all(map(operator.le, self.levels, other.levels))


@dataclass(frozen=True)
class Names:
    """The columns of a source, and those of its users and times where pseudonyms can be given."""

    columns: Sequence[Column]
    user: str | None = None
    time: str | None = None

    def published(self, treatment: Treatment) -> list[int]:
        """The places of the columns that are encoded and not left out."""
        return [
            index
            for index, (column, number) in enumerate(zip(self.columns, treatment.levels, strict=True))
            if column.encoded and not column.generalizations[number].dropped
        ]

    def left_out(self, before: Treatment, after: Treatment) -> Treatment | None:
        """The treatment that leaves out the column to which a step gives a coarser form, if it does."""
        for index, (column, old, new) in enumerate(
            zip(self.columns, before.levels, after.levels, strict=True)
        ):
            if old != new and not column.generalizations[new].dropped:
                last = len(column.generalizations) - 1
                levels = (*after.levels[:index], last, *after.levels[index + 1 :])
                return dataclasses.replace(after, levels=levels)
        return None

    def deletion(self, treatment: Treatment) -> tuple[list[int], int] | None:
        """The places of the columns that a deletion looks at and how many of them together."""
        if treatment.deletion is None:
            return None
        wanted, together = treatment.deletion.columns, treatment.deletion.together
        places = [index for index in self.published(treatment) if wanted is None or index in wanted]
        if not places:
            return None
        return places, len(places) if together is None else min(together, len(places))

    def options(self, treatment: Treatment) -> list[str]:
        """The options of ``duckrisk anonymize`` that make a treatment."""
        options: list[str] = []
        if treatment.period is not None and self.user is not None and self.time is not None:
            options += ["--pseudonymize", f"{self.user}={treatment.period}", "--date", self.time]
        for column, number in zip(self.columns, treatment.levels, strict=True):
            chosen = column.generalizations[number]
            if chosen.dropped:
                options += ["--drop", column.name]
            elif chosen.written is not None:
                options += ["--generalize", f"{column.name}={chosen.written}"]
        if (deletion := self.deletion(treatment)) is not None:
            places, together = deletion
            options += ["--delete-classes-below", "2"]
            for index in places:
                options += ["--quasi-identifier", self.columns[index].name]
            if together < len(places):
                options += ["--together", str(together)]
        return options

    def step(self, before: Treatment, after: Treatment) -> Step:
        """What changed from one treatment to the next."""
        if after.period != before.period:
            return Step("pseudonymize", self.user, after.period)
        if after.deletion != before.deletion:
            places, together = self.deletion(after) or ([], 0)
            among = tuple(self.columns[index].name for index in places)
            return Step("delete-classes", among=among, together=together)
        for column, old, new in zip(self.columns, before.levels, after.levels, strict=True):
            if old != new:
                chosen = column.generalizations[new]
                return Step("drop" if chosen.dropped else "generalize", column.name, chosen.written)
        return Step()


def next_treatments(names: Names, treatment: Treatment) -> Iterator[Treatment]:
    """All treatments that are one step away. Some column of those that sets are made of is always there."""
    for index, (column, number) in enumerate(zip(names.columns, treatment.levels, strict=True)):
        for coarser in range(number + 1, len(column.generalizations)):
            levels = (*treatment.levels[:index], coarser, *treatment.levels[index + 1 :])
            other = dataclasses.replace(treatment, levels=levels)
            if names.published(other):
                yield other
    if names.time is not None:
        lived = PERIODS.index(treatment.period) + 1 if treatment.period is not None else 0
        for period in PERIODS[lived:]:
            yield dataclasses.replace(treatment, period=period)
    for deletion in _deletions(names, treatment):
        yield dataclasses.replace(treatment, deletion=deletion)


def _deletions(names: Names, treatment: Treatment) -> Iterator[Deletion]:
    """Deletions of more records: one column more, then any of all columns, then more of these together."""
    published = names.published(treatment)
    now = names.deletion(treatment)
    places, together = now if now is not None else ([], 0)
    if together <= 1 and len(places) < len(published):
        for index in published:
            if index not in places and len(places) + 1 < len(published):
                yield Deletion(tuple(sorted([*places, index])), 1)
    covered = len(places) == len(published)
    for number in (*(n for n in TOGETHER if n < len(published)), None):
        wanted = len(published) if number is None else number
        if (wanted > together or not covered) and math.comb(len(published), wanted) <= MOST_SETS:
            yield Deletion(None, number)
