"""Which part of an assessment a gate needs, and what is refused before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import get_args

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.decision.assessment.results import Assessment, PartName
from duckrisk.decision.gates import Gate, parse
from duckrisk.measures.uniqueness.results import MOST_FACTS

#: The part that measures a section which is no part itself; the source is always there.
_MEASURED_BY = {
    "known_records": "attribute_risk",
    "coarser_knowledge": "attribute_risk",
    "facts": "uniqueness",
}
#: The sections whose entries are attributes.
_OF_ATTRIBUTES = ("attribute_risk", "known_records", "coarser_knowledge", "attribute_disclosure")
#: Numbers that are measured only with one of these options, by the path to them.
_NEEDS: dict[str, frozenset[str]] = {
    "plausible_attacks.": frozenset({"controls", "motives"}),
    "class_sizes.population_uniqueness.": frozenset({"fraction"}),
    "class_sizes.journalist.": frozenset({"fraction", "population"}),
    "class_sizes.individual.": frozenset({"fraction", "weight"}),
    "class_sizes.household.": frozenset({"household"}),
    "known_records.": frozenset({"known_records"}),
}


def parse_gate(text: str) -> Gate:
    """Read a gate on an assessment."""
    return parse(text, Assessment)


def check(gate: Gate, method: str, only: Iterable[str], options: Set[str]) -> None:
    """Refuse a gate that the options of a run leave without a number, before a source is opened.

    Args:
        gate: The gate.
        method: How attributes are measured: `exact`, `approximate` or `sample`.
        only: The parts of the assessment that are measured.
        options: The names of the options on a population, and the like, that were given.

    Raises:
        UsageError: The number will not be measured.
    """
    part, name = measured_by(gate), gate.named
    if part is not None and part not in only:
        raise UsageError("gates.part_not_measured", expression=gate.expression, part=part)
    for path, needed in _NEEDS.items():
        if ".".join(step.name for step in gate.steps).startswith(path) and not options & needed:
            flags = " or ".join(f"--{option.replace('_', '-')}" for option in sorted(needed))
            raise UsageError("gates.option_missing", expression=gate.expression, flags=flags)
    if gate.section == "facts" and name not in (None, *map(str, range(1, MOST_FACTS + 1))):
        raise UsageError("gates.invalid_number_of_facts", gate=gate.expression)
    sampled = gate.field.startswith("sampled.")
    if method == "sample" and part == "attribute_risk" and not sampled:
        raise UsageError("gates.values_only_sampled", expression=gate.expression)


def check_attribute(gate: Gate, attributes: list[str]) -> None:
    """Raise UsageError for a gate on an attribute that is not assessed."""
    name = gate.named
    if name is not None and gate.section in _OF_ATTRIBUTES and name not in attributes:
        hint = suggest_names(name, attributes)
        raise UsageError("gates.attribute_not_assessed", gate=gate.expression, hint=hint)


def measured_by(gate: Gate) -> str | None:
    """The part of an assessment that measures what the gate looks at; None where every assessment does."""
    part = _MEASURED_BY.get(gate.section, gate.section)
    return part if part in get_args(PartName) else None
