"""Opens what is assessed: one relation of records, read-only, its columns bound by position.

Every source (files, a database, a query, a table in Python) becomes a view such as
:data:`duckrisk.engine.session.ASSESSED`, with columns ``c0, c1, ...``. The names that a person knows are data
for display only, so names that are equal or differ only in case remain different columns.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.folders import sweep_staging_folders
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.types import is_float, is_number
from duckrisk.source import (
    databases,
    digest,
    encoding,
    files,
    long_values,
    objects,
    query,
    readings,
    text_columns,
)
from duckrisk.source.binding import COPY_NAME, QUERY_SOURCE, Opening, bind_columns, bind_for_query
from duckrisk.source.formats import File, Inputs, common_format
from duckrisk.source.model import Column, OpenedInput, Request, Source, Workspace
from duckrisk.source.recipes import find_recipe, read_recipe_columns
from duckrisk.source.requests import parse_request

__all__ = [
    "Column",
    "Request",
    "Source",
    "open_source",
    "open_sources",
    "refuse_overwriting_source",
    "unify_column_types",
]

#: The view of a source that is opened alone.
VIEW = ASSESSED.rpartition(".")[2]
#: A name that a query can call another source by.
_SOURCE_NAME = re.compile(r"[^\W\d]\w*")
#: Name of the engine's database in memory.
_MEMORY_DATABASE = "memory"


def refuse_overwriting_source(target: Path, request: Request) -> None:
    """Raise UsageError if an output file is part of the source."""
    if not target.exists():
        return
    paths = databases.list_local_files(request.attach) if request.attach else []
    if isinstance(request.source, (str, os.PathLike)) and str(request.source) != "-":
        paths += [file.path for file in files.find_files(os.fspath(request.source))[0]]
    for text in request.beside:
        paths += [file.path for file in files.find_files(parse_request(text.partition("=")[2]).source)[0]]
    is_same = any(path.is_file() and path.samefile(target) for path in paths)
    if is_same or target.name in (request.query or ""):
        raise UsageError("source.output_is_source", target=target)


def open_source(
    session: Session, request: Request, outputs: Sequence[str | Path] = (), *, keep_texts: bool = False
) -> Source:
    """Open a source as the assessed view, and lock the session to it.

    Args:
        session: A session that is not locked yet.
        request: The source.
        outputs: Files that later statements may write.
        keep_texts: As in :func:`open_sources`.

    Raises:
        UsageError: The request is wrong.
        SourceError: The source cannot be read.
    """
    (source,) = open_sources(session, [(VIEW, request)], outputs, keep_texts=keep_texts)
    return source


def open_sources(
    session: Session,
    requests: Sequence[tuple[str, Request]],
    outputs: Sequence[str | Path] = (),
    *,
    with_digest: bool = True,
    keep_texts: bool = False,
) -> list[Source]:
    """Open sources as temporary views, and lock the session to them.

    Args:
        session: A session that is not locked yet.
        requests: The name of the view and the request of each source.
        outputs: Files that later statements may write.
        with_digest: Whether to compute the digests of the files, which reads all of them.
        keep_texts: Whether texts stay texts unless ``--read`` names their column. Contests and papers have
            their own rules for numbers and days.

    Returns:
        The sources, in the order of the requests.

    Raises:
        UsageError: A request is wrong.
        SourceError: A source cannot be read.
    """
    try:
        return _open_all(session, requests, outputs, with_digest, keep_texts)
    except SourceError:
        session.check_files()  # a file that has changed meanwhile explains the error better
        raise


def unify_column_types(
    sources: Sequence[Source], columns: Sequence[Sequence[Column]], *, numbers: bool = True
) -> None:
    """Read columns that belong together as texts, if their types differ.

    Values of one column can look like truth values or dates in one CSV file and like texts in another.

    Args:
        sources: The sources; those that are no CSV files stay as they are.
        columns: The columns of each source, in one order.
        numbers: Whether columns of numbers are read as texts, too.
    """
    kinds = [[column.type for column in together] for together in zip(*columns, strict=True)]
    for source, own in zip(sources, columns, strict=True):
        odd = [
            column.position
            for column, types in zip(own, kinds, strict=True)
            if _differs(column.type, types) and (numbers or not is_number(column.type))
        ]
        if odd and source.reread_as_text is not None:
            source.reread_as_text(odd)


def _differs(type_name: str, types: Sequence[str]) -> bool:
    """Return whether a type is no text and differs from others; all numbers agree."""
    return type_name != "VARCHAR" and any(
        type_name != other and not (is_number(type_name) and is_number(other)) for other in types
    )


# --- several sources -----------------------------------------------------------------------------


def _open_all(
    session: Session,
    requests: Sequence[tuple[str, Request]],
    outputs: Sequence[str | Path],
    with_digest: bool,
    keep_texts: bool,
) -> list[Source]:
    openings = _find_all(session, requests, keep_texts)
    _lock_session(session, openings, outputs)
    has_databases = len(openings) > 1 and any(
        opening.opened.default_database is not None for opening in openings
    )
    sources = []
    for opening in openings:
        if has_databases:
            session.run("use_database", name=opening.opened.default_database or _MEMORY_DATABASE)
        sources.append(_read(session, opening, with_digest))
    text_columns.check_names(session, sources)
    types: dict[str, set[str]] = {}
    for column in (column for source in sources for column in source.columns):
        types.setdefault(column.name.casefold(), set()).add(column.type)
    for source, opening in zip(sources, openings, strict=True):
        floats = [column.name for column in source.columns if is_float(column.type)]
        opening.opened.widened_columns = frozenset(
            name for name in floats if {"FLOAT"} < types[name.casefold()]
        )
        if opening.opened.widened_columns:
            if has_databases:
                session.run("use_database", name=opening.opened.default_database or _MEMORY_DATABASE)
            bound = bind_columns(session, opening)
            source.printed_relation, source.define_view = bound.printed_relation, bound.define_view
            source.columns, source.float32_bindings = bound.columns, bound.float32_bindings
    return sources


def _find_all(session: Session, requests: Sequence[tuple[str, Request]], keep_texts: bool) -> list[Opening]:
    """Let the reader of each source look at it; check the SQL of each request."""
    known: dict[str, readings.Reading] = {}
    workspaces = [
        replace(
            _make_workspace(session, number, len(requests) > 1),
            known_readings=known,
            keep_texts=keep_texts,
        )
        for number in range(len(requests))
    ]
    requested = [request for _, request in requests]
    functions = databases.list_functions(session, requested, workspaces) if _may_attach(requested) else {}
    trees = [query.check_query(session, r.query) if r.query is not None else None for r in requested]
    conditions = [query.check_condition(session, r.where) if r.where is not None else None for r in requested]
    requested = [_print_query(session, request) for request in requested]
    openings: list[Opening] = []
    for (view, _), request, workspace, tree, where in zip(
        requests, requested, workspaces, trees, conditions, strict=True
    ):
        opened = _open(session, workspace, request)
        openings.append(Opening(view, request, workspace, opened, where))
        if request.beside:
            _open_query_sources(session, workspace, request, opened)
        if tree is not None and request.source is None and request.attach is None:
            query.allow_named_files(tree, opened)
    if any(opening.opened.extension is not None for opening in openings):
        now = databases.list_functions(session, requested, workspaces)
        for request in requested:
            databases.refuse_functions(session, request, functions, now)
    return openings


def _print_query(session: Session, request: Request) -> Request:
    """Return a request with its query as the engine prints it."""
    if request.query is None:
        return request
    return replace(request, query=query.print_query(session, query.strip_semicolon(request.query)))


def _lock_session(session: Session, openings: Sequence[Opening], outputs: Sequence[str | Path]) -> None:
    """Allow the session only its sources, their private copies, and its outputs."""
    paths = [path for opening in openings for path in opening.opened.paths]
    names = (COPY_NAME, long_values.COPY_NAME)
    paths += [str(opening.workspace.folder / name) for opening in openings for name in names]
    paths += [str(session.table), *map(str, outputs)]
    session.lock(sorted({allowed for path in paths for allowed in (path, files.escape_glob(path))}))


def _make_workspace(session: Session, number: int, several: bool) -> Workspace:
    """Return the session's folder for the first source, or a folder below it."""
    if number == 0:
        return Workspace(session.folder, is_one_of_several=several)
    folder = session.folder / f"source-{number + 1}"
    folder.mkdir(mode=0o700)
    return Workspace(folder, f"attached_{number + 1}", f"registered_{number + 1}", several)


