"""How many people few known facts single out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from duckrisk.base.results import Count, Range, Share, left_out
from duckrisk.base.sentences import Sentence

#: Smallest class size of each band.
BAND_STARTS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)
_TOGETHER_FIELDS = ("people", "share", "records", "share_of_records")


#: Attributes that are known together, at most (a choice: the policies limit three facts).
MAX_FACTS = 4


@dataclass(frozen=True)
class SizeBand:
    """Equivalence classes of a range of sizes, made by the values of all attributes."""

    sql: ClassVar[tuple[str, ...]] = ("facts_together",)

    least: Annotated[Count, "People: the smallest size of these classes."]
    most: Annotated[Count | None, "People: the largest size of these classes; null where there is no end."]
    classes: Annotated[Count, "Classes of such a size."]
    people: Annotated[Count, "People whose smallest class has such a size: each person counts once."]
    share: Annotated[Share, "Share of people: these of all."]


@dataclass(frozen=True)
class Together:
    """What all attributes of one record reveal together, with a missing cell as a value of its own."""

    sql: ClassVar[tuple[str, ...]] = ("facts_together",)

    people: Annotated[
        Count,
        "People who have a record whose values nobody else's record has. They include the people that fewer "
        "attributes single out, by either rule for missing cells.",
    ]
    share: Annotated[Share, "Share of people: these of all."]
    records: Annotated[Count, "Records whose values nobody else's record has."]
    share_of_records: Annotated[Share, "Share of records: these of all that have a person."]
    smallest_class: Annotated[Count, "People: the fewest who share the values of a record, which is k."]
    sizes: Annotated[tuple[SizeBand, ...], "The sizes of the classes, those bands that somebody is in."]


@dataclass(frozen=True)
class WorstSet:
    """The examined set of attributes that singles out most people."""

    sql: ClassVar[tuple[str, ...]] = ("facts_known", "facts_of_lists", "typical_share")

    attributes: Annotated[tuple[str, ...], "The names of the attributes."]
    people: Annotated[Count, "People singled out by the set, of those examined."]
    share: Annotated[Share, "Share of people: these of those examined."]
    share_of_records: Annotated[Share, "Share of records: those of examined people that single them out."]


@dataclass(frozen=True)
class KnownFacts:
    """What an attacker finds with a number of known attributes of one record."""

    sql: ClassVar[tuple[str, ...]] = ("typical_share", "sure_share")

    facts: Annotated[int, Range(1, MAX_FACTS), "Attributes that are known of the record."]
    sets_possible: Annotated[Count, "Sets of this number of attributes."]
    sets_drawn: Annotated[Count, "Sets that the typical shares are the mean of: all, or drawn at random."]
    sets_examined: Annotated[
        Count, "Sets that were looked at: the drawn ones, and those on the way to the worst."
    ]
    complete: Annotated[
        bool,
        "Truth value: all sets were looked at. Else the typical shares are estimates, and the worst set is "
        "the worst that was found: another one may single out more.",
    ]
    typical: Annotated[Share, "Share of people: the mean of those that a set singles out."]
    typical_lower: Annotated[Share, "Share of people: lower end of the interval of that mean (95 %)."]
    typical_upper: Annotated[Share, "Share of people: upper end of the interval of that mean (95 %)."]
    typical_of_records: Annotated[
        Share, "Share of records: the mean of those that a set singles their people out by."
    ]
    worst: Annotated[WorstSet, "The worst set that was found."]


@dataclass(frozen=True)
class KnownHistory:
    """What an attacker finds who knows one attribute of several records of a person (known_records)."""

    sql: ClassVar[tuple[str, ...]] = ("facts_of_histories",)

    records: Annotated[Count, "Records that are known of the person, each by the same attribute."]
    attributes: Annotated[Count, "Attributes that this was measured for, those with most values."]
    typical: Annotated[Share | None, "Probability: the mean unicity, that they fit one person alone."]
    worst: Annotated[Share | None, "Probability: the largest unicity."]
    worst_attribute: Annotated[str | None, "Text: the attribute that has it."]


@dataclass(frozen=True)
class WholeHistories:
    """What an attacker finds who knows everything that the table holds of a person."""

    metric: ClassVar[str] = "whole_histories"

    unique_people: Count
    share: Share
    smallest_class: Count


@dataclass(frozen=True)
class KnownWholeRecords:
    """What an attacker finds who knows a few whole records of a person."""

    metric: ClassVar[str] = "known_whole_records"

    records: Annotated[Count, "Records that the attacker knows of a person."]
    examined: Count
    unique_people: Count
    share: Share
    share_lower: Share
    share_upper: Share


@dataclass(frozen=True)
class Relinked:
    """People whose records can be linked again although the table has no user column.

    Records that agree on all columns that are constant for each person form a linked history; a person is
    relinked where all of its records are theirs.
    """

    sql: ClassVar[tuple[str, ...]] = ("users", "relinked_people", "table_size")

    columns: Annotated[tuple[str, ...], "The columns that are constant for each person."]
    people: Annotated[Count, "People who are relinked."]


@dataclass(frozen=True)
class NotAssessed:
    """A column that no set holds."""

    column: Annotated[str, "Text: the name of the column."]
    role: Annotated[str, "Name of what the column was taken for."]
    reason: Annotated[Sentence | str, "Text: why; empty where nothing special was found."]


@dataclass(frozen=True)
class Uniqueness:
    """People that few facts single out: one of their records has values that nobody else's record has."""

    sql: ClassVar[tuple[str, ...]] = ("facts_known", "facts_of_lists", "facts_together", "missing_facts")

    unit: Annotated[
        Literal["user", "record"], "Name of who counts as a person: a user, or each record by itself."
    ]
    people: Annotated[Count, "People behind the records; whoever has no user is left out."]
    records: Annotated[Count, "Records of these people."]
    people_examined: Annotated[
        Count,
        "People that sets of attributes were tried on, each compared with all others: all, or of large "
        "tables a random sample.",
    ]
    attributes: Annotated[tuple[str, ...], "The attributes that sets are made of."]
    not_assessed: Annotated[
        tuple[NotAssessed, ...],
        "Columns that no set holds, apart from the user's: what they tell is not counted.",
    ]
    missing: Annotated[
        Literal["none", "value"],
        "Name of how a missing cell counts in sets of few attributes: none singles nobody out by a record "
        "that lacks one of them, value takes it as a value like another.",
    ]
    missing_cells: Annotated[Count, "Missing cells of the attributes."]
    facts: Annotated[tuple[KnownFacts, ...], "By how many attributes are known; empty without an attribute."]
    known_records: Annotated[
        tuple[KnownHistory, ...], "By how many records are known; empty where nobody has several."
    ]
    all_attributes: Annotated[
        Together | None, "What all attributes reveal together; null where there is no attribute."
    ]
    all_columns: Annotated[
        Together | None,
        "What the attributes and the columns declared sensitive or insensitive reveal together; null where "
        "none is.",
    ]
    histories: Annotated[
        WholeHistories | None,
        "What whole histories tell, where the records of people are linked; null where nobody has several "
        "linked records.",
    ]
    whole_records: Annotated[
        KnownWholeRecords | None,
        "What whole records tell, where the records of people are linked; null where nobody has several "
        "linked records.",
    ]
    chance_of_error: Annotated[
        Share,
        "Probability, at most: two different combinations of values were taken for one somewhere, so that "
        "a count is too low by their people.",
    ]
    relinked: Annotated[
        Relinked | None,
        "Who can be linked again by columns that are constant for a person; left out where a user column "
        "links records, nobody has several, or it is not known whose they are.",
    ] = left_out()


def read_classes(rows: Sequence[Mapping[str, Any]]) -> Together:
    """Read the equivalence classes of the statement ``facts_together``.

    Args:
        rows: Its rows, one for each band.
    """
    alone = next((row for row in rows if row["most"] == 1), dict.fromkeys(_TOGETHER_FIELDS, 0))
    return Together(
        **{name: alone[name] for name in _TOGETHER_FIELDS},
        smallest_class=rows[0]["smallest_class"],
        sizes=tuple(
            SizeBand(row["least"], row["most"], row["classes"], row["people"], row["share"]) for row in rows
        ),
    )


def can_more_people_decide(facts: Sequence[KnownFacts], limit: float, people: int) -> bool:
    """Return whether more people could move a limit out of an interval.

    Few people make two standard errors of a share; the rest of the interval is of the drawn sets.

    Args:
        facts: The shares by number of facts, of a sample of people.
        limit: The limit of the largest typical share.
        people: The people of the sample.
    """
    strongest = max(facts, key=lambda known: (known.typical, known.facts))
    error = 2 * math.sqrt(strongest.typical * (1 - strongest.typical) / people)
    is_inside = strongest.typical_lower <= limit < strongest.typical_upper
    return is_inside and abs(strongest.typical - limit) <= error
