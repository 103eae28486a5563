"""Runs statements on Spark: over Spark Connect, in the session of a DataFrame, or on this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import uuid
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from duckrisk.base.errors import DuckriskError, EngineError, GoneError, SourceError, UsageError
from duckrisk.base.folders import create_private_folder, remove_folder
from duckrisk.engine.spark.connecting import open_session, show_address
from duckrisk.engine.spark.dialects import SPARK, Spark, duckdb_type, qualify_tables
from duckrisk.engine.spark.protocol import StatementStoppedError
from duckrisk.engine.templates import Dialect

#: Schemes of addresses: Spark Connect; a cluster's master or this machine.
SCHEMES = ("sc", "spark")
#: Settings of the session during the run. The first three decide figures. A table is broadcast below the
#: size of the last, compressed: the usual 10 MB of well-packed counts can be too much for a worker with 1 GB.
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "1MB",
}
#: Lets Spark 4.1 read times of day. Not every server allows it; there columns of them are refused.
_TIME_SETTING = {"spark.sql.timeType.enabled": "true"}
#: Settings of a Spark that the run starts on this machine.
_LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
}
#: Settings that write timestamps into a release unchanged, those before 1900 too.
_WRITE_SETTINGS = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
#: Loggers that write the engine's errors, with statements and values, to standard error.
_ERROR_LOGGERS = (
    "SQLQueryContextLogger",
    "DataFrameQueryContextLogger",
    "pyspark.sql.connect.client.logging",
)


def connect(scheme: str, rest: str, scratch: str | None, folder: str) -> SparkEngine:
    """Connect to Spark.

    Args:
        scheme: "sc" for a Spark Connect server, "spark" for a master.
        rest: The address after the scheme: HOST:PORT, or a master such as ``local[2]``.
        scratch: A folder that Spark and this machine see; None for Spark's cache.
        folder: The private folder of the run.

    Returns:
        The engine; its session ends with the run.

    Raises:
        UsageError: The client is not installed, the address is malformed, or this process runs a Spark
            session already.
        EngineError: No Spark answers at the address.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    warnings.filterwarnings("ignore", module=r"pyspark\.sql\.connect")  # its warnings on retries
    try:
        from pyspark.sql import SparkSession  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise UsageError("engines.spark_not_installed") from None
    with _translate_errors():
        if scheme == "sc":
            session = open_session(rest)
            return SparkEngine(session, scratch, owns_session=True, address=show_address(rest))
        if SparkSession.getActiveSession() is not None:
            raise UsageError("engines.spark_already_running")
        master = rest if rest.startswith("local") else f"spark://{rest}"
        builder = SparkSession.builder.master(master).appName("duckrisk")
        settings = _LOCAL_SETTINGS | {
            "spark.local.dir": f"{folder}/spark",
            "spark.sql.warehouse.dir": f"{folder}/tables",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        with _silence_stderr():
            session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    return SparkEngine(session, scratch or folder, owns_session=True)


class SparkEngine:
    """Runs the statements of one run in a session of Spark.

    Tables of the run are Parquet files in a new folder in ``scratch``, or without one in Spark's cache. Each
    has a temporary view with a name that no other run uses.

    Args:
        session: The session.
        scratch: A folder that Spark and this machine see; None for Spark's cache.
        owns_session: Whether the session ends with the run.
        address: The address of its server, for errors; None if it is not known.
    """

    dialect: Dialect = SPARK
    name = "Spark"

    def __init__(
        self, session: Any, scratch: str | None, *, owns_session: bool, address: str | None = None
    ) -> None:
        self.session, self._owns_session, self._address = session, owns_session, address
        self.tables: set[str] = set()
        self.records: set[str] = set()
        self._prefix = f"duckrisk_{uuid.uuid4().hex[:12]}_"
        self._frames: dict[str, Any] = {}
        self._file_count = 0
        self._is_stopping = self._is_gone = False
        for logger in _ERROR_LOGGERS:
            logging.getLogger(logger).disabled = True
        self.folder: Path | None = None
        if scratch is not None:
            self.folder = _create_scratch_folder(scratch)
        self._before: dict[str, str | None] = {}
        try:
            with _translate_errors():
                self.version: str = str(session.version)
                for name, value in _SETTINGS.items():
                    self._before[name] = session.conf.get(name, None)
                    session.conf.set(name, value)
                self._set_if_allowed(_TIME_SETTING)
        except BaseException:
            self.close()
            raise

    def _set_if_allowed(self, settings: Mapping[str, str]) -> None:
        """Change settings of the session for the run, where it allows that."""
        for name, value in settings.items():
            with contextlib.suppress(Exception):
                before = self.session.conf.get(name, None)
                self.session.conf.set(name, value)
                self._before.setdefault(name, before)

    # --- the source ------------------------------------------------------------------------------

    def read_table(self, name: str) -> Any:
        """Return a table or view of the catalog as a DataFrame."""
        with self._interruptible():
            return self.session.table(name)

    def read_files(self, paths: list[str]) -> Any:
        """Return Parquet files as a DataFrame."""
        with self._interruptible():
            return self.session.read.parquet(*paths)

    def describe_frame(self, frame: Any) -> list[tuple[str, str]]:
        """Return the names and Spark types of a DataFrame's columns.

        A client looks for the table or files of a DataFrame only now, so an error for them arises here.
        """
        with self._interruptible():
            return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]

    def register_frame(self, table: str, frame: Any, times: Collection[str] = ()) -> None:
        """Make a DataFrame of the records readable under a plain name.

        Args:
            table: The name.
            frame: The DataFrame.
            times: Its columns that hold times of day, as text.
        """
        if times:
            self.dialect = Spark(times)
        with self._interruptible():
            frame.createOrReplaceTempView(self._prefix + table)
            self.tables.add(table)
            self.records.add(table)

    # --- statements --------------------------------------------------------------------------------

    def _frame(self, sql: str) -> Any:
        return self.session.sql(qualify_tables(sql, self.tables, self._prefix))

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a query and fetch its rows; meant for small results."""
        with self._interruptible():
            frame = self._frame(sql)
            names = frame.columns
            return [dict(zip(names, row, strict=True)) for row in frame.collect()]

    def fetch_rows(self, sql: str) -> Any:
        """Run a query and fetch its rows as an Arrow table."""
        with self._interruptible():
            return _fetch_arrow(self._frame(sql))

    def materialize(self, table: str, sql: str) -> None:
        """Create or replace a table of the run from a query."""
        with self._interruptible(None if self.folder is None else "scratch"):
            frame = self._frame(sql)
            if self.folder is not None:
                self._file_count += 1
                path = f"{self.folder}/{table}-{self._file_count}"
                frame.write.parquet(path)
                frame = self.session.read.parquet(path)
            else:
                frame = frame.persist()
            self._drop_view(table)
            self._frames[table] = frame
            frame.createOrReplaceTempView(self._prefix + table)
            self.tables.add(table)

    def create_view(self, name: str, sql: str) -> None:
        """Create or replace a view of the run from a query of its records."""
        with self._interruptible():
            self._frame(sql).createOrReplaceTempView(self._prefix + name)
            self.tables.add(name)
            self.records.add(name)

    def describe(self, name: str) -> list[tuple[str, str]]:
        """Return the columns of a table or view of the run: names and DuckDB types."""
        with self._interruptible():
            fields = self.session.table(self._prefix + name).schema.fields
        kinds = [duckdb_type(field.name, field.dataType.simpleString()) for field in fields]
        return [(field.name, kind or "VARCHAR") for field, kind in zip(fields, kinds, strict=True)]

    def write_parquet(self, sql: str, folder: str) -> int:
        """Write a query's rows as Parquet files into a new folder; return their number."""
        with self._interruptible(writing="output"):
            self._set_if_allowed(_WRITE_SETTINGS)  # where it is not, dates before 1900 fail
            frame = self._frame(sql)
            frame.write.parquet(folder)
            if not os.path.isdir(folder) and (empty := _fetch_arrow(frame.limit(1))).num_rows == 0:
                _write_empty_table(empty, folder)  # Sail writes no file if there are no rows
            return int(self.session.read.parquet(folder).count())

    def fetch_table(self, table: str) -> Any:
        """Fetch a table of the run as an Arrow table."""
        with self._interruptible():
            return _fetch_arrow(self.session.table(self._prefix + table))

    def drop_table(self, table: str) -> None:
        """Drop a table of the run, if it exists."""
        with self._interruptible():
            self._drop_view(table)

    def _drop_view(self, table: str) -> None:
        """Drop the view of a table and free its cache; its files stay until close()."""
        if table in self.tables:
            self.tables.discard(table)
            self.records.discard(table)
            self.session.catalog.dropTempView(self._prefix + table)
        frame = self._frames.pop(table, None)
        if frame is not None and self.folder is None:
            frame.unpersist()

    @contextlib.contextmanager
    def _interruptible(self, writing: str | None = None) -> Iterator[None]:
        """Let an interrupt stop the statements of the block, and translate their errors.

        Args:
            writing: Where they write files: "scratch", "output" or None.
        """
        if self._is_stopping:
            raise StatementStoppedError
        try:
            with _translate_errors(writing, lambda: self._is_stopping):
                with contextlib.suppress(AttributeError):
                    self.session.addTag(self._prefix)
                yield
        except GoneError:
            self._is_gone = True
            if self._address is None:
                raise
            raise GoneError("engines.server_gone", address=self._address) from None

    def interrupt(self) -> None:
        """Stop the running statement, from another thread, and let no other start."""
        self._is_stopping = True
        with contextlib.suppress(Exception):
            self.session.interruptTag(self._prefix)

    def resume(self) -> None:
        """Let statements start again."""
        self._is_stopping = False

    def close(self) -> None:
        """Remove everything the run created; end the session if the run owns it."""
        if not self._is_gone:  # otherwise the client would retry for seconds
            self._restore_session()
        if self.folder is not None:
            remove_folder(self.folder)
            self.folder = None

    def _restore_session(self) -> None:
        """Drop the views of the run and restore the settings, or end the session."""
        with contextlib.suppress(Exception):
            for table in list(self.tables):
                self._drop_view(table)
            for name, value in self._before.items():
                if value is None:
                    self.session.conf.unset(name)
                else:
                    self.session.conf.set(name, value)
        if self._owns_session:
            with contextlib.suppress(Exception):
                self.session.stop()


