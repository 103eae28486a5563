"""The HTML page: its parts, its size, its contrast, and what a real browser makes of hostile names."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import duckrisk
from duckrisk.report import forms
from duckrisk.report.render.html import POLICY
from duckrisk.report.safe import escape_unprintable
from tests.assessments import assessed, build, data_of
from tests.browser import Browser, open_browser
from tests.hostile import HOSTILE
from tests.outline import ALLOWED, Outline
from tests.singled_out import hostile_reports, singled

pytestmark = pytest.mark.slow

STYLE = Path(duckrisk.__file__).parent / "report" / "templates" / "style.css.j2"


def test_the_page_has_its_landmarks_policy_and_language():
    page = build(["When", "What"]).to_html()
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


def test_every_figure_has_a_description_and_its_numbers() -> None:
    page = singled(["When", "What"]).to_html()
    figures = re.findall(r"<figure>(.*?)</figure>", page, re.S)
    assert len(figures) == 8
    for figure in figures:
        caption = re.search(r"<figcaption>(.*?)</figcaption>", figure, re.S)
        assert caption is not None
        assert "." in re.sub(r"<[^>]+>", "", caption[1])
        assert re.search(r'<svg [^>]*role="img" aria-labelledby="', figure)
        assert re.search(r"<title id=[^>]+>[^<]*</title>\s*<desc id=[^>]+>[^<]+</desc>", figure)
        assert re.search(r"<details class=\"data\">.*<table.*<caption>[^<].*<td", figure, re.S)


def test_sizes() -> None:
    assert len(build([f"column {i}" for i in range(20)]).to_html().encode()) < 300_000
    many = build([f"{i} " + "long name " * 30 for i in range(150)]).to_html()
    assert len(many.encode()) < 1_000_000
    assert "... and 50 more" in many


def test_the_fragment_is_escaped_and_no_page() -> None:
    for report in hostile_reports():
        shown = forms.to_notebook(report)
        assert {tag for tag, _ in Outline(shown).tags} <= ALLOWED
        assert "<html" not in shown
    assert "... and 30 more" in forms.to_notebook(build([f"c{i}" for i in range(50)]))


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
        texts = [(name, 4.5) for name in ("text", "muted", "link", "good", "bad", "open")]
        marks = [(name, 3) for name in ("blue", "orange", "grey", "strong", "bad")]
        for ground in ("page", "soft"):
            for front, least in (*texts, *marks):
                pair = sorted((luminance(colours[front]), luminance(colours[ground])))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= least, (front, ground)


# --- in a browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from open_browser(tmp_path_factory.mktemp("profile"))


@pytest.mark.parametrize("names", [HOSTILE[:60], HOSTILE[60:]], ids=["first", "rest"])
def test_a_browser_shows_names_and_runs_nothing(browser, tmp_path, names):
    path = tmp_path / "report.html"
    data = data_of(names)
    data["source"]["notes"] = list(names)
    path.write_text(assessed(data).to_html(), encoding="utf-8", newline="")
    browser.open(path)
    expected = re.sub(
        r"[ \t\r\n\f]+", " ", f"Re-identification risk of {escape_unprintable(names[0])}"
    ).strip()
    assert browser.value("document.title") == expected
    assert browser.value("document.scripts.length") == 0
    seen = "[...document.querySelectorAll('#assess-roles td:first-child bdi')].map(e => e.textContent)"
    assert set(browser.value(seen)) == {"the user", *names}
    shown = "[...document.querySelectorAll('#assess-notes li bdi')].map(e => e.textContent)"
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
    page = build(["a"]).to_html().replace("</main>", "<script>document.title='owned'</script></main>")
    path.write_text(page, encoding="utf-8")
    browser.open(path)
    assert browser.value("document.title") == "Re-identification risk of a"


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("made", [build, singled], ids=["risk", "singled_out"])
def test_the_page_never_scrolls_sideways(browser, tmp_path, width, made):
    path = tmp_path / "report.html"
    path.write_text(made(["n" * 300, "顧客の購入日時と商品番号" * 12]).to_html(), encoding="utf-8")
    browser.ask(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False
    )
    browser.open(path)
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_folded_parts_stay_folded_in_print_and_dark_is_dark(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(build(["When", "What"]).to_html(), encoding="utf-8")
    browser.open(path)
    folded = "document.querySelector('details.section > div').checkVisibility()"
    table = "document.querySelector('details.data table').checkVisibility()"
    assert browser.value(folded) is False
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert browser.value(ground) == "rgb(255, 255, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="screen", features=dark)
    assert browser.value(ground) == "rgb(20, 24, 29)"
    browser.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    assert browser.value(ground) == "rgb(255, 255, 255)"
    assert browser.value(folded) is False
    assert browser.value(table) is False
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    browser.value("document.querySelector('details.section').open = true")
    assert browser.value(folded) is True
    printed = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")
