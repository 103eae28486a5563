"""SQL without the values of records in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

#: What may stay in forwarded SQL: names, punctuation. A number that is part of a name is no number.
_KEPT = re.compile(r'"(?:[^"]|"")*"|[^\W\d]\w*|\s+|[^\w\s]', re.DOTALL)
_LITERAL = re.compile(
    r"(?P<text>[eE]'(?:[^'\\]|\\.|'')*'|[bBxX]?'(?:[^']|'')*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
    r"|\.?\d(?:\w|\.|(?<=[eE])[+-])*",
    re.DOTALL,
)
Kind = Literal["text", "number", "comment", "name", "unknown"]


def without_literals(sql: str | None) -> str | None:
    """SQL that a person typed, with ``?`` for each text and number and without comments: a report goes
    further than the command, and "diagnosis = '...'" tells a value of somebody's record."""
    if sql is None:
        return None
    shown = {"comment": "", "text": "?", "number": "?", "unknown": "?"}
    return "".join(shown.get(kind, part) for kind, part in parts(sql)).strip()


def parts(sql: str) -> Iterator[tuple[Kind, str]]:
    """The texts, numbers and comments of SQL, and in "name" all between them; what nobody can tell apart is
    the last, "unknown"."""
    position = 0
    while position < len(sql):
        kind: Kind = "name"
        if sql.startswith("--", position):
            end = sql.find("\n", position)
            kind, end = "comment", len(sql) if end < 0 else end
        elif sql.startswith("/*", position):
            kind, end = "comment", _after_comment(sql, position)
        elif token := _LITERAL.match(sql, position):
            kind, end = "text" if token["text"] else "number", token.end()
        elif (token := _KEPT.match(sql, position)) and token.group() not in ("'", "$"):
            end = token.end()
        else:  # the opening of something unknown: nothing after it is sure
            kind, end = "unknown", len(sql)
        yield kind, sql[position:end]
        position = end


def _after_comment(sql: str, position: int) -> int:
    """The end of a block comment, which can hold others."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", sql[position:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return position + mark.end()
    return len(sql)
