"""How a source that is opened gets columns of numbers and days out of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.source import written
from duckrisk.source.model import Opened, Place, Request, Source
from duckrisk.source.names import unique
from duckrisk.source.written_search import find


def read_texts(
    session: Session,
    place: Place,
    opened: Opened,
    forms: tuple[Sql, Sql],
    described: list[tuple[str, str]],
    called: list[str],
    true_names: list[str],
) -> tuple[Sql, Sql, list[tuple[str, str]]]:
    """Return the relation for the engine, that for people, and the columns of the first, with columns whose
    texts are numbers or days read as such; the columns are ``called`` by other names then."""
    bindings = [f"c{position}" for position in range(len(described))]
    relation = render("renamed", source=forms[0], names=bindings, where=None)
    kinds = [kind for _, kind in described]
    opened.found = find(
        session,
        relation,
        list(zip(bindings, kinds, strict=True)),
        true_names,
        asked=session.resources.readings,
        known=place.readings,
        as_written=place.as_written,
        skipped=opened.texts,
    )
    readings = opened.found.readings
    if not readings:
        return *forms, described
    for reading in readings:
        place.readings.setdefault(reading.name.casefold(), reading)
        kinds[reading.position] = reading.kind
    opened.copied = True  # to read texts takes longer than to copy the records
    # For people the columns have names that a statement can say.
    called[:] = unique(true_names)
    readable = render("renamed", source=forms[1], names=called, where=None)
    return (
        written.apply(relation, bindings, readings),
        written.apply(readable, called, readings),
        list(zip(bindings, kinds, strict=True)),
    )


def tell(source: Source, session: Session, request: Request, opened: Opened) -> Source:
    """Return a source that tells how the texts of its columns are read, in its notes too."""
    found = opened.found or written.Found()
    said = tuple(written.notes(found))
    cells = {reading.position: reading.released_cell("value") for reading in found.readings}
    return replace(
        source,
        notes=[*source.notes, *said],
        formats=cells if request.query is None else {},
        queried=request.query is not None,
        read=session.resources.read,
        readings=tuple(found.readings),
        undated=tuple(found.undated),
        said=said,
    )


def check_names(session: Session, sources: Sequence[Source]) -> None:
    """Raise UsageError for what is said of the writing of a column that no source has.

    A query names its columns anew, and a release can lack some.
    """
    if any(source.recipe is not None or source.queried for source in sources):
        return
    columns = [column.name for source in sources for column in source.columns]
    there = {name.casefold() for name in columns}
    for name in sorted(session.resources.readings.names - there):
        hint = suggest_names(name, columns)
        raise UsageError(
            "options.reading_of_unknown_column", name=name, source=sources[0].name, suggestion=hint
        )
