"""The Japanese texts of options: ``japanese.toml``, by their English texts. Read only for Japanese help."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def load_texts() -> dict[str, dict[str, str]]:
    """Load the texts of help, and those of defaults, by the English ones."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("japanese.toml").read_text(encoding="utf-8"))


def translate_help(text: str) -> str:
    """Return the Japanese help of an option; the English one without it."""
    texts = load_texts()["help"]
    if text in texts:
        return texts[text]
    for english, translated in texts.items():
        if "{names}" in english:
            before, after = map(re.escape, english.split("{names}"))
            if (match := re.fullmatch(f"{before}(.*){after}", text)) is not None:
                return translated.replace("{names}", match[1].replace(", ", "、"))
    return text


def translate_default(text: str) -> str:
    """Return a default as Japanese help shows it; names and numbers stay."""
    return load_texts()["defaults"].get(text, text)
