"""Verdict and gates as JUnit XML, which CI systems show beside the results of tests."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from duckrisk.assessment.results import Assessment
from duckrisk.report.sections.gates import reason
from duckrisk.report.sections.verdict import Line, headline
from duckrisk.report.sections.verdict import lines as lines_of
from duckrisk.report.words import Words
from duckrisk.results import Result
from duckrisk.sentences import say

#: What XML 1.0 cannot hold in any form.
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Result, source: str, language: str = "en") -> str:
    """One test case for the verdict of an assessment, and one a gate; characters that XML cannot hold
    are left out. A verdict that is undecided was skipped: nothing was found either way."""
    gates, judged = report.gates, report if isinstance(report, Assessment) else None
    words = Words(language)
    outcome = judged.verdict.outcome if judged is not None else None
    failures = sum(not gate.passed for gate in gates) + (outcome == "fail")
    tests = len(gates) + (judged is not None)
    counts = {"tests": str(tests), "failures": str(failures), "errors": "0"}
    root = ET.Element("testsuites", {"name": "duckrisk", **counts})
    skipped = str(int(outcome == "undecided"))
    named = {"name": _valid(f"duckrisk: {source}"), **counts, "skipped": skipped}
    suite = ET.SubElement(root, "testsuite", named)
    if judged is not None:
        _verdict(suite, words, judged)
    for gate in gates:
        about = {"classname": "duckrisk.gates", "name": _valid(gate.expression)}
        case = ET.SubElement(suite, "testcase", about)
        if not gate.passed:
            message = _valid(words.plain(reason(gate, type(report))))
            failure = ET.SubElement(case, "failure", {"message": message, "type": "gate"})
            failure.text = _valid(f"{gate.expression}: {message}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _verdict(suite: ET.Element, words: Words, result: Assessment) -> None:
    verdict = result.verdict
    name = _valid(words.plain(say("verdict.junit", policy=verdict.policy)))
    case = ET.SubElement(suite, "testcase", {"classname": "duckrisk.policy", "name": name})
    if verdict.outcome == "pass":
        return
    message = _valid(words.plain(headline(result)))
    tag, kind = ("skipped", {}) if verdict.outcome == "undecided" else ("failure", {"type": "policy"})
    said = ET.SubElement(case, tag, {"message": message, **kind})
    lines = [_limit(words, line) for line in lines_of(result)]
    said.text = _valid("\n".join([message, *lines, *map(words.plain, verdict.undecided_because)]))


def _limit(words: Words, line: Line) -> str:
    """A limit in a line: its sign, what was found, and the limit itself."""
    beside_limit = say("verdict.with", figure=line.figure, remark=say("verdict.limit_is", limit=line.limit))
    fact = say("fact", name=line.name, figure=beside_limit if line.limit else line.figure)
    return words.plain(say("two", first=line.sign, second=fact) if line.limit else fact)


def _valid(text: str) -> str:
    return _INVALID.sub("", text)
