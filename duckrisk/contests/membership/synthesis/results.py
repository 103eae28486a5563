"""What is told of releases that were made: how, how like the original they are, and what a search found."""

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
from duckrisk.base.sentences import Sentence
from duckrisk.engine.sql_log import Statement
from duckrisk.release.anonymization.results import StepDone

Category = Annotated[str | None, "A category, only with settings.show_values; null for a number."]
Notes = Annotated[tuple[Sentence, ...], "What was noticed on the way."]
#: The thresholds of the two rounds of the contest.
RoundName = Literal["preliminary", "final"]


# --- indices -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AttributeDistance:
    """How far the counts of an attribute's values are apart."""

    sql: ClassVar[tuple[str, ...]] = ("histogram_index",)

    attribute: str
    distance: Count


@dataclass(frozen=True)
class HistogramIndex:
    """How alike the counts of values are."""

    sql: ClassVar[tuple[str, ...]] = ("histogram_index",)

    value: Annotated[float, "U_hist; below 0 for a release of quite another size."]
    distance: Annotated[Count, "The sum of the differences of counts."]
    attributes: tuple[AttributeDistance, ...]


@dataclass(frozen=True)
class CovarianceIndex:
    """How alike the covariances of dummies are."""

    sql: ClassVar[tuple[str, ...]] = ("covariance_index",)

    value: Annotated[Positive | None, "U_VCM = 1 / largest_sum; null where it is infinite."]
    largest_sum: Positive
    attribute: Annotated[str, "Of the dummy whose covariances differ most."]
    category: Category
    infinite: bool


@dataclass(frozen=True)
class CorrelationIndex:
    """How alike the correlations of dummies are."""

    sql: ClassVar[tuple[str, ...]] = ("correlation_index",)

    value: Annotated[float, "U_cor = 1 - difference"]
    mean_value: Annotated[float, "With the mean of all differences in its place."]
    difference: Positive
    first_attribute: str | None
    first_category: Category
    second_attribute: str | None
    second_category: Category


@dataclass(frozen=True)
class TreeIndex:
    """How alike the predictions of a tree learnt from the release and of one learnt from the original are."""

    attribute: str
    positive: Annotated[str, "The value that the tree tells from others."]
    depth: Count
    judged: Annotated[bool, "The thresholds are about it."]
    value: Annotated[Share, "U_DT, the F-measure."]
    both: Annotated[Count, "Test records that both trees take for positive."]
    only_release: Count
    only_original: Count


@dataclass(frozen=True)
class Check:
    """A threshold, and what is held against it."""

    sql: ClassVar[tuple[str, ...]] = ("histogram_index", "covariance_index", "correlation_index")

    index: Annotated[str, "histogram, covariance, correlation, trees, or a tree and its attribute"]
    value: float | None
    threshold: float
    passed: Annotated[bool | None, "null: not measured"]


@dataclass(frozen=True)
class Round:
    """The thresholds of a round."""

    checks: tuple[Check, ...]
    passed: Annotated[bool | None, "null: open, since something was not measured"]


@dataclass(frozen=True)
class Rounds:
    """The two rounds of the contest."""

    preliminary: Round
    final: Round


@dataclass(frozen=True)
class Indices:
    """The utility of a release by the indices of the contest."""

    histogram: HistogramIndex
    covariance: CovarianceIndex
    correlation: CorrelationIndex
    trees: tuple[TreeIndex, ...] | None
    trees_not_measured: Annotated[Sentence | None, "Why."]
    rounds: Rounds


@dataclass(frozen=True)
class ReleaseIndices:
    """The utility of one release."""

    sql: ClassVar[tuple[str, ...]] = ("count_missing",)

    name: str
    records: Count
    indices: Indices = inlined()


@dataclass(frozen=True)
class EncodedAttribute:
    """A column that took part."""

    sql: ClassVar[tuple[str, ...]] = ("dummy_places",)

    name: str
    numeric: bool
    dummies: Annotated[Count, "The components it has of a one-hot vector."]


@dataclass(frozen=True)
class UtilitySettings:
    """What was asked for."""

    show_values: bool


