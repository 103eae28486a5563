"""Arguments and results of k-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class QuasiIdentifier:
    """A column that an attacker may know.

    Attributes:
        binding: Binding of the column.
        name: Name of the column.
        numeric: Whether it holds numbers, which become intervals without a hierarchy.
        hierarchy: Table with the columns ``level0`` (the values as text) to ``level{height}`` (``*``) and one
            row for each value; None without one.
        height: Number of levels above the values.
        moment: "day", "moment" or "zoned" (with a time zone) if it holds dates or timestamps, which become
            intervals without a hierarchy; None otherwise.
        weight: What its detail is worth, above 0; the others are worth 1.
        has_sets: Whether several categories become a set, and not ``*``.
    """

    binding: str
    name: str
    numeric: bool = False
    hierarchy: str | None = None
    height: int = 1
    moment: str | None = None
    weight: float = 1.0
    has_sets: bool = True


@dataclass(frozen=True)
class Outcome:
    """The figures of a k-anonymous table, counted in the table itself.

    Attributes:
        classes: Number of equivalence classes.
        smallest: Number of records of the smallest class.
        records: Number of records.
        ncp: Normalized certainty penalty.
        gcp: Global certainty penalty, from 0 to 1.
        discernibility: Sum of the squared class sizes.
        average_class: Mean class size divided by k.
        people: Number of people, if classes count them.
        uppers: Columns with upper bounds, by those with the lower ones.
    """

    classes: int
    smallest: int
    records: int
    ncp: float
    gcp: float
    discernibility: int
    average_class: float
    people: int | None = None
    uppers: Mapping[str, str] = field(default_factory=dict)
