"""What the search for those who can be singled out gives."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Positive, Range, Truncation
from duckrisk.base.sentences import Sentence

#: How easily somebody is singled out: 0 for not at all, above 2 where the record itself names its person.
Ease = Annotated[float, Range(0, 6)]
#: An economic or a psychological level of sensitivity.
LevelNumber = Annotated[int, Range(1, 3)]
MissingMode = Literal["none", "value"]
Limited = Annotated[
    Literal["max_sets", "max_size", "time_limit", "built_in", "too_many_sets"] | None,
    "Name of the setting that ended the search, or built_in where its work came to the limit that holds "
    "without a setting (thorough lifts it), or too_many_sets where there are too many equally easy sets to "
    "go on; null where nothing did.",
]


@dataclass(frozen=True)
class NotExamined:
    """Why sets were not examined; the sum is the sets that were not."""

    adds_nothing: Annotated[
        Count, "Sets: they have as many combinations as a smaller set, so that they single out nobody else."
    ]
    settles_nobody: Annotated[Count, "Sets: they could settle none of the others."]
    all_settled: Annotated[Count, "Sets: all that any set singles out were settled before."]
    limit: Annotated[Count, "Sets: a limit ended the search before."]

    @property
    def total(self) -> int:
        """The number of sets that were not examined."""
        return sum(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class OtherMissingMode:
    """What the other way to take missing cells gives."""

    sql: ClassVar[tuple[str, ...]] = ("jo_model",)

    missing_mode: Annotated[MissingMode, "Name of that way."]
    singled_out: Annotated[Count, "Records that would be singled out."]
    total_ease: Annotated[Positive, "Sum of the ease of all records."]
    total_value: Annotated[Positive, "Sum in the currency: the value of all records."]


@dataclass(frozen=True)
class JoFigures:
    """The figures of the JO model."""

    sql: ClassVar[tuple[str, ...]] = ("jo_model",)

    identifiability: Annotated[
        int,
        Range(1),
        "Number 6, 3 or 1: the highest of any record; 6 with name and address, 3 with a name, or address and "
        "phone number.",
    ]
    value_per_record: Annotated[
        Positive,
        "Sum in the currency: the highest of any record, base * sensitivity * identifiability.",
    ]
    social_responsibility: Annotated[int, Range(1), "Factor of the setting, 1 or 2."]
    post_response: Annotated[int, Range(1), "Factor of the setting, 1 or 2."]
    total_compensation: Annotated[Positive, "Sum in the currency: jo_total_value times both factors."]


@dataclass(frozen=True)
class RecordsOfEase:
    """One ease."""

    sql: ClassVar[tuple[str, ...]] = ("distribution",)

    ease: Annotated[Ease, "How easily these records are singled out; 0 for not at all."]
    records: Annotated[Count, "Records with this ease."]
    value: Annotated[Positive, "Sum in the currency: of these records."]


@dataclass(frozen=True)
class UsersOfEase:
    """One ease of users."""

    sql: ClassVar[tuple[str, ...]] = ("distribution",)

    ease: Annotated[Ease, "How easily these users are singled out; 0 for not at all."]
    users: Annotated[Count, "Users with this ease."]
    value: Annotated[Positive, "Sum in the currency: of these users."]


@dataclass(frozen=True)
class Scenario:
    """What is learnt of one record by whoever knows some of its attributes."""

    sql: ClassVar[tuple[str, ...]] = ("scenarios",)

    record: Annotated[int, Range(1), "Number of the record in the source, from 1."]
    attributes: Annotated[
        tuple[str, ...],
        "The attributes that single the record out most easily; a name, or an address and a phone number, "
        "where the record holds that.",
    ]
    learns: Annotated[tuple[str, ...], "The other attributes with a value in the record."]
    ease: Annotated[Ease, "How easily the record is singled out."]
    value: Annotated[Positive, "Sum in the currency: of the record."]
    other_sets: Annotated[tuple[tuple[str, ...], ...], "Other sets that single the record out as easily."]
    cells: Annotated[
        dict[str, str | None] | None,
        "The record's values of the attributes, by their names, null where they are missing; null unless "
        "settings.show_values is true.",
    ] = None


@dataclass(frozen=True)
class AttributeSet:
    """One attribute set."""

    sql: ClassVar[tuple[str, ...]] = ("scenarios", "set_values")

    attributes: Annotated[tuple[str, ...], "The attributes of the set."]
    ease: Annotated[Ease, "How easily each of these records is singled out."]
    records: Annotated[Count, "Records that count in this set."]
    value: Annotated[Positive, "Sum in the currency: of these records."]


@dataclass(frozen=True)
class LevelledAttribute:
    """One attribute with its level, and its part in singling out."""

    sql: ClassVar[tuple[str, ...]] = ("attribute_parts", "totals_without")

    attribute: Annotated[str, "Text: the name of the attribute."]
    column: Annotated[str, "Text: the name of its column."]
    type: Annotated[
        str | None, "Text: the type of the chart of levels; null where only the levels were given."
    ]
    economic: Annotated[LevelNumber, "Level of economic loss, 1 to 3."]
    psychological: Annotated[LevelNumber, "Level of psychological pain, 1 to 3."]
    level_source: Annotated[Literal["given", "proposed"], "Name of where the level is from."]
    provisional: Annotated[bool, "Truth value: the level is a proposal that nobody has confirmed."]
    reason: Annotated[Sentence, "Text: why this level."]
    records_singled_out_with: Annotated[
        Count, "Records that have the attribute in at least one of their easiest sets."
    ]
    share_of_singled_out: Annotated[
        float | None,
        Range(0, 1),
        "Share of the singled-out records, 0 to 1, that have the attribute in at least one of their easiest "
        "sets; null where nobody is singled out.",
    ]
    total_value_without: Annotated[
        float | None,
        Range(0),
        "Sum in the currency: of all records, were the attribute left out; null where it was not computed, "
        "and of a direct identifier, which has to go.",
    ] = None
    change_without: Annotated[
        float | None,
        "Share: the change of the total value without the attribute, -0.58 is 58 percent less; null where "
        "that is.",
    ] = None


@dataclass(frozen=True)
class CoarserAttribute:
    """One attribute published more coarsely."""

    sql: ClassVar[tuple[str, ...]] = ("totals_coarser",)

    attribute: Annotated[str, "Text: the name of the attribute as it is."]
    coarser: Annotated[str, "Text: the name of the coarser attribute."]
    singled_out: Annotated[Count, "Records that would be singled out."]
    total_value: Annotated[Positive, "Sum in the currency: of all records."]
    change: Annotated[
        float | None,
        "Share: the change of the total value, -0.58 is 58 percent less; null where there was no value.",
    ]


@dataclass(frozen=True)
class Unlevelled:
    """One column without a sensitivity level."""

    column: Annotated[str, "Text: the name of the column."]
    nearest: Annotated[
        tuple[str, ...], "The types of the whole words of the column's name; empty where it says none."
    ]
    line: Annotated[str, "Text: a line for the table [levels] of duckrisk.toml."]


@dataclass(frozen=True)
class UsersSection:
    """The same with the user as the unit."""

    sql: ClassVar[tuple[str, ...]] = ("users", "jo_model")

    users: Annotated[Count, "Users."]
    singled_out: Annotated[Count, "Users singled out by some attribute set."]
    not_singled_out: Annotated[Count, "Users singled out by no attribute set."]
    unknown: Annotated[Count, "Users left open by a limit."]
    unknown_ease_at_most: Annotated[
        float | None, Range(0, 6), "The ease of users left open is at most this; null where none are."
    ]
    sets_examined: Annotated[Count, "Sets that were examined."]
    sets_not_examined: NotExamined
    complete: Annotated[bool, "Truth value: no limit ended the search."]
    limit: Limited
    total_ease: Annotated[Positive, "Sum of the ease of all users."]
    total_value: Annotated[Positive, "Sum in the currency: of all users."]
    jo_total_value: Annotated[Positive, "Sum in the currency: of all users by the JO model."]
    distribution: Annotated[tuple[UsersOfEase, ...], "How many users have which ease, the highest first."]


@dataclass(frozen=True)
class Identifiability:
    """Who can be singled out by which attributes known together, and what a leak would tell."""

    sql: ClassVar[tuple[str, ...]] = ("count_records", "combination_totals", "jo_model")

    unit: Annotated[Literal["record"], "Name of what is singled out."]
    records: Annotated[int, Range(1), "Records of the source."]
    singled_out: Annotated[Count, "Records that some attribute set singles out, or that hold a name."]
    singled_out_share: Annotated[
        float,
        Range(0, 1),
        "The singled out as a share of all records; a limit can leave more of them unknown.",
    ]
    not_singled_out: Annotated[Count, "Records that no attribute set singles out."]
    unknown: Annotated[Count, "Records that a limit left open; they are neither singled out nor not."]
    unknown_ease_at_most: Annotated[
        float | None, Range(0, 6), "The ease of records left open is at most this; null where none are."
    ]
    sets_possible: Annotated[int, Range(1), "Sets of one or more of the attributes."]
    sets_examined: Annotated[Count, "Sets that were examined."]
    sets_not_examined: NotExamined
    complete: Annotated[
        bool, "Truth value: no limit ended the search, so that the ease of every record is known and exact."
    ]
    limit: Limited
    ties_complete: Annotated[
        bool,
        "Truth value: all sets as easy as one that singles a record out were examined; where they were not, "
        "records can have more sets than the report lists, and attributes a larger part.",
    ]
    missing_mode: Annotated[
        MissingMode, "Name of how a missing cell counts: none tells nothing, value is a value like any other."
    ]
    missing_cells: Annotated[Count, "Cells of the attributes that are missing."]
    other_missing_mode: Annotated[
        OtherMissingMode | None,
        "What the other way to take missing cells gives; null where no cell is missing or the search did not "
        "come to its end.",
    ]
    total_ease: Annotated[Positive, "Sum of the ease of all records."]
    total_value: Annotated[
        Positive,
        "Sum in the currency: the value of all records, base * sensitivity * ease each (Yamaoka and Itoh).",
    ]
    currency: Annotated[str, "Text: the currency of all values."]
    base: Annotated[Positive, "Sum in the currency: the value of the least sensitive record."]
    sensitivity: Annotated[
        Count,
        "Sensitivity of the most sensitive record: 5^(E - 1) + 10^(P - 1) of its highest levels.",
    ]
    jo_total_value: Annotated[
        Positive,
        "Sum in the currency: the value of all records by the JO model, base * sensitivity * identifiability "
        "each.",
    ]
    jo: JoFigures
    distribution: Annotated[
        tuple[RecordsOfEase, ...],
        "How many records have which ease, the highest first; records left open are not in it.",
    ]
    scenarios: Annotated[tuple[Scenario, ...], "The most valuable scenarios, at most 50."]
    scenarios_listed: Truncation
    sets: Annotated[
        tuple[AttributeSet, ...],
        "The attribute sets by the value of those they single out, the highest first, of equals those "
        "of the highest ease, at most 50; "
        "each record counts in the first of its easiest sets. A set that makes records name their person "
        "stands in a line of its own for that ease.",
    ]
    sets_listed: Truncation
    attributes: Annotated[
        tuple[LevelledAttribute, ...],
        "The attributes of the sets, and those that are the same in every record, in the order of the "
        "columns.",
    ]
    coarser: Annotated[
        tuple[CoarserAttribute, ...],
        "What coarser attributes would give: of those that can be published more coarsely the three that "
        "most of the singled out have in their easiest sets.",
    ]
    coarser_listed: Annotated[Truncation | None, "Null where it was not computed."]
    users: Annotated[
        UsersSection | None,
        "The same with the user as the unit: some combination of a user's records is held by no other user; "
        "null where no user has several records.",
    ]
    unleveled: Annotated[tuple[Unlevelled, ...], "Columns without a sensitivity level; they are in no set."]

    @property
    def columns_seen(self) -> tuple[int, int]:
        """The number of columns with a level, and of all for which one was looked for."""
        seen = len({entry.column for entry in self.attributes})
        return seen, seen + len(self.unleveled)

    @property
    def has_leak(self) -> bool:
        """Whether so few columns lack a level that the value of a leak says something."""
        seen, columns = self.columns_seen
        return 2 * seen >= columns

    @property
    def is_least(self) -> bool:
        """Whether the value of a leak is a lower bound.

        It is one if columns lack a level or if records were left open.
        """
        return bool(self.unleveled or self.unknown)


@dataclass(frozen=True)
class Totals:
    """Who is singled out and what a leak is worth, of records or of users: the row of ``jo_model``."""

    singled_out: int
    singled_out_share: float
    not_singled_out: int
    unknown: int
    last_tier: int | None
    unknown_ease_at_most: float | None
    total_ease: float
    total_value: float
    jo_total_value: float
    total_compensation: float
    sensitivity: int
    jo_identifiability: int
    jo_value_per_record: float
