"""What a reader can still do with a release: means by group, models, and distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Share, left_out

Model = Literal["lightgbm", "linear"]
Reason = Literal["no_target", "too_few"]


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


@dataclass(frozen=True)
class ModelScore:
    """How well a model predicts a column of the original's records that it has not learned from."""

    model: Annotated[Model, "Gradient boosted trees, or a logistic or linear regression."]
    before: Annotated[float | None, "Learned from the original."]
    after: Annotated[float | None, "Learned from the release; null where it holds too little to learn from."]


@dataclass(frozen=True)
class Prediction:
    """How well models predict a column, learned from the original and from the release."""

    target: Annotated[str, "The column that is predicted from all others."]
    measure: Annotated[
        Literal["auc", "r2"],
        "AUC: of two classes, else the mean of each class against all others. R2: of numbers.",
    ]
    classes: Annotated[Count | None, "Values that are predicted; null for numbers."]
    before: Annotated[float | None, "The better model, learned from 70% of the original."]
    after: Annotated[float | None, "The better model, learned from 70% of the release."]
    models: tuple[ModelScore, ...]
    learned_before: Annotated[Count, "Records of the original that were learned from, at most 100,000."]
    learned: Annotated[Count, "Records of the table that were learned from, at most 100,000."]
    tested: Annotated[Count, "Records of the other 30% of the original, at most 100,000."]
    corresponding: Annotated[
        bool,
        "Whether --key or --aligned divides table and original alike. Otherwise the places of records do, "
        "and some that are tested may be among those that are learned from.",
    ]
    reason: Annotated[
        Reason | None,
        "Why there is no figure: the release lacks the target, or too few records have one value of it.",
    ]


@dataclass(frozen=True)
class DistributionPart:
    """Records with some of the values of an attribute, before and after."""

    sql: ClassVar[tuple[str, ...]] = ("part_shares",)

    kind: Annotated[
        Literal["band", "value", "others", "missing"],
        "A band of about a tenth of the ordered values, a most frequent value, all others, or missing.",
    ]
    part: Annotated[Count, "Number of the band from the lowest, or rank of the value; 0 for the others."]
    values: Annotated[Count, "Different values of the original in it."]
    share_below: Annotated[
        Share | None, "Share of the original's ordered values up to the end of a band; null for other kinds."
    ]
    before: Annotated[Share, "Share of the original's records."]
    after: Annotated[Share, "Share of the release's records, each spread evenly over what its cell covers."]
    first_value: Annotated[str | None, "Its first value, only where settings.show_values is true."] = (
        left_out()
    )
    last_value: Annotated[str | None, "Its last value, only where settings.show_values is true."] = left_out()


@dataclass(frozen=True)
class Distribution:
    """The distribution of an attribute that the release has, before and after."""

    attribute: str
    parts: tuple[DistributionPart, ...]
