"""Recipes: a treatment as TOML, to be read, kept beside a release, and run again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duckrisk import toml
from duckrisk.anonymization.steps import Step, Treatment
from duckrisk.errors import UsageError, suggestion
from duckrisk.files import check_target
from duckrisk.source import Request, refuse_overwriting_source
from duckrisk.source.released import SUFFIX

_KEYS = ("seed", "source", "step", "hierarchies")
#: How a recipe chooses records, as the settings file writes it.
_CHOOSING = ("query", "beside", "where")
_TIMEZONE = "timezone"


def place(release: Path, source: Request, *, overwrite: bool, folder: bool = False) -> Path:
    """The recipe's file, beside the release, which may be a ``folder``. Raises UsageError for one that is
    there or is the source."""
    if not folder:
        check_target(release)
    path = release.with_name(release.name + SUFFIX)
    refuse_overwriting_source(path, source)
    if path.exists() and not overwrite:
        raise UsageError("anonymization.recipe_already_add_overwrite_replace", path=path)
    return path


def load(path: Path) -> Treatment:
    """The treatment of a recipe file. Raises UsageError that names what is wrong."""
    content = toml.content(path, "recipe")
    try:
        return of_content(content, path.parent)
    except UsageError as error:
        raise UsageError("anonymization.recipe", error=str(error)[:-1], path=path.name) from None


def of_content(content: Mapping[str, Any], folder: Path) -> Treatment:
    """The treatment that a recipe's TOML describes; CSV files of hierarchies are looked for in ``folder``."""
    for key in content:
        if key not in _KEYS:
            raise UsageError("anonymization.unknown_key", key=key, suggestion=suggestion(key, list(_KEYS)))
    tables = content.get("step", [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError("anonymization.steps_written_step")
    steps = []
    for number, table in enumerate(tables, 1):
        options = dict(table)
        try:
            steps.append(Step(options.pop("method", ""), options))
        except UsageError as error:
            raise UsageError("anonymization.step", number=number, error=error) from None
    hierarchies = content.get("hierarchies", {})
    if not isinstance(hierarchies, Mapping):
        raise UsageError("anonymization.hierarchies_written_table_hierarchies")
    source = content.get("source", {})
    request = _chosen(source)
    return Treatment(tuple(steps), content.get("seed"), hierarchies, folder, request, source.get(_TIMEZONE))


def _chosen(table: Any) -> Request:
    """Return how a recipe chooses records. Raises UsageError for what cannot be written there."""
    if not isinstance(table, Mapping):
        raise UsageError("anonymization.source_table")
    for key, value in table.items():
        if key not in (*_CHOOSING, _TIMEZONE):
            hint = suggestion(key, [*_CHOOSING, _TIMEZONE])
            raise UsageError("anonymization.unknown_key", key=key, suggestion=hint)
        texts = value if key == "beside" else [value]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UsageError("anonymization.source_table")
    beside = tuple(table.get("beside", ()))
    return Request(query=table.get("query"), where=table.get("where"), beside=beside)


def written(
    treatment: Treatment,
    used: list[str],
    folder: Path,
    opening: list[str],
    request: Request | None = None,
    timezone: str | None = None,
) -> str:
    """The recipe of a treatment as TOML, to be kept in ``folder``; ``used`` are the columns whose hierarchies
    it needs and ``opening`` lines of comment; ``request`` says which records were treated, and ``timezone``
    is the zone of the days of moments. It holds what the person wrote, and nothing of the records."""
    lines = [f"# {toml.comment(line)}" for line in opening]
    if treatment.seed is not None:
        lines += ["", f"seed = {treatment.seed}"]
    chosen = {name: getattr(request, name, None) for name in _CHOOSING}
    if any(chosen.values()):
        lines += ["", "# Only these records are treated. An option such as --where replaces the condition."]
    elif timezone is not None:
        lines += ["", "# The days of TIMESTAMP WITH TIME ZONE columns are those of this zone."]
    if any(chosen.values()) or timezone is not None:
        chosen[_TIMEZONE] = timezone
        lines += ["[source]", *(toml.line(name, value) for name, value in chosen.items() if value)]
    for step in treatment.steps:
        lines += ["", "[[step]]", f"method = {toml.text(step.method)}"]
        if "keys" in step.options:
            lines.append(
                "# The key table was written to a place of its own; name another one to have it again."
            )
        lines += [toml.line(name, value) for name, value in step.options.items() if name != "keys"]
    if used:
        lines += ["", "[hierarchies]"]
    for name in used:
        spec = treatment.hierarchies[name]
        if isinstance(spec, str):
            spec = Path(os.path.relpath(treatment.folder / spec, folder)).as_posix()
        lines.append(toml.line(name, spec))
    return "\n".join(lines) + "\n"
