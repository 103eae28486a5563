"""Measure what several releases of a table single out together, though each of them hides it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.measures.sequence.opening import (
    Earlier,
    OpenedEarlier,
    PreparedRelease,
    align_releases,
    find_user,
    list_known,
    prepare_releases,
)
from duckrisk.measures.sequence.results import (
    ChangedPeople,
    LeftValues,
    LinkedPeople,
    PeopleOfRelease,
    ReleasesTogether,
    SequenceFigures,
)
from duckrisk.roles import Decision, Roles
from duckrisk.source import Source
from duckrisk.source.model import find_column

__all__ = ["Earlier", "OpenedEarlier", "align_releases", "measure", "measure_together"]

#: Pairs of a tuple of classes and a sensitive value (a choice: about 2 CPU seconds and 500 MB).
MAX_PAIRS = 20_000_000


def measure_together(
    session: Session, last: Source, opened: OpenedEarlier, roles: Roles, tokens: Sequence[str]
) -> ReleasesTogether:
    """Measure the people that all releases together single out.

    Args:
        session: The session, with the last release as the assessed view.
        last: The last release.
        opened: The earlier ones.
        roles: The roles of the last release.
        tokens: Texts that mean a missing value.

    Raises:
        UsageError: The releases cannot be compared.
    """
    sequence = _Sequence(session, prepare_releases(last, opened, roles, tokens))
    together = sequence.measure_together()
    sequence.drop_tables()
    return together


def measure(
    session: Session,
    last: Source,
    opened: OpenedEarlier,
    roles: Roles,
    tokens: Sequence[str],
    stable: Sequence[str] = (),
    more: Sequence[str] = (),
) -> SequenceFigures:
    """Measure all figures of a sequence of releases.

    Args:
        session: The session, with the last release as the assessed view.
        last: The last release.
        opened: The earlier ones.
        roles: The roles of the last release.
        tokens: Texts that mean a missing value.
        stable: Columns that link records of a person; () for those that change for nobody in all releases.
        more: Quasi-identifiers that only earlier releases have.

    Raises:
        UsageError: The releases cannot be compared, or one of them lacks a stable column.
    """
    find_user(last, opened, roles)
    releases = (*opened.releases, last)
    known, sensitive = _list_shared(releases, roles)
    for name in stable:
        _check_stable(name, releases, known)
    prepared = prepare_releases(last, opened, roles, tokens, (*known, *sensitive), more)
    sequence = _Sequence(session, prepared)
    together = sequence.measure_together()
    places = sequence.find_stable_columns(known, stable)
    figures = SequenceFigures(
        sequence.count_people(),
        together,
        sequence.count_changed_people(),
        tuple(known[place].column.name for place in places),
        sequence.link_people(places),
        tuple(
            sequence.intersect_values(decision, len(known) + place)
            for place, decision in enumerate(sensitive)
        ),
    )
    sequence.drop_tables()
    return figures


def _list_shared(releases: Sequence[Source], roles: Roles) -> tuple[list[Decision], list[Decision]]:
    """List the quasi-identifiers and the sensitive columns that all releases have."""

    def select_shared(decisions: Iterable[Decision]) -> list[Decision]:
        return [
            decision
            for decision in decisions
            if all(find_column(source.columns, decision.column.name) is not None for source in releases)
        ]

    sensitive = (decision for decision in roles.decisions if decision.declared == "sensitive")
    return select_shared(list_known(roles)), select_shared(sensitive)


def _check_stable(name: str, releases: Sequence[Source], known: Sequence[Decision]) -> None:
    for source in releases:
        source.column(name)
    if find_column([decision.column for decision in known], name) is None:
        raise UsageError("sequence.stable_not_known", name=name)


class _Sequence:
    """The tables of a sequence in a session."""

    def __init__(self, session: Session, releases: Sequence[PreparedRelease]) -> None:
        self.session, self.releases = session, releases
        self.names = [release.source.name for release in releases]
        self._count = {"releases": len(releases)}
        self._records = [f"sequence_records_{number}" for number in range(1, len(releases) + 1)]
        self._profiles = [f"sequence_profiles_{number}" for number in range(1, len(releases) + 1)]
        for release, records, profiles in zip(releases, self._records, self._profiles, strict=True):
            _check_keys(session, release)
            named = {"source": release.relation, "user": release.user, **release.keys}
            lists = {"attributes": release.attributes, "shared": release.shared}
            session.run("sequence_records", table=records, **named, **lists)
            attributes = len(release.attributes)
            session.run("sequence_profiles", table=profiles, source=records, attributes=attributes)
        session.run("sequence_classes", tables=self._profiles)
        session.run("sequence_tuples", **self._count)

    def measure_together(self) -> ReleasesTogether:
        """Measure the people that all releases together single out."""
        row = self.session.fetch_row("tuple_counts", **self._count)
        is_keyed = any(release.keys for release in self.releases)
        return ReleasesTogether(**row, names=tuple(self.names[:-1]), keyed=is_keyed)

    def count_people(self) -> tuple[PeopleOfRelease, ...]:
        """Count the people of each release, and those that it alone singles out."""
        rows = {row.pop("release"): row for row in self.session.run("sequence_counts", **self._count)}
        nobody = {"people": 0, "classes": 0, "smallest_class": None, "alone": 0, "alone_of_common": 0}
        counted = []
        for number, release in enumerate(self.releases, 1):
            records = self.session.fetch_row("count_records", source=release.relation)["records"]
            facts = {"name": release.source.name, "records": records}
            facts |= {"lacks": release.lacks, "unused": release.unused, "keyed": bool(release.keys)}
            counted.append(PeopleOfRelease(**facts, **rows.get(number, nobody)))
        return tuple(counted)

    def count_changed_people(self) -> tuple[ChangedPeople, ...]:
        """Count the people who joined and left, and those alone among them."""
        rows = self.session.run("changed_people", **self._count)
        return tuple(
            ChangedPeople(self.names[pair if row["change"] == "joined" else pair - 1], **row)
            for row in rows
            for pair in [row.pop("pair")]
        )

    def find_stable_columns(self, known: Sequence[Decision], named: Sequence[str]) -> list[int]:
        """Return the places of the named columns, else of those that change for nobody."""
        shared = len(self.releases[0].shared)
        if not shared:
            return []
        self.session.run("sequence_values", tables=self._records, shared=shared)
        places = range(len(known))
        if named:
            columns = [decision.column for decision in known]
            chosen = {found.position for name in named if (found := find_column(columns, name)) is not None}
            return [place for place in places if columns[place].position in chosen]
        rows = self.session.run("stable_columns", **self._count, places=list(places)) if known else []
        return [row["place"] for row in rows if not row["changed"]]

    def link_people(self, places: list[int]) -> tuple[LinkedPeople, ...]:
        """Link the people of each release with the next by stable columns."""
        rows = self.session.run("linked_people", **self._count, places=places) if places else []
        return tuple(
            LinkedPeople(self.names[pair - 1], self.names[pair], **row)
            for row in rows
            for pair in [row.pop("pair")]
        )

    def intersect_values(self, decision: Decision, place: int) -> LeftValues:
        """Intersect the candidate values of a sensitive column."""
        row = self.session.fetch_row("left_values", **self._count, place=place, pairs=MAX_PAIRS)
        return LeftValues(decision.column.name, **row)

    def drop_tables(self) -> None:
        """Drop the tables."""
        tables = ("sequence_classes", "sequence_tuples", "sequence_values")
        for name in (*self._profiles, *tables):
            self.session.run("drop_table", table=name)


def _check_keys(session: Session, release: PreparedRelease) -> None:
    """Refuse a key table unless it pairs people and pseudonyms.

    Raises:
        UsageError: It does not.
    """
    if not release.keys:
        return
    row = session.fetch_row("key_faults", source=release.relation, user=release.user, **release.keys)
    if row["unknown"]:
        raise UsageError(
            "sequence.unknown_pseudonyms",
            release=release.source.name,
            unknown=row["unknown"],
            pseudonyms=row["pseudonyms"],
        )
    if row["repeated"] or row["ambiguous"]:
        raise UsageError("sequence.several_pseudonyms", release=release.source.name)
