"""What commands say of the damages of a leak: at least, or nothing, where columns have no level."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from duckrisk.release import advice, comparison
from duckrisk.report.words import LANGUAGES
from tests.command import command, measured_once

#: Levels of the first columns, as options have them.
LEVELS = [word for name in ("age", "foo", "bar") for word in ("--level", f"{name}=1,1")]
#: By language: at least, about, the currency, and that nothing was estimated.
WORDS = {
    "en": ("at least", "about", " yen", "not estimated"),
    "ja": ("少なくとも", "約", "円", "していません"),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five columns, of which no name says a level but one; a release of coarser ages."""
    folder = tmp_path_factory.mktemp("damages")
    choose = random.Random(1)
    rows = [
        (choose.randrange(20, 60), *(choose.choice(letters) for letters in ("abc", "xyzw", "klm", "st")))
        for _ in range(200)
    ]
    for name, width in (("original.csv", 1), ("release.csv", 10)):
        lines = [",".join(map(str, (age // width * width, *others))) for age, *others in rows]
        text = "\n".join(["age,foo,bar,baz,qux", *lines]) + "\n"
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def joined(text: str, language: str) -> str:
    """Return a text without its line breaks; Japanese has no blanks between words."""
    return ("" if language == "ja" else " ").join(text.split())


@pytest.fixture(scope="module", autouse=True)
def once(tables: Path) -> Iterator[None]:
    """What a language says was measured once for all of them."""
    with contextlib.chdir(tables), measured_once(), measured_once(comparison), measured_once(advice):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_of_five_columns_one_with_a_level_says_nothing(language: str) -> None:
    least, about, yen, none = WORDS[language]
    for words in (
        ("assess", "original.csv", "--full", "--only", "identifiability"),
        ("compare", "original.csv", "release.csv"),
    ):
        few = command(*words, *LEVELS[:2], "--lang", language)
        assert few.code == 0, few.err
        assert none in joined(few.out, language)
        assert not re.search(f"[0-9]{yen}", few.out)
        part = joined(command(*words, *LEVELS, "--lang", language).out, language)
        assert re.search(f"{least} ?[0-9,.]+[^.]*{yen}", part)
        assert not re.search(f"{about} ?[0-9,.]+[^.]{{0,9}}{yen}", part)


@pytest.mark.parametrize("language", LANGUAGES)
def test_advice_on_a_leak_says_how_many_columns_count(language: str) -> None:
    words = ("advise", "original.csv", "--objective", "value", "--steps", "1", "--lang", language)
    least, said = WORDS[language][0], joined(command(*words, *LEVELS).out, language)
    assert any({"3", "5"} <= set(re.findall("[0-9]", part[:60])) for part in said.split(least)[1:])
    assert re.search(f"{least} ?[0-9,.]+", said), "the headline has a lower bound as well"
    every = [*LEVELS, "--level", "baz=1,1", "--level", "qux=1,1"]
    assert least not in joined(command(*words, *every).out, language)
