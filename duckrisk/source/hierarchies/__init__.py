"""Value hierarchies: coarser forms of a column's values, level by level, up to ``*`` for all of them.

Level 0 is the value itself. A hierarchy consists of intervals of numbers, prefixes of texts, or truncated
moments, or is a CSV file in ARX's layout or a tree in TOML. Without one, a column has the value and ``*``.
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
    render_period_start,
    render_prefix,
    truncate_to_microseconds,
)
from duckrisk.source.hierarchies.definition import Definition, Hierarchy
from duckrisk.source.hierarchies.labels import parse_tree, read_csv_hierarchy

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
    "render_period_start",
    "render_prefix",
    "truncate_to_microseconds",
]

_KINDS = ("widths", "prefixes", "moments", "tree")


def parse_hierarchy(spec: Any, folder: Path, name: str = "") -> Definition:
    """Parse the hierarchy of a column in a settings file or a recipe.

    Args:
        spec: Name of a CSV file, or a table with one of the kinds.
        folder: Folder of the CSV file.
        name: Name of the column, for messages.

    Raises:
        UsageError: The text is no hierarchy.
    """
    title = f'The hierarchy of "{name}"' if name else "The hierarchy"
    if isinstance(spec, str):
        return read_csv_hierarchy(folder / spec, spec, title)
    if not isinstance(spec, Mapping) or len(spec) != 1:
        raise UsageError("hierarchies.not_a_hierarchy", place=title, kinds=", ".join(_KINDS))
    ((kind, entries),) = spec.items()
    if kind not in _KINDS:
        raise UsageError(
            "hierarchies.unknown_kind", place=title, kind=kind, suggestion=suggest_names(kind, list(_KINDS))
        )
    if kind == "tree":
        return parse_tree(entries, title)
    if not isinstance(entries, list) or not entries:
        raise UsageError("hierarchies.not_a_list", place=title, kind=kind)
    if kind == "moments":
        _check_moments(entries, title)
    else:
        _check_numbers(kind, entries, title)
    return Definition(kind, tuple(entries), title=title)


def parse_hierarchies(table: Any, folder: Path, file: str) -> dict[str, Definition]:
    """Parse a table ``[hierarchies]``.

    Args:
        table: The hierarchies by column name.
        folder: Folder of CSV files.
        file: Name of the file with the table, for messages.

    Raises:
        UsageError: The table or a hierarchy in it is invalid.
    """
    if not isinstance(table, Mapping):
        raise UsageError("hierarchies.settings_not_a_table", file=file)
    return {name: parse_hierarchy(spec, folder, name) for name, spec in table.items()}


def load_hierarchies(path: Path, required: bool = True) -> dict[str, Definition]:
    """Load the hierarchies of a TOML file by column name, as :func:`read_specs` does."""
    return parse_hierarchies(read_specs(path, required), path.parent, path.name)


def read_specs(path: Path, required: bool = True) -> Mapping[str, Any]:
    """Read the table ``[hierarchies]`` of a TOML file.

    Args:
        path: The file.
        required: Whether the file must exist and have the table. Settings and recipes need not.

    Raises:
        UsageError: The file cannot be read, or lacks a required table.
    """
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
