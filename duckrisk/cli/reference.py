"""Formats all options and policies: ``duckrisk explain options``, ``duckrisk explain policy``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from duckrisk import cli
from duckrisk.api import config
from duckrisk.base.options import GROUPS, Field, options_of
from duckrisk.base.sentences import Sentence
from duckrisk.decision import policy
from duckrisk.report.words import to_english


def format_options() -> str:
    """Describe every option by its group: help, names, default, values and commands."""
    lines = [
        "Options: on the command line, in the settings file (table.key), in Python; [default]; what can be "
        "given; the commands that take it.",
    ]
    for group in GROUPS:
        lines += ["", group, "=" * len(group)]
        for field, commands in _options_with_commands():
            if field.option.group == group:
                lines += ["", *_format_option(field, commands)]
    return "\n".join(lines) + "\n"


def _options_with_commands() -> list[tuple[Field, list[str]]]:
    """Return every option with the commands that take it."""
    entries: dict[tuple[type[Any], str], tuple[Field, list[str]]] = {}
    for name, function in list_commands(cli.app_of(None)):
        for options, taken_fields in getattr(function, "options", {}).items():
            names = {field.name for field in taken_fields}
            for field in options_of(options).values():
                _, takers = entries.setdefault((options, field.name), (field, []))
                takers += [name] if field.name in names else []
    return list(entries.values())


def list_commands(app: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every command with its function."""
    for command in app.registered_commands:
        assert command.callback is not None
        yield " ".join([*path, command.name or command.callback.__name__.replace("_", "-")]), command.callback
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from list_commands(group.typer_instance, (*path, str(group.name)))


def _format_option(field: Field, commands: list[str]) -> list[str]:
    flags = ", ".join([*field.option.value_flags, *field.flags])
    names = [flags, field.setting and f"settings file: {field.setting}", f"Python: {field.keyword}"]
    facts = [
        field.default_text and f"[{field.default_text}]",
        field.expected if field.kind is not None else "",
    ]
    lines = textwrap.wrap(field.option.help, 76, initial_indent="  ", subsequent_indent="  ")
    for parts in (names, facts, ["for: " + ", ".join(commands) if commands else ""]):
        if text := "   ".join(filter(None, parts)):
            lines += textwrap.wrap(text, 74, initial_indent="    ", subsequent_indent="    ")
    return lines


_POLICIES = """\
A policy says how much risk a table may have, by who gets it: --policy NAME,
or in duckrisk.toml

  [policy]
  name = "shared"
  smallest_class = 10

where each limit can be set. --policy NAME means the published limits; those of
duckrisk.toml count without it, and every report names them. The verdict on a
table is about one policy:

  pass       all limits are kept, and no assumption was needed
  pass_if    all limits are kept under the assumptions that the headline lists
  fail       a limit is exceeded for certain
  undecided  a guess, an open question or a column that was left out could
             turn it

The gate --fail-on policy accepts a pass; a pass_if only where every column of
the file has a declared role (--sensitive, --insensitive, --quasi-identifier,
--user, or [columns] in duckrisk.toml). A verdict promises no anonymity. The
contexts are those of ISO/IEC 27559 and of the ICO, the limits those of the
sources named.
"""


def format_policies() -> str:
    """Describe each limit, and each preset with its limits and their sources."""
    lines = [_POLICIES.rstrip(), "", "The limits:"]
    for limit_name in policy.LIMITS:
        text = to_english(Sentence(f"policy.definition.{limit_name}"))
        lines += textwrap.wrap(f"{limit_name}: {text}", 78, initial_indent="  ", subsequent_indent="    ")
    for name in policy.PRESETS:
        lines += ["", f"{name}: {to_english(Sentence(f'policy.for.{name}'))}"]
        for limit in policy.list_limits(policy.Options(name=name)):
            key = "least" if policy.LIMITS[limit.name].is_minimum else "most"
            bound = to_english(Sentence(f"policy.{key}", limit=limit.text))
            source = f"    [{to_english(limit.source)}]"
            lines += [f"  {limit.name}: {bound}", *textwrap.wrap(source, 78, subsequent_indent="    ")]
    return "\n".join([*lines, *_format_changed_limits()]) + "\n"


def _format_changed_limits() -> list[str]:
    """Describe the limits that the settings file of the current folder changes."""
    path = Path(config.NAME)
    against = config.load(path).policy if path.is_file() else policy.Options()
    if not (changed := policy.list_changed_limits(against)):
        return []
    named = to_english(policy.name_policy(against.name, against.limits_from))
    sentence = f"Here a verdict is about the policy {named}, unless --policy names one:"
    lines = ["", *textwrap.wrap(sentence, 78)]
    for limit, published in changed:
        before = policy.format_limit(limit.name, published)
        lines.append(f"  {limit.name}: {limit.text} (published: {before})")
    return lines
