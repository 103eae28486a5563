"""Opens a session of a Spark Connect server, and finds out why one does not answer."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable
from typing import Any

from duckrisk.base.errors import EngineError, UsageError

#: Seconds for a server to connect (a choice: the client itself would try for minutes).
_CONNECT_SECONDS = 6.0
#: Seconds to find out why it did not (a choice: with those above and the start of the client, 10).
_FAULT_SECONDS = 1.0
#: Seconds for a server that has connected to open a session (a choice: a cold one took 9 on a busy machine).
_SESSION_SECONDS = 120.0
#: The port of an address without one (the default of Spark Connect).
_DEFAULT_PORT = 15002
_ADDRESS = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s/:;\[\]]+)(?::(?P<port>\d{1,5}))?/?(?:;.*)?", re.DOTALL
)
_LOGIN_REFUSED = re.compile("UNAUTHENTICATED|PERMISSION_DENIED|INSUFFICIENT_PERMISSION")


def show_address(rest: str) -> str:
    """Return the address of a server without its parameters, which can hold a token."""
    return "sc://" + re.split("[/;]", rest, maxsplit=1)[0]


def open_session(rest: str) -> Any:
    """Open a session of a Spark Connect server.

    Args:
        rest: The address after ``sc://``: HOST:PORT, and parameters.

    Returns:
        The session; its server has answered.

    Raises:
        UsageError: The address is malformed.
        EngineError: No Spark Connect server answers there; the error says why.
    """
    from pyspark.sql import SparkSession  # type: ignore[import-not-found,unused-ignore]
    from pyspark.sql.connect.client import core  # type: ignore[import-not-found,unused-ignore]

    match, address = _ADDRESS.fullmatch(rest), show_address(rest)
    port = int(match["port"] or _DEFAULT_PORT) if match is not None else 0
    if match is None or not 0 < port < 2**16:
        raise UsageError("engines.invalid_address", address=address)
    try:  # Spark 3.5 has one class for both
        build: Any = getattr(core, "DefaultChannelBuilder", core.ChannelBuilder)
        builder = build(f"sc://{rest}")
    except ValueError:  # the parameters
        raise UsageError("engines.invalid_parameters", address=address) from None
    state = _await_connection(builder.toChannel())
    if state != "READY":
        raise _find_fault(match["host"].strip("[]"), port, state, address)
    session = SparkSession.builder.remote(f"sc://{rest}").create()
    _limit_retries(session)
    try:
        _run_within(_SESSION_SECONDS, lambda: session.version)
    except TimeoutError:
        raise EngineError("engines.no_answer", address=address) from None
    except Exception as error:
        if _LOGIN_REFUSED.search(str(error)):
            raise EngineError("engines.login_refused", address=address) from None
        if "UNAVAILABLE" in str(error):
            raise EngineError("engines.no_answer", address=address) from None
        raise EngineError("engines.other_server", address=address) from None
    return session


def _await_connection(channel: Any) -> str:
    """Return READY or TRANSIENT_FAILURE, or the state when the time is over."""
    states, has_ended = ["IDLE"], threading.Event()

    def record_state(state: Any) -> None:
        states.append(state.name)
        if state.name in ("READY", "TRANSIENT_FAILURE"):
            has_ended.set()

    channel.subscribe(record_state, try_to_connect=True)
    has_ended.wait(_CONNECT_SECONDS)
    channel.close()
    return next((state for state in states if state in ("READY", "TRANSIENT_FAILURE")), states[-1])


def _find_fault(host: str, port: int, state: str, address: str) -> EngineError:
    """Return the error for a server that a channel in this state does not reach."""
    try:
        _run_within(_FAULT_SECONDS, lambda: socket.create_connection((host, port), _FAULT_SECONDS).close())
    except socket.gaierror:
        return EngineError("engines.unknown_host", address=address)
    except ConnectionRefusedError:
        return EngineError("engines.nothing_listens", address=address)
    except OSError:  # a TimeoutError among them
        return EngineError("engines.no_answer", address=address)
    if state == "TRANSIENT_FAILURE":
        return EngineError("engines.other_server", address=address)
    return EngineError("engines.no_answer", address=address)


def _run_within(seconds: float, function: Callable[[], Any]) -> None:
    """Run a function in a thread, and give it up if it takes longer.

    Raises:
        TimeoutError: It takes longer.
        Exception: What it raised.
    """
    raised: list[Exception] = []

    def run() -> None:
        try:
            function()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="duckrisk-connect", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError
    if raised:
        raise raised[0]


def _limit_retries(session: Any) -> None:
    """Limit retries of a lost connection to seconds instead of minutes."""
    with contextlib.suppress(Exception):
        from pyspark.sql.connect.client.retries import DefaultPolicy  # type: ignore[import-not-found,unused-ignore]

        # A statement retries in up to three rounds, here of 2 seconds each.
        session.client.set_retry_policies([DefaultPolicy(max_retries=4, max_backoff=1000)])
