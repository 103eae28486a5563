"""Opens what is assessed: one relation of records, read-only, its columns bound by position.

Whatever the source is (files, a database, a query, a table in Python), it ends as the view
:data:`duckrisk.engine.session.ASSESSED` with columns ``c0, c1, ...``. The names a person knows are data for
display only, so names that differ in case alone, or not at all, stay different columns.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from duckrisk.base.errors import SourceError, UsageError, quote_names
from duckrisk.base.folders import sweep_staging_folders
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.types import is_float, is_float32, is_number, is_timestamp_with_zone
from duckrisk.source import (
    databases,
    digest,
    encoding,
    files,
    long_values,
    names,
    objects,
    query,
    reading,
    text_files,
    written,
)
from duckrisk.source.formats import File, Inputs, common_format
from duckrisk.source.model import Column, Opened, Place, Request, Source
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


def refuse_overwriting_source(target: Path, request: Request) -> None:
    """Raise UsageError where a file would be written over the source."""
    if not target.exists():
        return
    read = databases.local_files(request.attach) if request.attach else []
    if isinstance(request.source, (str, os.PathLike)) and str(request.source) != "-":
        read += [file.path for file in files.find(os.fspath(request.source))[0]]
    for text in request.beside:
        read += [file.path for file in files.find(parse_request(text.partition("=")[2]).source)[0]]
    same = any(file.is_file() and file.samefile(target) for file in read)
    if same or target.name in (request.query or ""):
        raise UsageError("source.output_is_source", target=target)


def open_source(
    session: Session, request: Request, outputs: Sequence[str | Path] = (), *, as_written: bool = False
) -> Source:
    """Open the source, lock the session to it, and name its columns; ``outputs`` are files that may be
    written, and ``as_written`` is that of :func:`open_sources`.

    Raises UsageError for what was asked wrongly and SourceError for what cannot be read.
    """
    (source,) = open_sources(session, [(VIEW, request)], outputs, as_written=as_written)
    return source


def open_sources(
    session: Session,
    requests: Sequence[tuple[str, Request]],
    outputs: Sequence[str | Path] = (),
    *,
    with_digest: bool = True,
    as_written: bool = False,
) -> list[Source]:
    """Open several sources at once, each as the temporary view that is named before its request, and lock
    the session to all of them and to the files in ``outputs``. Who shows no digest of the files leaves it
    out: it reads them all. ``as_written`` reads no text as a number or day unless ``--read`` names its
    column: contests and papers have their own rules.

    Each has a folder for private copies and a name for its database of its own, so two of a kind are two.
    Raises UsageError for what was asked wrongly and SourceError for what cannot be read.
    """
    try:
        return _opened(session, requests, outputs, with_digest, as_written)
    except SourceError:
        session.check_files()  # what does not fit together may have changed in between
        raise


def unify_column_types(
    sources: Sequence[Source], columns: Sequence[Sequence[Column]], *, numbers: bool = True
) -> None:
    """Read columns that go together but have different types as they are written in the CSV files among the
    sources: what one file has of a column may look like truth values, dates or, unless ``numbers`` stay
    numbers, like these, what another has like text. ``columns`` are those of each source, in one order."""
    kinds = [[column.type for column in together] for together in zip(*columns, strict=True)]
    for source, own in zip(sources, columns, strict=True):
        odd = [
            column.position
            for column, types in zip(own, kinds, strict=True)
            if _unlike(column.type, types) and (numbers or not is_number(column.type))
        ]
        if odd and source.reread_as_text is not None:
            source.reread_as_text(odd)


def _unlike(type_name: str, types: Sequence[str]) -> bool:
    """Whether a column of this type goes with others that are not read alike; numbers of all types are."""
    return type_name != "VARCHAR" and any(
        type_name != other and not (is_number(type_name) and is_number(other)) for other in types
    )


def _opened(
    session: Session,
    requests: Sequence[tuple[str, Request]],
    outputs: Sequence[str | Path],
    with_digest: bool,
    as_written: bool,
) -> list[Source]:
    shared: dict[str, written.Reading] = {}
    places = [
        replace(_place(session, number, len(requests) > 1), readings=shared, as_written=as_written)
        for number in range(len(requests))
    ]
    asked = [request for _, request in requests]
    functions = databases.functions(session, asked, places) if _may_attach(asked) else {}
    trees = [query.check_query(session, r.query) if r.query is not None else None for r in asked]
    conditions = [query.check_condition(session, r.where) if r.where is not None else None for r in asked]
    asked = [
        replace(r, query=query.as_printed(session, query.text_of(r.query))) if r.query is not None else r
        for r in asked
    ]
    requests = [(view, request) for (view, _), request in zip(requests, asked, strict=True)]
    openings: list[Opened] = []
    for place, request, tree in zip(places, asked, trees, strict=True):
        openings.append(opened := _open(session, place, request))
        if request.beside:
            _open_beside(session, place, request, opened)
        if tree is not None and request.source is None and request.attach is None:
            query.named_files(tree, opened)
    if any(opened.extension is not None for opened in openings):
        now = databases.functions(session, asked, places)
        for request in asked:
            databases.refuse_functions(session, request, functions, now)
    paths = [path for opened in openings for path in opened.paths]
    copies = [str(place.folder / name) for place in places for name in (_COPY, long_values.COPY)]
    paths += [*copies, str(session.table), *map(str, outputs)]
    session.lock(sorted({allowed for path in paths for allowed in (path, files.engine_path(path))}))
    sources = []
    each = list(zip(requests, places, openings, conditions, strict=True))
    several = len(openings) > 1 and any(opened.default is not None for opened in openings)
    for (view, request), place, opened, where in each:
        if several:
            session.run("use_database", name=opened.default or _OWN_DATABASE)
        sources.append(_read(session, place, view, request, opened, where, with_digest))
    reading.check_names(session, sources)
    types: dict[str, set[str]] = {}
    for column in (column for source in sources for column in source.columns):
        types.setdefault(column.name.casefold(), set()).add(column.type)
    for source, ((view, request), place, opened, where) in zip(sources, each, strict=True):
        real = [column.name for column in source.columns if is_float(column.type)]
        opened.widened = frozenset(name for name in real if {"FLOAT"} < types[name.casefold()])
        if opened.widened:
            if several:
                session.run("use_database", name=opened.default or _OWN_DATABASE)
            again = _bound(session, place, view, request, opened, where)
            source.printed_relation, source.define_view = again.printed_relation, again.define_view
            source.columns, source.float32_bindings = again.columns, again.float32_bindings
    return sources


#: The view of a source that is opened alone.
VIEW = ASSESSED.rpartition(".")[2]
_COPY = "records.parquet"
#: What a query calls the source, and what it may call others.
_SOURCE, _NAME = "source", re.compile(r"[^\W\d]\w*")
#: A table with the columns of a source, and how its statement names one with a rule for texts.
_LIKE, _COLLATED = "like_source", re.compile(r"\bc(\d+)\"? VARCHAR COLLATE\b", re.IGNORECASE)
#: What the engine calls its database in memory.
_OWN_DATABASE = "memory"


def _place(session: Session, number: int, several: bool) -> Place:
    """The place of the first source is the session's own folder; the others get one inside."""
    if number == 0:
        return Place(session.folder, several=several)
    folder = session.folder / f"source-{number + 1}"
    folder.mkdir(mode=0o700)
    return Place(folder, f"attached_{number + 1}", f"registered_{number + 1}", several)


