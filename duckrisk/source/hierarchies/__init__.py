"""Value hierarchies: how the values of a column become coarser, level by level, up to ``*`` for all of them.

Level 0 is the value itself. A hierarchy is intervals of numbers, prefixes of texts, truncated moments, a CSV
file in ARX's layout, or a tree written as TOML; a column without one has the value and ``*`` alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from duckrisk.base import toml
from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.source.hierarchies.computed import (
    PERIOD_UNITS,
    render_interval,
    render_period,
    render_prefix,
    truncate_to_microseconds,
)
from duckrisk.source.hierarchies.definition import Definition, Hierarchy
from duckrisk.source.hierarchies.labels import of_file, of_tree

__all__ = [
    "PERIOD_UNITS",
    "Definition",
    "Hierarchy",
    "load_hierarchies",
    "parse_hierarchies",
    "parse_hierarchy",
    "read_specs",
    "render_interval",
    "render_period",
    "render_prefix",
    "truncate_to_microseconds",
]

_KINDS = ("widths", "prefixes", "moments", "tree")


def parse_hierarchy(spec: Any, folder: Path, name: str = "") -> Definition:
    """The hierarchy that a settings file or a recipe describes; ``folder`` is where a CSV file is looked for
    and ``name`` the column it is for. Raises UsageError for what is none."""
    title = f'The hierarchy of "{name}"' if name else "The hierarchy"
    if isinstance(spec, str):
        return of_file(folder / spec, spec, title)
    if not isinstance(spec, Mapping) or len(spec) != 1:
        raise UsageError("hierarchies.not_a_hierarchy", place=title, kinds=", ".join(_KINDS))
    ((kind, entries),) = spec.items()
    if kind not in _KINDS:
        raise UsageError(
            "hierarchies.unknown_kind", place=title, kind=kind, suggestion=suggest_names(kind, list(_KINDS))
        )
    if kind == "tree":
        return of_tree(entries, title)
    if not isinstance(entries, list) or not entries:
        raise UsageError("hierarchies.not_a_list", place=title, kind=kind)
    if kind == "moments":
        _check_moments(entries, title)
    else:
        _check_numbers(kind, entries, title)
    return Definition(kind, tuple(entries), title=title)


def parse_hierarchies(table: Any, folder: Path, file: str) -> dict[str, Definition]:
    """The hierarchies of a ``[hierarchies]`` table by the column's name."""
    if not isinstance(table, Mapping):
        raise UsageError("hierarchies.settings_not_a_table", file=file)
    return {name: parse_hierarchy(spec, folder, name) for name, spec in table.items()}


def load_hierarchies(path: Path, required: bool = True) -> dict[str, Definition]:
    """The hierarchies of a TOML file with a table ``[hierarchies]``. Raises UsageError without one, where it
    is required."""
    return parse_hierarchies(read_specs(path, required), path.parent, path.name)


def read_specs(path: Path, required: bool = True) -> Mapping[str, Any]:
    """The table ``[hierarchies]`` of a TOML file as it is written: a file for hierarchies, or, where they are
    not required, settings or a recipe that may have some or may not be there. Raises UsageError for a file
    that cannot be read and for one that lacks what is required."""
    if not required and not os.path.lexists(path):
        return {}
    content = toml.read_toml(path, "file of hierarchies")
    if required and "hierarchies" not in content:
        raise UsageError("hierarchies.table_missing", path=path.name)
    table = content.get("hierarchies", {})
    if not isinstance(table, Mapping):
        raise UsageError("hierarchies.file_not_a_table", path=path.name)
    return table


def _check_moments(entries: list[Any], title: str) -> None:
    for entry in entries:
        if entry not in PERIOD_UNITS:
            raise UsageError(
                "hierarchies.unknown_unit", place=title, entry=entry, moments=", ".join(PERIOD_UNITS)
            )
    steps = [PERIOD_UNITS.index(entry) for entry in entries]
    if steps != sorted(set(steps)):
        raise UsageError("hierarchies.units_not_coarser", place=title)
    if "week" in entries and entries[-1] != "week":
        raise UsageError("hierarchies.week_with_month", place=title)


def _check_numbers(kind: str, entries: list[Any], title: str) -> None:
    from decimal import Decimal

    whole = kind == "prefixes"
    for entry in entries:
        fits = type(entry) is int or (type(entry) is float and not whole)
        if not fits or not 0 < entry < 1e18:
            wanted = "whole numbers of characters" if whole else "numbers"
            raise UsageError("hierarchies.not_positive", place=title, kind=kind, wanted=wanted)
    if whole and entries != sorted(set(entries), reverse=True):
        raise UsageError("hierarchies.prefixes_not_shorter", place=title)
    if not whole:
        for finer, coarser in pairwise(entries):
            if coarser <= finer or Decimal(str(coarser)) % Decimal(str(finer)):
                raise UsageError("hierarchies.width_not_a_multiple", place=title)
