"""Refuse what a distributed engine does not support.

Records are never fetched from an engine.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings

#: The parts of an assessment whose statements on all records have a form for the engine.
SUPPORTED_PARTS = (
    *("attribute_risk", "identifiability", "uniqueness", "direct_identifiers"),
    *("class_sizes", "attribute_disclosure"),
)


def check_supported(settings: Settings, records: Path | None) -> None:
    """Check that a distributed engine supports what was asked for.

    Args:
        settings: The settings of the run.
        records: File for the table of records; None if none was asked for.

    Raises:
        UsageError: A part or an option is not supported.
    """
    for part in settings.parts:
        if part not in SUPPORTED_PARTS:
            raise UsageError("engines.part_not_offered", part=part, offered=" --only ".join(SUPPORTED_PARTS))
    refused = {
        "--records-out": records is not None,
        "--show-values": settings.show_values,
        "--weight": settings.disclosure.weight is not None,
        "--household": settings.disclosure.household is not None,
        "--hierarchies": settings.disclosure.hierarchies is not None,
        "--population": settings.disclosure.population is not None,
        "--original": settings.original is not None,
        "--earlier": bool(settings.earlier.earlier),
    }
    for option, given in refused.items():
        if given:
            raise UsageError("engines.feature_not_offered", what=option)
