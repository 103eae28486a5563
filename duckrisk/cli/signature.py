"""The signature of a command, made of the options that it takes."""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from duckrisk.base.errors import UsageError
from duckrisk.base.options import GROUPS, Field, OptionSet, Selection, group_by_set, options_of
from duckrisk.cli.examples import EXAMPLES

_Set = TypeVar("_Set", bound=OptionSet)
#: What stands for a value in help, by its kind.
_METAVARS = {int: "N", float: "NUMBER", Path: "FILE", str: "TEXT"}


class CommandLine:
    """The options that the command line gave."""

    def __init__(self, fields: Mapping[type[OptionSet], list[Field]], values: Mapping[str, Any]) -> None:
        self._values = {options: _chosen(own, values, fields) for options, own in fields.items()}
        self._fields, self._parameters = fields, values

    def of(self, options: type[OptionSet]) -> dict[str, Any]:
        """Those of a set, by their names."""
        return dict(self._values.get(options, {}))

    def settings(self) -> set[str]:
        """Return the names of settings (``table.key``) that options were given for."""
        given = {
            options_of(options)[name].setting for options, values in self._values.items() for name in values
        }
        if given & {"source.table", "source.query"}:  # they can be about each other
            given |= {"source.table", "source.query"}
        return {name for name in given if name is not None}

    def takes(self, options: type[OptionSet]) -> bool:
        """Whether the command has a set of options."""
        return options in self._fields

    def options(self, options: type[_Set], **more: Any) -> _Set:
        """A set of options, as it was given."""
        return options(**{**more, **self.of(options)})

    def words(self, *taken: type[OptionSet] | Selection) -> tuple[str, ...]:
        """What was given of these options, as a command line says it."""
        said: dict[str, list[str]] = {}
        for choice in taken:
            ((options, asked),) = group_by_set([choice]).items()
            names = {own.name for own in asked}
            for own in (own for own in self._fields.get(options, []) if own.name in names):
                for flags in filter(None, (*((flag,) for flag in own.option.value_flags), own.flags)):
                    name = _parameter(flags)
                    said.setdefault(name, _words(own, flags, self._parameters[name]))
        return tuple(word for words in said.values() for word in words)

    def texts(self, *but: str) -> Iterator[str]:
        """What was given as text of all options and arguments but these; of NAME=TEXT the text too."""
        outputs = {name for flag in but for name in self._names(flag)}
        for name, given in self._parameters.items():
            for value in given if isinstance(given, list) else [given]:
                if name not in outputs and isinstance(value, (str, Path)):
                    yield str(value)
                    yield str(value).partition("=")[2]

    def given(self, flag: str) -> Any:
        """Return what was given with an option, under any of its names; None without it."""
        values = [self._parameters.get(name) for name in self._names(flag)]
        return next((value for value in values if value is not None), None)

    def has(self, flag: str) -> bool:
        """Return whether the command takes an option."""
        return any(name in self._parameters for name in self._names(flag))

    def _names(self, flag: str) -> list[str]:
        """Return the parameters of an option."""
        fields = [own for fields in self._fields.values() for own in fields if flag in own.flags]
        return [_parameter(own.flags) for own in fields] or [_parameter((flag,))]

    def over(self, options: _Set) -> _Set:
        """Options, with those that were given in their place."""
        return dataclasses.replace(options, **self.of(type(options)))  # type: ignore[type-var]


def _words(field: Field, flags: Sequence[str], value: Any) -> list[str]:
    if isinstance(value, bool):
        against = [f"--no-{_parameter(flags).replace('_', '-')}"] if field.is_optional else []
        return [flags[0]] if value else against
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [word for each in values for word in _pair(flags[-1], str(each))]


def _pair(flag: str, value: str) -> list[str]:
    """An option with its value, which is no option itself."""
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _chosen(
    own: list[Field], values: Mapping[str, Any], every: Mapping[type[OptionSet], list[Field]]
) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for field in own:
        flags = [flag for flag in field.option.value_flags if values[_parameter((flag,))]]
        if len(flags) > 1:
            raise UsageError("cli.exclusive_options", flags=flags[0], flags_2=flags[1])
        if flags:
            chosen[field.name] = field.option.value_flags[flags[0]][0]
        elif field.flags and (value := values[_parameter(field.flags)]) not in (None, []):
            alike = [other for fields in every.values() for other in fields if other.flags == field.flags]
            if _is_for(field, value, alike):
                chosen[field.name] = _value(field, value)
                field.check(field.flags[-1], chosen[field.name])
    return chosen


def _is_for(field: Field, value: Any, alike: list[Field]) -> bool:
    """Whether a value is meant for this option, of those that have a flag in common: one of a closed set goes
    where it is known, and everywhere where it is known nowhere."""
    knowing = [other for other in alike if not other.option.choices or value in other.option.choices]
    return not knowing or field in knowing


def _value(field: Field, value: Any) -> Any:
    """The value of an option as its field holds it."""
    if field.option.parse is not None:
        return field.option.parse(value)
    return tuple(value) if isinstance(value, list) else value


