"""Reads small files; writes a file in a private folder beside it first, so that no half of it is seen."""

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

#: What the system says where a file cannot grow, in words.
WHY_NOT_WRITTEN = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "no file may be as large as that here (`ulimit -f`, or the kind of disk)",
}
#: Bytes; a report of a table with 3,000 columns has a twentieth of that.
MAX_BYTES = 64 * 2**20
#: Seconds; a shell starts what writes to `<(...)` within milliseconds.
PIPE_PATIENCE = 3.0


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    r"""Read a small file that is no table: settings, a recipe, hierarchies, an earlier report.

    A pipe, such as `<(...)` of a shell, is read to its end while something writes to it.

    Args:
        path: The file.
        most: The largest size that is read, in bytes.

    Returns:
        The text without a byte order mark, each line ended by `\n`.

    Raises:
        UsageError: It is a folder, a device or a socket, larger than `most`, or a pipe that nothing comes
            from.
        OSError: It is not there or may not be read.
        ValueError: Its name holds a NUL, or it is not UTF-8.
    """
    _check_kind(path, path.stat().st_mode)  # before it is opened: to open a device can do something
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb", buffering=0) as file:
        details = os.fstat(file.fileno())
        _check_kind(path, details.st_mode)
        piped, content = stat.S_ISFIFO(details.st_mode), bytearray()
        if piped or details.st_size <= most:
            for chunk in _pipe_chunks(path, file.fileno()) if piped else iter(lambda: file.read(2**20), b""):
                content += chunk
                if len(content) > most:
                    break
    if max(len(content), details.st_size) > most:
        raise UsageError("files.too_large", path=path, megabytes=most // 2**20)
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _check_kind(path: Path, mode: int) -> None:
    """Raise UsageError for what is neither a file nor a pipe."""
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
        raise UsageError("files.no_regular_file", path=path, kind=kinds.get(stat.S_IFMT(mode), "a device"))


def _pipe_chunks(path: Path, number: int) -> Iterator[bytes]:
    """What comes from a pipe. Raises UsageError where nothing writes to it."""
    until, is_written = time.monotonic() + PIPE_PATIENCE, False
    while True:
        try:
            chunk = os.read(number, 2**20)
        except BlockingIOError:  # a writer is there and has written nothing more yet
            is_written = True
            select.select([number], [], [], 1)
            continue
        if chunk:
            is_written = True
            yield chunk
        elif is_written:
            return
        elif time.monotonic() >= until:
            raise UsageError("files.pipe_is_empty", path=path, seconds=f"{PIPE_PATIENCE:g}")
        else:
            time.sleep(0.02)


#: The engine's sentence, also inside of another in JSON, with the words of the system.
_NOT_WRITTEN = re.compile(
    r"""Could not write file \\?"(.+?)\\?": ({})\b""".format("|".join(map(os.strerror, WHY_NOT_WRITTEN)))
)


def find_write_error(error: BaseException) -> WriteError | None:
    """What the engine says of a file that could not grow, if it is that."""
    import duckdb

    if isinstance(error, (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException)):
        if found := _NOT_WRITTEN.search(str(error)):
            why = next(why for number, why in WHY_NOT_WRITTEN.items() if os.strerror(number) == found[2])
            unwritten = WriteError("session.temporary_file_not_written", why=why)
            unwritten.path = found[1]
            return unwritten
    elif isinstance(error, OSError) and error.errno in WHY_NOT_WRITTEN:
        return WriteError("session.temporary_file_not_written", why=WHY_NOT_WRITTEN[error.errno])
    return None


def check_target(path: Path) -> None:
    """Raise OutputError now where a report could not be written later."""
    folder = path.parent
    if path.is_dir():
        raise OutputError("files.output_folder_file", path=path)
    if path.is_symlink() or (path.exists() and not path.is_file()):  # a device would be replaced by a file
        raise OutputError("files.output_link_device_plain_file", path=path)
    if not folder.is_dir():
        raise OutputError("files.folder_output_does_not_exist", path=path)
    if not os.access(folder, os.W_OK):
        raise OutputError("files.folder_output_cannot_written", path=path)


def refuse_overwriting(path: Path, overwrite: bool) -> None:
    """Raise UsageError for an output that is there already and that nobody allows to ``overwrite``."""
    if path.exists() and not overwrite:
        raise UsageError("files.output_already_add_overwrite_replace", path=path)


#: The files that are being written, by their true paths.
_IN_PROGRESS: set[Path] = set()


def refuse_second_output(path: Path) -> None:
    """Raise UsageError for a file that another output is being written to."""
    if path.resolve() in _IN_PROGRESS:
        raise UsageError("files.output_of_two", path=path)


@contextlib.contextmanager
def _in_progress(path: Path) -> Iterator[None]:
    """Keep other outputs from a file during the block."""
    refuse_second_output(path)
    true = path.resolve()
    _IN_PROGRESS.add(true)
    try:
        yield
    finally:
        _IN_PROGRESS.discard(true)


@contextlib.contextmanager
def name_output(path: Path) -> Iterator[None]:
    """Let what the system refuses in the block name this output. Raises OutputError."""
    try:
        yield
    except OSError as error:
        if error.errno in WHY_NOT_WRITTEN:
            raise OutputError("files.not_written", path=path, why=WHY_NOT_WRITTEN[error.errno]) from None
        raise OutputError("files.output_cannot_written", path=path) from None


@contextlib.contextmanager
def _private_beside(path: Path) -> Iterator[Path]:
    """A private folder beside ``path`` for the block; what the disk refuses there is told of ``path``."""
    folder = None
    try:
        with name_output(path):
            folder = create_staging_folder(path)
            yield folder
    except WriteError as error:
        if folder is None or Path(os.path.abspath(folder)) not in Path(os.path.abspath(error.path)).parents:
            raise
        raise OutputError("files.not_written", path=path, why=error.why) from None
    finally:
        if folder is not None:
            remove_folder(folder)


@contextlib.contextmanager
def atomic_write(path: Path, *, private: bool) -> Iterator[Path]:
    """A new file in a private folder beside ``path``, to be written in the block and renamed into place
    after it.

    ``private`` files can be read by this user only, and so can all until they are complete. Raises
    OutputError where the disk is full or the folder cannot be written to; whatever is raised, nothing is left
    behind, and what a killed run leaves is swept by the next.
    """
    check_target(path)
    with _in_progress(path), _private_beside(path) as folder:
        unfinished = folder / "made"
        descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666)
        os.close(descriptor)
        yield unfinished
        if private:
            unfinished.chmod(0o600)  # whoever made it may have put another file in its place
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A name for a new folder beside ``path``, to be made and filled in the block and renamed into place
    after it; a file or a folder that is there goes then, and not before.

    Raises OutputError as :func:`atomic_write`; whatever is raised, nothing is left behind.
    """
    with _private_beside(path) as folder:
        unfinished, before = folder / "made", folder / "before"
        yield unfinished
        for file in unfinished.iterdir():
            with file.open("rb") as written:
                os.fsync(written.fileno())
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
    """Let ``make`` write the file beside the path and rename it (:func:`atomic_write`)."""
    with atomic_write(path, private=private) as unfinished:
        try:
            make(unfinished)
        except OutputError:  # told of the file beside, which nobody knows
            raise OutputError("files.output_was_not_written_disk", path=path) from None
