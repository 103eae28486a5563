"""What several releases single out together, from the definition: brute force over people in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

#: A record: the person, the values of the quasi-identifiers by name, and the sensitive value.
Record = tuple[Any, dict[str, Hashable], Hashable]


@dataclass
class Release:
    """The records of a release, and the names of the quasi-identifiers that it has."""

    names: tuple[str, ...]
    records: list[Record] = field(default_factory=list)

    @property
    def people(self) -> set[Any]:
        return {person for person, _, _ in self.records if person is not None}

    def profile(self, person: Any) -> Hashable:
        """The multiset of the person's records, which a counter has without an order."""
        values = [
            tuple(values[name] for name in self.names) for who, values, _ in self.records if who == person
        ]
        return frozenset(Counter(values).items())

    def alike(self, person: Any) -> set[Any]:
        return {other for other in self.people if self.profile(other) == self.profile(person)}

    def candidates(self, person: Any) -> set[Hashable]:
        alike = self.alike(person)
        return {secret for who, _, secret in self.records if who in alike and secret is not None}


def count_people(releases: Sequence[Release]) -> list[dict[str, Any]]:
    common = set.intersection(*(release.people for release in releases))
    return [
        {
            "people": len(release.people),
            "classes": len({release.profile(person) for person in release.people}),
            "smallest_class": min((len(release.alike(person)) for person in release.people), default=None),
            "alone": sum(release.alike(person) == {person} for person in release.people),
            "alone_of_common": sum(release.alike(person) == {person} for person in common),
        }
        for release in releases
    ]


def count_together(releases: Sequence[Release]) -> dict[str, Any]:
    """An absent person has no profile; that others are absent as well makes them alike."""
    last = releases[-1]
    common = set.intersection(*(release.people for release in releases))

    def alike(person: Any) -> set[Any]:
        def looks_alike(other: Any) -> bool:
            return all(
                (person in release.people) == (other in release.people)
                and release.profile(person) == release.profile(other)
                for release in releases
            )

        return {other for other in last.people if looks_alike(other)}

    hidden = {person for person in common if all(len(r.alike(person)) > 1 for r in releases)}
    alone = {person for person in hidden if alike(person) == {person}}
    exposed = {p for p in last.people if alike(p) == {p} or last.alike(p) == {p}}
    return {
        "people": len(common),
        "hidden": len(hidden),
        "alone": len(alone),
        "share": len(alone) / len(hidden) if hidden else None,
        "smallest_tuple": min((len(alike(person)) for person in common), default=None),
        "exposed": len(exposed),
        "last_people": len(last.people),
        "exposed_share": len(exposed) / len(last.people) if last.people else None,
    }


def count_changed(releases: Sequence[Release]) -> list[dict[str, Any]]:
    """By pairs of neighbours, first who joined, then who left."""
    found = []
    for before, after in pairwise(releases):
        for change, here, there in (("joined", after, before), ("left", before, after)):
            changed = here.people - there.people
            alone = {person for person in changed if here.alike(person) & changed == {person}}
            hidden = {person for person in alone if len(here.alike(person)) > 1}
            if changed:
                counts = {"people": len(changed), "alone": len(alone), "hidden": len(hidden)}
                found.append({"change": change, **counts})
    return found


def find_stable(releases: Sequence[Release], names: Sequence[str]) -> tuple[str, ...]:
    common = set.intersection(*(release.people for release in releases))

    def is_stable(name: str) -> bool:
        return all(
            len({v[name] for release in releases for who, v, _ in release.records if who == person}) == 1
            for person in common
        )

    return tuple(name for name in names if is_stable(name))


def count_links(releases: Sequence[Release], stable: Sequence[str]) -> list[dict[str, Any]]:
    def keys(release: Release, person: Any) -> set[Hashable]:
        return {tuple(v[name] for name in stable) for who, v, _ in release.records if who == person}

    found = []
    for before, after in pairwise(releases):
        links = {
            person: {other for other in after.people if keys(before, person) & keys(after, other)}
            for person in before.people
        }
        linked = {person: others for person, others in links.items() if len(others) == 1}
        right = sum(others == {person} for person, others in linked.items())
        if before.people:
            found.append(
                {
                    "people": len(before.people),
                    "linked": len(linked),
                    "linked_right": right,
                    "linked_wrong": len(linked) - right,
                    "share": right / len(linked) if linked else None,
                    "chance": 1 / len(after.people) if after.people else None,
                }
            )
    return found


def intersect(releases: Sequence[Release]) -> dict[str, Any]:
    last = releases[-1]
    common = set.intersection(*(release.people for release in releases))
    several = {person for person in common if all(len(r.candidates(person)) > 1 for r in releases)}
    left: dict[Any, set[Hashable]] = {
        person: set.intersection(*(release.candidates(person) for release in releases)) for person in several
    }
    disclosed = {person for person, values in left.items() if len(values) == 1}

    def has(person: Any) -> set[Hashable]:
        return {secret for who, _, secret in last.records if who == person}

    return {
        "people": len(common),
        "several": len(several),
        "disclosed": len(disclosed),
        "share": len(disclosed) / len(several) if several else None,
        "correct": sum(left[person] <= has(person) for person in disclosed),
        "emptied": sum(not values for values in left.values()),
    }