def _may_attach(requests: Sequence[Request]) -> bool:
    """Return whether a request may be about a database; a file shows it when opened."""
    return any(r.attach is not None or isinstance(r.source, (str, os.PathLike)) for r in requests)


def _read(
    session: Session,
    place: Place,
    view: str,
    request: Request,
    opened: Opened,
    where: Sql | None,
    with_digest: bool,
) -> Source:
    """Open a source again if its first lines did not say what it is."""
    try:
        source = _bound(session, place, view, request, opened, where)
    except (SourceError, UsageError) as error:
        # A text file tells only at its end whether the types hold that its first lines suggest; until then
        # a condition that compares a number with a text may still be right.
        if opened.again is None or (isinstance(error, UsageError) and where is None):
            raise
        opened.again(opened)
        try:
            source = _bound(session, place, view, request, opened, where)
        except SourceError:
            if opened.unreadable is None:
                raise
            raise SourceError(opened.unreadable) from None
    _refuse_keyed_object(session, view, source)
    source.digest, source.recipe = _identified(session, opened, with_digest), find_recipe(request)
    recorded = read_recipe_columns(source.recipe)
    source.pseudonymized_columns, source.dropped_columns, source.user_columns = (
        recorded.pseudonymized,
        recorded.dropped,
        recorded.users,
    )
    spells = opened.describe_as_text is not None or bool(source.readings)
    if spells and request.query is None and where is None:
        describe, texts = opened.describe_as_text, set[int]()

        def reread_as_text(positions: Sequence[int]) -> None:
            texts.update(positions)
            opened.texts = set(texts)
            if describe is not None:
                describe(opened, sorted(texts))
            read = _bound(session, place, view, request, opened, None)
            session.check_files()
            source.columns, source.printed_relation = read.columns, read.printed_relation
            source.define_view, source.digest_positions = read.define_view, ()
            source.readings, source.undated = read.readings, read.undated

        source.reread_as_text = reread_as_text
    return source


