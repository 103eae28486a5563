"""Serves the page on this machine alone, until a person ends it or nobody asks any more."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Callable

import uvicorn

from duckrisk.base.errors import UsageError
from duckrisk.page.app import make_app
from duckrisk.page.board import Board
from duckrisk.page.security import Gate

#: Seconds without a request, after which the page ends (a choice: a lunch is longer, a thought is shorter).
IDLE = 30 * 60.0
#: Seconds between two looks at the clock (a choice: nobody waits for it).
_LOOK = 1.0
#: Only this machine reaches the page, whatever its network.
_LOOPBACK = "127.0.0.1"


def serve(board: Board, announce: Callable[[str], None], port: int = 0, idle: float = IDLE) -> None:
    """Serve the page until it ends.

    Args:
        board: The state and the jobs; its source is open.
        announce: Called with the first address.
        port: The port; 0 takes a free one.
        idle: Seconds without a request, after which the page ends.

    Raises:
        UsageError: The port is not free.
    """
    listening = _listen(port)
    gate = Gate(f"http://{_LOOPBACK}:{listening.getsockname()[1]}")

    async def watch(server: uvicorn.Server) -> None:
        while not server.should_exit:
            await asyncio.sleep(_LOOK)
            if time.monotonic() - gate.asked > idle:
                server.should_exit = True

    @contextlib.asynccontextmanager
    async def live(_: object) -> AsyncIterator[None]:
        task = asyncio.create_task(watch(server))
        announce(gate.address)  # who asks now waits until the page is served
        yield
        task.cancel()

    def stop() -> None:
        server.should_exit = True

    app = make_app(board, gate, stop)
    app.router.lifespan_context = live
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            ws="none",
            h11_max_incomplete_event_size=16 * 2**10,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
        )
    )
    board.desk.start()
    try:
        server.run([listening])
    finally:
        listening.close()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind((_LOOPBACK, port))
        listening.listen()
    except OSError:
        listening.close()
        raise UsageError("page.port_taken", port=port) from None
    return listening
