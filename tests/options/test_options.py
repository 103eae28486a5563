"""An option is written once: the command line, the settings file, Python and the reference are made of it."""

from __future__ import annotations

import inspect
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

import duckrisk
from duckrisk import cli
from duckrisk.api import config
from duckrisk.base import toml
from duckrisk.base.errors import UsageError
from duckrisk.base.options import (
    GROUPS,
    Field,
    OptionSet,
    advice,
    attribute,
    comparison,
    identifiability,
    options_of,
    output,
    policy,
    roles,
    source,
)
from duckrisk.base.options import context as receiving
from duckrisk.base.options import disclosure as disclosing
from duckrisk.cli.examples import EXAMPLES
from duckrisk.cli.reference import list_commands
from duckrisk.contests.membership import options as membership
from duckrisk.contests.pwscup import options as pwscup
from duckrisk.measures import disclosure
from duckrisk.report.words import Words
from tests.cases import Cases
from tests.command import HISTORY, command, table

SETS: list[type[OptionSet]] = [
    *(attribute.Options, identifiability.Options, disclosing.Options, comparison.Options, advice.Options),
    *(output.Output, output.Language, output.Judgement, roles.RoleOverrides, source.Request),
    *(source.Resources, pwscup.Options, pwscup.ReleaseOptions, membership.AttackOptions),
    *(membership.RiskOptions, membership.SynthesisOptions, membership.SearchOptions, policy.Options),
    *(source.Distributed, pwscup.Tables, pwscup.NamedGuesses, pwscup.AttackOptions, pwscup.ScoreOptions),
    *(membership.Tables, membership.TreeOptions, membership.DepthOptions),
]
LIMITED = [
    (kind, name)
    for kind in SETS
    for name, one in options_of(kind).items()
    if one.kind in (int, float) or (one.option.choices and not one.option.open)
]


@pytest.mark.parametrize("kind", SETS)
def test_the_defaults_are_fine(kind: type[OptionSet]) -> None:
    kind().check()
    for one in options_of(kind).values():
        assert one.option.group in GROUPS
        assert one.option.help[0].isupper() or one.option.help.split()[0].islower()
        assert one.option.help.endswith((".", "(ihsn).", "level1 (hierarchy)."))


def beyond(one: Field) -> list[Any]:
    """Values that an option cannot have."""
    found: list[Any] = ["x", True, [3.5]] if one.kind is not str else [3, "x" * 9]
    option = one.option
    if option.minimum is not None:
        found.append(option.minimum - 1)
    if option.above is not None:
        found.append(option.above)
    if option.maximum is not None:
        found.append(option.maximum + 1)
    if option.below is not None:
        found.append(option.below)
    return [*found, float("nan"), float("inf")] if one.kind is float else found


def test_what_cannot_be_meant_is_told_in_one_sentence() -> None:
    with Cases() as case:
        for kind, name in LIMITED:
            one = options_of(kind)[name]
            for value in beyond(one):
                with case(f"{kind.__name__}.{name}: {value}"):
                    said = "nothing"
                    try:
                        kind(**{name: (value,) if one.is_list else value}).check()
                    except UsageError as error:
                        said = str(error)
                    assert re.search(f"^{name} must be .*\\.$", said), said


# --- the command line ----------------------------------------------------------------------------


def test_every_option_of_every_command_is_in_a_group() -> None:
    seen = 0
    for name, function in list_commands(cli.app_of(None)):
        for parameter in inspect.signature(function).parameters.values():
            info = (
                parameter.annotation.__metadata__[0]
                if hasattr(parameter.annotation, "__metadata__")
                else None
            )
            if type(info).__name__ == "OptionInfo" and parameter.name != "help_all":
                assert info.rich_help_panel in GROUPS, (name, parameter.name)
                seen += 1
    assert seen > 350


def test_an_option_is_declared_as_a_field_alone() -> None:
    """The signature of a command makes what the parser needs; the root has --version."""
    folder = Path(cli.__file__).parent
    declaring = {path for path in folder.rglob("*.py") if "typer.Option(" in path.read_text(encoding="utf-8")}
    assert declaring == {folder / "__init__.py", folder / "signature.py"}


def test_help_is_a_map_of_every_command() -> None:
    shown = command("--help").out
    places = [shown.index(f"\n  {name} ") for name in cli._COMMANDS]
    assert places == sorted(places)
    assert {name.split()[0] for name, _ in list_commands(cli.app_of(None))} == set(cli._COMMANDS)


def test_every_command_has_examples_that_it_would_take() -> None:
    app = typer.main.get_command(cli.app_of(None))
    assert set(EXAMPLES) == {name for name, _ in list_commands(cli.app_of(None))}
    for several in EXAMPLES.values():
        for example in several:
            group: Any = app
            name, *words = shlex.split(example)
            while hasattr(group.commands[name], "commands"):
                group, (name, *words) = group.commands[name], words
            group.commands[name].make_context(name, words, resilient_parsing=False)


