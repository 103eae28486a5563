"""What a table is judged against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duckrisk.base.options import OptionSet, option

PRESETS = ("public", "shared", "internal")
#: Limits that are a minimum; all others are a maximum.
MINIMA = ("smallest_class", "smallest_history")
#: Where limits come from that no settings file holds: the arguments of a call.
ARGUMENTS = "arguments"


@dataclass(frozen=True)
class Options(OptionSet, table="policy", group="Output"):
    """A policy by its name, and limits in place of the published ones.

    ``limits_from`` names the settings file that holds these limits.
    """

    name: str = option(
        "public",
        help="The policy of the verdict: who gets the table. `duckrisk explain policy` tells the limits.",
        flag="--policy",
        choices=PRESETS,
        keyword="policy",
        keyword_type=str | Mapping[str, Any],
    )
    identifying_columns: int | None = option(
        None,
        help="Maximum number of directly identifying columns.",
        flags=(),
        keyword="policy",
        least=0,
        example=0,
    )
    unique_people: float | None = option(
        None,
        help="Maximum share of people singled out by the quasi-identifiers.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.0,
    )
    smallest_class: int | None = option(
        None,
        help="Minimum number of people in each equivalence class.",
        flags=(),
        keyword="policy",
        least=1,
        example=11,
    )
    unique_histories: float | None = option(
        None,
        help="Maximum share of people whose whole history nobody else has.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.0,
    )
    smallest_history: int | None = option(
        None,
        help="Minimum number of people with equal whole histories.",
        flags=(),
        keyword="policy",
        least=1,
        example=11,
    )
    three_records: float | None = option(
        None,
        help="Maximum share of people unique by three whole records.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.2,
    )
    one_fact: float | None = option(
        None,
        help="Maximum mean probability that one known fact identifies.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.09,
    )
    three_facts: float | None = option(
        None,
        help="Maximum share of people singled out by a typical set of three facts.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.05,
    )
    sensitive_disclosed: float | None = option(
        None,
        help="Maximum share of people with a disclosed sensitive value.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.0,
    )
    limits_from: str = ARGUMENTS
