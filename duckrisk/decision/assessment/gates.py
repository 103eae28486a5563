"""Checks gates on an assessment before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import get_args

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.decision.assessment.results import Assessment, PartName
from duckrisk.decision.gates import Gate, parse
from duckrisk.measures.uniqueness.results import MAX_FACTS

#: By section that is no part, the part that measures it; the source needs none.
_PARTS = {
    "known_records": "attribute_risk",
    "coarser_knowledge": "attribute_risk",
    "facts": "uniqueness",
}
#: Sections whose entries are attributes.
_OF_ATTRIBUTES = ("attribute_risk", "known_records", "coarser_knowledge", "attribute_disclosure")
#: By beginning of a path, the options that make the number measurable.
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


def check_gate(
    gate: Gate, method: str, only: Iterable[str], options: Set[str], *, quick: bool = False
) -> None:
    """Refuse a gate whose number the options of a run do not measure.

    Args:
        gate: The gate.
        method: How attributes are measured: `exact`, `approximate` or `sample`.
        only: The parts of the assessment that are measured.
        options: The given options that some numbers need, such as ``fraction``.
        quick: Whether the run leaves out what no limit is about.

    Raises:
        UsageError: The number will not be measured.
    """
    part, name = find_part(gate), gate.named
    if part is not None and part not in only:
        raise UsageError("gates.part_not_measured", expression=gate.expression, part=part)
    for path, needed in _NEEDS.items():
        if ".".join(step.name for step in gate.steps).startswith(path) and not options & needed:
            flags = " or ".join(f"--{option.replace('_', '-')}" for option in sorted(needed))
            raise UsageError("gates.option_missing", expression=gate.expression, flags=flags)
    if gate.section == "facts" and name not in (None, *map(str, range(1, MAX_FACTS + 1))):
        raise UsageError("gates.invalid_number_of_facts", gate=gate.expression)
    sampled = gate.field.startswith("sampled.")
    if quick and (
        gate.section in ("coarser_knowledge", "model_errors", "single_values")
        or (sampled and method != "sample")
        or (gate.section == "facts" and name == str(MAX_FACTS))
    ):
        raise UsageError("gates.not_in_quick", expression=gate.expression)
    if method == "sample" and part == "attribute_risk" and not sampled:
        raise UsageError("gates.values_only_sampled", expression=gate.expression)


def check_attribute(gate: Gate, attributes: list[str]) -> None:
    """Raise UsageError for a gate on an attribute that is not assessed."""
    name = gate.named
    if name is not None and gate.section in _OF_ATTRIBUTES and name not in attributes:
        hint = suggest_names(name, attributes)
        raise UsageError("gates.attribute_not_assessed", gate=gate.expression, hint=hint)


def find_part(gate: Gate) -> str | None:
    """Return the part that measures the number of a gate; None if every run does."""
    part = _PARTS.get(gate.section, gate.section)
    return part if part in get_args(PartName) else None
