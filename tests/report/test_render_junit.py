"""Gates as JUnit."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from duckrisk.report.render.junit import to_junit
from tests.assessments import build
from tests.hostile import HOSTILE


@pytest.mark.parametrize("name", [*HOSTILE, "\0\ufffe\ud800 \x0b"])
def test_junit_parses(name: str) -> None:
    root = ET.fromstring(to_junit(build([name]).gates, name))
    assert root.attrib == {"name": "duckrisk", "tests": "2", "failures": "1", "errors": "0"}
    cases = root.findall("./testsuite/testcase")
    assert [len(case.findall("failure")) for case in cases] == [1, 0]
    kept = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", name)
    assert cases[0].attrib["name"] == f"attribute_risk[{kept}].mean_risk > 0.2"
