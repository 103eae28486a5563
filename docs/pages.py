"""Writes the pages that options and docstrings make: ``python docs/pages.py``.

Each command has a page in ``commands/``, and ``api.md`` is the Python interface. They are kept in the
repository, so that a code host shows them; ``tests/test_docs.py`` compares them with what this makes.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import duckrisk
from duckrisk import cli
from duckrisk.base.options import GROUPS
from duckrisk.base.results import Result
from duckrisk.cli.examples import EXAMPLES
from duckrisk.cli.reference import list_commands, list_options

FOLDER = Path(__file__).parent
MADE = "\n<!-- Made by `python docs/pages.py`. -->"


def make_pages() -> dict[Path, str]:
    """Return the text of each page that is made, by its path in this folder."""
    app = typer.main.get_command(cli.app_of(None))
    commands = {name: dict(_split_group(name, command)) for name, command in app.commands.items()}
    shared = _find_common([_rows_of(*several.values()) for several in commands.values()], _MANY)
    pages = {
        f"{name}.md": _format_page(name, app.commands[name].help, commands[name], shared) for name in commands
    }
    pages["options.md"] = _format_shared(shared)
    return {**{Path("commands", name): text for name, text in pages.items()}, Path("api.md"): _format_api()}


# --- commands ------------------------------------------------------------------------------------

#: Pages from which on an option stands on the page of options alone (a choice: those of source, report and
#: engine).
_MANY = 6
#: By the row of an option in a table, its group and its flag.
_Rows = dict[str, tuple[str, str]]


def _split_group(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a command, or those of a group, by the words that call them."""
    if not hasattr(command, "commands"):
        yield name, command
    for inner, one in getattr(command, "commands", {}).items():
        yield f"{name} {inner}", one


def _rows_of(*commands: Any) -> _Rows:
    """Return the options of commands in the order of their groups."""
    options = [option for command in commands for option in command.params]
    options = [one for one in options if one.param_type_name == "option" and one.name != "help_all"]
    options.sort(key=lambda option: GROUPS.index(option.rich_help_panel))
    return {_format_option(option): (option.rich_help_panel, option.opts[-1]) for option in options}


def _find_common(several: list[_Rows], least: int) -> _Rows:
    """Return the options that stand in at least this number of lists."""
    counts = Counter(row for rows in several for row in rows)
    return {row: facts for rows in several for row, facts in rows.items() if counts[row] >= least}


def _format_page(name: str, text: str, commands: dict[str, Any], shared: _Rows) -> str:
    """Describe a command, or a group with its commands."""
    lines = [f"# duckrisk {name}", MADE]
    if list(commands) == [name]:
        return "\n".join([*lines, *_describe_command(name, commands[name], shared, {})]) + "\n"
    common = _find_common([_rows_of(one) for one in commands.values()], 2)
    common = {row: facts for row, facts in common.items() if row not in shared}
    lines += ["", text]
    for inner, command in commands.items():
        lines += ["", f"## duckrisk {inner}", *_describe_command(inner, command, shared, common)]
    if common:
        lines += ["", "## Options of several of these commands", "", *_format_table(common)]
    return "\n".join(lines) + "\n"


