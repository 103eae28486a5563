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
    # --- evidence of the checklist
    "found.by_content": "By their content these columns hold direct identifiers: {names}.",
    "found.alone_records": (
        "{alone} records agree with no other one on the quasi-identifiers; the smallest class has {smallest}."
    ),
    "found.alone_users": (
        "{alone} users have a history that no other one has; the smallest class of users has {smallest}."
    ),
    "found.told": (
        "{records} records, or users where these are counted, are in a class all of which share one value of "
        "{attribute}."
    ),
    "found.told_nobody": "No class tells a value of the sensitive attributes for certain.",
}
