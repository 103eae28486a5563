"""Makes the signature of a command from the options that it takes."""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, ClassVar, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from duckrisk.base.errors import UsageError
from duckrisk.base.options import GROUPS, Field, OptionSet, Selection, group_by_set, options_of
from duckrisk.cli.examples import EXAMPLES

_Set = TypeVar("_Set", bound=OptionSet)
#: By type, the placeholder of a value in the help.
_METAVARS = {int: "N", float: "NUMBER", Path: "FILE", str: "TEXT"}


class CommandLine:
    """The options and arguments of one call of a command.

    Args:
        fields: The options that the command takes, by their sets.
        values: The values of its parameters.
        reads_settings: Whether a settings file of the current folder counts.
    """

    def __init__(
        self,
        fields: Mapping[type[OptionSet], list[Field]],
        values: Mapping[str, Any],
        *,
        reads_settings: bool = True,
    ) -> None:
        self.reads_settings = reads_settings
        self._values = {
            options: _select_values(selected, values, fields) for options, selected in fields.items()
        }
        self._fields, self._parameters = fields, values

    def values_of(self, options: type[OptionSet]) -> dict[str, Any]:
        """Return the given options of a set, by name."""
        return dict(self._values.get(options, {}))

    def given_settings(self) -> set[str]:
        """Return the settings (``table.key``) that options replace."""
        given = {
            options_of(options)[name].setting for options, values in self._values.items() for name in values
        }
        if given & {"source.table", "source.query"}:  # a query can name the table
            given |= {"source.table", "source.query"}
        return {name for name in given if name is not None}

    def has_options(self, options: type[OptionSet]) -> bool:
        """Return whether the command takes a set of options."""
        return options in self._fields

    def options(self, options: type[_Set], **more: Any) -> _Set:
        """Return a set of options with the given values, else ``more``, else the defaults."""
        return options(**{**more, **self.values_of(options)})

    def to_words(self, *choices: type[OptionSet] | Selection) -> tuple[str, ...]:
        """Return the given options of these sets as words of a command line."""
        words: dict[str, list[str]] = {}
        for choice in choices:
            ((options, selected),) = group_by_set([choice]).items()
            names = {field.name for field in selected}
            for field in (field for field in self._fields.get(options, []) if field.name in names):
                for flags in filter(None, (*((flag,) for flag in field.option.value_flags), field.flags)):
                    name = _parameter_name(flags)
                    words.setdefault(name, _to_words(field, flags, self._parameters[name]))
        return tuple(word for several in words.values() for word in several)

    def iter_texts(self, *excluded: str) -> Iterator[str]:
        """Yield the texts of all options and arguments, and of NAME=TEXT also TEXT.

        Args:
            excluded: Flags of options to skip.
        """
        skipped = {name for flag in excluded for name in self._names(flag)}
        for name, given in self._parameters.items():
            for value in given if isinstance(given, list) else [given]:
                if name not in skipped and isinstance(value, (str, Path)):
                    yield str(value)
                    yield str(value).partition("=")[2]

    def value_of(self, flag: str) -> Any:
        """Return the value of an option under any of its flags; None without one."""
        values = [self._parameters.get(name) for name in self._names(flag)]
        return next((value for value in values if value is not None), None)

    def has_flag(self, flag: str) -> bool:
        """Return whether the command takes an option."""
        return any(name in self._parameters for name in self._names(flag))

    def _names(self, flag: str) -> list[str]:
        """Return the parameters of an option."""
        fields = [field for fields in self._fields.values() for field in fields if flag in field.flags]
        return [_parameter_name(field.flags) for field in fields] or [_parameter_name((flag,))]

    def override(self, options: _Set) -> _Set:
        """Return options with the given values instead of their own."""
        return dataclasses.replace(options, **self.values_of(type(options)))  # type: ignore[type-var]


def _to_words(field: Field, flags: Sequence[str], value: Any) -> list[str]:
    if isinstance(value, bool):
        negated = [f"--no-{_parameter_name(flags).replace('_', '-')}"] if field.is_optional else []
        return [flags[0]] if value else negated
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [word for item in values for word in _pair_words(flags[-1], str(item))]


