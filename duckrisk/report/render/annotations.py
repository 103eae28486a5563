"""Write the findings of a report as annotations: SARIF 2.1.0 and GitHub workflow commands.

Findings are exceeded limits, failed gates, direct identifiers, open questions, and assumptions of a verdict
that no gate accepts. They hold names of columns, counts and shares, never a value of a record.
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
from duckrisk.report.safe import Commands, escape_unprintable
from duckrisk.report.sections.baseline import describe_change
from duckrisk.report.sections.gates import explain_failure
from duckrisk.report.sections.verdict import join_with_and
from duckrisk.report.words import Words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: The rule of notices: settings that changed a verdict.
_SETTING = "setting"
#: Reasons of an open verdict for which each column has its own annotation.
_BY_COLUMN = ("policy.unsettled.roles", "policy.unsettled.left_out")


@dataclass(frozen=True)
class Annotation:
    """A finding: its rule, its severity, its message, and the column and the table that it is about."""

    rule: str
    level: Literal["error", "warning", "note"]
    message: Text
    column: str | None = None
    table: str | None = None


# --- findings ------------------------------------------------------------------------------------


def list_annotations(report: Result | NotReachedError) -> Iterator[Annotation]:
    """List the findings of a report, or of the error that no release keeps the policy."""
    if isinstance(report, NotReachedError):
        yield Annotation("not_reached", "error", Data(report))
        return
    for verdict, table in _list_verdicts(report):
        yield from _annotate_verdict(verdict, table, isinstance(report, Assessment))
    if isinstance(report, Assessment):
        yield from _annotate_columns(report)
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
            message = Sentence("fact", name=Data(gate.expression), figure=explain_failure(gate, type(report)))
            yield Annotation("gate", "error", message, table=gate.where)
    for change in report.baseline.figures if report.baseline is not None else ():
        if change.worse:
            yield Annotation("baseline", "warning", describe_change(change), table=change.where)


def _list_verdicts(report: Result) -> Iterator[tuple[Verdict, str | None]]:
    """Yield the verdicts of a report, each with its table if it has several."""
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


def _annotate_verdict(verdict: Verdict, table: str | None, by_column: bool) -> Iterator[Annotation]:
    """Yield exceeded limits, assumptions and open questions.

    `by_column` skips the questions on single columns.
    """
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
            assumptions=join_with_and(verdict.assumptions),
        )
        yield Annotation("assumption", "warning", message, table=table)
    for because in verdict.undecided_because:
        if not by_column or because.key not in _BY_COLUMN:
            yield Annotation("undecided", "warning", because, table=table)


def _annotate_columns(report: Assessment) -> Iterator[Annotation]:
    """Yield direct identifiers, columns with a guessed role, unassessed columns."""
    for name, certain in find_identifying_columns(report).items():
        message = Sentence("annotation.identifier", column=Data(name))
        yield Annotation("direct_identifier", "error" if certain else "warning", message, name)
    for column in report.source.columns:
        if column.confidence == "guess" and column.role not in ("constant", "ignored"):
            message = Sentence("annotation.guess", column=Data(column.name))
            yield Annotation("guessed_role", "warning", message, column.name)
    for name in list_unmeasured_columns(report):
        yield Annotation("not_assessed", "warning", Sentence("annotation.left_out", column=Data(name)), name)


def _to_text(text: Text, words: Words) -> str:
    return words.format(text, escape_unprintable)


# --- formats -------------------------------------------------------------------------------------


def to_sarif(report: Result | NotReachedError, sources: Sequence[str], language: str = "en") -> str:
    """Write the findings of a report as SARIF 2.1.0.

    Args:
        report: The report, or the error that no release keeps the policy.
        sources: The files of the run, the one that the report is about first. A finding is about the file
            whose name is its table, else about the first one.
        language: "en" or "ja".

    Returns:
        The JSON text of a SARIF log.
    """
    words, annotations = Words(language), list(list_annotations(report))
    rules = list(dict.fromkeys(annotation.rule for annotation in annotations))
    driver = {
        "name": "duckrisk",
        "version": duckrisk.__version__,
        "rules": [{"id": rule, "shortDescription": {"text": _describe_rule(rule, words)}} for rule in rules],
    }
    results = [
        {
            "ruleId": annotation.rule,
            "ruleIndex": rules.index(annotation.rule),
            "level": annotation.level,
            "message": {"text": _to_text(annotation.message, words)},
            "locations": [_make_location(annotation, sources)],
        }
        for annotation in annotations
    ]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _describe_rule(rule: str, words: Words) -> str:
    """Describe a rule in a short sentence."""
    kind, _, limit = rule.partition("/")
    return _to_text(
        Sentence(f"annotation.rule.{kind}", limit=Sentence(f"verdict.{limit}") if limit else ""), words
    )


def _make_location(annotation: Annotation, sources: Sequence[str]) -> dict[str, object]:
    location: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": {"uri": make_uri(_find_source(annotation, sources))},
            "region": {"startLine": 1},
        }
    }
    if annotation.column is not None:
        location["logicalLocations"] = [{"name": escape_unprintable(annotation.column)}]
    return location


def _find_source(annotation: Annotation, sources: Sequence[str]) -> str:
    return next((source for source in sources if PurePath(source).name == annotation.table), sources[0])


def make_uri(source: str) -> str:
    """Make the URI of a file as it was named.

    Of other sources, such as a web address, it is the last part.
    """
    path = Path(source)
    try:
        is_file = path.exists()
    except (OSError, ValueError):  # no name that a file can have
        is_file = False
    name = path.as_posix() if is_file else source.rstrip("/").rpartition("/")[2] or "."
    quoted = quote(name.encode("utf-8", "surrogatepass"), safe="/")
    return f"file://{quoted}" if is_file and path.is_absolute() else quoted


#: The commands of workflows for the levels of SARIF.
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def to_github(report: Result | NotReachedError, sources: Sequence[str], language: str = "en") -> str:
    """Write the findings of a report as commands of a GitHub workflow.

    GitHub shows them as annotations of the files.

    Args:
        report: The report, or the error that no release keeps the policy.
        sources: The files of the run, as in :func:`to_sarif`.
        language: "en" or "ja".

    Returns:
        The commands, one on each line.
    """
    words, annotations = Words(language), list(list_annotations(report))
    lines = []
    for annotation in annotations:
        file = _escape_property(_find_source(annotation, sources))
        title = _escape_property(_describe_rule(annotation.rule, words))
        message = _escape_message(_to_text(annotation.message, words))
        lines.append(f"::{_COMMANDS[annotation.level]} file={file},title={title}::{message}")
    if all(annotation.rule == _SETTING for annotation in annotations):
        lines.insert(0, f"::notice::{_escape_message(_to_text(Sentence('annotation.nothing'), words))}")
    return Commands("\n".join(lines) + "\n")


def _escape_message(text: str) -> str:
    """Escape the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Escape a property of a command."""
    return _escape_message(escape_unprintable(text)).replace(":", "%3A").replace(",", "%2C")
