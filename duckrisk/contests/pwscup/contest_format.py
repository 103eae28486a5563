"""What a file of the contest looks like: seven cells a line and no header."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from duckrisk.base.errors import DuckriskError
from duckrisk.source import encoding

#: What we call the columns of a file of the contest.
COLUMNS = ("customer", "invoice", "date", "time", "item", "price", "quantity")
#: What the cells of a first line must look like, or else it is taken for column names.
DATE = r"\d+[/-]\d+[/-]\d+"
NUMBER = r"-?\d+(\.\d+)?"
#: The first line has to end within so many bytes.
_MOST_BYTES = 4096


def is_of_contest(name: str) -> bool:
    """Whether a file has a record of the contest where any other file has names of columns."""
    try:
        if not stat.S_ISREG(Path(name).stat().st_mode):
            return False
        with encoding.open_bytes(name) as stream:
            line = stream.readline(_MOST_BYTES)
    except (DuckriskError, OSError, ValueError):
        return False
    cells = line.decode("utf-8-sig", "replace").strip().split(",")
    if len(cells) != len(COLUMNS):
        return False
    if cells[0] == "DEL":
        return not any(cells[1:])
    patterns = zip((2, 5, 6), (DATE, NUMBER, NUMBER), strict=True)
    return all(re.fullmatch(pattern, cells[index].strip('"')) for index, pattern in patterns)
