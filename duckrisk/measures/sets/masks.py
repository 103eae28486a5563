"""Attribute sets as numbers with a bit for each attribute, and portions of lists of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator


def make_mask(positions: Iterable[int]) -> int:
    """Return the set of the attributes at some positions."""
    return sum(1 << position for position in positions)


def list_positions(mask: int) -> list[int]:
    """List the positions of the attributes of a set."""
    return [position for position in range(mask.bit_length()) if mask >> position & 1]


def list_bits(mask: int) -> list[int]:
    """List the sets of one attribute of a set."""
    return [1 << position for position in list_positions(mask)]


def split_range(count: int, most: int) -> Iterator[tuple[int, int]]:
    """Split numbers from 0 on into ranges.

    Args:
        count: How many numbers there are.
        most: Numbers of a range; one at least.

    Yields:
        The first and the last number of each range.
    """
    step = max(1, most)
    for first in range(0, count, step):
        yield first, min(first + step, count) - 1


def split_list(masks: Iterable[int], most: int) -> Iterator[list[int]]:
    """Split attribute sets, which are made as they are needed, into lists.

    Args:
        masks: The sets.
        most: Sets of a list; one at least.
    """
    left = iter(masks)
    while some := list(itertools.islice(left, max(1, most))):
        yield some
