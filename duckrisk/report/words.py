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

from duckrisk.base.numbers import format_amount
from duckrisk.base.options.output import LANGUAGES as LANGUAGES
from duckrisk.base.sentences import Amount, Data, JoinedTexts, Sentence, Text

#: A placeholder with the words of one and those of any other number; after a colon the number stands before.
COUNTED = re.compile(r"\{(\w+)([:!])((?:[^{}|]|\{\w+\})*)\|((?:[^{}|]|\{\w+\})*)\}")


@cache
def catalogue(language: str) -> dict[str, str]:
    """The sentences of a language by their keys."""
    text = (Path(__file__).parent / "words" / f"{language}.toml").read_text(encoding="utf-8")
    return {
        key if table == "words" else f"{table}.{key}": entry
        for table, entries in tomllib.loads(text).items()
        for key, entry in entries.items()
    }


def has(key: str) -> bool:
    """Whether the catalogue has a sentence of this key."""
    return key in catalogue("en")


@dataclass(frozen=True)
class Words:
    """The words of one language."""

    language: str = "en"

    def word(self, key: str) -> str:
        """A text of the catalogue that has no placeholder."""
        return catalogue(self.language)[key]

    def plain(self, text: Text, show: Callable[[str], str] = str) -> str:
        """A text in the language, each piece of data in it shown by ``show``."""
        return self.shown(text, data=show, own=str)

    def shown(self, text: Any, data: Callable[[str], str], own: Callable[[str], str]) -> str:
        """A text in the language: ``data`` shows pieces of data, ``own`` what the catalogue says."""
        if isinstance(text, Sentence):
            return self._sentence(text, data, own)
        if isinstance(text, JoinedTexts):
            return own(self.word("separator")).join(self.shown(piece, data, own) for piece in text.texts)
        if isinstance(text, Amount):
            return own(format_amount(text.value, self.language if text.short else None))
        return data(text) if isinstance(text, Data) else own(str(text))

    def _sentence(self, sentence: Sentence, data: Callable[[str], str], own: Callable[[str], str]) -> str:
        pattern = catalogue(self.language)[sentence.key]
        pattern = COUNTED.sub(lambda match: _counted(match, sentence.values), pattern)
        values = {name: self.shown(value, data, own) for name, value in sentence.values.items()}
        return own(pattern).format(**values)


def _counted(match: re.Match[str], values: Mapping[str, Any]) -> str:
    words = match[3] if str(values[match[1]]) == "1" else match[4]
    return f"{{{match[1]}}} {words}" if match[2] == ":" else words


def in_english(text: Text) -> str:
    """A text as the JSON form has it."""
    return Words().plain(text)
