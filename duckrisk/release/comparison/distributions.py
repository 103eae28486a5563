"""Measure the distribution of each attribute before and after, in a few parts."""

from __future__ import annotations

from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.utility_results import Distribution, DistributionPart

#: Values of a category that are parts of their own (a choice: with the rest and missing ones, as bands, ten).
MAX_VALUES = 8


def measure(coverage: Coverage, *, with_values: bool) -> tuple[Distribution, ...]:
    """Measure the distributions of the attributes that a release has.

    Args:
        coverage: What the values of the release cover.
        with_values: Whether parts have the values that they begin and end with.
    """
    distributions = []
    for attribute in coverage.leaves.attributes:
        if attribute.number not in coverage.bindings:
            continue
        ordered = attribute.order != "text"
        coverage.session.run("distribution_parts", leaves=attribute.leaves, ordered=ordered, most=MAX_VALUES)
        rows = coverage.session.run(
            "part_shares",
            cells=f"cells_{attribute.number}",
            reach=coverage.reach[attribute.number],
            ordered=ordered,
            with_values=with_values,
        )
        parts = tuple(DistributionPart(**row) for row in rows)
        distributions.append(Distribution(attribute.name, parts))
    return tuple(distributions)