def _identified(session: Session, opened: Opened, with_digest: bool) -> digest.Digest | None:
    """What the report says of the files, of which it is certain that they were read as they are."""
    try:
        identity = digest.of_files(opened.files) if opened.files and with_digest else None
    except OSError:
        identity = None  # a file has gone
    session.check_files()
    if opened.copied:
        session.mark_copied(opened.files)
    return identity


def _refuse_keyed_object(session: Session, view: str, source: Source) -> None:
    """One JSON object with an entry a person would make column names of the persons' keys."""
    nested = all(column.type.startswith("STRUCT") for column in source.columns)
    if source.kind != "json" or len(source.columns) < 2 or not nested:
        return
    if session.fetch_row("count_records", source=view)["records"] == 1:
        raise SourceError("source.object_of_objects", source=source.name)


def _bound(
    session: Session, place: Place, view: str, request: Request, opened: Opened, where: Sql | None
) -> Source:
    """Describe the relation, read it once where it is to be copied, and bind its columns."""
    relation, printed, called, true_names, types = _described(session, place, request, opened)
    notes = list(opened.notes)
    displayed = names.displayed(true_names, notes)
    if not displayed:
        raise SourceError("source.no_columns", opened=opened.name)
    unique = names.unique(true_names)
    if where is not None:
        opened.unfiltered_relation = opened.unfiltered_relation or relation
        condition = render("renamed", source="records", names=None, where=where)
        query.refuse_mistaken(session, condition, true_names, unique)
        _check_where(session, relation, unique, where, displayed)
        relation = render("renamed", source=relation, names=unique, where=where)
    if where is not None or unique != called:
        printed = render("renamed", source=printed, names=unique, where=where)
    bindings = [f"c{position}" for position in range(len(displayed))]
    copied = opened.copied or (request.query is not None and not opened.queried)
    widened = [place for place, name in enumerate(displayed) if name in opened.widened]
    otherwise = [*_collated(session, opened, relation, bindings, types), *widened]
    printed = objects.as_written(printed, unique, types, copied, otherwise)
    if copied:
        path = place.folder / _COPY
        session.run(
            "copy_records",
            source=relation,
            selected=objects.as_parquet(types),
            path=str(path),
            parts=int(opened.parts),
            group_bytes=session.group_bytes,
        )
        relation = objects.from_parquet(path, types)
        types = [type_name for _, type_name in session.describe(relation)]
        if request.query is None and where is None:
            read = list(zip(displayed, types, strict=True))
            text_files.refuse_endless(session, opened, relation, bindings, read)
    relation = objects.as_written(relation, bindings, types, otherwise=widened if copied else otherwise)
    session.views.define(view, relation, bindings)
    narrow = [place for place in widened if is_float32(types[place])]
    types = ["DOUBLE" if place in narrow else kind for place, kind in enumerate(types)]
    columns = [Column(i, name, types[i]) for i, name in enumerate(displayed)]
    source = Source(
        name=opened.name,
        kind=opened.kind,
        columns=columns,
        printed_relation=printed,
        printed_names=unique,
        setup=(*opened.setup, *_zone_set(session, types)),
        encoding=opened.encoding,
        notes=notes,
        is_filtered=request.where is not None,
        define_view=partial(long_values.define_view, session, place.folder, relation, columns),
        view=view,
        float32_bindings=frozenset(bindings[place] for place in narrow),
        unfiltered_records=_count_unfiltered(session, opened),
        timezone=session.timezone,
        header_lines=opened.header_lines if where is None and request.query is None else 0,
        apply_key=partial(_apply_key, session, place, relation, printed),
    )
    return reading.tell(source, session, request, opened)


