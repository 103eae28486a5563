"""Makes ``duckrisk.duckdb`` while a wheel is built: the macros, for DuckDB shells without Python."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MacrosHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the database of the macros into the wheel; a checkout makes it by `duckrisk sql macros -o`."""

    folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the database, and add it to the wheel."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        sys.dont_write_bytecode = True
        from duckrisk.decision.shell import write_database

        self.folder = tempfile.mkdtemp()
        database = Path(self.folder) / "duckrisk.duckdb"
        write_database(database)
        build_data["force_include"][str(database)] = "duckrisk/duckrisk.duckdb"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the database, which the wheel holds now."""
        if self.folder is not None:
            shutil.rmtree(self.folder)
