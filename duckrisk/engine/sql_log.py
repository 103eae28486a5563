"""Renders the log of a run as a script for the DuckDB shell: every statement, each result as a table."""

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
-- folders whose names hold values. Uniform recoding is the exception: its bands and groups hold values that
-- several records have.
"""
#: Follows the head where a pattern matches files that the run did not read.
_EXTRA_FILES_NOTE = """\
-- The patterns find {count} more files than the run read: remove these first.
"""
#: Follows where a distributed engine held the records.
_ENGINE_NOTE = """\
-- It does not repeat by itself: a distributed engine held the records. What that ran stands here as comments,
-- in its own SQL, and the rows that it gave, taken_rows, are not kept.
"""
#: The beginning of a statement that returns rows, after its comments.
_SELECT = re.compile(r"(?:\s|--[^\n]*\n)*(?:WITH|SELECT|FROM|\()\b", re.IGNORECASE)
#: The statement that locks the engine to the source; a script in the user's own shell does without.
_LOCKING = "set_option"


def check_script_path(path: Path) -> None:
    """Check that a script can be written to a path: a new one or an earlier script.

    Raises:
        OutputError: The folder is missing or cannot be written to, or the path is no plain file.
        UsageError: Another output is written there, or the file is no earlier script.
    """
    check_target(path)
    refuse_second_output(path)
    if path.exists():
        opening = _HEAD.partition("\n")[0].encode()
        with path.open("rb") as file:
            if file.read(len(opening)) != opening:
                raise UsageError("session.sql_log_would_replace_file", path=path)


@dataclass(frozen=True)
class Statement:
    """One executed statement.

    Attributes:
        name: The template's name.
        sql: The rendered text, in the dialect of the engine that ran it.
        seconds: Wall time.
        attribute: The names of the attributes that it is about, if any.
        failed: Whether the engine refused it.
        engine: The distributed engine that ran it; None for DuckDB.
    """

    name: str
    sql: str
    seconds: float
    attribute: str | None = None
    failed: bool = False
    engine: str | None = None


def attribute_names(arguments: Mapping[str, Any]) -> str | None:
    """Join the names of the attributes among arguments by commas; None without any."""
    listed = arguments.get("attributes")
    attributes = [arguments.get("attribute"), *(listed if isinstance(listed, list) else [])]
    return ", ".join(item.name for item in attributes if isinstance(item, Attribute)) or None


@dataclass
class HiddenPaths:
    """Paths of files in folders that are named after values, as in ``region=Tokyo``.

    Attributes:
        paths: Every such path, as a literal.
        patterns: The patterns that replace the paths of a source: list literals by list literals.
        extra_files: Number of files that the patterns match and the run did not read.
    """

    paths: set[str] = field(default_factory=set)
    patterns: dict[str, str] = field(default_factory=dict)
    extra_files: int = 0

    def replace_paths(self, sql: str) -> str | None:
        """Replace paths in a statement by patterns.

        Returns:
            The statement; None if it still names a hidden path, as one that reads only some of the files.
        """
        for paths, patterns in self.patterns.items():
            sql = sql.replace(paths, patterns)
        if self.paths and any(token[0] == "'" and token in self.paths for token in _quoted_parts(sql)):
            return None
        return sql


def _quoted_parts(sql: str) -> Iterable[str]:
    """Yield the comments, texts and quoted names of a statement."""
    return (match[0] for match in _QUOTED.finditer(sql))


#: Parts of a statement in which a shell could see its end: comments, texts and quoted names.
_QUOTED = re.compile(
    r"""--[^\n]*|/\*|(?<!\w)[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|"""
    r"(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$",
    re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def escape_for_shell(sql: str) -> str:
    """Rewrite a statement so that a shell finds its end where the engine does.

    A shell knows neither escapes nor dollar quotes. It can see the end of a statement inside a text, and runs
    a following line that begins with a dot as a command. So every text gets plain quotes and stands on one
    line, its control characters become escapes, and a block comment becomes a blank.

    Args:
        sql: One statement of DuckDB.

    Returns:
        A statement with the same meaning.
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
    """Rewrite an escape so that it holds no single quote."""
    character = match[1]
    return "''" if character == "'" else character if _CONTROL.match(character) else match[0]


def _hexadecimal(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def _end_of_comment(sql: str, start: int) -> int:
    """Find the end of a block comment; block comments nest."""
    depth = 0
    for mark in _COMMENT_MARK.finditer(sql, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(sql)


def render_script(
    statements: Iterable[Statement],
    private: Path,
    renamed: Mapping[Path, Path],
    path: Path,
    hidden: HiddenPaths | None = None,
    timezone: str = UTC,
) -> str:
    """Render the script of a run.

    A shell can write files but create no folders, so private files get names next to the script: its name,
    then theirs.

    Args:
        statements: What ran, in order.
        private: The private folder of the run.
        renamed: Private files that have got other paths since.
        path: Where the script will stand.
        hidden: Paths that hold values and must not appear.
        timezone: The time zone of the session.

    Returns:
        The text of the script.
    """
    rewrite, hidden = _PathRewriter(private, renamed, path), hidden or HiddenPaths()
    statements = list(statements)
    parts = [_HEAD.format(name=_escape_comment(path.name))]
    if hidden.extra_files:
        parts.append(_EXTRA_FILES_NOTE.format(count=hidden.extra_files))
    if any(statement.engine is not None for statement in statements):
        parts.append(_ENGINE_NOTE)
    # The settings on which figures and their order depend.
    settings = {"TimeZone": timezone, "preserve_insertion_order": False}
    parts += [f"{render('set_option', option=name, setting=value)};\n" for name, value in settings.items()]
    results: list[tuple[str, str, str]] = []
    for number, statement in enumerate(statements, 1):
        ended_run = statement.failed and statement.engine is not None and number == len(statements)
        if (statement.failed and not ended_run) or statement.name == _LOCKING:
            continue
        if statement.engine is not None:
            lines = "".join(f"--   {line}\n" for line in statement.sql.splitlines() if line.strip())
            did = "could not run" if statement.failed else "ran"
            parts.append(f"-- {number} {statement.name}, which {statement.engine} {did}:\n{lines}")
            continue
        attribute, shown = statement.attribute or "", hidden.replace_paths(statement.sql)
        if shown is None:
            parts.append(f"-- {number} {statement.name}: left out, it names a folder that holds a value\n")
            continue
        sql = Sql(escape_for_shell(rewrite(shown)))
        if _SELECT.match(sql):
            table = f"{statement.name}_{number}"
            results.append((table, statement.name, attribute))
            sql = render("kept_result", name=table, statement=sql)
        about = f": {_escape_comment(attribute)}" if attribute else ""
        parts.append(f"-- {number} {statement.name}{about}\n{sql.rstrip()}\n;\n")
    tables, names, attributes = map(list, zip(*results, strict=True)) if results else ([], [], [])
    parts.append(f"{render('kept_results', tables=tables, statements=names, attributes=attributes)};\n")
    return "\n".join(parts)


class _PathRewriter:
    """Rewrites the paths of private files in statements to paths next to the script."""

    def __init__(self, private: Path, renamed: Mapping[Path, Path], path: Path) -> None:
        self.prefix = _escape_path(path.with_suffix(""))
        self.private = re.compile(re.escape(_escape_path(private)) + r"[/\\]([^']*)")
        self.renamed = {_escape_path(file): _escape_path(name) for file, name in renamed.items()}
        self.folders: dict[str, int] = {}

    def __call__(self, sql: str) -> str:
        for file, name in self.renamed.items():
            sql = sql.replace(file, name)
        sql = self.private.sub(lambda match: self._file(match[1]), sql)
        return STAGED_FILE.sub(lambda match: self._file(f"{self._number(match[1])}-{match[2]}"), sql)

    def _file(self, name: str) -> str:
        return self.prefix + "-" + re.sub(r"[/\\]", "-", name)

    def _number(self, folder: str) -> int:
        return self.folders.setdefault(folder, len(self.folders) + 1)


def _escape_path(path: Path) -> str:
    """Double the quotes of a path, for a literal."""
    return str(path).replace("'", "''")


def _escape_comment(text: str) -> str:
    """Escape characters that would end a comment."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