def _apply_key(session: Session, place: Place, relation: Sql, printed: Sql, source: Source) -> None:
    """Let the column of the person hold their key, in the assessed view and in what a person can type."""
    bindings = [column.binding for column in source.columns]
    relation = render("renamed", source=relation, names=bindings)
    relation = render("replaced", source=relation, attributes=[_key(source, bindings)])
    source.printed_relation = render(
        "replaced", source=printed, attributes=[_key(source, source.printed_names)]
    )
    source.define_view = partial(long_values.define_view, session, place.folder, relation, source.columns)
    source.define_view(source.view, source.digest_positions)


def _key(source: Source, names: Sequence[str]) -> Attribute:
    """Return the key of the person in place of its first column."""
    columns = [names[position] for position in source.key_positions]
    written = render("paired_key", columns=columns) if len(columns) > 1 else identifier(columns[0])
    return Attribute(
        columns[0], (Part(render("folded_key", written=written) if source.has_folded_key else written),)
    )


def _zone_set(session: Session, types: Sequence[str]) -> list[Sql]:
    """Return what sets the time zone of a plain DuckDB, where days depend on it."""
    zoned = any(map(is_timestamp_with_zone, types))
    return [render("set_option", option="TimeZone", setting=session.timezone)] if zoned else []


def _count_unfiltered(session: Session, opened: Opened) -> int | None:
    """Count the records that a condition or a query chose from, once; None without either."""
    if opened.unfiltered_relation is not None and opened.unfiltered_records is None:
        opened.unfiltered_records = session.fetch_row(
            "count_unrestricted", source=opened.unfiltered_relation
        )["records"]
    return opened.unfiltered_records


def _collated(
    session: Session, opened: Opened, relation: Sql, bindings: list[str], types: list[str]
) -> list[int]:
    """The positions of columns of a DuckDB database with a rule of their own by which texts are equal, such
    as NOCASE: the cells are told apart in a release, and by whoever reads it."""
    if opened.kind != "database" or opened.extension is not None or "VARCHAR" not in types:
        return []
    session.run("like_source", name=_LIKE, source=relation, names=bindings)
    statement = session.fetch_row("made_again", table=_LIKE)["sql"]
    found = {int(position) for position in _COLLATED.findall(statement)}
    return [position for position, kind in enumerate(types) if kind == "VARCHAR" and position in found]


