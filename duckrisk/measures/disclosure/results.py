"""What the measures of disclosure give, a section of an assessment each; searches are in ``set_results``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.options.disclosure import Rule
from duckrisk.base.results import Count, Positive, Range, Share
from duckrisk.base.sentences import Sentence
from duckrisk.roles.results import ColumnNotExamined, IdentifierFound, group_kinds

Unit = Literal["record", "user"]
Missing = Annotated[Rule, "The rule for missing cells."]
MissingCells = Annotated[Count, "Cells of these attributes that are missing."]

# --- class sizes ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuasiIdentifier:
    """A column that an attacker knows."""

    column: str
    reason: Annotated[Sentence, "Why it was taken."]


@dataclass(frozen=True)
class BelowSize:
    """What is in classes smaller than a size."""

    sql: ClassVar[tuple[str, ...]] = ("class_thresholds",)

    class_size: Annotated[int, Range(2), "The size that is asked for."]
    records: Count
    share: Annotated[Share | None, "Share of all units."]


@dataclass(frozen=True)
class Band:
    """Classes whose sizes lie in a band."""

    sql: ClassVar[tuple[str, ...]] = ("class_bands",)

    least: Annotated[Count, "The least size of the band."]
    most: Annotated[Count, "The largest size of the band."]
    classes: Count
    records: Count
    share: Annotated[Share | None, "Share of all units."]


@dataclass(frozen=True)
class SizesByRule:
    """Class sizes by one rule for missing cells: k, prosecutor and marketer risk, and what a size costs."""

    metric: ClassVar[str] = "reidentification_risk"

    missing: Missing
    unit: Annotated[Unit, "What is counted."]
    records: Count
    classes: Count
    smallest_class: Count | None
    largest_class: Count | None
    average_class: Positive | None
    alone: Count
    share_alone: Share | None
    highest_risk: Share | None
    lowest_risk: Share | None
    average_risk: Share | None
    class_average_risk: Share | None
    below: Annotated[tuple[BelowSize, ...], "What is in classes smaller than each of the asked sizes."]
    lost: Annotated[tuple[BelowSize, ...], "What would be lost if each size were demanded."]
    distribution: Annotated[tuple[Band, ...], "Classes by bands of their size."]


@dataclass(frozen=True)
class Calibration:
    """What samples of the table estimate, as if it were the population."""

    sql: ClassVar[tuple[str, ...]] = ("calibration",)

    fraction: Annotated[Share, "Share of the records that each sample is."]
    fewest_records: Annotated[Count, "Records of the smallest of these samples."]
    draws: Annotated[Count, "Samples that the model had a solution for."]
    kappa: Annotated[Share | None, "Mean estimate of kappa; null without a solution."]
    kappa_lowest: Annotated[Share | None, "The lowest estimate of a sample; null without a solution."]
    kappa_highest: Annotated[Share | None, "The highest estimate of a sample; null without a solution."]
    truth: Annotated[Share, "What is true of the table: classes for each record."]


@dataclass(frozen=True)
class PopulationUniqueness:
    """How many people of the population are unique, by models."""

    metric: ClassVar[str] = "population_uniqueness"
    sql: ClassVar[tuple[str, ...]] = ("calibrated_interval",)

    fraction: Annotated[Share | None, "Share of the population that the records are."]
    records: Count
    people: Positive | None
    zayatz: Share | None
    pitman: Share | None
    pitman_alpha: Share | None
    pitman_theta: float | None
    snb: Share | None
    dankar: Share | None
    dankar_model: Literal["zayatz", "pitman", "snb"] | None
    kappa: Share | None
    kappa_lower: Annotated[
        Share | None,
        "Kappa if it is as far too high as the sample of the nearest fraction; null without any.",
    ]
    kappa_upper: Annotated[
        Share | None, "Kappa if it is as far too low as the sample of the nearest fraction; null without any."
    ]
    calibration: Annotated[
        tuple[Calibration, ...],
        "Estimates from samples of this table, and the truth; empty at fraction 1, without kappa, and above "
        "6 million records.",
    ]


@dataclass(frozen=True)
class JournalistRisk:
    """Risk among the people of a population."""

    metric: ClassVar[str] = "journalist_risk"

    by: Annotated[Literal["population", "fraction"], "What the population's classes are known by."]
    records: Count
    classes: Count
    people: Positive | None
    k_map: Positive | None
    highest_risk: Share | None
    average_risk: Share | None
    marketer_risk: Share | None
    delta_min: Share | None
    delta_max: Share | None
    records_beyond: Count
    below: Annotated[tuple[BelowSize, ...], "What is in classes smaller than each of the asked sizes."]


@dataclass(frozen=True)
class IndividualRisk:
    """Risk by survey weights, or by the fraction, as Benedetti and Franconi have it."""

    sql: ClassVar[tuple[str, ...]] = ("individual_totals", "class_missing")

    by: Annotated[Literal["weight", "fraction"], "What the population's classes are known by."]
    records: Count
    highest_risk: Annotated[Share | None, "Of the record that is found most easily."]
    average_risk: Annotated[Share | None, "Mean over the records."]
    expected_found: Annotated[Positive | None, "Records that an attacker on all of them is expected to find."]
    highest_exact_risk: Annotated[Share | None, "The highest by the exact form."]
    average_exact_risk: Annotated[Share | None, "The mean by the exact form."]
    unweighted_records: Annotated[
        Count | None, "Records whose weight is missing or not above 0; they count as one person."
    ]


@dataclass(frozen=True)
class HouseholdRisk:
    """Risk of finding somebody of a household."""

    metric: ClassVar[str] = "household_risk"

    by: Annotated[Literal["weight", "fraction"], "What the population's classes are known by."]
    records: Count
    households: Count
    highest_risk: Share | None
    average_risk: Share | None
    expected_found: Positive | None


@dataclass(frozen=True)
class ClassSizes:
    """How many people look alike on the quasi-identifiers."""

    sql: ClassVar[tuple[str, ...]] = ("combination_totals", "class_missing")

    quasi_identifiers: Annotated[tuple[QuasiIdentifier, ...], "What an attacker knows."]
    missing: Missing
    missing_cells: Annotated[
        Count | None, "Cells of these attributes that are missing; null where they were not counted."
    ]
    incomplete_records: Annotated[
        Count | None, "Records with a missing cell; null where they were not counted."
    ]
    rules: Annotated[tuple[SizesByRule, ...], "The classes by each rule for missing cells."]
    users: Annotated[
        tuple[SizesByRule, ...] | None,
        "The classes of users by their whole histories, by each rule; null where each record counts as its "
        "own person.",
    ]
    population_uniqueness: Annotated[PopulationUniqueness | None, "Null without a fraction."]
    journalist: Annotated[JournalistRisk | None, "Null without a population."]
    individual: Annotated[IndividualRisk | None, "Null without survey weights and a fraction."]
    household: Annotated[HouseholdRisk | None, "Null without a column of households."]

    @property
    def chosen(self) -> SizesByRule:
        """The classes of records by the rule that was chosen."""
        return next(sizes for sizes in self.rules if sizes.missing == self.missing)


# --- direct identifiers --------------------------------------------------------------------------


@dataclass(frozen=True)
class HipaaItem:
    """An identifier of HIPAA's list."""

    item: Annotated[Count, "Its place in the list."]
    identifier: Annotated[Sentence, "What it is."]
    by_content: Annotated[
        tuple[str, ...], "The kinds that are found by content; none: by the name of a column alone."
    ]
    columns: Annotated[tuple[str, ...], "The columns that were found."]