def _describe_command(name: str, command: Any, shared: _Rows, common: _Rows) -> Iterator[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    names = [one.metavar if one.required else f"[{one.metavar}]" for one in arguments]
    names = [f"{text}..." if one.nargs == -1 else text for text, one in zip(names, arguments, strict=True)]
    yield from (
        "",
        _unwrap(command.help),
        "",
        "```text",
        " ".join(["duckrisk", name, *names, "[OPTIONS]"]),
        "```",
    )
    if arguments:
        yield ""
        texts = _describe_arguments(name)
        yield from (f"- `{one.metavar}`: {_cell(texts[one.name])}" for one in arguments)
    if examples := EXAMPLES.get(name):
        yield from ("", "```sh", *(f"duckrisk {line}" for line in examples), "```")
    rows = _rows_of(command)
    own = {row: facts for row, facts in rows.items() if row not in shared and row not in common}
    for group in dict.fromkeys(group for group, _ in own.values()) if not common else ():
        yield from ("", f"## {group}", "")
        yield from _format_table({row: facts for row, facts in own.items() if facts[0] == group})
    if common and own:
        yield from ("", *_format_table(own))
    for title, target, known in (
        ("options of several of these commands", "#options-of-several-of-these-commands", common),
        ("options of many commands", "options.md", shared),
    ):
        if flags := [f"`{flag}`" for row, (_, flag) in rows.items() if row in known]:
            yield from ("", f"[As the {title}]({target}): {', '.join(flags)}.")


def _describe_arguments(name: str) -> dict[str, str]:
    """Return the texts of the arguments of a command, which older parsers do not keep."""
    (function,) = (function for words, function in list_commands(cli.app_of(None)) if words == name)
    hints = {one.name: one.annotation for one in inspect.signature(function).parameters.values()}
    return {argument: str(hint.__metadata__[0].help) for argument, hint in hints.items()}


def _format_shared(shared: _Rows) -> str:
    """Describe the options that many commands take."""
    lines = ["# Options of many commands", MADE, "", _OPTIONS]
    for group in GROUPS:
        if rows := {row: facts for row, facts in shared.items() if facts[0] == group}:
            lines += ["", f"## {group}", "", *_format_table(rows)]
    return "\n".join(lines) + "\n"


_OPTIONS = """\
The page of each command names those that it takes. `duckrisk explain options` has every option with its
name in the settings file and in Python, and the values that it accepts. `--help-all` of a command lists
all it takes."""


def _format_table(rows: _Rows) -> list[str]:
    return ["| option | meaning [default] |", "|---|---|", *rows]


def _format_option(option: Any) -> str:
    flags = ", ".join(f"`{flag}`" for flag in [*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {_cell(option.metavar)}"
    return f"| {flags}{value} | {_cell(option.help)} |"


def _cell(text: str) -> str:
    """Return a text as a cell of a table: its signs stand for themselves."""
    return re.sub(r"([|*<>_\\])", r"\\\1", text)


def _unwrap(text: str) -> str:
    """Join the lines of each paragraph, and write reStructuredText as Markdown."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n")]
    return re.sub(r":(?:class|func|mod):`(?:[\w.]+\.)?(\w+)`", r"`\1`", "\n\n".join(paragraphs)).replace(
        "``", "`"
    )


# --- Python --------------------------------------------------------------------------------------


def _format_api() -> str:
    """Describe the functions, the methods of their results, and the errors."""
    lines = ["# duckrisk in Python", MADE, "", _INTRODUCTION]
    for name in ("assess", "advise", "anonymize", "compare", "attack"):
        lines += _describe_function(f"duckrisk.{name}", getattr(duckrisk, name), name)
    for room in ("membership", "pwscup"):
        module = getattr(duckrisk, room)
        lines += ["", f"## duckrisk.{room}", "", _unwrap(module.__doc__.partition(">>>")[0])]
        for name in module.__all__:
            page = f"{room} {name.replace('_', '-')}"
            lines += _describe_function(f"duckrisk.{room}.{name}", getattr(module, name), page, "###")
    lines += ["", "## Results", "", _RESULTS, ""]
    for name, method in vars(Result).items():
        if not name.startswith("_") and isinstance(method, property):
            lines.append(f"- `{name}`: {_summary(method)}")
        elif not name.startswith("_") and inspect.isfunction(method):
            _, *parameters = inspect.signature(method).parameters.values()
            lines.append(f"- `{name}({_format_parameters(parameters)})`: {_summary(method)}")
    lines += ["", "## Errors", ""]
    errors = [one for one in duckrisk.__all__ if isinstance(getattr(duckrisk, one), type)]
    lines += [f"- `duckrisk.{one}`: {_summary(getattr(duckrisk, one))}" for one in errors]
    return "\n".join(lines) + "\n"


_INTRODUCTION = """\
`help(duckrisk.assess)` describes each keyword. A keyword is an option: it has the name of the option
with `_` for `-`, unless its line says otherwise. The page of the command says what it means. None stands
for its default."""

_RESULTS = """\
Results are frozen dataclasses. Their fields are the keys of the JSON report: `duckrisk explain KEY`
explains a key, and `duckrisk.report.schema.schema(type(result))` is the JSON Schema."""


def _describe_function(name: str, function: Any, page: str, level: str = "##") -> Iterator[str]:
    parameters = inspect.signature(function).parameters.values()
    keywords = [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    places = _format_parameters([one for one in parameters if one not in keywords])
    document = inspect.cleandoc(function.__doc__).partition("\n\nKeyword Args:")[0]
    text, *sections = re.split(r"\n\n(?=(?:Args|Returns|Raises):\n)", document)
    yield from ("", f"{level} {name}({places}, **options)", "", _unwrap(text))
    for section in sections:
        title, _, body = section.partition("\n")
        if title == "Returns:":
            yield from ("", f"**Returns** {_unwrap(body)}")
            continue
        yield from ("", f"**{title.rstrip(':')}**", "")
        for entry in re.split(r"\n(?=\S)", inspect.cleandoc(body)):
            named, _, meaning = _unwrap(entry).partition(": ")
            yield f"- `{named}`: {meaning}"
    yield from ("", _list_keywords(keywords, page))


def _format_parameters(parameters: list[inspect.Parameter]) -> str:
    """Return parameters with their defaults, without their types."""
    return ", ".join(str(one.replace(annotation=inspect.Parameter.empty)) for one in parameters)


def _list_keywords(keywords: list[inspect.Parameter], page: str) -> str:
    """Name the keywords, with the flags of those that are called otherwise on the command line."""
    flags = _flags_of(page)
    named = [
        f"`{one.name}` ({flags[one.name]})" if flags.get(one.name) else f"`{one.name}`" for one in keywords
    ]
    command, _, inner = page.partition(" ")
    anchor = f"#duckrisk-{command}-{inner}" if inner else ""
    return f"Keywords, as in [`duckrisk {page}`](commands/{command}.md{anchor}): {', '.join(named)}."


def _flags_of(command: str) -> dict[str, str]:
    """Return, by the keyword, the flags of a command that have another name."""
    found: dict[str, str] = {}
    for field, commands in list_options():
        flags = [*field.option.value_flags, *field.flags]
        if command in commands and flags and f"--{field.keyword.replace('_', '-')}" not in flags:
            found[field.keyword] = ", ".join(f"`{flag}`" for flag in flags)
    return found


def _summary(documented: Any) -> str:
    return _unwrap(inspect.getdoc(documented) or "").partition("\n\n")[0]


def main() -> None:
    """Write the pages, and take away those of commands that are gone."""
    pages = make_pages()
    for path in (FOLDER / "commands").glob("*.md"):
        if path.relative_to(FOLDER) not in pages:
            path.unlink()
    for path, text in pages.items():
        (FOLDER / path).parent.mkdir(exist_ok=True)
        (FOLDER / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
