"""Writes the help of commands in Japanese: ``help.toml``, and the texts of options.

Lines are broken by the width of characters on a terminal, which a Japanese character takes twice.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from duckrisk.base.options import GROUPS, Field
from duckrisk.base.options.japanese import translate_default, translate_help
from duckrisk.cli.examples import EXAMPLES
from duckrisk.cli.japanese import load_table

#: Columns of a terminal; wider ones make lines that are hard to read (the width of English help).
_MAX_WIDTH = 80
#: Columns of the flags; longer ones have their text on the next line (a choice).
_MAX_FLAGS = 30
#: Characters that do not begin a line.
_NO_START = "、。，．：；）」』】〉》・ー々?!,.;:)]}"
#: Characters that do not end a line.
_NO_END = "（「『【〈《([{"


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
    lines = [*wrap(f"{frame['usage']}{words}", "", "  "), ""]
    for paragraph in texts["commands"][path].strip().split("\n\n"):
        lines += [*wrap(paragraph, "  "), ""]
    for title, rows in _list_parameters(command, ctx, hidden):
        lines += [f"{title}：", *format_rows(rows), ""]
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
            yield from (f"{texts['purposes'][purpose]}：", *format_rows(rows), "")
        return
    names = command.list_commands(ctx)
    rows = [(name, texts["commands"][f"{path} {name}"].strip().split("\n")[0]) for name in names]
    yield from (f"{texts['frame']['commands']}：", *format_rows(rows), "")


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


# --- lines -------------------------------------------------------------------------------------------


def format_rows(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of a list of flags and their texts."""
    width = min(_MAX_FLAGS, max(measure(flags) for flags, _ in rows)) + 4
    for flags, text in rows:
        lines = wrap(text, " " * width) or [""]
        if measure(flags) + 4 <= width:
            yield f"  {flags}".ljust(width) + lines[0].lstrip()
            yield from lines[1:]
        else:
            yield from wrap(flags, "  ", "    ")
            yield from lines


def measure(text: str) -> int:
    """Return the columns of a terminal that a text takes."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WFA" else 1 for character in text)


def wrap(text: str, indent: str = "", further: str | None = None, width: int | None = None) -> list[str]:
    """Break a text into lines: at blanks, and between Japanese characters.

    Args:
        text: The text.
        indent: What begins the first line.
        further: What begins the other lines; None for the same.
        width: Columns of a line; None for those of the terminal, at most 80.
    """
    most = (min(_MAX_WIDTH, _terminal_columns()) - 2) if width is None else width
    further = indent if further is None else further
    lines, line = [], indent
    for piece in _split(text):
        begun = line if line.strip() else line.rstrip() if line not in (indent, further) else line
        if begun.strip() and measure((begun + piece).rstrip()) > most:
            lines.append(begun.rstrip())
            line = further + piece.lstrip()
        else:
            line = begun + piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _terminal_columns() -> int:
    return shutil.get_terminal_size((_MAX_WIDTH, 24)).columns


def _split(text: str) -> list[str]:
    """Split a text where a line may end; blanks end a piece."""
    pieces: list[str] = []
    for character in text.replace("\n", " "):
        last = pieces[-1] if pieces else ""
        joins = last and (
            (character == " ")
            or character in _NO_START
            or last[-1] in _NO_END
            or (last[-1] != " " and last[-1].isascii() and character.isascii())
        )
        if joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