@dataclass(frozen=True)
class DirectIdentifiers:
    """Direct identifiers found in the content of columns."""

    columns_examined: Annotated[Count, "Columns whose type can spell an identifier and that were looked at."]
    not_examined: Annotated[
        tuple[ColumnNotExamined, ...],
        "Columns that can hold an identifier and were not looked at, or not all of whose values were.",
    ]
    found: Annotated[
        tuple[IdentifierFound, ...], "Kinds that a column has valid cells of, the likely ones first."
    ]
    hipaa: Annotated[tuple[HipaaItem, ...], "The eighteen identifiers of HIPAA."]

    def kinds(self) -> dict[str, list[str]]:
        """Group the kinds that identify alone by column."""
        return group_kinds(self.found)


# --- attribute disclosure ------------------------------------------------------------------------


@dataclass(frozen=True)
class DisclosureFigures:
    """What classes tell of a sensitive attribute; records are users where ``unit`` says so."""

    metric: ClassVar[str] = "attribute_disclosure"

    records: Count
    classes: Annotated[Count, "Of units that agree on the quasi-identifiers, or groups that overlap."]
    distinct_values: Count
    k: Count | None
    alpha: Share | None
    distinct_l: Count | None
    entropy_l: float | None
    recursive_l: Count | None
    recursive_c: float | None
    equal_t: Share | None
    ordered_t: Annotated[
        Share | None,
        "Distance, values as far from each other as their places in the order; null without an order, or "
        "where users have several values.",
    ]
    basic_beta: float | None
    enhanced_beta: float | None
    beyond_enhanced: Count
    delta: float | None
    homogeneous_classes: Count
    homogeneous_records: Count
    share_homogeneous: Share | None


