"""Put sentences into words: the catalogues `words/en.toml` and `words/ja.toml`.

A catalogue is a TOML file with one table for each subject. The key of a sentence is the name of its table, a
dot and its own key; in the table `[words]` it is its own key alone. `{records:record|records}` is a number
and its noun: the singular for 1, else the plural. `{records!is|are}` is the word without the number.
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

#: A placeholder with its singular and its plural: `{count:record|records}`, or `!` to leave out the number.
COUNTED = re.compile(r"\{(\w+)([:!])((?:[^{}|]|\{\w+\})*)\|((?:[^{}|]|\{\w+\})*)\}")


#: A figure that is only known to be below or above a number, as `duckrisk.base.numbers` writes it.
_BOUND = re.compile(r"([<>]) (\d[\d.,]*(?:e-\d+)?%?)")
#: The Japanese words after such a number.
_BOUNDS = {"<": "未満", ">": "超"}


@cache
def load_catalogue(language: str) -> dict[str, str]:
    """Load the sentences of a language by their keys."""
    text = (Path(__file__).parent / "words" / f"{language}.toml").read_text(encoding="utf-8")
    return {
        key if table == "words" else f"{table}.{key}": entry
        for table, entries in tomllib.loads(text).items()
        for key, entry in entries.items()
    }


def has_sentence(key: str) -> bool:
    """Check whether the catalogues have a sentence of this key."""
    return key in load_catalogue("en")


@dataclass(frozen=True)
class Words:
    """The words of one language."""

    language: str = "en"

    def look_up(self, key: str) -> str:
        """Return a sentence that has no placeholder."""
        return load_catalogue(self.language)[key]

    def format(self, text: Text, show: Callable[[str], str] = str) -> str:
        """Write a text in this language.

        Args:
            text: A sentence, a piece of data, or several of them joined.
            show: Applied to each piece of data, for example to escape it.

        Returns:
            The text with all placeholders filled.
        """
        return self.format_parts(text, show_data=show, show_words=str)

    def format_parts(
        self, text: Any, show_data: Callable[[str], str], show_words: Callable[[str], str]
    ) -> str:
        """Write a text in this language, with one function for data and one for words.

        Args:
            text: A sentence, a piece of data, or several of them joined.
            show_data: Applied to each piece of data: names and values of the source.
            show_words: Applied to everything else, before its placeholders are filled.

        Returns:
            The text with all placeholders filled.
        """
        if isinstance(text, Sentence):
            return self._format_sentence(text, show_data, show_words)
        if isinstance(text, JoinedTexts):
            pieces = [self.format_parts(piece, show_data, show_words) for piece in text.texts]
            return show_words(self.look_up("separator")).join(pieces)
        if isinstance(text, Amount):
            return show_words(format_amount(text.value, self.language if text.short else None))
        return show_data(text) if isinstance(text, Data) else show_words(self._name_bound(str(text)))

    def _name_bound(self, figure: str) -> str:
        """Write a bound as the language does: in Japanese, words follow the number."""
        match = _BOUND.fullmatch(figure) if self.language == "ja" else None
        return figure if match is None else f"{match[2]}{_BOUNDS[match[1]]}"

    def _format_sentence(
        self, sentence: Sentence, show_data: Callable[[str], str], show_words: Callable[[str], str]
    ) -> str:
        pattern = load_catalogue(self.language)[sentence.key]
        pattern = COUNTED.sub(lambda match: _choose_form(match, sentence.values), pattern)
        values = {
            name: self.format_parts(value, show_data, show_words) for name, value in sentence.values.items()
        }
        return show_words(pattern).format(**values)


def _choose_form(match: re.Match[str], values: Mapping[str, Any]) -> str:
    """Replace a counted placeholder by its singular or its plural."""
    words = match[3] if str(values[match[1]]) == "1" else match[4]
    return f"{{{match[1]}}} {words}" if match[2] == ":" else words


def to_english(text: Text) -> str:
    """Write a text in English, as the JSON report has it."""
    return Words().format(text)
