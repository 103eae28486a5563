"""Executes SQL: settings, lock, spill folder, cancellation, progress and log. No other module does.

A session is an in-memory DuckDB. Once its settings are locked it reads only the assessed paths and neither
loads nor downloads anything. Statements run in a worker thread, so an interrupt reaches them at once. The
engine's messages can quote values and are never shown: :mod:`duckrisk.engine.errors` translates them.
"""

from __future__ import annotations

import contextlib
import functools
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import (
    DuckriskError,
    EngineError,
    Interrupted,
    SourceError,
    TimeLimitError,
    UsageError,
)
from duckrisk.base.files import atomic_write
from duckrisk.base.folders import create_private_folder, hold_signals, remove_folder
from duckrisk.base.options.source import Resources as Resources
from duckrisk.engine import templates
from duckrisk.engine.errors import describe_refused_setting, is_interrupt, translate_error
from duckrisk.engine.memory import divide_memory, read_size
from duckrisk.engine.spark.dialects import extract_names, parse_table_statement
from duckrisk.engine.spark.protocol import Engine
from duckrisk.engine.sql_log import HiddenPaths, Statement, attribute_names, check_script_path, render_script
from duckrisk.engine.steps import ProgressCallback, Steps
from duckrisk.engine.timezones import name_timezone
from duckrisk.engine.views import ASSESSED as ASSESSED
from duckrisk.engine.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

#: Columns whose distinct values one statement counts (a choice: many such counts are slow, thousands crash
#: the engine).
COLUMNS_PER_STATEMENT = 32

#: Freed memory of this size is returned to the system at once; otherwise each thread keeps what it read
#: (tests/test_memory.py, test_threads_that_read_in_turn_do_not_each_keep_what_they_read).
_FLUSH_THRESHOLD = "64MB"
#: The name under which DuckDB reads rows of a distributed engine while it copies them.
_FETCHED = "taken_rows"
#: Seconds that close() waits for a running statement to stop (a choice: after that its thread is abandoned).
_CLOSE_SECONDS = 10


@dataclass
class TimeLimit:
    """Whether the time of a block ended before the block did."""

    is_over: bool = False


