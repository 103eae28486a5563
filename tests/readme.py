"""The commands that the README and the documents beside the code show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from duckrisk.cli.examples import EXAMPLES

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


class Command(NamedTuple):
    """What follows `duckrisk`, and the file that its output goes to, if any."""

    arguments: list[str]
    target: str | None


def documents() -> list[Path]:
    """Every document that shows how duckrisk is used."""
    beside = [*(ROOT / "duckrisk").rglob("README.md"), *(ROOT / "sql").glob("README.md")]
    return [README, *sorted(beside), ROOT / "datasets" / "README.md"]


def pages() -> list[Path]:
    """The pages of docs/ that people wrote: each is a session in a folder of its own."""
    return [page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "api.md"]


class Step(NamedTuple):
    """What a page shows at one place: a program in Python, a file to write, or a command with its output."""

    kind: str
    text: str
    shown: str


def steps(page: Path) -> list[Step]:
    """What a page shows, in its order: ``python``, ``command``, or the name of a file."""
    found = []
    for language, title, block in re.findall(
        r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```', text(page), re.MULTILINE | re.DOTALL
    ):
        if title or language == "python":
            found.append(Step(title or language, block, ""))
        elif language in ("sh", "console"):
            sign = r"\$ " if language == "console" else ""
            lines = re.split(rf"^{sign}(?=duckrisk )", block.replace("\\\n", " "), flags=re.MULTILINE)
            found += [Step("command", *line.split("\n", 1)) for line in lines if line.startswith("duckrisk ")]
    return found


def text(document: Path = README) -> str:
    return document.read_text(encoding="utf-8")


def blocks() -> list[list[str]]:
    """The lines of each block that are commands, which may use what those before them wrote; the same block
    is run once."""
    found: list[list[str]] = []
    for document in documents():
        shown = re.findall(r"```(?:sh|console)\n(.*?)```", text(document), re.DOTALL)
        lines = [[line.removeprefix("$ ") for line in block.splitlines()] for block in shown]
        blocks = [[line for line in block if line.startswith("duckrisk ")] for block in lines]
        found += [block for block in blocks if block and block not in found]
    return found


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


def examples() -> dict[str, list[str]]:
    """The lines of the examples that the help of each command ends with, by the command."""
    return {name: [f"duckrisk {line}" for line in lines] for name, lines in EXAMPLES.items()}
