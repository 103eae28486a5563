"""An earlier report as a baseline: what got worse, by hand and by the definition, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.results import Change
from duckrisk.decision.baseline import EarlierReport, apply_gates
from duckrisk.decision.gates import judge, parse
from tests.assessments import build
from tests.command import command, refused
from tests.command import table as make
from tests.test_gates_of_reports import Made

NUMBERS = st.lists(
    st.tuples(st.sampled_from([*"abc", "d]. > 1", "\u202e", None]), st.integers(0, 5)), max_size=6
)


@given(before=NUMBERS, now=NUMBERS, sign=st.sampled_from([">", ">=", "<", "<="]))
def test_a_gate_against_the_baseline(before: Any, now: Any, sign: str) -> None:
    """Against the definition: each number beside that of the entry of the same name, by their order."""

    def data(numbers: Any) -> dict[str, Any]:
        return {"risks": [{"attack": name, "risk": {"risk": value}} for name, value in numbers]}

    def places(numbers: Any) -> dict[Any, float]:
        return {
            (name, [one for one, _ in numbers[:place]].count(name)): value
            for place, (name, value) in enumerate(numbers)
        }

    then, new = places(before), places(now)
    both = [(then[key], value) for key, value in new.items() if key in then]
    holds = {">": int.__gt__, ">=": int.__ge__, "<": int.__lt__, "<=": int.__le__}[sign]
    gate = parse(f"risks.risk.risk {sign} baseline", Made)
    if not both:
        with pytest.raises(duckrisk.UsageError, match="did not"):
            judge(gate, data(now), Made, data(before))
        return
    found = judge(gate, data(now), Made, data(before))
    assert found.passed == (not any(holds(int(value), int(old)) for old, value in both))


def test_what_got_worse_is_said_first() -> None:
    report = build(["age", "city"], gates=[])
    data = json.loads(report.to_json())
    same = apply_gates(report, (), EarlierReport("old.json", data)).baseline
    assert same is not None
    assert (same.worse, {change.worse for change in same.figures}) == (0, {False})
    for finding in data["verdict"]["findings"]:
        if finding["name"] == "one_fact":
            finding["value"] /= 2
    data["attribute_risk"][0]["mean_risk"] /= 2
    gate = parse("attribute_risk.mean_risk > baseline", type(report))
    told = apply_gates(report, (gate,), EarlierReport("old.json", data))
    assert told.baseline is not None
    first, second, *others = told.baseline.figures
    assert (told.baseline.worse, told.gates[0].passed) == (2, False)
    assert (first.figure, first.before) == ("one_fact", first.now / 2)
    top = data["attribute_risk"][0]["attribute"]
    assert (second.figure, second.where) == ("attribute_risk.mean_risk", top)
    assert not any(change.worse for change in others)
    for language, words in (("en", 'Since "old.json" 2 of'), ("ja", "「old.json」以降")):
        for form in (told.to_text, told.to_markdown, told.to_html):
            shown = form(language=language)
            place = shown.replace("&quot;", '"').replace("\\", "").replace("&#34;", '"').find(words)
            assert 0 <= place < shown.find("public") or form == told.to_html
    assert json.loads(told.to_json())["baseline"]["worse"] == 2
    assert "baseline" not in json.loads(report.to_json())


def test_a_smallest_class_is_worse_where_it_is_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("a.parquet"), "SELECT i % 2 AS sex, i // 2 % 2 AS region FROM range(400) t(i)")
    make(Path("b.parquet"), "SELECT i % 2 AS sex, i // 2 % 2 AS region FROM range(200) t(i)")
    assert command("assess", "a.parquet", "-q", "--user", "", "-o", "old.json").code == 0
    asked = ["assess", "b.parquet", "-q", "--user", "", "--baseline", "old.json", "--format", "json"]
    done = command(*asked, "--fail-on", "uniqueness.all_attributes.smallest_class < baseline")
    assert done.code == 1, done.err
    worse = [Change(**one) for one in done.json["baseline"]["figures"] if one["worse"]]
    assert Change("smallest_class", None, 100, 50, True) in worse
    assert Change("uniqueness.all_attributes.smallest_class", None, 100, 50, True) in worse
    assert command(*asked, "--fail-on", "source.records > baseline").code == 0
    python = duckrisk.assess("b.parquet", user="", baseline="old.json")
    assert python.baseline is not None
    assert [change for change in python.baseline.figures if change.figure == "smallest_class"] == worse[
        -2:-1
    ] or worse


def test_what_is_no_baseline_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence each, before or after measuring, and never a traceback."""
    monkeypatch.chdir(tmp_path)
    make(Path("a.parquet"), "SELECT i % 2 AS sex, i // 2 % 2 AS region FROM range(400) t(i)")
    made = command("assess", "a.parquet", "-q", "--user", "", "--format", "json").json
    wrong: dict[str, tuple[Any, str]] = {
        "empty": ("", "not a JSON report of this command"),
        "list": ("[]", "not a JSON report of this command"),
        "other": ('{"kind": "comparison", "version": 1}', "not a JSON report of this command"),
        "nan": (json.dumps(made).replace("400", "NaN"), "not a JSON report of this command"),
        "inside": (json.dumps(made | {"verdict": 3}), "not a JSON report of this command"),
        "value": (json.dumps(made | {"source": []}), "not a JSON report of this command"),
        "version": (json.dumps(made | {"version": 0}), "of another version"),
        "shape": (json.dumps(made).replace("region", "place"), "about other columns"),
    }
    asked = ("assess", "a.parquet", "-q", "--user", "")
    for text, word in wrong.values():
        Path("old.json").write_text(text, encoding="utf-8")
        refused(2, word, arguments=(*asked, "--baseline", "old.json"))
    refused(2, "cannot be read", arguments=(*asked, "--baseline", "nothing.json"))
    refused(2, "needs an earlier report", arguments=(*asked, "--fail-on", "source.records > baseline"))