def _described(
    session: Session, place: Place, request: Request, opened: Opened
) -> tuple[Sql, Sql, list[str], list[str], list[str]]:
    """The relation for the engine, the one for people with what its columns are called there, and the true
    names and the types of the columns."""
    relation, printed = opened.relation, opened.printed_relation or opened.relation
    opened.unfiltered_relation = None
    described: list[tuple[str, str]] = []
    called: list[str] = []
    true_names: list[str] = []
    if relation is not None:
        try:
            described = session.describe(relation)
        except UsageError:
            raise SourceError("source.view_of_other_files", opened=opened.name) from None
        called, true_names = [name for name, _ in described], [name for name, _ in described]
        if request.query is not None or request.where is not None:
            text_files.refuse_endless(session, opened, relation, called, described)
        if opened.printed_names is not None:
            called[: len(opened.printed_names)] = opened.printed_names
        if opened.names is not None and len(opened.names) <= len(described):
            true_names[: len(opened.names)] = opened.names
        if opened.true_names is not None:
            true_names = opened.true_names(true_names)
        assert printed is not None
        relation, printed, described = reading.read_texts(
            session, place, opened, (relation, printed), described, called, true_names
        )
    if request.query is not None and not opened.queried:
        sources = opened.beside
        if relation is not None:
            assert printed is not None
            unique = names.unique(true_names)
            query.refuse_mistaken(session, query.text_of(request.query), true_names, unique)
            note = names.numbered(true_names, unique)
            opened.notes += [note] if note and note not in opened.notes else []
            sources = {_SOURCE: _by_names(relation, printed, called, unique)} | sources
            opened.unfiltered_relation = relation
        relation, printed = (
            query.over(request.query, {name: forms[form] for name, forms in sources.items()})
            for form in (0, 1)
        )
        try:
            described = session.describe(relation)
        except SourceError:
            raise UsageError("source.invalid_query") from None
        called = true_names = [name for name, _ in described]
    assert relation is not None
    assert printed is not None
    return relation, printed, called, true_names, [type_name for _, type_name in described]


def _by_names(relation: Sql, printed: Sql, called: list[str], unique: list[str]) -> tuple[Sql, Sql]:
    """Both forms of a source for a query, which knows its columns by names that are unique."""
    renamed = printed if unique == called else render("renamed", source=printed, names=unique)
    return render("renamed", source=relation, names=unique), renamed


def _open_beside(session: Session, place: Place, request: Request, opened: Opened) -> None:
    """Open the other sources of a query. Raises UsageError for a name that cannot be used."""
    if request.query is None:
        raise UsageError("source.with_without_query")
    for number, text in enumerate(request.beside, 1):
        name, equals, path = text.partition("=")
        taken = {used.casefold() for used in (_SOURCE, *opened.beside)}
        if not equals or not path or not _NAME.fullmatch(name) or name.casefold() in taken:
            raise UsageError("source.invalid_with", text=text)
        folder = place.folder / f"beside-{number}"
        folder.mkdir(mode=0o700)
        own = Place(
            folder,
            f"{place.database}_{number}",
            f"{place.registered}_{number}",
            True,
            place.readings,
        )
        asked = parse_request(path)
        other = _open(session, own, asked)
        relation, printed, called, true_names, _ = _described(session, own, asked, other)
        unique = names.unique(true_names)
        opened.beside[name] = _by_names(relation, printed, called, unique)
        opened.paths += other.paths
        opened.files += other.files
        opened.notes += other.notes
        opened.setup += other.setup


def _check_where(session: Session, relation: Sql, unique: list[str], where: Sql, labels: list[str]) -> None:
    """Try a condition on a record of missing values; raises UsageError where it cannot be used."""
    try:
        session.run("try_condition", source=relation, names=unique, where=where)
    except SourceError:
        raise UsageError("source.invalid_condition", some=quote_names(labels)) from None


def _open(session: Session, place: Place, request: Request) -> Opened:
    """Find the reader for what was asked, and let it look."""
    if request.attach is not None:
        if request.source is not None:
            raise UsageError("source.source_and_attach")
        return databases.open_address(session, place, request.attach, request)
    if request.source is None:
        if request.query is None:
            raise UsageError("source.source_missing")
        if request.table is not None:
            raise UsageError("source.table_without_database")
        return Opened("query", "query", None)
    if not isinstance(request.source, (str, os.PathLike)):
        return objects.open_object(session, place, request)
    name = os.fspath(request.source)
    if name == "-":
        name, path = "standard input", place.folder / "standard-input"
        encoding.spool(sys.stdin.buffer, path)
        found, notes = [File("/dev/stdin", path)], list[Sentence]()
    else:
        found, notes = files.find(name)
        sweep_staging_folders(found[0].path.parent)
        files.hide_paths(session, name, found)
    session.watch_files([file.path for file in found])
    file_format = common_format(name, found)
    if request.table is not None and not file_format.is_database:
        raise UsageError("source.table_of_file", name=name, kind=file_format.name)
    return file_format.open_files(session, place, Inputs(name, found, file_format, notes), request)
