"""The releases of a sequence: what to open, and how their columns correspond by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.engine.session import ASSESSED
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.types import is_float, is_number
from duckrisk.measures.identifiability.tokens import drop_tokens_of_parts
from duckrisk.roles import (
    RoleOverrides,
    Roles,
    attributes_at_full_precision,
    published_attribute,
    whole_attribute,
)
from duckrisk.roles.model import NEW, PSEUDONYM, Decision
from duckrisk.roles.overrides import form_joined_key
from duckrisk.source import VIEW, Request, Source
from duckrisk.source.matching import align_text_columns
from duckrisk.source.model import Column, find_column
from duckrisk.source.requests import parse_request

#: The beginnings of the names of the views of earlier releases and of key tables.
_EARLIER, _KEYS = "earlier_", "keys_"


@dataclass(frozen=True)
class Earlier:
    """The releases before the assessed one, and who is behind their pseudonyms.

    Attributes:
        releases: The earlier releases, the first one first.
        key_tables: Key tables of these and then of the assessed release: none, or one for each. None stands
            for a release whose user column has the same keys as that of the other releases.
    """

    releases: tuple[Request, ...] = ()
    key_tables: tuple[Request | None, ...] = ()

    @classmethod
    def of(cls, options: EarlierOptions, attach: str | None = None) -> Earlier:
        """Parse the names of releases and key tables; an empty text is no key table.

        Args:
            options: The names, or the tables themselves.
            attach: Address of the database that has the releases.

        Raises:
            UsageError: A name is none of a table, or the key tables are not one for each release.
        """
        releases: Sequence[Any] = options.earlier
        key_tables: Sequence[Any] = options.key_tables
        if key_tables and (not releases or len(key_tables) != len(releases) + 1):
            raise UsageError("sequence.key_tables", tables=len(key_tables), releases=len(releases) + 1)
        keys = (None if isinstance(key, str) and not key else parse_request(key) for key in key_tables)
        return cls(tuple(parse_request(release, attach) for release in releases), tuple(keys))

    def list_views(self) -> list[tuple[str, Request]]:
        """List the tables to open, each with the name of its view."""
        keys = [(number, key) for number, key in enumerate(self.key_tables) if key is not None]
        return [
            *((f"{_EARLIER}{number}", release) for number, release in enumerate(self.releases)),
            *((f"{_KEYS}{number}", key) for number, key in keys),
        ]

    def select_opened(self, opened: Sequence[Source]) -> OpenedEarlier:
        """Select the sources of :meth:`list_views` among opened ones."""
        views = {source.view: source for source in opened}
        return OpenedEarlier(
            tuple(views[f"{_EARLIER}{number}"] for number in range(len(self.releases))),
            tuple(views.get(f"{_KEYS}{number}") for number in range(len(self.releases) + 1)),
            are_keys_named=bool(self.key_tables),
        )


@dataclass(frozen=True)
class OpenedEarlier:
    """The opened earlier releases, and the key table of each and of the assessed release."""

    releases: tuple[Source, ...]
    keys: tuple[Source | None, ...]
    are_keys_named: bool


@dataclass(frozen=True)
class PreparedRelease:
    """A release whose columns correspond to those of the last one.

    Attributes:
        source: The release.
        relation: Its records.
        user: Column of the person or of the pseudonym, or SQL of it.
        attributes: The quasi-identifiers that it has.
        lacks: Names of those that it does not have.
        unused: Names of its columns that are none in the last release, and that nobody declared.
        shared: The columns that are compared with other releases.
        keys: Arguments of its key table; {} without one.
    """

    source: Source
    relation: Sql
    user: str
    attributes: list[Attribute]
    lacks: tuple[str, ...]
    unused: tuple[str, ...]
    shared: list[Attribute]
    keys: dict[str, Any]


def prepare_releases(
    last: Source,
    opened: OpenedEarlier,
    roles: Roles,
    tokens: Sequence[str],
    shared: Sequence[Decision] = (),
    more: Sequence[str] = (),
) -> list[PreparedRelease]:
    """Find the columns of the last release in the earlier ones, by name.

    Args:
        last: The last release, which is the assessed view.
        opened: The earlier releases.
        roles: The roles of the last release.
        tokens: Texts that mean a missing value.
        shared: Its columns that are compared with other releases; all have them.
        more: Quasi-identifiers that only earlier releases have.

    Raises:
        UsageError: A release or a key table lacks a column, or pseudonyms cannot be compared.
    """
    user = find_user(last, opened, roles)
    releases = (*opened.releases, last)
    users = [_find_user_column(source, user, roles) for source in releases]
    holders = [_find_key_columns(keys, user) if keys is not None else None for keys in opened.keys]
    people = [
        holder[0] if holder is not None else column for holder, column in zip(holders, users, strict=True)
    ]
    as_text = _need_text([column.type for column in people])
    prepared = []
    for number, source in enumerate(releases):
        holder, keys = holders[number], opened.keys[number]
        arguments: dict[str, Any] = {}
        if holder is not None and keys is not None:
            arguments = {
                "keys": Sql(f"temp.main.{keys.view}"),
                "key_person": _write_person(holder[0], as_text=as_text),
                "key_pseudonym": holder[1].binding,
            }
        attributes, lacks = _list_attributes(last, source, roles, tokens, more)
        if not attributes:
            raise UsageError("sequence.no_quasi_identifier", release=source.name, last=last.name)
        prepared.append(
            PreparedRelease(
                source,
                ASSESSED if source.view == VIEW else Sql(f"temp.main.{source.view}"),
                _write_person(users[number], as_text=as_text and holder is None),
                attributes,
                lacks,
                tuple(_list_unused(last, source, user, more)),
                [_share_column(decision, source, releases, tokens) for decision in shared],
                arguments,
            )
        )
    return prepared


def align_releases(last: Source, opened: OpenedEarlier, overrides: RoleOverrides) -> None:
    """Read columns as texts if they are texts in the last release.

    Args:
        last: The last release, whose roles are not inferred yet.
        opened: The earlier releases.
        overrides: What a person decided; the named user column is a text in all if it is one in any release.
    """
    settled = overrides.settled.user if overrides.settled is not None else None
    user = overrides.user or settled
    align_text_columns((last, *opened.releases), [user] if user else [])


def find_user(last: Source, opened: OpenedEarlier, roles: Roles) -> Column:
    """Return the column that says whose each record is.

    Raises:
        UsageError: There is none, or its pseudonyms change and no key table is named.
    """
    user = roles.user
    if user is None or not roles.is_linked:
        raise UsageError("sequence.no_user", release=last.name)
    if opened.are_keys_named:
        return user
    is_new = roles.decisions[user.position].kind in (NEW, PSEUDONYM)
    for source in (*opened.releases, last):
        if user.name in source.pseudonymized_columns or (source is last and is_new):
            raise UsageError("sequence.pseudonyms_change", release=source.name, user=user.name)
    return user


def list_known(roles: Roles) -> list[Decision]:
    """List the quasi-identifiers of the last release, and what is constant there.

    What is constant there need not be in an earlier release.
    """
    parts = {part.column for attribute in roles.plausible for part in attribute.parts}
    takes_constants = not roles.has_named_attributes
    return [
        decision
        for decision in roles.decisions
        if decision.column.binding in parts
        or (decision.role == "constant" and decision.is_known and takes_constants)
    ]


def _find_user_column(source: Source, user: Column, roles: Roles) -> Column:
    form_joined_key(source, user.name)
    column = find_column(source.columns, user.name)
    if column is None:
        raise UsageError("sequence.user_missing", release=source.name, user=user.name)
    if roles.overrides.fold_keys and column.type == "VARCHAR" and not source.has_folded_key:
        source.form_person_key([column.name], fold=True)
    return column


def _find_key_columns(keys: Source, user: Column) -> tuple[Column, Column]:
    """Return the columns that ``anonymize --keys`` writes: people, pseudonyms."""
    name = "new pseudonym" if user.name.casefold() == "pseudonym" else "pseudonym"
    person, pseudonym = find_column(keys.columns, user.name), find_column(keys.columns, name)
    if person is None or pseudonym is None:
        raise UsageError("sequence.key_columns", keys=keys.name, user=user.name, pseudonym=name)
    return person, pseudonym


def _need_text(types: Sequence[str]) -> bool:
    """Return whether values of these types are compared as texts."""
    return len(set(types)) > 1 and not all(map(is_number, types))


def _write_person(column: Column, *, as_text: bool) -> str:
    """Write a column of people, as text where other releases have another type."""
    return render("as_text", column=identifier(column.binding)) if as_text else column.binding


def _list_attributes(
    last: Source, source: Source, roles: Roles, tokens: Sequence[str], more: Sequence[str]
) -> tuple[list[Attribute], tuple[str, ...]]:
    """List the quasi-identifiers of a release, and the names of those it lacks."""
    known = replace(roles, attributes=roles.plausible)
    constant = [whole_attribute(decision) for decision in list_known(roles) if decision.role == "constant"]
    kinds = {column.binding: column.type for column in source.columns}
    found: dict[Attribute, None] = {}
    lacks: dict[str, None] = {}
    for attribute in (*known.attributes, *attributes_at_full_precision(known), *constant):
        parts = [part for known in attribute.parts for part in _find_parts(last, source, known)]
        if parts:
            found[drop_tokens_of_parts(Attribute(attribute.name, tuple(parts)), kinds, tokens)] = None
        else:
            lacks[attribute.name] = None
    for name in more:
        if (column := find_column(source.columns, name)) is not None:
            attribute = Attribute(column.name, (_make_part(column),))
            found[drop_tokens_of_parts(attribute, kinds, tokens)] = None
        else:
            lacks[name] = None
    return list(found), tuple(lacks)


def _list_unused(last: Source, source: Source, user: Column, more: Sequence[str]) -> Iterator[str]:
    """Yield the columns without a role, because the last release lacks them."""
    named = {user.name.casefold(), *(name.casefold() for name in more)}
    named |= {column.name.casefold() for column in last.columns}
    for column in source.columns:
        stem = column.name.casefold().removesuffix("_from").removesuffix("_to")
        if not named & {column.name.casefold(), stem}:
            yield column.name


def _find_parts(last: Source, source: Source, part: Part) -> list[Part]:
    """Find a column of the last release, or its bounds, in another release."""
    if source is last:
        return [part]
    column = next(column for column in last.columns if column.binding == part.column)
    same = find_column(source.columns, column.name)
    if same is not None and same.type == column.type:
        return [replace(part, column=same.binding)]
    names = [f"{column.name}_from", f"{column.name}_to"] if same is None else [column.name]
    columns = [find_column(source.columns, name) for name in names]
    return [_make_part(column) for column in columns if column is not None]


def _make_part(column: Column) -> Part:
    """Return a column as a release shows it."""
    return Part(column.binding, "number" if is_float(column.type) else "exact")


def _share_column(
    decision: Decision, source: Source, releases: Sequence[Source], tokens: Sequence[str]
) -> Attribute:
    """Return a column of a release in a form that all releases have in common."""
    column = source.column(decision.column.name)
    kinds = [other.column(decision.column.name).type for other in releases]
    (part,) = published_attribute(decision).parts
    part = replace(part, column=column.binding)
    if len(set(kinds)) > 1:
        is_text = _need_text(kinds)
        part = Part(column.binding, "as_text") if is_text else _make_part(column)
    attribute = Attribute(decision.column.name, (part,))
    return drop_tokens_of_parts(attribute, {column.binding: column.type}, tokens)
