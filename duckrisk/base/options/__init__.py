"""What a person can set: an option is one field of a dataclass, with what it says, what it may be and what
it is called. The command line, the settings file, the check of what was given and the reference are made of
it."""

from __future__ import annotations

import dataclasses
import math
import os
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, TypeVar

from duckrisk.base.errors import UsageError

#: The groups of options, in the order in which they are told.
GROUPS = (
    "Source",
    "Who is who",
    "Treatment",
    "What is measured",
    "Limits of the search",
    "Output",
    "Engine",
)
_KEY = "option"
_Text = TypeVar("_Text")


@dataclass(frozen=True)
class Option:
    """What is known of an option beside its name, its type and its default.

    ``flags`` are its names on the command line (None: made of its own name; empty: it has none there);
    ``stand_for`` are flags that stand for one value each, as ``--approximate`` does, with what they say.
    ``setting`` says whether the settings file may hold it. A number is at ``least``, ``above``, at ``most``,
    ``below``; a text one of ``choices``, which are all there are unless they are ``open``. ``shown`` stands
    for a default that says nothing by itself, and ``example`` for one in the settings file. ``read`` makes
    the value of what the command line was given, where it is ``required`` or can be left out. One that is
    ``rare`` is listed by ``--help-all`` alone. ``keyword`` is its name in Python, where that is not its own
    name, and ``keyword_type`` its type there, where that is not the type of the field. ``table`` is its table
    of the settings file, where that is not the table of its set.
    """

    help: str
    group: str | None = None
    flags: tuple[str, ...] | None = None
    stand_for: Mapping[str, tuple[Any, str]] = dataclasses.field(default_factory=dict)
    setting: bool = True
    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] = ()
    open: bool = False
    metavar: str | None = None
    shown: str | None = None
    example: Any = None
    read: Callable[[Any], Any] | None = None
    required: bool = False
    rare: bool = False
    keyword: str | None = None
    keyword_type: Any = None
    table: str | None = None


def option(default: Any = dataclasses.MISSING, **facts: Any) -> Any:
    """A field of a dataclass that is an option; ``facts`` are those of :class:`Option`, and ``flag`` is short
    for one of its ``flags``."""
    if (flag := facts.pop("flag", None)) is not None:
        facts["flags"] = (flag,)
    return dataclasses.field(default=default, metadata={_KEY: Option(**facts)})


class OptionSet:
    """A dataclass of options: ``table`` is where the settings file has them ("" is its beginning), ``group``
    where they are told unless one says otherwise."""

    settings_table: ClassVar[str | None] = None
    options_group: ClassVar[str] = "What is measured"

    def __init_subclass__(cls, table: str | None = None, group: str | None = None) -> None:
        cls.settings_table = table
        cls.options_group = group or cls.options_group

    def check(self) -> None:
        """Raise UsageError with one sentence where an option makes no sense."""
        for name, field in options_of(type(self)).items():
            field.check(name, getattr(self, name))


@dataclass(frozen=True)
class Field:
    """An option with its name, the ``hint`` of its field, its ``kind`` (a type; None where a check of its own
    is needed), whether it is a list of ``many`` such, whether it can be None and its default."""

    name: str
    hint: Any
    kind: Any
    many: bool
    optional: bool
    default: Any
    option: Option
    table: str | None

    @property
    def flags(self) -> tuple[str, ...]:
        """Its names on the command line."""
        if self.option.flags is not None:
            return self.option.flags
        return () if self.option.stand_for else ("--" + self.name.replace("_", "-"),)

    @property
    def keyword(self) -> str:
        """Its name in Python, or that of the dictionary that holds it."""
        return self.option.keyword or self.name

    @property
    def setting(self) -> str | None:
        """Its name in the settings file, with that of its table."""
        if self.table is None or not self.option.setting:
            return None
        return f"{self.table}.{self.name}" if self.table else self.name

    @property
    def shown(self) -> str:
        """Its default, as people are told; empty where it says nothing."""
        if self.option.shown is not None:
            return self.option.shown
        if type(self.default) is bool or self.default in (None, (), "", dataclasses.MISSING):
            return ""
        many = isinstance(self.default, tuple)
        return ", ".join(map(str, self.default)) if many else f"{self.default}"

    @property
    def span(self) -> str:
        """Which numbers it may be, as in "a whole number of 2 or more"; empty where that is not limited."""
        low, above = self.option.least, self.option.above
        high, below = self.option.most, self.option.below
        end = f"to {high:,}" if high is not None else f"to below {below:,}" if below is not None else ""
        if low is not None:
            return f"from {low:,} {end}" if end else f"of {low:,} or more"
        if above is not None:
            return f"above {above:,}" + (f" and at most {high:,}" if high is not None else "")
        return ""

    @property
    def what(self) -> str:
        """What it has to be, as in "a list of texts"."""
        if self.option.choices and not self.option.open:
            return alternatives([str(choice) for choice in self.option.choices])
        single, several = _WORDS[self.kind]
        return " ".join(filter(None, (f"a list of {several}" if self.many else single, self.span)))

    def check(self, name: str, value: Any) -> None:
        """Raise UsageError where a value cannot be meant."""
        if self.kind is None or (value is None and self.optional):
            return
        if not self.many:
            fits = self._fits(value)
        else:
            fits = isinstance(value, (list, tuple)) and all(map(self._fits, value))
        if not fits:
            refused = f", not {_written(value)}" if isinstance(value, (str, int, float)) else ""
            raise UsageError("options.wrong_type", name=name, what=self.what, given=refused)

    def _fits(self, value: Any) -> bool:
        option = self.option
        if self.kind is Path:
            return isinstance(value, (str, os.PathLike))
        if self.kind is float:
            if type(value) not in (int, float) or not math.isfinite(value):
                return False
        elif type(value) is not self.kind and not (self.kind is str and isinstance(value, str)):
            return False
        if option.choices and not option.open:
            return value in option.choices
        return self.kind not in (int, float) or (
            (option.least is None or value >= option.least)
            and (option.above is None or value > option.above)
            and (option.most is None or value <= option.most)
            and (option.below is None or value < option.below)
        )


