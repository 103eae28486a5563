"""Decisions of a person about columns, in options and in a settings file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.errors import UsageError
from duckrisk.base.options.roles import RoleOverrides as RoleOverrides
from duckrisk.roles.model import DECLARED, KNOWN_ROLES, SETTABLE
from duckrisk.source import Source
from duckrisk.source.model import find_column

#: Roles of columns that a release under a policy never holds.
_NOT_KEPT = ("identifier", "direct_identifier", "ignored")
#: Pairs of roles that the user column may have: what it stands for, and whose numbers it holds.
_OF_PERSON = ({"user", "pseudonym"}, {"user", "identifier"})
_KNOWLEDGE = re.compile(r"(.*)\.([a-z_]+)(?:\((\d+(?:\.\d+)?)\))?", re.DOTALL)


def merge_overrides(source: Source, overrides: RoleOverrides) -> RoleOverrides:
    """Merge the options with the settings file; the option wins for each column.

    An option that makes a column the user, an attribute or ignored removes what the file says against it:
    attributes that use it, that it is ignored or the user, and another role. A column that the file keeps
    stays one to keep.

    Raises:
        UsageError: If a column has two roles or does not exist, or if a role does not exist.
    """
    overrides = _check_roles(source, overrides)
    file = overrides.settled
    if file is None:
        return overrides
    file = _check_roles(source, _drop_missing_columns(source, file))

    def positions(names: Sequence[str]) -> set[int]:
        return {source.column(name).position for name in names}

    def is_in(name: str, chosen: set[int]) -> bool:
        column = find_column(source.columns, name)  # an unknown name of the file is refused later
        return column is not None and column.position in chosen

    user = positions([overrides.user] if overrides.user else [])
    ignored = positions(overrides.ignore)
    assessed = assessed_positions(overrides, source)
    roles = {source.column(name).position for name, _ in overrides.roles}
    still_kept = [name for name, role in file.roles if role == "keep" and is_in(name, ignored | roles)]
    attributes = tuple(
        text for text in file.attributes if not set(_find_positions(text, source)) & (user | ignored | roles)
    )
    numbered = positions([name for name, role in overrides.roles if role in ("pseudonym", "identifier")])
    lost_user = file.user is not None and is_in(file.user, ignored | assessed | (roles - numbered))
    merged = RoleOverrides(
        overrides.user if overrides.user is not None else None if lost_user else file.user,
        overrides.attributes or attributes,
        (
            *(name for name in file.ignore if not is_in(name, user | assessed | roles)),
            *overrides.ignore,
        ),
        (
            *(
                (name, role)
                for name, role in file.roles
                if not is_in(name, user | ignored | roles)
                and not (role in ("user", "pseudonym") and overrides.user is not None)
                and not (role in ("user", "ignored") and is_in(name, assessed))
            ),
            *overrides.roles,
        ),
        keep=(*overrides.keep, *still_kept),
        no_persons=overrides.no_persons or (file.no_persons and not _has_person(overrides)),
        fold_keys=overrides.fold_keys,
    )
    _check_kept(source, merged)
    return merged


def _has_person(overrides: RoleOverrides) -> bool:
    """Return whether an option names the column of persons or of their number."""
    return overrides.user is not None or any(role in ("user", "count") for _, role in overrides.roles)


def _check_kept(source: Source, overrides: RoleOverrides) -> None:
    """Raise UsageError for a column to keep that no release may hold."""
    refused = {
        **dict.fromkeys(overrides.ignore, "ignored"),
        **{name: role for name, role in overrides.roles if role in _NOT_KEPT},
    }
    roles = {source.column(name).position: role for name, role in refused.items()}
    for name in overrides.keep:
        column = source.column(name)
        if (role := roles.get(column.position)) is not None:
            raise UsageError("roles.two_roles", column=column.name, first=role, second="keep")


def _check_roles(source: Source, overrides: RoleOverrides) -> RoleOverrides:
    """Check the roles of options, and move the declared ones to ``roles``.

    A column that is an attribute, or holds dates, can be declared sensitive as well.
    """
    first_roles: dict[int, tuple[str, str]] = {}
    by_option = [
        *([(overrides.user, "user")] if overrides.user else []),
        *((name, "ignored") for name in overrides.ignore),
        *overrides.roles,
        *overrides.declared,
    ]
    for name, role in by_option:
        column = source.column(name)
        if role not in SETTABLE:
            raise UsageError("roles.unknown_role", role=role, roles=", ".join(SETTABLE))
        _, first = first_roles.setdefault(column.position, (name, role))
        of_person = {first, role} in _OF_PERSON
        if first != role and not of_person and not (first in KNOWN_ROLES and role in DECLARED):
            raise UsageError("roles.two_roles", column=column.name, first=first, second=role)
    ignored = {source.column(name).position for name in overrides.ignore}
    for text in overrides.attributes:
        if both := ignored.intersection(_find_positions(text, source)):
            name = source.columns[min(both)].name
            raise UsageError("roles.two_roles", column=name, first="ignored", second="attribute")
    _check_kept(source, overrides)
    return replace(
        overrides,
        roles=(*overrides.roles, *overrides.declared),
        quasi_identifiers=(),
        sensitive=(),
        insensitive=(),
        count=None,
        pseudonym=None,
        identifiers=(),
    )


def _drop_missing_columns(source: Source, file: RoleOverrides) -> RoleOverrides:
    """Drop the decisions of the settings file on columns that a release lacks."""

    def is_complete(text: str) -> bool:
        names = [split_knowledge(part, source)[0] for part in split_parts(text, source)]
        return not any(source.is_missing_from_release(name) for name in names)

    return RoleOverrides(
        None if file.user and source.is_missing_from_release(file.user) else file.user,
        tuple(text for text in file.attributes if is_complete(text)),
        tuple(name for name in file.ignore if not source.is_missing_from_release(name)),
        tuple((name, role) for name, role in file.roles if not source.is_missing_from_release(name)),
        no_persons=file.no_persons,
    )


def split_knowledge(text: str, source: Source) -> tuple[str, re.Match[str] | None]:
    """Split a part of an attribute into its column and its coarser knowledge, or None."""
    text = text.strip() if not any(c.name == text for c in source.columns) else text
    match = _KNOWLEDGE.fullmatch(text)
    if match is None or any(c.name.casefold() == text.casefold() for c in source.columns):
        return text, None
    return match[1], match


def split_parts(text: str, source: Source) -> list[str]:
    """Split an attribute at the plus signs that are not part of a column's name."""
    names = {column.name for column in source.columns}
    raw = text.split("+")
    parts: list[str] = []
    start = 0
    while start < len(raw):
        for end in range(len(raw), start, -1):
            joined = "+".join(raw[start:end])
            if end == start + 1 or joined in names:
                parts.append(joined)
                start = end
                break
    return parts


def form_joined_key(source: Source, name: str | None) -> None:
    """Form the person's key if a name joins several columns: "household+member"."""
    if not name or find_column(source.columns, name) is not None:
        return
    names = split_parts(name, source)
    if len(names) > 1 and all(find_column(source.columns, part) is not None for part in names):
        source.form_person_key(names, name)


def assessed_positions(overrides: RoleOverrides, source: Source) -> set[int]:
    """Return the positions of the columns that a person named as attributes."""
    return {position for text in overrides.attributes for position in _find_positions(text, source)}


def _find_positions(text: str, source: Source) -> list[int]:
    """Return the positions of the columns of an attribute that exist."""
    names = [split_knowledge(part, source)[0] for part in split_parts(text, source)]
    columns = [find_column(source.columns, name) for name in names]
    return [column.position for column in columns if column is not None]
