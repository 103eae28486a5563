"""SQL that a person typed, without the values of records in it."""

from __future__ import annotations

import re

#: What may stay in forwarded SQL: names, punctuation. A number that is part of a name is no number.
_KEPT = re.compile(r'"(?:[^"]|"")*"|[^\W\d]\w*|\s+|[^\w\s]', re.DOTALL)
_LITERAL = re.compile(
    r"(?P<escaped>[eE]'(?:[^'\\]|\\.|'')*')|[bBxX]?'(?:[^']|'')*'"
    r"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|\.?\d(?:\w|\.|(?<=[eE])[+-])*",
    re.DOTALL,
)


def without_literals(sql: str | None) -> str | None:
    """SQL that a person typed, with ``?`` for each text and number and without comments: a report goes
    further than the command, and "diagnosis = '...'" tells a value of somebody's record."""
    if sql is None:
        return None
    parts: list[str] = []
    position = 0
    while position < len(sql):
        if sql.startswith("--", position):
            end = sql.find("\n", position)
            position = len(sql) if end < 0 else end
        elif sql.startswith("/*", position):
            position = _after_comment(sql, position)
        elif token := _LITERAL.match(sql, position):
            parts.append("?")
            position = token.end()
        elif token := _KEPT.match(sql, position):
            if token.group() in ("'", "$"):  # the opening of something unknown: nothing after it is sure
                return "".join(parts) + "?"
            parts.append(token.group())
            position = token.end()
        else:
            return "".join(parts) + "?"
    return "".join(parts).strip()


def _after_comment(sql: str, position: int) -> int:
    """The end of a block comment, which can hold others."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", sql[position:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return position + mark.end()
    return len(sql)
