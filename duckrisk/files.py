"""Writes a file: in a private folder beside it first, then renamed, so that no half of it is ever seen."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from duckrisk.errors import OutputError, UsageError
from duckrisk.folders import folder_beside, remove_folder, signals_held


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
def _private_beside(path: Path) -> Iterator[Path]:
    """A private folder beside ``path`` for the block; what the disk refuses there is told of ``path``."""
    folder = None
    try:
        folder = folder_beside(path)
        yield folder
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError("files.disk_full_was_not_written", path=path) from None
        raise OutputError("files.output_cannot_written", path=path) from None
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
        with signals_held():
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
