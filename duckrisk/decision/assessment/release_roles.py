"""Give a release the roles of its original; a guess there remains a guess here."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Sql
from duckrisk.engine.types import has_date
from duckrisk.roles import RoleOverrides, Roles, infer
from duckrisk.roles.model import NUMBERS_OF_PERSON
from duckrisk.source import Column, Request, Source


class Original(Protocol):
    """The original of a release, and how the records of the two are matched."""

    @property
    def table(self) -> Request:
        """The source of the original."""

    def build_request(self, release: Request) -> Request:
        """Return how to read the original.

        Args:
            release: How the release is read.
        """

    def create_people_table(
        self,
        session: Session,
        original: Source,
        user: Column,
        release: Source,
        relation: Sql,
        request: Request,
        table: str,
    ) -> None:
        """Create a table of the person behind each record of a release.

        Args:
            session: The session, with the original as the assessed view.
            original: The original.
            user: The user column of the original.
            release: The release.
            relation: The relation of the session that holds the records of the release.
            request: How the release was opened.
            table: Name of the table, with the columns "number" (of a record) and "person".

        Raises:
            UsageError: The records cannot be matched, or the original is another table.
        """


def infer_release_roles(
    session: Session, roles: Roles, release: Source, tokens: tuple[str, ...], people: str | None = None
) -> tuple[Roles, RoleOverrides]:
    """Infer the roles of a release by those of its original.

    Args:
        session: The session, with the release as the assessed view.
        roles: The roles of the original.
        release: The release.
        tokens: Texts that mean a missing value.
        people: Table of the people behind the records, as :meth:`Original.create_people_table` makes it; None
            if they are unknown.

    Returns:
        The roles of the release, and the overrides that they were inferred with.
    """
    if people is not None:
        assert roles.user is not None
        _attach_people(session, release, roles.user, people)
    overrides = derive_overrides(roles, release)
    if people is None:  # otherwise the keys of the original are folded already
        overrides = replace(overrides, fold_keys=roles.overrides.fold_keys)
    inferred = infer(session, release, overrides, tokens=tokens)
    original = {decision.column.name: decision for decision in roles.decisions}
    for decision in inferred.decisions:
        before = original.get(decision.column.name)
        if before is None:
            continue
        decision.given = before.given
        decision.kind = decision.kind or before.kind
        if before.confidence == "guess":
            decision.confidence = "guess"
    if roles.user_confidence == "guess":
        names = {column.name for column in release.columns}
        candidates = tuple(columns for columns in roles.candidates if names.issuperset(columns))
        inferred = replace(inferred, user_confidence="guess", candidates=candidates)
    doubts = {name: getattr(roles.holdings, name) for name in ("like_counts", "may_lack_persons")}
    inferred = replace(inferred, holdings=replace(inferred.holdings, **doubts))
    if people is not None:
        inferred = _drop_person_column(release, inferred)
    elif inferred.user is None:
        inferred = replace(inferred, lost_user=find_lost_user(roles, release))
    return inferred, overrides


def find_lost_user(roles: Roles, release: Source) -> str | None:
    """Find a user column that a release lacks although people have several records.

    Args:
        roles: The roles of the original.
        release: The release.

    Returns:
        Name of the column; None if the release has it or needs none.
    """
    user = roles.user
    if user is None or roles.most_records <= 1 or any(c.name == user.name for c in release.columns):
        return None
    return user.name


def _drop_person_column(release: Source, roles: Roles) -> Roles:
    """Drop the last column of the assessed view, the person, from release and roles."""
    assert roles.user is not None
    release.columns = release.columns[:-1]
    content = replace(
        roles.content,
        examined=min(roles.content.examined, len(release.columns)),
        found=tuple(entry for entry in roles.content.found if entry.column != roles.user.name),
        not_examined=tuple(entry for entry in roles.content.not_examined if entry.column != roles.user.name),
    )
    return replace(
        roles, decisions=roles.decisions[:-1], content=content, lost_user=roles.user.name, is_linked=False
    )


def derive_overrides(roles: Roles, release: Source) -> RoleOverrides:
    """Derive overrides for a release from the roles of its original.

    Args:
        roles: The roles of the original.
        release: The release. A generalized column is text there, and outsiders know it as it is.
    """
    decisions = {decision.column.name: decision for decision in roles.decisions}
    columns = [column for column in release.columns if column.name in decisions]
    decided: list[tuple[str, str]] = []
    for column in columns:
        decision = decisions[column.name]
        is_unchanged = column.type == decision.column.type or has_date(column.type)
        role: str = "attribute" if decision.role == "date_time" and not is_unchanged else decision.role
        if (
            role == "user"
            and column.name not in release.pseudonymized_columns
            and decision.kind in NUMBERS_OF_PERSON
        ):
            decided.append((column.name, NUMBERS_OF_PERSON[decision.kind]))
        if role != "user":
            decided.append((column.name, decision.declared or role))
    names = [column.name for column in columns]
    user = roles.user.name if roles.user is not None and roles.user.name in names else ""
    keep = tuple(name for name in names if decisions[name].keep)
    return RoleOverrides(user, _select_attributes(roles, columns), (), tuple(decided), keep=keep)


def _select_attributes(roles: Roles, columns: list[Column]) -> tuple[str, ...]:
    """Select the attributes that a person named and that the release has.

    A generalized column has another type; its date or time is then the column itself.
    """
    if not roles.has_named_attributes:
        return ()
    originals = {decision.column.binding: decision.column for decision in roles.decisions}
    types = {column.name: column.type for column in columns}
    named: dict[str, None] = {}
    for attribute in roles.attributes:
        parts = [originals[part.column] for part in attribute.parts]
        if not all(column.name in types for column in parts):
            continue
        if all(types[column.name] == column.type for column in parts):
            named[attribute.name] = None
        elif len(parts) == 1:
            named[parts[0].name] = None
    return tuple(named)


def _attach_people(session: Session, release: Source, user: Column, table: str) -> None:
    """Add the person behind each record to the assessed view, as its last column.

    Args:
        session: The session, which has the table.
        release: The release; its last column is the person from now on.
        user: The user column of the original.
        table: The table of the people, as :meth:`Original.create_people_table` makes it.
    """
    person = Column(len(release.columns), user.name, user.type)
    bindings = [column.binding for column in release.columns]
    session.run(
        "release_with_people", release=ASSESSED, columns=bindings, people=table, person=person.binding
    )
    session.run("drop_table", table=table)
    session.views.replace_with("release_with_people")
    release.columns = [*release.columns, person]
    release.is_in_memory, release.define_view = True, None
