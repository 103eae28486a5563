"""Breaks texts into lines as wide as the terminal, by the rules of their language.

A Japanese character takes two columns, and a line may end between two of them.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

#: Columns of a terminal; wider ones make lines that are hard to read (the width of English help).
MAX_WIDTH = 80
#: Columns of the names of a list; the text of a longer one begins on the next line (a choice).
_MAX_NAMES = 30
#: Columns of the texts of a list; with fewer they begin below their names (a choice: a few words).
_MIN_TEXT = 36
#: A row of a list: its name, and its text with the lines below it.
_ROW = re.compile(r"^  (\S+) {2,}(\S.*(?:\n {4,}.*)*)", re.MULTILINE)
#: Characters that do not begin a line.
_NO_START = "、。，．：；）」』】〉》］・ー々?!,.;:)]}"
#: Characters that do not end a line.
_NO_END = "（「『【〈《［([{"


def text_width() -> int:
    """Return the columns of a line of text: those of the terminal, at most 78."""
    return min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 24)).columns) - 2


def wrap(text: str, language: str, indent: str = "", further: str | None = None) -> list[str]:
    """Break a text into lines by the rules of its language.

    Args:
        text: The text.
        language: Its language.
        indent: What begins the first line.
        further: What begins the other lines; None for the same.
    """
    further = indent if further is None else further
    if language != "en":
        return wrap_japanese(text, indent, further)
    return textwrap.wrap(
        text, text_width(), initial_indent=indent, subsequent_indent=further, break_on_hyphens=False
    )


def wrap_document(text: str, language: str) -> list[str]:
    """Break a text of several paragraphs into lines.

    Args:
        text: Paragraphs with blank lines between them; indented ones are rows of a list, or code.
        language: Its language.
    """
    lines: list[str] = []
    for paragraph in text.strip("\n").split("\n\n"):
        rows = [(row[1], " ".join(row[2].split())) for row in _ROW.finditer(paragraph)]
        if rows:
            lines += [*format_rows(rows, language), ""]
        elif paragraph.startswith(" "):
            lines += [*paragraph.split("\n"), ""]
        else:
            joined = re.sub(r"\n" if language == "en" else r"(?<=[!-~])\n(?=[!-~])", " ", paragraph)
            lines += [*wrap(joined.replace("\n", ""), language), ""]
    return lines[:-1]


def format_rows(rows: Sequence[tuple[str, str]], language: str) -> Iterator[str]:
    """Yield the lines of a list of names and their texts."""
    width = min(_MAX_NAMES, max(measure(name) for name, _ in rows)) + 4
    width = width if text_width() - width >= _MIN_TEXT else 4
    for name, text in rows:
        lines = wrap(text, language, " " * width) or [""]
        if measure(name) + 4 <= width:
            yield f"  {name}".ljust(width) + lines[0].lstrip()
            yield from lines[1:]
        else:
            yield from wrap(name, language, "  ", "    ")
            yield from lines


def measure(text: str) -> int:
    """Return the columns of a terminal that a text takes."""
    return sum(2 if east_asian_width(character) in "WFA" else 1 for character in text)


def wrap_japanese(
    text: str, indent: str = "", further: str | None = None, width: int | None = None
) -> list[str]:
    """Break a text into lines: at blanks, and between Japanese characters.

    Args:
        text: The text.
        indent: What begins the first line.
        further: What begins the other lines; None for the same.
        width: Columns of a line; None for those of the terminal, at most 80.
    """
    most = text_width() if width is None else width
    further = indent if further is None else further
    lines, line = [], indent
    for piece in _split(text):
        begun = line if line.strip() else line.rstrip() if line not in (indent, further) else line
        if begun.strip() and measure((begun + piece).rstrip()) > most:
            lines.append(begun.rstrip())
            line = further + piece.lstrip()
        else:
            line = begun + piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _split(text: str) -> list[str]:
    """Split a text where a line may end, but no command in backquotes."""
    pieces: list[str] = []
    is_command = False
    for character in text.replace("\n", " "):
        last = pieces[-1] if pieces else ""
        joins = last and (
            is_command
            or character == " "
            or character in _NO_START
            or last[-1] in _NO_END
            or (last[-1] != " " and not _is_wide(last[-1]) and not _is_wide(character))
        )
        is_command ^= character == "`"
        if joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _is_wide(character: str) -> bool:
    """Return whether a character is as wide as kanji: a line may end there."""
    return east_asian_width(character) in "WF"
