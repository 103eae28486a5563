"""What a report says about the disclosure of sensitive attributes."""

from __future__ import annotations

from typing import Any

from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, share

_READING = (
    "A class is the records that agree on the quasi-identifiers. l is the fewest values of a class, and "
    "by entropy as many equally frequent ones; alpha the largest share of one value in a class; t how "
    "far a class is from the whole table at most, 0 to 1, by the hierarchy or the order of the values "
    "where there is one. All records count; a missing cell is a value of its own."
)
_GAINS = (
    "beta is the largest relative gain of a value's share in a class over its share in the table, and its "
    "enhanced form bounds it by what is frequent; delta the largest natural logarithm of their ratio either "
    "way; (c, l) the l, and the c above which the table is recursively diverse."
)


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``attribute_disclosure``."""
    entries = section["attributes"]
    told: list[Part] = []
    for entry in entries:
        knowing = ", ".join(entry["quasi_identifiers"])
        told.append(Part(f"{_told(entry)} Known: {knowing}. Sensitive: {entry['reason']}."))
    classes = [
        (
            Data(entry["attribute"]),
            number(entry["classes"]),
            number(entry["k"]),
            number(entry["distinct_l"]),
            _figure(entry["entropy_l"]),
            _figure(entry["alpha"]),
            _figure(_closeness(entry)),
        )
        for entry in entries
    ]
    gains = [
        (
            Data(entry["attribute"]),
            _figure(entry["basic_beta"]),
            _figure(entry["enhanced_beta"]),
            _figure(entry["delta"]),
            f"({_figure(entry['recursive_c'])}, {entry['recursive_l']})"
            if entry["recursive_c"] is not None
            else "none",
        )
        for entry in entries
    ]
    heads = ("attribute", "classes", "k", "l", "entropy l", "alpha", "t")
    return [
        *told,
        Part(table=Table(heads, tuple(classes), (1, 2, 3, 4, 5, 6))),
        Part(_READING),
        Part(table=Table(("attribute", "beta", "enhanced", "delta", "(c, l)"), tuple(gains), (1, 2, 3, 4))),
        Part(_GAINS),
    ]


def _told(entry: dict[str, Any]) -> str:
    told = f"{entry['attribute']}: of {number(entry['records'])} records"
    if not entry["homogeneous_records"]:
        return f"{told} none is in a class of one value."
    return (
        f"{told} {number(entry['homogeneous_records'])} ({share(entry['share_homogeneous'])}) are in a class "
        "all of whose records share one value: whoever finds the class learns it."
    )


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _closeness(entry: dict[str, Any]) -> float | None:
    """t by what is known of the values: a hierarchy, an order, or nothing."""
    for name in ("hierarchical_t", "ordered_t"):
        if entry[name] is not None:
            found: float = entry[name]
            return found
    found = entry["equal_t"]
    return found
