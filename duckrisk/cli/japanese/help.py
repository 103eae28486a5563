"""Writes the help of commands in Japanese: ``help.toml``, and the texts of options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from duckrisk.base.options import GROUPS, Field
from duckrisk.base.options.japanese import translate_default, translate_help
from duckrisk.cli.examples import EXAMPLES
from duckrisk.cli.japanese import load_table
from duckrisk.report.lines import format_rows, wrap_japanese


@cache
def load_help() -> Mapping[str, Mapping[str, str]]:
    """Load the texts of help, by their tables."""
    tables: dict[str, dict[str, str]] = load_table("help")
    return tables


def format_help(command: Any, ctx: Any, purposes: Mapping[str, Mapping[str, str]], hidden: set[str]) -> str:
    """Write the help of a command or a group.

    Args:
        command: The command.
        ctx: Its context.
        purposes: The commands of the first list by purpose; a group lists its own.
        hidden: The parameters that are not listed.
    """
    texts, frame = load_help(), load_help()["frame"]
    path = ctx.command_path.removeprefix(ctx.find_root().command_path).strip()
    pieces = [texts["usage"].get(piece, piece) for piece in command.collect_usage_pieces(ctx)]
    words = " ".join([ctx.command_path, *pieces])
    lines = [*wrap_japanese(f"{frame['usage']}{words}", "", "  "), ""]
    for paragraph in texts["commands"][path].strip().split("\n\n"):
        lines += [*wrap_japanese(paragraph, "  "), ""]
    for title, rows in _list_parameters(command, ctx, hidden):
        lines += [f"{title}：", *format_rows(rows, "ja"), ""]
    if hasattr(command, "list_commands"):
        lines += _list_commands(command, ctx, path, purposes)
    examples = EXAMPLES.get(path, ()) or (() if path else ("assess customers.parquet", "assess --help"))
    if examples:
        lines += [f"{frame['examples']}：", *(f"  duckrisk {example}" for example in examples), ""]
    return "\n".join(lines).rstrip("\n")


def _list_commands(
    command: Any, ctx: Any, path: str, purposes: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    texts = load_help()
    if not path:
        for purpose, several in purposes.items():
            rows = [(name, texts["list"][name]) for name in several]
            yield from (f"{texts['purposes'][purpose]}：", *format_rows(rows, "ja"), "")
        return
    names = command.list_commands(ctx)
    rows = [(name, texts["commands"][f"{path} {name}"].strip().split("\n")[0]) for name in names]
    yield from (f"{texts['frame']['commands']}：", *format_rows(rows, "ja"), "")


def _list_parameters(command: Any, ctx: Any, hidden: set[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the titles of groups of parameters, with their flags and texts."""
    texts = load_help()
    taken: Mapping[Any, Sequence[Field]] = getattr(command.callback, "options", {})
    fields = {flags: field for several in taken.values() for field in several for flags in field.flags}
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None or parameter.name in hidden:
            continue
        if parameter.param_type_name == "argument":
            text = texts["arguments"].get(parameter.help or "", parameter.help or "")
            text += f" [{texts['frame']['required']}]" if parameter.required else ""
            panels.setdefault("arguments", []).append((parameter.metavar or record[0], text))
            continue
        field = next((fields[flag] for flag in parameter.opts if flag in fields), None)
        text = _describe_field(field, parameter) if field is not None else _describe_flag(parameter)
        panels.setdefault(getattr(parameter, "rich_help_panel", None) or "options", []).append(
            (record[0], text)
        )
    for name in ("arguments", *GROUPS, "options"):
        if name in panels:
            title = texts["groups"].get(name) or texts["frame"][name]
            yield title, panels[name]


def _describe_field(field: Field, parameter: Any) -> str:
    """Return the help of an option with its default."""
    frame = load_help()["frame"]
    repeatable = frame["repeatable"] if field.is_list else ""
    written = field.option.default_text
    shown = field.default_text if written is None else translate_default(written)
    default = f" [{shown}]" if shown else ""
    required = f" [{frame['required']}]" if parameter.required else ""
    return f"{translate_help(field.option.help)}{repeatable}{default}{required}"


def _describe_flag(parameter: Any) -> str:
    """Return the help of an option that is no field, or that sets one value."""
    frame = load_help()["frame"]
    if parameter.name == "help_all":
        return frame["help_all"].replace("{count}", "".join(filter(str.isdigit, parameter.help)))
    # Some versions of the parser name the option after its short flag.
    name = "help" if "--help" in parameter.opts else parameter.name
    return frame.get(name) or translate_help(parameter.help or "")
