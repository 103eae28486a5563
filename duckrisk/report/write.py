"""Writes a report to a file: beside it first, then renamed, so that no half report is ever seen."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from duckrisk.errors import OutputError


def check_target(path: Path) -> None:
    """Raise OutputError now where a report could not be written later."""
    folder = path.parent
    if path.is_dir():
        raise OutputError(f'The output "{path}" is a folder; name a file in it.')
    if path.is_symlink() or (path.exists() and not path.is_file()):  # a device would be replaced by a file
        raise OutputError(f'The output "{path}" is a link or a device; name a plain file.')
    if not folder.is_dir():
        raise OutputError(f'The folder of the output "{path}" does not exist.')
    if not os.access(folder, os.W_OK):
        raise OutputError(f'The folder of the output "{path}" cannot be written to.')


def write(path: Path, make: Callable[[Path], None], *, private: bool) -> None:
    """Let ``make`` write a file beside ``path`` and rename it into place.

    ``private`` files can be read by this user only. Raises OutputError where the disk is full or
    the folder cannot be written to; nothing is left behind then.
    """
    check_target(path)
    beside = path.parent / f".duckrisk-{secrets.token_hex(8)}"
    try:
        descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666)
        os.close(descriptor)
        make(beside)
        if private:
            beside.chmod(0o600)  # whoever made it may have put another file in its place
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(f'The disk is full; "{path}" was not written.') from None
        raise OutputError(f'The output "{path}" cannot be written.') from None
    except OutputError:  # told of the file beside, which nobody knows
        raise OutputError(f'The output "{path}" was not written; the disk may be full.') from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
