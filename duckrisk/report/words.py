"""Puts sentences into words: the catalogues of ``words/en.toml`` and ``words/ja.toml``.

A catalogue is a TOML file of tables, one a subject; the key of a sentence is the name of its table, a dot
and its own key, or its own key alone in the table ``[words]``. A noun after a number is written
``{records:record|records}``. A sentence that differs as a whole where there is one of
something is a table of ``one`` and ``other``; which of them it is follows from the placeholder ``count``, or
from that named by ``by``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from duckrisk.options.output import LANGUAGES as LANGUAGES
from duckrisk.report.numbers import amount
from duckrisk.sentences import Amount, Data, Joined, Sentence, Text

#: A placeholder with the words that follow a one and any other number.
_COUNTED = re.compile(r"\{(\w+):([^|{}]+)\|([^|{}]+)\}")


@dataclass(frozen=True)
class Plural:
    """Two forms of a sentence, and the placeholder that decides between them."""

    one: str
    other: str
    by: str = "count"


@cache
def catalogue(language: str) -> dict[str, str | Plural]:
    """The sentences of a language by their keys."""
    text = (Path(__file__).parent / "words" / f"{language}.toml").read_text(encoding="utf-8")
    found: dict[str, str | Plural] = {}
    for table, entries in tomllib.loads(text).items():
        for key, entry in entries.items():
            name = key if table == "words" else f"{table}.{key}"
            found[name] = Plural(**entry) if isinstance(entry, dict) else entry
    return found


def has(key: str) -> bool:
    """Whether the catalogue has a sentence of this key."""
    return key in catalogue("en")


@dataclass(frozen=True)
class Words:
    """The words of one language."""

    language: str = "en"

    def word(self, key: str) -> str:
        """A text of the catalogue that has no placeholder."""
        found = catalogue(self.language)[key]
        assert isinstance(found, str), key
        return found

    def plain(self, text: Text, show: Callable[[str], str] = str) -> str:
        """A text in the language, each piece of data in it shown by ``show``."""
        return self.shown(text, data=show, own=str)

    def shown(self, text: Any, data: Callable[[str], str], own: Callable[[str], str]) -> str:
        """A text in the language: ``data`` shows pieces of data, ``own`` what the catalogue says."""
        if isinstance(text, Sentence):
            return self._sentence(text, data, own)
        if isinstance(text, Joined):
            return own(self.word("separator")).join(self.shown(one, data, own) for one in text.texts)
        if isinstance(text, Amount):
            return own(amount(text.value, self.language if text.short else None))
        return data(text) if isinstance(text, Data) else own(str(text))

    def _sentence(self, sentence: Sentence, data: Callable[[str], str], own: Callable[[str], str]) -> str:
        pattern = catalogue(self.language)[sentence.key]
        if isinstance(pattern, Plural):
            pattern = pattern.one if str(sentence.values[pattern.by]) == "1" else pattern.other
        pattern = _COUNTED.sub(lambda found: _counted(found, sentence.values), pattern)
        values = {name: self.shown(value, data, own) for name, value in sentence.values.items()}
        return own(pattern).format(**values)


def _counted(found: re.Match[str], values: Mapping[str, Any]) -> str:
    return f"{{{found[1]}}} {found[2] if str(values[found[1]]) == '1' else found[3]}"


def in_english(text: Text) -> str:
    """A text as the JSON form has it."""
    return Words().plain(text)
