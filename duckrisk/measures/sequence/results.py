"""What several releases single out together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Share, aside


@dataclass(frozen=True)
class PeopleOfRelease:
    """The people of a release, and those that it alone singles out."""

    sql: ClassVar[tuple[str, ...]] = ("sequence_counts", "count_records")

    name: Annotated[str, "The file, table or kind of object."]
    records: Annotated[Count, "Its records."]
    people: Annotated[Count, "People behind its records."]
    classes: Annotated[Count, "Different profiles of its people."]
    smallest_class: Annotated[Count | None, "The fewest people of one profile; null without people."]
    alone: Annotated[Count, "People with a profile that nobody else of this release has."]
    alone_of_common: Annotated[Count, "The same of the people who are in all releases."]
    lacks: Annotated[tuple[str, ...], "Quasi-identifiers of the last release that this one does not have."]
    unused: Annotated[
        tuple[str, ...],
        "Names of its columns that the last release lacks, and that nobody declared a quasi-identifier.",
    ]
    keyed: Annotated[bool, "Truth value: a key table says who is behind its pseudonyms."]


@dataclass(frozen=True)
class ReleasesTogether:
    """The people in all releases: hidden in each, and those of them alone in all together."""

    sql: ClassVar[tuple[str, ...]] = ("tuple_counts",)

    people: Annotated[Count, "People who are in all releases."]
    hidden: Annotated[Count, "Those of them with a profile that others share, in each release."]
    alone: Annotated[Count, "Those of the hidden whose profiles together nobody else in all releases has."]
    share: Annotated[Share | None, "Share of the hidden who are alone: a count of all, not an estimate."]
    smallest_tuple: Annotated[
        Count | None, "The fewest people with the same profiles in all releases; null without people."
    ]
    exposed: Annotated[
        Count,
        "People of the last release that it alone, or all together, single out. That somebody is "
        "absent from an earlier release counts as known.",
    ]
    last_people: Annotated[Count, "People of the last release."]
    exposed_share: Annotated[Share | None, "exposed / last_people"]
    names: Annotated[tuple[str, ...], "The earlier releases."] = aside()
    keyed: Annotated[bool, "Whether pseudonyms change between the releases."] = aside(False)


@dataclass(frozen=True)
class ChangedPeople:
    """The people who joined a release, or left it after the one before."""

    sql: ClassVar[tuple[str, ...]] = ("changed_people",)

    release: Annotated[str, "The release that they joined or left."]
    change: Annotated[
        Literal["joined", "left"],
        "Name of the change: joined since the release before, or left before the next one.",
    ]
    people: Annotated[Count, "People who are in one of the two releases alone."]
    alone: Annotated[Count, "Those of them with a profile that none of the others has."]
    hidden: Annotated[Count, "Those of them who are alone, though others of the whole release look alike."]


@dataclass(frozen=True)
class LinkedPeople:
    """The people of a release that stable columns link with one person of the next one."""

    sql: ClassVar[tuple[str, ...]] = ("linked_people",)

    release: Annotated[str, "The earlier release."]
    next_release: Annotated[str, "The next one."]
    people: Annotated[Count, "People of the earlier release."]
    linked: Annotated[Count, "Those of them whose values fit one person of the next release alone."]
    linked_right: Annotated[Count, "Those of the linked who are that person."]
    linked_wrong: Annotated[Count, "Those of the linked who are somebody else."]
    share: Annotated[Share | None, "Share of the links that are right."]
    chance: Annotated[Share | None, "Probability that a blind guess in the next release is right."]


@dataclass(frozen=True)
class LeftValues:
    """What is left of a sensitive attribute if the candidates of all releases are intersected."""

    sql: ClassVar[tuple[str, ...]] = ("left_values",)

    column: Annotated[str, "Text: the name of the sensitive column."]
    people: Annotated[Count, "People who are in all releases."]
    several: Annotated[Count, "Those of them with two candidate values or more in each release."]
    disclosed: Annotated[
        Count | None, "Those of the latter with one value left; null where it was too much work."
    ]
    share: Annotated[Share | None, "Share of those with several values that have one left."]
    correct: Annotated[Count | None, "Those of the disclosed who have this value in the last release."]
    emptied: Annotated[Count | None, "Those with several values that have none left."]


@dataclass(frozen=True)
class SequenceFigures:
    """All figures of a sequence of releases."""

    releases: tuple[PeopleOfRelease, ...]
    together: ReleasesTogether
    changes: tuple[ChangedPeople, ...]
    stable: tuple[str, ...]
    links: tuple[LinkedPeople, ...]
    values: tuple[LeftValues, ...]
