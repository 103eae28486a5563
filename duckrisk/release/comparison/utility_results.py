"""What a reader can still do with a release: means by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from duckrisk.base.results import Count, Share


@dataclass(frozen=True)
class MeanOfGroups:
    """How far the means of one numeric column by group are from those of the original."""

    sql: ClassVar[tuple[str, ...]] = ("mean_changes",)

    number: Annotated[str, "The numeric column."]
    median: Annotated[Share, "Change of the mean that the groups of half of the records keep."]
    within: Annotated[Share, "Change of the mean that the groups of 95% of the records keep."]


@dataclass(frozen=True)
class MeansByGroup:
    """How far the means of numbers by group are from those of the original, as a reader computes them."""

    sql: ClassVar[tuple[str, ...]] = ("mean_changes",)

    median: Annotated[
        Share, "Change of the mean, relative to the group, that the groups of half of the records keep."
    ]
    within: Annotated[
        Share, "The same of 95% of the records: 0.03 means that their groups have their means within 3%."
    ]
    groups: Annotated[Count, "Groups whose means were compared, over all pairs of columns."]
    categories: Annotated[Count, "Columns that make the groups, with few values each."]
    numbers: Annotated[tuple[MeanOfGroups, ...], "The same by numeric column, of those that the table has."]
    left_out: Annotated[Count, "Columns beyond the most that are compared, of both kinds."]
