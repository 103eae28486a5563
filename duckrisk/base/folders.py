"""Private folders: for data that a run spills, and for outputs that are not complete yet (staging folders).

Only their user can enter them. Each holds an owner file that is locked while the process lives. So the next
run recognizes the folder of a killed run, and removes it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError

try:
    import fcntl as _fcntl
except ImportError:  # Windows
    _fcntl = None  # type: ignore[assignment]

#: Prefixes of a folder among temporary files and of a staging folder; random characters follow.
_SPILL_PREFIX, _STAGING_PREFIX = "duckrisk-", ".duckrisk-"
#: A quoted path in a staging folder: the random characters, and the path inside. The search starts at quotes
#: only: starting at every character would take seconds for a script.
STAGED_FILE = re.compile(rf"(?<=')[^']*(?:''[^']*)*[/\\]{re.escape(_STAGING_PREFIX)}([^/\\']+)[/\\]([^']*)")
_OWNER, _UNLOCKED = "owner", "new"


def create_private_folder(temp: str | None) -> Path:
    """Create a folder that only this user can enter, for temporary data.

    Args:
        temp: The folder for temporary files; None for ``DUCKRISK_TEMP`` or the system's.

    Returns:
        The new folder.

    Raises:
        UsageError: It cannot be created there.
    """
    root = Path(temp or os.environ.get("DUCKRISK_TEMP") or tempfile.gettempdir()).absolute()
    sweep_staging_folders(Path("."))
    try:
        return _create_owned_folder(root, _SPILL_PREFIX)
    except OSError:
        raise UsageError("folders.temporary_folder_not_writable", root=root) from None


def create_staging_folder(path: Path) -> Path:
    """Create a folder next to an output, for its file until it is complete.

    Args:
        path: The output.

    Returns:
        The new folder.

    Raises:
        OSError: It cannot be created.
    """
    return _create_owned_folder(path.parent.absolute(), _STAGING_PREFIX)


def _create_owned_folder(root: Path, prefix: str) -> Path:
    with hold_signals():
        _sweep(root, prefix)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
        _OWNED[folder] = (os.getpid(), -1)
        # Locked before it gets its name: another run that sees an owner file must never find it unlocked.
        owner = os.open(folder / _UNLOCKED, os.O_CREAT | os.O_RDWR, 0o600)
        _OWNED[folder] = (os.getpid(), owner)
        _lock(owner)
        (folder / _UNLOCKED).rename(folder / _OWNER)
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a private folder and release its lock."""
    _, owner = _OWNED.pop(folder, (0, -1))
    if owner >= 0 and _fcntl is None:
        os.close(owner)  # Windows removes no open file
    _remove(folder)
    if owner >= 0 and _fcntl is not None:
        os.close(owner)


def _remove(folder: Path) -> None:
    """Remove a folder, its owner file last; only empty folders are ever without one."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != _OWNER:
                os.unlink(entry)
    shutil.rmtree(folder, ignore_errors=True)


#: The private folders of this process: the process that created each, and its locked file, -1 before that.
_OWNED: dict[Path, tuple[int, int]] = {}


@atexit.register
def remove_all_folders() -> None:
    """Remove the private folders of this process, but not those of its parent."""
    for folder, (process, _) in list(_OWNED.items()):
        if process == os.getpid():
            remove_folder(folder)


@contextlib.contextmanager
def hold_signals() -> Iterator[None]:
    """Delay an interrupt or a termination until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[tuple[int, Any]] = []
    handlers = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            number, frame = arrived[0]
            handlers[number](number, frame)


_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


# --- folders of killed runs ------------------------------------------------------------------------


def sweep_staging_folders(folder: Path) -> None:
    """Remove staging folders that killed runs of this user left in a folder."""
    if not _KEPT:
        _sweep(folder, _STAGING_PREFIX)


#: Blocks of this process that remove no staging folders.
_KEPT: list[None] = []


@contextlib.contextmanager
def keep_staging_folders() -> Iterator[None]:
    """Let runs change nothing next to their sources, not even what killed runs left."""
    _KEPT.append(None)
    try:
        yield
    finally:
        _KEPT.pop()


def _lock(descriptor: int) -> bool:
    if _fcntl is None:
        return False
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(root: Path, prefix: str) -> None:
    """Remove the private folders of this user whose owner process has ended."""
    if _fcntl is None:  # without locks nothing shows whether the owner lives
        return
    pattern = re.compile(re.escape(prefix) + "[a-z0-9_]{8}")  # as mkdtemp names them
    with contextlib.suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _sweep_folder(Path(entry.path))


def _sweep_folder(folder: Path) -> None:
    details = folder.lstat()
    if not stat.S_ISDIR(details.st_mode) or details.st_uid != os.getuid():
        return
    if not (folder / _OWNER).exists():
        is_old = time.time() - details.st_mtime > 60  # in a new one the owner file may be about to follow
        if is_old and set(os.listdir(folder)) <= {_UNLOCKED}:
            shutil.rmtree(folder, ignore_errors=True)
        return
    owner = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
    try:
        # An owner file is empty, and locked since it got this name; others of that name are not ours.
        if stat.S_ISREG(os.fstat(owner).st_mode) and os.fstat(owner).st_size == 0 and _lock(owner):
            _remove(folder)
    finally:
        os.close(owner)
