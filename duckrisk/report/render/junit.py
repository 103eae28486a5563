"""Gates as JUnit XML, which CI systems show beside the results of tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from duckrisk.gates import GateResult
from duckrisk.report.sections.assess import gate_value
from duckrisk.report.words import Words
from duckrisk.sentences import Data, say

#: What XML 1.0 cannot hold in any form.
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(gates: Sequence[GateResult], source: str, language: str = "en") -> str:
    """One test case a gate; characters that XML cannot hold are left out."""
    words = Words(language)
    failures = str(sum(not gate.passed for gate in gates))
    counts = {"tests": str(len(gates)), "failures": failures, "errors": "0"}
    root = ET.Element("testsuites", {"name": "duckrisk", **counts})
    named = {"name": _valid(f"duckrisk: {source}"), **counts, "skipped": "0"}
    suite = ET.SubElement(root, "testsuite", named)
    for gate in gates:
        about = {"classname": "duckrisk.gates", "name": _valid(gate.expression)}
        case = ET.SubElement(suite, "testcase", about)
        if not gate.passed:
            where = Data(gate.where) if gate.where is not None else say("assess.everywhere")
            found = gate_value(gate.expression, gate.value)
            message = _valid(words.plain(say("assess.gate_found", found=found, where=where)))
            failure = ET.SubElement(case, "failure", {"message": message, "type": "gate"})
            failure.text = _valid(f"{gate.expression}: {message}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _valid(text: str) -> str:
    return _INVALID.sub("", text)
