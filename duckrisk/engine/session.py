"""The one place that executes SQL: settings, lock, spill folder, cancellation, progress, log.

A session is an in-memory DuckDB whose settings are applied and then locked: only the assessed paths
can be read, nothing is loaded or fetched behind the user's back. Statements run in a worker thread,
so that an interrupt reaches them at once. What the engine says never reaches a person: its messages
can quote cells, so :mod:`duckrisk.engine.errors` turns each kind of failure into a sentence of our own.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import DuckriskError, Interrupted, SourceError, TimeLimitError, UsageError
from duckrisk.base.files import atomic_write
from duckrisk.base.folders import create_private_folder, hold_signals, remove_folder
from duckrisk.base.options.source import Resources as Resources
from duckrisk.engine import templates
from duckrisk.engine.errors import describe_refused_setting, is_interrupt, translate_error
from duckrisk.engine.memory import divide, read_size
from duckrisk.engine.spark.dialects import making, names
from duckrisk.engine.spark.protocol import Engine
from duckrisk.engine.sql_log import Hidden, Statement, attribute_names, check_script, script
from duckrisk.engine.steps import Steps, Told
from duckrisk.engine.timezones import name_timezone
from duckrisk.engine.views import ASSESSED as ASSESSED
from duckrisk.engine.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

#: Columns that one statement counts: many distinct counts are slow, thousands crash the engine.
BATCH = 32

#: Freed memory of this size goes back to the system at once; else each thread keeps what it read.
_FLUSHED = "64MB"
#: The name of rows of a distributed engine while they are copied.
_TAKEN = "taken_rows"
#: Time for a stopped engine to notice.
_PATIENCE_SECONDS = 10


@dataclass
class Time:
    """Whether the time of a block was ``over`` before its end."""

    over: bool = False


class Session:
    """One locked engine for one run. Use it as a context manager.

    ``progress`` is called every tenth of a second with the step of the job that runs and the share of the job
    that is done; where nobody planned :attr:`steps`, with the running statement and the share of it (0 to 1,
    or None where the engine cannot tell).
    """

    def __init__(
        self,
        resources: Resources | None = None,
        progress: Told | None = None,
    ) -> None:
        import duckdb

        self.resources = resources or Resources()
        self.resources.check()
        if self.resources.sql_log is not None:
            check_script(Path(self.resources.sql_log))
        self.log: list[Statement] = []
        self.steps = Steps(progress)
        #: When statements are stopped, by ``time.monotonic()``.
        self._until: float | None = None
        self.folder = create_private_folder(self.resources.temp)
        #: A private file that a metric may write a table of all records into.
        self.table = self.folder / "table.parquet"
        #: The files of the sources as they were found, and those that were copied.
        self._files: dict[Path, tuple[int, int] | None] = {}
        self._copied: set[Path] = set()
        #: Private files that get other names, and paths that a script does not hold.
        self.named: dict[Path, Path] = {}
        self.hidden = Hidden()
        self.views = Views(self.run)
        #: Bytes that the engine may take; None if it does not say.
        self.memory: float | None = None
        #: Bytes of a Parquet row group; None leaves them to the engine.
        self.group_bytes: int | None = None
        #: Whether a table of this Python is read.
        self._registered = False
        #: The distributed engine, and its tables that were copied here.
        self.engine: Engine | None = None
        self._fetched: set[str] = set()
        #: Rows that came from there.
        self.fetched_rows = 0
        try:
            self._connection = duckdb.connect(":memory:", config=self._config())
            self.timezone = name_timezone(self.resources.timezone, self._timezones)
            self._set("TimeZone", self.timezone)
            # To read the footer of 2,000 columns takes 4 ms, in each statement several times.
            self._set("parquet_metadata_cache", True)
            self._limit_threads()
            self._show_no_progress()
        except BaseException as error:
            remove_folder(self.folder)
            if isinstance(error, duckdb.Error):
                raise UsageError(describe_refused_setting(error, self.resources)) from None
            raise
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="duckrisk-engine", daemon=True)
        self._worker.start()

    def _config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "temp_directory": str(self.folder / "spill"),
            "python_enable_replacements": False,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "allow_persistent_secrets": False,
            "preserve_insertion_order": False,
            # The system keeps what was read.
            "enable_external_file_cache": False,
            # An ASOF join that expects few rows compares each with all others, and often there are more.
            "asof_loop_join_threshold": 0,
            "allocator_bulk_deallocation_flush_threshold": _FLUSHED,
        }
        if self.resources.memory is not None:
            config["memory_limit"] = self.resources.memory
        if self.resources.threads is not None:
            config["threads"] = self.resources.threads
        return config

    def _set(self, option: str, setting: Any) -> None:
        self._connection.execute(templates.render("set_option", option=option, setting=setting))

    def _timezones(self) -> list[Any]:
        return self._connection.execute(templates.render("timezones")).fetchall()

    def _limit_threads(self) -> None:
        """Limit threads, and row groups of Parquet files, to what the memory holds."""
        limits = self._connection.execute(templates.render("engine_limits")).fetchone()
        assert limits is not None
        self.memory = read_size(limits[1])
        threads, group_bytes = divide(limits[1], limits[0])
        if self.engine_version >= "2":  # older ones take no size in bytes where records keep their order
            self.group_bytes = group_bytes
        if threads < limits[0]:
            self._set("threads", threads)

    def _show_no_progress(self) -> None:
        """Let query_progress() answer, and draw nothing; some notebooks refuse both settings."""
        import duckdb

        with contextlib.suppress(duckdb.InvalidInputException):
            self._set("enable_progress_bar", True)
            self._set("enable_progress_bar_print", False)

    # --- opening ---------------------------------------------------------------------------

    def register(self, name: str, table: Any) -> None:
        """Make a DataFrame or Arrow table readable by a name."""
        self._registered = True
        self.call(lambda: self._connection.register(name, table), "register")

    def use(self, engine: Engine) -> None:
        """Let wide statements run on an engine, which ends with the session."""
        self.engine = engine

    def lock(self, paths: Sequence[str]) -> None:
        """Allow these files to be read, and nothing else.

        Raises UsageError where a script of the run is asked for that could not read them again.
        """
        self._check_log(paths)
        self.run("set_option", option="allow_community_extensions", setting=False)
        self.run("set_option", option="allowed_paths", setting=list(paths))
        self.run("set_option", option="enable_external_access", setting=False)
        self.run("set_option", option="lock_configuration", setting=True)

    def _check_log(self, paths: Sequence[str]) -> None:
        if self.resources.sql_log is None:
            return
        path = Path(self.resources.sql_log)
        if path.exists() and any(Path(one).exists() and path.samefile(one) for one in paths):
            raise UsageError("source.output_part_source_another_file", target=path)
        if any(self.folder in Path(one).parents and Path(one).exists() for one in paths) or self._registered:
            raise UsageError("session.sql_log_cannot_read_again")

    def watch_files(self, files: Sequence[Path]) -> None:
        """Require that these files stay as they are: each statement reads them."""
        self._files |= {file: _state(file) for file in files}

    def leave_files(self, files: Sequence[Path]) -> None:
        """These files are copied, and may change."""
        self._copied |= set(files)

    def check_files(self, *, copied: bool = True) -> None:
        """Raise SourceError where a watched file changed, one that is ``copied`` already too or not."""
        watched = self._files.keys() if copied else self._files.keys() - self._copied
        if any(_state(file) != self._files[file] for file in watched):
            raise SourceError("session.file_source_was_changed_replaced")

    # --- running ---------------------------------------------------------------------------

    def run(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """Render a template, execute it, and return its rows as dictionaries (a small result)."""
        sql = templates.render(name, **arguments)
        try:
            sql.encode("utf-8")
        except UnicodeEncodeError:
            raise UsageError("session.not_text_holds_bytes_not") from None
        about = attribute_names(arguments)
        if self.engine is not None and self._is_wide(self.engine, name, sql):
            return self._run_wide(self.engine, name, arguments, about)
        return self._run_here(name, sql, about)

    def _run_here(self, name: str, sql: str, about: str | None = None) -> list[dict[str, Any]]:
        """The rows that DuckDB gives."""

        def fetch() -> list[dict[str, Any]]:
            cursor = self._connection.execute(sql)
            columns = [column[0] for column in cursor.description or ()]
            return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

        rows: list[dict[str, Any]] = self._logged(name, sql, fetch, about)
        return rows

    def _is_wide(self, engine: Engine, name: str, sql: str) -> bool:
        """Whether a statement runs on the engine; what one that does not reads of it is fetched first."""
        read = names(sql) & engine.tables
        wide = templates.template_of(name).facts.get("runs") == "wide"
        if engine.records & read and not wide:
            raise UsageError("engines.not_offered", name=name)
        if wide and (read - self._fetched or templates.topic_of(name) == engine.dialect.name):
            return True
        for table in sorted(read - self._fetched):
            self._take(table, lambda table=table: engine.fetch(table))  # type: ignore[misc]
            self._copy_taken("kept_table", name=table)
            self._fetched.add(table)
        if (made := making(sql)) is not None and not made.adds and made.table in engine.tables:
            self.call(lambda: engine.drop(made.table), "drop_table")
            self._fetched.discard(made.table)
        return False

    def _run_wide(
        self, engine: Engine, name: str, arguments: dict[str, Any], about: str | None
    ) -> list[dict[str, Any]]:
        """Run a statement on the engine, in its dialect: the table that it makes stays there, and rows that
        it adds to one of ours come here."""
        sql = engine.dialect.render(name, arguments)
        made = making(sql)

        def run() -> list[dict[str, Any]]:
            if made is None:
                return engine.query(sql)
            make = engine.materialize if made.lasts else engine.view
            make(made.table, made.query)
            self._fetched.discard(made.table)
            return []

        if made is not None and made.adds:
            self._take(name, lambda: engine.rows(made.query))
            return self._copy_taken("added_rows", table=made.table)
        rows: list[dict[str, Any]] = self._logged(name, sql, run, about, engine.name)
        return rows

    def _take(self, name: str, rows: Callable[[], Any]) -> None:
        """Let rows of the engine be read here, under one name for all that are taken in turn."""

        def take() -> None:
            table = rows()
            self.fetched_rows += table.num_rows
            self._connection.register(_TAKEN, table)

        self.call(take, name)

    def _copy_taken(self, statement: str, **table: str) -> list[dict[str, Any]]:
        """Copy the rows that were taken last into a table of DuckDB."""
        return self._run_here(
            statement, templates.render(statement, source=templates.identifier(_TAKEN), **table)
        )

    def write_there(self, name: str, folder: Path, /, **arguments: Any) -> int:
        """Let the engine write what a statement gives as Parquet files into a new folder, which it sees; how
        many rows these hold."""
        engine = self.engine
        assert engine is not None
        sql = engine.dialect.render(name, arguments)
        rows: int = self._logged(name, sql, lambda: engine.write(sql, str(folder)), None, engine.name)
        return rows

    def relog(self, name: str, /, **arguments: Any) -> None:
        """Let the log hold the last statement with other arguments: those that ran were secret."""
        wrote = self.engine.dialect if self.engine is not None and self.log[-1].engine else templates.DUCKDB
        self.log[-1] = replace(self.log[-1], sql=wrote.render(name, arguments))

    def arrays(self, name: str, /, **arguments: Any) -> dict[str, Array]:
        """A template's result as one NumPy array a column, for what learns from records."""
        sql = templates.render(name, **arguments)
        columns: dict[str, Array] = self._logged(
            name, sql, lambda: self._connection.execute(sql).fetchnumpy()
        )
        return columns

    def _logged(
        self,
        name: str,
        sql: str,
        fetch: Callable[[], Any],
        about: str | None = None,
        engine: str | None = None,
    ) -> Any:
        """What a statement gives; the log has it, refused or not."""
        started, failed = time.perf_counter(), True
        try:
            result = self.call(fetch, name)
            failed = False
        finally:
            self.log.append(Statement(name, sql, time.perf_counter() - started, about, failed, engine))
        return result

    def row(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the only row of a result."""
        (only,) = self.run(name, **arguments)
        return only

    def describe(self, relation: templates.Sql) -> list[tuple[str, str]]:
        """Names and types of a relation's columns."""
        if self.engine is not None and (there := names(relation) & self.engine.tables):
            (name,), engine = there, self.engine
            described: list[tuple[str, str]] = self.call(lambda: engine.columns(name), "columns")
            return described
        return [(row["column_name"], row["column_type"]) for row in self.run("describe", source=relation)]

    @contextlib.contextmanager
    def until(self, moment: float | None) -> Iterator[Time]:
        """Leave the block at a moment of ``time.monotonic()``, even from within a statement.

        What a statement did that is stopped the engine undoes; all before it stays. Where blocks are nested
        the first moment ends those that it is over for.
        """
        block, around = Time(), self._until
        if moment is not None:
            self._until = moment if around is None else min(moment, around)
        try:
            yield block
        except TimeLimitError:
            if moment is None or time.monotonic() < moment:
                raise
            block.over = True
        finally:
            self._until = around

    def check_time(self) -> None:
        """Leave the block whose time is over: for what takes long without a statement."""
        if self._until is not None and time.monotonic() >= self._until:
            raise TimeLimitError

    @property
    def engine_version(self) -> str:
        import duckdb

        return duckdb.__version__

    def call(self, function: Callable[[], Any], name: str) -> Any:
        """Run a function that uses the connection in the worker thread; ``name`` is what those who watch
        are told."""
        self.check_time()
        task, late = _Task(function), False
        self._tasks.put(task)
        try:
            while not task.running.acquire(timeout=self._patience()):
                if self._until is not None and time.monotonic() >= self._until:
                    late = True
                    self._interrupt()  # again and again: a statement may only just begin
                self.steps(name, self._share_done())
        except BaseException:
            self._interrupt()  # close() waits until the engine has noticed
            raise
        if task.error is not None:
            if late and is_interrupt(task.error):
                if self.engine is not None:
                    self.engine.resume()
                raise TimeLimitError
            if isinstance(task.error, DuckriskError):
                raise task.error
            error = translate_error(task.error, self.resources)
            if not isinstance(error, Interrupted):
                self.check_files()
            raise error from None
        return task.result

    def _interrupt(self) -> None:
        self._connection.interrupt()
        if self.engine is not None:
            self.engine.interrupt()

    def _patience(self) -> float:
        """Seconds until a look at the running statement."""
        left = math.inf if self._until is None else self._until - time.monotonic()
        return min(0.1, max(0.01, left))

    def _share_done(self) -> float | None:
        percent = self._connection.query_progress()
        return None if percent is None or percent < 0 else min(1.0, percent / 100)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task.result = task.function()
            except BaseException as error:  # handed to the caller's thread
                task.error = error
            task.running.release()

    def close(self) -> None:
        """End the engine, whatever it is doing, and remove the private folder; signals wait for that."""
        with hold_signals():
            self._tasks.put(None)
            self._worker.join(0.05)
            until = time.monotonic() + _PATIENCE_SECONDS
            while self._worker.is_alive() and time.monotonic() < until:
                self._interrupt()  # again and again: a statement may only just begin
                self._worker.join(0.05)
            if self.engine is not None:
                self.engine.close()
            if not self._worker.is_alive():
                with contextlib.suppress(Exception):
                    self._connection.close()
            remove_folder(self.folder)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None:
            self.check_files(copied=False)
            if self.resources.sql_log is not None:
                self._write_log(Path(self.resources.sql_log))

    def _write_log(self, path: Path) -> None:
        text = script(self.log, self.folder, self.named, path, self.hidden, self.timezone)
        with atomic_write(path, private=True) as unfinished:
            unfinished.write_bytes(text.encode())


class _Task:
    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        # A plain lock: an Event's wait() is Python code that a second interrupt can break in the middle.
        self.running = threading.Lock()
        self.running.acquire()
        self.result: Any = None
        self.error: BaseException | None = None


def _state(file: Path) -> tuple[int, int] | None:
    """What changes with the content of a file; None where there is none."""
    try:
        details = file.stat()
    except OSError:
        return None
    return details.st_mtime_ns, details.st_size
