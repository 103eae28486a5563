"""The risk of each table, by the main job: the same roles, attributes and levels for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from duckrisk import assessment, roles
from duckrisk.engine_types import is_moment
from duckrisk.report import Report
from duckrisk.roles import Roles
from duckrisk.session import Resources
from duckrisk.source import Request, Source


def of_original(
    request: Request,
    settings: assessment.Settings,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None,
) -> Report:
    """The assessment of the original, without what a comparison does not show."""
    return assessment.run(request, _lean(settings), resources, watch)


def of_release(
    request: Request,
    release: Source,
    found: Roles,
    original: Report,
    settings: assessment.Settings,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None,
) -> Report:
    """The assessment of a release, with the roles, the attributes and the levels of the original. A column
    that was generalised is a text there: it is known as it is."""
    there = {decision.column.name: decision for decision in found.decisions}
    columns = [column for column in release.columns if column.name in there]
    given: list[tuple[str, str]] = []
    for column in columns:
        decision = there[column.name]
        same = column.type == decision.column.type or is_moment(column.type)
        role = "attribute" if decision.role == "date_time" and not same else decision.role
        if role != "user":
            given.append((column.name, role))
    names = [column.name for column in columns]
    user = found.user.name if found.user is not None and found.user.name in names else ""
    overrides = roles.RoleOverrides(user, _attributes(found, columns), (), tuple(given))
    section = original.data["identifiability"] or {"attributes": []}
    levels = {
        entry["column"]: entry["type"] or [entry["economic"], entry["psychological"]]
        for entry in section["attributes"]
        if entry["column"] in names
    }
    identifying = dataclasses.replace(
        settings.identifiability, levels=tuple(levels.items()), settled_levels=()
    )
    lean = dataclasses.replace(_lean(settings), overrides=overrides, identifiability=identifying)
    return assessment.run(request, lean, resources, watch)


def _attributes(found: Roles, columns: list[Any]) -> tuple[str, ...]:
    """The attributes that a person named, as far as the release has them: a coarser form of a column of
    another type is the column itself."""
    if not found.named:
        return ()
    types = {decision.column.binding: decision.column for decision in found.decisions}
    there = {column.name: column.type for column in columns}
    named: dict[str, None] = {}
    for attribute in found.attributes:
        parts = [types[part.column] for part in attribute.parts]
        if not all(column.name in there for column in parts):
            continue
        if all(there[column.name] == column.type for column in parts):
            named[attribute.name] = None
        elif len(parts) == 1:
            named[parts[0].name] = None
    return tuple(named)


def _lean(settings: assessment.Settings) -> assessment.Settings:
    return dataclasses.replace(
        settings,
        measures=dataclasses.replace(settings.measures, samples=0, known_records=0, detailed=0),
        identifiability=dataclasses.replace(settings.identifiability, what_if=False, compare_missing=False),
        only=assessment.MAIN,
        gates=(),
        show_values=False,
    )


def summary(report: Report) -> dict[str, Any]:
    """What a comparison keeps of an assessment."""
    data = report.data
    section = data["identifiability"]
    kept = (
        "records", "singled_out", "singled_out_share", "unknown", "total_ease", "total_value",
        "jo_total_value", "currency", "complete",
    )  # fmt: skip
    return {
        "users": data["source"]["users"],
        "identifiability": None if section is None else {name: section[name] for name in kept},
        "attribute_risk": [
            {name: entry[name] for name in ("attribute", "mean_risk", "max_value_risk", "share_below_k")}
            for entry in data["attribute_risk"]
        ],
        "notes": data["source"]["notes"],
    }