@dataclass(frozen=True, repr=False, kw_only=True)
class Utility(Result):
    """How like releases are to their original, by the indices of the contest."""

    report: ClassVar[str] = "membership_utility"

    version: Version = 1
    kind: Literal["membership_utility"] = "membership_utility"
    original: Table
    test: Annotated[Table | None, "Records that the trees predict."]
    attributes: tuple[EncodedAttribute, ...]
    releases: tuple[ReleaseIndices, ...]
    settings: UtilitySettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()


# --- what was made -------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False, kw_only=True)
class Synthesized(Result):
    """A synthetic or perturbed release that was written."""

    report: ClassVar[str] = "membership_synthesize"
    sql: ClassVar[tuple[str, ...]] = ("count_missing",)

    version: Version = 1
    kind: Literal["membership_synthesis"] = "membership_synthesis"
    release: Annotated[str, "The file that was written."]
    method: str
    members: Annotated[Count, "The records it was made of."]
    records: Annotated[Count, "The records it has."]
    exact: Annotated[
        bool | None,
        "Means and covariances are those of the source until vectors become records; null for other methods.",
    ]
    steps: Annotated[tuple[StepDone, ...], "What each step of the treatment did, in counts."]
    notes: Notes
    environment: Environment


@dataclass(frozen=True)
class NoiseTried:
    """What releases reach whose cells stay with a probability."""

    keep: Annotated[Share, "The probability that a cell stays."]
    checks: Annotated[tuple[Check, ...], "The thresholds of the round against the means of the draws."]
    passed: Annotated[bool | None, "null: open, since something was not measured"]


@dataclass(frozen=True)
class NoiseAttack:
    """What an attack finds in the release with the most noise."""

    sql: ClassVar[tuple[str, ...]] = ("guess_hits", "roc_summary")

    attack: str
    candidates: Annotated[Count, "Records that the attacker chooses from, the members among them."]
    guesses: Annotated[Count, "Candidates that are guessed."]
    hits: Annotated[Count, "Guesses that are members."]
    expected: Annotated[Positive | None, "Hits of chance."]
    auc: Annotated[Share | None, "Null without members or others."]


@dataclass(frozen=True)
class NoiseSearch:
    """How much noise a release bears."""

    drawn: Annotated[Literal["rr", "rrp"], "How the other cells are drawn anew."]
    keep: Annotated[Share, "The smallest probability that a cell stays, by which all thresholds are reached."]
    draws: Annotated[Count, "Releases of each probability."]
    tried: Annotated[tuple[NoiseTried, ...], "By probability, ascending."]
    attack: NoiseAttack | None = left_out()


@dataclass(frozen=True, repr=False, kw_only=True)
class Annealed(Result):
    """A release that was searched for, the one with the lowest cost, and how the search went."""

    report: ClassVar[str] = "membership_anneal"
    sql: ClassVar[tuple[str, ...]] = ("count_missing",)

    version: Version = 1
    kind: Literal["membership_annealing"] = "membership_annealing"
    release: Annotated[str, "The file that was written."]
    records: Annotated[Count, "The records it has."]
    method: str
    round: Annotated[RoundName, "Whose thresholds were searched for."]
    start: Annotated[Positive, "The cost of the table that was begun with."]
    cost: Annotated[Positive, "By how much indices are below their thresholds together; 0: all are reached."]
    iterations: Annotated[Count, "Of the whole search, as the swaps that were kept."]
    kept: Count
    measured: Annotated[Count, "How often the trees were measured."]
    indices: Indices
    interrupted: Annotated[int | None, "The signal that ended the search."]
    state: Annotated[str | None, "The file that the search goes on from with --resume."]
    noise: NoiseSearch | None = left_out()
    notes: Notes
    environment: Environment
    seconds: float = aside(0.0)
    statements: tuple[Statement, ...] = aside()

    @property
    def checks(self) -> tuple[Check, ...]:
        """Each threshold of the round that was searched for."""
        return self._round.checks

    @property
    def passed(self) -> bool | None:
        """Whether all of them are reached; None where not all were measured."""
        return self._round.passed

    @property
    def _round(self) -> Round:
        return self.indices.rounds.final if self.round == "final" else self.indices.rounds.preliminary
