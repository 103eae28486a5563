"""A headless Chromium for tests of pages."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

#: What the browser answers where the page changed between question and answer.
LEFT = ("Inspected target navigated or closed", "Cannot find default execution context")


class PageLeftError(Exception):
    """The page that was asked has been left for another."""


def find_browser() -> str:
    """The Chromium of this machine; a test that needs one skips without."""
    names = ("chromium", "chromium-browser", "google-chrome")
    binary = next(filter(None, map(shutil.which, names)), None)
    if binary is None or os.name != "posix":
        pytest.skip("no Chromium on this machine: pages are not opened in a real browser")
    return binary


def open_browser(profile: Path) -> Iterator[Browser]:
    """A headless Chromium for a fixture; skips the test on a machine without one."""
    made = Browser(find_browser(), profile)
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
        if answer.get("error", {}).get("message") in LEFT:
            raise PageLeftError(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, page: Path | str) -> None:
        """Open a page and wait until it is loaded; what the page before it said is forgotten."""
        self.ask("Page.stopLoading")
        self.events.clear()
        self.ask("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def value(self, script: str) -> Any:
        """Evaluate an expression that changes nothing; again where the page was left meanwhile."""
        for _ in range(20):
            with contextlib.suppress(PageLeftError):
                return self._evaluate(script)
            time.sleep(0.1)
        raise AssertionError(f"the page was left for another all the time: {script}")

    def _evaluate(self, script: str) -> Any:
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    # --- what a person does ----------------------------------------------------------------------

    def show_as(self, width: int, height: int = 900, *, dark: bool = False, scripts: bool = True) -> None:
        """Set the size of the window, its colours, and whether pages may run scripts."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)

    def click(self, selector: str) -> None:
        """Click the middle of an element with the mouse, as a person does."""
        place = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        assert place, selector
        for kind in ("mousePressed", "mouseReleased"):
            self.ask(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1
            )

    def press(self, key: str, code: int, text: str = "", modifiers: int = 0) -> None:
        """Press a key."""
        kinds = ("keyDown", "keyUp") if text else ("rawKeyDown", "keyUp")
        for kind in kinds:
            more = {"text": text} if text and kind == "keyDown" else {}
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
                **more,
            )

    def wait_for(self, script: str, seconds: float = 30) -> Any:
        """Wait until an expression is true of the page."""
        end = time.monotonic() + seconds
        while not (value := self.value(script)):
            assert time.monotonic() < end, (script, self.value("document.body && document.body.innerText"))
            time.sleep(0.05)
        return value

    def take_picture(self, path: Path) -> None:
        """Write a picture of the whole page."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        made = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(made["data"]))

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
