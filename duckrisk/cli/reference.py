"""Formats all options and policies: ``duckrisk explain options``, ``duckrisk explain policy``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from duckrisk import cli
from duckrisk.api import config
from duckrisk.base.options import GROUPS, Field, options_of
from duckrisk.base.sentences import Sentence
from duckrisk.decision import policy
from duckrisk.report.lines import measure, wrap, wrap_document
from duckrisk.report.words import Words


def format_options(language: str = "en") -> str:
    """Describe every option by its group: help, names, default, values and commands."""
    words = Words(language)
    lines = wrap(words.look_up("explain.options"), language)
    for group in GROUPS:
        title = group if language == "en" else _translate_group(group)
        lines += ["", title, "=" * measure(title)]
        for field, commands in list_options():
            if field.option.group == group:
                lines += ["", *_format_option(field, commands, words)]
    return "\n".join(lines) + "\n"


def _translate_group(group: str) -> str:
    from duckrisk.cli.japanese.help import load_help

    return load_help()["groups"][group]


def list_options() -> list[tuple[Field, list[str]]]:
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


def _format_option(field: Field, commands: list[str], words: Words) -> list[str]:
    text, default, expected = field.option.help, field.default_text, ""
    if field.kind is not None:
        expected = field.expected
    if words.language != "en":
        from duckrisk.base.options.japanese import translate_default, translate_help
        from duckrisk.cli.japanese import translate_sentence

        text, expected = translate_help(text), translate_sentence(expected).strip()
        default = translate_default(default) if field.option.default_text is not None else default
    flags = ", ".join([*field.option.value_flags, *field.flags])
    setting = words.format(Sentence("explain.settings", name=field.setting)) if field.setting else ""
    names = [flags, setting, f"Python: {field.keyword}"]
    facts = [default and f"[{default}]", expected]
    takers = words.format(Sentence("explain.for", commands=", ".join(commands))) if commands else ""
    lines = wrap(text, words.language, "  ")
    for parts in (names, facts, [takers]):
        if line := "   ".join(filter(None, parts)):
            lines += wrap(line, words.language, "    ")
    return lines


def format_policies(language: str = "en") -> str:
    """Describe each limit, and each preset with its limits and their sources."""
    words = Words(language)
    lines = [*wrap_document(words.look_up("explain.policy"), language), "", words.look_up("explain.limits")]
    for limit_name in policy.LIMITS:
        text = Sentence("fact", name=limit_name, figure=Sentence(f"policy.definition.{limit_name}"))
        lines += wrap(words.format(text), language, "  ", "    ")
    for name in policy.PRESETS:
        title = Sentence("fact", name=name, figure=Sentence(f"policy.for.{name}"))
        lines += ["", *wrap(words.format(title), language, "", "  ")]
        for limit in policy.list_limits(policy.Options(name=name)):
            key = "least" if policy.LIMITS[limit.name].is_minimum else "most"
            bound = Sentence(f"policy.{key}", limit=limit.text)
            lines.append("  " + words.format(Sentence("fact", name=limit.name, figure=bound)))
            lines += wrap(f"[{words.format(limit.source)}]", language, "    ")
    return "\n".join([*lines, *_format_changed_limits(words)]) + "\n"


def _format_changed_limits(words: Words) -> list[str]:
    """Describe the limits that the settings file of the current folder changes."""
    path = Path(config.NAME)
    against = config.load(path).policy if path.is_file() else policy.Options()
    if not (changed := policy.list_changed_limits(against)):
        return []
    named = policy.name_policy(against.name, against.limits_from)
    lines = ["", *wrap(words.format(Sentence("explain.changed", policy=named)), words.language)]
    for limit, published in changed:
        before = policy.format_limit(limit.name, published)
        sentence = Sentence("explain.published", name=limit.name, limit=limit.text, before=before)
        lines.append("  " + words.format(sentence))
    return lines
