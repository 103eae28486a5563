"""Which part of an assessment a gate needs, and what is refused before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from duckrisk.assessment.results import Assessment, PartName
from duckrisk.errors import UsageError, suggestion
from duckrisk.gates import Gate, parse
from duckrisk.uniqueness.results import MOST_FACTS

#: The part that measures a section which is no part itself; the source is always there.
_MEASURED_BY = {
    "known_records": "attribute_risk",
    "coarser_knowledge": "attribute_risk",
    "facts": "uniqueness",
}
#: The sections whose entries are attributes.
_OF_ATTRIBUTES = ("attribute_risk", "known_records", "coarser_knowledge", "attribute_disclosure")


def parse_gate(text: str) -> Gate:
    """Read a gate on an assessment."""
    return parse(text, Assessment)


def check(gate: Gate, attributes: list[str], method: str, only: Iterable[str]) -> None:
    """Raise UsageError before anything is measured where a gate could not be judged; ``only`` are the parts
    of the assessment that are to be measured."""
    part, name = measured_by(gate), gate.named
    if part is not None and part not in only:
        raise UsageError("gates.gate_cannot_judged_not_measured", expression=gate.expression, part=part)
    if gate.section == "facts":
        if name not in (None, *map(str, range(1, MOST_FACTS + 1))):
            raise UsageError("gates.so_many_facts", gate=gate.expression)
    elif name is not None and gate.section in _OF_ATTRIBUTES and name not in attributes:
        hint = suggestion(name, attributes)
        raise UsageError("gates.attribute_is_not_assessed", gate=gate.expression, hint=hint)
    sampled = gate.field.startswith("sampled.")
    if method == "sample" and part == "attribute_risk" and not sampled:
        raise UsageError("gates.gate_cannot_judged_when_only", expression=gate.expression)


def measured_by(gate: Gate) -> str | None:
    """The part of an assessment that measures what the gate looks at; None where every assessment does."""
    part = _MEASURED_BY.get(gate.section, gate.section)
    return part if part in get_args(PartName) else None
