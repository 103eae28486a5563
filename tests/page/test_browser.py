"""The page in a real browser: by clicks, by keys alone, without scripts, in both widths and colours."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from duckrisk.cli.open import write_entrance
from tests.browser import Browser, find_browser
from tests.page.test_serving import running

pytestmark = pytest.mark.slow
#: Events of a page that says or refuses something.
SAID = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
#: The page is open, and nothing is to be done.
IDLE = "document.getElementById('sliders-h') && !document.getElementById('live-now').dataset.busy"
TAB, ENTER, RIGHT, SPACE, DOWN = ("Tab", 9), ("Enter", 13), ("ArrowRight", 39), (" ", 32), ("ArrowDown", 40)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(find_browser(), tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


def enter(browser: Browser, folder: Path, port: int, ticket: str) -> None:
    """Go in as the command does: by a file."""
    browser.open(write_entrance(folder, f"http://127.0.0.1:{port}/?ticket={ticket}").as_uri())
    browser.wait_for(IDLE, 60)


def figure(browser: Browser) -> str:
    return str(browser.value("document.querySelector('#live-figures dd b').textContent"))


def press(browser: Browser, key: tuple[str, int], times: int = 1) -> None:
    for _ in range(times):
        browser.press(*key, text={"Enter": "\r", " ": " "}.get(key[0], ""))


def focus_on(browser: Browser, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(120):
        if browser.value(f"document.activeElement.matches({selector!r})"):
            return
        press(browser, TAB)
    raise AssertionError(f"no Tab leads to {selector}")


def assert_quiet(browser: Browser) -> None:
    """Nothing was loaded from elsewhere, and nothing was refused or said."""
    for event in browser.events:
        assert event.get("method") not in (
            "Log.entryAdded",
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
        ), event
        if event.get("method") == "Network.requestWillBeSent":
            assert re.match(
                r"http://127\.0\.0\.1:|about:|file:.*/open.html$", event["params"]["request"]["url"]
            )


@pytest.mark.slow
def test_a_decision_by_clicks(browser: Browser, tmp_path: Path) -> None:
    browser.show_as(1280)
    with running(tmp_path, "--lang", "en") as (process, port, ticket):
        enter(browser, tmp_path, port, ticket)
        browser.click("input[value=internal]")
        browser.wait_for("document.querySelector('#live-now').innerText.includes('internal')")
        browser.wait_for(IDLE)
        before = figure(browser)
        browser.click("#live-singles button")
        browser.wait_for("document.querySelectorAll('#live-steps > ol > li').length == 1")
        browser.wait_for(IDLE)
        assert browser.value("document.getElementById('level-1').getBoundingClientRect().width") > 60
        browser.click("#level-1")
        browser.wait_for("document.querySelectorAll('#live-steps > ol > li').length >= 1")
        browser.wait_for(IDLE)
        named = browser.value("document.querySelector('#level-1 ~ output').textContent")
        assert named not in ("", "as it is")
        assert before == "1"
        moves = browser.value("document.body.dataset.count")
        browser.click("form[action='/undo'] button")
        browser.wait_for(f"document.body?.dataset.count > {moves} && document.readyState == 'complete'")
        browser.wait_for(IDLE)
        browser.click("#live-export button")
        browser.wait_for("document.querySelectorAll('#live-export .files a').length >= 5", 60)
        assert_quiet(browser)
        browser.click("form[action='/end'] button")
        assert process.wait(20) == 0


@pytest.mark.slow
def test_a_decision_by_keys_alone(browser: Browser, tmp_path: Path) -> None:
    browser.show_as(1280)
    with running(tmp_path, "--lang", "en") as (_, port, ticket):
        enter(browser, tmp_path, port, ticket)
        focus_on(browser, ".skip")
        focus_on(browser, "select[name=role]")
        press(browser, DOWN)
        browser.wait_for("document.querySelector('#live-steps').innerText.includes('1')")
        browser.wait_for(IDLE)
        focus_on(browser, "input[type=radio]")
        press(browser, DOWN)
        browser.wait_for("document.querySelector('#live-now').innerText.includes('shared')")
        browser.wait_for(IDLE)
        assert browser.value("document.activeElement.value") == "shared"
        focus_on(browser, "#level-1")
        press(browser, RIGHT, 3)
        browser.wait_for("document.querySelector('#level-1 ~ output').textContent == 'quarter'")
        browser.wait_for("document.querySelector('#live-steps > ol')?.innerText.includes('quarter')")
        browser.wait_for(IDLE)
        assert browser.value("document.activeElement.id") == "level-1"  # the focus stays
        focus_on(browser, "#live-export button")
        press(browser, ENTER)
        browser.wait_for("document.querySelectorAll('#live-export .files a').length >= 5", 60)
        assert_quiet(browser)


@pytest.mark.slow
def test_without_scripts(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path, "--lang", "en") as (_, port, ticket):
        browser.show_as(390, scripts=False)
        browser.open(f"http://127.0.0.1:{port}/?ticket={ticket}")
        browser.wait_for("!!document.getElementById('sliders-h')", 60)
        browser.click("input[value=shared]")
        browser.click("form[action='/policy'] > button")
        browser.wait_for("document.body?.dataset.count == 1")
        assert browser.value("document.querySelector('input[value=shared]').checked")
        while not browser.value(f"!!({IDLE})"):
            browser.click(".again")
            time.sleep(0.3)
        assert "shared" in browser.value("document.querySelector('#live-now').innerText")
        browser.show_as(1280)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_fits_and_reads_in_all_sizes_and_colours(browser: Browser, tmp_path: Path, language: str) -> None:
    with running(tmp_path, "--lang", language) as (_, port, ticket):
        browser.show_as(1280)
        enter(browser, tmp_path, port, ticket)
        for width in (390, 1280):
            for dark in (False, True):
                browser.show_as(width, dark=dark)
                assert browser.value("document.documentElement.scrollWidth") <= width
                faint = browser.value(CONTRAST)
                assert faint == [], (width, dark, faint)
        assert browser.value("document.documentElement.lang") == language


#: Texts whose contrast with what is behind them is below 4.5, by the formula of WCAG 2.
CONTRAST = """(() => {
  const parse = (c) => [...c.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
  const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const weights = [.2126, .7152, .0722];
  const light = (c) => weights.reduce((sum, weight, i) => sum + linear(c[i] / 255) * weight, 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color[3] > .9) return color;
    }
    return [255, 255, 255, 1];
  };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const holdsText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!holdsText || !e.getClientRects().length) continue;
    if (e.closest('script, style, noscript, svg, datalist, option')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.push([e.tagName, e.textContent.slice(0, 40), ratio]);
  }
  return found;
})()"""
