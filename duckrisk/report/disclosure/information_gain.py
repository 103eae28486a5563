"""What a report says about the information gain of cells."""

from __future__ import annotations

from typing import Any

from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number

_READING = (
    "The gain of a cell is what its value tells, in bits, to whoever knows all other cells of the "
    "record; bits by itself are what a value tells on average to somebody who knows nothing else. Half "
    "of the records tell the median or less, 95 in 100 the high figure or less. All records count; a "
    "missing cell is a value of its own."
)


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
    ]


def _bits(value: float) -> str:
    return f"{value:.3f}"
