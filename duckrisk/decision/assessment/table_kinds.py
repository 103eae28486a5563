"""Restrict what is measured of tables of counts and of tables without persons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.decision.assessment.gates import find_part
from duckrisk.roles import Roles

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings

#: The parts of an assessment that count people by a column of counts.
PARTS_OF_COUNTS = ("attribute_risk", "uniqueness", "class_sizes", "direct_identifiers")
#: The parts of an assessment of a table that holds no persons.
PARTS_WITHOUT_PERSONS = ("direct_identifiers",)


def restrict_to_table_kind(settings: Settings, roles: Roles, *, records: bool) -> Settings:
    """Return the settings with the parts that such a table has.

    Args:
        settings: The settings of the run.
        roles: The roles of the columns.
        records: Whether the table of all records was asked for.

    Raises:
        UsageError: A part or an option that was asked for does not apply to the table.
    """
    if roles.count is None and not roles.holdings.no_persons:
        return settings
    supported = PARTS_OF_COUNTS if roles.count is not None else PARTS_WITHOUT_PERSONS
    option = "--count" if roles.count is not None else "--no-persons"
    # Declared sensitive columns give attribute disclosure something to measure, but do not ask for it.
    by_options = (part for part in settings.disclosure.parts if part != "attribute_disclosure")
    requested = {*(settings.only or ()), *by_options, *map(find_part, settings.gates)}
    for part in requested:
        if part not in (*supported, ""):
            raise UsageError(
                "assessment.part_not_offered_for_counts", part=part, option=option, parts=", ".join(supported)
            )
    refused = {
        "--records-out": records,
        "--original": settings.original is not None,
        "--weight": settings.disclosure.weight is not None,
        "--household": settings.disclosure.household is not None,
        "--population": settings.disclosure.population is not None,
        "--fraction": settings.disclosure.fraction is not None,
        f"--{settings.measures.method}": settings.measures.method != "exact",
    }
    for other, given in refused.items():
        if given:
            raise UsageError("assessment.option_not_offered_for_counts", option=option, other=other)
    parts = tuple(part for part in settings.parts if part in supported)
    measures = replace(settings.measures, samples=0, known_records=0)
    return replace(settings, only=parts, measures=measures)
