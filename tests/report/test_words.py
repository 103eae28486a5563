"""The catalogues of words: the same keys and placeholders in both languages, and nothing said in code."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from duckrisk.base.sentences import Amount, Data, Sentence, join_texts, list_names
from duckrisk.measures.identifiability.levels import PROFILES, name_type, read_chart
from duckrisk.report.words import COUNTED, LANGUAGES, Words, load_catalogue

REPORT = Path(__file__).resolve().parents[2] / "duckrisk" / "report"
#: Names of formats, and what the field writes in Latin letters in Japanese too.
LATIN = re.compile(r"[A-Za-z][a-z]+ [a-z]+ [a-z]+")


def placeholders(entry: str) -> set[str]:
    """The names of what is put in, and of what decides between words."""
    plain = COUNTED.sub(lambda found: f"{{{found[1]}}}{found[3]}{found[4]}", entry)
    return {name for _, name, _, _ in string.Formatter().parse(plain) if name}


def test_languages_have_the_same_keys_and_placeholders() -> None:
    english, japanese = (load_catalogue(language) for language in LANGUAGES)
    assert english.keys() - japanese.keys() == set()
    assert japanese.keys() - english.keys() == set()
    for key, entry in english.items():
        # A language without a plural needs no number that only decides.
        assert placeholders(japanese[key]) <= placeholders(entry), key
        deciding = {found[1] for found in COUNTED.finditer(entry) if found[2] == "!"}
        assert placeholders(entry) - placeholders(japanese[key]) <= deciding, key


def test_no_japanese_text_holds_an_english_sentence() -> None:
    for key, entry in load_catalogue("ja").items():
        assert not LATIN.search(re.sub(r"`[^`]*`|\{\w+\}", "", entry)), key


def test_no_sentence_is_said_in_code() -> None:
    """Where documents are made, text of several words is a key of the catalogue."""
    places = [*(REPORT / "sections").rglob("*.py"), *(REPORT / "render").glob("*.py"), REPORT / "charts.py"]
    for path in places:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        errors = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]  # whose words stay English
        told |= {id(inside) for error in errors for inside in ast.walk(error)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                said = re.search(r"[A-Za-z]{2,} [a-z]{2,}", node.value)
                assert not said or node.value in ALLOWED, f"{path.name} line {node.lineno}: {node.value}"


#: Classes of the style sheet, and what is no text.
ALLOWED = {
    "grid strong", "minimum cost", '<?xml version="1.0" encoding="UTF-8"?>\n', "blue inner",
    "blue-line solid", "orange-line dash", "default-src 'none'; style-src "
    "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
}  # fmt: skip


def test_a_sentence_is_put_into_the_words_of_a_language() -> None:
    said = Sentence("list", names=join_texts([Data("a"), Data("b")]), more="3")
    assert Words("en").format(said) == "a, b and 3 more"
    assert Words("ja").format(said) == "a、bほか3件"
    assert Words("ja").format(list_names("abc", most=1), str.upper) == "Aほか2件"


@pytest.mark.parametrize(("count", "told"), [("1", "1 record of 2 users"), ("2", "2 records of 2 users")])
def test_nouns_follow_their_numbers(count: str, told: str) -> None:
    words = Words("en")
    said = Sentence("pwscup.original", records=count, users="2", periods="a year")
    assert words.format(said) == f"The original has {told} in a year."


@pytest.mark.parametrize(
    ("count", "told"), [("1", "The gate"), ("2", "1 of 2 gates"), ("1,001", "1 of 1,001 gates")]
)
def test_words_that_a_number_decides_between(count: str, told: str) -> None:
    assert Words("en").format(Sentence("assess.gates_failed", count=count, failed="1")) == f"{told} FAILED."


@pytest.mark.parametrize(
    ("value", "english", "japanese"),
    [
        (114_444_241, "114 million", "1.14億"),
        (12_345, "12,345", "1.23万"),
        (2.5, "2.50", "2.50"),
        (0, "0", "0"),
    ],
)
def test_sums_of_money(value: float, english: str, japanese: str) -> None:
    assert Words("en").format(Amount(value, short=True)) == english
    assert Words("ja").format(Amount(value, short=True)) == japanese
    assert Words("ja").format(Amount(114_444_241)) == "114,444,241"


def test_types_of_the_model_have_names() -> None:
    """In English a type is called what it is called in the settings, with blanks."""
    types = {kind for profile in PROFILES for kind in read_chart(profile)}
    assert {
        key.removeprefix("jo_type.") for key in load_catalogue("en") if key.startswith("jo_type.")
    } == types
    for kind in types:
        assert Words("en").format(name_type(kind)) == kind.replace("_", " ")
    assert Words("ja").format(name_type("purchase_history")) == "購買履歴"
    assert Words("ja").format(name_type("of_my_own")) == "of my own"
