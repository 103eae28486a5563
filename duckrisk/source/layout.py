"""What a text file looks like that is no plain CSV: a title above the names, or fields parted otherwise."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from duckrisk.base.errors import SourceError
from duckrisk.source.encoding import open_bytes

#: Lines that are looked at, and bytes at most (a choice: a title and some records, of 1,000 columns as well).
_LINES, _BYTES = 40, 1_000_000
_ENDS = re.compile(r"\r\n|\n|\r")
#: Lines that a title has at most, blank ones among them.
_MOST_TITLE = 20
#: Characters that part fields where no delimiter does, alone or doubled, and what they are called.
_PARTS = re.compile(r"::|\|\||~~|\^\^|##|~|\^|¦|§|\x01|\x1f")
_NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d[\d.,]*\s*%?")
_BLANKS = re.compile(r"[ \t]+")
#: Share of the lines that have to be parted alike.
_ALIKE = 0.9


def title_lines(path: Path, delimiters: Sequence[str]) -> int:
    """Return how many lines seem to stand above the names of a CSV file; 0 where none do.

    A title has one field, or few of the fields of the line below it, which has all of them and no number.
    """
    lines = _first_lines(path)
    tables = []
    for delimiter in delimiters:
        try:
            rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:  # a field longer than csv reads
            continue
        width, alike = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
        if width >= 2 and len(rows) == len(lines):
            tables.append((alike, width, rows))
    if not tables:
        return 0
    # The delimiter that splits most lines alike: decimal commas split records, but not the names above them.
    _, width, rows = max(tables)
    title = 0
    while title < min(len(rows), _MOST_TITLE) and _is_title(rows[title], width):
        title += 1
    below = rows[title : title + 2]
    is_table = len(below) == 2 and _are_names(below[0], width) and len(below[1]) == width
    return title if is_table and any(rows[0]) else 0


def _is_title(cells: Sequence[str], width: int) -> bool:
    """Return whether a line fills none, one or few of its fields, and not the last."""
    filled = [cell for cell in cells if cell]
    return len(filled) <= max(1, width // 2) and (len(cells) < width or not cells[-1])


def _are_names(cells: Sequence[str], width: int) -> bool:
    """Return whether a line can hold the names of all columns."""
    return len(cells) == width and all(cell and not _NUMBER.fullmatch(cell) for cell in cells)


def refuse_other_parts(path: Path, delimiters: Sequence[str]) -> None:
    """Raise SourceError where blanks or an unusual sign seem to part the fields of a file."""
    lines = [line for line in _first_lines(path) if line.strip()]
    if len(lines) < 3:
        return
    if not any(delimiter in line for line in lines for delimiter in delimiters):
        rows = [_BLANKS.split(line.strip()) for line in lines]
        width = Counter(map(len, rows)).most_common(1)[0][0]
        even = [row for row in rows if len(row) == width]
        numbers = width > 1 and any(
            all(_NUMBER.fullmatch(row[place]) for row in even[1:]) for place in range(width)
        )
        if numbers and len(rows[0]) == width and len(even) >= _ALIKE * len(rows):
            raise SourceError("source.fixed_width", columns=width)
    signs = [Counter(_PARTS.findall(line)) for line in lines]
    for sign, count in signs[0].items():
        if sum(found[sign] == count for found in signs) >= _ALIKE * len(signs):
            raise SourceError("source.unknown_delimiter", sign=_shown(sign), columns=count + 1)


def _shown(sign: str) -> str:
    """Return a sign as a person can type it."""
    return sign if sign.isprintable() else f"\\x{ord(sign):02x}"


def _first_lines(path: Path) -> list[str]:
    """Return the first whole lines of a UTF-8 file, without their ends."""
    with open_bytes(path) as stream:
        read = stream.read(_BYTES)
    lines = _ENDS.split(read.decode("utf-8", "replace").lstrip("\ufeff"))
    if len(read) == _BYTES:
        lines.pop()
    while lines and not lines[-1]:
        lines.pop()
    return lines[:_LINES]
