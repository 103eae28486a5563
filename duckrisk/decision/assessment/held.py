"""What is measured of tables of counts, and of tables that hold no persons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.decision.assessment.gates import measured_by
from duckrisk.roles import Roles

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings

#: The parts of an assessment that count people by a column of counts.
COUNTED = ("attribute_risk", "uniqueness", "class_sizes", "direct_identifiers")
#: What is measured of a table that holds no persons.
WITHOUT_PERSONS = ("direct_identifiers",)


def of_holdings(settings: Settings, roles: Roles, records: Path | None) -> Settings:
    """Return the settings with the parts that a table of counts, or one without persons, has.

    Raises UsageError for what was asked and is not there.
    """
    if roles.count is None and not roles.holdings.no_persons:
        return settings
    offered = COUNTED if roles.count is not None else WITHOUT_PERSONS
    option = "--count" if roles.count is not None else "--no-persons"
    # Declared roles are settings of parts as well; they ask for none.
    of_options = (part for part in settings.disclosure.parts if part != "attribute_disclosure")
    asked = {*(settings.only or ()), *of_options, *map(measured_by, settings.gates)}
    for part in asked:
        if part not in (*offered, ""):
            raise UsageError(
                "assessment.part_not_offered_for_counts", part=part, option=option, parts=", ".join(offered)
            )
    refused = {
        "--records-out": records is not None,
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
    parts = tuple(part for part in settings.parts if part in offered)
    measures = replace(settings.measures, samples=0, known_records=0)
    return replace(settings, only=parts, measures=measures)
