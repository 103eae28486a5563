"""Recognizes files of the contest: seven cells a line and no header."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from duckrisk.base.errors import DuckriskError
from duckrisk.source import encoding

#: The names that duckrisk gives to the columns of a file of the contest.
COLUMNS = ("customer", "invoice", "date", "time", "item", "price", "quantity")
#: Patterns of cells; a first line without a match is taken for column names.
DATE = r"\d+[/-]\d+[/-]\d+"
NUMBER = r"-?\d+(\.\d+)?"


def is_of_contest(name: str) -> bool:
    """Return whether the first line of a file is a record of the contest."""
    try:
        if not stat.S_ISREG(Path(name).stat().st_mode):
            return False
        with encoding.open_bytes(name) as stream:
            line = stream.readline(4096)  # a record of the contest has fewer than 100 bytes
    except (DuckriskError, OSError, ValueError):
        return False
    cells = line.decode("utf-8-sig", "replace").strip().split(",")
    if len(cells) != len(COLUMNS):
        return False
    if cells[0] == "DEL":
        return not any(cells[1:])
    patterns = zip((2, 5, 6), (DATE, NUMBER, NUMBER), strict=True)
    return all(re.fullmatch(pattern, cells[index].strip('"')) for index, pattern in patterns)
