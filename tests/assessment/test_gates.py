"""Gates: what can be written, and how a report is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.results import GateResult
from duckrisk.decision import assessment
from duckrisk.decision.assessment.gates import check_gate, parse_gate
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.gates import judge
from duckrisk.measures import disclosure
from duckrisk.report.sections.gates import format_figure
from tests.command import command, table

DATA: dict[str, Any] = {
    "attribute_risk": [
        {"attribute": "a", "mean_risk": 0.5, "records": 10, "sampled": {"estimate": 0.4, "lower": None}},
        {"attribute": "b].c[d", "mean_risk": 0.25, "records": 20, "sampled": None},
        {"attribute": "two\nlines", "mean_risk": None, "records": 0, "sampled": None},
    ],
    "known_records": [
        {"attribute": "a", "known_records": 1, "risk": 0.5},
        {"attribute": "a", "known_records": 2, "risk": 0.75},
    ],
    "source": {"records": 30, "users": 3},
    "identifiability": {"singled_out": 12, "unknown": 0, "total_value": 6000.0},
}


@pytest.mark.parametrize(
    ("text", "passed", "value", "where"),
    [
        ("attribute_risk.mean_risk > 0.2", False, 0.5, "a"),
        ("attribute_risk.mean_risk > 0.5", True, 0.5, "a"),
        ("attribute_risk.mean_risk >= 0.5", False, 0.5, "a"),
        ("attribute_risk.mean_risk < 0.3", False, 0.25, "b].c[d"),
        ("attribute_risk.mean_risk <= 0.25", False, 0.25, "b].c[d"),
        ("attribute_risk.mean_risk < 0.25", True, 0.25, "b].c[d"),
        ("attribute_risk[b].c[d].mean_risk > 0.2", False, 0.25, "b].c[d"),
        ("attribute_risk[b].c[d].mean_risk>2e-1", False, 0.25, "b].c[d"),
        ("attribute_risk[two\nlines].records > 3", True, 0, "two\nlines"),
        (" attribute_risk.sampled.estimate  >  0.3 ", False, 0.4, "a"),
        ("known_records.risk > 0.6", False, 0.75, "a"),
        ("known_records[a].risk > 0.8", True, 0.75, "a"),
        ("source.users < 5", False, 3, None),
        ("source.users > -1", False, 3, None),
        ("identifiability.singled_out > 10", False, 12, None),
        ("identifiability.unknown > 0", True, 0, None),
        ("identifiability.total_value > 1e4", True, 6000.0, None),
    ],
)
def test_judged(text: str, passed: bool, value: float, where: str | None) -> None:
    assert judge(parse_gate(text), DATA, Assessment) == GateResult(text.strip(), passed, value, where)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a gate"),
        ("mean_risk > 1", 'no "mean_risk" there'),
        ("attribute_risk > 1", "is not a number"),
        ("source.name > 1", "is not a number"),
        ("attribute_risk.mean_risk = 1", "not a gate"),
        ("attribute_risk.mean_risk > 1 2", "not a gate"),
        ("attribute_risk[].mean_risk > 1", "not a gate"),
        ("attribute_risk.mean_risk >", "not a gate"),
        ("attribute_risk.mean_risk >> 1", "not a gate"),
        ("attribute_risk.mean_risk > 20%", "not a number"),
        ("attribute_risk.mean_risk > inf", "not a number"),
        ("attribute_risk.mean_risk > nan", "not a number"),
        ("attribute_risk.mean > 1", '"mean_risk"'),
        ("attribute.mean_risk > 1", '"attribute_risk"'),
        ("source[a].users > 1", "no brackets"),
        ("identifiability[a].singled_out > 1", "no brackets"),
        ("attribute_risk[a].x].mean > 1", 'no "mean" there'),
        ("identifiability.total > 1", '"total_ease"'),
        ("source.mean_risk > 1", 'no "mean_risk" there'),
        ("source.users.mean > 1", 'no "mean" there'),
    ],
)
def test_refused_when_read(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_gate(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("attribute_risk[aa].mean_risk > 1", '"a"'),
        ("attribute_risk[two\nlines].mean_risk > 1", "did not measure"),
        ("attribute_risk.sampled.lower > 1", "did not measure"),
    ],
)
def test_refused_when_judged(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        judge(parse_gate(text), DATA, Assessment)


@pytest.mark.parametrize(
    ("text", "only", "method", "words"),
    [
        ("identifiability.singled_out > 1", ["attribute_risk"], "exact", "identifiability is not measured"),
        ("attribute_risk.mean_risk > 0.1", ["identifiability"], "exact", "attribute_risk is not measured"),
        ("known_records.risk > 0.1", ["identifiability"], "exact", "attribute_risk is not measured"),
        ("attribute_risk.mean_risk > 0.1", ["attribute_risk"], "sample", "only values are sampled"),
    ],
)
def test_refused_before_measuring(text: str, only: list[str], method: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_gate(parse_gate(text), method, only, {"known_records"})


def test_what_is_measured_is_not_refused() -> None:
    check_gate(parse_gate("identifiability.singled_out > 1"), "sample", ["identifiability"], set())
    check_gate(parse_gate("source.users > 1"), "sample", ["identifiability"], set())
    check_gate(parse_gate("attribute_risk.sampled.lower > 0.1"), "sample", ["attribute_risk"], set())


def test_a_section_that_was_not_measured_cannot_be_judged() -> None:
    with pytest.raises(UsageError, match="did not measure"):
        judge(parse_gate("identifiability.singled_out > 1"), DATA | {"identifiability": None}, Assessment)


def test_a_share_is_told_from_a_count() -> None:
    """Above 1 a share can have no limit, and it is written otherwise."""
    for told in ("attribute_risk.mean_risk", "attribute_risk.sampled.upper", "known_records.risk_lower"):
        with pytest.raises(UsageError, match="between 0 and 1"):
            parse_gate(f"{told} > 1.5")
    for told in ("attribute_risk.records_below_k", "identifiability.total_value", "class_sizes.alone"):
        assert parse_gate(f"{told} > 1.5").limit == 1.5
    written = {
        "attribute_risk[a.b > 1].records_below_k > 1": 12345,
        "attribute_risk[records < 2].mean_risk > 0.1": 0.25,
    }
    shown = [
        format_figure(GateResult(text, False, value, None), Assessment) for text, value in written.items()
    ]
    assert shown == ["12,345", "0.250"]


def test_gates_on_disclosure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make = "SELECT i % 4 AS city, i % 2 AS ill, i % 3 AS age FROM range(24) AS t(i) WHERE i <> 5"
    table(Path("people.parquet"), make)
    told = ["--only", "class_sizes", "--only", "attribute_disclosure", "--user", "", "--sensitive", "ill"]
    gates = {
        "class_sizes.smallest_class < 2": False,  # 12 classes of 2, one of them short of a record
        "class_sizes.classes > 12": True,
        "class_sizes.alone > 0": False,
        "attribute_disclosure[ill].distinct_l < 2": False,  # the city tells it
        "attribute_disclosure.k < 1": True,
    }
    asked = [part for gate in gates for part in ("--fail-on", gate)]
    done = command("assess", "people.parquet", *told, *asked, "--format", "json")
    assert done.code == 1, done.err
    assert {gate["expression"]: gate["passed"] for gate in done.json["gates"]} == gates
    chosen = ["--only", "attribute_risk", "--fail-on", "class_sizes.smallest_class < 2"]
    refused = command("assess", "people.parquet", *chosen)
    assert (refused.code, "is not measured" in refused.err) == (2, True)


def test_gates_on_few_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six cities and six ages, four people each, no two of them alike in both."""
    monkeypatch.chdir(tmp_path)
    table(Path("people.parquet"), "SELECT i % 6 AS city, (i // 6 + i) % 6 AS age FROM range(24) AS t (i)")
    told = ["--only", "uniqueness", "--user", ""]
    gates = {
        "facts[1].typical > 0": True,
        "facts[2].worst.share >= 1": False,
        "facts.typical_upper > 0.9": False,
        "uniqueness.all_attributes.smallest_class < 2": False,
        "uniqueness.all_attributes.people > 24": True,
    }
    asked = [part for gate in gates for part in ("--fail-on", gate)]
    done = command("assess", "people.parquet", *told, *asked, "--format", "json")
    assert done.code == 1, done.err
    assert {gate["expression"]: gate["passed"] for gate in done.json["gates"]} == gates
    assert [gate["where"] for gate in done.json["gates"]] == ["1", "2", "2", None, None]
    refused = command("assess", "people.parquet", *told, "--fail-on", "facts[5].typical > 0")
    assert (refused.code, "1 to 4" in refused.err) == (2, True)


@pytest.mark.slow
def test_what_settings_are_given_for_is_measured() -> None:
    import pandas

    frame = pandas.DataFrame({"city": [*"aabb"] * 3, "ill": [*"xyxx"] * 3, "age": range(12)})

    def measured(**given: Any) -> set[str]:
        data = duckrisk.assess(frame, user="", known_records=0, samples=0, max_sets=1, **given).data
        found = {part for part in disclosure.PARTS if data[part] is not None}
        assert data["settings"]["only"] == [
            p for p in assessment.PARTS if p in {*assessment.DEFAULT_PARTS, *found}
        ]
        return found

    usual = {"direct_identifiers"}
    assert measured() == measured(missing="value", seed=1) == usual
    assert measured(quasi_identifiers=["city"]) == measured(fraction=0.5) == {"class_sizes", *usual}
    assert measured(sensitive=["ill"], share=0.1) == {
        *("attribute_disclosure", "minimal_keys"),
        *usual,
    }
    assert measured(fail_on=["class_sizes.smallest_class < 2", "source.users < 1"]) == {
        "class_sizes",
        *usual,
    }
    only = duckrisk.assess(frame, user="", only=["attribute_risk"], quasi_identifiers=["city"]).data
    assert only["class_sizes"] is None