@dataclass(frozen=True)
class _ByRule:
    missing: Missing


@dataclass(frozen=True)
class DisclosureByRule(DisclosureFigures, _ByRule):
    """The figures by another rule for missing cells."""

    sql: ClassVar[tuple[str, ...]] = ("group_disclosure",)


@dataclass(frozen=True)
class _Sensitive:
    attribute: Annotated[str, "The sensitive attribute."]
    reason: Annotated[Sentence, "Why it counts as sensitive."]
    quasi_identifiers: Annotated[tuple[str, ...], "What an attacker knows."]
    unit: Annotated[Unit, "What is counted."]
    users_with_several: Annotated[
        Count | None, "Users with more than one value; null where records are counted."
    ]
    ordered: Annotated[bool, "Whether the order of its values means something."]
    missing: Missing
    missing_cells: MissingCells


@dataclass(frozen=True)
class SensitiveAttribute(DisclosureFigures, _Sensitive):
    """What the classes tell of one sensitive attribute."""

    sql: ClassVar[tuple[str, ...]] = (
        "group_disclosure",
        "missing_sensitive_values",
        "users_with_several_values",
        "hierarchical_closeness",
    )

    hierarchical_t: Annotated[Share | None, "Distance by the hierarchy of the values; null without one."]
    other_rules: Annotated[
        tuple[DisclosureByRule, ...],
        "The same by the other rules for missing cells; empty where no cell is missing or they were not "
        "tried.",
    ]


@dataclass(frozen=True)
class AttributeDisclosure:
    """What the classes of the quasi-identifiers tell of sensitive attributes."""

    attributes: tuple[SensitiveAttribute, ...]


# --- information gain ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Gains:
    """Bits that cells tell."""

    metric: ClassVar[str] = "information_gain"

    mean_gain: float
    median_gain: float
    high_gain: float
    highest_gain: float


@dataclass(frozen=True)
class _OfAttribute:
    attribute: str
    entropy: Annotated[
        float,
        "Bits that a value tells by itself on average over records; a missing cell tells 0 by the rules "
        "other than value.",
    ]


@dataclass(frozen=True)
class AttributeGains(Gains, _OfAttribute):
    """Bits that the cells of an attribute tell."""


@dataclass(frozen=True)
class GainsByRule:
    """The figures by a rule for missing cells."""

    missing: Missing
    record: Annotated[Gains, "All cells of a record together."]
    attributes: Annotated[tuple[AttributeGains, ...], "The most telling first."]


@dataclass(frozen=True)
class InformationGain:
    """How many bits cells tell to whoever knows the rest of the record."""

    sql: ClassVar[tuple[str, ...]] = ("count_records", "users", "missing_sensitive_values")

    records: Count
    missing: Missing
    missing_cells: MissingCells
    record: Annotated[Gains, "All cells of a record together."]
    attributes: Annotated[tuple[AttributeGains, ...], "The most telling first."]
    other_rules: Annotated[
        tuple[GainsByRule, ...],
        "The same by the other rules for missing cells; empty where no cell is missing or they were not "
        "tried.",
    ]


@dataclass(frozen=True)
class SensitiveColumn:
    """What the classes of the quasi-identifiers disclose of a sensitive column."""

    metric: ClassVar[str] = "disclosed_people"

    column: Annotated[str, "Text: the name of the column."]
    proposed: Annotated[bool, "Truth value: the column looks sensitive, and nobody declared its role."]
    disclosed_people: Count | None
    share: Share | None
    classes: Count
    disclosed_classes: Count
