"""Make text safe to print: whatever acts on a terminal or a workflow log becomes an escape."""

from __future__ import annotations

import re
import unicodedata

#: Categories of Unicode to escape; the width of private and unassigned characters is unknown.
_ESCAPED_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
#: Characters of no width, which some readers drop.
_WIDTHLESS = "\u200b-\u200d\u2060\ufeff"
_GAP = f"[{_WIDTHLESS}]*"
#: Commands of workflow logs: `::` after the blanks at the beginning of a line, `##[` and `##vso[` anywhere.
_COMMAND = re.compile(
    rf"^(?P<blanks>(?:[^\S\n]|[{_WIDTHLESS}])*):(?={_GAP}:)"
    rf"|(?P<mark>{_GAP.join('##')}{_GAP}(?:{_GAP.join('vso')}{_GAP})?)\[",
    re.MULTILINE,
)
#: Control characters except tabs and line ends, line separators, direction marks, and surrogates.
_ACTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


class Commands(str):
    """Lines that are commands of a workflow on purpose."""


def escape_commands(text: str) -> str:
    """Escape the marks of workflow commands, so that text runs none.

    JSON reads the escapes as the marks.
    """
    if isinstance(text, Commands) or (text.count(":") < 2 and text.count("#") < 2):
        return text
    return _COMMAND.sub(_escape_mark, text)


def _escape_mark(match: re.Match[str]) -> str:
    return f"{match['mark']}\\u005b" if match["mark"] else f"{match['blanks']}\\u003a"


def escape_for_pipe(text: str) -> str:
    """Escape what acts on a terminal or a workflow, in text of several lines.

    The escapes are those of JSON.
    """
    return text if isinstance(text, Commands) else escape_commands(_ACTING.sub(_escape, text))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def escape_of(character: str) -> str:
    """Return a character as an escape of Python."""
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(character)
    if character in escapes:
        return escapes[character]
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def escape_unprintable(text: str, encoding: str = "utf-8") -> str:
    """Escape what acts on a terminal, and what the encoding lacks.

    These are control characters, direction marks, line breaks and unassigned characters.
    """
    printable = "".join(escape_of(c) if unicodedata.category(c) in _ESCAPED_CATEGORIES else c for c in text)
    if encoding.lower().replace("-", "") == "utf8":
        return printable
    try:
        return printable.encode(encoding, "backslashreplace").decode(encoding)
    except (LookupError, UnicodeError):
        return printable.encode("ascii", "backslashreplace").decode("ascii")
