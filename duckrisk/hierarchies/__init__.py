"""Value hierarchies: how the values of a column become coarser, level by level, up to ``*`` for all of them.

Level 0 is the value itself. A hierarchy is intervals of numbers, prefixes of texts, truncated moments, a CSV
file in ARX's layout, or a tree written as TOML; a column without one has the value and ``*`` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from duckrisk import toml
from duckrisk.errors import UsageError, suggestion
from duckrisk.hierarchies.cells import MOMENTS, cell_of_moment, cell_of_number, cell_of_prefix
from duckrisk.hierarchies.definition import Definition, Hierarchy
from duckrisk.hierarchies.labels import of_file, of_tree

__all__ = [
    "MOMENTS",
    "Definition",
    "Hierarchy",
    "cell_of_moment",
    "cell_of_number",
    "cell_of_prefix",
    "load",
    "parse",
    "parse_all",
    "read",
]

_KINDS = ("widths", "prefixes", "moments", "tree")


def parse(spec: Any, folder: Path, name: str = "") -> Definition:
    """The hierarchy that a settings file or a recipe describes; ``folder`` is where a CSV file is looked for
    and ``name`` the column it is for. Raises UsageError for what is none."""
    place = f'The hierarchy of "{name}"' if name else "The hierarchy"
    if isinstance(spec, str):
        return of_file(folder / spec, spec, place)
    if not isinstance(spec, Mapping) or len(spec) != 1:
        raise UsageError(f"{place} is a CSV file's name or one of {', '.join(_KINDS)}.")
    ((kind, entries),) = spec.items()
    if kind not in _KINDS:
        raise UsageError(f'{place} has an unknown kind "{kind}"{suggestion(kind, list(_KINDS))}')
    if kind == "tree":
        return of_tree(entries, place)
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"{place}: {kind} takes a list of at least one entry.")
    if kind == "moments":
        _check_moments(entries, place)
    else:
        _check_numbers(kind, entries, place)
    return Definition(kind, tuple(entries), place=place)


def parse_all(table: Any, folder: Path, file: str) -> dict[str, Definition]:
    """The hierarchies of a ``[hierarchies]`` table by the column's name."""
    if not isinstance(table, Mapping):
        raise UsageError(f'"{file}": hierarchies has to be a table, [hierarchies].')
    return {name: parse(spec, folder, name) for name, spec in table.items()}


def load(path: Path, required: bool = True) -> dict[str, Definition]:
    """The hierarchies of a TOML file with a table ``[hierarchies]``. Raises UsageError without one, where it
    is required."""
    return parse_all(read(path, required), path.parent, path.name)


def read(path: Path, required: bool = True) -> Mapping[str, Any]:
    """The table ``[hierarchies]`` of a TOML file as it is written: a file for hierarchies, or, where they are
    not required, settings or a recipe that may have some or may not be there. Raises UsageError for a file
    that cannot be read and for one that lacks what is required."""
    if not required and not path.is_file():
        return {}
    content = toml.content(path, "file of hierarchies")
    if required and "hierarchies" not in content:
        raise UsageError(f'"{path.name}" has no table [hierarchies].')
    table = content.get("hierarchies", {})
    if not isinstance(table, Mapping):
        raise UsageError(f'"{path.name}": hierarchies has to be a table, [hierarchies].')
    return table


def _check_moments(entries: list[Any], place: str) -> None:
    for entry in entries:
        if entry not in MOMENTS:
            raise UsageError(f'{place}: "{entry}" is no unit; units are {", ".join(MOMENTS)}.')
    steps = [MOMENTS.index(entry) for entry in entries]
    if steps != sorted(set(steps)):
        raise UsageError(f"{place}: moments have to become coarser from one to the next.")
    if "week" in entries and entries[-1] != "week":
        raise UsageError(
            f"{place}: a week does not lie in one month, quarter or year; leave one of them out."
        )


def _check_numbers(kind: str, entries: list[Any], place: str) -> None:
    from decimal import Decimal

    whole = kind == "prefixes"
    for entry in entries:
        fits = type(entry) is int or (type(entry) is float and not whole)
        if not fits or not 0 < entry < 1e18:
            wanted = "whole numbers of characters" if whole else "numbers"
            raise UsageError(f"{place}: {kind} takes {wanted} above 0.")
    if whole and entries != sorted(set(entries), reverse=True):
        raise UsageError(f"{place}: prefixes have to become shorter from one to the next.")
    if not whole:
        for finer, coarser in pairwise(entries):
            if coarser <= finer or Decimal(str(coarser)) % Decimal(str(finer)):
                raise UsageError(f"{place}: each width has to be a multiple of the one before it.")
