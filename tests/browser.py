"""A real browser for tests of pages."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def open_browser(profile: Path) -> Iterator[Browser]:
    """A headless Chromium for a fixture; skips the test on a machine without one."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if binary is None or os.name != "posix":
        pytest.skip("no Chromium on this machine: pages are not opened in a real browser")
    made = Browser(binary, profile)
    yield made
    made.close()


class Browser:
    """A headless Chromium, spoken to over two pipes; events are kept."""

    def __init__(self, binary: str, profile: Path) -> None:
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()

        def place() -> None:  # the browser reads from descriptor 3 and writes to 4
            spare = [os.dup(to_child), os.dup(from_child)]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [binary, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_child)
        os.close(from_child)
        self.rest, self.count, self.session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def message(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            got = os.read(self.read_end, 1 << 20)
            if not got:
                raise EOFError("the browser has gone")
            self.rest += got
        first, self.rest = self.rest.split(b"\0", 1)
        return json.loads(first)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.count += 1
        question: dict[str, Any] = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.write_end, json.dumps(question).encode() + b"\0")
        while (answer := self.message()).get("id") != self.count:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, path: Path) -> None:
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def value(self, script: str) -> Any:
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def close(self) -> None:
        self.session = ""
        with contextlib.suppress(Exception):
            self.ask("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)
