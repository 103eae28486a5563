"""Distributed engines: where the wide statements of a run are executed, those that read all records.

A statement whose header says ``runs: wide`` reads the assessed records, or a table made of them; the engine
that holds these runs it, in its own dialect. All others run in the local DuckDB, on the small tables that
wide statements gave.
"""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.engine.spark import spark
from duckrisk.engine.spark.protocol import Engine as Engine
from duckrisk.engine.spark.protocol import Stopped as Stopped

__all__ = ["Engine", "Stopped", "open_engine"]


def open_engine(address: str, scratch: str | None, folder: str) -> Engine:
    """The engine at an address, such as ``sc://host:15002`` or ``spark://local[2]``. ``scratch`` is a folder
    that it and this machine see, ``folder`` a private one of the run.

    Raises UsageError for an address of no engine, or where its client is not installed.
    """
    scheme, colon, rest = address.partition("://")
    if not colon or not rest or scheme not in spark.SCHEMES:
        raise UsageError("engines.no_address", address=address)
    return spark.connect(scheme, rest, scratch, folder)
