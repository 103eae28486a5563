"""Opens tables that live in Python: frames and Arrow tables as they are, DuckDB's own written once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from duckrisk.base.errors import EngineError, SourceError, UsageError, format_message
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from duckrisk.engine.types import is_compared_as_text, is_float, is_float32, is_nested
from duckrisk.source import frames, query
from duckrisk.source.files import engine_path
from duckrisk.source.model import Opened, Place, Request

_TAKEN = "a path, a DataFrame, an Arrow table, a DuckDB relation or a DuckDB connection"
_OTHERWISE = {
    "LazyFrame": "collect() it first",
    "RecordBatchReader": "it can be read only once, so give its read_all()",
    "Scanner": "it can be read only once, so give its to_table()",
}
#: Types that Parquet does not hold, anywhere in the name of a type.
NOT_IN_PARQUET = re.compile(
    r"U?HUGEINT|BIGNUM|VARINT|INTERVAL|BIT\b|UNION|VARIANT|GEOMETRY|NULL|\bTIME WITH|TIME_NS|STRUCT\(\)"
)
#: Those of them whose values are written as texts and read as what they were.
RESTORED = re.compile(r"U?HUGEINT|BIGNUM|VARINT|INTERVAL|BIT|TIME WITH TIME ZONE|TIME_NS")


def as_parquet(types: Sequence[str], *, wholes: Collection[int] = (), released: bool = False) -> Sql:
    """What to select to write columns of these types to Parquet, as c0, c1, ... by position; those at
    ``wholes`` as decimals without places, which hold 38 digits. What is ``released`` is written as text where
    Parquet has no type, as in the table that it is compared with."""
    bindings = [f"c{position}" for position in range(len(types))]
    changed = [position for position, t in enumerate(types) if NOT_IN_PARQUET.search(t)]
    documents = [p for p in changed if _is_document(types[p]) and not released]
    return render(
        "as_parquet",
        names=bindings,
        texts=[bindings[p] for p in changed if p not in wholes and p not in documents],
        wholes=[bindings[p] for p in wholes],
        documents=[bindings[p] for p in documents],
        variants=[bindings[p] for p in documents if types[p] == "VARIANT"],
    )


def from_parquet(path: Path, types: Sequence[str]) -> Sql:
    """The records of a file that :func:`as_parquet` selected what to write of, with their types."""
    read = render("read_parquet", paths=[engine_path(path)], hive=False)
    restored = {f"c{position}": Sql(t) for position, t in enumerate(types) if RESTORED.fullmatch(t)}
    if not restored:
        return read
    return render("restored", source=read, columns=list(restored), kinds=list(restored.values()))


def as_written(
    relation: Sql,
    names: Sequence[str],
    types: Sequence[str],
    copied: bool = False,
    otherwise: Collection[int] = (),
) -> Sql:
    """Records with columns of these names and types: those that are told apart as they are written are text,
    and so are those that became documents where they were ``copied``. At ``otherwise`` positions texts are
    told apart by their characters, not by the rule of their column, and floating-point numbers of 32 bits and
    of 64 are equal where they are written alike."""
    written = [
        Attribute(name, (_written_as(name, kind),))
        for place, (name, kind) in enumerate(zip(names, types, strict=True))
        if is_compared_as_text(kind) or (copied and _is_document(kind)) or place in otherwise
    ]
    if not written:
        return relation
    return render("replaced", source=render("renamed", source=relation, names=names), attributes=written)


def _written_as(name: str, kind: str) -> Part:
    """A column of this name and type, whose values are told apart as they are written."""
    if kind == "VARCHAR":
        return Part(render("by_characters", column=name))
    if kind == "VARIANT":
        return Part(render("variant_as_json", column=name), "as_text")
    if is_float(kind):
        return Part(identifier(name), "as_double" if is_float32(kind) else "as_narrow")
    return Part(identifier(name), "as_text" if kind == "INTERVAL" else "as_json")


def _is_document(kind: str) -> bool:
    """Whether values of a type are written to Parquet as JSON."""
    return NOT_IN_PARQUET.search(kind) is not None and (is_nested(kind) or kind == "VARIANT")


def open_object(session: Session, place: Place, request: Request) -> Opened:
    """A table in Python. Raises UsageError for what is none."""
    import duckdb

    thing = request.source
    if isinstance(thing, duckdb.DuckDBPyConnection):
        opened = _written(session, place, _from_connection(session, thing, request), "DuckDB connection")
        opened.queried = True
        return opened
    if request.table is not None:
        raise UsageError("source.table_without_connection")
    if isinstance(thing, duckdb.DuckDBPyRelation):
        return _written(session, place, thing, "DuckDB relation")
    class_name = type(thing).__name__
    if type(thing).__module__.startswith("pyspark.sql"):
        raise UsageError("engines.command_without_frames")
    if class_name in _OTHERWISE:
        raise UsageError("source.not_assessable", kind=class_name, otherwise=_OTHERWISE[class_name])
    thing = frames.as_readable(with_index(thing))
    mixed = (
        class_name == "DataFrame"
        and hasattr(thing, "dtypes")
        and any(str(dtype) == "object" for dtype in getattr(thing.dtypes, "values", ()))
    )
    if mixed:
        # A column of Python objects has the type of all of them, not of the first thousand.
        session.run("set_option", option="pandas_analyze_sample", setting=2**31)
    try:
        names = _names(thing)
        if names is not None and len(set(names)) < len(names) and hasattr(thing, "rename_columns"):
            # DuckDB 1.5 asks an Arrow table for its columns by name.
            thing = thing.rename_columns([f"c{position}" for position in range(len(names))])
        session.register(place.registered, thing)
    except Exception:
        odd = frames.unread_column(thing, lambda column: session.register(place.registered, column))
        if odd is not None:
            raise UsageError("source.unsupported_column_type", column=odd[0], kind=odd[1]) from None
        raise UsageError("source.not_a_table", kind=class_name, taken=_TAKEN) from None
    relation = identifier(place.registered)
    return Opened(class_name, "frame", relation, relation, names=names, copied=mixed)


def with_index(thing: Any) -> Any:
    """Return a pandas frame with the levels of its index as its last columns.

    That is what pandas writes to Parquet. Other frames stay as they are, and so does one whose index is one
    level of whole numbers without a name: these number the rows.
    """
    index: Any = getattr(thing, "index", None)
    names = list(getattr(index, "names", None) or ())
    if not type(thing).__module__.startswith("pandas") or (names == [None] and index.dtype.kind in "iu"):
        return thing
    import pandas

    levels = [pandas.Series(index.get_level_values(level)) for level in range(len(names))]
    whole = pandas.concat([thing.reset_index(drop=True), *levels], axis=1)
    called = [f"__index_level_{level}__" if name is None else name for level, name in enumerate(names)]
    whole.columns = [*thing.columns, *called]
    return whole


def _names(thing: Any) -> list[str] | None:
    """The true names of the columns, which the engine changes where they repeat."""
    names = getattr(getattr(thing, "schema", None), "names", None)
    if not isinstance(names, list):
        names = getattr(thing, "columns", None)
    return [str(name) for name in names] if names is not None else None


def _from_connection(session: Session, connection: Any, request: Request) -> Any:
    if (request.table is None) == (request.query is None):
        raise UsageError("source.connection_without_table")
    if request.table is not None:
        parts = re.findall(r'"((?:[^"]|"")+)"|([^."]+)', request.table)
        names = [quoted.replace('""', '"') or plain for quoted, plain in parts]
        source = render("qualified", names=names or [request.table])
        failure = format_message("source.table_not_in_connection", table=request.table)
    else:
        assert request.query is not None
        query.check_query(session, request.query)
        source = query.over(request.query, {})
        failure = format_message("source.invalid_query_on_connection")
    try:
        # On the connection itself: a cursor does not see its temporary tables.
        return _call(session, lambda: connection.query(render("select_all", source=source)), "query")
    except (SourceError, UsageError):
        raise UsageError(failure) from None


def _call(session: Session, function: Callable[[], Any], name: str = "relation") -> Any:
    """Run a function on the user's own connection."""
    import duckdb

    def tried() -> Any:
        try:
            return function()
        except duckdb.ConnectionException:
            raise EngineError("source.connection_closed") from None
        except duckdb.Error as error:
            if type(error).__name__ == "ResourceInUseException":  # since DuckDB 2.0
                raise EngineError("source.unfinished_result") from None
            raise

    return session.run_in_worker(tried, name)


def _written(session: Session, place: Place, relation: Any, name: str) -> Opened:
    path = place.folder / "relation.parquet"
    try:
        names, types = _call(
            session, lambda: (list(relation.columns), [str(kind) for kind in relation.types])
        )
        selected = str(as_parquet(types))  # DuckDB 2.0 wants a plain text
        _call(session, lambda: relation.project(selected).write_parquet(str(path)))
    except (SourceError, UsageError) as error:
        if str(error) == format_message("session.value_does_not_fit"):
            raise
        raise SourceError("source.frame_unreadable", name=name) from None
    read = from_parquet(path, types)
    return Opened(name, "relation", read, read, names=names, paths=[str(path)])
