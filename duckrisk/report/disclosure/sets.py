"""What the sections on attribute sets say alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: What a missing cell is for the classes of attribute sets.
MISSING = {
    "value": "a missing cell is a value of its own",
    "none": "a record counts for the sets of which it has all attributes",
    "wildcard": "a missing cell agrees with every value",
}
#: Why not all sets were looked at.
LIMITS = {
    "max_size": "the size was bounded",
    "built_in": "all sets would take too long",
    "time_limit": "time ended the search",
}
#: Characters of a set in a table; the JSON report has all names.
ROOM = 34


def overlapping(section: dict[str, Any]) -> bool:
    """Whether records that agree with one need not agree with each other."""
    return bool(section["missing_mode"] == "wildcard" and section["missing_cells"])


def short(names: Sequence[str]) -> str:
    """The attributes of a set, as many as fit, and how many more there are."""
    whole = " + ".join(names)
    if len(whole) <= ROOM:
        return whole
    for count in range(len(names) - 1, 0, -1):
        cut = f"{' + '.join(names[:count])} + {len(names) - count} more"
        if len(cut) <= ROOM:
            return cut
    first = names[0] if len(names[0]) <= 20 else f"{names[0][:20]}..."
    return first if len(names) == 1 else f"{first} + {len(names) - 1} more"
