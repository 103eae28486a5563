"""Reads small files, and writes files atomically: in a staging folder first, then renamed into place."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from duckrisk.base.errors import OutputError, UsageError, WriteError
from duckrisk.base.folders import create_staging_folder, hold_signals, remove_folder

#: Reasons why the system lets no file grow, by error number.
WHY_NOT_WRITTEN = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "no file may be as large as that here (`ulimit -f`, or the kind of disk)",
}
#: Bytes of a small file (twenty times the report of a table with 3,000 columns).
MAX_BYTES = 64 * 2**20
#: Seconds to wait for a pipe's first byte (a choice: a shell starts the writer of `<(...)` in milliseconds).
PIPE_PATIENCE = 3.0


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    r"""Read a small text file, such as settings, a recipe or an earlier report.

    A pipe, such as `<(...)` of a shell, is read to its end while something writes to it.

    Args:
        path: The file.
        most: Largest size that is read, in bytes.

    Returns:
        The text without a byte order mark, each line ended by `\n`.

    Raises:
        UsageError: It is a folder, a device or a socket, it is larger than `most`, or it is a pipe without
            a writer.
        OSError: It does not exist or may not be read.
        ValueError: Its name holds a NUL, or it is not UTF-8.
    """
    _check_kind(path, path.stat().st_mode)  # before opening it: opening a device can have effects
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb", buffering=0) as file:
        details = os.fstat(file.fileno())
        _check_kind(path, details.st_mode)
        is_pipe, content = stat.S_ISFIFO(details.st_mode), bytearray()
        if is_pipe or details.st_size <= most:
            chunks = _pipe_chunks(path, file.fileno()) if is_pipe else iter(lambda: file.read(2**20), b"")
            for chunk in chunks:
                content += chunk
                if len(content) > most:
                    break
    if max(len(content), details.st_size) > most:
        raise UsageError("files.too_large", path=path, megabytes=most // 2**20)
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _check_kind(path: Path, mode: int) -> None:
    """Raise UsageError unless the mode is that of a file or a pipe."""
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
        raise UsageError("files.not_a_regular_file", path=path, kind=kinds.get(stat.S_IFMT(mode), "a device"))


def _pipe_chunks(path: Path, descriptor: int) -> Iterator[bytes]:
    """Yield what a pipe delivers. Raise UsageError if nothing writes to it."""
    deadline, is_written = time.monotonic() + PIPE_PATIENCE, False
    while True:
        try:
            chunk = os.read(descriptor, 2**20)
        except BlockingIOError:  # the pipe has a writer and is empty
            is_written = True
            select.select([descriptor], [], [], 1)
            continue
        if chunk:
            is_written = True
            yield chunk
        elif is_written:
            return
        elif time.monotonic() >= deadline:
            raise UsageError("files.empty_pipe", path=path, seconds=f"{PIPE_PATIENCE:g}")
        else:
            time.sleep(0.02)


#: The engine's message for a file that could not grow, which can stand inside JSON of another message.
_NOT_WRITTEN = re.compile(
    r"""Could not write file \\?"(.+?)\\?": ({})\b""".format("|".join(map(os.strerror, WHY_NOT_WRITTEN)))
)


def find_write_error(error: BaseException) -> WriteError | None:
    """Recognize an error of the engine or the system for a file that could not grow.

    Args:
        error: Any error.

    Returns:
        The error to raise, with its path if the engine names one; None for any other error.
    """
    import duckdb

    if isinstance(error, (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException)):
        if match := _NOT_WRITTEN.search(str(error)):
            why = next(why for number, why in WHY_NOT_WRITTEN.items() if os.strerror(number) == match[2])
            write_error = WriteError("session.temporary_file_not_written", why=why)
            write_error.path = match[1]
            return write_error
    elif isinstance(error, OSError) and error.errno in WHY_NOT_WRITTEN:
        return WriteError("session.temporary_file_not_written", why=WHY_NOT_WRITTEN[error.errno])
    return None


def check_target(path: Path) -> None:
    """Check that an output can be written to a path.

    Raises:
        OutputError: The path is a folder, a link or a device, or its folder cannot be written to.
    """
    folder = path.parent
    if path.is_dir():
        raise OutputError("files.output_is_folder", path=path)
    if path.is_symlink() or (path.exists() and not path.is_file()):  # a device would be replaced by a file
        raise OutputError("files.output_not_a_plain_file", path=path)
    if not folder.is_dir():
        raise OutputError("files.output_folder_missing", path=path)
    if not os.access(folder, os.W_OK):
        raise OutputError("files.output_folder_not_writable", path=path)


def refuse_overwriting(path: Path, overwrite: bool) -> None:
    """Raise UsageError if an output exists and ``overwrite`` is not set."""
    if path.exists() and not overwrite:
        raise UsageError("files.output_exists", path=path)


#: The files that are being written, by their resolved paths.
_IN_PROGRESS: set[Path] = set()


def refuse_second_output(path: Path) -> None:
    """Raise UsageError if another output is being written to the same file."""
    if path.resolve() in _IN_PROGRESS:
        raise UsageError("files.duplicate_output", path=path)


@contextlib.contextmanager
def _claim_output(path: Path) -> Iterator[None]:
    """Let no other output be written to a file during the block."""
    refuse_second_output(path)
    resolved = path.resolve()
    _IN_PROGRESS.add(resolved)
    try:
        yield
    finally:
        _IN_PROGRESS.discard(resolved)


@contextlib.contextmanager
def name_output(path: Path) -> Iterator[None]:
    """Name the output in errors of the system that the block raises.

    Args:
        path: The output.

    Raises:
        OutputError: The system refused to write.
    """
    try:
        yield
    except OSError as error:
        if error.errno in WHY_NOT_WRITTEN:
            raise OutputError("files.file_not_written", path=path, why=WHY_NOT_WRITTEN[error.errno]) from None
        raise OutputError("files.output_not_writable", path=path) from None


@contextlib.contextmanager
def _staging_folder(path: Path) -> Iterator[Path]:
    """Create a staging folder for the block, whose errors then name the output."""
    folder = None
    try:
        with name_output(path):
            folder = create_staging_folder(path)
            yield folder
    except WriteError as error:
        if folder is None or Path(os.path.abspath(folder)) not in Path(os.path.abspath(error.path)).parents:
            raise
        raise OutputError("files.file_not_written", path=path, why=error.why) from None
    finally:
        if folder is not None:
            remove_folder(folder)


@contextlib.contextmanager
def atomic_write(path: Path, *, private: bool) -> Iterator[Path]:
    """Create a file for the block to write, and rename it into place afterwards.

    It stands in a staging folder, and until it is complete only this user can read it. After an error nothing
    stays; the next run removes what a killed one left.

    Args:
        path: The output.
        private: Whether only this user can read the finished file, too.

    Yields:
        The file to write.

    Raises:
        OutputError: The disk is full, or the folder cannot be written to.
        UsageError: Another output is being written to the same file.
    """
    check_target(path)
    with _claim_output(path), _staging_folder(path) as folder:
        unfinished = folder / "made"
        descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666)
        os.close(descriptor)
        yield unfinished
        if private:
            unfinished.chmod(0o600)  # the writer may have replaced the file
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Name a folder for the block to create, and rename it into place afterwards.

    A file or folder at the path stays until then. After an error nothing else stays.

    Args:
        path: The output folder.

    Yields:
        The path of the folder to create.

    Raises:
        OutputError: The disk is full, or the folder cannot be written to.
    """
    with _staging_folder(path) as folder:
        unfinished, before = folder / "made", folder / "before"
        yield unfinished
        for file in unfinished.iterdir():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        with hold_signals():
            if path.exists():
                path.rename(before)
            try:
                unfinished.rename(path)
            except OSError:
                if before.exists():
                    before.rename(path)
                raise


def write_file(path: Path, make: Callable[[Path], None], *, private: bool) -> None:
    """Write a file atomically (:func:`atomic_write`).

    Args:
        path: The output.
        make: Writes the file that it gets.
        private: Whether only this user can read the file.

    Raises:
        OutputError: The file could not be written.
        UsageError: Another output is being written to the same file.
    """
    with atomic_write(path, private=private) as unfinished:
        try:
            make(unfinished)
        except OutputError:  # it names the staged file, which the user does not know
            raise OutputError("files.output_not_written", path=path) from None
