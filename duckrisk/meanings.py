"""What the numbers of results mean: the texts beside their fields, and the header of the SQL they come from.

A dataclass names the metric that it has its numbers from; a column of the same name then tells the unit and
the meaning of a field that has no text of its own. Settings name their options, which do the same.
"""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, Union, get_args, get_origin

from duckrisk.options import Field, options_of
from duckrisk.results import Listed
from duckrisk.templates import catalogue


def from_header(kind: Any) -> dict[str, str]:
    """The meanings of the columns of the metric that a result is of, by their names."""
    if not hasattr(kind, "metric"):
        return {}
    return {
        column.name: f"{column.unit[:1].upper()}{column.unit[1:]}: {column.text}."
        for column in catalogue()[kind.metric].columns
    }


def from_options(kind: Any) -> dict[str, dict[str, Any]]:
    """Help, limits and choices of the options that a shape of settings names, as JSON Schema has them."""
    return {
        name: _schema(one)
        for options in getattr(kind, "options", ())
        for name, one in options_of(options).items()
    }


def _schema(one: Field) -> dict[str, Any]:
    option = one.option
    told: dict[str, Any] = {"description": option.help}
    if one.many:
        return told
    if option.choices and not option.open:
        return {**told, "enum": list(option.choices)}
    ends = {
        "minimum": option.least,
        "exclusiveMinimum": option.above,
        "maximum": option.most,
        "exclusiveMaximum": option.below,
    }
    return told | {name: end for name, end in ends.items() if end is not None}


def without_none(hint: Any) -> Any:
    """A type where it is not None, with what is noted beside it."""
    if get_origin(hint) is typing.Annotated:
        return typing.Annotated[(without_none(get_args(hint)[0]), *hint.__metadata__)]
    if type(None) not in get_args(hint):
        return hint
    return Union[tuple(one for one in get_args(hint) if one is not type(None))]  # noqa: UP007 (made of a list)


def notes(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type itself, and all that is noted beside it and beside the alias that it is written with."""
    hint, noted = without_none(hint), ()
    while get_origin(hint) is typing.Annotated:
        noted += hint.__metadata__
        hint = without_none(get_args(hint)[0])
    return hint, noted


def numbers(kind: Any, within: str = "") -> dict[str, tuple[tuple[Any, ...], str]]:
    """The numbers of an entry of a result, by their names in the JSON form (those of an object inside after
    its name and a dot), each with what is noted beside its type and with its meaning."""
    hints, told = typing.get_type_hints(kind, include_extras=True), from_header(kind)
    found: dict[str, tuple[tuple[Any, ...], str]] = {}
    for field in dataclasses.fields(kind):
        plain, noted = notes(hints[field.name])
        if field.metadata.get("aside") or plain is Listed:  # of what is there to read, not of what was found
            continue
        if dataclasses.is_dataclass(plain) and not within:
            found |= numbers(plain, f"{field.name}.")
        elif plain in (int, float):
            texts = [note for note in noted if isinstance(note, str)]
            found[within + field.name] = (noted, next(iter(texts), told.get(field.name, "")))
    return found
