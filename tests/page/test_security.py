"""Nobody but the page's own browser gets an answer, and no answer allows more than it has to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from duckrisk.page.security import MAX_BODY
from tests.page.opened import ORIGIN, Page, opened, patients

ROUTES = ["/", "/files/release.parquet", "/nothing"]
MOVES = [
    "/role",
    "/policy",
    "/form",
    "/below",
    "/way",
    "/undo",
    "/cancel",
    "/resume",
    "/advice",
    "/export",
    "/end",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with opened(patients(tmp_path_factory.mktemp("page"))) as made:
        yield made


def stranger(page: Page) -> TestClient:
    """A client without the cookie."""
    return TestClient(page.app, base_url=ORIGIN, follow_redirects=False)


def state_of(page: Page) -> Any:
    return page.board.history, page.board.count


def test_the_ticket_is_good_once(page: Page) -> None:
    with stranger(page) as other:
        for ticket in (page.gate.ticket, "", "x", "é", page.gate.ticket[:-1]):
            answer = other.get("/", params={"ticket": ticket})
            assert answer.status_code == 403
            assert "set-cookie" not in answer.headers


def test_the_cookie_is_for_this_browser_alone(tmp_path: Path) -> None:
    with opened(patients(tmp_path)) as made:
        made.gate._is_used = False
        with stranger(made) as other:
            answer = other.get(f"/?ticket={made.gate.ticket}", headers={"Sec-Fetch-Site": "cross-site"})
        cookie = answer.headers["set-cookie"].lower()
        assert answer.status_code == 200
        assert 'content="0;url=/"' in answer.text
        for part in ("httponly", "samesite=strict", "path=/"):
            assert part in cookie
        assert "domain" not in cookie


@pytest.mark.parametrize(
    "other",
    ['pref={"a":1}', "path=/1", "x=a b", "a[b]=1", "=1", "flag", "", '"', "x=é", "secure", "version=1"],
)
def test_cookies_of_other_ports_do_not_lock_out(page: Page, other: str) -> None:
    own = f"{page.gate.cookie}={page.gate._session}"
    for cookies in (f"{other}; {own}", f"{own}; {other}", f"{other};{own};{other}"):
        with stranger(page) as client:
            assert client.get("/", headers={"Cookie": cookies.encode()}).status_code == 200
    for cookies in (other, f"{other}; {own}x", f"{other}; x{own}", f'{other}; x="{own}"'):
        with stranger(page) as client:
            assert client.get("/", headers={"Cookie": cookies.encode()}).status_code == 403


@pytest.mark.parametrize("route", ROUTES)
def test_without_the_cookie_there_is_nothing(page: Page, route: str) -> None:
    with stranger(page) as other:
        for cookie in ({}, {page.gate.cookie: "x"}, {page.gate.cookie: page.gate.ticket}):
            other.cookies.update(cookie)
            answer = other.get(route)
            assert answer.status_code == 403
            assert "patient" not in answer.text


@pytest.mark.parametrize("move", MOVES)
def test_without_the_cookie_nothing_moves(page: Page, move: str) -> None:
    before = state_of(page)
    with stranger(page) as other:
        signed = {"token": page.gate.sign(move), "seen": f"{page.board.count}"}
        assert other.post(move, data=signed, headers={"Origin": ORIGIN}).status_code == 403
    assert state_of(page) == before
    assert page.ends == 0


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:4321", "localhost:4321", "127.0.0.1", "127.0.0.1:80", "127.0.0.2:4321",
     "[::1]:4321", "127.0.0.1:4321.evil.example", ""],
)  # fmt: skip
def test_a_name_that_leads_here_is_refused(page: Page, host: str) -> None:
    """DNS rebinding: the browser sends the cookie of another host, or none, but its name as host."""
    answer = page.client.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "patient" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:4321"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "same-site"},
        {},
    ],
)
@pytest.mark.parametrize("move", MOVES)
def test_another_site_cannot_post(page: Page, move: str, headers: dict[str, str]) -> None:
    before = state_of(page)
    fields = {"token": page.gate.sign(move), "seen": f"{page.board.count}", "policy": "internal"}
    assert page.client.post(move, data=fields, headers=headers).status_code == 403
    assert state_of(page) == before
    assert page.ends == 0


def test_another_site_cannot_read(page: Page) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = page.client.get("/", headers=headers)
        assert answer.status_code == 403
        assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_other_methods_are_refused(page: Page, method: str) -> None:
    answer = page.client.request(method, "/", headers={"Access-Control-Request-Method": "POST"})
    assert answer.status_code == 405
    assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("move", MOVES)
def test_each_form_has_a_token_of_its_own(page: Page, move: str) -> None:
    before = state_of(page)
    for token in ("", "x", "é", page.gate.sign("/other"), page.gate.sign(move)[:-1]):
        fields = {"token": token, "seen": f"{page.board.count}"}
        assert page.client.post(move, data=fields, headers={"Origin": ORIGIN}).status_code == 403
    assert state_of(page) == before


def test_a_body_is_a_small_form(page: Page) -> None:
    signed = f"token={page.gate.sign('/policy')}&seen={page.board.count}&policy=shared"
    form = {"Origin": ORIGIN, "Content-Type": "application/x-www-form-urlencoded"}
    before = state_of(page)
    for code, content, headers in (
        (413, signed + "&more=" + "x" * MAX_BODY, form),
        (415, signed, form | {"Content-Type": "text/plain"}),
        (415, signed, form | {"Content-Type": "application/json"}),
        (415, signed, form | {"Content-Type": "multipart/form-data; boundary=x"}),
        (400, signed + "&x=1" * 50, form),
        (400, b"\xff\xfe=\xff", form),
    ):
        assert page.client.post("/policy", content=content, headers=headers).status_code == code
    assert page.client.post("/policy", content=iter([b"x" * 1000] * 100), headers=form).status_code == 413
    assert state_of(page) == before


@pytest.mark.parametrize(
    "path",
    ["/files/../duckrisk.toml", "/files/..%2f..%2fetc%2fpasswd", "/files/%2e%2e/owner", "/files/owner",
     "/files//etc/passwd", "/files/", "/files/duckrisk.toml%00", "/files/duckrisk.toml/", "//etc/passwd",
     "/etc/passwd", "/files/export", "/static/page.js", "/files/C:%5Cwindows%5Cwin.ini",
     "/%2e%2e/%2e%2e/etc/passwd"],
)  # fmt: skip
def test_no_path_leads_to_a_file(page: Page, path: str) -> None:
    answer = page.client.get(path)
    assert answer.status_code in (400, 404, 405)
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    ("move", "fields"),
    [
        ("/role", {"column": "0", "role": "admin"}),
        ("/role", {"column": "99", "role": "user"}),
        ("/role", {"column": "-1", "role": "user"}),
        ("/role", {"role": "user"}),
        ("/policy", {"policy": "../public"}),
        ("/policy", {}),
        ("/form", {"column": "0", "level": "99"}),
        ("/form", {"column": "1e3", "level": "1"}),
        ("/form", {"column": "٣", "level": "1"}),
        ("/form", {"column": "1" * 5000, "level": "1"}),
        ("/below", {"below": "7"}),
        ("/below", {"below": "-3"}),
        ("/way", {"line": "1"}),
        ("/way", {"line": "0"}),
    ],
)
def test_only_choices_of_the_page_are_taken(page: Page, move: str, fields: dict[str, str]) -> None:
    before = state_of(page)
    answer = page.post(move, **fields)
    assert answer.status_code == 400
    assert answer.text == "The page has no such choice; reload it."
    assert state_of(page) == before


def test_the_headers_of_every_answer(page: Page) -> None:
    nonces = set()
    for path in (*ROUTES, "/?stale"):
        answer = page.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        for name, value in (
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ):
            assert answer.headers[name] == value
        assert "server" not in answer.headers
        nonces.add(policy.partition("nonce-")[2][:22])
    assert len(nonces) == 3  # two pages, and none for other answers
    with stranger(page) as other:
        assert other.get("/").headers["content-security-policy"].startswith("default-src 'none'")


def test_the_page_loads_nothing(page: Page) -> None:
    html = page.settle()
    assert html.count("<script") == 1
    script = html.partition("<script")[2].partition("</script>")[0]
    assert script.count("\n") <= 61  # at most 60 lines, and the end of the element's own
    for word in ("http:", "https:", "//cdn", " src=", "@import", "url(", "onclick", "onload", "style="):
        assert word not in html, word


def test_no_other_protocol_is_spoken(page: Page) -> None:
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    asyncio.run(
        page.app({"type": "websocket", "path": "/", "headers": [], "query_string": b""}, receive, send)
    )
    assert [message for message in said if message["type"] == "websocket.accept"] == []
