"""Findings as SARIF and as the commands of GitHub's workflows: whole, escaped, and without any cell."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.options.policy import LimitName
from duckrisk.base.results import GateResult
from duckrisk.base.sentences import Data, Sentence
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.policy import Evidence, Figure, Options, judge
from duckrisk.report.render.annotations import make_uri, to_github, to_sarif
from tests.assessments import build
from tests.command import command
from tests.command import table as make
from tests.hostile import HOSTILE
from tests.judging import annotations, sarif
from tests.tables import LIGHT, thinned


def report(name: str) -> Assessment:
    """One with a failed gate on a column of that name, and limits that are not kept."""
    made = build([name, "age"], gates=[])
    figures = {"identifying_columns": Figure(2), "unique_people": Figure(0.5, certain=False)}
    gates = (
        GateResult("attribute_risk.mean_risk > 0.2", False, 0.5, name),
        GateResult("policy", True, 0, None),
    )
    verdict = judge(Options(), Evidence(figures))
    return dataclasses.replace(made, gates=gates, verdict=verdict)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", thinned([*HOSTILE, "a%0A::error::b", "x,y:z", "\r\n::warning::"], 4))
def test_hostile_names(name: str, language: str) -> None:
    made, file = report(name), f"{name}.csv"
    results = sarif(to_sarif(made, [file], language))
    told = annotations(to_github(made, [file], language))
    assert [one["level"] for one in results] == [level for level, *_ in told]
    assert [one["message"]["text"] for one in results] == [message for *_, message in told]
    rules = [one["ruleId"] for one in results]
    assert rules[:2] == ["policy/identifying_columns", "policy/unique_people"]
    assert [one["level"] for one in results[:2]] == ["error", "warning"]
    assert rules.count("gate") == 1
    assert ("limit" in results[0]["message"]["text"]) == (language == "en")


@LIGHT
@given(st.text(min_size=1))
def test_any_file_is_a_reference(name: str) -> None:
    """One that is not there goes by its last part, which can be read back."""
    written = make_uri(f"not there/{name}")
    assert re.fullmatch(r"(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+", written)
    parts = name.rstrip("/").split("/")
    assert unquote(urlsplit(written).path) == (parts[-1] or "not there")


@LIGHT
@given(file=st.text(min_size=1).filter(lambda name: name.strip("/")), name=st.text(min_size=1))
def test_one_line_a_finding(file: str, name: str) -> None:
    made = report("age")
    gate = dataclasses.replace(made.gates[0], where=name)
    made = dataclasses.replace(made, gates=(gate,))
    assert len(annotations(to_github(made, [file]))) == len(sarif(to_sarif(made, [file])))


def test_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An e-mail column, and a gate, on the command line; nothing of a cell is told."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    make(
        Path("data/a b.parquet"),
        "SELECT 'p' || i || '@secret.example' AS mail, i % 2 AS sex FROM range(60) t(i)",
    )
    asked = ["assess", "data/a b.parquet", "-q", "--user", "", "--fail-on", "source.records > 50"]
    done = command(*asked, "--format", "sarif")
    results = {one["ruleId"]: one for one in sarif(done.out)}
    assert done.code == 1
    identifier = results["direct_identifier"]
    assert identifier["locations"][0]["logicalLocations"] == [{"name": "mail"}]
    place = identifier["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (place["uri"], identifier["level"]) == ("data/a%20b.parquet", "error")
    assert identifier["message"]["text"] == "The column mail identifies people directly."
    assert results["gate"]["message"]["text"].startswith("source.records > 50")
    shown = command(*asked, "--format", "github")
    assert "::error file=data/a b.parquet,title=Direct identifier::The column mail identifies" in shown.out
    assert "secret" not in done.out + shown.out
    assert shown.err.rstrip().endswith("The gate FAILED. source.records > 50")
    command(*asked, "-o", "found.sarif")
    assert sarif(Path("found.sarif").read_text(encoding="utf-8"))


def test_each_release_is_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, records in (("o", 60), ("r", 40), ("s", 30)):
        make(Path(f"{name}.parquet"), f"SELECT i % 31 AS age, i % 9 AS city FROM range({records}) t(i)")
    done = command(
        "compare", "o.parquet", "r.parquet", "./s.parquet", "-q", "--only", "risk", "--format", "github"
    )
    assert done.code == 0, done.err
    assert {file for _, file, _, _ in annotations(done.out)} == {"r.parquet", "./s.parquet"}


#: What keeps every limit of the policy "public".
KEPT: dict[LimitName, float] = {
    "identifying_columns": 0,
    "unique_people": 0,
    "smallest_class": 11,
    "unique_histories": 0,
    "smallest_history": 11,
    "one_fact": 0,
    "three_facts": 0,
    "sensitive_disclosed": 0,
}


def judged_on(**evidence: Any) -> Assessment:
    """An assessment of sure columns that keeps all limits."""
    verdict = judge(Options(), Evidence({name: Figure(value) for name, value in KEPT.items()}, **evidence))
    made = build(["age"], gates=[])
    columns = tuple(
        dataclasses.replace(one, confidence="sure", role="attribute") for one in made.source.columns
    )
    source = dataclasses.replace(made.source, columns=columns)
    return dataclasses.replace(made, verdict=verdict, source=source, direct_identifiers=None, uniqueness=None)


def test_assumptions_that_no_gate_accepts_are_a_warning() -> None:
    """It names the assumptions and how to declare roles; with declared roles there is nothing to say."""
    assumed = (Sentence("policy.assume.no_user"), Sentence("policy.assume.user_code", user=Data("pid")))
    made = judged_on(assumptions=assumed)
    assert (made.verdict.outcome, made.verdict.accepted) == ("pass_if", False)
    (found,) = sarif(to_sarif(made, ["a.csv"]))
    assert (found["ruleId"], found["level"]) == ("assumption", "warning")
    text = found["message"]["text"]
    assert 'only if each record is one person and outsiders cannot look up a "pid"' in text
    for option in ("--user", "--quasi-identifier", "--sensitive", "--insensitive", "[columns]"):
        assert option in text
    (line,) = annotations(to_github(made, ["a.csv"]))
    assert (line[0], line[-1]) == ("warning", text)
    declared = judged_on(assumptions=assumed, declared=True)
    assert (declared.verdict.outcome, declared.verdict.accepted) == ("pass_if", True)
    assert sarif(to_sarif(declared, ["a.csv"])) == []
    assert to_github(declared, ["a.csv"]).startswith("::notice::No limit is exceeded")


def test_where_nothing_is_found() -> None:
    made = judged_on()
    assert sarif(to_sarif(made, ["a.csv"])) == []
    assert to_github(made, ["a.csv"]).startswith("::notice::No limit is exceeded")
