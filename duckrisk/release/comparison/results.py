"""What a comparison gives: the original and each release, with what is measured of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    InformationKept,
    Positive,
    Result,
    Share,
    Version,
    aside,
    inlined,
    left_out,
)
from duckrisk.base.sentences import Sentence
from duckrisk.decision.notices import Notice
from duckrisk.engine.sql_log import Statement
from duckrisk.measures.detail import Detail
from duckrisk.release.advice.results import PeopleLine
from duckrisk.release.comparison.utility_results import Distribution, MeansByGroup, Prediction

Notes = tuple[Sentence, ...]


@dataclass(frozen=True)
class Classes:
    """Equivalence classes of the quasi-identifiers."""

    metric: ClassVar[str] = "equivalence_classes"

    classes: Count
    smallest_class: Count
    records_below_k: Count
    unique_records: Count
    average_class_size: Positive
    discernibility: Positive


@dataclass(frozen=True)
class Identifiability:
    """The figures of the same name of an assessment."""

    sql: ClassVar[tuple[str, ...]] = ("count_records", "jo_model")

    records: Count
    singled_out: Count
    singled_out_share: Share | None
    unknown: Count
    total_ease: Positive | None
    total_value: Positive | None
    jo_total_value: Positive | None
    currency: str
    complete: bool
    has_leak: bool = aside(True)
    is_least: bool = aside(False)


@dataclass(frozen=True)
class AttributeRisk:
    """The figures of the same name of an assessment."""

    metric: ClassVar[str] = "attribute_risk"

    attribute: str
    mean_risk: Share | None
    max_value_risk: Share | None
    share_below_k: Share | None


@dataclass(frozen=True)
class Risk:
    """An assessment with the roles, attributes and levels of the original."""

    sql: ClassVar[tuple[str, ...]] = ("users", "count_records")

    users: Annotated[Count, "Persons behind the records."]
    people: Annotated[PeopleLine, "Who can be singled out, and what the policy says to it."]
    identifiability: Annotated[Identifiability | None, "Null where it could not be measured."]
    attribute_risk: tuple[AttributeRisk, ...]
    notes: Notes


@dataclass(frozen=True)
class Bound:
    """A lower bound: what is left by the cells of each record's own release alone."""

    sql: ClassVar[tuple[str, ...]] = ("own_cells",)

    kl: float | None
    information: InformationKept | None
    records: Annotated[int, "Records of the original that are covered."] = aside(0)


@dataclass(frozen=True, kw_only=True)
class Information:
    """What is left of the information."""

    sql: ClassVar[tuple[str, ...]] = (
        "release_distance",
        "release_cell_losses",
        "total_penalty",
    )

    kl: Annotated[
        float | None, "Bits: KL of the original against the release; null where infinite or not computed."
    ]
    kl_of_nothing: Annotated[float | None, "Bits: the same against a release that is suppressed throughout."]
    information: Annotated[
        InformationKept | None, "U = 1 - kl / kl_of_nothing, which may be below 0; null where kl is."
    ]
    exact: Annotated[bool, "Whether it was computed, by exact containment."]
    reason: Annotated[Literal["too_much"] | None, "Why it was not computed; the bound holds then."]
    valid: Annotated[
        bool | None, "Whether every record of the original is covered by some record of the release."
    ]
    uncovered_records: Annotated[Count | None, "Records of the original that are not."]
    false_cells: Annotated[Mapping[str, Count], "By attribute: cells that cover no value of the original."]
    false_forms: Annotated[
        Mapping[str, str],
        "By attribute: the layout of the most frequent of these, with 9 for numbers and a for letters.",
    ]
    ncp: Annotated[Positive, "Normalized certainty penalty, the sum over all cells of the release."]
    gcp: Annotated[Share, "The same by cells, records that a release lacks counted in full: 0 to 1."]
    detail: Detail = inlined()
    bound: Annotated[
        Bound | None, "Null without --key and --aligned where the information was computed exactly."
    ]


@dataclass(frozen=True)
class Cells:
    """What the cells of an attribute of a release are, and their certainty penalty."""

    sql: ClassVar[tuple[str, ...]] = ("release_cell_losses", "plain_column")

    ncp: Positive | None
    unchanged: Count
    suppressed: Count
    generalised: Count
    false_cells: Count
    missing: Annotated[Count, "Cells without a value."]
    false_form: str | None = aside(None)


@dataclass(frozen=True)
class AttributeLoss:
    """What an attribute lost."""

    sql: ClassVar[tuple[str, ...]] = ("release_distance",)

    attribute: str
    information: Annotated[InformationKept | None, "U of this attribute alone; 0 where a release lacks it."]
    total_variation: Annotated[Share | None, "Between the shares of its values."]
    cells: Cells = inlined()


@dataclass(frozen=True)
class CrossTable:
    """What the cross table of two attributes lost."""

    sql: ClassVar[tuple[str, ...]] = ("release_distance",)

    attributes: tuple[str, ...]
    total_variation: Annotated[
        Share | None, "The loss of the cross table; null where its cells overlap in too many ways."
    ]
    largest_difference: Annotated[Share | None, "Of a share in it; null likewise."]


@dataclass(frozen=True)
class Correlation:
    """The correlation of two attributes of numbers, before and after."""

    sql: ClassVar[tuple[str, ...]] = ("cell_correlation",)

    attributes: tuple[str, ...]
    original: float | None
    correlation: float | None
    change: float | None


