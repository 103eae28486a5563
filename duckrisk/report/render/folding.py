"""Breaks and shortens texts to a width in cells of a terminal."""

from __future__ import annotations

import re

#: Lines of a table cell; longer text is shortened (a choice: rows of more lines no longer read as rows).
MAX_CELL_LINES = 3
#: Parts of a line with three blanks between them; a part that does not fit begins the next line as a whole.
_SPACED_PARTS = re.compile(r"[^ ].*?(?: {3,}|\Z)|^ +", re.DOTALL)
#: Pieces between which a line can break: after a blank unless a comparison sign precedes it, after the "+" of
#: a composite, and between wide characters. Some of these must not begin a line, or not end one.
_WIDE, _OPENING, _CLOSING = "\u2e80-\uffdc", "（「『", "、。，．：）」』！？・ーっゃゅょッャュョァィゥェォ々"
_PIECES = re.compile(
    rf"[{_OPENING}]*(?:(?![{_OPENING}])[{_WIDE}][{_CLOSING}]*|\d[\d.]*e[+-]\d+[%,.]*(?: +|$)?"
    rf"|(?:[^ +{_WIDE}]*[<>≥≤] )?[^ +{_WIDE}]*(?:\+| +|$)|[^ +{_WIDE}]+[{_CLOSING}]*)"
)


def wrap(text: str, width: int) -> list[str]:
    """Break text into lines where its language allows it; longer words stay whole."""
    from rich.cells import cell_len

    lines = [""]
    for part in _SPACED_PARTS.findall(text):
        if lines[-1].strip(" ") and cell_len((lines[-1] + part).rstrip(" ")) > width:
            lines.append("")
        for piece in filter(None, _PIECES.findall(part)):
            if lines[-1] and cell_len((lines[-1] + piece).rstrip(" ")) > width:
                lines.append("")
            lines[-1] += piece
    return [line.rstrip(" ") for line in lines]


def shorten(text: str, width: int, dots: str = "…") -> str:
    """Shorten text in its middle to a width.

    Similar names differ at their beginning or end most often.
    """
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    width -= len(dots)
    tail, used = "", 0
    for character in reversed(text):
        if used + cell_len(character) > width // 3:
            break
        tail, used = character + tail, used + cell_len(character)
    head = ""
    for character in text:
        if used + cell_len(character) > width:
            break
        head, used = head + character, used + cell_len(character)
    return head + dots + tail


def fold(text: str, width: int, dots: str = "…") -> str:
    """Break text into at most `MAX_CELL_LINES` lines, or shorten it to one."""
    return "\n".join(wrap(text, width)) if can_fold(text, width) else shorten(text, width, dots)


def fold_whole(text: str, width: int, dots: str = "…") -> str:
    """Break text into as many lines as it takes, also within long words.

    Only a word that would take more than `MAX_CELL_LINES` lines is shortened.
    """
    from rich.cells import chop_cells

    lines = [shorten(line, width * MAX_CELL_LINES, dots) for line in wrap(text, width)]
    return "\n".join(piece for line in lines for piece in chop_cells(line, width) or [""])


def can_fold(text: str, width: int) -> bool:
    """Check whether a text fits a cell without being shortened."""
    from rich.cells import cell_len

    lines = wrap(text, width)
    return len(lines) <= MAX_CELL_LINES and all(cell_len(line) <= width for line in lines)
