"""A release is assessed with the roles of its original: what was a guess there is one here."""

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
    """The table that a release was made of, and how their records are matched."""

    @property
    def table(self) -> Request:
        """Return what was asked for as the original."""

    def request(self, release: Request) -> Request:
        """Return how to read the original."""

    def list_people(
        self,
        session: Session,
        original: Source,
        user: Column,
        release: Source,
        relation: Sql,
        request: Request,
        table: str,
    ) -> None:
        """Make a table of the person behind each record of a release, by the numbers of the records.

        Args:
            session: The session, with the original as the assessed view.
            original: The table that the release was made of.
            user: The column of the original with the person behind a record.
            release: The release.
            relation: Where the session has its records.
            request: What was asked for as the release.
            table: The table to make, with the columns "number" and "person".

        Raises:
            UsageError: The records cannot be matched, or the original is another table.
        """


def roles_of_release(
    session: Session, roles: Roles, release: Source, tokens: tuple[str, ...], people: str | None = None
) -> tuple[Roles, RoleOverrides]:
    """The roles of a release, which is the assessed view, by the ``roles`` that its original has, and
    what was decided for them. ``people`` is the table of the people behind its records, if they are known."""
    if people is not None:
        assert roles.user is not None
        _show_with_people(session, release, roles.user, people)
    overrides = overrides_of_release(roles, release)
    if people is None:  # else the people are those of the original, whose keys are folded
        overrides = replace(overrides, fold_keys=roles.overrides.fold_keys)
    read = infer(session, release, overrides, tokens=tokens)
    original = {decision.column.name: decision for decision in roles.decisions}
    for decision in read.decisions:
        before = original.get(decision.column.name)
        if before is None:
            continue
        decision.given = before.given
        decision.kind = decision.kind or before.kind
        if before.confidence == "guess":
            decision.confidence = "guess"
    if roles.user_confidence == "guess":
        names = {column.name for column in release.columns}
        open_to = tuple(columns for columns in roles.candidates if names.issuperset(columns))
        read = replace(read, user_confidence="guess", candidates=open_to)
    doubts = {name: getattr(roles.holdings, name) for name in ("like_counts", "may_lack_persons")}
    read = replace(read, holdings=replace(read.holdings, **doubts))
    if people is not None:
        read = _without_person(release, read)
    elif read.user is None:
        read = replace(read, lost_user=lost_user(roles, release))
    return read, overrides


def lost_user(roles: Roles, release: Source) -> str | None:
    """Return the user column of an original, by its ``roles``, that a release lacks although people have
    several records."""
    user = roles.user
    if user is None or roles.most_records <= 1 or any(c.name == user.name for c in release.columns):
        return None
    return user.name


def _without_person(release: Source, roles: Roles) -> Roles:
    """Return roles whose user is no column of the release: the last column of the assessed view."""
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


def overrides_of_release(roles: Roles, release: Source) -> RoleOverrides:
    """The roles of the original as decisions on a release: a column that was generalised is a text there, and
    known as it is."""
    there = {decision.column.name: decision for decision in roles.decisions}
    columns = [column for column in release.columns if column.name in there]
    decided: list[tuple[str, str]] = []
    for column in columns:
        decision = there[column.name]
        same = column.type == decision.column.type or has_date(column.type)
        role: str = "attribute" if decision.role == "date_time" and not same else decision.role
        if role == "user" and column.name not in release.renamed and decision.kind in NUMBERS_OF_PERSON:
            decided.append((column.name, NUMBERS_OF_PERSON[decision.kind]))
        if role != "user":
            decided.append((column.name, decision.declared or role))
    names = [column.name for column in columns]
    user = roles.user.name if roles.user is not None and roles.user.name in names else ""
    keep = tuple(name for name in names if there[name].keep)
    return RoleOverrides(user, _attributes(roles, columns), (), tuple(decided), keep=keep)


def _attributes(roles: Roles, columns: list[Column]) -> tuple[str, ...]:
    """The attributes that a person named, as far as the release has them: a coarser form of a column of
    another type is the column itself."""
    if not roles.named:
        return ()
    types = {decision.column.binding: decision.column for decision in roles.decisions}
    there = {column.name: column.type for column in columns}
    named: dict[str, None] = {}
    for attribute in roles.attributes:
        parts = [types[part.column] for part in attribute.parts]
        if not all(column.name in there for column in parts):
            continue
        if all(there[column.name] == column.type for column in parts):
            named[attribute.name] = None
        elif len(parts) == 1:
            named[parts[0].name] = None
    return tuple(named)


def _show_with_people(session: Session, release: Source, user: Column, table: str) -> Column:
    """Show a release as the assessed view, with the person behind each record as its last column.

    Args:
        session: The session; :meth:`Original.list_people` made the ``table``.
        release: The release; its last column is the person's from now on.
        user: The column of the original with the person.
        table: The people, by the numbers of the records.

    Returns:
        The new column.
    """
    person = Column(len(release.columns), user.name, user.type)
    bindings = [column.binding for column in release.columns]
    session.run(
        "release_with_people", release=ASSESSED, columns=bindings, people=table, person=person.binding
    )
    session.run("drop_table", table=table)
    session.views.replace_with("release_with_people")
    release.columns = [*release.columns, person]
    release.held, release.carry = True, None
    return person
