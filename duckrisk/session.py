"""The one place that executes SQL: settings, lock, spill folder, cancellation, progress, log.

A session is an in-memory DuckDB whose settings are applied and then locked: only the assessed paths
can be read, nothing is loaded or fetched behind the user's back. Statements run in a worker thread,
so that an interrupt reaches them at once. What the engine says never reaches a person: its messages
can quote cells, so :func:`translate` turns each kind of failure into a sentence of our own.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duckrisk import templates
from duckrisk.errors import DuckriskError, EngineError, Interrupted, SourceError, UsageError

#: The view that every metric reads: the assessed records with columns c0, c1, ... by position.
ASSESSED = templates.Sql("temp.main.assessed")

_FOLDER_PREFIX = "duckrisk-"
_OWNER = "owner"


@dataclass(frozen=True)
class Resources:
    """What a run may use: ``memory`` ("4GB"), ``threads`` and ``temp`` (a folder); None means the
    engine's own default, and the system's folder for temporary files."""

    memory: str | None = None
    threads: int | None = None
    temp: str | None = None


@dataclass(frozen=True)
class Statement:
    """One executed statement: the template's name, its rendered text, its wall time in seconds."""

    name: str
    sql: str
    seconds: float


class Session:
    """One locked-down engine for one assessment. Use it as a context manager.

    ``watch`` is called every tenth of a second with the share of the running statement that is
    done (0 to 1, or None where the engine cannot tell).
    """

    def __init__(
        self,
        resources: Resources | None = None,
        watch: Callable[[str, float | None], None] | None = None,
    ) -> None:
        import duckdb

        self.resources = resources or Resources()
        self.log: list[Statement] = []
        self._watch = watch
        self.folder = private_folder(self.resources.temp)
        try:
            self._connection = duckdb.connect(":memory:", config=self._config())
            for name, setting in _SETTINGS.items():
                self._connection.execute(templates.render("set_option", option=name, setting=setting))
        except duckdb.Error as error:
            remove_folder(self.folder)
            raise UsageError(_refused_setting(error, self.resources)) from None
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="duckrisk-engine", daemon=True)
        self._worker.start()

    def _config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "temp_directory": str(self.folder / "spill"),
            "python_enable_replacements": False,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "allow_community_extensions": False,
            "preserve_insertion_order": False,
        }
        if self.resources.memory is not None:
            config["memory_limit"] = self.resources.memory
        if self.resources.threads is not None:
            config["threads"] = self.resources.threads
        return config

    # --- opening ---------------------------------------------------------------------------

    def register(self, name: str, table: Any) -> None:
        """Make a DataFrame or an Arrow table readable under a name."""
        self._call(lambda: self._connection.register(name, table))

    def lock(self, paths: Sequence[str]) -> None:
        """Allow these files to be read, and nothing else from now on."""
        self.run("set_option", option="allowed_paths", setting=list(paths))
        self.run("set_option", option="enable_external_access", setting=False)
        self.run("set_option", option="lock_configuration", setting=True)

    # --- running ---------------------------------------------------------------------------

    def run(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """Render a template, execute it, and return its rows as dictionaries (a small result)."""
        sql = templates.render(name, **arguments)

        def fetch() -> list[dict[str, Any]]:
            cursor = self._connection.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

        started = time.perf_counter()
        try:
            return self._call(fetch, name)
        finally:
            self.log.append(Statement(name, sql, time.perf_counter() - started))

    def row(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The only row of a template's result."""
        (only,) = self.run(name, **arguments)
        return only

    def describe(self, relation: templates.Sql) -> list[tuple[str, str]]:
        """Names and types of a relation's columns."""
        return [
            (row["column_name"], row["column_type"])
            for row in self.run("describe", source=relation)
        ]

    def spool(self, relation: Any, path: Path) -> None:
        """Write a DuckDB relation of the user's own connection to a private Parquet file."""
        self._call(lambda: relation.write_parquet(str(path)))

    @property
    def engine_version(self) -> str:
        import duckdb

        return duckdb.__version__

    @property
    def connection(self) -> Any:
        """The engine's connection, for the dialect sniffer; everything else goes through `run`."""
        return self._connection

    def call(self, function: Callable[[], Any], name: str) -> Any:
        """Run a function that uses the connection in the worker thread."""
        return self._call(function, name)

    def _call(self, function: Callable[[], Any], name: str = "") -> Any:
        task = _Task(function)
        self._tasks.put(task)
        try:
            while not task.done.wait(0.1):
                if self._watch is not None:
                    self._watch(name, self._progress())
        except BaseException:
            self._connection.interrupt()
            task.done.wait(2)
            raise
        if task.error is not None:
            if isinstance(task.error, DuckriskError):
                raise task.error
            raise translate(task.error, self.resources) from None
        return task.result

    def _progress(self) -> float | None:
        percent = self._connection.query_progress()
        return None if percent is None or percent < 0 else min(1.0, percent / 100)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task.result = task.function()
            except BaseException as error:  # handed to the caller's thread
                task.error = error
            task.done.set()

    def close(self) -> None:
        """End the engine and remove the private folder."""
        self._tasks.put(None)
        self._worker.join(2)
        with contextlib.suppress(Exception):
            self._connection.close()
        remove_folder(self.folder)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Task:
    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None


#: Set once the connection stands; the rest is given when it opens.
_SETTINGS: dict[str, Any] = {
    "TimeZone": "UTC",
    "enable_progress_bar": True,  # only so that query_progress() answers
    "enable_progress_bar_print": False,
}


# --- the private folder --------------------------------------------------------------------------


def private_folder(temp: str | None) -> Path:
    """A new folder that only this user can enter, for spilled data and decoded text.

    The owner file inside is locked while the process lives; folders whose owner is gone are swept.
    Raises UsageError where the folder cannot be made.
    """
    root = Path(temp or os.environ.get("DUCKRISK_TEMP") or tempfile.gettempdir())
    try:
        _sweep(root)
        folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir=root))
    except OSError:
        raise UsageError(
            f'The folder for temporary files "{root}" cannot be written to; name another with --temp.'
        ) from None
    owner = os.open(folder / _OWNER, os.O_CREAT | os.O_RDWR, 0o600)
    _lock(owner)
    _OWNED[folder] = owner
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a private folder and give up its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    if (owner := _OWNED.pop(folder, None)) is not None:
        os.close(owner)


