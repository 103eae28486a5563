"""Walks the fields of results for everyone who needs to know the keys of the JSON form.

A shape is a frozen dataclass whose fields are keys of the JSON form. The JSON form, its schema, rows, gates
and ``explain`` read shapes here alone. ``aside``, ``left_out`` and ``inlined`` of ``duckrisk.base.results``
mark fields that the JSON form does not hold under their own name at all times.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class ShapeField:
    """A field of a shape.

    Attributes:
        name: The name of the field, which is its key in the JSON form.
        shape: The dataclass that has the field.
        metadata: The marks of the field.
        path: The attributes that lead to the value, from the shape that was asked for.
        required: Whether the JSON form of that shape always has the key.
        declared: The type of the field; None for that of the dataclass, which is read when it is needed.
    """

    name: str
    shape: Any
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    path: tuple[str, ...] = ()
    required: bool = True
    declared: Any = None

    @property
    def is_aside(self) -> bool:
        """Whether the JSON form lacks the field."""
        return "aside" in self.metadata

    @property
    def is_left_out(self) -> bool:
        """Whether the JSON form lacks the field where it is None."""
        return "left_out" in self.metadata

    @property
    def is_inlined(self) -> bool:
        """Whether the keys inside the field replace its own."""
        return "inlined" in self.metadata

    @property
    def hint(self) -> Any:
        """The type with everything annotated."""
        return self.declared if self.declared is not None else _hints(self.shape)[self.name]

    @property
    def type(self) -> Any:
        """The type of a value that is not None, without annotations."""
        return _split(self.hint)[0]

    @property
    def annotations(self) -> tuple[Any, ...]:
        """The annotations of the field and of the alias that its type is written with."""
        return _split(self.hint)[1]

    @property
    def text(self) -> str:
        """The description annotated; "" without one."""
        return next((note for note in self.annotations if isinstance(note, str)), "")

    @property
    def is_optional(self) -> bool:
        """Whether the value can be None."""
        return without_none(self.hint) is not self.hint

    @property
    def is_object(self) -> bool:
        """Whether the value is an object of the JSON form, with the keys of its shape."""
        return is_shape(self.type)

    @property
    def is_mapping(self) -> bool:
        """Whether the value is an object whose keys come from the data."""
        return _is_mapping(self.type)

    @property
    def is_several(self) -> bool:
        """Whether the value is a list, or an object whose keys come from the data."""
        return _inside(self.type)[1]

    @property
    def types(self) -> tuple[Any, ...]:
        """The types that the value can have; of a list or a mapping, those of its entries."""
        return _inside(self.type)[0]

    @property
    def shapes(self) -> tuple[Any, ...]:
        """Those of the types that are shapes."""
        return tuple(kind for kind in self.types if is_shape(kind))


def _cache_by_class(function: Callable[[Any], _Value]) -> Callable[[Any], _Value]:
    """Cache a function of a class.

    ``functools.cache`` alone refuses classes whose instances cannot be hashed, as type checkers see it.
    """
    return cache(function)


@_cache_by_class
def fields_of(shape: Any) -> tuple[ShapeField, ...]:
    """Return the fields of a shape in their order."""
    return tuple(
        ShapeField(field.name, shape, field.metadata, (field.name,), "left_out" not in field.metadata)
        for field in dataclasses.fields(shape)
    )


@_cache_by_class
def keys_of(shape: Any) -> Mapping[str, ShapeField]:
    """Return the keys of the JSON form, with those of inlined fields."""
    keys: dict[str, ShapeField] = {}
    for field in fields_of(shape):
        if field.is_inlined:
            for name, key in keys_of(field.type).items():
                required = key.required and not field.is_optional
                keys[name] = dataclasses.replace(key, path=(field.name, *key.path), required=required)
        elif not field.is_aside:
            keys[field.name] = field
    return keys


@_cache_by_class
def shapes_of(shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return shapes and those inside their JSON forms, once each, outer ones first."""
    shapes_in_order: dict[Any, None] = {}
    queue = list(shapes)
    while queue:
        shape = queue.pop(0)
        if shape not in shapes_in_order:
            shapes_in_order[shape] = None
            keys = keys_of(shape).values()
            queue += [key.shape for key in keys]
            queue += [inner for key in keys for inner in key.shapes]
    return tuple(shapes_in_order)


def is_shape(kind: Any) -> bool:
    """Return whether a type is a shape; sentences are texts in the JSON form."""
    return isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in _sentence_types()


@cache
def _sentence_types() -> tuple[Any, ...]:
    from duckrisk.base.sentences import Text  # options have no sentences, and help has to be quick

    return get_args(Text)


def summary_of(shape: Any) -> str:
    """Return the first paragraph of a shape's docstring in one line."""
    return " ".join((shape.__doc__ or "").split("\n\n")[0].split())


def without_none(hint: Any) -> Any:
    """Return a type without None but with its annotations.

    Returns:
        The same object if the type does not include None.
    """
    if get_origin(hint) is typing.Annotated:
        inner = without_none(get_args(hint)[0])
        return hint if inner is get_args(hint)[0] else typing.Annotated[(inner, *hint.__metadata__)]
    if type(None) not in get_args(hint):
        return hint
    return Union[tuple(kind for kind in get_args(hint) if kind is not type(None))]  # noqa: UP007 (made of a list)


@_cache_by_class
def _hints(shape: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(shape, include_extras=True)


def _split(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a type without None and annotations, and the annotations."""
    hint, notes = without_none(hint), ()
    while get_origin(hint) is typing.Annotated:
        notes += hint.__metadata__
        hint = without_none(get_args(hint)[0])
    return hint, notes


def _is_mapping(plain: Any) -> bool:
    origin = get_origin(plain)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _inside(hint: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the types of a value or of its entries, and whether it has entries."""
    plain, arguments = _split(hint)[0], get_args(_split(hint)[0])
    if get_origin(plain) in (Union, UnionType):
        members = [_inside(argument) for argument in arguments]
        is_several = any(has_entries for _, has_entries in members)
        return tuple(kind for kinds, _ in members for kind in kinds), is_several
    if get_origin(plain) in (tuple, list):
        return _inside(arguments[0])[0], True
    if _is_mapping(plain):
        return _inside(arguments[1])[0], True
    return (plain,), False
