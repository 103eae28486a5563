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
    "where there is one."
)
_USERS = (
    "Counted are users, each with a whole profile: a class is the users with the same records on the "
    "quasi-identifiers, each as often. A user holds every value of the own records. alpha is the largest "
    "share of the users of a class who hold one value; l the fewest different sets of values in a class, 1 "
    "where all its users hold one value, and by entropy as many equally frequent ones; t how far the sets of "
    "a class are from those of all users at most, 0 to 1. Where users have one value each, these are the "
    "usual measures. Records without a user are left out."
)
_GAINS = (
    "beta is the largest relative gain of a value's share in a class over its share in the table, and its "
    "enhanced form bounds it by what is frequent; delta the largest natural logarithm of their ratio either "
    "way; (c, l) the l, and the c above which the table is recursively diverse."
)
_SENSITIVE = "Who lacks the sensitive value counts in k alone."
_MISSING = {
    "value": "A missing cell is a value of its own.",
    "wildcard": f"A missing cell agrees with every value, both ways (wildcard). {_SENSITIVE}",
    "none": f"A missing cell tells nothing: a class is who holds all that is known (none). {_SENSITIVE}",
}


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``attribute_disclosure``."""
    entries = section["attributes"]
    told: list[Part] = []
    for entry in entries:
        knowing = ", ".join(entry["quasi_identifiers"])
        told.append(Part(f"{_told(entry)} Known: {knowing}. Sensitive: {entry['reason']}."))
        told += _rules(entry)
    classes = [(Data(entry["attribute"]), *_classes(entry)) for entry in entries]
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
    heads = ("Attribute", *_HEADS)
    return [
        *told,
        Part(table=Table(heads, tuple(classes), tuple(range(1, len(heads))))),
        Part(_USERS if entries[0]["unit"] == "user" else _READING),
        Part(table=Table(("Attribute", "beta", "Enhanced", "delta", "(c, l)"), tuple(gains), (1, 2, 3, 4))),
        Part(_GAINS),
    ]


_HEADS = ("Classes", "k", "l", "Entropy l", "alpha", "t")


def _classes(row: dict[str, Any], ordered: bool = True) -> tuple[str, ...]:
    return (
        number(row["classes"]),
        number(row["k"]),
        _figure(row["distinct_l"]),
        _figure(row["entropy_l"]),
        _figure(row["alpha"]),
        _figure(_closeness(row, ordered)),
    )


def _told(entry: dict[str, Any]) -> str:
    unit = entry["unit"]
    told = f"{entry['attribute']}: of {number(entry['records'])} {unit}s"
    if entry["homogeneous_records"]:
        share_one = "share one value" if unit == "record" else "hold one value"
        told += (
            f" {number(entry['homogeneous_records'])} ({share(entry['share_homogeneous'])}) are in a class "
            f"all of whose {unit}s {share_one}: whoever finds the class learns it."
        )
    else:
        told += " none is in a class of one value."
    if entry["users_with_several"]:
        several = number(entry["users_with_several"])
        told += f" {several} users have more than one value; t is then by equal distances."
    return told


def _rules(entry: dict[str, Any]) -> list[Part]:
    """What changes with the rule for missing cells, where cells are missing."""
    if not entry["missing_cells"]:
        return []
    cells = f"{number(entry['missing_cells'])} cells are missing. {_MISSING[entry['missing']]}"
    if not entry["other_rules"]:
        asked = " --missing wildcard and none show what changes then." if entry["missing"] == "value" else ""
        return [Part(f"{cells}{asked}")]
    rows = {one["missing"]: one for one in (entry, *entry["other_rules"])}
    # By the order only where that was found by every rule.
    ordered = all(row["ordered_t"] is not None for row in rows.values())
    table = Table(
        ("Missing", *_HEADS, "One value"),
        tuple(
            (
                rule,
                *_classes(rows[rule] | {"hierarchical_t": None}, ordered),
                share(rows[rule]["share_homogeneous"]),
            )
            for rule in _MISSING
            if rule in rows
        ),
        tuple(range(1, len(_HEADS) + 2)),
    )
    return [Part(cells), Part(table=table)]


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _closeness(row: dict[str, Any], ordered: bool = True) -> float | None:
    """t by what is known of the values: a hierarchy, an order, or nothing."""
    for name in ("hierarchical_t", "ordered_t"):
        if row[name] is not None and (ordered or name != "ordered_t"):
            found: float = row[name]
            return found
    found = row["equal_t"]
    return found
