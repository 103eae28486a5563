"""Keeps a release for which no output was named, until nothing refers to it."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.folders import create_private_folder, remove_folder
from duckrisk.release.anonymization.output import Target

if TYPE_CHECKING:
    import duckdb

#: The table of the temporary database.
_TABLE = "release"


class HeldRelease:
    """A temporary database with a release.

    It is removed with the last object that refers to this one, or at the end of the process.

    Args:
        temp: The folder for temporary files; None for that of the system.

    Raises:
        UsageError: No folder can be made there.
    """

    def __init__(self, temp: str | None) -> None:
        folder = create_private_folder(temp)
        self.target = Target(folder / "release.duckdb", _TABLE, is_held=True)
        weakref.finalize(self, _remove, folder, os.getpid()).atexit = False

    def make_relation(self) -> duckdb.DuckDBPyRelation:
        """Open the table; what is read from it needs no further reference."""
        import duckdb

        # An open database outlives the name of its file, where a Parquet file would be opened again.
        return duckdb.connect(str(self.target.path), read_only=True).table(_TABLE)


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder, unless this is in a copy of the process."""
    if os.getpid() == owner:
        remove_folder(folder)
