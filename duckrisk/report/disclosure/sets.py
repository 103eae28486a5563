"""What the sections on attribute sets say alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import number

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
_RULES = (
    "A missing cell is a value of its own (value); agrees with every value (wildcard); or tells nothing, so "
    "that a record is looked for by its other attributes (none)."
)


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


def compared(
    section: dict[str, Any],
    heads: tuple[str, ...],
    cells: Callable[[dict[str, Any]], tuple[Any, ...]],
    first: dict[str, Any] | None = None,
) -> list[Part]:
    """What the rules for missing cells change, a row for each; ``cells`` are an entry's under the ``heads``.
    ``first`` is what the other rules' entries hold, of the section, where its names are others."""
    if not section["missing_cells"]:
        return [Part("No cell of these attributes is missing, so every rule for one says the same.")]
    missing = f"{number(section['missing_cells'])} cells of these attributes are missing"
    if not section["other_rules"]:
        return [Part(f"{missing}; --compare-missing shows what the other rules for them give.")]
    own = {**section, **(first or {}), "missing": section["missing_mode"]}
    entries = {entry["missing"]: entry for entry in (own, *section["other_rules"])}
    rows = tuple(
        (rule, *cells(entries[rule]), _searched(entries[rule])) for rule in ("value", "wildcard", "none")
    )
    table = Table(("Missing", *heads, "Searched"), rows, tuple(range(1, len(heads) + 1)))
    return [Part(f"What the rules for missing cells change: {missing}. {_RULES}"), Part(table=table)]


def _searched(entry: dict[str, Any]) -> str:
    """How much was searched by a rule, in few words."""
    if entry["limit"] == "patterns":
        return "too many ways"
    if entry["max_size"] is None:
        return "no time left"
    if entry["limit"] == "time_limit":
        return "time ended it"
    return "all sizes" if entry["limit"] is None else f"to size {entry['max_size']}"
