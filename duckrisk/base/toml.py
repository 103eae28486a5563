"""Reads the TOML files that people write (settings, recipes, hierarchies), and writes such."""

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

#: Bytes; a table takes up to 1 kB of memory for 6 bytes of TOML. A tree of 100,000 labels has 2 MB.
MAX_BYTES = 4 * 2**20
#: Tables and lists lie in one another no deeper than this; a tree of labels is the deepest that is of use.
DEEPEST = 60


def read_toml(path: Path, what: str, hint: str = "") -> dict[str, Any]:
    """What is written in a file; ``what`` says what it is, as in "recipe". Raises UsageError for a file that
    is not there, with a ``hint`` on how to get one, or that is not TOML."""
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        raise UsageError("toml.no", what=what, path=path, hint=hint and f"; {hint}") from None
    except (OSError, ValueError):  # a NUL in its name, and text of another encoding
        raise UsageError("toml.cannot_read_utf_text", what=what, path=path) from None
    try:
        settings = tomllib.loads(text)
        depth = _depth(settings)
    except tomllib.TOMLDecodeError as error:
        raise UsageError("toml.not_valid_toml", what=what, path=path.name, error=error) from None
    except ValueError:  # the digits of a number are limited
        raise UsageError("toml.holds_number_too_long", what=what, path=path.name) from None
    except RecursionError:
        depth = DEEPEST + 1
    if depth > DEEPEST:
        raise UsageError("toml.tables_lists_another_fewer", what=what, path=path.name, deepest=DEEPEST)
    return settings


def _depth(value: Any) -> int:
    """How many tables and lists lie in one another."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if below is None else 1 + max(map(_depth, below), default=0)


# --- writing -------------------------------------------------------------------------------------


def format_entry(name: str, value: Any, remark: str = "") -> str:
    """A key with its value, and a remark."""
    return f"{format_key(name)} = {format_value(value)}" + (f"  # {format_comment(remark)}" if remark else "")


def format_value(value: Any) -> str:
    """A value as TOML has it."""
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
    """A key, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else format_string(name)


def format_string(value: str) -> str:
    """Write a basic string; what steers a screen is escaped."""
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
    """What can stand in a comment."""
    return "".join(c if c.isprintable() else " " for c in text)
