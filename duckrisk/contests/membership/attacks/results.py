"""What attacks on membership give, and the score of what several people guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    Positive,
    Result,
    Share,
    Table,
    Version,
    aside,
    inlined,
    left_out,
)
from duckrisk.engine.sql_log import Statement


@dataclass(frozen=True)
class Intervals:
    """Where a share is, by two rules."""

    sql: ClassVar[tuple[str, ...]] = ("clopper_pearson", "wilson_interval")

    lower: Annotated[Share, "The exact interval (Clopper and Pearson)."]
    upper: Share
    wilson_rate: Annotated[Share, "The middle of the interval of Wilson."]
    wilson_lower: Share
    wilson_upper: Share


@dataclass(frozen=True)
class Rate:
    """What a score finds at a maximum rate of false positives."""

    sql: ClassVar[tuple[str, ...]] = ("tpr_at_fpr",)

    fpr: Share
    threshold: Annotated[float | None, "The score that is taken at least; null where nobody is."]
    true_positives: Annotated[Count, "Members that are found."]
    false_positives: Annotated[Count, "Others that are taken for members."]
    members: Count
    others: Count
    usable: Annotated[bool, "There are enough others for the rate to allow a false positive."]
    tpr: Share | None
    interpolated: Annotated[Share | None, "The TPR on the line between two points of the curve."]
    intervals: Intervals = inlined()


@dataclass(frozen=True)
class EpsilonBound:
    """What scores say at least of the epsilon of differential privacy."""

    sql: ClassVar[tuple[str, ...]] = ("epsilon_rates", "epsilon_bound")

    epsilon: Annotated[Positive, "The lower bound; 0 where the scores show nothing."]
    by_members: Annotated[bool, "It is that of the members found; else that of the others left out."]
    members: Annotated[Count, "In the half of the records that it is measured on."]
    others: Count
    true_positives: Count
    false_positives: Count


@dataclass(frozen=True)
class CurvePoint:
    """A point of a ROC curve."""

    sql: ClassVar[tuple[str, ...]] = ("roc_points",)

    threshold: Annotated[float | None, "The score that is taken at least; null where nobody is, or all are."]
    true_positives: Count
    false_positives: Count
    tpr: Share
    fpr: Share


@dataclass(frozen=True)
class Receiver:
    """How well scores tell members from others."""

    sql: ClassVar[tuple[str, ...]] = ("roc_summary",)

    members: Count
    others: Count
    auc: Annotated[Share | None, "Null without members or others."]
    balanced_accuracy: Annotated[Share | None, "At the threshold that is best on these records."]
    rates: tuple[Rate, ...]
    curve: Annotated[
        tuple[CurvePoint, ...], "Points of the ROC curve, the last of each small step, nobody taken first."
    ]
    epsilon: Annotated[EpsilonBound | None, "Null where half of the records has no member or no other."] = (
        None
    )


@dataclass(frozen=True)
class ReleaseScore:
    """How sure classifiers of members and of others are of the release."""

    members_mean: float
    members_deviation: float | None
    others_mean: float
    others_deviation: float | None
    auc: Share | None


@dataclass(frozen=True)
class ExperimentRelease:
    """What the same classifiers made of another release."""

    sql: ClassVar[tuple[str, ...]] = ("guess_hits", "hypergeometric_tail")

    release: Annotated[str, "Its file."]
    hits: Annotated[Count, "Members among the first guesses, as many as there are targets of a kind."]
    chance: Annotated[Share, "The probability of as many hits or more by chance."]
    void: Annotated[bool, "Chance finds as much with a probability of 5% or more."]
    largest: ReleaseScore
    mean: ReleaseScore


@dataclass(frozen=True)
class Experiment:
    """What classifiers of members and of others made of the release."""

    targets: Annotated[Count, "Members, and the same number of others, that a classifier learns."]
    copies: Count
    others_per_target: Annotated[Count, "Other records that each target is learnt with."]
    folds: Count
    held_out: Count
    false_alarms: Count
    largest: ReleaseScore
    mean: ReleaseScore
    other_releases: (
        Annotated[tuple[ExperimentRelease, ...], "Other releases, shown to the same classifiers."] | None
    ) = left_out()


@dataclass(frozen=True)
class Attack:
    """What one attack guessed; where the members are not known, what came of it is null."""

    sql: ClassVar[tuple[str, ...]] = ("guessed_records", "guess_hits", "hypergeometric_tail")

    attack: str
    guesses: Annotated[tuple[Count, ...], "Places in the population from 0, the surest first."]
    hits: Count | None
    expected: Annotated[Positive | None, "Hits of chance."]
    accuracy: Share | None
    lift: Positive | None
    chance: Annotated[Share | None, "The probability of as many hits or more by chance."]
    void: Annotated[bool | None, "Chance finds as much with a probability of 5% or more."]
    scores: Receiver | None
    exposed: Annotated[Receiver | None, "The same for the most exposed candidates alone."] = left_out()
    experiment: Experiment | None = left_out()


@dataclass(frozen=True, repr=False, kw_only=True)
class Attacks(Result):
    """Attacks that guess whose records a release was made from."""

    report: ClassVar[str] = "membership_attack"

    version: Version = 2
    kind: Literal["attack"] = "attack"
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
    exposed_undecided: Annotated[
        Count | None, "Other candidates that might be among the most exposed; not compared with all others."
    ] = left_out()
    engine: str
    duckrisk: str
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()


# --- scores --------------------------------------------------------------------------------------

Phase = Literal["preliminary", "final"]


@dataclass(frozen=True)
class ScoredGuess:
    """What one person's guess of members came to."""

    sql: ClassVar[tuple[str, ...]] = ("score_of_guess", "hypergeometric_tail")

    attacker: str
    guess: Annotated[str, "The file."]
    guesses: Count
    hits: Count
    accuracy: Annotated[Share, "hits / guesses"]
    lift: Annotated[Positive, "accuracy / (members / population)"]
    expected: Annotated[Positive, "Hits by chance."]
    p_value: Annotated[Share, "The probability of at least as many hits by chance (hypergeometric)."]
    void: Annotated[bool, "Not better than chance: the p-value is not below settings.significance."]
    intervals: Intervals = inlined()


