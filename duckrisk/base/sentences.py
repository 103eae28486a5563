"""Messages of a result before they are put into a language: catalogue keys with values.

Measures and decisions create sentences; ``duckrisk/report/words`` holds their text in each language. Text
from the source or from the user, such as column names, paths and values, is marked as :class:`Data`:
reports show it and never interpret it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class Data(str):
    """Text from the source or from the user: shown, never interpreted."""

    __slots__ = ()


@dataclass(frozen=True, init=False)
class Sentence:
    """A key of the catalogue and the values of its placeholders.

    Attributes:
        key: The key in ``words/en.toml`` and ``words/ja.toml``, such as "progress.step".
        values: Text, :class:`Data` or other sentences, by the name of the placeholder.
    """

    key: str
    values: Mapping[str, Any]

    def __init__(self, key: str, /, **values: Any) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "values", values)


@dataclass(frozen=True)
class JoinedTexts:
    """Texts in a row, such as a list of names; the language decides the separator."""

    texts: tuple[Text, ...]


@dataclass(frozen=True)
class Amount:
    """A sum of money without its currency.

    Attributes:
        value: The sum; None is shown as "-".
        short: Use three significant digits and the language's words for sizes, as in "1.23 million".
    """

    value: float | None
    short: bool = False


#: A plain ``str`` reads the same in every language: numbers, signs, names of formats.
Text = Sentence | JoinedTexts | Amount | Data | str


def join_texts(texts: Iterable[Text]) -> JoinedTexts:
    """Join texts with the separator of the report's language."""
    return JoinedTexts(tuple(texts))


def list_names(names: Iterable[str], most: int = 8) -> Sentence | JoinedTexts:
    """List names of the source, such as columns.

    Args:
        names: The names.
        most: Number of names shown; the sentence counts the rest.
    """
    shown = [Data(name) for name in names]
    if len(shown) <= most:
        return JoinedTexts(tuple(shown))
    return Sentence("list", names=JoinedTexts(tuple(shown[:most])), more=f"{len(shown) - most:,}")
