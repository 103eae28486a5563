"""Opens tables in Python: frames and Arrow tables directly; relations of DuckDB and streams as a copy."""

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
from duckrisk.source.files import escape_glob
from duckrisk.source.model import OpenedInput, Request, Workspace

_ACCEPTED = "a path, a DataFrame, an Arrow table, a DuckDB relation or a DuckDB connection"
_INSTEAD = {
    "LazyFrame": "collect() it first",
    "RecordBatchReader": "it can be read only once, so give its read_all()",
    "Scanner": "it can be read only once, so give its to_table()",
}
#: Types that Parquet does not hold, anywhere in the name of a type.
NOT_IN_PARQUET = re.compile(
    r"U?HUGEINT|BIGNUM|VARINT|INTERVAL|BIT\b|UNION|VARIANT|GEOMETRY|NULL|\bTIME WITH|TIME_NS|STRUCT\(\)"
)
#: Those of them that are written as texts and restored when they are read.
RESTORED_TYPES = re.compile(r"U?HUGEINT|BIGNUM|VARINT|INTERVAL|BIT|TIME WITH TIME ZONE|TIME_NS")


def render_parquet_columns(
    types: Sequence[str], *, wholes: Collection[int] = (), released: bool = False
) -> Sql:
    """Return the select list that writes columns to Parquet as c0, c1, ...

    Args:
        types: Types of the columns.
        wholes: Positions of columns to write as decimals of 38 digits without fraction.
        released: Whether to write types that Parquet lacks as texts, never as JSON. A release is compared
            with a table that has these texts.
    """
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


def render_parquet_relation(path: Path, types: Sequence[str]) -> Sql:
    """Return the records that :func:`render_parquet_columns` wrote, with their types."""
    read = render("read_parquet", paths=[escape_glob(path)], hive=False)
    restored = {f"c{position}": Sql(t) for position, t in enumerate(types) if RESTORED_TYPES.fullmatch(t)}
    if not restored:
        return read
    return render("restored", source=read, columns=list(restored), kinds=list(restored.values()))


def render_compared_as_text(
    relation: Sql,
    names: Sequence[str],
    types: Sequence[str],
    copied: bool = False,
    positions: Collection[int] = (),
) -> Sql:
    """Return records with texts for columns whose values are compared by their text.

    Args:
        relation: The records.
        names: Names that their columns get.
        types: Types of the columns.
        copied: Whether Parquet holds nested values of some types as JSON.
        positions: Positions of further columns: texts are compared by their characters instead of a
            collation, floating-point numbers of 32 and of 64 bits by their digits.
    """
    written = [
        Attribute(name, (_as_text_part(name, kind),))
        for position, (name, kind) in enumerate(zip(names, types, strict=True))
        if is_compared_as_text(kind) or (copied and _is_document(kind)) or position in positions
    ]
    if not written:
        return relation
    return render("replaced", source=render("renamed", source=relation, names=names), attributes=written)


def _as_text_part(name: str, kind: str) -> Part:
    """Return a column as the text by which its values are compared."""
    if kind == "VARCHAR":
        return Part(render("by_characters", column=name))
    if kind == "VARIANT":
        return Part(render("variant_as_json", column=name), "as_text")
    if is_float(kind):
        return Part(identifier(name), "as_double" if is_float32(kind) else "as_narrow")
    return Part(identifier(name), "as_text" if kind == "INTERVAL" else "as_json")


def _is_document(kind: str) -> bool:
    """Return whether values of a type are written to Parquet as JSON."""
    return NOT_IN_PARQUET.search(kind) is not None and (is_nested(kind) or kind == "VARIANT")


