"""Verdict and gates as JUnit XML, which CI systems show beside the results of tests."""

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
from duckrisk.report.sections.gates import reason
from duckrisk.report.sections.notices import texts
from duckrisk.report.sections.verdict import Line, headline, name_of_policy
from duckrisk.report.sections.verdict import lines as lines_of
from duckrisk.report.words import Words

#: The type of a failure, by what its case is about.
_KINDS = {"policy": "policy", "gates": "gate"}
#: What XML 1.0 cannot hold in any form.
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class _Case:
    """A test case: what it is about, its name, and where it was not passed how, in a sentence and in more."""

    about: Literal["policy", "gates"]
    name: str
    outcome: Literal["", "failure", "skipped"] = ""
    sentence: str = ""
    text: str = ""


def to_junit(report: Result | NotReachedError, source: str, language: str = "en") -> str:
    """One test case for a verdict, also on a release that keeps a policy or where none does, and one a gate;
    characters that XML cannot hold are left out. A verdict that is undecided was skipped: nothing was found
    either way."""
    words = Words(language)
    cases = [*_cases(report, words)]
    outcomes = [case.outcome for case in cases]
    counts = {"tests": str(len(cases)), "failures": str(outcomes.count("failure")), "errors": "0"}
    root = ET.Element("testsuites", {"name": "duckrisk", **counts})
    named = {"name": _valid(f"duckrisk: {source}"), **counts, "skipped": str(outcomes.count("skipped"))}
    suite = ET.SubElement(root, "testsuite", named)
    for case in cases:
        about = {"classname": f"duckrisk.{case.about}", "name": _valid(case.name)}
        element = ET.SubElement(suite, "testcase", about)
        if case.outcome:
            kind = {"type": _KINDS[case.about]} if case.outcome == "failure" else {}
            said = ET.SubElement(element, case.outcome, {"message": _valid(case.sentence), **kind})
            said.text = _valid(case.text)
    if isinstance(report, Result) and report.notices:
        ET.SubElement(suite, "system-out").text = _valid("\n".join(map(words.plain, texts(report))))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _cases(report: Result | NotReachedError, words: Words) -> Iterator[_Case]:
    if isinstance(report, NotReachedError):
        yield _Case("policy", _policy(Data(report.policy), words), "failure", str(report), str(report))
        return
    if isinstance(report, Assessment):
        yield _verdict(words, report)
    elif isinstance(report, Release) and report.policy is not None:
        yield _Case("policy", _policy(name_of_policy(report.policy.verdict), words))
    for gate in report.gates:
        if gate.passed:
            yield _Case("gates", gate.expression)
        else:
            sentence = words.plain(reason(gate, type(report)))
            yield _Case("gates", gate.expression, "failure", sentence, f"{gate.expression}: {sentence}")


def _policy(name: Text, words: Words) -> str:
    return words.plain(Sentence("verdict.junit", policy=name))


def _verdict(words: Words, result: Assessment) -> _Case:
    verdict = result.verdict
    name = _policy(name_of_policy(verdict), words)
    if verdict.kept:
        return _Case("policy", name)
    sentence = words.plain(headline(result))
    lines = [_limit(words, line) for line in lines_of(result)]
    text = "\n".join([sentence, *lines, *map(words.plain, verdict.undecided_because)])
    return _Case("policy", name, "skipped" if verdict.outcome == "undecided" else "failure", sentence, text)


def _limit(words: Words, line: Line) -> str:
    """A limit in a line: its sign, what was found, and the limit itself."""
    beside_limit = Sentence(
        "verdict.with", figure=line.figure, remark=Sentence("verdict.limit_is", limit=line.limit)
    )
    fact = Sentence("fact", name=line.name, figure=beside_limit if line.limit else line.figure)
    return words.plain(Sentence("two", first=line.sign, second=fact) if line.limit else fact)


def _valid(text: str) -> str:
    return _INVALID.sub("", text)
