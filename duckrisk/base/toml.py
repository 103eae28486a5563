"""Reads and writes the TOML files of users: settings, recipes, hierarchies."""

from __future__ import annotations

import datetime
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.files import read_text

#: Bytes of a file (twice a tree of 100,000 labels). The limit bounds memory: 6 bytes can take up to 1 kB.
MAX_BYTES = 4 * 2**20
#: Levels of nested tables and lists (a choice: more than the 50 of a tree of labels).
MAX_DEPTH = 60


def read_toml(path: Path, what: str, hint: str = "") -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: The file.
        what: Its purpose, for errors, as in "recipe".
        hint: How to get one if it does not exist.

    Returns:
        The tables of the file.

    Raises:
        UsageError: The file does not exist, cannot be read, is too large, nested too deeply, or no TOML.
    """
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        raise UsageError("toml.file_not_found", what=what, path=path, hint=hint and f"; {hint}") from None
    except (OSError, ValueError):  # a NUL in its name, and text of another encoding
        raise UsageError("toml.not_utf8", what=what, path=path) from None
    try:
        settings = tomllib.loads(text)
        depth = _depth(settings)
    except tomllib.TOMLDecodeError as error:
        raise UsageError("toml.invalid_toml", what=what, path=path.name, error=error) from None
    except ValueError:  # the digits of a number are limited
        raise UsageError("toml.number_too_long", what=what, path=path.name) from None
    except RecursionError:
        depth = MAX_DEPTH + 1
    if depth > MAX_DEPTH:
        raise UsageError("toml.nested_too_deeply", what=what, path=path.name, deepest=MAX_DEPTH)
    return settings


def _depth(value: Any) -> int:
    """Return the number of nested tables and lists."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if items is None else 1 + max(map(_depth, items), default=0)


# --- writing -------------------------------------------------------------------------------------


def format_document(content: Mapping[str, Any]) -> str:
    """Format entries, then the tables that are not empty."""
    tables = {name: value for name, value in content.items() if isinstance(value, Mapping)}
    lines = [format_entry(name, value) for name, value in content.items() if name not in tables]
    for name, table in tables.items():
        if table:
            lines += ["", f"[{format_key(name)}]", *(format_entry(str(key), table[key]) for key in table)]
    return "\n".join(lines).lstrip("\n") + "\n"


def format_entry(name: str, value: Any, comment: str = "") -> str:
    """Format a line with a key, its value and a comment."""
    entry = f"{format_key(name)} = {format_value(value)}"
    return f"{entry}  # {format_comment(comment)}" if comment else entry


def format_value(value: Any) -> str:
    """Format a text, number, truth value, date, list or table as a value."""
    if isinstance(value, str):
        return format_string(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(format_value, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(format_entry(str(name), item) for name, item in value.items()) + " }"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return repr(value)


def format_key(name: str) -> str:
    """Format a key, quoted if necessary."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else format_string(name)


def format_string(value: str) -> str:
    """Format a text as a basic string; control characters are escaped."""
    escaped = "".join(
        {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(c)
        or (_escape(c) if unicodedata.category(c) in ("Cc", "Cf") else c)
        for c in value
    )
    return f'"{escaped}"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def format_comment(text: str) -> str:
    """Replace unprintable characters by blanks, for a comment."""
    return "".join(c if c.isprintable() else " " for c in text)
