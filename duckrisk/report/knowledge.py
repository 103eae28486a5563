"""Put forms of attributes into words: what an attacker knows of one, and how a coarser one is published."""

from __future__ import annotations

import re
from collections.abc import Iterable

from duckrisk.base.sentences import Data, Sentence

_FORM = re.compile(r"(.+)\.(date|time|hour|week|month|year|prefix|band)(?:\((\d+(?:\.\d+)?)\))?", re.DOTALL)
_COUNTED = ("prefix", "band")


def describe_knowledge(name: str, columns: Iterable[str]) -> Sentence:
    """Describe what an attacker knows of an attribute, as in "the time of day in ...".

    Args:
        name: The attribute: the name of a column, or of a form of it such as `created.time`.
        columns: The columns of the source; a column with the name of a form is not taken for the form.
    """
    names = set(columns)
    form = _parse_form(name, names)
    if form is None or name in names:
        return Sentence("knows.name", name=Data(name))
    column, period, count = form
    return Sentence(f"knows.{period}", name=Data(column), **count)


def describe_publication(name: str, columns: Iterable[str]) -> Sentence:
    """Describe how a coarser attribute is published, as in "by the hour".

    Args:
        name: The coarser attribute, such as `created.hour`.
        columns: The columns of the source.
    """
    form = _parse_form(name, set(columns))
    if form is None or form[1] == "time":
        return Sentence("published.name", name=Data(name))
    return Sentence(f"published.{form[1]}", **form[2])


def find_column(name: str, columns: Iterable[str]) -> str:
    """Return the column that an attribute is a form of; the name itself if it is none."""
    names = set(columns)
    form = _parse_form(name, names)
    return name if form is None or name in names else form[0]


def _parse_form(name: str, columns: set[str]) -> tuple[str, str, dict[str, str]] | None:
    """Split a form of a column into the column, the form and its number.

    Return None if the name is not a form of a column.
    """
    match = _FORM.fullmatch(name)
    if match is None or match[1] not in columns or (match[2] in _COUNTED) != (match[3] is not None):
        return None
    return match[1], match[2], {"count": match[3]} if match[3] else {}
