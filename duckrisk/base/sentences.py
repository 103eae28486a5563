"""What is said of a result, before it is put into words: keys of the catalogue with their values.

The rooms that measure make sentences, and reports put them into a language (``report/words``). Text that
comes from the source or from the person who ran duckrisk (names of columns, paths, values) is marked as
:class:`Data`: it is shown, never interpreted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class Data(str):
    """Text from the source or from the person who ran duckrisk: shown, never interpreted."""

    __slots__ = ()


@dataclass(frozen=True)
class Sentence:
    """A key of the catalogue and the values of its placeholders: text, ``Data`` or other sentences."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Joined:
    """Texts in a row, such as a list of names; the language says what stands between them."""

    texts: tuple[Text, ...]


@dataclass(frozen=True)
class Amount:
    """A sum of money without its currency: ``short`` in three significant digits and the words of a language
    for thousands, millions and so on."""

    value: float | None
    short: bool = False


#: Plain ``str`` is what reads the same in every language: numbers, signs, names of formats.
Text = Sentence | Joined | Amount | Data | str


def say(key: str, /, **values: Any) -> Sentence:
    """A sentence of the catalogue."""
    return Sentence(key, values)


def joined(texts: Iterable[Text]) -> Joined:
    return Joined(tuple(texts))


def listed(names: Iterable[str], most: int = 8) -> Sentence | Joined:
    """Names of the source in a row; of many only the first ones."""
    every = [Data(name) for name in names]
    if len(every) <= most:
        return Joined(tuple(every))
    return say("list", names=Joined(tuple(every[:most])), more=f"{len(every) - most:,}")
