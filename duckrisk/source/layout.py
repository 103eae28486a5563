"""Recognizes text files that are no plain CSV: with a title, or with unusual delimiters."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from duckrisk.base.errors import SourceError
from duckrisk.source.encoding import open_bytes

#: Lines and bytes that are examined at most (a choice: a title and some records, even of 1,000 columns).
_MAX_LINES, _MAX_BYTES = 40, 1_000_000
_ENDS = re.compile(r"\r\n|\n|\r")
#: Lines of a title at most, with blank ones (a choice: half of the lines that are examined).
_MAX_TITLE_LINES = 20
#: Characters that separate fields in files without a known delimiter, alone or doubled.
_OTHER_DELIMITERS = re.compile(r"::|\|\||~~|\^\^|##|~|\^|¦|§|\x01|\x1f")
_NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d[\d.,]*\s*%?")
_BLANKS = re.compile(r"[ \t]+")
#: Share of lines with equally many fields that a delimiter needs (a choice: few lines may be damaged).
_MIN_SHARE = 0.9


def count_title_lines(path: Path, delimiters: Sequence[str]) -> int:
    """Count the lines of a title above the header of a CSV file; 0 without a title.

    A title has one field or few; the header below it has all fields, and no number.

    Args:
        path: A UTF-8 file.
        delimiters: The known delimiters.
    """
    lines = _read_first_lines(path)
    tables = []
    for delimiter in delimiters:
        try:
            rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:  # a field is longer than the csv module allows
            continue
        width, alike = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
        if width >= 2 and len(rows) == len(lines):
            tables.append((alike, width, rows))
    if not tables:
        return 0
    # Decimal commas split records, but not the header, so another delimiter splits more lines alike.
    _, width, rows = max(tables)
    title = 0
    while title < min(len(rows), _MAX_TITLE_LINES) and _is_title(rows[title], width):
        title += 1
    below = rows[title : title + 2]
    is_table = len(below) == 2 and _are_names(below[0], width) and len(below[1]) == width
    return title if is_table and any(rows[0]) else 0


def _is_title(cells: Sequence[str], width: int) -> bool:
    """Return whether a line fills at most one or half of its fields, and not the last."""
    filled = [cell for cell in cells if cell]
    return len(filled) <= max(1, width // 2) and (len(cells) < width or not cells[-1])


def _are_names(cells: Sequence[str], width: int) -> bool:
    """Return whether a line can hold the names of all columns."""
    return len(cells) == width and all(cell and not _NUMBER.fullmatch(cell) for cell in cells)


def refuse_other_delimiters(path: Path, delimiters: Sequence[str]) -> None:
    """Refuse a file whose fields seem to be separated by blanks or an unusual sign.

    Args:
        path: A UTF-8 file.
        delimiters: The known delimiters.

    Raises:
        SourceError: Almost all lines have equally many fields that way.
    """
    lines = [line for line in _read_first_lines(path) if line.strip()]
    if len(lines) < 3:
        return
    if not any(delimiter in line for line in lines for delimiter in delimiters):
        rows = [_BLANKS.split(line.strip()) for line in lines]
        width = Counter(map(len, rows)).most_common(1)[0][0]
        even = [row for row in rows if len(row) == width]
        numbers = width > 1 and any(
            all(_NUMBER.fullmatch(row[position]) for row in even[1:]) for position in range(width)
        )
        if numbers and len(rows[0]) == width and len(even) >= _MIN_SHARE * len(rows):
            raise SourceError("source.fixed_width", columns=width)
    signs = [Counter(_OTHER_DELIMITERS.findall(line)) for line in lines]
    for sign, count in signs[0].items():
        if sum(counts[sign] == count for counts in signs) >= _MIN_SHARE * len(signs):
            raise SourceError("source.unknown_delimiter", sign=_escape(sign), columns=count + 1)


def _escape(sign: str) -> str:
    """Return a sign as a person can type it."""
    return sign if sign.isprintable() else f"\\x{ord(sign):02x}"


def _read_first_lines(path: Path) -> list[str]:
    """Return the first whole lines of a UTF-8 file, without line ends."""
    with open_bytes(path) as stream:
        read = stream.read(_MAX_BYTES)
    lines = _ENDS.split(read.decode("utf-8", "replace").lstrip("\ufeff"))
    if len(read) == _MAX_BYTES:
        lines.pop()
    while lines and not lines[-1]:
        lines.pop()
    return lines[:_MAX_LINES]
