"""Verdict and gates as JUnit."""

from __future__ import annotations

import dataclasses
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from duckrisk.policy import Evidence, Measured, Options, judge
from duckrisk.report.render.junit import to_junit
from duckrisk.results import GateResult
from tests.assessments import build
from tests.hostile import HOSTILE

REPORT = build(["age"], gates=[])


@pytest.mark.parametrize("name", [*HOSTILE, "\0\ufffe\ud800 \x0b"])
def test_junit_parses(name: str) -> None:
    failed = GateResult(f"attribute_risk[{name}].mean_risk > 0.2", False, 0.5, name)
    gates = (failed, GateResult("source.users < 10", True, 90, None))
    root = ET.fromstring(to_junit(dataclasses.replace(REPORT, gates=gates), name))
    assert root.attrib == {"name": "duckrisk", "tests": "3", "failures": "2", "errors": "0"}
    cases = root.findall("./testsuite/testcase")
    assert [len(case.findall("failure")) for case in cases] == [1, 1, 0]
    kept = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", name)
    assert cases[0].attrib == {"classname": "duckrisk.policy", "name": 'policy "public"'}
    assert cases[1].attrib["name"] == f"attribute_risk[{kept}].mean_risk > 0.2"


@pytest.mark.parametrize(
    ("figures", "tag", "told"),
    [
        ({}, "skipped", "Undecided"),
        ({"identifying_columns": Measured(2)}, "failure", "Does not meet"),
        (
            {
                "identifying_columns": Measured(0),
                "unique_people": Measured(0.0),
                "smallest_class": Measured(11),
            }
            | {"one_fact": Measured(0.09), "three_facts": Measured(0.05)},
            "",
            "",
        ),
    ],
)
def test_the_verdict_is_a_case(figures: Any, tag: str, told: str) -> None:
    report = dataclasses.replace(REPORT, verdict=judge(Options(), Evidence(figures)))
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
