"""Read a release's means of bands and first days of periods as the intervals that its recipe holds.

A recipe of local recoding holds no classes: what their means cover is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import has_date, is_number
from duckrisk.release.anonymization import recipe
from duckrisk.source import Column, Request, Source
from duckrisk.source.model import find_column
from duckrisk.source.recipes import find_recipe

#: Months or days of a period, as an interval of the engine.
_LENGTHS = {
    "day": "1 day",
    "week": "7 days",
    "month": "1 month",
    "quarter": "3 months",
    "year": "1 year",
    "5years": "5 years",
    "10years": "10 years",
}


def read_recoded_columns(
    session: Session,
    original: Source,
    release: Source,
    request: Request,
    relation: Sql,
    columns: dict[str, str],
    view: str,
) -> Sql:
    """Read columns whose values stand for an interval, by the recipe of the release.

    Args:
        session: The session.
        original: The original.
        release: The release.
        request: How the release was opened; its recipe is the file next to it.
        relation: The records of the release.
        columns: Bindings of the columns of the release by name; those that are read get new ones.
        view: Name of the view to make.

    Returns:
        The view, or the relation if no column is read by a recipe.
    """
    cells: dict[str, Sql] = {}
    for name, step in _find_recoded(request).items():
        column = find_column(original.columns, name)
        if column is None or (binding := columns.get(column.name)) is None:
            continue
        written = next(each for each in release.columns if each.binding == binding)
        cell = _render_interval(column, written, step)
        if cell is not None:
            cells[column.name] = cell
    if not cells:
        return relation
    bindings = [f"recoded_{number}" for number in range(len(cells))]
    session.run("recoded_values", source=relation, columns=bindings, cells=list(cells.values()), table=view)
    columns.update(zip(cells, bindings, strict=True))
    return Sql(f"temp.main.{view}")


def list_class_means(
    session: Session,
    original: tuple[Source, Sql],
    release: tuple[Source, Sql],
    request: Request,
    columns: Mapping[str, str],
) -> tuple[str, ...]:
    """List the columns of a release that hold means of classes, by its recipe.

    A column with each value as often as in the original holds none: means of different values vary less.

    Args:
        session: The session.
        original: The original, and its records.
        release: The release, and its records.
        request: How the release was opened; its recipe is the file next to it.
        columns: Bindings of the columns of the release by name.
    """
    means = []
    for name in _find_averaged(request):
        column = find_column(original[0].columns, name)
        if column is None or (binding := columns.get(column.name)) is None:
            continue
        written = next((each for each in release[0].columns if each.binding == binding), None)
        if written is None or not _is_mean_of(written.type, column.type):
            continue
        sides = {"original": original[1], "before": column.binding, "release": release[1], "after": binding}
        if session.fetch_row("values_with_other_counts", **sides)["values"]:
            means.append(column.name)
    return tuple(means)


def _find_averaged(request: Request) -> list[str]:
    """Find the columns whose values a recipe replaces by means of classes."""
    path = find_recipe(request)
    try:
        steps = recipe.load(path).steps if path is not None else ()
    except UsageError:
        return []
    averaged = [s for s in steps if s.method == "k-anonymize" and s.options.get("numbers") == "mean"]
    return [name for step in averaged for name in step.options.get("quasi_identifiers", ())]


def _is_mean_of(written: str, kind: str) -> bool:
    """Return whether values of a type can be means of values of another."""
    return (is_number(written) and is_number(kind)) or (has_date(written) and has_date(kind))


def _find_recoded(request: Request) -> Mapping[str, Mapping[str, Any]]:
    """Find the steps of a recipe that write one value for an interval, by column."""
    path = find_recipe(request)
    try:
        steps = recipe.load(path).steps if path is not None else ()
    except UsageError:
        return {}
    return {
        step.get("column"): step.options
        for step in steps
        if step.method == "generalize"
        and (step.get("first_day") or ("bands" in step.options and step.get("numbers", "mean") == "mean"))
    }


def _render_interval(column: Column, written: Column, step: Mapping[str, Any]) -> Sql | None:
    """Render the interval of a released value; None if its type does not fit."""
    cell = identifier(written.binding)
    if "bands" in step:
        if not is_number(written.type):
            return None
        means, least, most = zip(*([str(number) for number in band] for band in step["cells"]), strict=True)
        ends = {"means": list(means), "least": list(least), "most": list(most)}
        return render("interval_of_mean", column=cell, **ends, kind=Sql(column.type))
    if not has_date(written.type) or not has_date(column.type):
        return None
    is_day = column.type == "DATE"
    return render("interval_of_first_day", column=cell, length=_LENGTHS[step["moment"]], is_day=is_day)
