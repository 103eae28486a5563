"""Python functions that take options as keywords, with the names, types, defaults and texts of the fields."""

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
from duckrisk.base.options import GROUPS, Field, OptionSet, Selection, fields_of, options_of, texts
from duckrisk.base.options.roles import RoleOverrides

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Set = TypeVar("_Set", bound=OptionSet)
#: What a keyword takes that names a file, and one that names a file or is what would stand in it.
FILE = str | os.PathLike[str] | None
FILE_OR_TABLE = str | os.PathLike[str] | Mapping[str, Any] | None
_EMPTY = inspect.Parameter.empty


# --- the signature -------------------------------------------------------------------------------


def with_options(*taken: type[OptionSet] | Selection) -> Callable[[_Function], _Function]:
    """Give a function the options of these sets as keywords.

    The function ends with ``**options``, which receives the keywords that were given. Its signature and its
    docstring list every option, and a call that does not fit raises UsageError with one sentence.

    Args:
        taken: The sets, and selections of sets.

    Returns:
        The decorator.
    """

    def decorate(function: _Function) -> _Function:
        inner = inspect.signature(function)
        own = [
            one.replace(annotation=Any) if one.annotation == "Any" else one
            for one in inner.parameters.values()
            if one.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        options = _by_keyword(taken, {one.name for one in own})
        keywords = [_parameter(name, alike) for name, alike in options.items()]
        signature = inner.replace(parameters=[*own, *keywords])

        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            _check_call(function.__name__, signature, args, given)
            return function(*args, **given)

        call.__doc__ = f"{inspect.getdoc(function) or ''}\n\nKeyword Args:\n{_listing(options, keywords)}\n"
        call.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        call.__annotations__["return"] = signature.return_annotation
        call.__signature__ = signature  # type: ignore[attr-defined]
        return typing.cast(_Function, call)

    return decorate


def _by_keyword(taken: Iterable[type[OptionSet] | Selection], but: set[str]) -> dict[str, list[Field]]:
    """Return the options of several sets by their keywords and in the order of their groups."""
    every = [field for fields in fields_of(taken).values() for field in fields]
    options: dict[str, list[Field]] = {}
    for field in sorted(every, key=lambda field: GROUPS.index(str(field.option.group))):
        if field.keyword not in but:
            options.setdefault(field.keyword, []).append(field)
    return options


def _parameter(name: str, alike: Sequence[Field]) -> inspect.Parameter:
    """Make the parameter of the options that have a keyword in common."""
    first, defaults = alike[0], {_default(field) for field in alike}
    default = _EMPTY if first.option.required else defaults.pop() if len(defaults) == 1 else None
    annotation = first.option.keyword_type or _joined([_type_of(field) for field in alike])
    if default is None and annotation is not Any:
        annotation = annotation | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _default(field: Field) -> Any:
    """Return the default of a keyword: None where the field has none, or holds the pairs of a dictionary."""
    return None if field.default is MISSING or _shape_of(field) == "pairs" else field.default


def _type_of(field: Field) -> Any:
    """Return the type of a keyword, as it is written in Python."""
    option, hint = field.option, field.hint
    if option.choices and not option.open and field.kind in (str, int):
        alternatives: Any = Literal[tuple(option.choices)]
        return Iterable[alternatives] if field.many else alternatives
    return _keyword_type(hint)


def _keyword_type(hint: Any) -> Any:
    """Return what a caller may give where a field has this type."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _joined([_keyword_type(part) for part in inside])
    if origin in (tuple, Sequence):
        pairs = typing.get_origin(inside[0]) is tuple
        return Mapping[typing.get_args(inside[0])] if pairs else Iterable[_keyword_type(inside[0])]  # type: ignore[misc]
    return str | os.PathLike[str] if hint is Path else hint


def _joined(kinds: Sequence[Any]) -> Any:
    """Return the union of types; alternatives of texts become those of all."""
    if all(typing.get_origin(kind) is Literal for kind in kinds):
        return Literal[tuple(dict.fromkeys(value for kind in kinds for value in typing.get_args(kind)))]
    return functools.reduce(lambda one, other: one | other, kinds)


def _listing(options: Mapping[str, Sequence[Field]], keywords: Sequence[inspect.Parameter]) -> str:
    """Return a line for each keyword: its type, what it says, its default."""
    names = {flag: name for name, alike in options.items() for field in alike for flag in field.flags}
    lines = []
    for parameter in keywords:
        field = options[parameter.name][0]
        kind = re.sub(r"\b(collections\.abc|typing|os)\.", "", inspect.formatannotation(parameter.annotation))
        shown = f" [{field.shown}]" if field.shown else ""
        text = re.sub(
            r"--([a-z][a-z-]*)",
            lambda flag: names.get(flag[0], flag[1].replace("-", "_")),
            field.option.help + shown,
        )
        line = f"{parameter.name} ({kind}): {text}"
        lines += textwrap.wrap(line, 96, initial_indent=" " * 4, subsequent_indent=" " * 8)
    return "\n".join(lines)


# --- a call --------------------------------------------------------------------------------------


def _check_call(
    function: str, signature: inspect.Signature, args: Sequence[Any], given: Mapping[str, Any]
) -> None:
    """Raise UsageError for a keyword that there is not, and for arguments that do not fit."""
    parameters = signature.parameters
    positional = [one for one in parameters.values() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    named = [one.name for one in parameters.values() if one.kind is not inspect.Parameter.VAR_POSITIONAL]
    for name in given:
        if name not in named:
            raise UsageError("package.unknown_option", name=name, suggestion=suggest_names(name, named))
    for parameter in positional[: len(args)]:
        if parameter.name in given:
            raise UsageError("package.argument_twice", function=function, name=parameter.name)
    reached = {one.name for one in positional[: len(args)]}
    for parameter in (parameters[name] for name in named):
        if parameter.default is _EMPTY and parameter.name not in {*reached, *given}:
            raise UsageError("package.argument_missing", function=function, name=parameter.name)
    several = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters.values())
    if len(args) > len(positional) and not several:
        names = " and ".join(one.name for one in positional)
        raise UsageError("package.arguments_too_many", function=function, names=names)


def options_from(kind: type[_Set], given: Mapping[str, Any]) -> _Set:
    """Make a set of options of the keywords of a call.

    Args:
        kind: The set.
        given: The keywords; None stands for the default, and those of other sets are left.

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
    """Return what a keyword was given as its field holds it.

    Args:
        field: The option.
        value: What was given.
        single: Whether one text stands for a list of it, and a list of one for a text.

    Raises:
        UsageError: The option cannot have that value.
    """
    name, shape = field.keyword, _shape_of(field)
    kept = os.fspath(value) if isinstance(value, os.PathLike) and field.kind in (str, Path) else value
    if shape == "table" and not isinstance(value, Mapping):
        raise UsageError("options.wrong_type", name=name, what="a dictionary", given="")
    if shape == "pairs":
        if not isinstance(value, Mapping):
            example = "date_of_birth" if field.name == "levels" else "attribute"
            raise UsageError("keywords.not_a_dictionary", name=name, example=example)
        kept = tuple(value.items())
    elif shape in ("list", "lists"):
        kept = (value,) if single and isinstance(value, str) else list_of(name, value)
        kept = tuple(list_of(name, part) for part in kept) if shape == "lists" else kept
    elif (
        single and field.kind is str and isinstance(value, Iterable) and not isinstance(value, (str, Mapping))
    ):
        listed = tuple(value)
        kept = listed[0] if len(listed) == 1 else value
    field.check(name, kept)
    return Path(kept) if field.kind is Path else kept


def _shape_of(field: Field) -> str:
    """Return how a field holds its values: one, a list, a list of lists, a table, or its pairs."""
    for hint in (field.hint, *typing.get_args(field.hint)):
        origin, inside = typing.get_origin(hint), typing.get_args(hint)
        if origin is Mapping:
            return "table"
        if origin in (tuple, Sequence):
            inner = typing.get_origin(inside[0])
            return "pairs" if inner is tuple else "lists" if inner is Sequence else "list"
    return "one"


def list_of(name: str, value: Any) -> tuple[Any, ...]:
    """Return the items of a list; raises UsageError for what is none."""
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise UsageError("options.wrong_type", name=name, what="a list", given="")
    return texts(name, value) or ()


def path_of(name: str, value: Any) -> Path:
    """Return the path that an argument names; raises UsageError for what is none."""
    if not isinstance(value, (str, os.PathLike)):
        raise UsageError("options.wrong_type", name=name, what="a path", given="")
    return Path(value)
