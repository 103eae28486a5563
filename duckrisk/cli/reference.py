"""The reference of all options: ``duckrisk explain options``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import typer

from duckrisk import cli
from duckrisk.options import GROUPS, Field, options_of


def reference() -> str:
    """Every option by its group: what it says, its names, its default, what it may be, who takes it."""
    lines = [
        "Options: on the command line, in the settings file (table.key), in Python; [default]; what can be "
        "given; the commands that take it.",
    ]
    for group in GROUPS:
        lines += ["", group, "=" * len(group)]
        for one, commands in _options():
            if one.option.group == group:
                lines += ["", *_told(one, commands)]
    return "\n".join(lines) + "\n"


def _options() -> list[tuple[Field, list[str]]]:
    """Every option with the commands that take it."""
    found: dict[tuple[type[Any], str], tuple[Field, list[str]]] = {}
    for name, function in commands(cli.app_of(None)):
        for kind, taken in getattr(function, "options", {}).items():
            names = {one.name for one in taken}
            for one in options_of(kind).values():
                _, takers = found.setdefault((kind, one.name), (one, []))
                takers += [name] if one.name in names else []
    return list(found.values())


def commands(app: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with the function behind it."""
    for one in app.registered_commands:
        assert one.callback is not None
        yield " ".join([*path, one.name or one.callback.__name__.replace("_", "-")]), one.callback
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, (*path, str(group.name)))


def _told(one: Field, commands: list[str]) -> list[str]:
    flags = ", ".join([*one.option.stand_for, *one.flags])
    names = [flags, one.setting and f"settings file: {one.setting}", f"Python: {one.name}"]
    facts = [one.shown and f"[{one.shown}]", one.what if one.kind is not None else ""]
    lines = textwrap.wrap(one.option.help, 76, initial_indent="  ", subsequent_indent="  ")
    for parts in (names, facts, ["for: " + ", ".join(commands) if commands else ""]):
        if text := "   ".join(filter(None, parts)):
            lines += textwrap.wrap(text, 74, initial_indent="    ", subsequent_indent="    ")
    return lines
