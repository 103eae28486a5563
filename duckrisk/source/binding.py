"""Binds the columns of a source by position, as the view that templates read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from duckrisk.base.errors import SourceError, UsageError, quote_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.types import is_float32, is_timestamp_with_zone
from duckrisk.source import long_values, names, objects, query, text_columns, text_files
from duckrisk.source.model import Column, OpenedInput, Request, Source, Workspace

#: Name of the private copy of the records in the folder of a source.
COPY_NAME = "records.parquet"
#: Name of the main source in a query.
QUERY_SOURCE = "source"
#: Name of an empty table with the columns of a source, and a column with a collation in its statement.
_EMPTY_TABLE, _COLLATED = "empty_copy", re.compile(r"\bc(\d+)\"? VARCHAR COLLATE\b", re.IGNORECASE)


@dataclass
class Opening:
    """A source that is being opened: what was requested, and what its reader found.

    Attributes:
        view: Name of the view that the source becomes.
        request: The source as it was requested.
        workspace: Folder and names of the source.
        opened: What the reader found.
        where: Checked condition on the records; None for all of them.
    """

    view: str
    request: Request
    workspace: Workspace
    opened: OpenedInput
    where: Sql | None = None


class _Described(NamedTuple):
    """The relation of a source, for the engine and for people, with its columns.

    Attributes:
        relation: The records for the engine.
        printed: The same for SQL that is printed for people.
        printed_names: Column names of ``printed``.
        true_names: Names of the columns in the source; they can repeat.
        types: Types of the columns.
    """

    relation: Sql
    printed: Sql
    printed_names: list[str]
    true_names: list[str]
    types: list[str]


def bind_columns(session: Session, opening: Opening) -> Source:
    """Define the view of a source, with its columns bound by position.

    Text, queries and attached databases are copied into a private file first.

    Args:
        session: The session that reads the source.
        opening: The source; ``where`` and ``query`` apply to its records.

    Returns:
        The source with view, columns and notes.

    Raises:
        SourceError: The records cannot be read, or have no columns.
        UsageError: The query or the condition cannot be used.
    """
    opened, request, where = opening.opened, opening.request, opening.where
    relation, printed, printed_names, true_names, types = _describe(session, opening)
    notes = list(opened.notes)
    labels = names.label_columns(true_names, notes)
    if not labels:
        raise SourceError("source.no_columns", opened=opened.name)
    unique = names.make_unique(true_names)
    if where is not None:
        opened.unfiltered_relation = opened.unfiltered_relation or relation
        condition = render("renamed", source="records", names=None, where=where)
        query.refuse_ambiguous_names(session, condition, true_names, unique)
        _try_condition(session, relation, unique, where, labels)
        relation = render("renamed", source=relation, names=unique, where=where)
    if where is not None or unique != printed_names:
        printed = render("renamed", source=printed, names=unique, where=where)
    bindings = [f"c{position}" for position in range(len(labels))]
    is_copied = opened.is_copied or (request.query is not None and not opened.includes_query)
    widened = [position for position, label in enumerate(labels) if label in opened.widened_columns]
    compared = [*_find_collated(session, opened, relation, bindings, types), *widened]
    printed = objects.render_compared_as_text(printed, unique, types, is_copied, compared)
    if is_copied:
        relation, types = _copy_records(session, opening, relation, types)
        if request.query is None and where is None:
            columns_read = list(zip(labels, types, strict=True))
            text_files.refuse_infinite_days(session, opened, relation, bindings, columns_read)
        compared = widened
    relation = objects.render_compared_as_text(relation, bindings, types, positions=compared)
    session.views.define(opening.view, relation, bindings)
    float32 = [position for position in widened if is_float32(types[position])]
    types = ["DOUBLE" if position in float32 else kind for position, kind in enumerate(types)]
    columns = [Column(position, label, types[position]) for position, label in enumerate(labels)]
    folder = opening.workspace.folder
    source = Source(
        name=opened.name,
        kind=opened.kind,
        columns=columns,
        printed_relation=printed,
        printed_names=unique,
        setup=(*opened.setup, *_render_timezone(session, types)),
        encoding=opened.encoding,
        notes=notes,
        is_filtered=request.where is not None,
        define_view=partial(long_values.define_view, session, folder, relation, columns),
        view=opening.view,
        float32_bindings=frozenset(bindings[position] for position in float32),
        unfiltered_records=_count_unfiltered(session, opened),
        timezone=session.timezone,
        header_lines=opened.header_lines if where is None and request.query is None else 0,
        apply_key=partial(_apply_key, session, opening.workspace, relation, printed),
    )
    return text_columns.add_readings(source, session, request, opened)


def bind_for_query(session: Session, opening: Opening) -> tuple[Sql, Sql]:
    """Return a source as a query sees it, for the engine and for people.

    Its column names are unique by the rules of SQL.
    """
    described = _describe(session, opening)
    return _rename_uniquely(described, names.make_unique(described.true_names))


def _copy_records(
    session: Session, opening: Opening, relation: Sql, types: list[str]
) -> tuple[Sql, list[str]]:
    """Copy the records into a private file; return it as a relation, with its types."""
    path = opening.workspace.folder / COPY_NAME
    session.run(
        "copy_records",
        source=relation,
        selected=objects.render_parquet_columns(types),
        path=str(path),
        many_files=opening.opened.has_small_parts,
        group_bytes=session.group_bytes,
    )
    relation = objects.render_parquet_relation(path, types)
    return relation, [type_name for _, type_name in session.describe(relation)]


def _apply_key(session: Session, workspace: Workspace, relation: Sql, printed: Sql, source: Source) -> None:
    """Replace the first column of the key of the person by that key."""
    bindings = [column.binding for column in source.columns]
    relation = render("renamed", source=relation, names=bindings)
    relation = render("replaced", source=relation, attributes=[_make_key(source, bindings)])
    printed_key = _make_key(source, source.printed_names)
    source.printed_relation = render("replaced", source=printed, attributes=[printed_key])
    source.define_view = partial(long_values.define_view, session, workspace.folder, relation, source.columns)
    source.define_view(source.view, source.digest_positions)


def _make_key(source: Source, columns: Sequence[str]) -> Attribute:
    """Return the key of the person, under the name of its first column."""
    parts = [columns[position] for position in source.key_positions]
    key = render("paired_key", columns=parts) if len(parts) > 1 else identifier(parts[0])
    key = render("folded_key", written=key) if source.has_folded_key else key
    return Attribute(parts[0], (Part(key),))


def _render_timezone(session: Session, types: Sequence[str]) -> list[Sql]:
    """Return the statement that sets the time zone, if a column depends on it."""
    if not any(map(is_timestamp_with_zone, types)):
        return []
    return [render("set_option", option="TimeZone", setting=session.timezone)]


def _count_unfiltered(session: Session, opened: OpenedInput) -> int | None:
    """Count the records before a condition or a query, once; None without either."""
    if opened.unfiltered_relation is not None and opened.unfiltered_records is None:
        row = session.fetch_row("count_unrestricted", source=opened.unfiltered_relation)
        opened.unfiltered_records = row["records"]
    return opened.unfiltered_records


def _find_collated(
    session: Session, opened: OpenedInput, relation: Sql, bindings: list[str], types: list[str]
) -> list[int]:
    """Return the positions of columns with a collation, such as NOCASE.

    A release shows the characters of their texts, so texts must be distinguished by these.
    """
    if opened.kind != "database" or opened.extension is not None or "VARCHAR" not in types:
        return []
    session.run("make_empty_copy", name=_EMPTY_TABLE, source=relation, names=bindings)
    statement = session.fetch_row("table_statement", table=_EMPTY_TABLE)["sql"]
    collated = {int(position) for position in _COLLATED.findall(statement)}
    return [position for position, kind in enumerate(types) if kind == "VARCHAR" and position in collated]


def _describe(session: Session, opening: Opening) -> _Described:
    """Describe the records of a source, with those of its query if it has one."""
    request, opened = opening.request, opening.opened
    opened.unfiltered_relation = None
    described = None if opened.relation is None else _describe_relation(session, opening, opened.relation)
    if request.query is None or opened.includes_query:
        assert described is not None
        return described
    sources = opened.query_sources
    if described is not None:
        true_names = described.true_names
        unique = names.make_unique(true_names)
        query.refuse_ambiguous_names(session, query.strip_semicolon(request.query), true_names, unique)
        note = names.describe_renamed(true_names, unique)
        opened.notes += [note] if note and note not in opened.notes else []
        sources = {QUERY_SOURCE: _rename_uniquely(described, unique)} | sources
        opened.unfiltered_relation = described.relation
    relation = query.render_query(request.query, {name: forms[0] for name, forms in sources.items()})
    printed = query.render_query(request.query, {name: forms[1] for name, forms in sources.items()})
    try:
        columns = session.describe(relation)
    except SourceError:
        raise UsageError("source.invalid_query") from None
    column_names = [name for name, _ in columns]
    return _Described(relation, printed, column_names, column_names, [kind for _, kind in columns])


def _describe_relation(session: Session, opening: Opening, relation: Sql) -> _Described:
    """Describe the relation of a reader, with texts read as numbers or days."""
    request, opened = opening.request, opening.opened
    try:
        described = session.describe(relation)
    except UsageError:
        raise SourceError("source.view_of_other_files", opened=opened.name) from None
    engine_names = [name for name, _ in described]
    if request.query is not None or request.where is not None:
        text_files.refuse_infinite_days(session, opened, relation, engine_names, described)
    printed_names, true_names = [*engine_names], [*engine_names]
    if opened.printed_names is not None:
        printed_names[: len(opened.printed_names)] = opened.printed_names
    if opened.true_names is not None and len(opened.true_names) <= len(described):
        true_names[: len(opened.true_names)] = opened.true_names
    if opened.restore_names is not None:
        true_names = opened.restore_names(true_names)
    printed = opened.printed_relation or relation
    relation, printed, described = text_columns.read_texts(
        session, opening.workspace, opened, (relation, printed), described, printed_names, true_names
    )
    return _Described(relation, printed, printed_names, true_names, [kind for _, kind in described])


def _rename_uniquely(described: _Described, unique: list[str]) -> tuple[Sql, Sql]:
    """Return both forms of a relation with unique column names."""
    printed = described.printed
    if unique != described.printed_names:
        printed = render("renamed", source=printed, names=unique)
    return render("renamed", source=described.relation, names=unique), printed


def _try_condition(session: Session, relation: Sql, unique: list[str], where: Sql, labels: list[str]) -> None:
    """Evaluate a condition on a record of missing values.

    Raises:
        UsageError: The condition names a column that does not exist, or compares different types.
    """
    try:
        session.run("try_condition", source=relation, names=unique, where=where)
    except SourceError:
        raise UsageError("source.invalid_condition", some=quote_names(labels)) from None