def _may_attach(requests: Sequence[Request]) -> bool:
    """Return whether a request may be about a database; a file shows it when opened."""
    return any(r.attach is not None or isinstance(r.source, (str, os.PathLike)) for r in requests)


# --- one source ----------------------------------------------------------------------------------


def _read(session: Session, opening: Opening, with_digest: bool) -> Source:
    """Bind a source, from all of its records if the first ones give wrong types."""
    opened, request = opening.opened, opening.request
    try:
        source = bind_columns(session, opening)
    except (SourceError, UsageError) as error:
        # The types of a text file come from its first records. Until all records were read, a condition that
        # compares a number with a text may be right.
        if opened.describe_fully is None or (isinstance(error, UsageError) and opening.where is None):
            raise
        opened.describe_fully(opened)
        try:
            source = bind_columns(session, opening)
        except SourceError:
            if opened.reading_error is None:
                raise
            raise opened.reading_error from None
    _refuse_keyed_object(session, opening.view, source)
    source.digest, source.recipe = _identify_files(session, opened, with_digest), find_recipe(request)
    recorded = read_recipe_columns(source.recipe)
    source.pseudonymized_columns, source.dropped_columns = recorded.pseudonymized, recorded.dropped
    source.user_columns, source.exchanged_columns = recorded.users, recorded.exchanged
    can_reread = opened.describe_as_text is not None or bool(source.readings)
    if can_reread and request.query is None and opening.where is None:
        _allow_rereading(session, opening, source)
    return source


