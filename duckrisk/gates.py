"""Gates: conditions on a report that let a pipeline fail, such as ``attribute_risk.mean_risk > 0.2``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from duckrisk.errors import UsageError, suggestion

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_FORM = re.compile(
    r"\s*(?P<section>\w+)(?:\[(?P<name>.+)\])?\.(?P<field>\w+(?:\.\w+)?)\s*(?P<sign>>=|<=|>|<)\s*(?P<limit>\S+)\s*",
    re.DOTALL,  # a name can hold a line break
)
#: The numbers that a gate can look at, by the sections of the report: probabilities and shares, which are
#: between 0 and 1,
_SHARES = {
    "attribute_risk": (
        "mean_risk",
        "minimum_cost_risk",
        "max_value_risk",
        "share_below_k",
        "share_singled_out",
        "sampled.estimate",
        "sampled.lower",
        "sampled.upper",
    ),
    "known_records": ("risk", "risk_lower", "risk_upper", "unicity", "unicity_lower", "unicity_upper"),
    "coarser_knowledge": ("mean_risk", "share_below_k"),
    "identifiability": ("singled_out_share",),
    "class_sizes": ("share_alone", "highest_risk", "average_risk"),
    "attribute_disclosure": ("alpha", "equal_t", "ordered_t", "hierarchical_t", "share_homogeneous"),
}
#: and all others.
_AMOUNTS = {
    "attribute_risk": (
        "records_below_k",
        "mean_records_per_user",
        "singled_out_records",
        "singled_out_values",
        "distinct_values",
        "records",
    ),
    "source": ("records", "users", "records_without_user", "most_records_of_a_user"),
    "identifiability": (
        "singled_out",
        "not_singled_out",
        "unknown",
        "total_ease",
        "total_value",
        "jo_total_value",
    ),
    "class_sizes": ("smallest_class", "alone", "classes"),
    "attribute_disclosure": (
        "k",
        "distinct_l",
        "entropy_l",
        "recursive_c",
        "basic_beta",
        "enhanced_beta",
        "delta",
        "homogeneous_records",
    ),
}
#: All of them.
FIELDS = {name: _SHARES.get(name, ()) + _AMOUNTS.get(name, ()) for name in (*_SHARES, *_AMOUNTS)}
#: Sections that are one entry, and so take no name in brackets.
_SINGLE = ("source", "identifiability", "class_sizes")
#: The part of an assessment that measures a section; the source is always there.
_MEASURED_BY = {
    "attribute_risk": "attribute_risk",
    "known_records": "attribute_risk",
    "coarser_knowledge": "attribute_risk",
    "identifiability": "identifiability",
    "class_sizes": "class_sizes",
    "attribute_disclosure": "attribute_disclosure",
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


def parse_gate(text: str) -> Gate:
    """Read a gate; raises UsageError with the nearest names."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageError("gates.not_gate_example_attribute_risk", text=text)
    section, name = form["section"], form["name"]
    if section not in FIELDS:
        raise UsageError(
            "gates.gate_cannot_look", section=section, suggestion=suggestion(section, list(FIELDS))
        )
    if form["field"] not in FIELDS[section]:
        raise UsageError(
            "gates.no_number",
            section=section,
            field=form["field"],
            suggestion=suggestion(form["field"], list(FIELDS[section])),
        )
    if name is not None and section in _SINGLE:
        raise UsageError("gates.gate_takes_no_brackets", section=section)
    try:
        limit = float(form["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise UsageError("gates.limit_not_number_share_not", text=text)
    if limit > 1 and form["field"] in _SHARES.get(section, ()):
        raise UsageError("gates.limit_can_never_crossed_between", text=text, field=form["field"])
    return Gate(text.strip(), section, name, form["field"], form["sign"], limit)


def is_share(expression: str) -> bool:
    """Whether the number that a gate looks at is a probability or a share, not a count or a sum."""
    gate = parse_gate(expression)
    return gate.field in _SHARES.get(gate.section, ())


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
    if gate.name is not None and gate.name not in attributes:
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


@dataclass(frozen=True)
class GateResult:
    """One gate."""

    expression: Annotated[str, "Text: the condition that must not hold."]
    passed: Annotated[bool, "Truth value: the condition does not hold."]
    value: Annotated[
        float, "The number furthest beyond the limit, in the unit of the field the gate looks at."
    ]
    where: Annotated[
        str | None, "Text: the attribute it was found in; null for the source and for identifiability."
    ]


def judge(gate: Gate, result: Any) -> GateResult:
    """Whether a result passes, by the number that is furthest beyond the limit. Raises UsageError for a name
    that is not in the result."""
    entries = entries_of(result, gate.section)
    if gate.name is not None:
        names = [entry.attribute for entry in entries]
        if gate.name not in names:
            raise UsageError(
                "gates.attribute_was_not_assessed",
                gate=gate.expression,
                hint=suggestion(gate.name, names),
            )
        entries = [entry for entry in entries if entry.attribute == gate.name]
    found = [(value, entry) for entry in entries if (value := _value(entry, gate.field)) is not None]
    if not found:
        raise UsageError("gates.gate_cannot_judged_run_did", expression=gate.expression)
    worst, entry = (max if gate.sign in (">", ">=") else min)(found, key=lambda pair: pair[0])
    passed = not _OPERATORS[gate.sign](worst, gate.limit)
    return GateResult(gate.expression, passed, worst, getattr(entry, "attribute", None))


def entries_of(result: Any, name: str) -> list[Any]:
    """What a gate on a section looks at; nothing where it was not measured."""
    section = getattr(result, name)
    if section is None:
        return []
    if name == "class_sizes":  # of records, and of users who have several, by the rule that was asked for
        return [rule for rule in (*section.rules, *(section.users or ())) if rule.missing == section.missing]
    if name == "attribute_disclosure":
        return list(section.attributes)
    return list(section) if isinstance(section, tuple) else [section]


def _value(entry: Any, field: str) -> float | None:
    for key in field.split("."):
        entry = None if entry is None else getattr(entry, key)
    found: float | None = entry
    return found
