"""Gates: conditions on a report that let a pipeline fail, such as ``attribute_risk.mean_risk > 0.2``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from duckrisk import meanings
from duckrisk.assessment.results import AssessedSource, GateResult
from duckrisk.attribute.results import AttributeRisk, Coarser, KnownRecords
from duckrisk.disclosure.results import SensitiveAttribute, SizesByRule
from duckrisk.errors import UsageError, suggestion
from duckrisk.identifiability.results import Identifiability
from duckrisk.results import Range
from duckrisk.uniqueness.results import MOST_FACTS, KnownFacts, Uniqueness

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_FORM = re.compile(
    r"\s*(?P<section>\w+)(?:\[(?P<name>.+)\])?\.(?P<field>\w+(?:\.\w+)?)\s*(?P<sign>>=|<=|>|<)\s*(?P<limit>\S+)\s*",
    re.DOTALL,  # a name can hold a line break
)
#: The sections of the report that a gate can look at, with what an entry of each is.
ENTRIES = {
    "attribute_risk": AttributeRisk,
    "known_records": KnownRecords,
    "coarser_knowledge": Coarser,
    "source": AssessedSource,
    "identifiability": Identifiability,
    "uniqueness": Uniqueness,
    "facts": KnownFacts,
    "class_sizes": SizesByRule,
    "attribute_disclosure": SensitiveAttribute,
}
#: Sections that are one entry, and so take no name in brackets.
_SINGLE = ("source", "identifiability", "uniqueness", "class_sizes")
#: The part of an assessment that measures a section; the source is always there.
_MEASURED_BY = {
    "attribute_risk": "attribute_risk",
    "known_records": "attribute_risk",
    "coarser_knowledge": "attribute_risk",
    "identifiability": "identifiability",
    "uniqueness": "uniqueness",
    "facts": "uniqueness",
    "class_sizes": "class_sizes",
    "attribute_disclosure": "attribute_disclosure",
}


@cache
def numbers_of(section: str) -> Mapping[str, bool]:
    """The numbers that a gate can look at, those of the section's entries in the JSON report, and whether
    each is a share or a probability, between 0 and 1."""
    return {
        name: any(isinstance(note, Range) and note.greatest == 1 for note in noted)
        or meaning.startswith("Probability:")
        for name, (noted, meaning) in meanings.numbers(ENTRIES[section]).items()
    }


@dataclass(frozen=True)
class Gate:
    """A condition that must not hold: ``section[name].field sign limit``; without a name it is about
    every entry of the section."""

    expression: str
    section: str
    name: str | None
    field: str
    sign: str
    limit: float


#: The gate that asks for a pass: neither a limit of the policy nor anything else stands in its way.
POLICY = Gate("policy", "verdict", None, "open", ">", 0)


def parse_gate(text: str) -> Gate:
    """Read a gate; raises UsageError with the nearest names."""
    if text.strip() == POLICY.expression:
        return POLICY
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageError("gates.not_gate_example_attribute_risk", text=text)
    section, name = form["section"], form["name"]
    if section not in ENTRIES:
        raise UsageError(
            "gates.gate_cannot_look", section=section, suggestion=suggestion(section, list(ENTRIES))
        )
    numbers = numbers_of(section)
    if form["field"] not in numbers:
        raise UsageError(
            "gates.no_number",
            section=section,
            field=form["field"],
            suggestion=suggestion(form["field"], list(numbers)),
        )
    if name is not None and section in _SINGLE:
        raise UsageError("gates.gate_takes_no_brackets", section=section)
    try:
        limit = float(form["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise UsageError("gates.limit_not_number_share_not", text=text)
    if limit > 1 and numbers[form["field"]]:
        raise UsageError("gates.limit_can_never_crossed_between", text=text, field=form["field"])
    return Gate(text.strip(), section, name, form["field"], form["sign"], limit)


def is_share(expression: str) -> bool:
    """Whether the number that a gate looks at is a probability or a share, not a count or a sum."""
    gate = parse_gate(expression)
    return gate is not POLICY and numbers_of(gate.section)[gate.field]


def check(
    gate: Gate,
    attributes: list[str],
    method: str,
    only: Iterable[str] = ("attribute_risk", "identifiability"),
) -> None:
    """Raise UsageError before anything is measured where a gate could not be judged; ``only`` are the parts
    of the assessment that are to be measured."""
    part = measured_by(gate)
    if part is not None and part not in only:
        raise UsageError("gates.gate_cannot_judged_not_measured", expression=gate.expression, part=part)
    if gate.section == "facts":
        if gate.name not in (None, *map(str, range(1, MOST_FACTS + 1))):
            raise UsageError("gates.so_many_facts", gate=gate.expression)
    elif gate.name is not None and gate.name not in attributes:
        raise UsageError(
            "gates.attribute_is_not_assessed",
            gate=gate.expression,
            hint=suggestion(gate.name, attributes),
        )
    sampled = gate.field.startswith("sampled.")
    if method == "sample" and part == "attribute_risk" and not sampled:
        raise UsageError("gates.gate_cannot_judged_when_only", expression=gate.expression)


def measured_by(gate: Gate) -> str | None:
    """The part of an assessment that measures what the gate looks at; None where every assessment does."""
    return _MEASURED_BY.get(gate.section)


def judge(gate: Gate, result: Any) -> GateResult:
    """Whether a result passes, by the number that is furthest beyond the limit. Raises UsageError for a name
    that is not in the result."""
    entries = entries_of(result, gate.section)
    if gate.name is not None:
        names = [_name(entry) or "" for entry in entries]
        if gate.name not in names:
            raise UsageError(
                "gates.attribute_was_not_assessed",
                gate=gate.expression,
                hint=suggestion(gate.name, names),
            )
        entries = [entry for entry in entries if _name(entry) == gate.name]
    found = [(value, entry) for entry in entries if (value := _value(entry, gate.field)) is not None]
    if not found:
        raise UsageError("gates.gate_cannot_judged_run_did", expression=gate.expression)
    worst, entry = (max if gate.sign in (">", ">=") else min)(found, key=lambda pair: pair[0])
    passed = not _OPERATORS[gate.sign](worst, gate.limit)
    return GateResult(gate.expression, passed, worst, _name(entry))


def _name(entry: Any) -> str | None:
    """What an entry is about: an attribute, or how many facts are known."""
    name: str | None = (
        str(entry.facts) if isinstance(entry, KnownFacts) else getattr(entry, "attribute", None)
    )
    return name


def entries_of(result: Any, name: str) -> list[Any]:
    """What a gate on a section looks at; nothing where it was not measured."""
    section = getattr(result, "uniqueness" if name == "facts" else name)
    if section is None:
        return []
    if name == "class_sizes":  # of records, and of users who have several, by the rule that was asked for
        return [rule for rule in (*section.rules, *(section.users or ())) if rule.missing == section.missing]
    if name == "attribute_disclosure":
        return list(section.attributes)
    if name == "facts":
        return list(section.facts)
    return list(section) if isinstance(section, tuple) else [section]


def _value(entry: Any, field: str) -> float | None:
    for key in field.split("."):
        entry = None if entry is None else getattr(entry, key)
    found: float | None = entry
    return found
