"""Caches the templates that Jinja compiled in the folder of Python's compiled modules."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from pathlib import Path

import jinja2
import jinja2.compiler

#: Where Python keeps its compiled modules.
FOLDER = Path(importlib.util.cache_from_source(__file__)).parent


class CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates in files. An unreadable file is compiled again; an unwritable folder is not used."""

    def __init__(self, *modules: str) -> None:
        """Take the files of the modules that compiled templates depend on."""
        makers = [os.stat(file) for file in (*modules, jinja2.compiler.__file__)]
        self._makers = "".join(f"{file.st_mtime_ns} {file.st_size}\n" for file in makers)

    def get_source_checksum(self, source: str) -> str:
        """Return the checksum of a template, its makers included."""
        return super().get_source_checksum(self._makers + source)

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the name of the file of a compiled template."""
        return f"{name}.{sys.implementation.cache_tag}.template"

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Read a compiled template, where there is one that can be read."""
        with contextlib.suppress(Exception):  # a file with any fault is not used
            bucket.bytecode_from_string((FOLDER / bucket.key).read_bytes())

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Write a compiled template, unless Python writes none itself."""
        if sys.dont_write_bytecode:
            return
        unfinished = FOLDER / f"{bucket.key}.{os.getpid()}"
        with contextlib.suppress(OSError):
            try:
                unfinished.write_bytes(bucket.bytecode_to_string())
                unfinished.replace(FOLDER / bucket.key)
            except OSError:
                unfinished.unlink()
                raise
