"""How sets of attributes are written in tables."""

from __future__ import annotations

from collections.abc import Sequence

#: Characters of a set in a table; the JSON report has all names.
ROOM = 34


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
