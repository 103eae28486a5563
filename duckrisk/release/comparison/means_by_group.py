"""Measure how far means by group are from those of the original, as a reader of a release computes them."""

from __future__ import annotations

from duckrisk.measures.detail import ComparedColumn
from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.utility_results import MeanOfGroups, MeansByGroup

#: Numeric columns, and columns with categories, that are compared (a choice: 400 pairs, as cross tables).
MAX_COLUMNS = 20
#: Values of a column with categories (a choice: it bounds the groups, and means of fewer records say little).
MAX_CATEGORIES = 100
#: Tables with the sums by group of the original, and of the release that was measured last.
_ORIGINAL, _RELEASE = "numbers_by_group", "release_numbers_by_group"


def number_cells(coverage: Coverage, number: int, table: str, *, absolute: bool = False) -> None:
    """Find the number that a reader takes for each value of a numeric column.

    Args:
        coverage: What the values of the table cover.
        number: Number of the column.
        table: Name of the table that is made: ``value`` and ``part``, relative to the largest number.
        absolute: Whether to take numbers without their signs.
    """
    coverage.session.run(
        "cell_numbers",
        leaves=coverage.leaves.attributes[number].leaves,
        cells=f"cells_{number}",
        reach=coverage.reach[number],
        single_values=coverage.has_single_values([number]),
        absolute=absolute,
        table=table,
    )


def measure(coverage: Coverage, table: int) -> MeansByGroup | None:
    """Measure the change of the means by group of a table; the original comes first.

    Args:
        coverage: What the values of the table cover.
        table: Number of the table; 0 is the original.

    Returns:
        The changes; None if the table has no numeric column, or none with categories.
    """
    numbers, categories = list_numeric(coverage), list_grouping(coverage)
    if not numbers or not categories:
        return None
    _sum_by_group(coverage, numbers[:MAX_COLUMNS], categories[:MAX_COLUMNS], is_original=table == 0)
    rows = coverage.session.run(
        "mean_changes", original=_ORIGINAL, release=_ORIGINAL if table == 0 else _RELEASE
    )
    if not rows:
        return None
    total, *by_number = rows
    names = {attribute.number: attribute.name for attribute in numbers}
    left_out = sum(max(0, len(columns) - MAX_COLUMNS) for columns in (numbers, categories))
    return MeansByGroup(
        median=total["median"],
        within=total["within"],
        groups=total["groups"],
        categories=total["categories"],
        numbers=tuple(MeanOfGroups(names[row["number"]], row["median"], row["within"]) for row in by_number),
        left_out=left_out,
    )


def list_numeric(coverage: Coverage) -> list[ComparedColumn]:
    """List the numeric columns of the original that the table has."""
    return [a for a in coverage.leaves.attributes if a.order == "number" and a.number in coverage.bindings]


def list_grouping(coverage: Coverage) -> list[ComparedColumn]:
    """List the columns with few categories of the original that the table has."""
    counts = coverage.leaves.counts
    return [
        a
        for a in coverage.leaves.attributes
        if a.order != "number" and counts[a.number] <= MAX_CATEGORIES and a.number in coverage.bindings
    ]


def _sum_by_group(
    coverage: Coverage, numbers: list[ComparedColumn], categories: list[ComparedColumn], *, is_original: bool
) -> None:
    """Sum the numbers by group.

    Of the original the absolute values are summed as well, as those of the number -1 - number.
    """
    columns = [(a.number, f"numbers_{a.number}", a.number) for a in numbers]
    if is_original:
        columns += [(a.number, f"magnitudes_{a.number}", -1 - a.number) for a in numbers]
    for number, table, key in columns:
        number_cells(coverage, number, table, absolute=key < 0)
    grouped = [attribute.number for attribute in categories]
    coverage.session.run(
        "group_means",
        columns=[number for number, _, _ in columns],
        numbers=[key for _, _, key in columns],
        means=[table for _, table, _ in columns],
        categories=grouped,
        single_values=coverage.has_single_values(grouped),
        leaves=[attribute.leaves for attribute in categories],
        cells=[f"cells_{number}" for number in grouped],
        reach=[coverage.reach[number] for number in grouped],
        table=_ORIGINAL if is_original else _RELEASE,
    )