def _pair_words(flag: str, value: str) -> list[str]:
    """Return an option and its value as words, so that no value looks like a flag."""
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _select_values(
    fields: list[Field], values: Mapping[str, Any], all_fields: Mapping[type[OptionSet], list[Field]]
) -> dict[str, Any]:
    """Return the given values of the options of a set, by name."""
    chosen: dict[str, Any] = {}
    for field in fields:
        flags = [flag for flag in field.option.value_flags if values[_parameter_name((flag,))]]
        if len(flags) > 1:
            raise UsageError("cli.exclusive_options", flags=flags[0], flags_2=flags[1])
        if flags:
            chosen[field.name] = field.option.value_flags[flags[0]][0]
        elif field.flags and (value := values[_parameter_name(field.flags)]) not in (None, []):
            sharing = [
                other for several in all_fields.values() for other in several if other.flags == field.flags
            ]
            if _is_for(field, value, sharing):
                chosen[field.name] = _parse_value(field, value)
                field.check(field.flags[-1], chosen[field.name])
    return chosen


def _is_for(field: Field, value: Any, sharing: list[Field]) -> bool:
    """Return whether a value is for this option, of several that share a flag.

    It is for those that have it among their choices; for all of them if none has it.
    """
    accepting = [other for other in sharing if not other.option.choices or value in other.option.choices]
    return not accepting or field in accepting


def _parse_value(field: Field, value: Any) -> Any:
    """Return the value of an option as its field holds it."""
    if field.option.parse is not None:
        return field.option.parse(value)
    return tuple(value) if isinstance(value, list) else value


def parse_words(
    command: Any, words: Sequence[str], parent: Any = None, *, reads_settings: bool = True
) -> CommandLine:
    """Parse words as a command does before it runs.

    Args:
        command: The command of the parser.
        words: The words after its name.
        parent: The context that it is called in.
        reads_settings: Whether a settings file of the current folder counts.
    """
    context, fields = command.make_context(command.name, [*words], parent=parent), command.callback.options
    paths = {
        _parameter_name(field.flags)
        for several in fields.values()
        for field in several
        if field.kind is Path and field.flags
    }
    values = {name: _as_called(value, name in paths) for name, value in context.params.items()}
    return CommandLine(fields, values, reads_settings=reads_settings)


def _as_called(value: Any, is_path: bool) -> Any:
    """Return a parsed value as the library passes it to the function of a command."""
    if isinstance(value, tuple):
        return [_as_called(item, is_path) for item in value]
    return Path(value) if is_path and value is not None else value


def command(*choices: type[OptionSet] | Selection) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these sets.

    The function takes a :class:`CommandLine` and its own arguments.

    Args:
        choices: The sets, and selections of sets.

    Returns:
        The decorator.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        hints = typing.get_type_hints(function, include_extras=True)
        _args, *arguments = inspect.signature(function).parameters.values()
        parameters = [p.replace(kind=_KEYWORD, annotation=hints[p.name]) for p in arguments]
        fields = {
            options: [field for field in selected if field.flags or field.option.value_flags]
            for options, selected in group_by_set(choices).items()
        }
        names = {parameter.name for parameter in arguments}
        if hidden := rare_parameters(fields):
            help = f"Show all options, {len(hidden)} more."
            info = typer.Option("--help-all", help=help, is_eager=True, callback=_show_full_help)
            parameters.append(_keyword_parameter("help_all", bool, info, False))
        for name, parameter in _make_parameters(
            [field for several in fields.values() for field in several]
        ).items():
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
#: The key of the context that makes the help list all options.
_FULL_HELP = "duckrisk.all"


def rare_parameters(fields: Mapping[type[OptionSet], list[Field]]) -> set[str]:
    """Return the parameters of options that only the full help lists."""
    rare = [field for several in fields.values() for field in several if field.option.rare]
    flags = [flags for field in rare for flags in (field.flags, *zip(field.option.value_flags)) if flags]
    return {_parameter_name(names) for names in flags}


def _show_full_help(ctx: typer.Context, is_wanted: bool) -> None:
    if is_wanted and not ctx.resilient_parsing:
        ctx.meta[_FULL_HELP] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


def _make_parameters(fields: list[Field]) -> dict[str, inspect.Parameter]:
    """Make a parameter for each flag, by group; options that share a flag share it."""
    parameters: dict[str, inspect.Parameter] = {}
    for field in sorted(fields, key=lambda field: GROUPS.index(str(field.option.group))):
        for flag, (_, text) in field.option.value_flags.items():
            info = typer.Option(flag, help=text, rich_help_panel=field.option.group)
            name = _parameter_name((flag,))
            parameters.setdefault(name, _keyword_parameter(name, bool, info, False))
        if field.flags:
            sharing = [other for other in fields if other.flags == field.flags]
            parameters.setdefault(_parameter_name(field.flags), _option_parameter(field, sharing))
    return parameters


