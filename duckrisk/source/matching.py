"""Reads releases like their original: columns matched by name, texts where it has texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from duckrisk.base.errors import UsageError, find_similar_names, quote_names
from duckrisk.base.options.source import Request
from duckrisk.engine.types import is_text
from duckrisk.source import unify_column_types
from duckrisk.source.model import Column, Source, find_column


def align_text_columns(sources: Sequence[Source], compared: Sequence[str]) -> None:
    """Read columns of releases as texts if they are texts in the original.

    In a CSV file 01, t and 5/1/2020 are no number, truth value and date then. If only a release has texts,
    they can be coarser forms of numbers or moments, and the original keeps its type.

    Args:
        sources: The original, and its releases.
        compared: Columns whose values are compared directly: texts in all tables if they are in one.
    """
    original, *releases = sources
    wanted = {column.position for name in compared if (column := find_column(original.columns, name))}
    for release in releases:
        texts = [
            column.position
            for column in release.columns
            if (match := find_column(original.columns, column.name)) and is_text(match.type)
        ]
        texts = [position for position in texts if release.columns[position].type != "VARCHAR"]
        if texts and release.reread_as_text is not None:
            release.reread_as_text(texts)
    for position in sorted(wanted):
        name = original.columns[position].name
        pairs = [(source, find_column(source.columns, name)) for source in sources]
        there = [(source, column) for source, column in pairs if column is not None]
        if any(is_text(column.type) for _, column in there):
            unify_column_types([source for source, _ in there], [[column] for _, column in there])


def find_bounds(original: Source, release: Source) -> dict[str, tuple[Column, Column]]:
    """Find the columns of a release that bound those of the original.

    Returns:
        The columns NAME_from and NAME_to of the release, by the NAME of the original that it lacks.
    """
    bounds: dict[str, tuple[Column, Column]] = {}
    for column in original.columns:
        names = (f"{column.name}_from", f"{column.name}_to")
        if any(find_column(original.columns, name) is not None for name in names):
            continue
        low, high = (find_column(release.columns, name) for name in names)
        alone = find_column(release.columns, column.name) is None
        if alone and low is not None and high is not None and not any(map(is_text, (low.type, high.type))):
            bounds[column.name] = (low, high)
    return bounds


def match_columns(original: Source, release: Source) -> dict[str, str]:
    """Return the bindings of a release's columns by name, without bounds.

    Raises:
        UsageError: The release has other columns, or two of one name.
    """
    names = [column.name for column in original.columns]
    bounding = {column.binding for pair in find_bounds(original, release).values() for column in pair}
    bindings: dict[str, str] = {}
    for column in release.columns:
        if column.binding in bounding:
            continue
        try:
            name = original.column(column.name).name
        except UsageError:
            raise UsageError(
                "comparison.extra_release_column",
                release=release.name,
                column=column.name,
                some=quote_names(find_similar_names(column.name, names) or names),
            ) from None
        if name in bindings:
            raise UsageError("comparison.duplicate_release_column", release=release.name, name=name)
        bindings[name] = column.binding
    return bindings


def distinguish_names(sources: Sequence[Source], requests: Sequence[Request]) -> None:
    """Name files of the same name with as many folders as distinguish them.

    Args:
        sources: The tables of a run.
        requests: How each was opened.
    """
    paths: dict[str, list[tuple[Source, Path]]] = {}
    for source, request in zip(sources, requests, strict=True):
        if isinstance(request.source, (str, os.PathLike)):
            paths.setdefault(source.name, []).append((source, Path(request.source)))
    for alike in paths.values():
        files = {path for _, path in alike}
        if len(files) > 1:
            depth = next(d for d in count(1) if len({path.parts[-d:] for path in files}) == len(files))
            for source, path in alike:
                source.name = str(Path(*path.parts[-depth:]))
