"""What a person decided about columns, in options and in a settings file, and which columns that names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.errors import UsageError
from duckrisk.base.options.roles import RoleOverrides as RoleOverrides
from duckrisk.roles.model import DECLARED, KNOWN_ROLES, SETTABLE
from duckrisk.source import Source
from duckrisk.source.model import find_column

#: Roles of columns that no release that keeps a policy holds.
_NOT_KEPT = ("identifier", "direct_identifier", "ignored")
#: Roles of the person's column that go together: what it stands for, and whose numbers it holds.
_OF_PERSON = ({"user", "pseudonym"}, {"user", "identifier"})
_KNOWLEDGE = re.compile(r"(.*)\.([a-z_]+)(?:\((\d+(?:\.\d+)?)\))?", re.DOTALL)


def merge_overrides(source: Source, overrides: RoleOverrides) -> RoleOverrides:
    """What options and the settings file say, as one: column by column the option wins.

    An option that makes a column the user, an attribute or ignored takes away whatever the file says
    against it: attributes that use it, that it is ignored or the user, and a role that is another. A column
    that the file keeps stays one to keep.

    Raises UsageError for a column with two roles, for one that is not there, and for no role.
    """
    overrides = _with_declared(source, overrides)
    file = overrides.settled
    if file is None:
        return overrides
    file = _with_declared(source, _of_columns_there(source, file))

    def positions(names: Sequence[str]) -> set[int]:
        return {source.column(name).position for name in names}

    def is_in(name: str, chosen: set[int]) -> bool:
        column = find_column(source.columns, name)  # a name of the file that is not there is refused later
        return column is not None and column.position in chosen

    user = positions([overrides.user] if overrides.user else [])
    ignored = positions(overrides.ignore)
    assessed = assessed_positions(overrides, source)
    roles = {source.column(name).position for name, _ in overrides.roles}
    still_kept = [name for name, role in file.roles if role == "keep" and is_in(name, ignored | roles)]
    kept = tuple(
        text for text in file.attributes if not set(_positions(text, source)) & (user | ignored | roles)
    )
    numbered = positions([name for name, role in overrides.roles if role in ("pseudonym", "identifier")])
    lost_user = file.user is not None and is_in(file.user, ignored | assessed | (roles - numbered))
    merged = RoleOverrides(
        overrides.user if overrides.user is not None else None if lost_user else file.user,
        overrides.attributes or kept,
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
        no_persons=overrides.no_persons or (file.no_persons and not _names_person(overrides)),
        fold_keys=overrides.fold_keys,
    )
    _check_kept(source, merged)
    return merged


def _names_person(overrides: RoleOverrides) -> bool:
    """Whether an option says whom records stand for."""
    return overrides.user is not None or any(role in ("user", "count") for _, role in overrides.roles)


def _check_kept(source: Source, overrides: RoleOverrides) -> None:
    """Raise UsageError for a column to keep that is an identifier or ignored: no release may hold it."""
    refused = {
        **dict.fromkeys(overrides.ignore, "ignored"),
        **{name: role for name, role in overrides.roles if role in _NOT_KEPT},
    }
    roles = {source.column(name).position: role for name, role in refused.items()}
    for name in overrides.keep:
        column = source.column(name)
        if (role := roles.get(column.position)) is not None:
            raise UsageError("roles.two_roles", column=column.name, first=role, second="keep")


def _with_declared(source: Source, overrides: RoleOverrides) -> RoleOverrides:
    """Return the overrides with the declared roles of options among ``roles``.

    A column that is an attribute, or holds dates, can be declared sensitive as well.
    """
    given: dict[int, tuple[str, str]] = {}
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
        _, first = given.setdefault(column.position, (name, role))
        of_person = {first, role} in _OF_PERSON
        if first != role and not of_person and not (first in KNOWN_ROLES and role in DECLARED):
            raise UsageError("roles.two_roles", column=column.name, first=first, second=role)
    ignored = {source.column(name).position for name in overrides.ignore}
    for text in overrides.attributes:
        if both := ignored.intersection(_positions(text, source)):
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


def _of_columns_there(source: Source, file: RoleOverrides) -> RoleOverrides:
    """What the settings file says of columns that a release still has."""

    def there(text: str) -> bool:
        names = [named_part(piece, source)[0] for piece in pieces(text, source)]
        return not any(source.is_missing_from_release(name) for name in names)

    return RoleOverrides(
        None if file.user and source.is_missing_from_release(file.user) else file.user,
        tuple(text for text in file.attributes if there(text)),
        tuple(name for name in file.ignore if not source.is_missing_from_release(name)),
        tuple((name, role) for name, role in file.roles if not source.is_missing_from_release(name)),
        no_persons=file.no_persons,
    )


def named_part(text: str, source: Source) -> tuple[str, re.Match[str] | None]:
    """What names the column in a part of an attribute, and how the coarser knowledge of it is written."""
    text = text.strip() if not any(c.name == text for c in source.columns) else text
    match = _KNOWLEDGE.fullmatch(text)
    if match is None or any(c.name.casefold() == text.casefold() for c in source.columns):
        return text, None
    return match[1], match


def pieces(text: str, source: Source) -> list[str]:
    """Split at the plus signs that are not part of a column's name."""
    names = {column.name for column in source.columns}
    raw = text.split("+")
    pieces: list[str] = []
    start = 0
    while start < len(raw):
        for end in range(len(raw), start, -1):
            joined = "+".join(raw[start:end])
            if end == start + 1 or joined in names:
                pieces.append(joined)
                start = end
                break
    return pieces


def form_pair(source: Source, name: str | None) -> None:
    """Form the key of the person where a name is those of several columns: "household+member"."""
    if not name or find_column(source.columns, name) is not None:
        return
    names = pieces(name, source)
    if len(names) > 1 and all(find_column(source.columns, piece) is not None for piece in names):
        source.form_person_key(names, name)


def assessed_positions(overrides: RoleOverrides, source: Source) -> set[int]:
    """Return where the columns are that a person named as attributes."""
    return {position for text in overrides.attributes for position in _positions(text, source)}


def _positions(text: str, source: Source) -> list[int]:
    """Where the columns are that an attribute is made of, as far as they are there."""
    names = [named_part(piece, source)[0] for piece in pieces(text, source)]
    columns = [find_column(source.columns, name) for name in names]
    return [column.position for column in columns if column is not None]