#: What a value of a type is called, and several.
_WORDS: dict[Any, tuple[str, str]] = {
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
    bool: ("true or false", "truth values"),
    Path: ("a path", "paths"),
}


def _written(value: Any) -> str:
    return (
        f'"{value}"'
        if isinstance(value, str)
        else str(value).lower()
        if value in (True, False)
        else str(value)
    )


def texts(name: str, values: Iterable[_Text] | None) -> tuple[_Text, ...] | None:
    """What a keyword of that name lists; raises UsageError for one text, whose letters it would be."""
    if isinstance(values, str):
        raise UsageError("options.text_instead_of_list", name=name)
    return None if values is None else tuple(values)


def alternatives(names: Sequence[str]) -> str:
    """Names of which one is chosen, for a sentence."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@dataclass(frozen=True)
class Selection:
    """Options of a set: those with these names, or all; ``changed`` holds other facts of some of them."""

    kind: type[OptionSet]
    names: Sequence[str] = ()
    changed: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    @property
    def fields(self) -> list[Field]:
        """The selected options, with what was changed."""
        every = options_of(self.kind)
        chosen = [every[name] for name in self.names or every]
        return [
            dataclasses.replace(own, option=dataclasses.replace(own.option, **self.changed[own.name]))
            if own.name in self.changed
            else own
            for own in chosen
        ]


def select_options(options: type[OptionSet], *names: str, **changed: Mapping[str, Any]) -> Selection:
    """Select options of a set by name (none: all).

    Args:
        options: The set.
        names: The fields to select, in this order.
        changed: By field, the facts of :class:`Option` that differ here.

    Returns:
        The selection.
    """
    return Selection(options, names, changed)


def fields_of(taken: Iterable[type[OptionSet] | Selection]) -> dict[type[OptionSet], list[Field]]:
    """Return the options of several sets and selections, by set."""
    fields: dict[type[OptionSet], list[Field]] = {}
    for choice in taken:
        chosen = choice if isinstance(choice, Selection) else Selection(choice)
        fields.setdefault(chosen.kind, []).extend(chosen.fields)
    return fields


def options_of(kind: type[Any]) -> Mapping[str, Field]:
    """The options of a dataclass by name; its other fields are none."""
    every: Any = kind
    return _options_of(every)


@cache
def _options_of(kind: Any) -> Mapping[str, Field]:
    hints = typing.get_type_hints(kind)
    fields = {}
    for field in dataclasses.fields(kind):
        if (option := field.metadata.get(_KEY)) is None:
            continue
        item, many, optional, choices = _kind_of(hints[field.name])
        group = option.group or kind.options_group
        option = dataclasses.replace(option, group=group, choices=option.choices or choices)
        fields[field.name] = Field(
            *(field.name, hints[field.name], item, many, optional),
            *(field.default, option, option.table or kind.settings_table),
        )
    return fields


def _kind_of(hint: Any) -> tuple[Any, bool, bool, tuple[Any, ...]]:
    """The type of one value, whether there are several, whether there may be none, and which there are."""
    sorts = [sort for sort in typing.get_args(hint) if sort is not NoneType]
    if optional := NoneType in typing.get_args(hint):
        hint = sorts[0] if len(sorts) == 1 else None
    if many := typing.get_origin(hint) in (tuple, Sequence, Mapping):
        hint = typing.get_args(hint)[0] if typing.get_origin(hint) is not Mapping else None
    choices = typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()
    hint = type(choices[0]) if choices else hint
    return (hint if hint in _WORDS else None), many, optional, choices
