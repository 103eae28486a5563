"""Measure which answers of the original a release still gives.

These are shares, cross tables, correlations, and means of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from duckrisk.release.comparison import means_by_group
from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.distances import Distances
from duckrisk.release.comparison.results import (
    AttributeLoss,
    Correlation,
    CrossTable,
    GroupMeans,
    MeanLosses,
    Utility,
)

#: Attributes whose pairs are compared, the first ones (a choice: 190 cross tables).
MAX_PAIRED = 20
#: Categories of an attribute; with more it makes no groups (a choice: it bounds the groups of a statement).
MAX_CATEGORIES = 100
#: Remaining information, total variation, and largest difference.
_Loss = tuple[float | None, float | None, float | None]
#: The losses of unchanged attributes, and of those that would take too long.
_NOTHING_LOST: _Loss = (1.0, 0.0, 0.0)
_UNKNOWN: _Loss = (None, None, None)


def measure(release: Distances, table: int, original: Utility | None) -> Utility:
    """Measure the losses of a release.

    Args:
        release: The distances of the release.
        table: Number of the table; 0 is the original.
        original: The results of the original; None for the original itself.
    """
    coverage, leaves = release.coverage, release.leaves
    paired = list(combinations(leaves.attributes[:MAX_PAIRED], 2))
    sets = [*((a.number,) for a in leaves.attributes), *((a.number, b.number) for a, b in paired)]
    unchanged = release.unchanged
    changed = [numbers for numbers in sets if not unchanged.issuperset(numbers)]
    losses: dict[tuple[int, ...], _Loss] = {
        numbers: (distance.information, distance.total_variation, distance.largest_difference)
        if distance is not None
        else _UNKNOWN
        for numbers, distance in zip(changed, release.measure_distances(changed), strict=True)
    }
    distances = [losses.get(numbers, _NOTHING_LOST) for numbers in sets]
    cells = [coverage.measure_losses(a.number) for a in leaves.attributes]
    attributes = [
        AttributeLoss(a.name, 0.0 if left and _is_suppressed(coverage, a.number) else left, variation, own)
        for a, own, (left, variation, _) in zip(leaves.attributes, cells, distances, strict=False)
    ]
    pairs = [
        CrossTable((first.name, second.name), variation, largest)
        for (first, second), (_, variation, largest) in zip(paired, distances[len(attributes) :], strict=True)
    ]
    correlations = _measure_correlations(coverage, original)
    subsets = _measure_group_means(coverage, table)
    means = coverage.session.fetch_row(
        "mean_losses",
        attributes=[
            _format_exact(row.total_variation) for row in attributes if row.total_variation is not None
        ],
        cross_tables=[_format_exact(row.total_variation) for row in pairs if row.total_variation is not None],
        changes=[_format_exact(row.change) for row in correlations if row.original is not None],
        subsets=[_format_exact(row.loss) for row in subsets],
    )
    return Utility(
        tuple(attributes),
        tuple(pairs),
        tuple(correlations),
        tuple(subsets),
        MeanLosses(**means),
        group_means=means_by_group.measure(coverage, table),
    )


def _list_number_attributes(coverage: Coverage) -> list[int]:
    """List the attributes of numbers that the release has."""
    return [
        a.number for a in coverage.leaves.attributes if a.order == "number" and a.number in coverage.bindings
    ]


def _is_suppressed(coverage: Coverage, number: int) -> bool:
    """Return whether a release reveals nothing of an attribute with several values."""
    suppressed = coverage.measure_losses(number).suppressed == coverage.records > 0
    return suppressed and coverage.leaves.counts[number] > 1


def _measure_correlations(coverage: Coverage, original: Utility | None) -> Sequence[Correlation]:
    session, names = coverage.session, [a.name for a in coverage.leaves.attributes]
    for number in _list_number_attributes(coverage):
        tables: dict[str, Any] = {name: f"{name}_{number}" for name in ("leaves", "cells")}
        plain = coverage.has_single_values([number])
        given = {**tables, "reach": coverage.reach[number], "single_values": plain}
        session.run("cell_means", **given, table=f"means_{number}")
    before = {row.attributes: row.correlation for row in original.correlations} if original else {}
    there = _list_number_attributes(coverage)[:MAX_PAIRED]
    pairs = list(combinations(range(len(there)), 2))
    named = [(names[there[first]], names[there[second]]) for first, second in pairs]
    rows = []
    if pairs:
        rows = session.run(
            "cell_correlation",
            numbers=there,
            means=[f"means_{number}" for number in there],
            pairs=pairs,
            before=[_format_exact(before.get(pair)) for pair in named],
        )
    correlations = []
    for pair, row in zip(named, rows, strict=True):
        was = row["correlation"] if original is None else before.get(pair)
        change = 0.0 if original is None and was is not None else row["change"]
        correlations.append(Correlation(pair, was, row["correlation"], change))
    gone = [pair for pair in before if pair not in named]
    return [*correlations, *(Correlation(pair, before[pair], None, None) for pair in gone)]


def _measure_group_means(coverage: Coverage, table: int) -> Sequence[GroupMeans]:
    """Measure the loss of means of each attribute of numbers, by category of others."""
    session, leaves, there = coverage.session, coverage.leaves, _list_number_attributes(coverage)
    numbers = [attribute for attribute in leaves.attributes if attribute.order == "number"]
    grouping = [
        attribute
        for attribute in leaves.attributes
        if attribute.order != "number" and leaves.counts[attribute.number] <= MAX_CATEGORIES
    ]
    kept = [attribute for attribute in grouping if attribute.number in coverage.bindings]
    known: dict[tuple[int, int], float | None] = {}
    if there and kept:
        before, after = "group_means", "group_means" if table == 0 else "release_group_means"
        categories = [attribute.number for attribute in kept]
        session.run(
            "group_means",
            columns=there,
            numbers=there,
            means=[f"means_{number}" for number in there],
            categories=categories,
            single_values=coverage.has_single_values(categories),
            leaves=[attribute.leaves for attribute in kept],
            cells=[f"cells_{number}" for number in categories],
            reach=[coverage.reach[number] for number in categories],
            table=after,
        )
        rows = session.run(
            "subset_loss", original=before, release=after, categories=categories, numbers=there
        )
        known = {(row["category"], row["number"]): row["loss"] for row in rows}
    losses = []
    for category in grouping:
        for number in numbers:
            loss = known.get((category.number, number.number), 1.0)
            if loss is not None:
                losses.append(GroupMeans(category.name, number.name, loss))
    return losses


def _format_exact(value: float | None) -> str | None:
    """Format a number for a template, with all its digits."""
    return None if value is None else repr(value)
