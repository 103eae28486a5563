"""The limits of policies, each registered once, and the options that set them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from duckrisk.base.options import OptionSet, option

PolicyName = Literal["public", "shared", "internal"]
#: The policies with published limits, from the widest circle of recipients to the narrowest.
PRESETS = ("public", "shared", "internal")
#: Where limits come from that no settings file holds: the arguments of a call.
ARGUMENTS = "arguments"

LimitName = Literal[
    "identifying_columns",
    "unique_people",
    "smallest_class",
    "unique_histories",
    "smallest_history",
    "three_records",
    "one_fact",
    "three_facts",
    "sensitive_disclosed",
]


@dataclass(frozen=True)
class LimitRule:
    """What a limit of a policy is.

    Attributes:
        published: The limit in each of `PRESETS`, a count or a share from 0 to 1; None where the preset has
            no such limit. The texts `policy.source` name the publications.
        is_count: Whether the limit is a count; else it is a share.
        is_minimum: Whether a table must reach the limit; else it must not exceed it.
        is_cited_by_preset: Whether each preset takes the limit from a publication of its own.
    """

    published: tuple[float | None, float | None, float | None]
    is_count: bool = False
    is_minimum: bool = False
    is_cited_by_preset: bool = False

    def is_kept_by(self, value: float, limit: float) -> bool:
        """Return whether a value keeps a limit of this kind; both are counts or shares."""
        return value >= limit if self.is_minimum else value <= limit


#: Every limit, in the order of reports.
LIMITS: dict[LimitName, LimitRule] = {
    "identifying_columns": LimitRule((0, 0, 0), is_count=True),
    "unique_people": LimitRule((0.0, 0.05, 0.2)),
    "smallest_class": LimitRule((11, 5, 3), is_count=True, is_minimum=True, is_cited_by_preset=True),
    "unique_histories": LimitRule((0.0, None, None)),
    "smallest_history": LimitRule((11, None, None), is_count=True, is_minimum=True, is_cited_by_preset=True),
    "three_records": LimitRule((None, 0.2, 0.33)),
    "one_fact": LimitRule((0.09, 0.2, 0.33), is_cited_by_preset=True),
    "three_facts": LimitRule((0.05, 0.2, 0.33)),
    "sensitive_disclosed": LimitRule((0.0, 0.05, 0.2)),
}


def _limit_option(name: LimitName, help_text: str) -> Any:
    """Return the field of a limit that a policy can set."""
    rule = LIMITS[name]
    return option(
        None,
        help=help_text,
        flags=(),
        keyword="policy",
        minimum=1 if rule.is_minimum else 0,
        maximum=None if rule.is_count else 1,
        example=next((limit for limit in rule.published if limit is not None), None),
    )


@dataclass(frozen=True)
class Options(OptionSet, table="policy", group="Output"):
    """A policy by its name, and limits in place of the published ones.

    ``limits_from`` names the settings file that holds these limits.
    """

    name: str = option(
        "public",
        help="The policy of the verdict: who gets the table (see `duckrisk explain policy`).",
        flag="--policy",
        choices=PRESETS,
        keyword="policy",
        keyword_type=str | Mapping[str, Any],
    )
    limits_from: str = ARGUMENTS
    identifying_columns: int | None = _limit_option(
        "identifying_columns", "Maximum number of directly identifying columns."
    )
    unique_people: float | None = _limit_option(
        "unique_people", "Maximum share of people singled out by the quasi-identifiers."
    )
    smallest_class: int | None = _limit_option(
        "smallest_class", "Minimum number of people in each equivalence class."
    )
    unique_histories: float | None = _limit_option(
        "unique_histories", "Maximum share of people whose whole history nobody else has."
    )
    smallest_history: int | None = _limit_option(
        "smallest_history", "Minimum number of people with equal whole histories."
    )
    three_records: float | None = _limit_option(
        "three_records", "Maximum share of people unique by three whole records."
    )
    one_fact: float | None = _limit_option(
        "one_fact", "Maximum mean probability that one known fact identifies."
    )
    three_facts: float | None = _limit_option(
        "three_facts", "Maximum share of people singled out by a typical set of three facts."
    )
    sensitive_disclosed: float | None = _limit_option(
        "sensitive_disclosed", "Maximum share of people with a disclosed sensitive value."
    )

    def limit_of(self, name: LimitName) -> float | None:
        """Return the limit that was set, else that of the preset; None if there is none."""
        override: float | None = getattr(self, name)
        return self.published_limit(name) if override is None else override

    def published_limit(self, name: LimitName) -> float | None:
        """Return the limit of the preset; None if it has none."""
        return LIMITS[name].published[PRESETS.index(self.name)]
