"""Treatments: the form of each published column, the period of pseudonyms, and the deleted records.

A step leads from one treatment to the next: a coarser or removed column, shorter periods, more deletions.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.release.advice.generalizations import Column
from duckrisk.release.advice.results import Step

#: The periods for which a pseudonym can be valid, from long to short.
PERIODS = ("year", "quarter", "month", "week", "day")
#: Columns; sizes of the sets on which unique records are deleted, besides all published columns (a choice:
#: the number of sets grows with their size, see `_MAX_SETS`).
_SET_SIZES = (1, 2, 3)
#: Column sets; a deletion that looks at more of them is not tried (a choice: each set groups all combinations
#: of values once).
_MAX_SETS = 300


@dataclass(frozen=True)
class Deletion:
    """Deletes records that are unique on some set of columns.

    Attributes:
        columns: Indexes of the columns; None for all published columns.
        together: Number of columns of a set; None for all of these columns.
    """

    columns: tuple[int, ...] | None
    together: int | None


@dataclass(frozen=True)
class Treatment:
    """The changes that make a release.

    Attributes:
        levels: The index of each column's form.
        period: The period of a pseudonym; None keeps the users as they are.
        deletion: The deletion of records; None deletes none.
    """

    levels: tuple[int, ...]
    period: str | None = None
    deletion: Deletion | None = None

    def is_finer(self, other: Treatment) -> bool:
        """Return whether this discloses at least as much of the same records.

        Treatments with different periods or with deletions are not comparable.

        Args:
            other: The treatment to compare with.
        """
        is_alike = self.period == other.period and self.deletion is None and other.deletion is None
        return is_alike and all(map(operator.le, self.levels, other.levels))


@dataclass(frozen=True)
class TreatmentSpace:
    """The columns that treatments can change.

    Attributes:
        columns: The columns with their forms.
        user: Name of the user column; None without one.
        time: Name of the column that gives the period of a pseudonym; None if there are no pseudonyms.
    """

    columns: Sequence[Column]
    user: str | None = None
    time: str | None = None

    def list_published(self, treatment: Treatment) -> list[int]:
        """List the indexes of the encoded columns that a treatment publishes.

        Args:
            treatment: The treatment.
        """
        return [
            index
            for index, (column, level) in enumerate(zip(self.columns, treatment.levels, strict=True))
            if column.is_encoded and not column.generalizations[level].is_dropped
        ]

    def drop_changed_column(self, before: Treatment, after: Treatment) -> Treatment | None:
        """Return the step that removes a column instead of making it coarser.

        Args:
            before: The treatment before the step.
            after: The treatment after the step.

        Returns:
            The treatment without the column; None if the step makes no column coarser.
        """
        for index, (column, old, new) in enumerate(
            zip(self.columns, before.levels, after.levels, strict=True)
        ):
            if old != new and not column.generalizations[new].is_dropped:
                last = len(column.generalizations) - 1
                levels = (*after.levels[:index], last, *after.levels[index + 1 :])
                return dataclasses.replace(after, levels=levels)
        return None

    def resolve_deletion(self, treatment: Treatment) -> tuple[list[int], int] | None:
        """Return the columns and the set size of a treatment's deletion.

        Args:
            treatment: The treatment.

        Returns:
            The indexes of the published columns that it looks at, and the number of columns of a set; None
            if it deletes no records.
        """
        if treatment.deletion is None:
            return None
        chosen, together = treatment.deletion.columns, treatment.deletion.together
        indexes = [index for index in self.list_published(treatment) if chosen is None or index in chosen]
        if not indexes:
            return None
        return indexes, len(indexes) if together is None else min(together, len(indexes))

    def list_options(self, treatment: Treatment) -> list[str]:
        """List the options of ``duckrisk anonymize`` that make a treatment.

        Args:
            treatment: The treatment.
        """
        options: list[str] = []
        if treatment.period is not None and self.user is not None and self.time is not None:
            options += ["--pseudonymize", f"{self.user}={treatment.period}", "--date", self.time]
        for column, level in zip(self.columns, treatment.levels, strict=True):
            form = column.generalizations[level]
            if form.is_dropped:
                options += ["--drop", column.name]
            elif form.written is not None:
                options += ["--generalize", f"{column.name}={form.written}"]
        if (deletion := self.resolve_deletion(treatment)) is not None:
            indexes, together = deletion
            options += ["--delete-classes-below", "2"]
            for index in indexes:
                options += ["--quasi-identifier", self.columns[index].name]
            if together < len(indexes):
                options += ["--together", str(together)]
        return options

    def describe_step(self, before: Treatment, after: Treatment) -> Step:
        """Describe the step from one treatment to the next.

        Args:
            before: The treatment before the step.
            after: The treatment after the step.
        """
        if after.period != before.period:
            return Step("pseudonymize", self.user, after.period)
        if after.deletion != before.deletion:
            indexes, together = self.resolve_deletion(after) or ([], 0)
            among = tuple(self.columns[index].name for index in indexes)
            return Step("delete-classes", among=among, together=together)
        for column, old, new in zip(self.columns, before.levels, after.levels, strict=True):
            if old != new:
                form = column.generalizations[new]
                return Step("drop" if form.is_dropped else "generalize", column.name, form.written)
        return Step()


def list_next_treatments(space: TreatmentSpace, treatment: Treatment) -> Iterator[Treatment]:
    """List all treatments that are one step away.

    Each of them publishes at least one encoded column.

    Args:
        space: The columns that treatments can change.
        treatment: The treatment before the step.
    """
    for index, (column, level) in enumerate(zip(space.columns, treatment.levels, strict=True)):
        for coarser in range(level + 1, len(column.generalizations)):
            levels = (*treatment.levels[:index], coarser, *treatment.levels[index + 1 :])
            changed = dataclasses.replace(treatment, levels=levels)
            if space.list_published(changed):
                yield changed
    if space.time is not None:
        first = PERIODS.index(treatment.period) + 1 if treatment.period is not None else 0
        for period in PERIODS[first:]:
            yield dataclasses.replace(treatment, period=period)
    for deletion in _list_deletions(space, treatment):
        yield dataclasses.replace(treatment, deletion=deletion)


def _list_deletions(space: TreatmentSpace, treatment: Treatment) -> Iterator[Deletion]:
    """List deletions of more records.

    They look at one column more, or at all columns, or at larger sets of all columns.
    """
    published = space.list_published(treatment)
    indexes, together = space.resolve_deletion(treatment) or ([], 0)
    if together <= 1 and len(indexes) < len(published):
        for index in published:
            if index not in indexes and len(indexes) + 1 < len(published):
                yield Deletion(tuple(sorted([*indexes, index])), 1)
    has_all_columns = len(indexes) == len(published)
    for size in (*(size for size in _SET_SIZES if size < len(published)), None):
        columns = len(published) if size is None else size
        if (columns > together or not has_all_columns) and math.comb(len(published), columns) <= _MAX_SETS:
            yield Deletion(None, size)
