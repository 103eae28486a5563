"""Makes reports on who can be singled out, out of thin air."""

from __future__ import annotations

from functools import cache
from typing import Any

from duckrisk.decision.assessment.results import Assessment
from tests.assessments import assessed, data_of
from tests.hostile import HOSTILE

#: The parts of an assessment.
ONLY = ["identifiability"]
NAMES = ["age", "occupation", "income"]
LIMITED = {
    "unknown": 120,
    "unknown_ease_at_most": 0.949077,
    "complete": False,
    "limit": "time_limit",
    "other_missing_mode": None,
    "coarser": [],
}


def scenario(**changes: Any) -> dict[str, Any]:
    """A scenario of the section."""
    found = {
        "record": 7,
        "attributes": ["age"],
        "learns": ["income"],
        "ease": 2.0,
        "value": 15_000.0,
        "other_sets": [],
        "cells": None,
    }
    return {**found, **changes}


def attribute(name: str, place: int, **changes: Any) -> dict[str, Any]:
    """An attribute of the section, the first the most telling."""
    return {
        "attribute": name,
        "column": name,
        "type": "occupation",
        "economic": 1,
        "psychological": 1,
        "level_source": "proposed",
        "provisional": True,
        "reason": f'its name says "{name}"',
        "records_singled_out_with": max(0, 600 - place),
        "share_of_singled_out": max(0, 600 - place) / 600,
        "total_value_without": 1e6 / (2 + place),
        "change_without": -1 / (2 + place),
        **changes,
    }


def section(names: list[str], **changes: Any) -> dict[str, Any]:
    """The section on attributes of these names."""
    pairs = [names[place : place + 2] for place in range(min(50, len(names)))]
    found = {
        "unit": "record",
        "records": 1000,
        "singled_out": 600,
        "singled_out_share": 0.6,
        "not_singled_out": 400,
        "unknown": 0,
        "unknown_ease_at_most": None,
        "sets_possible": 2 ** len(names) - 1,
        "sets_examined": 2 ** len(names) - 2,
        "sets_not_examined": {"adds_nothing": 0, "settles_nobody": 0, "all_settled": 1, "limit": 0},
        "complete": True,
        "limit": None,
        "ties_complete": True,
        "missing_mode": "none",
        "missing_cells": 30,
        "other_missing_mode": {
            "missing_mode": "value",
            "singled_out": 610,
            "total_ease": 710.5,
            "total_value": 1_100_000.25,
        },
        "total_ease": 700.25,
        "total_value": 1_000_000.5,
        "currency": "yen",
        "base": 500,
        "sensitivity": 15,
        "jo_total_value": 7_500_000,
        "jo": {
            "identifiability": 1,
            "value_per_record": 7500,
            "social_responsibility": 1,
            "post_response": 1,
            "total_compensation": 7_500_000,
        },
        "distribution": [
            {"ease": 2.0, "records": 1, "value": 15_000.0},
            {"ease": 1.8, "records": 99, "value": 500_000.0},
            {"ease": 0.949077545639, "records": 500, "value": 485_000.5},
            {"ease": 0.0, "records": 400, "value": 0.0},
        ],
        "scenarios": [
            {
                "record": 24_028 + place,
                "attributes": pair,
                "learns": [n for n in names if n not in pair],
                "ease": 1.8,
                "value": 15_000.0,
                "other_sets": [],
                "cells": None,
            }
            for place, pair in enumerate(pairs)
        ],
        "sets": [
            {"attributes": pair, "ease": 1.8, "records": 100 - place, "value": 400_000.0 / (place + 1)}
            for place, pair in enumerate(pairs)
        ],
        "attributes": [attribute(name, place) for place, name in enumerate(names)],
        "coarser": [
            {
                "attribute": names[0],
                "coarser": f"{names[0]}.band(10)",
                "singled_out": 200,
                "total_value": 415_000.0,
                "change": -0.585,
            }
        ],
        "users": None,
        "unleveled": [],
    }
    found |= changes
    counts = {"scenarios": found["singled_out"], "sets": len(found["sets"]), "coarser": len(found["coarser"])}
    for name, count in counts.items():
        found.setdefault(f"{name}_listed", {"total": count, "equal_to_last": 0})
    return found


def units(**changes: Any) -> dict[str, Any]:
    """The same with the user as the unit."""
    found = {
        "users": 90,
        "singled_out": 80,
        "not_singled_out": 10,
        "unknown": 0,
        "unknown_ease_at_most": None,
        "sets_examined": 3,
        "sets_not_examined": {"adds_nothing": 0, "settles_nobody": 0, "all_settled": 0, "limit": 0},
        "complete": True,
        "limit": None,
        "total_ease": 90.0,
        "total_value": 60_000.0,
        "jo_total_value": 675_000,
        "distribution": [
            {"ease": 2.0, "users": 80, "value": 60_000.0},
            {"ease": 0.0, "users": 10, "value": 0.0},
        ],
    }
    return {**found, **changes}


def singled_data(names: list[str], only: list[str] | None = None, **changes: Any) -> dict[str, Any]:
    """The JSON form of a report with the section on columns of these names; ``changes`` are those of the
    section."""
    data = data_of(names)
    data["identifiability"] = section(names, **changes)
    if only is not None:
        data["settings"]["only"] = only
        data["gates"] = []
        if "attribute_risk" not in only:
            data.update(
                attribute_risk=[], known_records=[], coarser_knowledge=[], model_errors=[], single_values=None
            )
    return data


def singled(names: list[str], only: list[str] | None = None, **changes: Any) -> Assessment:
    """The same as a result."""
    return assessed(singled_data(names, only, **changes))


def beside(names: list[str]) -> Assessment:
    """A report in which each of these names is a column, a value, a note and a gate, and can be known."""
    data = singled_data(names, users=units(), currency=names[0])
    data["settings"]["show_values"] = True
    data["source"]["notes"] = list(names)
    data["gates"] = [
        {
            "expression": f"attribute_risk[{name}].mean_risk > 0.2",
            "passed": False,
            "value": 0.5,
            "where": name,
        }
        for name in names
    ]
    for name, entry in zip(names, data["attribute_risk"], strict=True):
        entry["values"] = [{
            "value": name, "records": 2, "users": 1, "records_per_user": 2.0, "probability": 0.002,
            "identification_given_value": 1.0, "identification": 0.002,
        }]  # fmt: skip
    return assessed(data)


#: Hostile names in eights.
EIGHTS = [HOSTILE[start : start + 8] for start in range(0, len(HOSTILE), 8)]


@cache
def hostile_reports() -> list[Assessment]:
    """Reports with all the hostile names, each of several."""
    return [beside(names) for names in EIGHTS]
