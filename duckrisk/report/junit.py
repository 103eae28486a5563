"""The gates as JUnit XML, which CI systems show beside the results of tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from duckrisk.report import tables
from duckrisk.report.text import Data, say

if TYPE_CHECKING:
    from duckrisk.report import Report

#: What XML 1.0 cannot hold in any form.
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report) -> str:
    """One test case a gate; characters that XML cannot hold are left out."""
    data = report.data
    gates = data["gates"]
    failures = str(sum(not gate["passed"] for gate in gates))
    counts = {"tests": str(len(gates)), "failures": failures, "errors": "0"}
    root = ET.Element("testsuites", {"name": "duckrisk", **counts})
    suite = ET.SubElement(
        root,
        "testsuite",
        {
            "name": _valid(f"duckrisk: {data['source']['name']}"),
            **counts,
            "skipped": "0",
        },
    )
    for gate in gates:
        case = ET.SubElement(
            suite, "testcase", {"classname": "duckrisk.gates", "name": _valid(gate["expression"])}
        )
        if not gate["passed"]:
            found = tables.gate_value(gate)
            where = Data(gate["where"]) if gate["where"] is not None else say("everywhere")
            message = _valid(str(say("junit", found=found, where=where)))
            failure = ET.SubElement(case, "failure", {"message": message, "type": "gate"})
            failure.text = _valid(f"{gate['expression']}: {message}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _valid(text: str) -> str:
    return _INVALID.sub("", text)
