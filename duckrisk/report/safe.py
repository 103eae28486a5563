"""Text that is safe to look at: what steers a screen is shown as an escape."""

from __future__ import annotations

import re
import unicodedata

#: Private and unassigned characters are among them: nobody knows how wide they are drawn.
_STEERING = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


#: Characters of no width; some readers drop them.
_WIDTHLESS = "\u200b-\u200d\u2060\ufeff"
_GAP = f"[{_WIDTHLESS}]*"
#: What a reader of workflow logs takes for a command: `::` after blanks that begin a line, `##[` and `##vso[`
#: anywhere in one.
_COMMAND = re.compile(
    rf"^(?P<blanks>(?:[^\S\n]|[{_WIDTHLESS}])*):(?={_GAP}:)"
    rf"|(?P<mark>{_GAP.join('##')}{_GAP}(?:{_GAP.join('vso')}{_GAP})?)\[",
    re.MULTILINE,
)
#: Controls but for tabs and ends of lines, separators of lines, direction marks, and halves of characters.
_ACTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


class Commands(str):
    """Lines that are meant as commands of a workflow."""


def without_commands(text: str) -> str:
    """Return text that runs no command of a workflow: its mark is an escape, which JSON reads as the same."""
    if isinstance(text, Commands) or (text.count(":") < 2 and text.count("#") < 2):
        return text
    return _COMMAND.sub(_escape_command, text)


def _escape_command(found: re.Match[str]) -> str:
    return f"{found['mark']}\\u005b" if found["mark"] else f"{found['blanks']}\\u003a"


def piped(text: str) -> str:
    """Return text of several lines for a pipe: what acts on a screen or a workflow is an escape of JSON."""
    return text if isinstance(text, Commands) else without_commands(_ACTING.sub(_escape, text))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def escape_of(character: str) -> str:
    """A character as an escape of JSON or Python."""
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(character)
    if character in escapes:
        return escapes[character]
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def visible(text: str, encoding: str = "utf-8") -> str:
    """Text with everything that steers a screen (controls, direction marks, line breaks), and all that
    the encoding lacks, shown as escapes."""
    printable = "".join(escape_of(c) if unicodedata.category(c) in _STEERING else c for c in text)
    if encoding.lower().replace("-", "") == "utf8":
        return printable
    try:
        return printable.encode(encoding, "backslashreplace").decode(encoding)
    except (LookupError, UnicodeError):
        return printable.encode("ascii", "backslashreplace").decode("ascii")
