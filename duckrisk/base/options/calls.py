"""Gives Python functions the options of sets as keywords.

Name, type, default and help of a keyword are those of the option field.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import Any, Literal, TypeVar

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options import GROUPS, Field, OptionSet, Selection, check_list, group_by_set, options_of
from duckrisk.base.options.roles import RoleOverrides

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Set = TypeVar("_Set", bound=OptionSet)
#: Types of keywords: the path of a file, and a path or the table itself.
FILE = str | os.PathLike[str] | None
FILE_OR_TABLE = str | os.PathLike[str] | Mapping[str, Any] | None
_EMPTY = inspect.Parameter.empty


# --- the signature -------------------------------------------------------------------------------


def with_options(*choices: type[OptionSet] | Selection) -> Callable[[_Function], _Function]:
    """Give a function the options of these sets as keywords.

    The function ends with ``**options``, which receives the keywords that were given. Its signature and its
    docstring list every option, and a call that does not fit raises UsageError with one sentence.

    Args:
        choices: The sets, and selections of sets.

    Returns:
        The decorator.
    """

    def decorate(function: _Function) -> _Function:
        inner = inspect.signature(function)
        arguments = [
            parameter.replace(annotation=Any) if parameter.annotation == "Any" else parameter
            for parameter in inner.parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        options = _by_keyword(choices, exclude={parameter.name for parameter in arguments})
        keywords = [_parameter(name, fields) for name, fields in options.items()]
        signature = inner.replace(parameters=[*arguments, *keywords])

        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            _check_call(function.__name__, signature, args, given)
            return function(*args, **given)

        call.__doc__ = f"{inspect.getdoc(function) or ''}\n\nKeyword Args:\n{_listing(options, keywords)}\n"
        call.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
        call.__annotations__["return"] = signature.return_annotation
        call.__signature__ = signature  # type: ignore[attr-defined]
        return typing.cast(_Function, call)

    return decorate


def _by_keyword(choices: Iterable[type[OptionSet] | Selection], exclude: set[str]) -> dict[str, list[Field]]:
    """Return the options of several sets by keyword, in the order of their groups."""
    fields = [field for fields in group_by_set(choices).values() for field in fields]
    options: dict[str, list[Field]] = {}
    for field in sorted(fields, key=lambda field: GROUPS.index(str(field.option.group))):
        if field.keyword not in exclude:
            options.setdefault(field.keyword, []).append(field)
    return options


def _parameter(name: str, fields: Sequence[Field]) -> inspect.Parameter:
    """Make the parameter of the options that share a keyword."""
    first, defaults = fields[0], {_default(field) for field in fields}
    default = _EMPTY if first.option.required else defaults.pop() if len(defaults) == 1 else None
    annotation = first.option.keyword_type or _join_types([_type_of(field) for field in fields])
    if default is None and annotation is not Any:
        annotation = annotation | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _default(field: Field) -> Any:
    """Return the default of a keyword; None for a dictionary and without a default."""
    return None if field.default is MISSING or _shape_of(field) == "pairs" else field.default


def _type_of(field: Field) -> Any:
    """Return the type of a keyword, as it is written in Python."""
    option, hint = field.option, field.hint
    if option.choices and not option.open and field.kind in (str, int):
        alternatives: Any = Literal[tuple(option.choices)]
        return Iterable[alternatives] if field.is_list else alternatives
    return _keyword_type(hint)


def _keyword_type(hint: Any) -> Any:
    """Return the type of the keyword of a field of this type."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _join_types([_keyword_type(part) for part in inside])
    if origin in (tuple, Sequence):
        pairs = typing.get_origin(inside[0]) is tuple
        return Mapping[typing.get_args(inside[0])] if pairs else Iterable[_keyword_type(inside[0])]  # type: ignore[misc]
    return str | os.PathLike[str] if hint is Path else hint


def _join_types(kinds: Sequence[Any]) -> Any:
    """Return the union of types; several Literals become one."""
    if all(typing.get_origin(kind) is Literal for kind in kinds):
        return Literal[tuple(dict.fromkeys(value for kind in kinds for value in typing.get_args(kind)))]
    return functools.reduce(lambda left, right: left | right, kinds)


