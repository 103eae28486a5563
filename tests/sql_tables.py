"""Which tables a template's body names, by its words alone: what it reads, and what it makes or fills."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAME = r"[a-z_§][a-z0-9_§]*"
#: Where FROM stands for no table.
_NO_TABLE = re.compile(
    r"\bIS (?:NOT )?DISTINCT FROM\b|\b(?:HOUR|MINUTE|SECOND|YEAR|MONTH|DAY|DOW|EPOCH) FROM\b", re.IGNORECASE
)
#: What a statement names itself, by WITH.
_WITH = re.compile(rf"({_NAME})(?:\s*\([^()]*\))?\s+AS\s+(?:(?:NOT\s+)?MATERIALIZED\s+)?\(")
_MAKES = re.compile(
    rf"\bCREATE (?:OR REPLACE )?(?:TEMP\s+)?(?:TABLE|VIEW|TYPE)(?:\s+VIEW)?\s+(?:IF NOT EXISTS )?({_NAME})"
)
_FILLS = re.compile(
    rf"\b(?:INSERT INTO|DELETE FROM|UPDATE|ALTER TABLE|DROP TABLE IF EXISTS|DROP TABLE) ({_NAME})"
)
#: A table or a function in a list of them, before what is in its parentheses.
_ITEM = re.compile(rf"\s*(?:LATERAL\s+)?({_NAME}(?:\.{_NAME})?|[A-Z_]+(?=\s*\())?(\s*\()?")
_ALIAS = re.compile(rf"(?:\s+AS)?(?:\s+{_NAME}(?:\s*\([^()]*\))?)?\s*(,)?")


@dataclass(frozen=True)
class Tables:
    """The names that a body writes itself; those that it gets through parameters are none of them."""

    reads: frozenset[str]
    makes: frozenset[str]
    fills: frozenset[str]


def tables_of(body: str) -> Tables:
    """The tables that a body names; § stands where a name has a parameter in it."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", " ", body, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "§", text, flags=re.DOTALL)
    text = re.sub(r"'(?:[^']|'')*'", "''", re.sub(r"--[^\n]*", "", text))
    text = _NO_TABLE.sub(" ", text)
    given = (name.replace("§", r"[\w§]+") for name in _WITH.findall(text) if name != "§")
    own = re.compile("|".join(["§", *given]))
    makes, fills = ({name for name in pattern.findall(text) if name != "§"} for pattern in (_MAKES, _FILLS))
    reads = {name for name in _read(text) if "." not in name and not own.fullmatch(name)}
    return Tables(frozenset(reads - makes), frozenset(makes), frozenset(fills))


def _read(text: str) -> Iterator[str]:
    """The names that stand in the lists behind FROM and JOIN."""
    for begin in re.finditer(r"\b(?:FROM|JOIN)\b", text):
        position, more = begin.end(), True
        while more and (item := _ITEM.match(text, position)):
            position = item.end()
            if item[2]:  # a function or a query, whose own FROM comes in its turn
                position = _end(text, position)
            elif item[1]:
                yield item[1]
            else:
                break
            alias = _ALIAS.match(text, position)
            more = alias is not None and alias[1] is not None
            position = alias.end() if alias is not None else position


def _end(text: str, position: int) -> int:
    """The place behind the parenthesis that closes one that was opened before a place."""
    depth = 1
    while depth and position < len(text):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return position
