"""What a table is judged against."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.options import OptionSet, option

PRESETS = ("public", "shared", "internal")
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
    )
    identifying_columns: int | None = option(
        None,
        help="So many columns that identify directly at most.",
        flags=(),
        keyword="policy",
        least=0,
        example=0,
    )
    unique_people: float | None = option(
        None,
        help="Such a share of people unique on all assessed attributes at most.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.0,
    )
    smallest_class: int | None = option(
        None,
        help="So many people in every equivalence class at least.",
        flags=(),
        keyword="policy",
        least=1,
        example=11,
    )
    one_fact: float | None = option(
        None,
        help="Such a mean probability at most that one known fact identifies.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.09,
    )
    three_facts: float | None = option(
        None,
        help="Such a share of people singled out by a typical set of three facts at most.",
        flags=(),
        keyword="policy",
        least=0,
        most=1,
        example=0.05,
    )
    limits_from: str = ARGUMENTS
