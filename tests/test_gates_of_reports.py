"""Gates on the reports that are no assessments: read, judged, told in the last line, and written as JUnit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.base.results import Count, Result, Share, aside, inlined, left_out
from duckrisk.contests import membership
from duckrisk.decision.gates import judge, parse
from duckrisk.release.comparison.results import Comparison
from duckrisk.report.registry import report_kinds
from tests.command import command, refused, table
from tests.report.test_registry import SHAPES


@dataclass(frozen=True)
class Found:
    """What a risk came to."""

    risk: Share


@dataclass(frozen=True)
class Risk:
    """A risk."""

    attack: str
    risk: Found | None
    void: bool = False


@dataclass(frozen=True, repr=False)
class Made(Result):
    """A report with shapes of every sort."""

    share: Share
    counted: int | float | None
    risks: tuple[Risk, ...]
    cells: Mapping[str, Count]
    own: Found | None = inlined()
    later: Found | None = left_out()
    hidden: int = aside(1)


DATA: dict[str, Any] = {
    "share": 0.25,
    "counted": 7,
    "risks": [
        {"attack": "linkability", "risk": {"risk": 0.5}, "void": True},
        {"attack": "inference", "risk": None},
        {"attack": "a.b[c", "risk": {"risk": 0.75}},
        {"attack": "d].risk", "risk": {"risk": 0.125}},
    ],
    "cells": {"age": 3, "a] b": 4, "name": 5},
    "risk": 0.375,
}


@pytest.mark.parametrize(
    ("text", "passed", "value", "where"),
    [
        ("share > 0.2", False, 0.25, None),
        ("share>0.25", True, 0.25, None),
        ("share >= 0.25", False, 0.25, None),
        ("counted > 6", False, 7, None),
        ("risk > 0.3", False, 0.375, None),
        ("risks.risk.risk > 0.6", False, 0.75, "a.b[c"),
        ("risks.risk.risk < 0.6", False, 0.125, "d].risk"),
        ("risks[linkability].risk.risk > 0.6", True, 0.5, "linkability"),
        ("risks[a.b[c].risk.risk <= 1", False, 0.75, "a.b[c"),
        ("risks[d].risk].risk.risk > 0", False, 0.125, "d].risk"),
        ("cells > 4", False, 5, "name"),
        ("cells[a] b] > 4", True, 4, "a] b"),
    ],
)
def test_judged(text: str, passed: bool, value: float, where: str | None) -> None:
    found = judge(parse(text, Made), DATA, Made)
    assert (found.passed, found.value, found.where) == (passed, value, where)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *((text, "is not a gate") for text in ("", "share", "share = 1", "> 1", "share. > 1", "share >> 1")),
        ("share > x", "not a number"),
        ("share > 2", "between 0 and 1"),
        ("risk > 2", "between 0 and 1"),
        ("a b > 1", 'no "a"'),
        ("risks.rist.risk > 1", '"risk"'),
        ("risks.void > 0", "not a number"),
        ("risks > 0", "not a number"),
        ("hidden > 0", 'no "hidden"'),
        ("share[a] > 0", "no brackets"),
        ("policy", "judges no policy"),
    ],
)
def test_refused_when_read(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        parse(text, Made)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("risks[inferenc].risk.risk > 1", '"inference"'),
        ("later.risk > 0.5", "did not"),
        ("cells[x] > 0", "called"),
    ],
)
def test_refused_when_judged(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        judge(parse(text, Made), DATA, Made)


@given(name=st.text(min_size=1), value=st.integers(0, 10**6))
def test_any_name_stands_in_brackets(name: str, value: int) -> None:
    """Unless brackets in it make it a path that ends before it does."""
    assume(not re.search(r"\]\s*[<>]|\]$", name))
    gate = parse(f"cells[{name}] > 0", Made)
    found = judge(gate, {"cells": {name: value, name + "x": 7}}, Made)
    assert (found.value, found.where, found.passed) == (value, name, value == 0)


@pytest.mark.parametrize("kind", report_kinds(), ids=lambda kind: str(kind.report))
def test_a_gate_can_look_at_every_number_and_nothing_else(kind: type[Result]) -> None:
    """The keys are those that are written down of the JSON form."""
    for line in (SHAPES / f"{kind.report}.txt").read_text(encoding="utf-8").splitlines()[1:]:
        path, _, types = line.partition(": ")
        name = re.sub(r"\[\]|\.\*", "", path).removeprefix(".")
        if {"integer", "number"} & set(types.removesuffix(" (can be left out)").split()):
            assert parse(f"{name} > 0.5", kind).limit == 0.5
        elif (
            "[]" not in path.rpartition(".")[2]
            and ".*" not in path
            and "array" not in types
            and "object" not in types
        ):
            with pytest.raises(UsageError):
                parse(f"{name} > 0.5", kind)


def test_the_policy_is_kept_where_nothing_is_open() -> None:
    """A release that is undecided does not pass, whatever the original is; one under assumptions does where
    every column has a declared role."""

    def table(
        name: str, original: bool, met: list[bool | None], open: int, assumed: int = 0, accepted: bool = False
    ) -> dict[str, Any]:
        verdict = {
            "findings": [{"met": one} for one in met],
            "undecided_because": ["why"] * open,
            "assumptions": ["if"] * assumed,
            "accepted": accepted,
        }
        return {"name": name, "original": original, "risk": {"people": {"verdict": verdict}}}

    first = table("o", True, [False, False], 1)
    gate = parse("policy", Comparison)
    for releases, value, where in (
        ([table("a", False, [True, True], 0)], 0, "a"),
        ([table("a", False, [True, True], 0, 2)], 2, "a"),
        ([table("a", False, [True, True], 0, 2, True)], 0, "a"),
        ([table("a", False, [True, True], 0), table("b", False, [True, None], 1)], 1, "b"),
        ([table("a", False, [False, None], 1), table("b", False, [True, None], 1)], 2, "a"),
    ):
        found = judge(gate, {"tables": [first, *releases]}, Comparison)
        assert (found.value, found.where, found.passed) == (value, where, value == 0)
    with pytest.raises(UsageError, match="did not"):
        judge(gate, {"tables": [first, {"name": "a", "original": False, "risk": None}]}, Comparison)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "p.parquet", "SELECT 20 + i % 7 AS age, 'c' || i % 5 AS city FROM range(80) t(i)")
    table(tmp_path / "m.parquet", "SELECT 20 + i % 5 AS age, 'c' || i % 3 AS city FROM range(60) t(i)")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("compare", "p.parquet", "m.parquet", "--only", "risk"), "tables.records"),
        (("membership", "risks", "p.parquet", "m.parquet", "--attacks-per-risk", "5"), "original.records"),
    ],
    ids=["compare", "risks"],
)
def test_the_last_line_is_the_outcome(folder: Path, words: tuple[str, ...], number: str) -> None:
    """A gate that fails is named in the last line, in JUnit, and by the code 1."""
    passed = command(*words, "-q", "--fail-on", f"{number} > 100")
    assert passed.code == 0, passed.err
    assert passed.out.rstrip().splitlines()[-1].startswith("The gate passed")
    failed = command(*words, "-q", "--fail-on", f"{number} > 70", "--junit", "gates.xml")
    assert failed.code == 1, failed.err
    assert failed.out.rstrip().splitlines()[-1] == f"The gate FAILED. {number} > 70"
    assert ET.parse("gates.xml").getroot().get("failures") == "1"
    told = command(*words, "-q", "--fail-on", f"{number} > 70", "--format", "json")
    assert (told.code, told.json["gates"][0]["passed"]) == (1, False)


def test_what_is_no_gate_is_refused_before_anything_is_measured(folder: Path) -> None:
    refused(2, "is not a gate", arguments=("compare", "p.parquet", "m.parquet", "-q", "--fail-on", "records"))


def test_another_program_that_reads_the_report_is_told_beside_it(folder: Path) -> None:
    asked = ("compare", "p.parquet", "m.parquet", "-q", "--only", "risk", "--format", "json", "--fail-on")
    found = command(*asked, "tables.records > 1")
    assert found.code == 1
    assert found.out.rstrip().endswith("}")
    assert "FAILED" in found.err


def test_python_judges_as_the_command_does(folder: Path) -> None:
    gates = ["original.records > 70", "risks.requested < 1"]
    asked = [word for gate in gates for word in ("--fail-on", gate)]
    told = command(
        "membership", "risks", "p.parquet", "m.parquet", "--attacks-per-risk", "5", *asked, "--format", "json"
    )
    found = membership.risks("p.parquet", "m.parquet", attacks=5, fail_on=gates)
    assert (found.to_dict()["gates"], found.passed) == (told.json["gates"], False)
    with pytest.raises(UsageError, match="judges no policy"):
        membership.risks("p.parquet", "m.parquet", fail_on=["policy"])


# --- in the settings file ------------------------------------------------------------------------


@pytest.mark.slow
def test_every_command_judges_the_gates_of_the_settings_file_that_are_about_its_report(folder: Path) -> None:
    """And says which it does not judge, so that nobody takes them for passed."""
    gates = ["source.records > 1", "tables.records > 70", "original.records > 100", "policy"]
    (folder / "duckrisk.toml").write_text(f"fail_on = {gates}\n")
    asked = {
        ("assess", "p.parquet", "--user", ""): {gates[0], gates[3]},
        ("compare", "p.parquet", "m.parquet", "--only", "information"): {gates[1]},
        ("compare", "p.parquet", "m.parquet", "--only", "risk"): {gates[1], gates[3]},
        ("advise", "p.parquet", "--user", ""): {gates[3]},
        ("anonymize", "p.parquet", "-o", "out.csv", "--drop", "city"): set(),
        ("membership", "risks", "p.parquet", "m.parquet", "--attacks-per-risk", "5"): {gates[2]},
    }
    for words, own in asked.items():
        done = command(*words, "--format", "json")
        judged = {gate["expression"]: gate["passed"] for gate in done.json["gates"]}
        assert set(judged) == own, words
        assert done.code == int(not all(judged.values())), words
        told = next(line for line in done.err.splitlines() if "Not judged here" in line)
        assert "duckrisk.toml" in told
        assert {gate for gate in gates if gate in told} == set(gates) - own, words


def test_gates_of_the_settings_file_stand_before_those_of_the_command(folder: Path) -> None:
    (folder / "duckrisk.toml").write_text('fail_on = ["tables.records > 70"]\n')
    asked = ("compare", "p.parquet", "m.parquet", "--only", "risk", "-q", "--format", "json")
    done = command(*asked, "--fail-on", "tables.records > 1000")
    assert [(gate["expression"], gate["passed"]) for gate in done.json["gates"]] == [
        ("tables.records > 70", False),
        ("tables.records > 1000", True),
    ]


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("records", ("is not a gate",)),
        ("tables.record > 1", ('no "record" there', '"records"')),
        ("attribute_risk.mean_rsk > 0.1", ('"mean_risk"',)),
        ("tabels.records > 1", ('no "tabels" there',)),
    ],
)
def test_a_gate_of_the_settings_file_that_no_report_has_is_refused(
    folder: Path, gate: str, words: tuple[str, ...]
) -> None:
    """Whatever is run: what is written wrongly would never be judged."""
    (folder / "duckrisk.toml").write_text(f"fail_on = ['{gate}']\n")
    for arguments in (
        ("assess", "p.parquet"),
        ("compare", "p.parquet", "m.parquet"),
        ("advise", "p.parquet"),
    ):
        refused(2, *words, arguments=arguments)
