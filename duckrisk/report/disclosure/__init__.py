"""What a report says about disclosure, a module for each part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckrisk.report.parts import Part


def told(data: dict[str, Any]) -> dict[str, list[Part]]:
    """The parts of each section on disclosure that was measured, by its name and in their order."""
    from duckrisk.report.disclosure import (
        attribute_disclosure,
        attribute_sets,
        class_sizes,
        direct_identifiers,
        information_gain,
        minimal_keys,
        suda,
    )

    modules = {
        "class_sizes": class_sizes,
        "direct_identifiers": direct_identifiers,
        "attribute_disclosure": attribute_disclosure,
        "suda": suda,
        "attribute_sets": attribute_sets,
        "minimal_keys": minimal_keys,
        "information_gain": information_gain,
    }
    return {name: module.parts(data[name]) for name, module in modules.items() if data.get(name) is not None}
