"""Findings of every command that is judged, as SARIF, as commands of a workflow and as JUnit: gates that pass
and that fail, names that break careless programs, what is undecided."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from duckrisk import cli
from duckrisk.decision import assessment
from duckrisk.release import advice, comparison
from duckrisk.roles import user_choice
from tests.command import command, measured_once, table
from tests.judging import NUMBERS, SECRET, annotations, judged_commands, sarif
from tests.tables import EXAMPLES, thinned

pytestmark = pytest.mark.slow

#: What ends a property or a line of a workflow's command, a reference, a cell, or what a terminal acts on.
HOSTILE = 'é ,:%0A::error::\r\n\u202e\x1b[31m<b>&"#?;'


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return judged_commands(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return judged_commands(tmp_path_factory.mktemp("hostile"), HOSTILE)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


#: What is measured by one function, which other forms of the same report need not do again.
MEASURED = {"assess": assessment, "advise": advice, "compare": comparison}


@pytest.fixture(autouse=True)
def once(request: pytest.FixtureRequest) -> Iterator[None]:
    of_one = hasattr(request.node, "callspec")
    module = MEASURED.get(request.node.callspec.params["name"]) if of_one else None
    with measured_once(module) if module else contextlib.nullcontext():
        yield


def judged(words: list[str], number: str, limit: int, *more: str) -> Any:
    return command(*words, "-q", "--fail-on", f"{number} > {limit}", *more)


def test_these_are_all_commands_that_take_gates() -> None:
    """And all of them write findings."""
    told = {}
    for name in NUMBERS:
        shown = command(*name.split(), "--help-all").out
        told[name] = all(f in shown for f in ("--fail-on", "--junit", "--baseline", "sarif|github"))
    assert all(told.values()), told
    taking = {
        f"{path.parent.name if path.parent.name != 'cli' else ''} {path.stem.replace('_', '-')}".strip()
        for path in Path(inspect.getfile(cli)).parent.rglob("*.py")
        if "JUDGED" in (text := path.read_text(encoding="utf-8")) and "@command" in text
    }
    assert taking | {"assess", "attack"} == set(NUMBERS)


# Where examples are few, the commands that are not asked with hostile names below.
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NUMBERS if EXAMPLES >= 20 or name not in thinned(NUMBERS)])
def test_findings(name: str, plain: dict[str, list[str]]) -> None:
    words, number = plain[name], NUMBERS[name]
    passed = judged(words, number, 10_000, "--format", "sarif", "--junit", "passed.xml")
    rules = {one["ruleId"] for one in sarif(passed.out)}
    assert (passed.code, "gate" in rules) == (0, False), passed.err
    failed = judged(words, number, 0, "--format", "sarif", "--junit", "failed.xml", "--lang", "ja")
    (gate,) = (one for one in sarif(failed.out) if one["ruleId"] == "gate")
    assert (failed.code, gate["level"]) == (1, "error"), failed.err
    assert gate["message"]["text"].startswith(f"{number} > 0")
    shown = judged(words, number, 0, "--format", "github", "--lang", "ja")
    told = annotations(shown.out)
    assert shown.code == 1
    assert [message for *_, message in told] == [one["message"]["text"] for one in sarif(failed.out)]
    assert shown.err.rstrip().endswith(f"{number} > 0")
    for file, failures in (("passed.xml", 0), ("failed.xml", 1)):
        suite = ET.parse(file).getroot()
        assert len(suite.findall(".//*[@type='gate']")) == failures
        assert len(suite.findall(".//*[@classname='duckrisk.gates']")) == 1
    assert SECRET not in passed.out + failed.out + shown.out + Path("failed.xml").read_text("utf-8")


@pytest.mark.parametrize("name", thinned(NUMBERS))
def test_hostile_names(name: str, hostile: dict[str, list[str]]) -> None:
    words, number = hostile[name], NUMBERS[name]
    failed = judged(words, number, 0, "--format", "sarif", "--junit", "gates.xml")
    assert failed.code == 1, failed.err
    results = sarif(failed.out)
    shown = judged(words, number, 0, "--format", "github")
    told = annotations(shown.out)
    assert [(level, message) for level, _, _, message in told] == [
        (one["level"], one["message"]["text"]) for one in results
    ]
    assert len(ET.parse("gates.xml").getroot().findall(".//failure[@type='gate']")) == 1
    assert SECRET not in failed.out + shown.out
    if name == "assess":
        mail = next(one for one in results if one["ruleId"] == "direct_identifier")
        (column,) = mail["locations"][0]["logicalLocations"]
        assert column["name"].startswith("é ,:%0A::error::")
        assert column["name"].endswith("mail")


@pytest.mark.parametrize("name", ["assess", "advise", "compare"])
def test_undecided(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the person behind a record is a guess, and no limit is exceeded."""
    monkeypatch.setattr(user_choice, "_rate_records_as_persons", lambda *_: "guess")
    select = "SELECT i % 2 AS sex, i % 3 AS region FROM range(600) t(i)"
    table(Path("a.parquet"), select)
    table(Path("b.parquet"), select)
    tables = ["a.parquet", "b.parquet"] if name == "compare" else ["a.parquet"]
    done = command(name, *tables, "-q", "--format", "sarif", "--fail-on", "policy")
    results = sarif(done.out)
    assert done.code == 1, done.err
    assert "undecided" in {one["ruleId"] for one in results}
    assert {one["level"] for one in results if one["ruleId"] == "undecided"} == {"warning"}


def test_an_output_spares_the_sources(plain: dict[str, list[str]]) -> None:
    """JUnit is no way to lose the table that is judged."""
    for name, words in plain.items():
        sources = [Path(word) for word in words if word.endswith((".parquet", "T.csv", "A.csv"))]
        assert sources, name
        for source in sources:
            before = source.read_bytes()
            refused = command(*words, "--junit", source)
            assert (refused.code, refused.err.count("\n")) == (2, 1), (name, refused.err)
            assert source.read_bytes() == before