class Session:
    """One locked engine for one run. Use it as a context manager.

    Args:
        resources: Limits of memory, threads and files; the engine's own limits if None.
        progress: Called every tenth of a second with the running step of the job and the share of the job
            that is done. If nothing is planned in :attr:`steps` it gets the running statement and the share
            of that: 0 to 1, None if unknown.

    Attributes:
        log: Every statement that ran, in order.
        steps: The steps of the job, for progress.
        folder: The private folder of the run.
        table: A private path to which a metric may write a table of all records.
        renamed_files: Private files that have got other paths.
        hidden_paths: Paths that the script of the run must not hold.
        views: The views of the assessed records.
        memory: Bytes that the engine may take; None if it does not say.
        group_bytes: Bytes of a Parquet row group; None leaves them to the engine.
        timezone: The time zone of dates and hours.
        engine: The distributed engine, if one holds the records.
        fetched_rows: Number of rows that came from there.
    """

    def __init__(
        self,
        resources: Resources | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        import duckdb

        self.resources = resources or Resources()
        self.resources.check()
        if self.resources.sql_log is not None:
            check_script_path(Path(self.resources.sql_log))
        self.log: list[Statement] = []
        self.steps = Steps(progress)
        #: When statements are stopped, by ``time.monotonic()``.
        self._deadline: float | None = None
        self.folder = create_private_folder(self.resources.temp)
        self.table = self.folder / "table.parquet"
        #: The state of each file of the sources when it was first seen, and the files that were copied since.
        self._watched: dict[Path, tuple[int, int] | None] = {}
        self._copied: set[Path] = set()
        self.renamed_files: dict[Path, Path] = {}
        self.hidden_paths = HiddenPaths()
        self.views = Views(self.run)
        self.memory: float | None = None
        self.group_bytes: int | None = None
        #: Whether a DataFrame or Arrow table of this process is read.
        self._has_registered = False
        #: Whether a script could read the sources again; set when the session is locked.
        self.can_be_read_again = True
        self.engine: Engine | None = None
        #: Tables of the distributed engine that were copied to DuckDB.
        self._fetched: set[str] = set()
        self.fetched_rows = 0
        try:
            self._connection = duckdb.connect(":memory:", config=self._config())
            self.timezone = name_timezone(self.resources.timezone, self._timezones)
            self._set("TimeZone", self.timezone)
            # Reading the footer of 2,000 columns takes 4 ms, several times a statement.
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
            # The system's own cache is enough.
            "enable_external_file_cache": False,
            # An ASOF join that expects few rows compares all pairs, and expects too few too often.
            "asof_loop_join_threshold": 0,
            "allocator_bulk_deallocation_flush_threshold": _FLUSH_THRESHOLD,
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
        """Limit threads and row groups of Parquet files to what fits into memory."""
        limits = self._connection.execute(templates.render("engine_limits")).fetchone()
        assert limits is not None
        self.memory = read_size(limits[1])
        threads, group_bytes = divide_memory(limits[1], limits[0])
        if self.engine_version >= "2":  # older versions take no size in bytes if records keep their order
            self.group_bytes = group_bytes
        if threads < limits[0]:
            self._set("threads", threads)

    def _show_no_progress(self) -> None:
        """Make query_progress() answer without drawing a bar."""
        import duckdb

        # Some notebooks refuse both settings.
        with contextlib.suppress(duckdb.InvalidInputException):
            self._set("enable_progress_bar", True)
            self._set("enable_progress_bar_print", False)

    # --- opening ---------------------------------------------------------------------------

    def register(self, name: str, table: Any) -> None:
        """Make a DataFrame or Arrow table readable under a name."""
        self._has_registered = True
        self.run_in_worker(lambda: self._connection.register(name, table), "register")

    def use_engine(self, engine: Engine) -> None:
        """Run wide statements on a distributed engine; the session closes it."""
        self.engine = engine

    def lock(self, paths: Sequence[str]) -> None:
        """Allow these files to be read, and nothing else.

        Args:
            paths: Every file that later statements may read or write.

        Raises:
            UsageError: A script of the run is wanted that could not read the source again.
        """
        self._check_log(paths)
        self.run("set_option", option="allow_community_extensions", setting=False)
        self.run("set_option", option="allowed_paths", setting=list(paths))
        self.run("set_option", option="enable_external_access", setting=False)
        self.run("set_option", option="lock_configuration", setting=True)

    def _check_log(self, paths: Sequence[str]) -> None:
        sources = [Path(path) for path in paths if Path(path).exists()]
        is_private = any(self.folder in source.parents for source in sources)
        self.can_be_read_again = not (self._has_registered or is_private)
        if self.resources.sql_log is None:
            return
        script = Path(self.resources.sql_log)
        if script.exists() and any(script.samefile(source) for source in sources):
            raise UsageError("source.output_is_source", target=script)
        if not self.can_be_read_again:
            raise UsageError("session.sql_log_of_unreadable_source")

    def watch_files(self, files: Sequence[Path]) -> None:
        """Require that files stay unchanged while statements read them."""
        self._watched |= {file: _file_state(file) for file in files}

    def mark_copied(self, files: Sequence[Path]) -> None:
        """Allow watched files to change from now on; they have been copied."""
        self._copied |= set(files)

    def check_files(self, *, copied: bool = True) -> None:
        """Check that no watched file has changed.

        Args:
            copied: Whether to check files that have been copied, too.

        Raises:
            SourceError: A file was changed, replaced or removed.
        """
        watched = self._watched.keys() if copied else self._watched.keys() - self._copied
        if any(_file_state(file) != self._watched[file] for file in watched):
            raise SourceError("session.file_changed")

    # --- running ---------------------------------------------------------------------------

    def run(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """Render a template, execute it and fetch all rows of its result.

        Args:
            name: The template.
            arguments: The values of its parameters.

        Returns:
            A dictionary a row; meant for small results.

        Raises:
            UsageError: An argument is no valid text, or a distributed engine cannot run the statement.
            TimeLimitError: The time of :meth:`limit_time` is over.
            DuckriskError: The engine failed (:func:`duckrisk.engine.errors.translate_error`).
        """
        sql = templates.render(name, **arguments)
        try:
            sql.encode("utf-8")
        except UnicodeEncodeError:
            raise UsageError("session.name_not_utf8") from None
        attribute = attribute_names(arguments)
        if self.engine is not None and self._is_wide(self.engine, name, sql):
            return self._run_wide(self.engine, name, arguments, attribute)
        return self._run_local(name, sql, attribute)

    def _run_local(self, name: str, sql: str, attribute: str | None = None) -> list[dict[str, Any]]:
        """Run a statement in DuckDB."""

        def fetch() -> list[dict[str, Any]]:
            cursor = self._connection.execute(sql)
            columns = [column[0] for column in cursor.description or ()]
            return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

        rows: list[dict[str, Any]] = self._run_logged(name, sql, fetch, attribute)
        return rows

    def _is_wide(self, engine: Engine, name: str, sql: str) -> bool:
        """Return whether a statement runs on the engine; if not, fetch its tables."""
        read = extract_names(sql) & engine.tables
        wide = templates.template_of(name).facts.get("runs") == "wide"
        if engine.records & read and not wide:
            raise UsageError("engines.statement_not_offered", name=name)
        if wide and (read - self._fetched or templates.topic_of(name) == engine.dialect.name):
            return True
        for table in sorted(read - self._fetched):
            self.run_in_worker(self._fetching(functools.partial(engine.fetch_table, table)), table)
            self._copy_fetched("kept_table", name=table)
            self._fetched.add(table)
        target = parse_table_statement(sql)
        if target is not None and not target.is_insert and target.table in engine.tables:
            self.run_in_worker(lambda: engine.drop_table(target.table), "drop_table")
            self._fetched.discard(target.table)
        return False

    def _run_wide(
        self, engine: Engine, name: str, arguments: dict[str, Any], attribute: str | None
    ) -> list[dict[str, Any]]:
        """Run a statement on the engine, in its dialect.

        A table that it creates stays there; rows that it inserts into a local table are fetched.
        """
        sql = engine.dialect.render(name, arguments)
        target = parse_table_statement(sql)

        def run() -> list[dict[str, Any]]:
            if target is None:
                return engine.query(sql)
            create = engine.materialize if target.is_table else engine.create_view
            create(target.table, target.query)
            self._fetched.discard(target.table)
            return []

        if target is not None and target.is_insert:
            fetch = self._fetching(lambda: engine.fetch_rows(target.query))
            self._run_logged(name, target.query, fetch, attribute, engine.name)
            return self._copy_fetched("added_rows", table=target.table)
        rows: list[dict[str, Any]] = self._run_logged(name, sql, run, attribute, engine.name)
        return rows

    def _fetching(self, rows: Callable[[], Any]) -> Callable[[], None]:
        """Return a function that fetches rows and registers them as ``_FETCHED``."""

        def fetch() -> None:
            table = rows()
            self.fetched_rows += table.num_rows
            self._connection.register(_FETCHED, table)

        return fetch

    def _copy_fetched(self, statement: str, **table: str) -> list[dict[str, Any]]:
        """Copy the rows that were fetched last into a table of DuckDB."""
        sql = templates.render(statement, source=templates.identifier(_FETCHED), **table)
        return self._run_local(statement, sql)

    def write_on_engine(self, name: str, folder: Path, /, **arguments: Any) -> int:
        """Let the distributed engine write a result as Parquet files.

        Args:
            name: The template.
            folder: A new folder that the engine and this machine see.
            arguments: The values of the template's parameters.

        Returns:
            The number of rows in the files.
        """
        engine = self.engine
        assert engine is not None
        sql = engine.dialect.render(name, arguments)
        rows: int = self._run_logged(
            name, sql, lambda: engine.write_parquet(sql, str(folder)), None, engine.name
        )
        return rows

    def redact_last_statement(self, name: str, /, **arguments: Any) -> None:
        """Replace the last statement of the log by one without its secret arguments."""
        on_engine = self.engine is not None and self.log[-1].engine
        dialect = self.engine.dialect if self.engine is not None and on_engine else templates.DUCKDB
        self.log[-1] = replace(self.log[-1], sql=dialect.render(name, arguments))

    def fetch_arrays(self, name: str, /, **arguments: Any) -> dict[str, Array]:
        """Render a template, execute it in DuckDB and fetch its result as NumPy arrays.

        Args:
            name: The template.
            arguments: The values of its parameters.

        Returns:
            An array a column, by the column's name.
        """
        sql = templates.render(name, **arguments)
        columns: dict[str, Array] = self._run_logged(
            name, sql, lambda: self._connection.execute(sql).fetchnumpy()
        )
        return columns

    def _run_logged(
        self,
        name: str,
        sql: str,
        fetch: Callable[[], Any],
        attribute: str | None = None,
        engine: str | None = None,
    ) -> Any:
        """Run a statement by ``fetch`` and log it, whether it succeeds or fails."""
        started, failed = time.perf_counter(), True
        try:
            result = self.run_in_worker(fetch, name)
            failed = False
        except EngineError as error:
            if error.key == "engines.statement_failed":
                kind = error.values["kind"]
                raise EngineError("engines.logged_statement_failed", statement=name, kind=kind) from None
            raise
        finally:
            seconds = time.perf_counter() - started
            self.log.append(Statement(name, sql, seconds, attribute, failed, engine))
        return result

    def fetch_row(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Run a template whose result has one row, and return that row (:meth:`run`)."""
        (row,) = self.run(name, **arguments)
        return row

    def describe(self, relation: templates.Sql) -> list[tuple[str, str]]:
        """Return the names and types of a relation's columns."""
        if self.engine is not None and (tables := extract_names(relation) & self.engine.tables):
            (name,), engine = tables, self.engine
            columns: list[tuple[str, str]] = self.run_in_worker(lambda: engine.describe(name), "columns")
            return columns
        return [(row["column_name"], row["column_type"]) for row in self.run("describe", source=relation)]

    @contextlib.contextmanager
    def limit_time(self, deadline: float | None) -> Iterator[TimeLimit]:
        """Leave the block at a deadline, even from within a statement.

        The engine undoes a statement that is stopped; earlier ones stay. Nested blocks end at the earliest
        deadline, each block only at its own or an earlier one.

        Args:
            deadline: A moment of ``time.monotonic()``; None for no limit.

        Yields:
            Whether the block was left at its deadline, to read after the block.
        """
        block, outer = TimeLimit(), self._deadline
        if deadline is not None:
            self._deadline = deadline if outer is None else min(deadline, outer)
        try:
            yield block
        except TimeLimitError:
            if deadline is None or time.monotonic() < deadline:
                raise
            block.is_over = True
        finally:
            self._deadline = outer

    def check_time(self) -> None:
        """Check the deadline, for work that takes long without a statement.

        Raises:
            TimeLimitError: It has passed; :meth:`limit_time` catches this.
        """
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise TimeLimitError

    @property
    def engine_version(self) -> str:
        """The version of DuckDB."""
        import duckdb

        return duckdb.__version__

    def run_in_worker(self, function: Callable[[], Any], name: str) -> Any:
        """Run a function that uses the connection in the worker thread.

        Args:
            function: What to run.
            name: What progress shows meanwhile.

        Returns:
            What the function returns.

        Raises:
            TimeLimitError: The time of :meth:`limit_time` is over.
            DuckriskError: The engine failed (:func:`duckrisk.engine.errors.translate_error`).
        """
        self.check_time()
        task, is_late = _Task(function), False
        self._tasks.put(task)
        try:
            while not task.running.acquire(timeout=self._poll_seconds()):
                if self._deadline is not None and time.monotonic() >= self._deadline:
                    is_late = True
                    self._interrupt()  # repeatedly: the statement may have only just started
                self.steps(name, self._share_done())
        except BaseException:
            self._interrupt()  # close() waits until the engine has noticed
            raise
        if task.error is not None:
            if is_late and is_interrupt(task.error):
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

    def _poll_seconds(self) -> float:
        """Return the seconds until the next look at the running statement."""
        remaining = math.inf if self._deadline is None else self._deadline - time.monotonic()
        return min(0.1, max(0.01, remaining))

    def _share_done(self) -> float | None:
        percent = self._connection.query_progress()
        return None if percent is None or percent < 0 else min(1.0, percent / 100)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task.result = task.function()
            except BaseException as error:  # raised in the caller's thread
                task.error = error
            task.running.release()

    def close(self) -> None:
        """Stop the engine, whatever it is doing, and remove the private folder.

        Signals wait until this is done.
        """
        with hold_signals():
            self._tasks.put(None)
            self._worker.join(0.05)
            deadline = time.monotonic() + _CLOSE_SECONDS
            while self._worker.is_alive() and time.monotonic() < deadline:
                self._interrupt()  # repeatedly: the statement may have only just started
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
            self._write_log()
        elif issubclass(kind, EngineError) and self.log and self.log[-1].failed and self.log[-1].engine:
            with contextlib.suppress(DuckriskError):  # it would hide the error, which points to the log
                self._write_log()

    def _write_log(self) -> None:
        if self.resources.sql_log is None:
            return
        path = Path(self.resources.sql_log)
        text = render_script(
            self.log, self.folder, self.renamed_files, path, self.hidden_paths, self.timezone
        )
        with atomic_write(path, private=True) as unfinished:
            unfinished.write_bytes(text.encode())


class _Task:
    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        # A plain lock: a second interrupt can break an Event's wait(), which is Python code.
        self.running = threading.Lock()
        self.running.acquire()
        self.result: Any = None
        self.error: BaseException | None = None


def _file_state(file: Path) -> tuple[int, int] | None:
    """Return modification time and size of a file; None if it does not exist."""
    try:
        details = file.stat()
    except OSError:
        return None
    return details.st_mtime_ns, details.st_size
