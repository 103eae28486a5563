"""What of an assessment a distributed engine gives; all else is refused, and records are never fetched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings

#: The parts of an assessment whose statements on all records have a form for the engine.
PARTS = (
    *("attribute_risk", "identifiability", "uniqueness", "direct_identifiers"),
    *("class_sizes", "attribute_disclosure"),
)


def check_offered(settings: Settings, records: Path | None) -> None:
    """Raise UsageError for what is asked and not offered there."""
    for part in settings.parts:
        if part not in PARTS:
            raise UsageError("engines.part_not_offered", part=part, offered=" --only ".join(PARTS))
    refused = {
        "--records-out": records is not None,
        "--show-values": settings.show_values,
        "--weight": settings.disclosure.weight is not None,
        "--household": settings.disclosure.household is not None,
        "--hierarchies": settings.disclosure.hierarchies is not None,
        "--population": settings.disclosure.population is not None,
        "--original": settings.original is not None,
    }
    for what, asked in refused.items():
        if asked:
            raise UsageError("engines.feature_not_offered", what=what)
