"""What the measures of attribute risk give; what most numbers mean is told by the SQL headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Positive, Share, Truncation, left_out

Interval = Literal["confidence", "paper"]


@dataclass(frozen=True)
class Sampled:
    """The risk by the sampling model."""

    metric: ClassVar[str] = "attribute_sample"

    estimate: Annotated[
        float | None,
        "Probability: the risk estimated from the sampled values; the paper's form can leave 0 to 1.",
    ]
    lower: Annotated[
        float | None, "Probability: lower end of the interval; the paper's form is not clipped at 0."
    ]
    upper: Annotated[
        float | None, "Probability: upper end of the interval; the paper's form is not clipped at 1."
    ]
    sampled_values: Count | None
    records_read: Count | None
    confidence: Annotated[
        Share | None, "Probability: confidence of the interval; null for the paper's, which has none."
    ]
    interval: Annotated[Interval, "Name of the kind of interval."]
    most_dangerous: Annotated[
        bool,
        "Truth value: no other attribute's interval lies wholly above this one, and somebody may plausibly "
        "know it.",
    ] = False


@dataclass(frozen=True)
class DangerousValue:
    """One value of people's records and what an attacker gains from it."""

    metric: ClassVar[str] = "attribute_values"

    value: str | None
    records: Count | None
    users: Count | None
    records_per_user: Positive | None
    probability: Share | None
    identification_given_value: Share | None
    identification: Share | None


@dataclass(frozen=True)
class AttributeRisk:
    """One attribute. What the method "sample" does not count is null."""

    metric: ClassVar[str] = "attribute_risk"

    attribute: Annotated[
        str, "Text: the name of the attribute: a column, a column with a coarser knowledge, or a composite."
    ]
    records: Count | None = None
    distinct_values: Count | None = None
    mean_risk: Share | None = None
    mean_model_risk: Share | None = None
    minimum_cost_risk: Share | None = None
    max_value_risk: Share | None = None
    mean_records_per_user: Positive | None = None
    share_below_k: Share | None = None
    records_below_k: Count | None = None
    singled_out_records: Count | None = None
    share_singled_out: Share | None = None
    singled_out_values: Count | None = None
    sampled: Annotated[Sampled | None, "The risk by sampling; null where no value was sampled."] = None
    plausible: Annotated[
        bool,
        "Truth value: somebody may plausibly know it of others, which nobody does of the numbers of events, "
        "households and surveys; these come last.",
    ] = True
    rank: Annotated[Count, "Rank, 1 is the most dangerous."] = 0
    most_dangerous: Annotated[
        bool,
        'Truth value: no attribute has a higher risk; by the method "sample", no interval lies wholly above '
        "this one.",
    ] = False
    values: (
        Annotated[
            tuple[DangerousValue, ...],
            "The most dangerous values: those of the fewest users, of equals those of most records, at most "
            "10; present only where settings.show_values is true.",
        ]
        | None
    ) = left_out()
    values_listed: Annotated[Truncation | None, "Of these values."] = left_out()

    @property
    def risk(self) -> float | None:
        """The risk that the attribute is ranked by: the counted one, or the sample's."""
        if self.mean_risk is not None:
            return self.mean_risk
        return self.sampled.estimate if self.sampled is not None else None


@dataclass(frozen=True)
class KnownRecords:
    """What an attacker gains who knows several records of one user by one attribute."""

    metric: ClassVar[str] = "known_records"
    sql: ClassVar[tuple[str, ...]] = ("attribute_risk",)

    attribute: Annotated[str, "Text: the name of the attribute."]
    known_records: Count
    draws: Annotated[Count | None, "Attackers drawn; null where the number was counted exactly."]
    risk: Share | None
    risk_lower: float | None
    risk_upper: float | None
    unicity: Share | None
    unicity_lower: Share | None
    unicity_upper: Share | None


@dataclass(frozen=True)
class Coarser:
    """An attribute published more coarsely."""

    metric: ClassVar[str] = "attribute_risk"
    sql: ClassVar[tuple[str, ...]] = ("risk_of_few_values",)

    attribute: Annotated[str, "Text: the name of the attribute as it is."]
    coarser: Annotated[str, "Text: the name of the coarser attribute."]
    distinct_values: Count | None
    mean_risk: Share | None
    share_below_k: Share | None


@dataclass(frozen=True)
class ModelError:
    """One model of the risk of one attribute."""

    metric: ClassVar[str] = "model_errors"

    attribute: Annotated[str, "Text: the name of the attribute."]
    model: Literal["exact", "sampling", "minimum cost"]
    cost: Count | None
    risk: float | None
    error: Positive | None


@dataclass(frozen=True)
class SingleValue:
    """One value alone, without the value itself."""

    metric: ClassVar[str] = "single_values"

    cost: Count | None
    risk: Positive | None
    error: Positive | None


@dataclass(frozen=True)
class SingleValues:
    """What single values of one attribute would say."""

    metric: ClassVar[str] = "sampling_centroid"

    attribute: Annotated[str, "Text: the name of the attribute."]
    points: Annotated[tuple[SingleValue, ...], "Up to 500 values."]
    distinct_values: Count
    mean_cost: Positive | None
    mean_error: Positive | None


@dataclass(frozen=True)
class AttributeRisks:
    """All that the measures of attribute risk found, the most dangerous attribute first."""

    attribute_risk: tuple[AttributeRisk, ...] = ()
    known_records: tuple[KnownRecords, ...] = ()
    coarser_knowledge: tuple[Coarser, ...] = ()
    model_errors: tuple[ModelError, ...] = ()
    single_values: SingleValues | None = None
