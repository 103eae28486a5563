"""What the numbers of results mean: the texts beside their fields, and the header of the SQL they come from.

A dataclass names the metric that it has its numbers from; a column of the same name then tells the unit and
the meaning of a field that has no text of its own. Other statements that give its numbers stand in ``sql``.
Settings name their options, which do the same.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from duckrisk.base.options import Field, options_of
from duckrisk.base.results import Range
from duckrisk.engine.templates import template_of


def from_header(kind: Any) -> dict[str, str]:
    """The meanings of the columns of the metric that a result is of, by their names."""
    if not hasattr(kind, "metric"):
        return {}
    return {
        column.name: f"{column.unit[:1].upper()}{column.unit[1:]}: {column.text}."
        for column in template_of(kind.metric).columns
    }


def statements_of(kind: Any) -> tuple[str, ...]:
    """The statements that a result has its numbers from: its metric, and those that it names itself."""
    metric = (kind.metric,) if hasattr(kind, "metric") else ()
    return tuple(dict.fromkeys((*metric, *getattr(kind, "sql", ()))))


def from_options(kind: Any) -> dict[str, dict[str, Any]]:
    """Help, limits and choices of the options that a shape of settings names, as JSON Schema has them."""
    return {
        name: _schema(field)
        for options in getattr(kind, "options", ())
        for name, field in options_of(options).items()
    }


def _schema(field: Field) -> dict[str, Any]:
    option = field.option
    schema: dict[str, Any] = {"description": option.help}
    if field.many:
        return schema
    if option.choices and not option.open:
        return {**schema, "enum": list(option.choices)}
    ends = {
        "minimum": option.least,
        "exclusiveMinimum": option.above,
        "maximum": option.most,
        "exclusiveMaximum": option.below,
    }
    return schema | {name: end for name, end in ends.items() if end is not None}


def without_none(hint: Any) -> Any:
    """A type where it is not None, with what is noted beside it."""
    if get_origin(hint) is typing.Annotated:
        return typing.Annotated[(without_none(get_args(hint)[0]), *hint.__metadata__)]
    if type(None) not in get_args(hint):
        return hint
    return Union[tuple(kind for kind in get_args(hint) if kind is not type(None))]  # noqa: UP007 (made of a list)


def notes(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type itself, and all that is noted beside it and beside the alias that it is written with."""
    hint, noted = without_none(hint), ()
    while get_origin(hint) is typing.Annotated:
        noted += hint.__metadata__
        hint = without_none(get_args(hint)[0])
    return hint, noted


def keys(kind: Any) -> Mapping[str, tuple[Any, Any]]:
    """The keys of the JSON form of a shape, each with the type of what it holds and the shape that has it."""
    return _keys(kind)


@cache
def _keys(kind: Any) -> Mapping[str, tuple[Any, Any]]:
    hints = typing.get_type_hints(kind, include_extras=True)
    keys_of: dict[str, tuple[Any, Any]] = {}
    for field in dataclasses.fields(kind):
        if field.metadata.get("inlined"):
            keys_of |= keys(notes(hints[field.name])[0])
        elif not field.metadata.get("aside"):
            keys_of[field.name] = hints[field.name], kind
    return keys_of


def meaning(kind: Any, name: str) -> str:
    """What a field of a shape says of itself, else the header of its metric, else the shape; empty where it
    has no such field."""
    hint, owner = keys(kind).get(name, (None, None))
    if owner is not kind:
        return ""
    told = [note for note in notes(hint)[1] if isinstance(note, str)]
    return (told or [from_header(kind).get(name) or first_sentence(kind)])[0]


def first_sentence(kind: type) -> str:
    """What a shape is, by its docstring."""
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def shapes(kinds: Iterable[Any]) -> list[Any]:
    """The shapes in the JSON forms of some results, each once."""
    return list(_shapes(tuple(kinds)))


@cache
def _shapes(kinds: tuple[Any, ...]) -> dict[Any, None]:
    every: dict[Any, None] = {}
    left = list(kinds)
    while left:
        kind = left.pop(0)
        if kind not in every:
            every[kind] = None
            held = [inner for hint, _ in keys(kind).values() for inner in inside(hint)[0]]
            owners = [owner for _, owner in keys(kind).values()]
            left += [inner for inner in (*owners, *held) if dataclasses.is_dataclass(inner)]
    return every


def inside(hint: Any) -> tuple[tuple[Any, ...], bool]:
    """The types of what a field holds, those of the entries of a list or of an object with any keys; and
    whether it is one of these."""
    plain, _ = notes(hint)
    origin, held = get_origin(plain), get_args(plain)
    if origin in (Union, UnionType):
        several = [inside(hint) for hint in held]
        return tuple(kind for kinds, _ in several for kind in kinds), any(many for _, many in several)
    if origin in (tuple, list):
        return inside(held[0])[0], True
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return inside(held[1])[0], True
    return (plain,), False


def is_keyed(hint: Any) -> bool:
    """Whether a field holds an object whose keys are names that came with the data."""
    origin = get_origin(notes(hint)[0])
    return isinstance(origin, type) and issubclass(origin, Mapping)


def is_share(name: str, hint: Any, kind: Any) -> bool:
    """Whether a number of a shape is a share or a probability, between 0 and 1."""
    _, noted = notes(hint)
    told = [note for note in noted if isinstance(note, str)] or [from_header(kind).get(name, "")]
    ranged = any(isinstance(note, Range) and note.greatest == 1 for note in noted)
    return ranged or told[0].startswith("Probability:")
