"""Hierarchies of given labels: a CSV file in ARX's layout, or a tree in TOML."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.files import read_text
from duckrisk.source.hierarchies.definition import Definition

ROOT = "*"
#: Levels of a tree (a choice: no hierarchy in use has as many, and recursion stays shallow).
_MAX_DEPTH = 50


def read_csv_hierarchy(path: Path, name: str, title: str) -> Definition:
    """Read a hierarchy from a CSV file.

    A line is a value and its labels up to the root; there is no header.

    Args:
        path: The file.
        name: Its name in messages.
        title: Name of the hierarchy in messages.

    Raises:
        UsageError: The file cannot be read, or its lines are no hierarchy.
    """
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise UsageError("hierarchies.file_not_found", place=title, shown=name) from None
    except (OSError, UnicodeDecodeError, ValueError):
        raise UsageError("hierarchies.file_not_utf8", place=title, shown=name) from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    lines: list[tuple[str, ...]] = []
    numbers: list[int] = []
    try:
        for cells in reader:
            if cells:
                lines.append(tuple(cells))
                numbers.append(reader.line_num)
    except csv.Error:
        raise UsageError(
            "hierarchies.invalid_csv_line", place=title, line_num=reader.line_num, shown=name
        ) from None
    if not lines:
        raise UsageError("hierarchies.empty_file", place=title, shown=name)
    width = len(lines[0])
    for line, number in zip(lines, numbers, strict=True):
        if len(line) != width:
            raise UsageError(
                "hierarchies.line_lengths_differ",
                place=title,
                number=number,
                shown=name,
                count=len(line),
                numbers=numbers[0],
                width=width,
            )
    return _definition(lines, f'{title} ("{name}")', complete=True, file=name, own=title)


def _delimiter(text: str) -> str:
    """Return the semicolon of ARX if it divides the first line, else a comma."""
    first_line = text.partition("\n")[0]
    try:
        fields = next(csv.reader([first_line], delimiter=";", strict=True), [])
    except csv.Error:  # a quoted value ends before a comma
        return ","
    return ";" if len(fields) > 1 else ","


def parse_tree(tree: Any, title: str) -> Definition:
    """Parse a tree of nested tables: each label contains labels, or a list of values.

    Values that the tree does not name are their own labels.

    Args:
        tree: The outermost table.
        title: Name of the hierarchy in messages.

    Raises:
        UsageError: The tables are no tree.
    """
    if not isinstance(tree, Mapping) or not tree:
        raise UsageError("hierarchies.tree_not_a_table", place=title)
    paths = list(_walk_tree(tree, (), title))
    depth = max(len(path) for path in paths)
    # Values of short paths stay themselves on the lower levels, so that a label has one level everywhere.
    lines = [(*[path[0]] * (depth - len(path)), *path, ROOT) for path in paths]
    return _definition(lines, title, complete=False, file=None, own=title)


def _walk_tree(tree: Any, above: tuple[str, ...], title: str) -> Iterable[tuple[str, ...]]:
    """Yield each value with its labels, the nearest first."""
    if len(above) > _MAX_DEPTH:
        raise UsageError("hierarchies.tree_too_deep", place=title, deepest=_MAX_DEPTH)
    for label, below in tree.items():
        if isinstance(below, Mapping) and below:
            yield from _walk_tree(below, (label, *above), title)
        elif isinstance(below, list) and below:
            for value in below:
                yield (_text(value, title), label, *above)
        else:
            raise UsageError("hierarchies.label_without_values", place=title, label=label)


def _text(value: Any, title: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    raise UsageError("hierarchies.invalid_tree_value", place=title)


def _definition(
    lines: list[tuple[str, ...]], title: str, *, complete: bool, file: str | None, own: str
) -> Definition:
    """Check that lines are a hierarchy, and end them with the root."""
    if any("\0" in cell for line in lines for cell in line):
        raise UsageError("hierarchies.nul_character", place=title)
    leaves: dict[str, tuple[str, ...]] = {}
    for line in lines:
        if leaves.setdefault(line[0], line) != line:
            raise UsageError("hierarchies.value_with_two_labels", place=title, line=line[0])
    lines = list(leaves.values())
    last = {line[-1] for line in lines}
    if len(lines[0]) > 1 and (len(last) == 1 or last == {ROOT}):
        lines = [(*line[:-1], ROOT) for line in lines]
    else:
        lines = [(*line, ROOT) for line in lines]
    _check_parents(lines, title)
    return Definition("labels", tuple(lines), own, complete, file, labels_height=len(lines[0]) - 1)


def _check_parents(lines: list[tuple[str, ...]], title: str) -> None:
    """Check that a label has one label above it everywhere, and is not above itself."""
    leaves = {line[0] for line in lines}
    for level in range(1, len(lines[0]) - 1):
        above: dict[str, str] = {}
        for line in lines:
            if above.setdefault(line[level], line[level + 1]) != line[level + 1]:
                raise UsageError(
                    "hierarchies.label_under_two_labels",
                    place=title,
                    line=line[level],
                    level=level,
                    above=above[line[level]],
                    line_2=line[level + 1],
                )
    for line in lines:
        seen = {line[0]}
        for below, label in pairwise(line):
            if label != below:
                if label in seen:
                    raise UsageError("hierarchies.circular_labels", place=title, label=label)
                seen.add(label)
            if label in leaves and label != line[0] and label != ROOT:
                circle = line[0] in next(other for other in lines if other[0] == label)[1:]
                what = "goes in a circle" if circle else "uses a value as a label"
                raise UsageError(
                    "hierarchies.label_is_value", place=title, what=what, label=label, line=line[0]
                )
