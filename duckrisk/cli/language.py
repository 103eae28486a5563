"""The language of help and errors: that of ``--lang``, else that of the environment, as for reports."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from duckrisk.base.options.output import LANGUAGES, Language


def spoken_language(words: Sequence[str] | None = None) -> str:
    """Return the language that a command line asks for.

    Args:
        words: The words of the command line; None for those of this process.

    Returns:
        One of ``LANGUAGES``.
    """
    words = sys.argv[1:] if words is None else words
    given = None
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == "--":
            break
        value = following if word == "--lang" else word.removeprefix("--lang=")
        if value != word and value in LANGUAGES:
            given = value
    return Language(given).resolved
