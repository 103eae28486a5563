"""The JSON Schema of a result, made from its dataclasses.

Types and ranges are those of the fields, meanings the texts beside them, or those of the header of the
``metric`` that a shape has its numbers from; what repeats is told once, under ``$defs``.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from duckrisk.meanings import from_header, from_options, without_none
from duckrisk.results import Range, Result
from duckrisk.sentences import Text

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: dict[Any, dict[str, Any]] = {
    Path: {"type": "string"},
    **{kind: {"type": "string"} for kind in get_args(Text)},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


def schema(result: type[Result]) -> dict[str, Any]:
    """The schema of a result's JSON form."""
    shapes: dict[type, dict[str, Any]] = {}
    made = _object(result, shapes)
    told = {kind.__name__: shape for kind, shape in shapes.items()}
    if len(told) < len(shapes):
        names = [kind.__name__ for kind in shapes]
        raise TypeError(f"two shapes are called {next(name for name in names if names.count(name) > 1)}")
    return {"$schema": _DIALECT, "title": f"duckrisk: {result.__name__}", **made, "$defs": told}


def _object(kind: Any, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for one in dataclasses.fields(kind):
        hint = hints[one.name]
        if one.metadata.get("inlined"):
            inside = _object(without_none(hint), shapes)
            properties |= inside["properties"]
            required += inside["required"] if hint == without_none(hint) else []
        elif one.metadata.get("left_out"):  # never null: left out instead
            properties[one.name] = _shape(without_none(hint), shapes)
        elif not one.metadata.get("aside"):
            properties[one.name] = _shape(hint, shapes)
            required.append(one.name)
    headers = {name: {"description": meaning} for name, meaning in from_header(kind).items()}
    for name, told in (headers | from_options(kind)).items():
        if name in properties:
            properties[name] = {**told, **properties[name]}
    return {
        "description": _first_sentence(kind),
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _first_sentence(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def _shape(hint: Any, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is typing.Annotated:
        return _annotated(_shape(inside[0], shapes), inside[1:])
    if origin in (Union, types.UnionType):
        return _either([_shape(one, shapes) for one in inside])
    if origin is Literal:
        return {"enum": list(inside)} | (
            {"type": "string"} if all(isinstance(i, str) for i in inside) else {}
        )
    if origin in (tuple, list):
        return {"type": "array", "items": _shape(inside[0], shapes)}
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object", "additionalProperties": _shape(inside[1], shapes)}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if hint not in shapes:
            shapes[hint] = {}  # before what is inside, which can hold one again
            shapes[hint] = _object(hint, shapes)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"no JSON has a {hint}")


def _annotated(shape: dict[str, Any], notes: tuple[Any, ...]) -> dict[str, Any]:
    for note in notes:
        if isinstance(note, str):
            shape = {"description": note, **shape}
        elif isinstance(note, Range):
            ends = {"minimum": note.least, "maximum": note.greatest}
            shape = {**shape, **{name: end for name, end in ends.items() if end is not None}}
    return shape


def _either(shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several shapes; plain types share a list of types."""
    if all(isinstance(one.get("type"), str) and "enum" not in one for one in shapes):
        made: dict[str, Any] = {}
        for one in shapes:
            made |= {key: value for key, value in one.items() if key != "type"}
        kinds = list(dict.fromkeys(one["type"] for one in shapes))
        return {**made, "type": kinds if len(kinds) > 1 else kinds[0]}
    return {"anyOf": shapes}
