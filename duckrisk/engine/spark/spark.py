"""Spark, through the session that its user has: Spark Connect, a DataFrame's session, or a local one."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duckrisk.base.errors import DuckriskError, EngineError, GoneError, SourceError, UsageError
from duckrisk.base.folders import create_private_folder, remove_folder
from duckrisk.engine.spark.dialects import SPARK, qualified, type_of
from duckrisk.engine.spark.protocol import Stopped
from duckrisk.engine.templates import Dialect

#: What the addresses of Spark begin with: Spark Connect, and a Spark of the user's own or of this machine.
SCHEMES = ("sc", "spark")
#: What decides figures, in the session for the time of the run; and how small a table has to be, packed, to
#: be sent to all workers: ten megabytes, as usual, are too much for a gigabyte where counts pack well.
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "1MB",
}
#: What a Spark of this machine is begun with, in the private folder of the run.
_OWN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
}
#: How moments are written into a release, before 1900 too.
_WRITING = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
#: So long an address may take to answer.
_PATIENCE_SECONDS = 10
#: Loggers that write the engine's errors to standard error, with statements and cells.
_LOUD = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "pyspark.sql.connect.client.logging")


def connect(scheme: str, rest: str, scratch: str | None, folder: str) -> SparkEngine:
    """The engine at ``sc://rest``, or a new one with the master ``rest``, such as ``local[2]``.

    Raises UsageError where the client is not installed, EngineError where nobody answers.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    warnings.filterwarnings("ignore", module=r"pyspark\.sql\.connect")  # what it says of its retries
    try:
        from pyspark.sql import SparkSession  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise UsageError("engines.spark_not_installed") from None
    with _translated():
        if scheme == "sc":
            _knock(rest)
            session = SparkSession.builder.remote(f"sc://{rest}").create()
            _retry_shortly(session)
            return SparkEngine(session, scratch, own=True)
        if SparkSession.getActiveSession() is not None:
            raise UsageError("engines.spark_runs_already")
        master = rest if rest.startswith("local") else f"spark://{rest}"
        builder = SparkSession.builder.master(master).appName("duckrisk")
        settings = _OWN | {
            "spark.local.dir": f"{folder}/spark",
            "spark.sql.warehouse.dir": f"{folder}/tables",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        with _silent(folder):
            session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    return SparkEngine(session, scratch or folder, own=True)


class SparkEngine:
    """The engine of one run on a session of Spark, which ends with it where it is the run's ``own``.

    Tables of the run are Parquet files in a folder of their own in ``scratch``, or without one in the cache
    of the cluster; each has a temporary view with a name that nobody else's has.
    """

    dialect: Dialect = SPARK
    name = "Spark"

    def __init__(self, session: Any, scratch: str | None, *, own: bool) -> None:
        self.session, self._own = session, own
        self.tables: set[str] = set()
        self.records: set[str] = set()
        self._prefix = f"duckrisk_{uuid.uuid4().hex[:12]}_"
        self._frames: dict[str, Any] = {}
        self._made = 0
        self._stopping = self._gone = False
        for logger in _LOUD:
            logging.getLogger(logger).disabled = True
        self.folder: Path | None = None
        if scratch is not None:
            self.folder = _scratch_folder(scratch)
        self._before: dict[str, str | None] = {}
        try:
            with _translated():
                self.version: str = str(session.version)
                for name, value in _SETTINGS.items():
                    self._before[name] = session.conf.get(name, None)
                    session.conf.set(name, value)
        except BaseException:
            self.close()
            raise

    # --- what is read ------------------------------------------------------------------------------

    def table(self, name: str) -> Any:
        """A table or view of the catalog as a frame."""
        with self._running():
            return self.session.table(name)

    def files(self, paths: list[str]) -> Any:
        """Parquet files as a frame."""
        with self._running():
            return self.session.read.parquet(*paths)

    def fields(self, frame: Any) -> list[tuple[str, str]]:
        """The names and types of a frame's columns; only now does a client look for what it is made of."""
        with self._running():
            return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]

    def register(self, table: str, frame: Any) -> None:
        """Let statements read a frame under a plain name."""
        with self._running():
            frame.createOrReplaceTempView(self._prefix + table)
            self.tables.add(table)
            self.records.add(table)

    # --- statements --------------------------------------------------------------------------------

    def _frame(self, sql: str) -> Any:
        return self.session.sql(qualified(sql, self.tables, self._prefix))

    def query(self, sql: str) -> list[dict[str, Any]]:
        with self._running():
            frame = self._frame(sql)
            names = frame.columns
            return [dict(zip(names, row, strict=True)) for row in frame.collect()]

    def rows(self, sql: str) -> Any:
        with self._running():
            return _arrow(self._frame(sql))

    def materialize(self, table: str, sql: str) -> None:
        with self._running(None if self.folder is None else "scratch"):
            frame = self._frame(sql)
            if self.folder is not None:
                self._made += 1
                path = f"{self.folder}/{table}-{self._made}"
                frame.write.parquet(path)
                frame = self.session.read.parquet(path)
            else:
                frame = frame.persist()
            self._forget(table)
            self._frames[table] = frame
            frame.createOrReplaceTempView(self._prefix + table)
            self.tables.add(table)

    def view(self, name: str, sql: str) -> None:
        with self._running():
            self._frame(sql).createOrReplaceTempView(self._prefix + name)
            self.tables.add(name)
            self.records.add(name)

    def columns(self, name: str) -> list[tuple[str, str]]:
        with self._running():
            fields = self.session.table(self._prefix + name).schema.fields
        return [(field.name, type_of(field.dataType.simpleString()) or "VARCHAR") for field in fields]

    def write(self, sql: str, folder: str) -> int:
        with self._running(writing="output"):
            for name, value in _WRITING.items():
                with contextlib.suppress(Exception):  # a session may not be allowed to: old days fail then
                    self._before.setdefault(name, self.session.conf.get(name, None))
                    self.session.conf.set(name, value)
            frame = self._frame(sql)
            frame.write.parquet(folder)
            if not os.path.isdir(folder) and (none := _arrow(frame.limit(1))).num_rows == 0:
                _write_none(none, folder)  # Sail writes nothing where there are no rows
            return int(self.session.read.parquet(folder).count())

    def fetch(self, table: str) -> Any:
        with self._running():
            return _arrow(self.session.table(self._prefix + table))

    def drop(self, table: str) -> None:
        with self._running():
            self._forget(table)

    def _forget(self, table: str) -> None:
        """Remove a table of the run; its files go with the run's folder."""
        if table in self.tables:
            self.tables.discard(table)
            self.records.discard(table)
            self.session.catalog.dropTempView(self._prefix + table)
        frame = self._frames.pop(table, None)
        if frame is not None and self.folder is None:
            frame.unpersist()

    @contextlib.contextmanager
    def _running(self, writing: str | None = None) -> Iterator[None]:
        """Statements of the run, which an interrupt stops by their tag; ``writing`` is where they
        write files: scratch or output."""
        if self._stopping:
            raise Stopped
        try:
            with _translated(writing, lambda: self._stopping):
                with contextlib.suppress(AttributeError):
                    self.session.addTag(self._prefix)
                yield
        except GoneError:
            self._gone = True
            raise

    def interrupt(self) -> None:
        self._stopping = True
        with contextlib.suppress(Exception):
            self.session.interruptTag(self._prefix)

    def resume(self) -> None:
        """After an interrupt that was meant for one statement."""
        self._stopping = False

    def close(self) -> None:
        if not self._gone:  # its client would try again for seconds
            self._leave()
        if self.folder is not None:
            remove_folder(self.folder)
            self.folder = None

    def _leave(self) -> None:
        """Remove the views of the run and set the session back, or end it."""
        with contextlib.suppress(Exception):
            for table in list(self.tables):
                self._forget(table)
            for name, value in self._before.items():
                if value is None:
                    self.session.conf.unset(name)
                else:
                    self.session.conf.set(name, value)
        if self._own:
            with contextlib.suppress(Exception):
                self.session.stop()


