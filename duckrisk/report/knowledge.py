"""What an attacker knows of an attribute, and how one is published, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from duckrisk.base.sentences import Data, Sentence

_FORM = re.compile(r"(.+)\.(date|time|hour|week|month|year|prefix|band)(?:\((\d+(?:\.\d+)?)\))?", re.DOTALL)
_COUNTED = ("prefix", "band")


def knowledge(name: str, columns: Iterable[str]) -> Sentence:
    """What an attacker knows, in words: "the time of day in ..."; a column of that very name is itself."""
    names = set(columns)
    form = _form(name, names)
    if form is None or name in names:
        return Sentence("knows.name", name=Data(name))
    column, period, count = form
    return Sentence(f"knows.{period}", name=Data(column), **count)


def publication(name: str, columns: Iterable[str]) -> Sentence:
    """How a coarser attribute would be published, in words: "by the hour"."""
    form = _form(name, set(columns))
    if form is None or form[1] == "time":
        return Sentence("published.name", name=Data(name))
    return Sentence(f"published.{form[1]}", **form[2])


def _form(name: str, columns: set[str]) -> tuple[str, str, dict[str, str]] | None:
    """The column of an attribute, its form and the number in that; None where it is no form of a column."""
    match = _FORM.fullmatch(name)
    if match is None or match[1] not in columns or (match[2] in _COUNTED) != (match[3] is not None):
        return None
    return match[1], match[2], {"count": match[3]} if match[3] else {}
