"""The script of a run: every statement as it ran, for a DuckDB shell, with what each gave as a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duckrisk.folders import UNFINISHED
from duckrisk.templates import Attribute, Sql, render

_HEAD = """\
-- The statements of one run of duckrisk, in their order. A DuckDB shell repeats it:
--
--     duckdb -init {name}
--
-- What a statement gives becomes a table; the table "results" lists them. Who reads this knows how random
-- draws were made: keep it to yourself where they protect somebody.
"""
#: What stands below that where a distributed engine held the records.
_ELSEWHERE = """\
-- It does not repeat by itself: a distributed engine held the records. What that ran stands here as comments,
-- in its own SQL, and the rows that it gave, taken_rows, are not kept.
"""
#: What a statement that gives rows begins with, after its comments.
_SELECT = re.compile(r"(?:\s|--[^\n]*\n)*(?:WITH|SELECT|FROM|\()\b", re.IGNORECASE)
#: The engine is locked to the source while duckrisk works; a shell is its user's own.
_LOCKING = "set_option"


@dataclass(frozen=True)
class Statement:
    """One executed statement: the template's name, its rendered text, its wall time in seconds, the names of
    the attributes it was about, if any, whether the engine refused it, and the distributed engine that ran
    it, in whose dialect it is then."""

    name: str
    sql: str
    seconds: float
    attribute: str | None = None
    failed: bool = False
    engine: str | None = None


def attribute_names(arguments: Mapping[str, Any]) -> str | None:
    """The names of the attributes that a statement with these arguments is about, if any."""
    several = arguments.get("attributes")
    learnt = [arguments.get("attribute"), *(several if isinstance(several, list) else [])]
    return ", ".join(one.name for one in learnt if isinstance(one, Attribute)) or None


def script(statements: Iterable[Statement], private: Path, named: Mapping[Path, Path], path: Path) -> str:
    """The script that ``path`` is to hold. Private files, in the folder of the run or beside an output, are
    made anew beside it, under its name and theirs, but for those that are ``named`` otherwise by now."""
    moved = _Moved(private, named, path)
    statements = list(statements)
    parts = [_HEAD.format(name=_comment(path.name))]
    if any(statement.engine is not None for statement in statements):
        parts.append(_ELSEWHERE)
    parts += [f"{render('set_option', option=name, setting=value)};\n" for name, value in _SETTINGS.items()]
    kept: list[tuple[str, str, str]] = []
    for number, statement in enumerate(statements, 1):
        if statement.failed or statement.name == _LOCKING:
            continue
        if statement.engine is not None:
            lines = "".join(f"--   {line}\n" for line in statement.sql.splitlines() if line.strip())
            parts.append(f"-- {number} {statement.name}, which {statement.engine} ran:\n{lines}")
            continue
        sql, about = Sql(moved(statement.sql)), statement.attribute or ""
        if _SELECT.match(sql):
            table = f"{statement.name}_{number}"
            kept.append((table, statement.name, about))
            sql = render("kept_result", name=table, statement=sql)
        of = f": {_comment(about)}" if about else ""
        parts.append(f"-- {number} {statement.name}{of}\n{sql.rstrip()}\n;\n")
    tables, names, attributes = map(list, zip(*kept, strict=True)) if kept else ([], [], [])
    parts.append(f"{render('kept_results', tables=tables, statements=names, attributes=attributes)};\n")
    return "\n".join(parts)


#: What decides figures and their order in a session.
_SETTINGS = {"TimeZone": "UTC", "preserve_insertion_order": False}


class _Moved:
    """Statements with private files beside the script: a shell can write files, but make no folders."""

    def __init__(self, private: Path, named: Mapping[Path, Path], path: Path) -> None:
        self.beside = _quoted(path.with_suffix(""))
        self.private = re.compile(re.escape(_quoted(private)) + r"[/\\]([^']*)")
        self.named = {_quoted(file): _quoted(name) for file, name in named.items()}
        self.folders: dict[str, int] = {}

    def __call__(self, sql: str) -> str:
        for file, name in self.named.items():
            sql = sql.replace(file, name)
        sql = self.private.sub(lambda match: self._file(match[1]), sql)
        return UNFINISHED.sub(lambda match: self._file(f"{self._number(match[1])}-{match[2]}"), sql)

    def _file(self, name: str) -> str:
        return self.beside + "-" + re.sub(r"[/\\]", "-", name)

    def _number(self, folder: str) -> int:
        return self.folders.setdefault(folder, len(self.folders) + 1)


def _quoted(path: Path) -> str:
    """A path as it stands in a literal."""
    return str(path).replace("'", "''")


def _comment(text: str) -> str:
    """Text that ends no comment."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
