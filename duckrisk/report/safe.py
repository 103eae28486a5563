"""Text that is safe to look at: what steers a screen is shown as an escape."""

from __future__ import annotations

import unicodedata

#: Private and unassigned characters are among them: nobody knows how wide they are drawn.
_STEERING = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


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
