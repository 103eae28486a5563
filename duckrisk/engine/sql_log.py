"""The script of a run: every statement as it ran, for a DuckDB shell, with what each gave as a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.files import check_target, refuse_second_output
from duckrisk.base.folders import STAGED_FILE
from duckrisk.base.options.source import UTC
from duckrisk.engine.templates import Attribute, Sql, render

_HEAD = """\
-- The statements of one run of duckrisk, in their order. A DuckDB shell repeats it:
--
--     duckdb -init {name}
--
-- What a statement gives becomes a table; the table "results" lists them. Who reads this knows how random
-- draws were made: keep it to yourself where they protect somebody.
--
-- No statement holds a value of the records. They hold what the command was given: conditions, queries,
-- limits, labels of hierarchies, and names of columns and files. A pattern such as region=* stands for
-- folders whose names hold values.
"""
#: What stands below that where such a pattern finds files that the run did not read.
_MORE = """\
-- The patterns find {more} more files than the run read: remove these first.
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


def check_script(path: Path) -> None:
    """Raise UsageError or OutputError where no script can be written: it replaces an earlier one alone."""
    check_target(path)
    refuse_second_output(path)
    if path.exists():
        opening = _HEAD.partition("\n")[0].encode()
        with path.open("rb") as file:
            if file.read(len(opening)) != opening:
                raise UsageError("session.sql_log_other_file", path=path)


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


@dataclass
class Hidden:
    """Paths of files whose folders are named after values, as in ``region=Tokyo``.

    Attributes:
        paths: every such path.
        patterns: the list of the paths of a source, as a literal, and the list of patterns in its place.
        more: files that the patterns find and the run did not read.
    """

    paths: set[str] = field(default_factory=set)
    patterns: dict[str, str] = field(default_factory=dict)
    more: int = 0

    def replaced(self, sql: str) -> str | None:
        """Return a statement with patterns for paths; None where it reads a part of the files alone."""
        for paths, patterns in self.patterns.items():
            sql = sql.replace(paths, patterns)
        held = any(token[0] == "'" and token in self.paths for token in _quotes(sql)) if self.paths else False
        return None if held else sql


def _quotes(sql: str) -> Iterable[str]:
    """Yield the quoted texts of a statement."""
    return (match[0] for match in _QUOTED.finditer(sql))


#: What a shell could take for the end of a statement: comments, texts and names.
_QUOTED = re.compile(
    r"""--[^\n]*|/\*|(?<!\w)[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|"""
    r"(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$",
    re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def shell_safe(sql: str) -> str:
    """Return a statement that a shell reads as the engine does, with its texts on one line each.

    A shell knows neither escapes nor dollar quotes: what it takes for the end of a statement may stand inside
    a text, and a line after it that begins with a dot is a command. So texts are quoted in one way, line
    breaks and other control characters in them are escapes, and block comments are blanks.
    """
    safe: list[str] = []
    at = 0
    while match := _QUOTED.search(sql, at):
        quoted, end = match[0], match.end()
        safe.append(sql[at : match.start()])
        if quoted == "/*":
            quoted, end = " ", _end_of_comment(sql, match.start())
        elif quoted[0] in "eE":
            inner = _ESCAPED.sub(_shell_escape, quoted[2:-1])
            quoted = f"E'{_CONTROL.sub(_hexadecimal, inner)}'"
        elif quoted[0] in "'$":
            tag = len(match["tag"] or "") + 2
            text = quoted[1:-1] if quoted[0] == "'" else quoted[tag:-tag].replace("'", "''")
            quoted = f"'{text}'"
            if _CONTROL.search(text):
                escaped = _CONTROL.sub(_hexadecimal, text.replace("\\", "\\\\"))
                apart = " " if re.search(r"\w$", safe[-1]) else ""
                quoted = f"{apart}E'{escaped}'"
        safe.append(quoted)
        at = end
    return "".join((*safe, sql[at:]))


def _shell_escape(match: re.Match[str]) -> str:
    """Return an escape of a text without a quote that a shell would take for its end."""
    character = match[1]
    return "''" if character == "'" else character if _CONTROL.match(character) else match[0]


def _hexadecimal(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def _end_of_comment(sql: str, start: int) -> int:
    """Return the end of a block comment, which can hold others."""
    depth = 0
    for mark in _COMMENT_MARK.finditer(sql, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(sql)


def script(
    statements: Iterable[Statement],
    private: Path,
    named: Mapping[Path, Path],
    path: Path,
    hidden: Hidden | None = None,
    timezone: str = UTC,
) -> str:
    """The script that ``path`` is to hold. Private files, in the folder of the run or beside an output, are
    made anew beside it, under its name and theirs, but for those that are ``named`` otherwise by now. Paths
    that hold values are ``hidden``. Days are those of a ``timezone``."""
    moved, hidden = _Moved(private, named, path), hidden or Hidden()
    statements = list(statements)
    parts = [_HEAD.format(name=_comment(path.name))]
    if hidden.more:
        parts.append(_MORE.format(more=hidden.more))
    if any(statement.engine is not None for statement in statements):
        parts.append(_ELSEWHERE)
    # What decides figures and their order in a session.
    settings = {"TimeZone": timezone, "preserve_insertion_order": False}
    parts += [f"{render('set_option', option=name, setting=value)};\n" for name, value in settings.items()]
    kept: list[tuple[str, str, str]] = []
    for number, statement in enumerate(statements, 1):
        if statement.failed or statement.name == _LOCKING:
            continue
        if statement.engine is not None:
            lines = "".join(f"--   {line}\n" for line in statement.sql.splitlines() if line.strip())
            parts.append(f"-- {number} {statement.name}, which {statement.engine} ran:\n{lines}")
            continue
        about, shown = statement.attribute or "", hidden.replaced(statement.sql)
        if shown is None:
            parts.append(f"-- {number} {statement.name}: left out, it names a folder that holds a value\n")
            continue
        sql = Sql(shell_safe(moved(shown)))
        if _SELECT.match(sql):
            table = f"{statement.name}_{number}"
            kept.append((table, statement.name, about))
            sql = render("kept_result", name=table, statement=sql)
        of = f": {_comment(about)}" if about else ""
        parts.append(f"-- {number} {statement.name}{of}\n{sql.rstrip()}\n;\n")
    tables, names, attributes = map(list, zip(*kept, strict=True)) if kept else ([], [], [])
    parts.append(f"{render('kept_results', tables=tables, statements=names, attributes=attributes)};\n")
    return "\n".join(parts)


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
        return STAGED_FILE.sub(lambda match: self._file(f"{self._number(match[1])}-{match[2]}"), sql)

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
