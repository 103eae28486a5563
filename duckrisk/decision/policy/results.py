"""What a verdict says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.options.policy import LIMITS, LimitName, PolicyName
from duckrisk.base.results import Positive, left_out
from duckrisk.base.sentences import Sentence

Outcome = Literal["pass", "pass_if", "fail", "undecided"]
_MINIMA = " and ".join(name for name, rule in LIMITS.items() if rule.is_minimum)


@dataclass(frozen=True)
class Finding:
    """One limit of a policy, and what was found."""

    sql: ClassVar[tuple[str, ...]] = (
        "facts_together",
        "attribute_risk",
        "attribute_sample",
        "typical_share",
        "sure_share",
        "whole_histories",
        "known_whole_records",
        "disclosed_people",
    )

    name: Annotated[
        LimitName,
        "Name of the limit; `duckrisk explain policy` defines each.",
    ]
    value: Annotated[
        Positive | None,
        "Columns, people, or a share between 0 and 1; null where it was not measured exactly.",
    ]
    limit: Annotated[
        Positive,
        f"The limit in the same unit: a minimum for {_MINIMA}, else a maximum.",
    ]
    source: Annotated[Sentence, "Text: where the limit comes from."]
    met: Annotated[bool | None, "Truth value: the limit is kept; null where that is not known."]
    certain: Annotated[
        bool, "Truth value: that the limit is not kept would hold even if a guessed role were wrong."
    ] = True
    lower: Annotated[
        Positive | None,
        "Lower bound of the figure, in the same unit: the lower end of the interval of an estimate; null "
        "where it is the value, and where nothing was measured.",
    ] = None
    upper: Annotated[
        Positive | None,
        "Upper bound of the figure, in the same unit: the upper end of the interval of an estimate; null "
        "where it is the value, and where nothing was measured.",
    ] = None


@dataclass(frozen=True)
class Verdict:
    """Whether a table keeps the limits of a policy. It is no promise of anonymity."""

    policy: Annotated[PolicyName, "Name of the policy."]
    outcome: Annotated[
        Outcome,
        "Name of the outcome: fail where a limit is certainly not kept; undecided where a guess or an open "
        "question could turn it; pass_if where all limits are kept under assumptions; else pass.",
    ]
    accepted: Annotated[
        bool,
        "Truth value: a gate on the policy accepts the table: a pass, or a pass_if where every column has a "
        "declared role.",
    ]
    findings: Annotated[tuple[Finding, ...], "The limits in their order."]
    assumptions: Annotated[
        tuple[Sentence, ...], "Clauses that a pass_if holds under; empty for any other outcome."
    ]
    undecided_because: Annotated[
        tuple[Sentence, ...], "Sentences on what has to be settled; empty unless the outcome is undecided."
    ]
    reservations: Annotated[tuple[Sentence, ...], "Sentences on what else the verdict depends on."]
    limits_from: Annotated[
        str | None,
        "Name of the settings file whose limits count instead of the published ones, or arguments where the "
        "call gave them; left out where the published limits count.",
    ] = left_out()

    @property
    def is_kept(self) -> bool:
        """Whether all limits are kept, also under assumptions."""
        return self.outcome in ("pass", "pass_if")

    @property
    def exceeded(self) -> tuple[Finding, ...]:
        """The limits that are not kept."""
        return tuple(finding for finding in self.findings if finding.met is False)

    def find_value(self, name: LimitName) -> float | None:
        """Find the figure of a limit.

        Args:
            name: Name of the limit.

        Returns:
            The figure; None if the policy lacks the limit, or it was not measured exactly.
        """
        return next((finding.value for finding in self.findings if finding.name == name), None)
