"""Expands the ``-- include:`` lines of SQL files."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_INCLUDE = re.compile(r"^-- include: (\w+)(?:, (\w+): (.+))?\n", re.MULTILINE)


def expand_includes(text: str, folder: Path) -> str:
    """Replace each line ``-- include: NAME`` by the piece of that name.

    Args:
        text: The text of a SQL file. ``-- include: NAME, KEY: TEXT`` puts TEXT where the piece has ``<KEY>``.
        folder: The folder of the pieces.
    """
    if "-- include: " not in text:
        return text
    return _INCLUDE.sub(
        lambda line: _read_piece(folder / f"{line[1]}.sql").replace(f"<{line[2]}>", line[3] or ""), text
    )


@cache
def _read_piece(path: Path) -> str:
    """Return the text of a piece below its header, which ends with an empty line."""
    with open(path, encoding="utf-8") as file:
        return file.read().partition("\n\n")[2]
