"""The words of the sections on disclosure; part of the catalogue in ``text``."""

from __future__ import annotations

ENGLISH = {
    "of_class_sizes": "How many people look alike",
    "of_attribute_disclosure": "What the classes tell of sensitive attributes",
    "of_suda": "Special uniques",
    "of_attribute_sets": "How well each attribute set tells records apart",
    "of_minimal_keys": "The smallest attribute sets that identify",
    "of_direct_identifiers": "Direct identifiers in the content",
    "of_information_gain": "How much each value tells",
}
