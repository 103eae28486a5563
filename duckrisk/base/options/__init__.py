"""Describes what a person can set: an option is one field of a dataclass.

The field has the name, the type and the default; :class:`Option` holds the help, the limits and the flags.
The command line, the settings file, the keywords of Python, the checks and the reference are made from it.
"""

from __future__ import annotations

import dataclasses
import math
import os
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from duckrisk.base.errors import UsageError

#: The groups of options, in the order of the help.
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
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Option:
    """The facts of an option that its field does not hold.

    Attributes:
        help: One sentence for the command line, the settings file and the docstrings.
        group: Its group in the help; None for that of its set.
        flags: Its flags on the command line: None for a flag of its own name, () for none.
        value_flags: By further flag, the one value that the flag sets, and its help.
        setting: Whether the settings file may hold it.
        minimum: The smallest number that is accepted.
        above: Numbers must be above this one.
        maximum: The largest number that is accepted.
        below: Numbers must be below this one.
        choices: The values that are accepted, or suggestions where it is ``open``.
        open: Whether other values than the choices are accepted.
        metavar: Its value in the help.
        default_text: The default in the help, where the value does not explain itself.
        example: The value that a proposed settings file shows.
        parse: Makes the value from what the command line was given.
        required: Whether a call must give it.
        rare: Whether only ``--help-all`` lists it.
        keyword: Its name in Python; None for its own name.
        keyword_type: Its type in Python; None for that of the field.
        table: Its table in the settings file; None for that of its set.
    """

    help: str
    group: str | None = None
    flags: tuple[str, ...] | None = None
    value_flags: Mapping[str, tuple[Any, str]] = dataclasses.field(default_factory=dict)
    setting: bool = True
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] = ()
    open: bool = False
    metavar: str | None = None
    default_text: str | None = None
    example: Any = None
    parse: Callable[[Any], Any] | None = None
    required: bool = False
    rare: bool = False
    keyword: str | None = None
    keyword_type: Any = None
    table: str | None = None


def option(default: Any = MISSING, **facts: Any) -> Any:
    """Declare a dataclass field that is an option.

    Args:
        default: The default of the field; without it, the field is required.
        facts: The attributes of :class:`Option`; ``flag="--x"`` is short for ``flags=("--x",)``.
    """
    if (flag := facts.pop("flag", None)) is not None:
        facts["flags"] = (flag,)
    return dataclasses.field(default=default, metadata={_KEY: Option(**facts)})


class OptionSet:
    """Base class of dataclasses of options.

    Attributes:
        settings_table: Their table in the settings file: "" for its top level, None for none.
        options_group: Their group in the help; an option can name another one.
    """

    settings_table: ClassVar[str | None] = None
    options_group: ClassVar[str] = "What is measured"

    def __init_subclass__(cls, table: str | None = None, group: str | None = None) -> None:
        cls.settings_table = table
        cls.options_group = group or cls.options_group

    def check(self) -> None:
        """Refuse values that are out of range or do not go together.

        Raises:
            UsageError: The first fault, in one sentence.
        """
        for name, field in options_of(type(self)).items():
            field.check(name, getattr(self, name))