def _keyword_parameter(name: str, annotation: Any, info: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[annotation, info])


def _parameter_name(flags: Sequence[str]) -> str:
    name = flags[-1].partition("/")[0].lstrip("-").replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _option_parameter(field: Field, sharing: list[Field]) -> inspect.Parameter:
    """Make the parameter of an option and of those that share its flags."""
    flags, option = field.flags, field.option
    name = _parameter_name(flags)
    choices = list(dict.fromkeys(str(choice) for other in sharing for choice in other.option.choices))
    facts: dict[str, Any] = {"rich_help_panel": option.group, "show_default": False}
    facts["help"] = _help_text(field)
    if field.kind is bool:
        both = [f"{flags[0]}/--no-{name.replace('_', '-')}"] if field.is_optional else flags
        return _keyword_parameter(name, bool | None, typer.Option(*both, **facts), None)
    if choices:
        facts["autocompletion"] = lambda incomplete: [c for c in choices if c.startswith(incomplete)]
    facts["metavar"] = option.metavar or "|".join(choices) or _METAVARS.get(field.kind, "TEXT")
    item = field.kind if field.kind in _METAVARS and (field.is_list or not option.parse) else str
    annotation: Any = GenericAlias(list, item) if field.is_list else item
    info = typer.Option(*flags, **facts)
    if option.required:
        return _keyword_parameter(name, annotation, info, ...)
    return _keyword_parameter(name, annotation | None, info, None)


def _help_text(field: Field) -> str:
    """Return the help of an option with its default."""
    repeatable = " Repeatable." if field.is_list else ""
    return f"{field.option.help}{repeatable}" + (f" [{field.default_text}]" if field.default_text else "")


#: Types of parameters whose texts need no conversion.
_TEXTS = (str, str | None, list[str], list[str] | None)


class UncheckedParameters:
    """A command that passes texts and missing values without checks.

    The library that checks the other types takes longer to import than many a table takes to measure.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with checks only where they are needed."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        hints = getattr(self.callback, "__annotations__", {})  # type: ignore[attr-defined]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                annotation = next(iter(typing.get_args(hints.get(parameter.name))), None)
                parameter.process_value = _skip_check(parameter, annotation)
        return parameters


def _skip_check(parameter: Any, annotation: Any) -> Callable[[Any, Any], Any]:
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


class SpokenHelp:
    """A command or a group with help in the language that the command line asks for."""

    #: By purpose, the commands of the first list; empty for all others.
    purposes: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    def get_help(self, ctx: Any) -> str:
        """Return the help: English as the library writes it, Japanese from its catalogue."""
        from duckrisk.cli.language import spoken_language

        if spoken_language() == "en":
            return str(super().get_help(ctx))  # type: ignore[misc]
        from duckrisk.cli.japanese.help import format_help

        return format_help(self, ctx, self.purposes, _hidden_parameters(self, ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Pass --lang on to the command; what only lists commands ends here."""
        if hasattr(self, "list_commands"):
            args = _pass_language_on(args)
        return list(super().parse_args(ctx, args))  # type: ignore[misc]


def _hidden_parameters(command: Any, ctx: Any) -> set[str]:
    """Return the parameters that this help does not list."""
    return set() if ctx.meta.get(_FULL_HELP) else rare_parameters(getattr(command.callback, "options", {}))


def _pass_language_on(args: list[str]) -> list[str]:
    """Return the words for a group, with --lang after the command, if there is one."""
    language, at = [], 0
    while at < len(args) and args[at].startswith("-"):
        if args[at] == "--lang" or args[at].startswith("--lang="):
            size = 2 if args[at] == "--lang" else 1
            language, args = args[at : at + size], args[:at] + args[at + size :]
        else:
            at += 1
    return [*args[: at + 1], *language, *args[at + 1 :]] if at < len(args) else args


class SpokenGroup(SpokenHelp, UncheckedParameters, TyperGroup):
    """A group of commands."""


class GroupedCommand(SpokenHelp, UncheckedParameters, TyperCommand):
    """A command whose help lists options in groups and ends with examples.

    ``--help-all`` also lists the rare options.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options by group, and the examples."""
        panels: dict[str, list[tuple[str, str]]] = {}
        hidden = _hidden_parameters(self, ctx)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and parameter.name not in hidden:
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
