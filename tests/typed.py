"""Results out of thin air: dataclasses made of what their JSON form would hold."""

from __future__ import annotations

import dataclasses
import typing
from functools import cache
from typing import Any, TypeVar

from duckrisk.base.sentences import Data, Sentence

_T = TypeVar("_T")


def typed(kind: type[_T], data: dict[str, Any]) -> _T:
    """A result of these keys; a text that stands for a sentence is that text."""
    hints = _hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in data.items()})


_hints = cache(typing.get_type_hints)


def _value(hint: Any, value: Any) -> Any:
    inside = typing.get_args(hint)
    if value is None:
        return None
    if hint is Sentence:
        return Sentence("two", first=Data(value), second="")
    if dataclasses.is_dataclass(hint):
        return typed(typing.cast(Any, hint), value)
    if isinstance(value, list):
        return tuple(_value(inside[0], one) for one in value)
    whole = [one for one in inside if dataclasses.is_dataclass(one)]
    return _value(whole[0], value) if whole and isinstance(value, dict) else value