@dataclass(frozen=True)
class Field:
    """An option together with its dataclass field.

    Attributes:
        name: The name of the field.
        hint: The type of the field.
        kind: The type of a value or of an item, if it can be checked; None where the set checks it.
        is_list: Whether the field holds several items.
        is_optional: Whether the field can be None.
        default: The default; ``dataclasses.MISSING`` without one.
        option: What the field does not hold.
        table: Its table in the settings file; None for none.
    """

    name: str
    hint: Any
    kind: Any
    is_list: bool
    is_optional: bool
    default: Any
    option: Option
    table: str | None

    @property
    def flags(self) -> tuple[str, ...]:
        """Its names on the command line."""
        if self.option.flags is not None:
            return self.option.flags
        return () if self.option.value_flags else ("--" + self.name.replace("_", "-"),)

    @property
    def keyword(self) -> str:
        """Its name in Python, or that of the dictionary that holds it."""
        return self.option.keyword or self.name

    @property
    def setting(self) -> str | None:
        """Its name in the settings file, after that of its table."""
        if self.table is None or not self.option.setting:
            return None
        return f"{self.table}.{self.name}" if self.table else self.name

    @property
    def default_text(self) -> str:
        """Its default in the help; "" where the default means nothing to a reader."""
        if self.option.default_text is not None:
            return self.option.default_text
        if type(self.default) is bool or self.default in (None, (), "", MISSING):
            return ""
        return ", ".join(map(str, self.default)) if isinstance(self.default, tuple) else f"{self.default}"

    @property
    def range_text(self) -> str:
        """The accepted numbers, as in "of 2 or more"; "" without limits."""
        low, above = self.option.minimum, self.option.above
        high, below = self.option.maximum, self.option.below
        end = f"to {high:,}" if high is not None else f"to below {below:,}" if below is not None else ""
        if low is not None:
            return f"from {low:,} {end}" if end else f"of {low:,} or more"
        if above is not None:
            return f"above {above:,}" + (f" and at most {high:,}" if high is not None else "")
        return ""

    @property
    def expected(self) -> str:
        """The accepted values, as in "a list of texts"."""
        if self.option.choices and not self.option.open:
            return join_alternatives([str(choice) for choice in self.option.choices])
        if self.option.metavar == "PERCENT":
            return "a share from 0% to 100%"
        single, several = _WORDS[self.kind]
        return " ".join(filter(None, (f"a list of {several}" if self.is_list else single, self.range_text)))

    def check(self, name: str, value: Any) -> None:
        """Refuse a value of another type, or outside the limits and choices.

        Args:
            name: The name of the option in the message.
            value: The value.

        Raises:
            UsageError: The option cannot have that value.
        """
        if self.kind is None or (value is None and self.is_optional):
            return
        if not self.is_list:
            fits = self._fits(value)
        else:
            fits = isinstance(value, (list, tuple)) and all(map(self._fits, value))
        if not fits:
            refused = f", not {_format_value(value)}" if isinstance(value, (str, int, float)) else ""
            raise UsageError("options.wrong_type", name=name, what=self.expected, given=refused)

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
            (option.minimum is None or value >= option.minimum)
            and (option.above is None or value > option.above)
            and (option.maximum is None or value <= option.maximum)
            and (option.below is None or value < option.below)
        )


#: The words for one value of a type, and for several.
_WORDS: dict[Any, tuple[str, str]] = {
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
    bool: ("true or false", "truth values"),
    Path: ("a path", "paths"),
}


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower() if value in (True, False) else str(value)


def check_list(name: str, values: Iterable[_Item] | None) -> tuple[_Item, ...] | None:
    """Return the items of a keyword that holds a list.

    Args:
        name: The keyword.
        values: Its items, or None.

    Raises:
        UsageError: The value is a single text, which would become a list of its letters.
    """
    if isinstance(values, str):
        raise UsageError("options.text_instead_of_list", name=name)
    return None if values is None else tuple(values)


def join_alternatives(names: Sequence[str]) -> str:
    """Join names as "a, b or c"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@dataclass(frozen=True)
class Selection:
    """Some options of a set.

    Attributes:
        kind: The set.
        names: The fields, in this order; all of them if empty.
        changed: By field, the facts of :class:`Option` that differ here.
    """

    kind: type[OptionSet]
    names: Sequence[str] = ()
    changed: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    @property
    def fields(self) -> list[Field]:
        """The selected options, with their changes."""
        options = options_of(self.kind)
        return [
            dataclasses.replace(field, option=dataclasses.replace(field.option, **self.changed[name]))
            if name in self.changed
            else field
            for name, field in ((name, options[name]) for name in self.names or options)
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


def group_by_set(choices: Iterable[type[OptionSet] | Selection]) -> dict[type[OptionSet], list[Field]]:
    """Return the options of several sets and selections, by set."""
    fields: dict[type[OptionSet], list[Field]] = {}
    for choice in choices:
        selection = choice if isinstance(choice, Selection) else Selection(choice)
        fields.setdefault(selection.kind, []).extend(selection.fields)
    return fields


def options_of(kind: Any) -> Mapping[str, Field]:
    """Return the options of a dataclass by name, without its other fields."""
    return _find_options(kind)


@cache
def _find_options(kind: Any) -> Mapping[str, Field]:
    from duckrisk.base.shapes import fields_of  # the list of commands needs no option

    options = {}
    for field in fields_of(kind):
        if (option := field.metadata.get(_KEY)) is None:
            continue
        item, is_list, choices = _parse_type(field.type)
        group = option.group or kind.options_group
        option = dataclasses.replace(option, group=group, choices=option.choices or choices)
        options[field.name] = Field(
            *(field.name, field.hint, item, is_list, field.is_optional),
            *(getattr(kind, field.name, MISSING), option, option.table or kind.settings_table),
        )
    return options


def _parse_type(hint: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    """Return the type of an item, whether it is a list, and a Literal's values."""
    origin = typing.get_origin(hint)
    is_list = origin in (tuple, Sequence, Mapping)
    item = None if origin is Mapping else typing.get_args(hint)[0] if is_list else hint
    choices = typing.get_args(item) if typing.get_origin(item) is typing.Literal else ()
    item = type(choices[0]) if choices else item
    return (item if item in _WORDS else None), is_list, choices