def command(*taken: type[OptionSet] | Selection) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these sets. It is called with what was given of them, as
    :class:`CommandLine`, and with its own parameters."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        hints = typing.get_type_hints(function, include_extras=True)
        _args, *own = inspect.signature(function).parameters.values()
        parameters = [parameter.replace(kind=_KEYWORD, annotation=hints[parameter.name]) for parameter in own]
        fields = {
            options: [field for field in chosen if field.flags or field.option.value_flags]
            for options, chosen in group_by_set(taken).items()
        }
        names = {parameter.name for parameter in own}
        if untold := rare(fields):
            help = f"Show all options, {len(untold)} more."
            info = typer.Option("--help-all", help=help, is_eager=True, callback=_tell_all)
            parameters.append(_of("help_all", bool, info, False))
        for name, parameter in _parameters([field for own in fields.values() for field in own]).items():
            if name not in names:
                parameters.append(parameter)

        def run(**values: Any) -> None:
            function(CommandLine(fields, values), **{name: values[name] for name in names})

        run.__name__, run.__doc__, run.__module__ = function.__name__, function.__doc__, function.__module__
        run.options = fields  # type: ignore[attr-defined]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
#: What a context is told where help is to be about every option.
_ALL = "duckrisk.all"


def rare(fields: Mapping[type[OptionSet], list[Field]]) -> set[str]:
    """The parameters of those options that are rare."""
    several = [field for own in fields.values() for field in own if field.option.rare]
    flags = [flags for field in several for flags in (field.flags, *zip(field.option.value_flags)) if flags]
    return {_parameter(names) for names in flags}


def _tell_all(ctx: typer.Context, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


def _parameters(fields: list[Field]) -> dict[str, inspect.Parameter]:
    """A parameter for each flag, by group; options that have one in common have one parameter."""
    parameters: dict[str, inspect.Parameter] = {}
    for field in sorted(fields, key=lambda field: GROUPS.index(str(field.option.group))):
        for flag, (_, text) in field.option.value_flags.items():
            info = typer.Option(flag, help=text, rich_help_panel=field.option.group)
            parameters.setdefault(_parameter((flag,)), _of(_parameter((flag,)), bool, info, False))
        if field.flags:
            alike = [other for other in fields if other.flags == field.flags]
            parameters.setdefault(_parameter(field.flags), _option(field, alike))
    return parameters


def _of(name: str, annotation: Any, info: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[annotation, info])


def _parameter(flags: Sequence[str]) -> str:
    name = flags[-1].partition("/")[0].lstrip("-").replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _option(field: Field, alike: list[Field]) -> inspect.Parameter:
    """Make the parameter of an option and of those that have its flags in common."""
    flags, option = field.flags, field.option
    name = _parameter(flags)
    choices = list(dict.fromkeys(str(choice) for other in alike for choice in other.option.choices))
    facts: dict[str, Any] = {"help": _help(field), "rich_help_panel": option.group, "show_default": False}
    if field.kind is bool:
        both = [f"{flags[0]}/--no-{name.replace('_', '-')}"] if field.is_optional else flags
        return _of(name, bool | None, typer.Option(*both, **facts), None)
    if choices:
        facts["autocompletion"] = lambda incomplete: [c for c in choices if c.startswith(incomplete)]
    facts["metavar"] = option.metavar or "|".join(choices) or _METAVARS.get(field.kind, "TEXT")
    item = field.kind if field.kind in _METAVARS and (field.is_list or not option.parse) else str
    sort: Any = GenericAlias(list, item) if field.is_list else item
    info = typer.Option(*flags, **facts)
    return _of(name, sort, info, ...) if option.required else _of(name, sort | None, info, None)


def _help(field: Field) -> str:
    """What an option says, with what it is where nothing is said."""
    again = " Repeatable." if field.is_list else ""
    return f"{field.option.help}{again}" + (f" [{field.default_text}]" if field.default_text else "")


#: What the command line gives for parameters of these types is what the command gets: texts.
_TEXTS = (str, str | None, list[str], list[str] | None)


class QuickToBegin:
    """A command whose parameters take what was not given, and texts, as they are: the library that checks all
    others takes longer to be read than many a table."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        hints = getattr(self.callback, "__annotations__", {})  # type: ignore[attr-defined]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                annotation = next(iter(typing.get_args(hints.get(parameter.name))), None)
                parameter.process_value = _as_given(parameter, annotation)
        return parameters


def _as_given(parameter: Any, annotation: Any) -> Callable[[Any, Any], Any]:
    check = parameter.process_value
    several = parameter.multiple or parameter.nargs == -1

    def process(ctx: Any, value: Any) -> Any:
        if value is not None and annotation not in _TEXTS:
            return check(ctx, value)
        if value is None:
            value = () if several else None
        elif several:
            value = list(value)
        if parameter.required and value in (None, (), []):
            return check(ctx, value)
        return value if parameter.callback is None else parameter.callback(ctx, parameter, value)

    return process


class GroupedCommand(QuickToBegin, TyperCommand):
    """A command that tells its options in groups: the usual ones, or with ``--help-all`` every one; and that
    ends with examples."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {}
        untold = set() if ctx.meta.get(_ALL) else rare(getattr(self.callback, "options", {}))
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and parameter.name not in untold:
                panel = getattr(parameter, "rich_help_panel", None)
                argument = parameter.param_type_name == "argument"
                panels.setdefault("Arguments" if argument else panel or "Options", []).append(record)
        for group in ("Arguments", *GROUPS, "Options"):
            if group in panels:
                with formatter.section(group):
                    formatter.write_dl(panels[group])
        with formatter.section("Examples"):
            for example in EXAMPLES[ctx.command_path.removeprefix(ctx.find_root().command_path).strip()]:
                formatter.write(f"  duckrisk {example}\n")
