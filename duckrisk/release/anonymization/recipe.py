"""Recipes: treatments as TOML, kept next to a release, to be run again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duckrisk.base import toml
from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.files import check_target
from duckrisk.base.options.source import Resources
from duckrisk.release.anonymization.steps import Step, Treatment
from duckrisk.source import Request, refuse_overwriting_source
from duckrisk.source.recipes import SUFFIX

_KEYS = ("seed", "fold_keys", "source", "step", "hierarchies")
#: Keys that choose records, as in a settings file.
_SOURCE_KEYS = ("query", "beside", "where")
_READING_KEYS = ("timezone", "read", "missing_tokens")


def check_recipe_path(release: Path, source: Request, *, overwrite: bool, folder: bool = False) -> Path:
    """Return the path of a recipe, next to its release.

    Args:
        release: The release.
        source: How the source is opened.
        overwrite: Whether to replace an existing recipe.
        folder: Whether the release is a folder.

    Raises:
        UsageError: The recipe exists, or is the source.
    """
    if not folder:
        check_target(release)
    path = release.with_name(release.name + SUFFIX)
    refuse_overwriting_source(path, source)
    if path.exists() and not overwrite:
        raise UsageError("anonymization.recipe_exists", path=path)
    return path


def load(path: Path) -> Treatment:
    """Load the treatment of a recipe.

    Args:
        path: The recipe.

    Raises:
        UsageError: The file is no recipe.
    """
    content = toml.read_toml(path, "recipe")
    try:
        return parse_recipe(content, path.parent)
    except UsageError as error:
        raise UsageError("anonymization.error_in_recipe", error=str(error)[:-1], path=path.name) from None


def parse_recipe(content: Mapping[str, Any], folder: Path) -> Treatment:
    """Parse the treatment of a recipe.

    Args:
        content: The TOML of the recipe.
        folder: Folder of the CSV files of its hierarchies.

    Raises:
        UsageError: A key or a value is wrong.
    """
    for key in content:
        if key not in _KEYS:
            raise UsageError("anonymization.unknown_key", key=key, suggestion=suggest_names(key, list(_KEYS)))
    tables = content.get("step", [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError("anonymization.steps_not_a_list")
    steps = []
    for number, table in enumerate(tables, 1):
        options = dict(table)
        try:
            steps.append(Step(options.pop("method", ""), options))
        except UsageError as error:
            raise UsageError("anonymization.error_in_step", number=number, error=error) from None
    hierarchies = content.get("hierarchies", {})
    if not isinstance(hierarchies, Mapping):
        raise UsageError("anonymization.hierarchies_not_a_table")
    source = content.get("source", {})
    request = _parse_source(source)
    seed = content.get("seed")
    more: dict[str, Any] = {name: tuple(source[name]) for name in _READING_KEYS[1:] if name in source}
    folded = content.get("fold_keys")
    if folded is not None and not isinstance(folded, str):
        raise UsageError("anonymization.fold_keys_not_a_column")
    more |= {"timezone": source.get("timezone"), "fold_keys": folded}
    return Treatment(tuple(steps), seed, hierarchies, folder, request, **more)


def _parse_source(table: Any) -> Request:
    """Parse how a recipe chooses records.

    Raises:
        UsageError: A key or a value is wrong.
    """
    if not isinstance(table, Mapping):
        raise UsageError("anonymization.invalid_source_table")
    for key, value in table.items():
        if key not in (*_SOURCE_KEYS, *_READING_KEYS):
            hint = suggest_names(key, [*_SOURCE_KEYS, *_READING_KEYS])
            raise UsageError("anonymization.unknown_key", key=key, suggestion=hint)
        texts = value if key in ("beside", *_READING_KEYS[1:]) else [value]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UsageError("anonymization.invalid_source_table")
    beside = tuple(table.get("beside", ()))
    return Request(query=table.get("query"), where=table.get("where"), beside=beside)


def render_recipe(
    treatment: Treatment,
    used: list[str],
    folder: Path,
    opening: list[str],
    request: Request | None = None,
    reading: Resources | None = None,
) -> str:
    """Render a treatment as the TOML of a recipe.

    It holds what a person wrote, and no values of records.

    Args:
        treatment: The treatment.
        used: Columns whose hierarchies it needs.
        folder: Folder of the recipe.
        opening: Lines of comment at the top.
        request: How the source was opened; None for all records.
        reading: How texts and moments were read; None for the usual way.
    """
    lines = [f"# {toml.format_comment(line)}" for line in opening]
    if treatment.seed is not None:
        lines += ["", f"seed = {treatment.seed}"]
    if treatment.fold_keys is not None:
        lines += ["", "# Keys of this column that differ in case, blanks or width alone are one."]
        lines.append(toml.format_entry("fold_keys", treatment.fold_keys))
    chosen = {name: getattr(request, name, None) for name in _SOURCE_KEYS}
    if any(chosen.values()):
        lines += ["", "# Only these records are treated. An option such as --where replaces the condition."]
    read = _describe_reading(reading)
    if read and not any(chosen.values()):
        lines += ["", "# How texts and moments of the source were read."]
    if any(chosen.values()) or read:
        chosen |= read
        lines += ["[source]", *(toml.format_entry(name, value) for name, value in chosen.items() if value)]
    for step in treatment.steps:
        lines += ["", "[[step]]", f"method = {toml.format_string(step.method)}"]
        if "keys" in step.options:
            lines.append(
                "# The key table was written to a place of its own; name another one to have it again."
            )
        lines += [toml.format_entry(name, value) for name, value in step.options.items() if name != "keys"]
    if used:
        lines += ["", "[hierarchies]"]
    for name in used:
        spec = treatment.hierarchies[name]
        if isinstance(spec, str):
            spec = Path(os.path.relpath(treatment.folder / spec, folder)).as_posix()
        lines.append(toml.format_entry(name, spec))
    return "\n".join(lines) + "\n"


def _describe_reading(reading: Resources | None) -> dict[str, Any]:
    """Return how texts and moments are read, unless in the usual way."""
    if reading is None:
        return {}
    usual = Resources()
    said = {
        name: getattr(reading, name)
        for name in _READING_KEYS
        if getattr(reading, name) != getattr(usual, name)
    }
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}