def open_object(session: Session, workspace: Workspace, request: Request) -> OpenedInput:
    """Open a table in Python.

    Args:
        session: The session that reads the table.
        workspace: Folder and names of the source.
        request: A DataFrame, an Arrow table, or a relation or connection of DuckDB.

    Raises:
        UsageError: The object is no table, or has columns of unsupported types.
        SourceError: The data of a relation cannot be read.
    """
    import duckdb

    table = request.source
    if isinstance(table, duckdb.DuckDBPyConnection):
        opened = _copy_relation(
            session, workspace, _query_connection(session, table, request), "DuckDB connection"
        )
        opened.includes_query = True
        return opened
    if request.table is not None:
        raise UsageError("source.table_without_connection")
    if isinstance(table, duckdb.DuckDBPyRelation):
        return _copy_relation(session, workspace, table, "DuckDB relation")
    class_name = type(table).__name__
    if type(table).__module__.startswith("pyspark.sql"):
        raise UsageError("engines.command_without_frames")
    if class_name in _INSTEAD:
        raise UsageError("source.not_assessable", kind=class_name, otherwise=_INSTEAD[class_name])
    table = frames.convert_unread_types(append_index(table))
    mixed = (
        class_name == "DataFrame"
        and hasattr(table, "dtypes")
        and any(str(dtype) == "object" for dtype in getattr(table.dtypes, "values", ()))
    )
    if mixed:
        # By default the type of a column of Python objects depends on the first 1,000 of them.
        session.run("set_option", option="pandas_analyze_sample", setting=2**31)
    try:
        names = _list_names(table)
        if names is not None and len(set(names)) < len(names) and hasattr(table, "rename_columns"):
            # DuckDB 1.5 reads the columns of an Arrow table by name.
            table = table.rename_columns([f"c{position}" for position in range(len(names))])
        session.register(workspace.table_name, table)
    except Exception:
        odd = frames.find_unread_column(table, lambda column: session.register(workspace.table_name, column))
        if odd is not None:
            raise UsageError("source.unsupported_column_type", column=odd[0], kind=odd[1]) from None
        raise UsageError("source.not_a_table", kind=class_name, taken=_ACCEPTED) from None
    relation = identifier(workspace.table_name)
    is_copied = mixed or _is_stream(table)
    return OpenedInput(class_name, "frame", relation, relation, true_names=names, is_copied=is_copied)


def _is_stream(table: Any) -> bool:
    """Return whether a table is computed anew each time it is read, as Ibis does."""
    package = type(table).__module__.partition(".")[0]
    return hasattr(table, "__arrow_c_stream__") and package not in ("pandas", "polars", "pyarrow")


def append_index(table: Any) -> Any:
    """Return a pandas frame with the levels of its index as its last columns.

    That is what pandas writes to Parquet. Other frames stay as they are, and so does one whose index is one
    level of whole numbers without a name: these number the rows.
    """
    index: Any = getattr(table, "index", None)
    names = list(getattr(index, "names", None) or ())
    if not type(table).__module__.startswith("pandas") or (names == [None] and index.dtype.kind in "iu"):
        return table
    import pandas

    levels = [pandas.Series(index.get_level_values(level)) for level in range(len(names))]
    whole = pandas.concat([table.reset_index(drop=True), *levels], axis=1)
    called = [f"__index_level_{level}__" if name is None else name for level, name in enumerate(names)]
    whole.columns = [*table.columns, *called]
    return whole


def _list_names(table: Any) -> list[str] | None:
    """Return the true names of the columns; the engine changes repeated ones."""
    names = getattr(getattr(table, "schema", None), "names", None)
    if not isinstance(names, list):
        names = getattr(table, "columns", None)
    return [str(name) for name in names] if names is not None else None


def _query_connection(session: Session, connection: Any, request: Request) -> Any:
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
        source = query.render_query(request.query, {})
        failure = format_message("source.invalid_query_on_connection")
    try:
        # A cursor does not see the temporary tables of the connection.
        return _call_on_connection(
            session, lambda: connection.query(render("select_all", source=source)), "query"
        )
    except (SourceError, UsageError):
        raise UsageError(failure) from None


def _call_on_connection(session: Session, function: Callable[[], Any], name: str = "relation") -> Any:
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


def _copy_relation(session: Session, workspace: Workspace, relation: Any, name: str) -> OpenedInput:
    path = workspace.folder / "relation.parquet"
    try:
        names, types = _call_on_connection(
            session, lambda: (list(relation.columns), [str(kind) for kind in relation.types])
        )
        selected = str(render_parquet_columns(types))  # DuckDB 2.0 wants a plain text
        _call_on_connection(session, lambda: relation.project(selected).write_parquet(str(path)))
    except (SourceError, UsageError) as error:
        if str(error) == format_message("session.value_does_not_fit"):
            raise
        raise SourceError("source.frame_unreadable", name=name) from None
    read = render_parquet_relation(path, types)
    return OpenedInput(name, "relation", read, read, true_names=names, paths=[str(path)])
