"""Reads the TOML files that people write: settings, recipes, hierarchies."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from duckrisk.errors import UsageError

#: Tables and lists lie in one another no deeper than this; a tree of labels is the deepest that is of use.
DEEPEST = 60


def content(path: Path, what: str, hint: str = "") -> dict[str, Any]:
    """What is written in a file; ``what`` says what it is, as in "recipe". Raises UsageError for a file that
    is not there, with a ``hint`` on how to get one, or that is not TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f'There is no {what} "{path}"{hint and f"; {hint}"}.') from None
    except (OSError, ValueError):  # a NUL in its name, and text of another encoding
        raise UsageError(f'The {what} "{path}" cannot be read as UTF-8 text.') from None
    try:
        found = tomllib.loads(text)
        depth = _depth(found)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f'The {what} "{path.name}" is not valid TOML: {error}.') from None
    except ValueError:  # the digits of a number are limited
        raise UsageError(f'The {what} "{path.name}" holds a number that is too long.') from None
    except RecursionError:
        depth = DEEPEST + 1
    if depth > DEEPEST:
        raise UsageError(
            f'The {what} "{path.name}" has more than {DEEPEST} tables or lists in one another; write fewer.'
        )
    return found


def _depth(value: Any) -> int:
    """How many tables and lists lie in one another."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if below is None else 1 + max(map(_depth, below), default=0)
