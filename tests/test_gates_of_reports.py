"""Gates on the reports that are no assessments: read, judged, told in the last line, and written as JUnit."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from duckrisk.errors import UsageError
from duckrisk.gates import judge, parse
from tests.command import command, refused, table

DATA: dict[str, Any] = {
    "share": 0.25,
    "risks": [
        {"attack": "linkability", "risk": {"risk": 0.5}, "void": True},
        {"attack": "inference", "risk": None},
        {"attack": "a.b[c", "risk": {"risk": 0.75}},
    ],
}


@pytest.mark.parametrize(
    ("text", "passed", "value", "where"),
    [
        ("share > 0.2", False, 0.25, None),
        ("share>0.25", True, 0.25, None),
        ("share >= 0.25", False, 0.25, None),
        ("risks.risk.risk > 0.6", False, 0.75, "a.b[c"),
        ("risks.risk.risk < 0.6", False, 0.5, "linkability"),
        ("risks[linkability].risk.risk > 0.6", True, 0.5, "linkability"),
        ("risks[a.b[c].risk.risk <= 1", False, 0.75, "a.b[c"),
    ],
)
def test_judged(text: str, passed: bool, value: float, where: str | None) -> None:
    found = judge(parse(text), DATA)
    assert (found.passed, found.value, found.where) == (passed, value, where)


@pytest.mark.parametrize(
    "text", ["", "share", "share = 1", "> 1", "share. > 1", "share >> 1", "share > x", "a b > 1"]
)
def test_refused_when_read(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("risks.rist.risk > 1", '"risk"'),
        ("risks[inferenc].risk.risk > 1", '"inference"'),
        ("risks.void > 0", "did not"),
        ("policy", "did not"),
    ],
)
def test_refused_when_judged(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        judge(parse(text), DATA)


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


def test_what_is_no_gate_is_refused_before_anything_is_measured(folder: Path) -> None:
    refused(2, "is not a gate", arguments=("compare", "p.parquet", "m.parquet", "-q", "--fail-on", "records"))


def test_another_program_that_reads_the_report_is_told_beside_it(folder: Path) -> None:
    asked = ("compare", "p.parquet", "m.parquet", "-q", "--only", "risk", "--format", "json", "--fail-on")
    found = command(*asked, "tables.records > 1")
    assert found.code == 1
    assert found.out.rstrip().endswith("}")
    assert "FAILED" in found.err