def _knock(rest: str) -> None:
    """Raise OSError at once where nobody listens: the client would try for minutes."""
    host, _, port = rest.partition("/")[0].partition(":")
    socket.create_connection((host, int(port or 15002)), _PATIENCE_SECONDS).close()


def _retry_shortly(session: Any) -> None:
    """Let the client try a lost connection for some seconds, not for minutes."""
    with contextlib.suppress(Exception):
        from pyspark.sql.connect.client.retries import DefaultPolicy  # type: ignore[import-not-found,unused-ignore]

        session.client.set_retry_policies([DefaultPolicy(max_retries=4)])


def _scratch_folder(scratch: str) -> Path:
    """A folder of the run in one that the engine and this machine see."""
    path = Path(scratch.removeprefix("file://"))
    if "://" in str(scratch).removeprefix("file://") or not path.is_dir():
        raise UsageError("engines.scratch_is_no_folder", scratch=scratch)
    return create_private_folder(str(path))


def _arrow(frame: Any) -> Any:
    """The rows of a frame; a client of Spark 3.5 gives them by way of pandas."""
    import pyarrow  # type: ignore[import-untyped]

    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    return pyarrow.Table.from_pandas(frame.toPandas(), preserve_index=False)


def _write_none(table: Any, folder: str) -> None:
    """A folder with one file of no rows, as Spark writes it."""
    import pyarrow.parquet  # type: ignore[import-untyped]

    os.mkdir(folder)
    pyarrow.parquet.write_table(table, f"{folder}/part-00000.parquet")


