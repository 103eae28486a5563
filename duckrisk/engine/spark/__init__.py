"""Distributed engines, which run the wide statements of a run: those that read all records.

A statement with ``runs: wide`` in its header reads the assessed records, or a table made of them. The engine
that holds the records runs it in its own dialect. All other statements run in the local DuckDB, on the small
results of the wide ones.
"""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.engine.spark import spark
from duckrisk.engine.spark.protocol import Engine as Engine
from duckrisk.engine.spark.protocol import StatementStoppedError as StatementStoppedError

__all__ = ["Engine", "StatementStoppedError", "open_engine"]


def open_engine(address: str, scratch: str | None, folder: str) -> Engine:
    """Connect to the distributed engine at an address.

    Args:
        address: Such as ``sc://host:15002`` or ``spark://local[2]``.
        scratch: A folder that the engine and this machine see, for tables of the run; None for its cache.
        folder: A private folder of the run on this machine.

    Returns:
        The engine, ready for statements.

    Raises:
        UsageError: The address is of no engine, or the client of the engine is not installed.
        EngineError: The engine does not answer.
    """
    scheme, colon, rest = address.partition("://")
    if not colon or not rest or scheme not in spark.SCHEMES:
        raise UsageError("engines.invalid_address", address=address.partition(";")[0])
    return spark.connect(scheme, rest, scratch, folder)
