"""Make the JSON Schema of a result from its dataclasses.

Types and ranges are those of the fields. Descriptions are the texts of the fields, or those of the SQL header
that a dataclass names as its `metric`. Each dataclass is one entry of `$defs`.
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
    """Make the JSON Schema of a kind of report.

    Args:
        result: The class of its results.

    Returns:
        The schema, for the dialect 2020-12.

    Raises:
        TypeError: Two dataclasses have the same name, or a field has a type that JSON lacks.
    """
    shapes: dict[type, dict[str, Any]] = {}
    shape = _make_object(result, shapes)
    named = {entry.__name__: shape for entry, shape in shapes.items()}
    if len(named) < len(shapes):
        names = [entry.__name__ for entry in shapes]
        raise TypeError(f"two shapes are called {next(name for name in names if names.count(name) > 1)}")
    return {"$schema": _DIALECT, "title": f"duckrisk: {result.__name__}", **shape, "$defs": named}


def _make_object(shape: Any, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    keys = keys_of(shape)
    return {
        "description": summary_of(shape),
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, field in keys.items() if field.required],
        "properties": {name: _make_property(field, shapes) for name, field in keys.items()},
    }


def _make_property(field: ShapeField, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    """Make the schema of a key, with the description of its column or option."""
    hint = without_none(field.hint) if field.is_left_out else field.hint  # omitted instead of null
    text = header_texts(field.shape).get(field.name)
    described = {"description": text} if text is not None else {}
    return {**described, **option_schemas(field.shape).get(field.name, {}), **_make_type(hint, shapes)}


def _make_type(hint: Any, shapes: dict[type, dict[str, Any]]) -> dict[str, Any]:
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is typing.Annotated:
        return _add_annotations(_make_type(inside[0], shapes), inside[1:])
    if origin in (Union, types.UnionType):
        return _make_union([_make_type(inner, shapes) for inner in inside])
    if origin is Literal:
        return {"enum": list(inside)} | (
            {"type": "string"} if all(isinstance(i, str) for i in inside) else {}
        )
    if origin in (tuple, list):
        return {"type": "array", "items": _make_type(inside[0], shapes)}
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object", "additionalProperties": _make_type(inside[1], shapes)}
    if is_shape(hint):
        if hint not in shapes:
            shapes[hint] = {}  # first, since the shape can contain itself
            shapes[hint] = _make_object(hint, shapes)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"no JSON has a {hint}")


def _add_annotations(shape: dict[str, Any], notes: tuple[Any, ...]) -> dict[str, Any]:
    for note in notes:
        if isinstance(note, str):
            shape = {"description": note, **shape}
        elif isinstance(note, Range):
            ends = {"minimum": note.minimum, "maximum": note.maximum}
            shape = {**shape, **{name: end for name, end in ends.items() if end is not None}}
    return shape


def _make_union(shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """Make a schema that allows several; plain types become one list of types."""
    if all(isinstance(shape.get("type"), str) and "enum" not in shape for shape in shapes):
        merged: dict[str, Any] = {}
        for shape in shapes:
            merged |= {key: value for key, value in shape.items() if key != "type"}
        kinds = list(dict.fromkeys(shape["type"] for shape in shapes))
        return {**merged, "type": kinds if len(kinds) > 1 else kinds[0]}
    return {"anyOf": shapes}
