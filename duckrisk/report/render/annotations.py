"""What is found as annotations: SARIF 2.1.0, and the commands of GitHub's workflows.

Findings are limits and gates that do not hold, columns that identify directly, what could not be decided, and
the assumptions of a verdict that no gate accepts.
They name columns and tell counts and shares, never the value of a cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal
from urllib.parse import quote

import duckrisk
from duckrisk.base.errors import NotReachedError
from duckrisk.base.results import Result
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.contests.pwscup.results import Check
from duckrisk.decision import policy
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.assessment.verdict import find_identifying_columns, list_unmeasured_columns
from duckrisk.decision.notices import CONFIRMING_SETTINGS
from duckrisk.decision.policy.results import Verdict
from duckrisk.release.advice.results import Advice
from duckrisk.release.comparison.results import Comparison
from duckrisk.report.safe import Commands, visible
from duckrisk.report.sections.baseline import changed
from duckrisk.report.sections.gates import reason
from duckrisk.report.sections.verdict import conjunction
from duckrisk.report.words import Words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: The rule of what changed a verdict.
_SETTING = "setting"
#: Reasons of a verdict that are told column by column.
_BY_COLUMN = ("policy.unsettled.roles", "policy.unsettled.left_out")


@dataclass(frozen=True)
class Annotation:
    """A finding: the rule that it is of, how grave it is, the column that it is about, and the table."""

    rule: str
    level: Literal["error", "warning", "note"]
    message: Text
    column: str | None = None
    table: str | None = None


# --- what is found -------------------------------------------------------------------------------


def findings(report: Result | NotReachedError) -> Iterator[Annotation]:
    """What a pipeline has to be told of a report, or of what there is in its place."""
    if isinstance(report, NotReachedError):
        yield Annotation("not_reached", "error", Data(report))
        return
    for verdict, table in _verdicts(report):
        yield from _of_verdict(verdict, table, isinstance(report, Assessment))
    if isinstance(report, Assessment):
        yield from _of_columns(report)
    if isinstance(report, Check):
        for checked in report.tables:
            for name in checked.violated:
                message = Sentence("annotation.constraint", name=Data(name), table=Data(checked.name))
                yield Annotation("constraint", "error", message, table=checked.name)
    for notice in report.notices or ():
        mild = notice.origin is None or notice.setting in CONFIRMING_SETTINGS
        yield Annotation(_SETTING, "note" if mild else "warning", notice.text)
    for gate in report.gates:
        if not gate.passed:
            message = Sentence("fact", name=Data(gate.expression), figure=reason(gate, type(report)))
            yield Annotation("gate", "error", message, table=gate.where)
    for change in report.baseline.figures if report.baseline is not None else ():
        if change.worse:
            yield Annotation("baseline", "warning", changed(change), table=change.where)


def _verdicts(report: Result) -> Iterator[tuple[Verdict, str | None]]:
    """The verdicts of a report, each with its table where there are several."""
    if isinstance(report, Assessment):
        yield report.verdict, None
    elif isinstance(report, Comparison):
        yield from (
            (release.people.verdict, release.name)
            for release in report.releases
            if release.people is not None
        )
    elif isinstance(report, Advice) and (people := report.lines[-1].people) is not None:
        yield people.verdict, None


def _of_verdict(verdict: Verdict, table: str | None, by_column: bool) -> Iterator[Annotation]:
    for finding in verdict.exceeded:
        message = Sentence(
            "annotation.limit",
            policy=policy.name_policy(verdict.policy, verdict.limits_from),
            name=Sentence(f"verdict.{finding.name}"),
            value=policy.format_finding(finding),
            limit=policy.format_limit(finding.name, finding.limit),
        )
        level: Literal["error", "warning"] = "error" if finding.certain else "warning"
        yield Annotation(f"policy/{finding.name}", level, message, table=table)
    if verdict.outcome == "pass_if" and not verdict.accepted:
        message = Sentence(
            "annotation.assumption",
            policy=policy.name_policy(verdict.policy, verdict.limits_from),
            assumptions=conjunction(verdict.assumptions),
        )
        yield Annotation("assumption", "warning", message, table=table)
    for because in verdict.undecided_because:
        if not by_column or because.key not in _BY_COLUMN:
            yield Annotation("undecided", "warning", because, table=table)


def _of_columns(report: Assessment) -> Iterator[Annotation]:
    """Direct identifiers, and columns that were guessed or left out."""
    for name, certain in find_identifying_columns(report).items():
        message = Sentence("annotation.identifier", column=Data(name))
        yield Annotation("direct_identifier", "error" if certain else "warning", message, name)
    for column in report.source.columns:
        if column.confidence == "guess" and column.role not in ("constant", "ignored"):
            message = Sentence("annotation.guess", column=Data(column.name))
            yield Annotation("guessed_role", "warning", message, column.name)
    for name in list_unmeasured_columns(report):
        yield Annotation("not_assessed", "warning", Sentence("annotation.left_out", column=Data(name)), name)


def _in_words(text: Text, words: Words) -> str:
    return words.plain(text, visible)


# --- the forms -----------------------------------------------------------------------------------


def to_sarif(report: Result | NotReachedError, sources: Sequence[str], language: str = "en") -> str:
    """SARIF 2.1.0. Of the ``sources`` the first is what the report is about, unless a finding names another
    by the name of its file."""
    words, annotations = Words(language), list(findings(report))
    rules = list(dict.fromkeys(annotation.rule for annotation in annotations))
    driver = {
        "name": "duckrisk",
        "version": duckrisk.__version__,
        "rules": [{"id": rule, "shortDescription": {"text": _rule(rule, words)}} for rule in rules],
    }
    results = [
        {
            "ruleId": annotation.rule,
            "ruleIndex": rules.index(annotation.rule),
            "level": annotation.level,
            "message": {"text": _in_words(annotation.message, words)},
            "locations": [_location(annotation, sources)],
        }
        for annotation in annotations
    ]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: str, words: Words) -> str:
    """What a rule is about."""
    kind, _, limit = rule.partition("/")
    return _in_words(
        Sentence(f"annotation.rule.{kind}", limit=Sentence(f"verdict.{limit}") if limit else ""), words
    )


def _location(annotation: Annotation, sources: Sequence[str]) -> dict[str, object]:
    location: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": {"uri": uri(_source(annotation, sources))},
            "region": {"startLine": 1},
        }
    }
    if annotation.column is not None:
        location["logicalLocations"] = [{"name": visible(annotation.column)}]
    return location


def _source(annotation: Annotation, sources: Sequence[str]) -> str:
    return next((source for source in sources if PurePath(source).name == annotation.table), sources[0])


def uri(source: str) -> str:
    """A reference to a file as it was named; of what is no file here, such as an address, its last part."""
    path = Path(source)
    try:
        there = path.exists()
    except (OSError, ValueError):  # no name that a file can have
        there = False
    shown = path.as_posix() if there else source.rstrip("/").rpartition("/")[2] or "."
    written = quote(shown.encode("utf-8", "surrogatepass"), safe="/")
    return f"file://{written}" if there and path.is_absolute() else written


#: What a workflow calls a level.
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def to_github(report: Result | NotReachedError, sources: Sequence[str], language: str = "en") -> str:
    """Commands of a GitHub workflow, a line each, which it shows beside the file."""
    words, annotations = Words(language), list(findings(report))
    lines = [
        f"::{_COMMANDS[annotation.level]} file={_property(_source(annotation, sources))},"
        f"title={_property(_rule(annotation.rule, words))}::{_escaped(_in_words(annotation.message, words))}"
        for annotation in annotations
    ]
    if all(annotation.rule == _SETTING for annotation in annotations):
        lines.insert(0, f"::notice::{_escaped(_in_words(Sentence('annotation.nothing'), words))}")
    return Commands("\n".join(lines) + "\n")


def _escaped(text: str) -> str:
    """Text as a command's message has it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Text as a command's property has it."""
    return _escaped(visible(text)).replace(":", "%3A").replace(",", "%2C")