@contextlib.contextmanager
def _silent(folder: str) -> Iterator[None]:
    """Begin the Java process without its words on standard error, which can quote statements and cells."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


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
def _translated(writing: str | None = None, stopping: Any = None) -> Iterator[None]:
    """Turn what the engine's client raises into a sentence that holds nothing of it."""
    try:
        yield
    except (DuckriskError, Stopped, KeyboardInterrupt):
        raise
    except Exception as error:
        if stopping is not None and stopping():
            raise Stopped from None
        raise translate(error, writing) from None


def translate(error: BaseException, writing: str | None = None) -> DuckriskError | Stopped:
    """The sentence for an error of the engine's client. Its text is only looked through, never shown."""
    kind, text = type(error).__name__, f"{type(error).__name__} {error}"
    if _STOPPED.search(text):
        return Stopped()
    if re.search("No space left on device|Disk quota exceeded", text):
        return EngineError("engines.scratch_full")
    if (
        _GONE.search(text)
        or kind == "Py4JNetworkError"
        or isinstance(error, (ConnectionError, TimeoutError, socket.gaierror))
    ):
        return GoneError("engines.gone")
    if writing and re.search(r"Permission denied|Mkdirs failed|Read-only file system|mkdir of", text):
        if writing == "output":
            return EngineError("engines.output_not_writable")
        return EngineError("engines.scratch_not_writable")
    if _REFUSED.search(text):
        return EngineError("engines.not_allowed")
    if _MISSING.search(text):
        return SourceError("engines.no_table")
    if re.search(r"OutOfMemory|Not enough memory|exceeds maxResultSize|spark\.driver\.maxResultSize", text):
        return EngineError("engines.out_of_memory")
    if _LOST.search(text):
        return EngineError("engines.worker_lost")
    condition = re.match(r"\[([A-Z_]+(?:\.[A-Z_]+)*)\]", str(error))
    return EngineError("engines.failed", kind=condition[1] if condition else kind)
