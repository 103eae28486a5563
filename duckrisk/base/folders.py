"""Private folders: for what a run spills, and, beside an output, for what is not complete yet.

Only their user can enter them. The owner file inside is locked while the process lives, so a killed run's
folder can be told from one in use, and the next run that comes by sweeps it.
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

#: What the folders are called among temporary files, and, hidden, beside an output; random characters follow.
_SPILLED, _BESIDE = "duckrisk-", ".duckrisk-"
#: A file in such a folder beside an output, in quotes: the random characters, and its place inside. A search
#: that began at every character, not after a quote, would take seconds for a script.
STAGED_FILE = re.compile(rf"(?<=')[^']*(?:''[^']*)*[/\\]{re.escape(_BESIDE)}([^/\\']+)[/\\]([^']*)")
_OWNER, _UNLOCKED = "owner", "new"


def create_private_folder(temp: str | None) -> Path:
    """A new folder that only this user can enter, for spilled data and decoded text.

    Raises UsageError where the folder cannot be made.
    """
    root = Path(temp or os.environ.get("DUCKRISK_TEMP") or tempfile.gettempdir()).absolute()
    sweep_staging_folders(Path("."))
    try:
        return _made(root, _SPILLED)
    except OSError:
        raise UsageError("folders.folder_temporary_files_cannot_written", root=root) from None


def create_staging_folder(path: Path) -> Path:
    """A new folder beside an output, for its file until it is complete; raises OSError."""
    return _made(path.parent.absolute(), _BESIDE)


def _made(root: Path, prefix: str) -> Path:
    with hold_signals():
        _sweep(root, prefix)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
        _OWNED[folder] = (os.getpid(), -1)
        # Locked under another name first: what is called owner has always been locked.
        owner = os.open(folder / _UNLOCKED, os.O_CREAT | os.O_RDWR, 0o600)
        _OWNED[folder] = (os.getpid(), owner)
        _lock(owner)
        (folder / _UNLOCKED).rename(folder / _OWNER)
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a private folder and give up its lock."""
    _, owner = _OWNED.pop(folder, (0, -1))
    if owner >= 0 and _fcntl is None:
        os.close(owner)  # an open file cannot be removed there
    _remove(folder)
    if owner >= 0 and _fcntl is not None:
        os.close(owner)


def _remove(folder: Path) -> None:
    """Remove what is in a folder, its owner last: a folder without one is empty, or none of ours."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != _OWNER:
                os.unlink(entry)
    shutil.rmtree(folder, ignore_errors=True)


#: The private folders of this process, each with the process that made it and the locked file.
_OWNED: dict[Path, tuple[int, int]] = {}


@atexit.register
def remove_all_folders() -> None:
    """Whatever way a run ended: its folders go. A forked child leaves those of its parent alone."""
    for folder, (process, _) in list(_OWNED.items()):
        if process == os.getpid():
            remove_folder(folder)


@contextlib.contextmanager
def hold_signals() -> Iterator[None]:
    """Let an interrupt or a termination wait until the block is done."""
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


# --- what killed runs left -----------------------------------------------------------------------


def sweep_staging_folders(folder: Path) -> None:
    """Remove what killed runs of this user left where they wrote an output."""
    _sweep(folder, _BESIDE)


def _lock(descriptor: int) -> bool:
    if _fcntl is None:
        return False
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(root: Path, prefix: str) -> None:
    """Remove the folders of this user whose owners are gone; whatever else is called like them stays."""
    if _fcntl is None:  # nothing tells there whether an owner lives
        return
    ours = re.compile(re.escape(prefix) + "[a-z0-9_]{8}")  # as mkdtemp calls them
    with contextlib.suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _sweep_folder(Path(entry.path))


def _sweep_folder(folder: Path) -> None:
    details = folder.lstat()
    if not stat.S_ISDIR(details.st_mode) or details.st_uid != os.getuid():
        return
    if not (folder / _OWNER).exists():
        old = time.time() - details.st_mtime > 60  # else its owner may be about to lock it
        if old and set(os.listdir(folder)) <= {_UNLOCKED}:
            shutil.rmtree(folder, ignore_errors=True)
        return
    owner = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
    try:
        # The file is empty, and has been locked since it has this name.
        if stat.S_ISREG(os.fstat(owner).st_mode) and os.fstat(owner).st_size == 0 and _lock(owner):
            _remove(folder)
    finally:
        os.close(owner)
