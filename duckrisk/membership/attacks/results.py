"""What attacks on membership give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.results import Count, Positive, Result, Share, Table, aside, left_out
from duckrisk.session import Statement


@dataclass(frozen=True)
class Rate:
    """What a score finds where it takes so many others at most for members."""

    fpr: Share
    threshold: Annotated[float | None, "The score that is taken at least; null where nobody is."]
    true_positives: Annotated[Count, "Members that are found."]
    false_positives: Annotated[Count, "Others that are taken for members."]
    members: Count
    others: Count
    usable: Annotated[bool, "Others are so many that such a rate allows a false alarm."]
    tpr: Share | None
    lower: Annotated[Share, "The exact interval (Clopper and Pearson)."]
    upper: Share
    wilson_rate: Annotated[Share, "The middle of the interval of Wilson."]
    wilson_lower: Share
    wilson_upper: Share


@dataclass(frozen=True)
class CurvePoint:
    """A point of a ROC curve."""

    threshold: Annotated[float | None, "The score that is taken at least; null where nobody is, or all are."]
    true_positives: Count
    false_positives: Count
    tpr: Share
    fpr: Share


@dataclass(frozen=True)
class Receiver:
    """How well scores tell members from others."""

    members: Count
    others: Count
    auc: Annotated[Share | None, "Null without members or others."]
    balanced_accuracy: Annotated[Share | None, "At the threshold that is best on these records."]
    rates: tuple[Rate, ...]
    curve: Annotated[
        tuple[CurvePoint, ...], "Points of the ROC curve, the last of each small step, nobody taken first."
    ]


@dataclass(frozen=True)
class ReleaseScore:
    """How sure classifiers of members and of others are of the release."""

    members_mean: float
    members_deviation: float | None
    others_mean: float
    others_deviation: float | None
    auc: Share | None


@dataclass(frozen=True)
class Experiment:
    """What classifiers of members and of others made of the release."""

    targets: Annotated[Count, "Members, and as many others, each of which a classifier learns."]
    copies: Count
    beside: Count
    folds: Count
    held_out: Count
    false_alarms: Count
    largest: ReleaseScore
    mean: ReleaseScore


@dataclass(frozen=True)
class Attack:
    """What one attack guessed; where the members are not known, what came of it is null."""

    attack: str
    guesses: Annotated[tuple[Count, ...], "Places in the population from 0, the surest first."]
    hits: Count | None
    expected: Annotated[Positive | None, "Hits of chance."]
    accuracy: Share | None
    lift: Positive | None
    chance: Annotated[Share | None, "The probability of as many hits or more by chance."]
    void: Annotated[bool | None, "Chance finds as much with a probability of 5% or more."]
    scores: Receiver | None
    experiment: Experiment | None = left_out()


@dataclass(frozen=True, repr=False)
class Attacks(Result):
    """Attacks that guess whose records a release was made from."""

    report: ClassVar[str] = "membership_attack"

    version: int
    kind: Literal["attack"]
    population: Table
    released: Table
    members: Table | None
    reference: Table | None
    attributes: tuple[str, ...]
    guesses: Annotated[Count, "Candidates that each attack guesses."]
    weight: Positive
    clusters: Count
    starts: Count
    standardised: bool
    shadows: Count
    seed: Count
    attacks: tuple[Attack, ...]
    engine: str
    duckrisk: str
    statements: tuple[Statement, ...] = aside()
