"""The results of searches over attribute sets: special uniques, figures of sets, minimal keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.options.disclosure import Rule, Scores
from duckrisk.base.results import Count, Positive, Share, Truncation, left_out
from duckrisk.measures.disclosure.results import Missing, MissingCells, Unit
from duckrisk.measures.sets.lattice import Limit

Attributes = Annotated[tuple[str, ...], "The attributes."]


@dataclass(frozen=True)
class Searched:
    """The searched attribute sets, and their people."""

    unit: Annotated[Unit, "Who is singled out or distinguished: a user is by any of their records."]
    records: Annotated[Count, "All records (with a user, where users are counted)."]
    users: Annotated[Count | None, "Null where each record counts as its own person."]
    attributes: Attributes
    missing_mode: Annotated[
        Rule,
        "A missing cell is a value of its own (value), agrees with every value (wildcard), or reveals "
        "nothing: a record counts for the sets whose attributes it all has (none).",
    ]
    missing_cells: MissingCells

    @property
    def persons(self) -> int:
        """Return the number of records or users that shares refer to."""
        return self.records if self.users is None else self.users

    @property
    def overlapping(self) -> bool:
        """Return whether records that agree with one need not agree with each other."""
        return self.missing_mode == "wildcard" and self.missing_cells > 0


OtherLimit = Annotated[
    Limit | Literal["patterns"] | None,
    "What ended the search; patterns: cells are missing in too many ways to compare all records; null where "
    "nothing did.",
]
OtherSize = Annotated[Count | None, "Attributes of a set at most; null where the search was not begun."]
OtherComplete = Annotated[
    bool, "Every set of the search by the first rule was examined, and nothing had ended that one."
]
NOT_BEGUN = (
    "By the other rules for missing cells; empty where no cell is missing, as all rules agree then, or where "
    "it was not asked for. Figures are null where a search was not begun."
)


@dataclass(frozen=True)
class SudaByRule:
    """Results by a rule for missing cells; none if the search did not begin."""

    sql: ClassVar[tuple[str, ...]] = ("suda_totals",)

    missing: Missing
    scored: Annotated[Count | None, "Records, or users, with a minimal unique."] = None
    scored_share: Share | None = None
    minimal_uniques: Count | None = None
    max_size: OtherSize = None
    complete: OtherComplete = False
    limit: OtherLimit = None


@dataclass(frozen=True)
class RiskCount:
    """The number of records with at least this risk."""

    sql: ClassVar[tuple[str, ...]] = ("suda_thresholds",)

    risk: Annotated[Share, "The limit."]
    records: Count


@dataclass(frozen=True)
class UniquesOfSize:
    """The minimal uniques of sets of one size."""

    sql: ClassVar[tuple[str, ...]] = ("suda_sizes",)

    size: Annotated[Count, "Attributes of the set."]
    minimal_uniques: Count
    persons: Annotated[Count, "Records, or users on a history."]


@dataclass(frozen=True)
class UniquesOfValue:
    """The minimal uniques that hold a value."""

    sql: ClassVar[tuple[str, ...]] = ("suda_values",)

    value: Annotated[str | None, "A value of people's records."]
    contribution: Annotated[Share | None, "Share of all scores."]
    minimal_uniques: Count
    persons: Annotated[Count, "Records, or users on a history."]


@dataclass(frozen=True)
class UniquesOfAttribute:
    """The minimal uniques that hold an attribute."""

    sql: ClassVar[tuple[str, ...]] = ("suda_attributes",)

    attribute: str
    contribution: Annotated[
        Share | None,
        "Share of all scores from minimal uniques with this attribute; a set counts for each of its "
        "attributes.",
    ]
    minimal_uniques: Count
    persons: Annotated[Count, "Records, or users on a history."]
    values_in_uniques: Annotated[Count, "How many of its values take part."]
    highest_value_contribution: Annotated[
        Share | None, "Share of all scores, of the value that takes part in most."
    ]
    values: Annotated[
        tuple[UniquesOfValue, ...] | None,
        "Those that contribute most, of equals those in most minimal uniques first, at most 10; only where "
        "values are shown.",
    ]
    values_listed: Truncation | None = left_out()


@dataclass(frozen=True)
class UniquesOfSet:
    """The minimal uniques on a set."""

    sql: ClassVar[tuple[str, ...]] = ("suda_sets",)

    attributes: Attributes
    size: Annotated[Count, "Attributes of the set."]
    minimal_uniques: Count
    persons: Annotated[Count, "Records, or users on a history."]


@dataclass(frozen=True)
class UniqueRecord:
    """A record with a high score."""

    sql: ClassVar[tuple[str, ...]] = ("suda_records",)

    record: Annotated[Count, "Number of the record, from 1."]
    score: Positive
    dis: Annotated[
        Share | None, "Probability that a match with the population is right; null where it is not defined."
    ]
    minimal_uniques: Count
    sets: Annotated[tuple[tuple[str, ...], ...], "Its minimal uniques, the smallest, at most 10."]
    sets_listed: Truncation
    cells: Annotated[
        Mapping[str, str | None] | None, "The values of the record; only where values are shown."
    ]


@dataclass(frozen=True)
class Suda(Searched):
    """Special uniques (SUDA): the smallest attribute sets on which a record is unique, and their scores.

    A user has the score of the highest record.
    """

    sql: ClassVar[tuple[str, ...]] = ("combination_totals", "users", "suda_totals")

    max_size: Annotated[Count, "The largest size of a searched set."]
    complete: Annotated[bool, "Whether all sizes were searched to the end."]
    limit: Annotated[Limit | None, "What ended the search before."]
    unique_on_all: Annotated[
        Count | None,
        "Who is the only one with their values on all attributes together, a missing cell being a value, or "
        "with wildcard agreeing with all; null where time ended the search before that was known.",
    ]
    in_pairs: Annotated[
        Count | None,
        "Records that exactly one other equals on all attributes, or with wildcard agrees with; null where "
        "users are counted or time ended the search before that was known.",
    ]
    scored: Annotated[Count, "Records, or users, with a minimal unique."]
    scored_share: Annotated[Share | None, "scored / records, or users."]
    scored_records: Annotated[Count, "Records with a minimal unique."]
    minimal_uniques: Annotated[Count, "Smallest attribute sets on which a record is alone."]
    scores: Annotated[
        Scores,
        "How a minimal unique is scored, by its k of m attributes: elliot, (m - k) (m - k - 1) ... "
        "(m - max_size), the last factor being 1 at least; ihsn, (2 ^ (m - k) - 1) / C(m, k).",
    ]
    score_total: Annotated[Positive, "The sum over the records; a whole number of elliot."]
    score_max: Annotated[Positive | None, "The highest of a record."]
    score_mean: Annotated[Positive | None, "score_total / scored."]
    fraction: Annotated[
        Share | None, "Share of the population that the records are, for DIS; null where DIS has no meaning."
    ]
    fraction_given: Annotated[bool, "Whether the share of the population was given, not assumed."]
    dis_max: Annotated[Share | None, "The highest DIS of a record."]
    dis_mean: Annotated[Share | None, "Over the scored records."]
    dis_at_least: Annotated[tuple[RiskCount, ...], "Records whose DIS is at least each of these."]
    no_dis_reason: Annotated[
        Literal["users", "missing", "time_limit"] | None,
        "Why there is no DIS: users are counted, not records; missing cells reveal nothing, so the records "
        "that agree on all attributes are unknown; time ended the search; null where there is one.",
    ]
    sizes: Annotated[tuple[UniquesOfSize, ...], "By the attributes of a set."]
    contributions: Annotated[tuple[UniquesOfAttribute, ...], "What each attribute takes part in."]
    sets: Annotated[
        tuple[UniquesOfSet, ...],
        "The attribute sets with most minimal uniques, of equals the smaller first, at most 50.",
    ]
    sets_listed: Truncation
    highest: Annotated[tuple[UniqueRecord, ...], "The records with the highest scores, at most 50."]
    highest_listed: Annotated[Truncation | None, "Null where users are counted: none is named."]
    other_rules: Annotated[tuple[SudaByRule, ...], NOT_BEGUN]

    def in_short(self) -> SudaByRule:
        """Return what the comparison of rules shows of this search."""
        return SudaByRule(
            self.missing_mode,
            self.scored,
            self.scored_share,
            self.minimal_uniques,
            self.max_size,
            self.complete,
            self.limit,
        )


@dataclass(frozen=True)
class SetFigures:
    """How well a set distinguishes records, and who is singled out."""

    metric: ClassVar[str] = "attribute_sets"
    sql: ClassVar[tuple[str, ...]] = ("set_listed",)

    attributes: tuple[str, ...]
    size: Annotated[Count, "Attributes of the set."]
    classes: Annotated[
        Count | None,
        "Of records that agree on the set; an estimate where a sample was counted; null where a missing "
        "cell agrees with every value: classes overlap then.",
    ]
    distinction: Annotated[
        Positive | None, "classes / records that have all attributes of the set; null where classes overlap."
    ]
    separation: Annotated[
        Share | None, "Share of the pairs of these records that are in different classes; null in a sample."
    ]
    singled_out: Annotated[Count, "Records, or users, with a class for themselves."]
    share_singled_out: Annotated[Share | None, "singled_out / records, or users."]
    lower: Annotated[Share | None, "95 % interval of the share, where a sample was counted."]
    upper: Annotated[Share | None, "Upper end of the interval; null where counted."]
    smallest_class: Annotated[
        Count | None,
        "Records of the smallest class; where a missing cell agrees with every value, the fewest that agree "
        "with one.",
    ]


@dataclass(frozen=True)
class BestSet(SetFigures):
    """The set of a size that singles out most; of equals one with most classes."""

    sql: ClassVar[tuple[str, ...]] = ("set_listed",)

    equals: Annotated[
        Count,
        "Other sets of the size that single out as many and have as many classes: this is the first.",
    ]


@dataclass(frozen=True)
class SetsByRule:
    """Results by a rule for missing cells; none if the search did not begin."""

    missing: Missing
    method: Annotated[
        Literal["exact", "sample"] | None,
        "How the sets were examined; null where the search was not begun.",
    ] = None
    max_size: OtherSize = None
    sets_examined: Annotated[Count | None, "Null where the search was not begun."] = None
    complete: OtherComplete = False
    limit: OtherLimit = None
    best: Annotated[
        tuple[BestSet, ...] | None,
        "The set of each size that singles out most, where somebody has all its attributes; null where the "
        "search was not begun.",
    ] = None


@dataclass(frozen=True)
class AttributeSets(Searched):
    """How well each attribute set distinguishes records."""

    sql: ClassVar[tuple[str, ...]] = ("combination_totals", "users")

    combinations: Annotated[Count, "Different records."]
    method: Annotated[Literal["exact", "sample"], "How the sets were examined."]
    one_in: Annotated[Count, "One class of this number was counted, by a hash of its values."]
    estimated_seconds: Annotated[Positive, "CPU seconds by a rough estimate, by which the method was chosen."]
    estimated_seconds_exact: Annotated[Positive, "The same for all sets, counted exactly."]
    max_size: Annotated[Count, "Attributes of a set at most."]
    complete: Annotated[bool, "Whether every set was examined."]
    limit: Annotated[Limit | None, "What ended the search; null where nothing did."]
    sets_possible: Annotated[Count, "How many sets there are."]
    sets_examined: Annotated[Count, "Sets that were examined."]
    best: Annotated[tuple[BestSet, ...], "The set of each size that singles out most."]
    sets: Annotated[
        tuple[SetFigures, ...],
        "By size, those that single out most first, of equals those with most classes; at most 1,000.",
    ]
    sets_listed: Truncation
    other_rules: Annotated[tuple[SetsByRule, ...], NOT_BEGUN]

    def in_short(self) -> SetsByRule:
        """Return what the comparison of rules shows of this search."""
        return SetsByRule(
            self.missing_mode,
            self.method,
            self.max_size,
            self.sets_examined,
            self.complete,
            self.limit,
            self.best,
        )


@dataclass(frozen=True)
class SetFound:
    """A set that singles out many, or leaves a small class."""

    sql: ClassVar[tuple[str, ...]] = ("set_listed", "key_reached")

    attributes: Attributes
    singled_out: Annotated[Count, "People that the set singles out."]
    share_singled_out: Annotated[Share | None, "singled_out / records, or users."]
    smallest_class: Annotated[
        Count | None,
        "Records of the smallest class; where a missing cell agrees with every value, the fewest that agree "
        "with one.",
    ]


KeysLimit = Annotated[
    Literal["too_many_sets", "time_limit"] | None,
    "What ended the search for keys; null where nothing did.",
]


@dataclass(frozen=True)
class KeysByRule:
    """Results by a rule for missing cells; none if the search did not begin."""

    sql: ClassVar[tuple[str, ...]] = ("key_duplicates",)

    missing: Missing
    duplicate_records: Annotated[
        Count | None,
        "Records that another one (of another user) equals or agrees with on all attributes: there is no key "
        "then.",
    ] = None
    keys_found: Annotated[Count | None, "Minimal keys that were found."] = None
    keys_complete: Annotated[bool, "Whether no other minimal key is there."] = False
    keys_limit: KeysLimit = None
    smallest_key: Annotated[
        tuple[str, ...] | None,
        "The attributes of the first of the smallest keys; null where none was found.",
    ] = None
    singling_out_found: Annotated[Count | None, "Minimal sets that single out the asked share."] = None
    smallest_singling_out: Annotated[
        SetFound | None, "The first of the smallest of these; null where none was found."
    ] = None
    max_size: OtherSize = None
    complete: OtherComplete = False
    limit: OtherLimit = None


@dataclass(frozen=True)
class MinimalKeys(Searched):
    """The smallest attribute sets that identify; a key distinguishes every two records."""

    sql: ClassVar[tuple[str, ...]] = ("combination_totals", "users", "key_duplicates")

    duplicate_records: Annotated[
        Count | None,
        "Records that another one (of another user) equals on all attributes: there is no key then; null "
        "where time was up before they were counted.",
    ]
    duplicate_combinations: Annotated[
        Count | None, "Different ones of these; null where time was up before they were counted."
    ]
    keys_found: Annotated[Count, "Minimal keys that were found."]
    keys: Annotated[tuple[tuple[str, ...], ...], "The minimal keys, the smallest first, at most 200."]
    keys_listed: Truncation
    keys_complete: Annotated[
        bool, "Whether no other minimal key is there than were found; the list of them can still be cut."
    ]
    keys_limit: KeysLimit
    keys_checked: Annotated[Count, "Sets that were tried on all records."]
    share: Annotated[Share, "Share of the records, or users, that a listed set singles out at least."]
    k: Annotated[Count, "A smaller class is too small."]
    max_size: Annotated[Count, "The largest size whose sets were counted."]
    sets_examined: Annotated[Count, "Sets that were examined."]
    complete: Annotated[bool, "Whether every set was examined."]
    limit: Annotated[Limit | None, "What ended the search; null where nothing did."]
    singling_out_found: Annotated[Count, "Minimal sets that single out the asked share."]
    singling_out: Annotated[
        tuple[SetFound, ...],
        "Minimal sets that single out the share, by size, those that single out most first, at most 200.",
    ]
    singling_out_listed: Truncation
    below_k_found: Annotated[Count, "Minimal sets that leave a class below k."]
    below_k: Annotated[
        tuple[SetFound, ...],
        "Minimal sets that leave a class below k, by size, those that single out most first, at most 200.",
    ]
    below_k_listed: Truncation
    other_rules: Annotated[tuple[KeysByRule, ...], NOT_BEGUN] = ()

    def in_short(self) -> KeysByRule:
        """Return what the comparison of rules shows of this search."""
        return KeysByRule(
            self.missing_mode,
            self.duplicate_records,
            self.keys_found,
            self.keys_complete,
            self.keys_limit,
            next(iter(self.keys), None),
            self.singling_out_found,
            next(iter(self.singling_out), None),
            self.max_size,
            self.complete,
            self.limit,
        )