_OWNED: dict[Path, int] = {}


def _lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: an open file cannot be removed there, which protects it as well
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(root: Path) -> None:
    """Remove what killed runs of this user left behind."""
    for folder in root.glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            details = folder.lstat()
            recent = time.time() - details.st_mtime < 60  # its owner may not have locked it yet
            if not folder.is_dir() or folder.is_symlink() or details.st_uid != os.getuid():
                continue
            if not (folder / _OWNER).exists():
                if not recent:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            owner = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if _lock(owner):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(owner)


# --- errors --------------------------------------------------------------------------------------

_LINE = re.compile(r"\bLine: (\d+)")


def translate(error: BaseException, resources: Resources) -> DuckriskError:
    """Turn an engine's error into a sentence that holds nothing of the data."""
    import duckdb

    text = str(error)
    if isinstance(error, (KeyboardInterrupt, duckdb.InterruptException)) or "Query interrupted" in text:
        return Interrupted("The run was interrupted.")
    if "No space left on device" in text or "max_temp_directory_size" in text:
        return EngineError(
            "The disk of the folder for temporary files is full; free space there or name another "
            "folder with --temp."
        )
    if isinstance(error, (duckdb.OutOfMemoryException, MemoryError)):
        limit = f" of {resources.memory}" if resources.memory else ""
        return EngineError(
            f"The engine ran out of its memory limit{limit}; allow more with --memory, or assess "
            "fewer attributes at a time with --attribute."
        )
    if isinstance(error, (duckdb.InvalidInputException, duckdb.ConversionException)):
        if line := _LINE.search(text):
            return SourceError(
                f"Line {line.group(1)} of the source does not have the form of the lines before it; "
                "repair it, or say what the file is with --header or --encoding."
            )
        if "Parquet" in text or "parquet" in text or "thrift" in text.lower():
            return SourceError("The Parquet file is damaged or cut short; get a new copy of it.")
        return SourceError(
            "A value of the source does not have the type of its column; repair the source, or read "
            "the column as text with --query."
        )
    if isinstance(error, duckdb.PermissionException):
        return UsageError("Only the assessed source can be read; the query names another file.")
    if isinstance(error, duckdb.IOException):
        return SourceError("The source cannot be read: it is damaged, incomplete, or changed meanwhile.")
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException)):
        return SourceError(
            "The engine cannot use the source as it was described; check names and types with "
            "`duckrisk init`."
        )
    if isinstance(error, duckdb.Error):
        kind = type(error).__name__.removesuffix("Exception")
        return EngineError(f"The engine failed ({kind} error, DuckDB {duckdb.__version__}).")
    if isinstance(error, OSError):
        return SourceError("A file of the source cannot be read; check that it exists and is yours to read.")
    return EngineError(f"duckrisk failed ({type(error).__name__}); please report how you called it.")


def _refused_setting(error: BaseException, resources: Resources) -> str:
    text = str(error).lower()
    if "memory" in text or "size" in text or "unit" in text:
        return f'--memory "{resources.memory}" is not a size; write for example 4GB or 500MB.'
    if "thread" in text:
        return f"--threads {resources.threads} is not a number of threads; write 1 or more."
    return "The engine refused a setting; check --memory, --threads and --temp."