def _create_scratch_folder(scratch: str) -> Path:
    """Create the folder of the run in one that the engine and this machine see."""
    path = Path(scratch.removeprefix("file://"))
    if "://" in str(scratch).removeprefix("file://") or not path.is_dir():
        raise UsageError("engines.scratch_not_a_folder", scratch=scratch)
    return create_private_folder(str(path))


def _fetch_arrow(frame: Any) -> Any:
    """Fetch a DataFrame as an Arrow table."""
    import pyarrow  # type: ignore[import-untyped]

    if hasattr(frame, "toArrow"):  # from Spark 4.0
        return frame.toArrow()
    return pyarrow.Table.from_pandas(frame.toPandas(), preserve_index=False)


def _write_empty_table(table: Any, folder: str) -> None:
    """Write a folder with one file of no rows, as Spark does."""
    import pyarrow.parquet  # type: ignore[import-untyped]

    os.mkdir(folder)
    pyarrow.parquet.write_table(table, f"{folder}/part-00000.parquet")


@contextlib.contextmanager
def _silence_stderr() -> Iterator[None]:
    """Discard standard error, where the Java process can quote statements and values."""
    stderr, devnull = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(devnull)


# --- errors --------------------------------------------------------------------------------------

_GONE = re.compile(
    r"UNAVAILABLE|Connection refused|ConnectionRefused|ConnectionReset|Socket closed|has been shut ?down"
    r"|SESSION_CLOSED|SparkContext was shut down|Answer from Java side is empty|INVALID_HANDLE"
    r"|NO_ACTIVE_SESSION|stopped SparkContext"
)
_REFUSED = re.compile(
    r"INSUFFICIENT_PERMISSION|PERMISSION_DENIED|AccessControlException|not authorized", re.IGNORECASE
)
_MISSING = re.compile(
    r"TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|PATH_NOT_FOUND|table .{0,200}not found", re.IGNORECASE
)
_LOST = re.compile(
    r"ExecutorLostFailure|Lost executor|Job aborted due to stage failure: .{0,80}failed \d+ times"
)
_STOPPED = re.compile(r"OPERATION_CANCELED|cancelled part of cancelled job|Job \d+ cancelled")


