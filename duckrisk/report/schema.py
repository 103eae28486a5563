"""The JSON Schema of a result, made from its dataclasses.

Types and ranges are those of the fields, meanings the texts beside them, or those of the header of the
``metric`` that a shape has its numbers from; what repeats is told once, under ``$defs``.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from duckrisk.base.results import Range, Result
from duckrisk.base.sentences import Text
from duckrisk.base.shapes import ShapeField, is_shape, keys_of, summary_of, without_none
from duckrisk.engine.meanings import header_texts, option_schemas

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: dict[Any, dict[str, Any]] = {
    Path: {"type": "string"},
    **{name: {"type": "string"} for name in get_args(Text)},
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
    shape = _object(result, shapes)
    named = {entry.__name__: shape for entry, shape in shapes.items()}
    if len(named) < len(shapes):
        names = [entry.__name__ for entry in shapes]
        raise TypeError(f"two shapes are called {next(name for name in names if names.count(name) > 1)}")
    return {"$schema": _DIALECT, "title": f"duckrisk: {result.__name__}", **shape, "$defs": named}


def _object(shape: Any, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    keys = keys_of(shape)
    return {
        "description": summary_of(shape),
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, field in keys.items() if field.required],
        "properties": {name: _property(field, shapes) for name, field in keys.items()},
    }


def _property(field: ShapeField, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a key: its type, and what its column or its option says of it."""
    hint = without_none(field.hint) if field.is_left_out else field.hint  # never null: left out instead
    text = header_texts(field.shape).get(field.name)
    described = {"description": text} if text is not None else {}
    return {**described, **option_schemas(field.shape).get(field.name, {}), **_shape(hint, shapes)}


def _shape(hint: Any, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is typing.Annotated:
        return _annotated(_shape(inside[0], shapes), inside[1:])
    if origin in (Union, types.UnionType):
        return _either([_shape(inner, shapes) for inner in inside])
    if origin is Literal:
        return {"enum": list(inside)} | (
            {"type": "string"} if all(isinstance(i, str) for i in inside) else {}
        )
    if origin in (tuple, list):
        return {"type": "array", "items": _shape(inside[0], shapes)}
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object", "additionalProperties": _shape(inside[1], shapes)}
    if is_shape(hint):
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
            ends = {"minimum": note.minimum, "maximum": note.maximum}
            shape = {**shape, **{name: end for name, end in ends.items() if end is not None}}
    return shape


def _either(shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several shapes; plain types share a list of types."""
    if all(isinstance(shape.get("type"), str) and "enum" not in shape for shape in shapes):
        merged: dict[str, Any] = {}
        for shape in shapes:
            merged |= {key: value for key, value in shape.items() if key != "type"}
        kinds = list(dict.fromkeys(shape["type"] for shape in shapes))
        return {**merged, "type": kinds if len(kinds) > 1 else kinds[0]}
    return {"anyOf": shapes}
