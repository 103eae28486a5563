"""Translates errors of the engine into sentences of duckrisk; its own messages can quote values."""

from __future__ import annotations

import os
import re

from duckrisk.base.errors import (
    DuckriskError,
    EngineError,
    Interrupted,
    MemoryEndedError,
    SourceError,
    UsageError,
    format_message,
)
from duckrisk.base.files import find_write_error
from duckrisk.base.options.source import Resources
from duckrisk.engine.spark.protocol import StatementStoppedError

#: Anchored, so that a value quoted in a message cannot pass for the engine's own words.
_LINE = re.compile(r"(?:Invalid Input|Conversion) Error: CSV Error on Line: (\d+)\n")
_JSON = re.compile(r"Invalid Input Error: Malformed JSON in file ")
_PARQUET = re.compile(
    r"Invalid Input Error: (?:No magic bytes found at end of file|Footer length error in file|"
    r"Failed to read(?: Parquet)? file|Invalid string encoding found in Parquet file|Parquet file|File) "
    r"""(?:'([^']+)'|"([^"]+)"|\(([^)]+)\))"""
)
_DAMAGED = re.compile(
    r"""Invalid Input Error: [^'":]*"""
    r"(?:corrupt|parquet|thrift|decompress|stats size|perfect hash|invalid unicode)",
    re.IGNORECASE,
)


def is_interrupt(error: BaseException) -> bool:
    """Return whether an interrupt ended the statement that raised an error."""
    import duckdb

    return isinstance(error, (duckdb.InterruptException, StatementStoppedError))


def translate_error(error: BaseException, resources: Resources) -> DuckriskError:
    """Translate an error of the engine into one that quotes no value of the data.

    Args:
        error: What the engine or the file system raised.
        resources: Limits of the session, named in the sentence.

    Returns:
        The error to raise.
    """
    import duckdb

    text = str(error)
    if isinstance(error, (KeyboardInterrupt, duckdb.InterruptException, StatementStoppedError)):
        return Interrupted("session.interrupted")
    if (unwritten := find_write_error(error)) is not None:
        return unwritten
    can_be_full = isinstance(error, (duckdb.IOException, duckdb.OutOfMemoryException, OSError))
    if can_be_full and ("No space left on device" in text or "max_temp_directory_size" in text):
        return EngineError("session.temporary_disk_full")
    if isinstance(error, (duckdb.OutOfMemoryException, MemoryError)):
        limit = f" of {resources.memory}" if resources.memory else ""
        return MemoryEndedError("session.out_of_memory", limit=limit)
    if line := _LINE.match(text):
        return SourceError("session.malformed_line", group=line.group(1))
    if isinstance(error, duckdb.InvalidInputException) and _JSON.match(text):
        return SourceError("session.malformed_json")
    if isinstance(error, duckdb.InvalidInputException):
        if file := _PARQUET.match(text):
            name = os.path.basename(next(filter(None, file.groups())))
            return SourceError("session.parquet_damaged", name=name)
        if _DAMAGED.match(text):
            return SourceError("session.file_damaged_or_cut_short")
    conversions = (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.OutOfRangeException)
    if isinstance(error, conversions):
        return SourceError("session.value_does_not_fit")
    if isinstance(error, duckdb.PermissionException):
        return UsageError("session.other_file_in_query")
    if "Could not set lock on file" in text:
        return SourceError("session.database_locked")
    if "database file with version number" in text:
        return SourceError("session.database_of_newer_version", version=duckdb.__version__)
    if isinstance(error, duckdb.IOException) or text.startswith("Corrupt database file"):
        return SourceError("session.source_unreadable")
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException)):
        return SourceError("session.names_or_types_differ")
    if type(error) is duckdb.Error:  # raised by readers of file formats, as TProtocolException
        return SourceError("session.file_damaged_or_cut_short")
    if isinstance(error, duckdb.Error):
        kind = type(error).__name__.removesuffix("Exception")
        return EngineError("session.engine_failed", kind=kind, version=duckdb.__version__)
    if isinstance(error, OSError):
        return SourceError("session.file_unreadable")
    return EngineError("session.unexpected_failure", name=type(error).__name__)


def describe_refused_setting(error: BaseException, resources: Resources) -> str:
    """Describe in a sentence which setting the engine refused.

    Args:
        error: What the engine raised when it was started.
        resources: The limits it was started with.
    """
    import duckdb

    if isinstance(error, duckdb.OutOfMemoryException):
        return format_message("session.memory_too_small", memory=resources.memory)
    if resources.memory is not None and "memory" in str(error).lower():
        return format_message("session.invalid_memory", memory=resources.memory)
    return format_message("session.setting_refused")