@dataclass(frozen=True)
class GroupMeans:
    """What the means of an attribute of numbers lost in the categories of another."""

    sql: ClassVar[tuple[str, ...]] = ("subset_loss",)

    category: str
    number: str
    loss: Annotated[Positive | None, "Mean relative error of the means of the number in each category."]


@dataclass(frozen=True)
class MeanLosses:
    """One figure for each kind of loss: means over attributes, pairs and groups."""

    sql: ClassVar[tuple[str, ...]] = ("mean_losses",)

    total_variation: Share | None
    cross_table_loss: Share | None
    correlation_loss: Positive | None
    subset_loss: Positive | None


@dataclass(frozen=True)
class Utility:
    """Losses: 0 answers as the original does."""

    attributes: tuple[AttributeLoss, ...]
    cross_tables: tuple[CrossTable, ...]
    correlations: tuple[Correlation, ...]
    subsets: tuple[GroupMeans, ...]
    means: MeanLosses = inlined()
    group_means: Annotated[
        MeansByGroup | None, "Null where a table has no numeric column, or none with few categories."
    ] = None
    prediction: Annotated[Prediction | None, "Null without --predict."] = None
    distributions: Annotated[
        tuple[Distribution, ...], "Of a release, by attribute that it has; none of the original."
    ] = ()


@dataclass(frozen=True)
class Linkage:
    """Record linkage by a maximum-knowledge attacker."""

    metric: ClassVar[str] = "record_linkage"
    sql: ClassVar[tuple[str, ...]] = ("linkage",)

    records: Count
    rate: Share | None
    blind_rate: Share | None
    p_value: Share | None
    permutations: Count
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class Recommendation:
    """What recommendations by users in common lose."""

    sql: ClassVar[tuple[str, ...]] = ("similarity_loss", "top_items_loss")

    item: Annotated[str, "The column of what users have."]
    similarity_loss: Annotated[
        Share, "Distance of the cosines of items from those in the original, by the users who have them."
    ]
    pairs: Annotated[Count, "Pairs of items that some user of the original has both of."]
    items: Annotated[Count, "Items of the original."]
    vanished_items: Annotated[Count, "Items of the original that no user of the release has."]
    top_loss: Annotated[
        Share, "Share of the top items of the original that are not among those of the release."
    ]
    top: Annotated[Count, "How many items are the top ones."]
    missing_top_items: Annotated[Count, "Top items of the original that are not among those of the release."]


@dataclass(frozen=True)
class ComparedTable:
    """The original or a release."""

    sql: ClassVar[tuple[str, ...]] = ("count_records",)

    name: Annotated[str, "The file, table or kind of object."]
    original: Annotated[bool, "Whether this is the original, which comes first."]
    records: Count
    missing_attributes: Annotated[
        tuple[str, ...], "Attributes of the original that the table lacks; they count as suppressed."
    ]
    notes: Annotated[Notes, "What was done to open it."]
    classes: Classes
    risk: Risk | None
    information: Annotated[
        Information | None, "Null also where a release holds means of classes: what they cover is unknown."
    ]
    utility: Annotated[Utility | None, "Null as the information is."]
    linkage: Annotated[Linkage | None, "Null where records do not correspond."]
    recommendation: Annotated[
        Recommendation | None, "Null without --item, and where a release lacks the user or the item."
    ]

    @property
    def people(self) -> PeopleLine | None:
        """Who can be singled out in it by all columns together, if that was measured."""
        return self.risk.people if self.risk is not None else None

    @property
    def identifiability(self) -> Identifiability | None:
        """Who can be singled out in it, if that was measured."""
        return self.risk.identifiability if self.risk is not None else None

    @property
    def detail(self) -> Detail | None:
        """The columns and the detail that are left, if that was measured."""
        return self.information.detail if self.information is not None else None


@dataclass(frozen=True)
class Settings:
    """What was asked for."""

    k: Count
    aligned: bool
    key: str | None
    item: str | None
    only: Annotated[tuple[str, ...], "The parts that were measured."]
    hierarchies: str | None
    predict: Annotated[str | None, "The column that models predict."]
    show_values: Annotated[bool, "Truth value: the report may hold values of people's records."]
    seed: int
    config: str | None


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(Result):
    """Releases of a table compared with their original: the risk that is left, and what was lost for it."""

    report: ClassVar[str] = "compare"
    listing: ClassVar[str] = "tables"
    judges_policy: ClassVar[bool] = True

    version: Version = 2
    kind: Literal["comparison"] = "comparison"
    attributes: Annotated[tuple[str, ...], "The columns that are compared."]
    quasi_identifiers: Annotated[tuple[str, ...], "The columns that classes are made of."]
    tables: tuple[ComparedTable, ...]
    notes: Notes
    settings: Settings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()
    notices: tuple[Notice, ...] | None = left_out()

    @classmethod
    def verdicts(cls, data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str | None]]:
        """Return the verdicts on the releases."""
        releases = [table for table in data["tables"] if not table["original"] and table["risk"] is not None]
        return [(table["risk"]["people"]["verdict"], table["name"]) for table in releases]

    @property
    def original(self) -> ComparedTable:
        """The original."""
        return self.tables[0]

    @property
    def releases(self) -> tuple[ComparedTable, ...]:
        """The releases in their order."""
        return self.tables[1:]
