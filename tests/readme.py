"""The commands that the README shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

README = Path(__file__).resolve().parents[1] / "README.md"


class Command(NamedTuple):
    """What follows `duckrisk`, and the file that its output goes to, if any."""

    arguments: list[str]
    target: str | None


def text() -> str:
    return README.read_text(encoding="utf-8")


def blocks() -> list[list[str]]:
    """The lines of each block that are commands, which may use what those before them wrote."""
    shown = re.findall(r"```(?:sh|console)\n(.*?)```", text(), re.DOTALL)
    lines = [[line.removeprefix("$ ") for line in block.splitlines()] for block in shown]
    found = [[line for line in block if line.startswith("duckrisk ")] for block in lines]
    return [block for block in found if block]


def commands(line: str) -> list[Command]:
    """The commands of a line."""
    found, words = [], shlex.split(line, comments=True)
    while words:
        end = words.index("&&") if "&&" in words else len(words)
        (name, *arguments), words = words[:end], words[end + 1 :]
        if name != "duckrisk":
            raise ValueError(f"not a command of duckrisk: {line}")
        place = arguments.index(">") if ">" in arguments else len(arguments)
        found.append(Command(arguments[:place], arguments[place + 1] if place < len(arguments) else None))
    return found
