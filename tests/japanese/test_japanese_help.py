"""Japanese help: a text for everything that English help says, and nothing that it does not."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from duckrisk import cli
from duckrisk.base.options import GROUPS, Field, options_of
from duckrisk.base.options.japanese import load_texts, translate_help
from duckrisk.cli.japanese.help import load_help
from duckrisk.cli.reference import list_commands
from duckrisk.report.lines import measure, wrap_japanese
from tests.cases import Cases
from tests.command import command
from tests.japanese.test_japanese_errors import CODE, JAPANESE, MIXED_WIDTHS

COMMANDS = dict(list_commands(cli.app_of(None)))


def fields() -> Iterator[Field]:
    """The options of all commands, and those that only settings have."""
    for function in COMMANDS.values():
        for options, several in getattr(function, "options", {}).items():
            yield from several
            yield from options_of(options).values()


def test_every_option_has_its_japanese_help() -> None:
    texts = load_texts()
    helps = {field.option.help for field in fields()}
    helps |= {text for field in fields() for _, text in field.option.value_flags.values()}
    with Cases() as case:
        for text in sorted(helps):
            with case(text):
                translated = translate_help(text)
                assert JAPANESE.search(translated)
                assert not MIXED_WIDTHS.search(
                    re.sub(r"\{[a-z], [a-z]\}|'[^']*'", "", CODE.sub("", translated))
                )
                assert translated.endswith("。")
    named = {key for key in texts["help"] if "{names}" not in key}
    assert named <= helps
    assert len(helps - named) == len(texts["help"]) - len(named)


def test_every_default_in_words_is_japanese() -> None:
    defaults = {field.option.default_text for field in fields() if field.option.default_text}
    translated = load_texts()["defaults"]
    assert translated.keys() <= defaults
    with Cases() as case:
        for text in sorted(defaults - translated.keys()):
            with case(text):
                assert re.fullmatch(r"[\w.,% ]+", text)
                assert " " not in text.replace(", ", ",")


def test_every_command_and_argument_has_its_text() -> None:
    texts = load_help()
    groups = {name.split(" ")[0] for name in COMMANDS if " " in name}
    assert texts["commands"].keys() == {"", *COMMANDS, *groups}
    assert texts["list"].keys() == cli._COMMANDS.keys()
    assert texts["purposes"].keys() == cli._COMMANDS_BY_PURPOSE.keys()
    assert texts["groups"].keys() == set(GROUPS)
    arguments = {
        info.help
        for function in COMMANDS.values()
        for parameter in inspect.signature(function).parameters.values()
        for info in getattr(parameter.annotation, "__metadata__", ())
        if isinstance(info, typer.models.ArgumentInfo)
    }
    assert texts["arguments"].keys() == arguments
    with Cases() as case:
        for table, entries in texts.items():
            for key, text in entries.items():
                with case(f"{table} {key}"):
                    assert JAPANESE.search(text)
                    assert not MIXED_WIDTHS.search(re.sub(r"\{a;b\}|\[a;b\]", "", CODE.sub("", text)))


@pytest.mark.parametrize("name", ["", "membership", "pwscup", "sql", *COMMANDS])
def test_screens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is wider than a terminal, flags are those of English help, and no English is left."""
    monkeypatch.setenv("COLUMNS", "80")
    words = name.split()
    flag = "--help-all" if "--help-all" in command(*words, "--help", "--lang", "en").out else "--help"
    english, japanese = (command(*words, flag, "--lang", language) for language in ("en", "ja"))
    assert (english.code, japanese.code, japanese.err) == (0, 0, "")
    flags = [re.findall(r"(?m)^  (-[\w-]+(?:, --[\w-]+)?)", done.out) for done in (english, japanese)]
    assert flags[0] == flags[1]
    text = japanese.out.split("例：")[0].partition("\n")[2]
    assert max(map(measure, text.splitlines())) <= 80
    assert english.out.count("\n  duckrisk ") == japanese.out.count("\n  duckrisk ")
    english_words = re.compile(r"(?:\b[A-Za-z][a-z]+ ){2,}[a-z]+\b")
    assert not english_words.search(re.sub(r"`[^`]*`", "", " ".join(text.split())))


def test_the_language_of_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert "使い方" in command("assess", "--help").out
    assert "Usage" in command("assess", "--help", "--lang", "en").out
    monkeypatch.setenv("LANG", "C.UTF-8")
    before: list[Any] = ["--lang", "ja"]
    assert "使い方" in command(*before, "--help").out
    assert command(*before, "assess", "--help").out == command("assess", "--help", *before).out
    assert "使い方" in command("sql", *before).err
    assert "「nothing」" in command("--lang=ja", "assess", "nothing").err


def test_lines_break_between_japanese_characters_and_at_blanks() -> None:
    assert wrap_japanese("列の役割を --user で指定する。", width=14) == [
        "列の役割を",
        "--user で指定",
        "する。",
    ]
    assert wrap_japanese("あ、い（うえ）", width=5) == ["あ、", "い", "（う", "え）"]
    assert wrap_japanese("", width=10) == []