def test_help_has_at_most_25_options_and_all_of_them_where_asked() -> None:
    for name, _ in list_commands(cli.app_of(None)):
        several = command(*name.split(), "--help").out.partition("\nOptions:")[0]
        told = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", several, re.MULTILINE)
        assert len(told) <= 25, (name, len(told))
    assert "--suda-scores" not in command("assess", "--help").out
    assert "--suda-scores" in command("assess", "--help-all").out


def test_help_of_an_option_is_one_short_phrase() -> None:
    """At most 80 characters; only what lists the values of a closed set is longer."""
    listing = {"attacks", "names"}
    long = {
        (name, field.name): field.option.help
        for name, function in list_commands(cli.app_of(None))
        for fields in getattr(function, "options", {}).values()
        for field in fields
        if len(field.option.help) > 80 and field.name not in listing
    }
    assert long == {}


def test_help_shows_groups_closed_sets_and_defaults() -> None:
    shown = command("assess", "--help-all").out
    for text in ("\nWho is who:\n", "--confidence 0.8|0.9|0.95|0.99", "--missing value|wildcard|none", "[5]"):
        assert text in shown


def test_a_rule_that_one_part_knows_goes_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "h.parquet", HISTORY)
    asked = ["assess", "h.parquet", "--only", "class_sizes", "--format", "json"]
    settings = command(*asked, "--missing", "wildcard").json["settings"]
    assert (settings["missing"], settings["disclosure"]["missing"]) == ("none", "wildcard")
    assert duckrisk.assess("h.parquet", only=["class_sizes"], missing="wildcard").data["settings"] == settings
    assert "--missing must be value, wildcard or none" in command(*asked, "--missing", "x").err


# --- the settings file ---------------------------------------------------------------------------


def test_what_is_written_of_settings_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "duckrisk.toml"
    for kind in (
        identifiability.Options,
        disclosing.Options,
        attribute.Options,
        receiving.Options,
        policy.Options,
        output.Language,
    ):
        lines = [line.removeprefix("# ") for line in config._option_lines(kind(), Words())]
        path.write_text("\n".join([f"[{kind.settings_table}]", *lines]), encoding="utf-8")
        written = tomllib.loads(path.read_text(encoding="utf-8"))[str(kind.settings_table)]
        settable = [name for name, one in options_of(kind).items() if one.setting]
        assert list(written) == settable == list(config._SHAPE[str(kind.settings_table)])
        settings = config.load(path)
        read = next(one for one in vars(settings).values() if type(one) is kind)
        for name in settable:
            default, example = getattr(kind(), name), options_of(kind)[name].option.example
            assert getattr(read, name) == (example if default is None else default), name


def test_one_writer_for_all_values() -> None:
    for value in ('a\n"b\\', True, 3, 0.5, ["x", 1], {"a b": ["c"], "d": False}):
        assert tomllib.loads(toml.format_entry("key of it", value, "a\nremark")) == {"key of it": value}


def test_parts_are_those_that_are_measured() -> None:
    assert tuple(disclosure._MEASURES) == disclosure.PARTS


# --- the reference, and the language -------------------------------------------------------------


def test_the_reference_has_every_option() -> None:
    told = command("explain", "options").out
    assert all(f"\n{group}\n" in told for group in GROUPS)
    for kind in SETS:
        for one in options_of(kind).values():
            assert f"Python: {one.keyword}" in " ".join(told.split()), one.name
            assert not one.flags or one.flags[-1] in told


@pytest.mark.slow
def test_the_language_of_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    table(tmp_path / "a.parquet", "SELECT i % 7 AS age, i % 5 AS city FROM range(40) t(i)")
    table(tmp_path / "b.parquet", "SELECT i % 7 AS age, i % 5 AS city FROM range(60) t(i)")
    risks = ["membership", "risks", "a.parquet", "b.parquet", "--attacks-per-risk", "5"]
    english = command(*risks).out
    assert english.isascii() or "。" not in english
    japanese = command(*risks, "--lang", "ja").out
    assert "。" in japanese
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert command(*risks).out == japanese
    Path("duckrisk.toml").write_text('[report]\nlanguage = "en"\n')
    assert command(*risks).out == english
    assert command(*risks, "--format", "json").out == command(*risks, "--format", "json", "--lang", "ja").out
    assert "--lang には en か ja を指定してください" in command(*risks, "--lang", "fr").err
    Path("duckrisk.toml").write_text('[report]\nlanguage = "fr"\n')
    for asked in (risks, ["assess", "a.parquet"]):
        refused = command(*asked)
        assert (refused.code, "language には en か ja を指定してください" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("duckrisk assess --missing w", "wildcard"),
        ("duckrisk pw", "pwscup"),
        ("duckrisk compare --only l", "linkage"),
    ],
)
def test_closed_sets_complete(
    line: str, found: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_DUCKRISK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit):
        cli.app_of(cli._first_word())(prog_name="duckrisk")
    assert capsys.readouterr().out.split() == [found]
