"""The HTML page: its parts, its size, its contrast, and what a real browser makes of hostile names."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from duckrisk.report import svg, text
from duckrisk.report.html import POLICY, notebook_fragment, to_html
from tests.singled_out import singled
from tests.test_report_text import HOSTILE, build, with_values

STYLE = Path(duckrisk.__file__).parent / "report" / "templates" / "style.css.j2"
ALLOWED = set(
    re.findall(
        r"\w+",
        """html head meta title style body header p h1 strong dl div dt dd b span nav ul ol li a main section
        h2 h3 figure figcaption svg desc rect line circle path text polyline details summary table thead tr th
        tbody td bdi pre code footer""",
    )
)


class Outline(HTMLParser):
    """Checks nesting, and collects tags, attributes and the text of <bdi> elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.names: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)
        if tag == "bdi":
            self.names.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "bdi":
            self.names[-1] += data


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_only_ever_text(name):
    outline = Outline(to_html(with_values(build([name, "other"]), name)))
    assert {tag for tag, _ in outline.tags} <= ALLOWED
    assert name in outline.names
    for _, attributes in outline.tags:
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "srcset", "action")]
        assert attributes.get("href", "#").startswith("#")


def test_the_page_has_its_landmarks_policy_and_language():
    page = to_html(build(["When", "What"]))
    outline = Outline(page)
    tags = [tag for tag, _ in outline.tags]
    assert [tags.count(tag) for tag in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    assert ("html", {"lang": "en"}) in outline.tags
    policy = ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    assert policy in outline.tags
    assert "default-src 'none'" in POLICY
    assert "script" not in tags
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for tag, attributes in outline.tags if tag == "a"]
    assert {link[1:] for link in links if link} <= set(ids)


def test_every_figure_has_title_sentence_and_table():
    page = to_html(build(["When", "What"]))
    figures = re.findall(
        r"<section id=\"(\w+)\"[^>]*>\s*<h2[^>]*>([^<]+)</h2>\s*<figure>(.*?)</figure>", page, re.S
    )
    assert [key for key, _, _ in figures] == ["risk", "known", "below", "coarser", "models"]
    for key, title, figure in figures:
        assert title == text.word(f"of_{key}")
        caption = re.search(r"<figcaption>(.*?)</figcaption>", figure, re.S)
        assert caption is not None
        assert "." in re.sub(r"<[^>]+>", "", caption[1])
        assert re.search(r'<svg [^>]*role="img" aria-labelledby="', figure)
        assert re.search(r"<title id=[^>]+>[^<]+</title>\s*<desc id=[^>]+>[^<]+</desc>", figure)
        assert re.search(r"<details class=\"data\">.*<table>.*<td", figure, re.S)


def test_figures_stay_inside_their_frame():
    for names in (
        ["When", "What"],
        ["顧客の購入日時と商品番号" * 12, "n" * 300],
        [f"c{i}" for i in range(60)],
    ):
        for drawing in svg.figures(build(names).data).values():
            for mark in drawing.marks:
                made = mark.attributes
                right = float(made.get("x", 0)) + float(made.get("width", 0))
                if mark.tag == "text":
                    anchor = {"end": 0.0, "middle": 0.5}.get(made["text-anchor"], 1.0)
                    right = float(made["x"]) + anchor * svg.width_of(mark.text)
                    assert right - svg.width_of(mark.text) >= -2
                assert right <= svg.WIDTH + 4
                assert 0 <= float(made.get("y", 0)) <= drawing.height


def test_labels_of_our_own_are_whole_and_apart():
    report = build(["When", "What"])
    for row, form in zip(report.data["coarser_knowledge"], ("prefix(3)", "band(1000000)"), strict=True):
        row["coarser"] = f"{row['attribute']}.{form}"
        row["mean_risk"] = 2e-6
    drawing = svg.figures(report.data)["coarser"]
    texts = [mark.text for mark in drawing.marks if mark.tag == "text"]
    assert {"by its first 3 characters", "in bands of 1000000"} <= set(texts)
    ticks = [
        (float(mark.attributes["x"]), svg.width_of(mark.text) / 2)
        for mark in drawing.marks
        if mark.attributes.get("text-anchor") == "middle"
    ]
    assert len(ticks) > 3
    for (x, half), (later, other) in itertools.pairwise(ticks):
        assert x + half < later - other


def test_sizes():
    assert len(to_html(build([f"column {i}" for i in range(20)])).encode()) < 300_000
    many = to_html(build([f"{i} " + "long name " * 30 for i in range(500)]))
    assert len(many.encode()) < 1_000_000
    assert "... and 400 more" in many


