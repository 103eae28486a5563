"""Write verdict and gates as JUnit XML, which CI systems show with the results of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

from duckrisk.base.errors import NotReachedError
from duckrisk.base.results import Result
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.assessment.results import Assessment
from duckrisk.release.anonymization.results import Release
from duckrisk.report.sections.gates import explain_failure
from duckrisk.report.sections.notices import list_texts
from duckrisk.report.sections.verdict import Line, name_verdict_policy, write_headline
from duckrisk.report.sections.verdict import list_lines as lines_of
from duckrisk.report.words import Words

#: The type of a failure by the class of its test case.
_KINDS = {"policy": "policy", "gates": "gate"}
#: Characters that XML 1.0 cannot hold, not even as references.
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class _Case:
    """A test case; one that did not pass has a sentence and the full text."""

    class_name: Literal["policy", "gates"]
    name: str
    outcome: Literal["", "failure", "skipped"] = ""
    sentence: str = ""
    text: str = ""


def to_junit(report: Result | NotReachedError, source: str, language: str = "en") -> str:
    """Write verdict and gates as JUnit XML.

    The verdict is one test case, and each gate is one. An undecided verdict is a skipped case.
    Characters that XML cannot hold are dropped.

    Args:
        report: The report, or the error that no release keeps the policy.
        source: The name of the source, for the name of the test suite.
        language: "en" or "ja".
    """
    words = Words(language)
    cases = [*_list_cases(report, words)]
    outcomes = [case.outcome for case in cases]
    counts = {"tests": str(len(cases)), "failures": str(outcomes.count("failure")), "errors": "0"}
    root = ET.Element("testsuites", {"name": "duckrisk", **counts})
    named = {
        "name": _drop_invalid(f"duckrisk: {source}"),
        **counts,
        "skipped": str(outcomes.count("skipped")),
    }
    suite = ET.SubElement(root, "testsuite", named)
    for case in cases:
        attributes = {"classname": f"duckrisk.{case.class_name}", "name": _drop_invalid(case.name)}
        element = ET.SubElement(suite, "testcase", attributes)
        if case.outcome:
            kind = {"type": _KINDS[case.class_name]} if case.outcome == "failure" else {}
            child = ET.SubElement(element, case.outcome, {"message": _drop_invalid(case.sentence), **kind})
            child.text = _drop_invalid(case.text)
    if isinstance(report, Result) and report.notices:
        ET.SubElement(suite, "system-out").text = _drop_invalid(
            "\n".join(map(words.format, list_texts(report)))
        )
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _list_cases(report: Result | NotReachedError, words: Words) -> Iterator[_Case]:
    if isinstance(report, NotReachedError):
        yield _Case("policy", _name_case(Data(report.policy), words), "failure", str(report), str(report))
        return
    if isinstance(report, Assessment):
        yield _make_verdict_case(words, report)
    elif isinstance(report, Release) and report.policy is not None:
        yield _Case("policy", _name_case(name_verdict_policy(report.policy.verdict), words))
    for gate in report.gates:
        if gate.passed:
            yield _Case("gates", gate.expression)
        else:
            sentence = words.format(explain_failure(gate, type(report)))
            yield _Case("gates", gate.expression, "failure", sentence, f"{gate.expression}: {sentence}")


def _name_case(name: Text, words: Words) -> str:
    return words.format(Sentence("verdict.junit", policy=name))


def _make_verdict_case(words: Words, result: Assessment) -> _Case:
    verdict = result.verdict
    name = _name_case(name_verdict_policy(verdict), words)
    if verdict.is_kept:
        return _Case("policy", name)
    sentence = words.format(write_headline(result))
    lines = [_format_limit(words, line) for line in lines_of(result)]
    text = "\n".join([sentence, *lines, *map(words.format, verdict.undecided_because)])
    return _Case("policy", name, "skipped" if verdict.outcome == "undecided" else "failure", sentence, text)


def _format_limit(words: Words, line: Line) -> str:
    """Write a limit in one line: its sign, its figure and the limit itself."""
    with_limit = Sentence(
        "verdict.with", figure=line.figure, remark=Sentence("verdict.limit_is", limit=line.limit)
    )
    fact = Sentence("fact", name=line.name, figure=with_limit if line.limit else line.figure)
    return words.format(Sentence("two", first=line.sign, second=fact) if line.limit else fact)


def _drop_invalid(text: str) -> str:
    return _INVALID.sub("", text)