@dataclass(frozen=True)
class Submission:
    """A release, by the records it was made of, and the attacks on it in one phase."""

    sql: ClassVar[tuple[str, ...]] = ("best_attack",)

    name: str
    phase: Phase
    members: Table
    safety: Annotated[Share | None, "1 - the accuracy of the best attack; null without attack."]
    accuracy: Annotated[Share | None, "That of the best attack."]
    p_value: Annotated[Share | None, "The smallest p-value times the number of attacks (Bonferroni)."]
    void: Annotated[bool, "No attack is better than chance, or there is none."]
    attacks: Annotated[tuple[ScoredGuess, ...], "The most accurate first."]


@dataclass(frozen=True)
class ScoredRecords:
    """How well one person's scores of records tell members from others."""

    submission: str
    attacker: str
    scores: Annotated[str, "The file."]
    receiver: Receiver = inlined()


@dataclass(frozen=True)
class LeagueEntry:
    """A team of the contest."""

    sql: ClassVar[tuple[str, ...]] = ("attack_league",)

    name: str
    safety: Annotated[Share | None, "As the one who made a release."]
    safety_points: Count | None
    safety_rank: Count | None
    attack: Annotated[Share | None, "The mean accuracy against the three safest others."]
    attack_points: Count | None
    attack_rank: Count | None
    overall: Annotated[Share | None, "1 / (safety_rank + attack_rank)"]


@dataclass(frozen=True)
class ScoreSettings:
    """What was asked for."""

    confidence: Annotated[Share, "Of the intervals."]
    significance: Annotated[Share, "An attack is void where chance finds as much with this probability."]


@dataclass(frozen=True, repr=False, kw_only=True)
class Score(Result):
    """The score of attacks on membership."""

    report: ClassVar[str] = "membership_score"

    version: Version = 1
    kind: Literal["membership_score"] = "membership_score"
    population: Table
    submissions: tuple[Submission, ...]
    scores: tuple[ScoredRecords, ...]
    league: Annotated[tuple[LeagueEntry, ...] | None, "The best overall first; null for one submission."]
    settings: ScoreSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()