def _allow_rereading(session: Session, opening: Opening, source: Source) -> None:
    """Let a source read columns as texts later."""
    opened, texts = opening.opened, set[int]()

    def reread_as_text(positions: Sequence[int]) -> None:
        texts.update(positions)
        opened.text_positions = set(texts)
        if opened.describe_as_text is not None:
            opened.describe_as_text(opened, sorted(texts))
        bound = bind_columns(session, opening)
        session.check_files()
        source.columns, source.printed_relation = bound.columns, bound.printed_relation
        source.define_view, source.digest_positions = bound.define_view, ()
        source.readings, source.undated = bound.readings, bound.undated

    source.reread_as_text = reread_as_text


def _identify_files(session: Session, opened: OpenedInput, with_digest: bool) -> digest.Digest | None:
    """Compute the digest of the files, and check that they have not changed."""
    try:
        identity = digest.digest_files(opened.files) if opened.files and with_digest else None
    except OSError:
        identity = None  # check_files() says which file is gone
    session.check_files()
    if opened.is_copied:
        session.mark_copied(opened.files)
    return identity


def _refuse_keyed_object(session: Session, view: str, source: Source) -> None:
    """Raise SourceError for a JSON object with an entry for each person.

    Its keys would become column names, which reports show.
    """
    is_nested = all(column.type.startswith("STRUCT") for column in source.columns)
    if source.kind != "json" or len(source.columns) < 2 or not is_nested:
        return
    if session.fetch_row("count_records", source=view)["records"] == 1:
        raise SourceError("source.object_of_objects", source=source.name)


def _open_query_sources(
    session: Session, workspace: Workspace, request: Request, opened: OpenedInput
) -> None:
    """Open the sources that ``--with`` names for a query."""
    if request.query is None:
        raise UsageError("source.with_without_query")
    for number, text in enumerate(request.beside, 1):
        name, equals, path = text.partition("=")
        used = {other.casefold() for other in (QUERY_SOURCE, *opened.query_sources)}
        if not equals or not path or not _SOURCE_NAME.fullmatch(name) or name.casefold() in used:
            raise UsageError("source.invalid_with", text=text)
        folder = workspace.folder / f"query-{number}"
        folder.mkdir(mode=0o700)
        own = Workspace(
            folder,
            f"{workspace.database_name}_{number}",
            f"{workspace.table_name}_{number}",
            True,
            workspace.known_readings,
        )
        requested = parse_request(path)
        other = _open(session, own, requested)
        opened.query_sources[name] = bind_for_query(session, Opening(name, requested, own, other))
        opened.paths += other.paths
        opened.files += other.files
        opened.notes += other.notes
        opened.setup += other.setup


def _open(session: Session, workspace: Workspace, request: Request) -> OpenedInput:
    """Find the reader for a request, and let it look."""
    if request.attach is not None:
        if request.source is not None:
            raise UsageError("source.source_and_attach")
        return databases.open_address(session, workspace, request.attach, request)
    if request.source is None:
        if request.query is None:
            raise UsageError("source.source_missing")
        if request.table is not None:
            raise UsageError("source.table_without_database")
        return OpenedInput("query", "query", None)
    if not isinstance(request.source, (str, os.PathLike)):
        return objects.open_object(session, workspace, request)
    name = os.fspath(request.source)
    if name == "-":
        name, path = "standard input", workspace.folder / "standard-input"
        encoding.spool(sys.stdin.buffer, path)
        paths, notes = [File("/dev/stdin", path)], list[Sentence]()
    else:
        paths, notes = files.find_files(name)
        sweep_staging_folders(paths[0].path.parent)
        files.hide_paths(session, name, paths)
    session.watch_files([file.path for file in paths])
    file_format = common_format(name, paths)
    if request.table is not None and not file_format.is_database:
        raise UsageError("source.table_of_file", name=name, kind=file_format.name)
    return file_format.open_files(session, workspace, Inputs(name, paths, file_format, notes), request)