def test_empty_sections_vanish():
    page = to_html(build(["a"], attribute_risk=[], known_records=[], coarser_knowledge=[], model_errors=[],
                         single_values=None, gates=[]))  # fmt: skip
    assert "<figure>" not in page
    assert text.word("no_attributes") in page
    agreeing = build(["a", "b"])
    for row in agreeing.data["model_errors"]:
        row["error"] = 0.0
    for entry in agreeing.data["attribute_risk"]:
        entry["share_below_k"] = 0.0
    page = to_html(agreeing)
    assert text.word("read.models_agree") in page
    assert 'id="below-t"' not in page


def test_values_only_where_asked_for_and_under_a_warning():
    report = with_values(build(["a", "b"]), "CANARY")
    assert page_count(report) == 2
    assert "contains values of people" in notebook_fragment(report)
    report.data["settings"]["show_values"] = False
    assert page_count(report) == 0
    assert "CANARY" not in notebook_fragment(report)


def page_count(report: Any) -> int:
    page = to_html(report)
    assert ("contains values of people" in page) == ("CANARY" in page)
    return page.count("CANARY")


def test_the_fragment_is_escaped_and_no_page():
    for name in HOSTILE:
        shown = notebook_fragment(build([name, "x"]))
        assert {tag for tag, _ in Outline(shown).tags} <= ALLOWED
        assert "<html" not in shown
    assert "... and 30 more" in notebook_fragment(build([f"c{i}" for i in range(50)]))


def test_statements_that_name_files_stay_out():
    report = build(["a"])
    secret = duckrisk.report.Statement("read_parquet", "FROM '/home/someone/secret.parquet'", 0.1)
    page = to_html(duckrisk.report.Report(report.data, statements=(*report.statements, secret)))
    assert "someone" not in page
    assert "SELECT &#39;&lt;b&gt;&#39;" in page


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_in_light_and_dark():
    blocks = re.findall(r":root \{(.*?)\}", STYLE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 2
    for block in blocks:
        colours = dict(re.findall(r"--(\w+): (#\w+);", block))
        for ground in ("page", "soft"):
            for front, least in (("text", 4.5), ("muted", 4.5), ("link", 4.5), ("blue", 3), ("orange", 3)):
                pair = sorted((luminance(colours[front]), luminance(colours[ground])))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= least, (front, ground)


# --- in a browser ----------------------------------------------------------------------------------


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if binary is None or os.name != "posix":
        pytest.skip("no Chromium on this machine: pages are not opened in a real browser")
    made = Browser(binary, tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.mark.parametrize("names", [HOSTILE[:60], HOSTILE[60:]], ids=["first", "rest"])
def test_a_browser_shows_names_and_runs_nothing(browser, tmp_path, names):
    path = tmp_path / "report.html"
    report = with_values(build(names), names[-1])
    report.data["source"]["notes"] = list(names)
    path.write_text(to_html(report), encoding="utf-8", newline="")
    browser.open(path)
    expected = re.sub(r"[ \t\r\n\f]+", " ", f"Re-identification risk of {text.visible(names[0])}").strip()
    assert browser.value("document.title") == expected
    assert browser.value("document.scripts.length") == 0
    seen = "[...document.querySelectorAll('#roles td:first-child bdi')].map(e => e.textContent)"
    assert browser.value(seen) == ["the user", *names]
    shown = "[...document.querySelectorAll('.summary li bdi')].map(e => e.textContent)"
    assert browser.value(shown) == names
    methods = [event.get("method") for event in browser.events]
    requests = [
        event["params"]["request"]["url"] for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]  # fmt: skip
    assert requests == [path.as_uri()]
    assert "Page.javascriptDialogOpening" not in methods
    assert "Log.entryAdded" not in methods
    assert "Runtime.consoleAPICalled" not in methods


def test_the_policy_alone_would_stop_a_script(browser, tmp_path):
    path = tmp_path / "pierced.html"
    page = to_html(build(["a"])).replace("</main>", "<script>document.title='owned'</script></main>")
    path.write_text(page, encoding="utf-8")
    browser.open(path)
    assert browser.value("document.title") == "Re-identification risk of a"


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("made", [build, singled], ids=["risk", "singled_out"])
def test_the_page_never_scrolls_sideways(browser, tmp_path, width, made):
    path = tmp_path / "report.html"
    path.write_text(to_html(made(["n" * 300, "顧客の購入日時と商品番号" * 12])), encoding="utf-8")
    browser.ask(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False
    )
    browser.open(path)
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_tables_are_open_in_print_and_dark_is_dark(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(to_html(build(["When", "What"])), encoding="utf-8")
    browser.open(path)
    height = "document.querySelector('details.data table').checkVisibility({contentVisibilityAuto: true})"
    assert browser.value(height) is False
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert browser.value(ground) == "rgb(255, 255, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="screen", features=dark)
    assert browser.value(ground) == "rgb(20, 24, 29)"
    browser.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    assert browser.value(ground) == "rgb(255, 255, 255)"
    assert browser.value(height) is True
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    printed = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")