def _listing(options: Mapping[str, Sequence[Field]], keywords: Sequence[inspect.Parameter]) -> str:
    """List the keywords, each with its type, help and default."""
    names = {flag: name for name, fields in options.items() for field in fields for flag in field.flags}
    lines = []
    for parameter in keywords:
        field = options[parameter.name][0]
        kind = re.sub(r"\b(collections\.abc|typing|os)\.", "", inspect.formatannotation(parameter.annotation))
        default = f" [{field.default_text}]" if field.default_text else ""
        text = re.sub(
            r"--([a-z][a-z-]*)",
            lambda flag: names.get(flag[0], flag[1].replace("-", "_")),
            field.option.help + default,
        )
        line = f"{parameter.name} ({kind}): {text}"
        lines += textwrap.wrap(line, 96, initial_indent=" " * 4, subsequent_indent=" " * 8)
    return "\n".join(lines)


# --- the arguments of a call -----------------------------------------------------------------------


def _check_call(
    function: str, signature: inspect.Signature, args: Sequence[Any], given: Mapping[str, Any]
) -> None:
    """Raise UsageError for unknown keywords and for arguments that do not fit."""
    parameters = signature.parameters
    positional = [p for p in parameters.values() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    named = [p.name for p in parameters.values() if p.kind is not inspect.Parameter.VAR_POSITIONAL]
    for name in given:
        if name not in named:
            raise UsageError("package.unknown_option", name=name, suggestion=suggest_names(name, named))
    for parameter in positional[: len(args)]:
        if parameter.name in given:
            raise UsageError("package.argument_twice", function=function, name=parameter.name)
    reached = {parameter.name for parameter in positional[: len(args)]}
    for parameter in (parameters[name] for name in named):
        if parameter.default is _EMPTY and parameter.name not in {*reached, *given}:
            raise UsageError("package.argument_missing", function=function, name=parameter.name)
    several = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters.values())
    if len(args) > len(positional) and not several:
        names = " and ".join(parameter.name for parameter in positional)
        raise UsageError("package.arguments_too_many", function=function, names=names)


def options_from(kind: type[_Set], given: Mapping[str, Any]) -> _Set:
    """Make a set of options from the keywords of a call.

    Args:
        kind: The set.
        given: The keywords; None stands for the default, and keywords of other sets are ignored.

    Returns:
        The options, each of the type of its field.

    Raises:
        UsageError: A keyword has a value that its option cannot have.
    """
    named = {name: (field, given.get(field.keyword)) for name, field in options_of(kind).items()}
    single = issubclass(kind, RoleOverrides)
    return kind(
        **{
            name: option_value(field, value, single)
            for name, (field, value) in named.items()
            if value is not None
        }
    )


def option_value(field: Field, value: Any, single: bool = False) -> Any:
    """Return the value of a keyword in the type of its field.

    Args:
        field: The option.
        value: The value in the call.
        single: Whether a text may replace a list of one, and a list of one a text.

    Raises:
        UsageError: The option cannot have that value.
    """
    name, shape = field.keyword, _shape_of(field)
    converted = os.fspath(value) if isinstance(value, os.PathLike) and field.kind in (str, Path) else value
    if shape == "table" and not isinstance(value, Mapping):
        raise UsageError("options.wrong_type", name=name, what="a dictionary", given="")
    if shape == "pairs":
        if not isinstance(value, Mapping):
            example = "date_of_birth" if field.name == "levels" else "attribute"
            raise UsageError("keywords.not_a_dictionary", name=name, example=example)
        converted = tuple(value.items())
    elif shape in ("list", "lists"):
        converted = (value,) if single and isinstance(value, str) else list_of(name, value)
        converted = tuple(list_of(name, part) for part in converted) if shape == "lists" else converted
    elif (
        single and field.kind is str and isinstance(value, Iterable) and not isinstance(value, (str, Mapping))
    ):
        listed = tuple(value)
        converted = listed[0] if len(listed) == 1 else value
    field.check(name, converted)
    return Path(converted) if field.kind is Path else converted


def _shape_of(field: Field) -> str:
    """Return "one", "list", "lists" (of lists), "table" or "pairs" (of a dictionary)."""
    for hint in (field.hint, *typing.get_args(field.hint)):
        origin, inside = typing.get_origin(hint), typing.get_args(hint)
        if origin is Mapping:
            return "table"
        if origin in (tuple, Sequence):
            inner = typing.get_origin(inside[0])
            return "pairs" if inner is tuple else "lists" if inner is Sequence else "list"
    return "one"


def list_of(name: str, value: Any) -> tuple[Any, ...]:
    """Return the items of a list; raises UsageError for any other value."""
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise UsageError("options.wrong_type", name=name, what="a list", given="")
    return check_list(name, value) or ()


def path_of(name: str, value: Any) -> Path:
    """Return the path that an argument names; raises UsageError for any other value."""
    if not isinstance(value, (str, os.PathLike)):
        raise UsageError("options.wrong_type", name=name, what="a path", given="")
    return Path(value)
