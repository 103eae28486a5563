"""Verdict and gates as JUnit."""

from __future__ import annotations

import dataclasses
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from duckrisk.base.results import GateResult
from duckrisk.base.sentences import Sentence
from duckrisk.decision.policy import Evidence, Figure, Options, judge
from duckrisk.report.render.junit import to_junit
from tests.assessments import assessed, build, data_of
from tests.cases import Cases
from tests.hostile import HOSTILE
from tests.report.test_first_screen import known

REPORT = build(["age"], gates=[])


def test_junit_parses() -> None:
    with Cases() as case:
        for name in (*HOSTILE, "\0\ufffe\ud800 \x0b"):
            with case(ascii(name)):
                _parses(name)


def _parses(name: str) -> None:
    failed = GateResult(f"attribute_risk[{name}].mean_risk > 0.2", False, 0.5, name)
    gates = (failed, GateResult("source.users < 10", True, 90, None))
    root = ET.fromstring(to_junit(dataclasses.replace(REPORT, gates=gates), name))
    assert root.attrib == {"name": "duckrisk", "tests": "3", "failures": "2", "errors": "0"}
    cases = root.findall("./testsuite/testcase")
    assert [len(case.findall("failure")) for case in cases] == [1, 1, 0]
    kept = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", name)
    assert cases[0].attrib == {"classname": "duckrisk.policy", "name": 'policy "public"'}
    assert cases[1].attrib["name"] == f"attribute_risk[{kept}].mean_risk > 0.2"


KEPT = {
    "identifying_columns": Figure(0),
    "unique_people": Figure(0.0),
    "smallest_class": Figure(11),
    "unique_histories": Figure(0.0),
    "smallest_history": Figure(11),
    "one_fact": Figure(0.09),
    "three_facts": Figure(0.05),
    "sensitive_disclosed": Figure(0.0),
}


@pytest.mark.parametrize(
    ("figures", "assumed", "outcome", "tag", "told"),
    [
        ({}, (), "undecided", "skipped", "Do not publish until"),
        ({"identifying_columns": Figure(2)}, (), "fail", "failure", "Do not publish"),
        (KEPT, (), "pass", "", ""),
        (KEPT, (Sentence("policy.assume.no_user"),), "pass_if", "", ""),
        (
            KEPT | {"one_fact": Figure(0.5), "smallest_history": Figure(10)},
            (),
            "fail",
            "failure",
            "Do not publish",
        ),
    ],
)
def test_the_verdict_is_a_case(figures: Any, assumed: Any, outcome: str, tag: str, told: str) -> None:
    verdict = judge(Options(), Evidence(figures, assumptions=assumed))
    assert verdict.outcome == outcome
    illness = {"column": "illness", "proposed": False, "disclosed_people": 0, "share": 0.0}
    sensitive = [illness | {"classes": 9, "disclosed_classes": 0}]
    data = data_of(["age"], uniqueness=known(["age"]), sensitive=sensitive, gates=[])
    report = dataclasses.replace(assessed(data), verdict=verdict)
    suite = ET.fromstring(to_junit(report, "t")).find("testsuite")
    assert suite is not None
    case = suite.find("testcase")
    assert case is not None
    assert [child.tag for child in case] == [tag] * bool(tag)
    assert all(told in child.attrib["message"] for child in case)
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == (
        str(int(tag == "failure")),
        str(int(tag == "skipped")),
    )
