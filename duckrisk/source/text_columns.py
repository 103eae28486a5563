"""Reads columns of texts as numbers and days in a source that is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.source.form_search import find_readings
from duckrisk.source.model import OpenedInput, Request, Source, Workspace
from duckrisk.source.names import make_unique
from duckrisk.source.readings import TextReadings, apply_readings, describe_readings


def read_texts(
    session: Session,
    workspace: Workspace,
    opened: OpenedInput,
    forms: tuple[Sql, Sql],
    described: list[tuple[str, str]],
    printed_names: list[str],
    true_names: list[str],
) -> tuple[Sql, Sql, list[tuple[str, str]]]:
    """Read columns whose texts are all numbers or days as such.

    Args:
        session: The session that reads the records.
        workspace: Knows how sources opened before read their columns, and learns from this one.
        opened: The source; receives the readings.
        forms: The relation for the engine, and the printed one.
        described: Names and types of its columns.
        printed_names: Column names of the printed relation; replaced if a column is read.
        true_names: True names of the columns.

    Returns:
        Both relations, and the names and types of the columns.
    """
    bindings = [f"c{position}" for position in range(len(described))]
    relation = render("renamed", source=forms[0], names=bindings, where=None)
    kinds = [kind for _, kind in described]
    opened.text_readings = find_readings(
        session,
        relation,
        list(zip(bindings, kinds, strict=True)),
        true_names,
        requested=session.resources.readings,
        known=workspace.known_readings,
        skipped=opened.text_positions,
        keep_texts=workspace.keep_texts,
    )
    readings = opened.text_readings.readings
    if not readings:
        return *forms, described
    for reading in readings:
        workspace.known_readings.setdefault(reading.name.casefold(), reading)
        kinds[reading.position] = reading.kind
    opened.is_copied = True  # reading texts takes longer than copying the records
    printed_names[:] = make_unique(true_names)  # statements can name these columns
    printed = render("renamed", source=forms[1], names=printed_names, where=None)
    return (
        apply_readings(relation, bindings, readings),
        apply_readings(printed, printed_names, readings),
        list(zip(bindings, kinds, strict=True)),
    )


def add_readings(source: Source, session: Session, request: Request, opened: OpenedInput) -> Source:
    """Return a source with the readings of its columns of texts, and notes on them."""
    result = opened.text_readings or TextReadings()
    notes = tuple(describe_readings(result))
    formats = {reading.position: reading.render_released("value") for reading in result.readings}
    return replace(
        source,
        notes=[*source.notes, *notes],
        formats=formats if request.query is None else {},
        is_query=request.query is not None,
        requested_forms=session.resources.read,
        readings=tuple(result.readings),
        undated=tuple(result.undated),
        reading_notes=notes,
    )


def check_names(session: Session, sources: Sequence[Source]) -> None:
    """Refuse ``--read`` for a column that no source has.

    Queries, which name their columns, and releases, which can lack some, are not checked.

    Raises:
        UsageError: No source has the column.
    """
    if any(source.recipe is not None or source.is_query for source in sources):
        return
    columns = [column.name for source in sources for column in source.columns]
    folded = {name.casefold() for name in columns}
    for name in sorted(session.resources.readings.names - folded):
        hint = suggest_names(name, columns)
        raise UsageError(
            "options.reading_of_unknown_column", name=name, source=sources[0].name, suggestion=hint
        )
