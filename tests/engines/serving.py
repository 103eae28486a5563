"""A Spark Connect server in a process of its own, which a test can kill: Sail, which needs no Java."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from tests.command import ended

_SERVER = """
import os, sys
import pyspark.sql.connect.session  # what the server asks for later, as somebody who may not read it
from pysail.spark import SparkConnectServer
if len(sys.argv) > 1:
    os.setuid(int(sys.argv[1]))
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


@contextmanager
def serving(user: int | None = None) -> Iterator[tuple[str, subprocess.Popen[Any]]]:
    """The address of a server and its process, which runs as a user if one is given.

    Results are not attached to again meanwhile: Sail 0.7.2 now and then waited for ever where a client
    releases what it has read of one.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, *([str(user)] if user is not None else [])],
        env={**os.environ, "RUST_LOG": "off"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    from pyspark.sql.connect.client import SparkConnectClient

    begin = SparkConnectClient.__init__

    def begun(self: Any, *given: Any, **named: Any) -> None:
        begin(self, *given, **named | {"use_reattachable_execute": False})

    with ended(process), mock.patch.object(SparkConnectClient, "__init__", begun):
        assert process.stdout is not None
        yield f"sc://127.0.0.1:{int(process.stdout.readline())}", process
