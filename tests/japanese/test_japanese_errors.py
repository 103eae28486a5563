"""The Japanese sentences of errors: complete, with the same placeholders, Japanese, and what errors print."""

from __future__ import annotations

import re
import string
from collections import Counter
from pathlib import Path

import pytest

import duckrisk
from duckrisk.base.errors import DuckriskError, SourceError, UsageError, load_messages
from duckrisk.cli import japanese
from tests.cases import Cases
from tests.command import command

#: Hiragana, katakana and kanji.
JAPANESE = re.compile(r"[぀-ヿ一-鿿]")
#: A placeholder, or an example of code; neither is Japanese.
CODE = re.compile(r"\{\w+(?::[^}]*)?\}|`[^`]*`")
#: Letters and digits of full width, halfwidth katakana, and a comma or stop of the other width at Japanese.
MIXED_WIDTHS = re.compile(
    r"[０-９Ａ-Ｚａ-ｚ｡-ﾟ　]|[぀-ヿ一-鿿][,.?!;]|[,;][぀-ヿ一-鿿]|[（][^）]*[)]|[(][^)]*[）]"
)


def placeholders(text: str) -> set[tuple[str, str]]:
    """The names of placeholders with their forms, such as ("count", ",")."""
    return {(name, str(spec)) for _, name, spec, _ in string.Formatter().parse(text) if name is not None}


def test_every_error_has_its_japanese_sentence() -> None:
    english, translated = load_messages(), japanese.load_errors()
    assert list(translated) == list(english)
    with Cases() as case:
        for key, text in translated.items():
            with case(key):
                assert placeholders(text) == placeholders(english[key])
                assert text != english[key]
                assert JAPANESE.search(text)
                assert not MIXED_WIDTHS.search(CODE.sub("", text))
                # A sentence ends as one, or with a placeholder that does.
                assert re.search(r"(。|\}|）)$", text) or "python -c" in text
                counts = Counter(re.findall(r"[「」（）]", text))
                assert counts["「"] == counts["」"]
                assert counts["（"] == counts["）"]
                assert set(re.findall(r"--[a-z-]+", english[key])) == set(re.findall(r"--[a-z-]+", text))


def test_words_in_sentences_are_those_of_the_program() -> None:
    """A fragment whose English no module writes any more translates nothing."""
    fragments = japanese.load_fragments()
    package = Path(duckrisk.__file__).parent
    written = "\n".join(path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py")))
    written = (
        re.sub(r"""["']\s*\n\s*f?["']""", "", written)
        .replace('\\"', '"')
        .replace("{{", "{")
        .replace("}}", "}")
    )
    ours = dict(fragments.japanese)
    names = {name for text in load_messages().values() for name, _ in placeholders(text)}
    assert fragments.words | fragments.lists <= names
    parser = list(ours).index("No such command '{name}'. Did you mean {names}?")
    system = re.compile(
        r"[A-Z][a-z ]+(/output error)?|.*(requires|value|argument|option|command|parameter).*"
    )
    with Cases() as case:
        for index, (english, translated) in enumerate(ours.items()):
            with case(english):
                pieces = [piece for piece in re.split(r"\{\w+\}", english) if piece.strip(" .,;:'\"()[]/")]
                by_others = index >= parser or system.fullmatch(english)
                assert by_others or all(
                    piece in written or piece.strip(' ;`"') in written for piece in pieces
                )
                assert JAPANESE.search(CODE.sub("", translated)) or len(pieces) < 2
                assert not MIXED_WIDTHS.search(CODE.sub("", translated))
                assert set(re.findall(r"\{(\w+)\}", translated)) <= set(re.findall(r"\{(\w+)\}", english))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UsageError("options.wrong_type", name="--k", what="a whole number of 1 or more", given=", not 0"),
         "--k には1以上の整数を指定してください（0 は使えません）。"),
        (UsageError("options.wrong_type", name="--policy", what="a, b or c", given=', not "d"'),
         "--policy には a、b、c のいずれかを指定してください（「d」は使えません）。"),
        (SourceError("source.file_not_found", name="a.csv", hint='; did you mean "b.csv" or "c.csv"?'),
         "ファイル「a.csv」はありません。「b.csv」か「c.csv」のことですか。"),
        # Names of the data stay as they are, also where they are words of ours.
        (SourceError("source.column_not_found", name="members", name_2="numbers",
                     suggestion='; there are "a, b" and 3 more.'),
         "「members」に列「numbers」はありません。使えるのは「a, b」ほか3件です。"),
        # A sentence within a sentence, as an error or as its text.
        (SourceError("source.error_in_one_file", short="a.csv", error=SourceError("source.empty_csv")),
         "ファイル「a.csv」：ファイルが空です。別のファイルを指定してください。"),
        (SourceError("source.error_in_one_file", short="a.csv", error="The file is empty."),
         "ファイル「a.csv」：ファイルが空です。別のファイルを指定してください。"),
        (SourceError("Line 3 is blank; remove the blank lines before the first record."),
         "3行目が空行です。最初のレコードより前の空行を取り除いてください。"),
        (SourceError("pwscup.first_finding", rstrip='"A.csv" is an empty file'),
         "「A.csv」は空のファイルです。別のファイルを指定してください。"
         "すべての問題は `duckrisk pwscup check` で表示されます。"),
        (SourceError("k_anonymity.k_above_people", count=1200, k=5000),
         "1,200人の表では、どの同値類も5,000人以上にすることはできません。より小さい k を指定してください。"),
    ],
)  # fmt: skip
def test_by_hand(error: DuckriskError, sentence: str) -> None:
    assert japanese.describe_error(error) == sentence


def test_the_language_is_that_of_the_option_else_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    assert command("assess", "no.csv").err.isascii()
    assert "ファイル「no.csv」はありません" in command("assess", "no.csv", "--lang", "ja").err
    assert "ファイル「no.csv」はありません" in command("assess", "--lang=ja", "no.csv").err
    said = command("assess", "no.csv", "--samples", "1.5", "--lang", "ja").err
    assert (
        said
        == "duckrisk: --samples には整数を指定してください。`duckrisk assess --help` を参照してください。\n"
    )
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    done = command("assess", "no.csv")
    assert (done.code, done.err) == (3, "duckrisk: ファイル「no.csv」はありません。\n")
    assert command("assess", "no.csv", "--lang", "en").err.isascii()
    with pytest.raises(SourceError, match=r'There is no file "no\.csv"'):
        duckrisk.assess("no.csv")


def test_long_texts_are_not_recognized() -> None:
    """A pattern of several placeholders would try every way to divide them."""
    names = '", "'.join(["a and b or c", "d", "e"] * 400)
    sentence = f'The columns "{names}" are of no use; name others.'
    assert japanese.translate_sentence(sentence) == sentence
    assert japanese._QUOTED.fullmatch(f'"{names}" x') is None
