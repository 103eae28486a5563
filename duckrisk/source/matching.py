"""Releases are read as their original is: the same columns, by name, and texts where it has texts."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.errors import UsageError, find_similar_names, quote_names
from duckrisk.engine.types import is_text
from duckrisk.source import unify_column_types
from duckrisk.source.model import Source, find_column


def align_text_columns(sources: Sequence[Source], compared: Sequence[str]) -> None:
    """Read what is text in the original as text in the CSV files of the releases too: 01, t and 5/1/2020 are
    not numbers, truth values and dates there. Where a release alone has text, its cells may be coarser ones
    of numbers or moments, and are read as these; but columns that are ``compared`` are text in all then."""
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


def match_columns(original: Source, release: Source) -> dict[str, str]:
    """The columns of a release by the names of the original; raises UsageError for others."""
    names = [column.name for column in original.columns]
    bindings: dict[str, str] = {}
    for column in release.columns:
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
