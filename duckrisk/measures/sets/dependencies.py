"""Attributes that another one determines: with both a set singles out no more than without one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.masks import list_bits

if TYPE_CHECKING:
    from duckrisk.measures.sets.combinations import Combinations


@dataclass
class Dependencies:
    """What adds nothing to a set.

    Attributes:
        determined: Pairs of positions; the first attribute determines the second.
        redundant: The same pairs as sets, without order.
        twins: Attributes whose values stand one to one for those of another one, which is searched in their
            stead, by their positions.
        pair_classes: Number of classes of each pair of attributes among some combinations, if it was counted.
    """

    determined: list[tuple[int, int]] = field(default_factory=list)
    redundant: list[int] = field(default_factory=list)
    twins: dict[int, int] = field(default_factory=dict)
    pair_classes: dict[int, int] = field(default_factory=dict)


def find_dependencies(combinations: Combinations, ignore_missing: bool, limits: Limits) -> Dependencies:
    """Find the attributes that another one determines.

    What is not found in time only costs more sets. Some combinations refute most pairs, the others are
    examined on all. An attribute with nearly as many values as there are combinations is left out: it singles
    out nearly everybody by itself.

    Args:
        combinations: The combinations, with their table of attributes.
        ignore_missing: Whether a missing value reveals nothing.
        limits: Where the search ends early.
    """
    found = Dependencies()
    with combinations.session.limit_time(limits.until):
        _find(combinations, ignore_missing, found)
    found.redundant = sorted({1 << a | 1 << b for a, b in found.determined})
    return found


def _find(combinations: Combinations, ignore_missing: bool, found: Dependencies) -> None:
    counts = combinations.counts
    classes = found.pair_classes = _count_pair_classes(combinations)
    likely = [
        (rest.bit_length() - 1, (mask ^ rest).bit_length() - 1)
        for mask in classes
        if mask.bit_count() == 2
        for rest in list_bits(mask)
        if classes[mask] == classes[rest] and 2 * counts[rest.bit_length() - 1] < combinations.count
    ]
    is_partly_missing: dict[tuple[int, int], bool] = {}
    for a in sorted({a for a, _ in likely}):
        others = [b for first, b in likely if first == a]
        for b, (is_determined, is_partly) in zip(others, _check(combinations, a, others), strict=True):
            if is_determined:
                found.determined.append((a, b))
                is_partly_missing[a, b] = is_partly
    # Numbers of values decide nothing here: they are those of all records, with a user or without.
    for a, b in found.determined:
        is_alike = combinations.levels[a] == combinations.levels[b]
        is_one_to_one = a < b and (b, a) in is_partly_missing
        can_replace = is_alike and not (is_partly_missing[a, b] and ignore_missing)
        if is_one_to_one and can_replace and not {a, b} & found.twins.keys():
            found.twins[b] = a


def _check(combinations: Combinations, position: int, others: Sequence[int]) -> list[tuple[bool, bool]]:
    """Return which attributes one determines, and if one of two is missing alone."""
    layout = combinations.layout
    row = combinations.session.fetch_row(
        "determined",
        table="combinations",
        word=layout.words[position],
        field=layout.masks[position],
        bit=1 << position,
        words=[layout.words[other] for other in others],
        fields=[layout.masks[other] for other in others],
        bits=[1 << other for other in others],
    )
    return [(row[f"determined{index}"], row[f"partly{index}"]) for index in range(len(others))]


def _count_pair_classes(combinations: Combinations) -> dict[int, int]:
    """Count the classes of the attributes and of their pairs among some combinations."""
    rows = combinations.session.run(
        "pair_classes",
        table="combinations",
        words=combinations.layout.count,
        max_combinations=costs.SAMPLED_FOR_DEPENDENCIES,
    )
    return {row["mask"]: row["classes"] for row in rows}
