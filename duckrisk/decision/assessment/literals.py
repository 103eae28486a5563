"""Remove the values of records from SQL that a person typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

#: Names, punctuation and blanks, which hold no value. A digit inside a name starts no number.
_PLAIN = re.compile(r'"(?:[^"]|"")*"|[^\W\d]\w*|\s+|[^\w\s]', re.DOTALL)
_LITERAL = re.compile(
    r"(?P<text>[eE]'(?:[^'\\]|\\.|'')*'|[bBxX]?'(?:[^']|'')*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
    r"|\.?\d(?:\w|\.|(?<=[eE])[+-])*",
    re.DOTALL,
)
TokenKind = Literal["text", "number", "comment", "name", "unknown"]


def redact_literals(sql: str | None) -> str | None:
    """Replace each text and number of SQL with ``?`` and drop its comments.

    A report is passed on further than the command, and `diagnosis = '...'` discloses a value of a record.

    Args:
        sql: SQL as typed; None for none.
    """
    if sql is None:
        return None
    shown = {"comment": "", "text": "?", "number": "?", "unknown": "?"}
    return "".join(shown.get(kind, part) for kind, part in split_sql(sql)).strip()


def split_sql(sql: str) -> Iterator[tuple[TokenKind, str]]:
    """Split SQL into texts, numbers, comments and what lies between them.

    Args:
        sql: SQL as typed.

    Yields:
        Kind and text of each part in order; "name" is what lies between literals and comments. If a quote is
        never closed, the rest is one part, "unknown".
    """
    position = 0
    while position < len(sql):
        kind: TokenKind = "name"
        if sql.startswith("--", position):
            end = sql.find("\n", position)
            kind, end = "comment", len(sql) if end < 0 else end
        elif sql.startswith("/*", position):
            kind, end = "comment", _find_comment_end(sql, position)
        elif token := _LITERAL.match(sql, position):
            kind, end = "text" if token["text"] else "number", token.end()
        elif (token := _PLAIN.match(sql, position)) and token.group() not in ("'", "$"):
            end = token.end()
        else:  # a quote that is never closed: what follows may be a value
            kind, end = "unknown", len(sql)
        yield kind, sql[position:end]
        position = end


def _find_comment_end(sql: str, position: int) -> int:
    """Return the end of a block comment, which can hold others."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", sql[position:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return position + mark.end()
    return len(sql)
