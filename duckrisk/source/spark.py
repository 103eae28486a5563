"""Opens a table, Parquet files or a frame on a distributed engine, which then holds the assessed view."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duckrisk.base.errors import EngineError, SourceError, UsageError, quote_names
from duckrisk.base.options.source import UTC, Distributed
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.spark import open_engine
from duckrisk.engine.spark.dialects import ASSESSED, duckdb_type
from duckrisk.engine.spark.spark import SparkEngine
from duckrisk.engine.templates import identifier
from duckrisk.source import names
from duckrisk.source.model import Column, Request, Source


def is_frame(source: Any) -> bool:
    """Return whether an object is a DataFrame of Spark."""
    return type(source).__module__.startswith("pyspark.sql") and hasattr(source, "sparkSession")


def is_distributed(request: Request, engine: Distributed) -> bool:
    """Return whether a source is opened on a distributed engine."""
    return engine.is_given or is_frame(request.source)


def open_source(
    session: Session, request: Request, engine: Distributed, outputs: Sequence[Path] = ()
) -> Source:
    """Open a source on a distributed engine, which then runs wide statements.

    Args:
        session: A session that is not locked yet.
        request: A table, Parquet files or a DataFrame of Spark.
        engine: Address and scratch folder of the engine.
        outputs: Files that DuckDB may write.

    Returns:
        The source; its assessed view is on the engine.

    Raises:
        UsageError: The request or an option is not supported there.
        SourceError: The source has no columns.
    """
    unsupported = ("attach", "query", "where", "encoding", "header", "beside")
    if session.timezone != UTC:
        raise UsageError("engines.option_not_offered", option="timezone")
    if session.resources.read:
        raise UsageError("engines.option_not_offered", option="read")
    if given := [name for name in unsupported if getattr(request, name) not in (None, ())]:
        raise UsageError("engines.option_not_offered", option=given[0])
    given_source = request.source
    if is_frame(given_source):
        if engine.engine is not None:
            raise UsageError("engines.frame_with_engine")
        opened = SparkEngine(given_source.sparkSession, engine.scratch, owns_session=False)
    elif engine.engine is None:
        raise UsageError("engines.scratch_without_engine")
    elif given_source is not None and not isinstance(given_source, (str, os.PathLike)):
        raise UsageError("engines.source_not_a_table_or_file")
    else:
        if (given_source is None) == (request.table is None):
            raise UsageError("engines.table_and_files")
        opened = open_engine(engine.engine, engine.scratch, str(session.folder))  # type: ignore[assignment]
    session.use_engine(opened)
    session.lock([str(session.table), *map(str, outputs)])
    wrong = [
        name.replace("_", " ")
        for name, right in session.fetch_row("spark_probe").items()
        if right is not True
    ]
    if wrong:
        raise UsageError("engines.wrong_arithmetic", probes=", ".join(wrong))
    session.steps.begin("source")
    name, kind, frame = _load_frame(session, opened, request)
    try:
        fields = session.run_in_worker(lambda: opened.describe_frame(frame), "columns")
    except EngineError as error:
        if error.key == "engines.statement_failed" and kind == "parquet" and (times := _find_times(request)):
            raise SourceError("engines.time_not_readable", columns=quote_names(times)) from None
        raise
    source, view = _bind_columns(name, kind, frame, fields)
    times = [column.binding for column in source.columns if column.type == "TIME"]
    session.run_in_worker(lambda: opened.register_frame(ASSESSED, view, times), "view")
    return source


def _load_frame(session: Session, engine: SparkEngine, request: Request) -> tuple[str, str, Any]:
    """Return the name, the kind and the frame of a source."""
    if is_frame(request.source):
        return "DataFrame", "frame", request.source
    if request.table is not None:
        return (
            request.table,
            "table",
            session.run_in_worker(lambda: engine.read_table(str(request.table)), "table"),
        )
    path = os.fspath(request.source)
    if not path.rstrip("/").endswith(("parquet", "*", "pq")) and not os.path.isdir(path):
        raise UsageError("engines.source_not_parquet", name=os.path.basename(path))
    return (
        os.path.basename(path.rstrip("/")),
        "parquet",
        session.run_in_worker(lambda: engine.read_files([path]), "files"),
    )


def _find_times(request: Request) -> list[str]:
    """Return the times of day of the first Parquet file, if it is seen here."""
    import pyarrow  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    path = Path(os.fspath(request.source))
    files = sorted(path.rglob("*.parquet"))[:1] if path.is_dir() else [path]
    with contextlib.suppress(OSError, pyarrow.ArrowException):
        fields = [field for file in files for field in pyarrow.parquet.read_schema(file)]
        return [field.name for field in fields if pyarrow.types.is_time(field.type)]
    return []


def _bind_columns(name: str, kind: str, frame: Any, fields: list[tuple[str, str]]) -> tuple[Source, Any]:
    """Return the source, and the frame of the assessed view with columns c0, c1, ...

    ``fields`` are the names and types of the columns.
    """
    notes: list[Sentence] = []
    labels = names.label_columns([field for field, _ in fields], notes)
    if not labels:
        raise SourceError("source.no_columns", opened=name)
    kinds = [duckdb_type(*field) for field in fields]
    columns = [
        Column(position, label, kind or "VARCHAR")
        for position, (label, kind) in enumerate(zip(labels, kinds, strict=True))
    ]
    # Not every engine hashes and ranks times of day; as texts they have the same order.
    as_text = [kind in (None, "TIME") for kind in kinds]
    selected = [
        f"CAST(`{column.binding}` AS STRING) AS `{column.binding}`" if is_text else f"`{column.binding}`"
        for column, is_text in zip(columns, as_text, strict=True)
    ]
    for column, (_, engine_type), is_text in zip(columns, fields, as_text, strict=True):
        if is_text:
            type_name = Data(engine_type.partition("<")[0])
            notes.append(Sentence("source.engine_as_text", name=Data(column.name), type=type_name))
    if "VARCHAR" in kinds:
        notes.append(Sentence("source.engine_reads_no_texts"))
    relation, unique = identifier(name), names.make_unique(labels)
    source = Source(name, kind, columns, relation, unique, notes=notes, view=ASSESSED, is_in_memory=True)
    return source, frame.toDF(*[column.binding for column in columns]).selectExpr(*selected)
