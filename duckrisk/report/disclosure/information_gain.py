"""What a report says about the information gain of cells."""

from __future__ import annotations

from typing import Any

from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number

_READING = (
    "The gain of a cell is what its value tells, in bits, to whoever knows all other cells of the "
    "record; bits by itself are what a value tells on average to somebody who knows nothing else. Half "
    "of the records tell the median or less, 95 in 100 the high figure or less. All records count."
)
_NOTHING = "It tells nothing itself: it gains 0, and who lacks an attribute does not count among its values."
_MISSING = {
    "value": "A missing cell is a value of its own.",
    "wildcard": f"A missing cell agrees with every value, both ways (wildcard). {_NOTHING}",
    "none": (
        "A missing cell is not known (none): who agrees with a record is whoever holds all that is known of "
        f"it. {_NOTHING}"
    ),
}


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``information_gain``."""
    whole = section["record"]
    rows = [
        (
            Data(entry["attribute"]),
            _bits(entry["entropy"]),
            *(_bits(entry[name]) for name in ("mean_gain", "median_gain", "high_gain", "highest_gain")),
        )
        for entry in section["attributes"]
    ]
    return [
        Part(
            f"All cells of a record together gain {_bits(whole['mean_gain'])} bits on average over "
            f"{number(section['records'])} records, at most {_bits(whole['highest_gain'])}; 95 in 100 "
            f"records gain {_bits(whole['high_gain'])} or less."
        ),
        Part(
            table=Table(
                ("Attribute", "By itself", "Mean", "Median", "High", "Most"), tuple(rows), (1, 2, 3, 4, 5)
            )
        ),
        Part(_READING),
        *_rules(section),
    ]


def _rules(section: dict[str, Any]) -> list[Part]:
    """What changes with the rule for missing cells, where cells are missing."""
    if not section["missing_cells"]:
        return []
    cells = f"{number(section['missing_cells'])} cells are missing. {_MISSING[section['missing']]}"
    if not section["other_rules"]:
        asked = (
            " --missing wildcard and none show what changes then." if section["missing"] == "value" else ""
        )
        return [Part(f"{cells}{asked}")]
    found = {one["missing"]: one for one in (section, *section["other_rules"])}
    rules = [rule for rule in _MISSING if rule in found]
    means = {
        rule: {entry["attribute"]: entry["mean_gain"] for entry in found[rule]["attributes"]}
        for rule in rules
    }
    rows: list[tuple[str | Data, ...]] = [
        (label, *(_bits(found[rule]["record"][name]) for rule in rules))
        for label, name in (("Whole record", "mean_gain"), ("Whole record, high", "high_gain"))
    ]
    rows += [
        (Data(entry["attribute"]), *(_bits(means[rule][entry["attribute"]]) for rule in rules))
        for entry in section["attributes"]
    ]
    heads = ("Mean gain", *rules)
    return [Part(cells), Part(table=Table(heads, tuple(rows), tuple(range(1, len(heads)))))]


def _bits(value: float) -> str:
    return f"{value:.3f}"
