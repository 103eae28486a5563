"""The real server: this machine alone, and nothing left however it ends."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from duckrisk.base.errors import UsageError
from duckrisk.page.board import Board
from duckrisk.page.serving import serve
from tests.command import command, environment
from tests.page.opened import Page, patients


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """`duckrisk open` in a process of its own: the process, its port and its ticket."""
    (folder / "temp").mkdir(exist_ok=True)
    words = [sys.executable, "-m", "duckrisk", "open", "--no-browser", *options, str(patients(folder))]
    there = environment() | {"DUCKRISK_TEMP": str(folder / "temp")}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=there) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?ticket=(\S+)", process.stdout.readline())
            assert found
            yield process, int(found[1]), found[2]
        finally:
            process.kill()


def ask(port: int, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


def enter(port: int, ticket: str) -> str:
    """Exchange the ticket; return the cookie."""
    answer = ask(port, f"/?ticket={ticket}")
    assert answer.status == 200
    return str(answer.getheader("set-cookie")).partition(";")[0]


def left(folder: Path) -> list[str]:
    return [path.name for path in (folder / "temp").iterdir()]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_nothing_is_left(tmp_path: Path, number: int, code: int) -> None:
    with running(tmp_path) as (process, port, ticket):
        cookie = enter(port, ticket)
        assert ask(port, "/", Cookie=cookie).status == 200
        assert left(tmp_path)
        process.send_signal(number)
        assert process.wait(30) == code
    assert left(tmp_path) == []


def test_only_this_machine_reaches_it(tmp_path: Path) -> None:
    with running(tmp_path) as (_, port, ticket):
        addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for address in addresses - {"127.0.0.1"}:
            with socket.socket() as other:
                other.settimeout(2)
                assert other.connect_ex((str(address), port)) != 0
        assert ask(port, f"/?ticket={ticket}", Host="evil.example").status == 421
        assert enter(port, ticket)


def test_the_browser_goes_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    with running(tmp_path) as (_, port, ticket):
        cookie = enter(port, ticket)
        head = f"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
        for sent in (
            b"GET / HTTP/1.1\r\nHost:",
            f"GET / {head}\r\n".encode(),
            f"POST /role {head}Content-Length: 9000\r\n\r\nx".encode(),
            b"\x16\x03\x01\x02\x00\x01",
            b"GET http://evil.example/ HTTP/1.1\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", port), 5) as gone:
                gone.sendall(sent)
        assert ask(port, "/", Cookie=cookie).status == 200


def test_it_ends_when_nobody_asks(tmp_path: Path) -> None:
    page = Page.of(patients(tmp_path))
    announced: list[str] = []
    page.board.open_source(None)
    server = threading.Thread(target=serve, args=(page.board, announced.append), kwargs={"idle": 1.0})
    server.start()
    server.join(20)
    assert not server.is_alive()
    assert len(announced) == 1
    folder = page.board.bench.folder
    assert folder.exists()
    page.board.close()
    assert not folder.exists()


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    page = Page.of(patients(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="is taken"):
            serve(page.board, print, taken.getsockname()[1])


def test_no_argument_of_the_browser_holds_the_ticket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All users of a machine can read arguments; the file that leads to the page is for one, and goes."""
    opened: list[str] = []
    tickets: list[str] = []

    def ask_once(board: Board, announce: Callable[[str], None], port: int) -> None:
        announce("http://127.0.0.1:1/?ticket=secret")
        for _ in range(500):
            if opened:
                break
            time.sleep(0.01)
        path = Path(url2pathname(urlsplit(opened[0]).path))
        assert path.parent == board.bench.folder
        assert path.stat().st_mode & 0o777 == 0o600
        tickets.append(path.read_text(encoding="utf-8"))

    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("duckrisk.page.serving.serve", ask_once)
    assert command("open", patients(tmp_path)).code == 0
    assert opened[0].startswith("file://")
    assert "ticket" not in opened[0]
    assert "?ticket=secret" in tickets[0]
    assert not Path(url2pathname(urlsplit(opened[0]).path)).exists()


def test_faults_are_said_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words, code in (((), 2), (("-",), 2), (("nowhere.parquet",), 3)):
        done = command("open", *words)
        assert (done.code, done.out) == (code, "")
        assert done.err.count("\n") == 1
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = command("open", "t.parquet")
    assert done.code == 2
    assert "pip install 'duckrisk[page]'" in done.err


def test_other_commands_do_not_read_the_page(tmp_path: Path) -> None:
    code = (
        "import sys; from duckrisk import cli; cli.app_of('assess');"
        "print([m for m in sys.modules if m in ('starlette', 'uvicorn') or m.startswith('duckrisk.page')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.stdout.strip() == "[]"
