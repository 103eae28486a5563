"""Who may ask the page, and what its answers allow: one browser on this machine, nothing from elsewhere."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Bytes of a request: a form has some hundred (a choice: nothing is uploaded).
MAX_BODY = 64 * 2**10
#: Fields of a form (derived: one choice and its tokens).
_MAX_FIELDS = 8
#: Headers of every answer, besides its policy. Nothing else may read, frame, keep or learn of the page.
#: Without any referrer a browser would send no origin with a form.
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def write_policy(nonce: str) -> str:
    """Write the content security policy of a page whose style and script have a nonce."""
    return (
        f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; "
        "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


@dataclass
class Gate:
    """The secrets of one run, and when somebody last asked.

    Attributes:
        origin: Scheme, host and port of the page.
    """

    origin: str
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _is_used: bool = False
    asked: float = field(default_factory=time.monotonic)

    @property
    def host(self) -> str:
        """The only host that the page answers for."""
        return self.origin.partition("//")[2]

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies are of a host, whatever its port."""
        return f"duckrisk-{self.host.rpartition(':')[2]}"

    @property
    def address(self) -> str:
        """The first address, whose ticket is good once."""
        return f"{self.origin}/?ticket={self.ticket}"

    def admit(self, ticket: str) -> str | None:
        """Exchange the ticket for a session; None for a wrong or used one."""
        if self._is_used or not _is_equal(ticket, self.ticket):
            return None
        self._is_used = True
        return self._session

    def knows(self, cookies: str) -> bool:
        """Return whether cookies hold the session.

        Cookies have no port: others that this host was given come, too, however they are written.
        """
        pairs = [part.partition("=") for part in cookies.split(";")]
        held = [value.strip() for name, _, value in pairs if name.strip() == self.cookie]
        return any(_is_equal(value, self._session) for value in held)

    def sign(self, path: str) -> str:
        """Return the token of the form that posts to a path."""
        return hmac.new(self._key, path.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def is_signed(self, path: str, token: str) -> bool:
        """Return whether a token is that of the form of a path."""
        return _is_equal(token, self.sign(path))


def _is_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode())


class Guard:
    """Lets through what this page's own browser asks, and adds the headers of every answer.

    Args:
        app: The page.
        gate: The secrets.
    """

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks another protocol
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
            await send(message)

        refused = self._refuse(scope)
        if refused is None and scope["method"] == "POST":
            body = await _read_body(receive)
            refused = self._refuse_form(scope, body)
        if refused is not None:
            await refused(scope, receive, send_guarded)
            return
        self._gate.asked = time.monotonic()
        await self._app(scope, receive, send_guarded)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that is not of this page's browser."""
        headers, gate = Headers(scope=scope), self._gate
        if scope["method"] not in ("GET", "POST"):
            return PlainTextResponse("method not allowed", 405)
        if headers.getlist("host") != [gate.host]:
            return PlainTextResponse("wrong host", 421)
        if headers.get("origin", gate.origin) != gate.origin:
            return PlainTextResponse("wrong origin", 403)
        is_known = gate.knows("; ".join(headers.getlist("cookie")))
        if not is_known and (session := self._admit(scope)) is not None:
            # To a browser the file that led here is another site: after a redirect it would send no cookie.
            answer = HTMLResponse('<!DOCTYPE html>\n<meta http-equiv="refresh" content="0;url=/">\n')
            answer.set_cookie(gate.cookie, session, httponly=True, samesite="strict", path="/")
            return answer
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("asked by another site", 403)
        if is_known:
            return None
        return PlainTextResponse("Open the address that duckrisk printed; it is good once.", 403)

    def _admit(self, scope: Scope) -> str | None:
        """Return the session of a request with the ticket; None without a good one."""
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=None))
        is_first = scope["method"] == "GET" and scope["path"] == "/" and "ticket" in query
        return self._gate.admit(query["ticket"]) if is_first else None

    def _refuse_form(self, scope: Scope, body: bytes | None) -> Response | None:
        """Return the refusal of a form; None keeps its fields in the scope."""
        headers = Headers(scope=scope)
        if headers.get("origin") != self._gate.origin:
            return PlainTextResponse("no origin", 403)
        if body is None:
            return PlainTextResponse("too large", 413)
        if headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
            return PlainTextResponse("not a form", 415)
        try:
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MAX_FIELDS))
        except ValueError:
            return PlainTextResponse("not a form", 400)
        if not self._gate.is_signed(scope["path"], fields.pop("token", "")):
            return PlainTextResponse("not a form of this page", 403)
        scope["duckrisk.fields"] = fields
        return None


async def _read_body(receive: Receive) -> bytes | None:
    """Read the body of a request; None if it is too long."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > MAX_BODY:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return body


def get_fields(scope: Scope) -> Mapping[str, str]:
    """Return the fields of a form that the guard let through."""
    fields: Mapping[str, str] = scope["duckrisk.fields"]
    return fields