@contextlib.contextmanager
def _translate_errors(writing: str | None = None, stopping: Any = None) -> Iterator[None]:
    """Translate what the engine's client raises in the block."""
    try:
        yield
    except (DuckriskError, StatementStoppedError, KeyboardInterrupt):
        raise
    except Exception as error:
        if stopping is not None and stopping():
            raise StatementStoppedError from None
        raise translate_client_error(error, writing) from None


def translate_client_error(
    error: BaseException, writing: str | None = None
) -> DuckriskError | StatementStoppedError:
    """Translate an error of the engine's client. Its text is searched and never shown.

    Args:
        error: What the client raised.
        writing: Where the statement wrote files: "scratch", "output" or None.

    Returns:
        The error to raise.
    """
    kind, text = type(error).__name__, f"{type(error).__name__} {error}"
    if _STOPPED.search(text):
        return StatementStoppedError()
    if re.search("No space left on device|Disk quota exceeded", text):
        return EngineError("engines.scratch_full")
    if (
        _GONE.search(text)
        or kind == "Py4JNetworkError"
        or isinstance(error, (ConnectionError, TimeoutError, socket.gaierror))
    ):
        return GoneError("engines.engine_gone")
    if writing and re.search(r"Permission denied|Mkdirs failed|Read-only file system|mkdir of", text):
        if writing == "output":
            return EngineError("engines.output_not_writable")
        return EngineError("engines.scratch_not_writable")
    if _REFUSED.search(text):
        return EngineError("engines.permission_missing")
    if _MISSING.search(text):
        return SourceError("engines.table_not_found")
    if re.search(r"OutOfMemory|Not enough memory|exceeds maxResultSize|spark\.driver\.maxResultSize", text):
        return EngineError("engines.out_of_memory")
    if _LOST.search(text):
        return EngineError("engines.worker_lost")
    condition = re.match(r"\[([A-Z_]+(?:\.[A-Z_]+)*)\]", str(error))
    return EngineError("engines.statement_failed", kind=condition[1] if condition else kind)
