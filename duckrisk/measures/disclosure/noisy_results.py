"""What attackers with noisy knowledge answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Positive, Range, Share

#: Shares of wrong facts by each number of facts (derived: the statements try 0, 10 and 25 %).
_SHARES = 3


@dataclass(frozen=True)
class NoisyCase:
    """What attackers answer by a number of known facts, a share of them wrong; targets are units."""

    metric: ClassVar[str] = "noisy_histories"
    sql: ClassVar[tuple[str, ...]] = ("noisy_histories", "noisy_records")

    known_facts: Count
    wrong_percent: Annotated[int, Range(0, 100)]
    attacked: Count
    eligible: Count
    candidates: Count
    blind_chance: Share
    best_right: Count
    best_right_share: Share | None
    best_right_lower: Share
    best_right_upper: Share
    answered: Count
    answered_share: Share | None
    answered_lower: Share
    answered_upper: Share
    right_answers: Count
    right_share: Share | None
    right_lower: Share
    right_upper: Share
    wrong_answers: Count
    wrong_share: Share | None
    wrong_lower: Share
    wrong_upper: Share
    withheld: Count
    withheld_share: Share | None
    withheld_lower: Share
    withheld_upper: Share


@dataclass(frozen=True)
class NoisyKnowledge:
    """Attackers who know a few facts, some of them wrong, and answer only where one candidate stands out."""

    unit: Annotated[
        Literal["user", "record"], "Name of who counts as a person: a user, or each record by itself."
    ]
    item: Annotated[str | None, "Text: the column of items of a history; null without a history."]
    dates: Annotated[tuple[str, ...], "The columns of known dates."]
    amounts: Annotated[tuple[str, ...], "The columns of known numbers."]
    values: Annotated[tuple[str, ...], "The columns of other known values; empty for a history."]
    days: Annotated[Count, "Days that a known date is wrong by at most."]
    band: Annotated[Positive, "Error of a known number at most, as a share of the middle half's range."]
    seed: Annotated[Count, "Seed of the draws."]
    cases: Annotated[tuple[NoisyCase, ...], "By number of known facts, then by the share that is wrong."]

    @property
    def typical(self) -> NoisyCase | None:
        """The attacker with most wrong facts, and as many facts as half of all have."""
        usual = [case for case in self.cases if 2 * case.eligible >= case.candidates]
        return (usual or self.cases[:_SHARES])[-1] if self.cases else None
