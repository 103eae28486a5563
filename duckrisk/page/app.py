"""The routes of the page: one view, a post for each move, and the files of an export."""

from __future__ import annotations

import mimetypes
import secrets
from collections.abc import Callable, Mapping

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.page.board import Board
from duckrisk.page.security import Gate, Guard, get_fields, write_policy
from duckrisk.page.view import render_page
from duckrisk.report.words import Words

_Fields = Mapping[str, str]


def make_app(board: Board, gate: Gate, stop: Callable[[], None]) -> Starlette:
    """Make the page.

    Args:
        board: The state and the jobs.
        gate: The secrets of the run.
        stop: Ends the run.
    """
    moves: dict[str, Callable[[_Fields], None]] = {
        "/table": lambda fields: board.choose_table(_number(fields, "table")),
        "/role": lambda fields: board.declare(_number(fields, "column"), fields.get("role", "")),
        "/policy": lambda fields: board.choose_policy(fields.get("policy", "")),
        "/form": lambda fields: board.publish(_number(fields, "column"), _number(fields, "level")),
        "/classes": lambda fields: board.make_classes(_number(fields, "k")),
        "/below": lambda fields: board.delete_below(_number(fields, "below")),
        "/way": lambda fields: board.take_way(_number(fields, "line")),
        "/undo": lambda fields: board.undo(),
        "/cancel": lambda fields: board.desk.cancel(),
        "/resume": lambda fields: board.resume(),
        "/advice": lambda fields: board.want_advice(),
        "/export": lambda fields: board.want_export(),
    }
    #: Moves that change nothing that an older form could mean otherwise.
    harmless = ("/cancel", "/resume")

    def show(request: Request) -> Response:
        nonce = secrets.token_urlsafe(16)
        text = render_page(board, gate, nonce, is_stale="stale" in request.query_params)
        return HTMLResponse(text, headers={"Content-Security-Policy": write_policy(nonce)})

    def move(request: Request) -> Response:
        path, fields = request.url.path, get_fields(request.scope)
        with board.lock:
            if path not in harmless and fields.get("seen") != f"{board.count}":
                return RedirectResponse("/?stale", 303)
            try:
                moves[path](fields)
            except UsageError as error:
                return PlainTextResponse(str(error), 400)
        board.update()
        return RedirectResponse(f"/#{fields['at']}" if fields.get("at", "").isalpha() else "/", 303)

    def end(request: Request) -> Response:
        stop()
        words = Words(board.opening.report_language)
        return PlainTextResponse(words.format(Sentence("page.ending")))

    def download(request: Request) -> Response:
        name = request.path_params["name"]
        path = board.find_file(name)
        if path is None:
            return PlainTextResponse("not found", 404)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        # Whatever it holds, the browser saves it and shows nothing of it as a page of this origin.
        return FileResponse(path, media_type=kind, filename=name, content_disposition_type="attachment")

    return Starlette(
        routes=[
            Route("/", show, methods=["GET"]),
            *(Route(path, move, methods=["POST"]) for path in moves),
            Route("/end", end, methods=["POST"]),
            Route("/files/{name}", download, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, gate=gate)],
    )


def _number(fields: _Fields, name: str) -> int:
    """Return a field that holds a small whole number.

    Raises:
        UsageError: It holds something else.
    """
    text = fields.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UsageError("page.unknown_choice")
    return int(text)
