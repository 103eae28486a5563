"""Hierarchies that somebody wrote down: a CSV file in ARX's layout, or a tree in TOML."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from duckrisk.errors import UsageError
from duckrisk.hierarchies.definition import Definition

ROOT = "*"
#: A tree that is deeper than this was not meant.
_DEEPEST = 50


def of_file(path: Path, shown: str, place: str) -> Definition:
    """A CSV file: a line a value, the value first, then its labels up to the root; no header.

    Raises UsageError for a file that cannot be read and for lines that make no hierarchy.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError("hierarchies.no_file", place=place, shown=shown) from None
    except (OSError, UnicodeDecodeError, ValueError):
        raise UsageError("hierarchies.file_cannot_read_utf_text", place=place, shown=shown) from None
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
            "hierarchies.line_not_csv", place=place, line_num=reader.line_num, shown=shown
        ) from None
    if not lines:
        raise UsageError("hierarchies.file_holds_no_lines", place=place, shown=shown)
    width = len(lines[0])
    for line, number in zip(lines, numbers, strict=True):
        if len(line) != width:
            raise UsageError(
                "hierarchies.line_cells_line_every_value",
                place=place,
                number=number,
                shown=shown,
                count=len(line),
                numbers=numbers[0],
                width=width,
            )
    return _definition(lines, f'{place} ("{shown}")', complete=True, file=shown, own=place)


def _delimiter(text: str) -> str:
    """The semicolon of ARX where it divides the first line, else a comma."""
    try:
        return (
            ";"
            if len(next(csv.reader([text.partition("\n")[0]], delimiter=";", strict=True), [])) > 1
            else ","
        )
    except csv.Error:  # a quotation that ends before a comma
        return ","


def of_tree(tree: Any, place: str) -> Definition:
    """A tree of nested tables: each label over a list of values, or over labels. Values that it does not name
    are their own labels. Raises UsageError for what is no tree."""
    if not isinstance(tree, Mapping) or not tree:
        raise UsageError("hierarchies.tree_takes_table_labels_each", place=place)
    paths = list(_paths(tree, (), place))
    depth = max(len(path) for path in paths)
    # Labels near the root are on the level that they have everywhere; a value that is less deep stays itself.
    lines = [(*[path[0]] * (depth - len(path)), *path, ROOT) for path in paths]
    return _definition(lines, place, complete=False, file=None, own=place)


def _paths(tree: Any, above: tuple[str, ...], place: str) -> Iterable[tuple[str, ...]]:
    """Each value with the labels above it, the nearest first."""
    if len(above) > _DEEPEST:
        raise UsageError("hierarchies.tree_deeper_levels", place=place, deepest=_DEEPEST)
    for label, below in tree.items():
        if isinstance(below, Mapping) and below:
            yield from _paths(below, (label, *above), place)
        elif isinstance(below, list) and below:
            for value in below:
                yield (_text(value, place), label, *above)
        else:
            raise UsageError("hierarchies.label_tree_no_list_values", place=place, label=label)


def _text(value: Any, place: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    raise UsageError("hierarchies.values_tree_texts_numbers_dates", place=place)


def _definition(
    lines: list[tuple[str, ...]], place: str, *, complete: bool, file: str | None, own: str
) -> Definition:
    """Check that lines make a hierarchy, and close it with the root."""
    if any("\0" in cell for line in lines for cell in line):
        raise UsageError("hierarchies.holds_nul_character", place=place)
    leaves: dict[str, tuple[str, ...]] = {}
    for line in lines:
        if leaves.setdefault(line[0], line) != line:
            raise UsageError("hierarchies.maps_value_twice_different_labels", place=place, line=line[0])
    made = list(leaves.values())
    last = {line[-1] for line in made}
    if len(made[0]) > 1 and (len(last) == 1 or last == {ROOT}):
        made = [(*line[:-1], ROOT) for line in made]
    else:
        made = [(*line, ROOT) for line in made]
    _check_parents(made, place)
    return Definition("labels", tuple(made), own, complete, file, labels_height=len(made[0]) - 1)


def _check_parents(lines: list[tuple[str, ...]], place: str) -> None:
    """A label has one label above it, wherever it stands, and none is above itself."""
    leaves = {line[0] for line in lines}
    for level in range(1, len(lines[0]) - 1):
        above: dict[str, str] = {}
        for line in lines:
            if above.setdefault(line[level], line[level + 1]) != line[level + 1]:
                raise UsageError(
                    "hierarchies.puts_label_level_under_two",
                    place=place,
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
                    raise UsageError("hierarchies.goes_circle_above_itself", place=place, label=label)
                seen.add(label)
            if label in leaves and label != line[0] and label != ROOT:
                circle = line[0] in next(other for other in lines if other[0] == label)[1:]
                what = "goes in a circle" if circle else "uses a value as a label"
                raise UsageError(
                    "hierarchies.value_also_above", place=place, what=what, label=label, line=line[0]
                )
