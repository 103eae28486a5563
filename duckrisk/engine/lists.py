"""Patterns of templates: one piece of SQL for each item of a list.

``{{ words | each("p{x} & {y}", fields) }}`` writes ``p0 & 15, p1 & 3`` for the words 0 and 1 and the fields
15 and 3. In a pattern ``{x}`` is the item, ``{y}`` and ``{z}`` are the items of further lists at the same
index, ``{i}`` is the index from 0, ``{n}`` the index from 1 and ``{bit}`` 2 to the power of the index. The
name of a filter after a dot writes an item by that filter: ``{x.identifier}``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

#: What a slot makes of the index of an item.
COUNTERS: dict[str, Callable[[int], int]] = {
    "i": int,
    "n": lambda index: index + 1,
    "bit": lambda index: 1 << index,
}
_SLOT = re.compile(r"\{(?:([xyz])(?:\.([a-z_]+))?|([in])|(bit))\}")


@cache
def parse_pattern(pattern: str) -> tuple[str, tuple[tuple[str, str | None], ...]]:
    """Split a pattern into a format and its slots.

    Returns:
        The pattern with ``%s`` for each slot, and the slots: a name, and a filter or None.
    """
    slots = [(item or index or bit, name or None) for item, name, index, bit in _SLOT.findall(pattern)]
    return _SLOT.sub("%s", pattern.replace("%", "%%")), tuple(slots)
