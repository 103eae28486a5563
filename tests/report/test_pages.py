"""Pages of reports: one page with the decision, a picture each, print, phones, and readers who cannot see."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import duckdb
import pandas
import pytest

import duckrisk
from duckrisk.base.results import Result
from duckrisk.base.sentences import Data
from duckrisk.decision.assessment.results import Assessment
from duckrisk.report.charts import SMALL_WIDTH, Drawing
from duckrisk.report.drawings import MIN_SHOWN, Arrow, Axis, Rung, draw_arrows, draw_ladder, has_visible_bar
from duckrisk.report.sections import uniqueness
from duckrisk.report.words import LANGUAGES, Words
from tests.browser import Browser, open_browser
from tests.command import command
from tests.outline import Outline
from tests.shared_data import shared

pytestmark = pytest.mark.slow

#: A table of 14 columns with the people that few facts single out.
_COLUMNS = ", ".join(
    [
        "(i * 7919) % 61 + 18 AS age",
        "(i * 104729) % 997 AS zip",
        "i % 2 AS sex",
        *(f"(i * {prime}) % {9 + place} AS answer_{place}" for place, prime in enumerate([31, 37] * 5)),
        "'t' || (i * 15485863) % 300 AS town",
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an original of 14 columns and a release of it."""
    folder = tmp_path_factory.mktemp("pages")
    original, made, control = (folder / f"{name}.parquet" for name in ("original", "made", "control"))
    duckdb.execute(f"COPY (SELECT {_COLUMNS} FROM range(1500) AS t(i)) TO '{original}'")
    duckdb.execute(f"COPY (SELECT {_COLUMNS} FROM range(0, 1500, 2) AS t(i)) TO '{made}'")
    duckdb.execute(f"COPY (SELECT {_COLUMNS} FROM range(2000, 3500) AS t(i)) TO '{control}'")
    return folder


@pytest.fixture(scope="module")
def assessment(folder: Path) -> Assessment:
    return duckrisk.assess(folder / "original.parquet", user="")


@pytest.fixture(scope="module")
def pages(folder: Path, assessment: Assessment) -> dict[str, str]:
    """A page of each kind of report."""
    original, made = folder / "original.parquet", folder / "made.parquet"
    release, few = folder / "release.parquet", folder / "few.parquet"
    duckdb.execute(f"COPY (FROM '{original}' LIMIT 150) TO '{few}'")  # a search takes long
    written = command("anonymize", original, "-o", release, "--generalize", "age=10", "--format", "html")
    assert written.code == 0, written.err
    reports: dict[str, Result] = {
        "assess": assessment,
        "compare": duckrisk.compare(original, release, user=""),
        "advise": duckrisk.advise(few, policy="internal", user=""),
        "membership": duckrisk.membership.risks(original, made, attacks=60),
    }
    shown = {name: report.to_html() for name, report in reports.items()}
    return shown | {"anonymize": written.out or written.err}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from open_browser(tmp_path_factory.mktemp("profile"))


def count_printed_pages(browser: Browser, page: str, path: Path) -> int:
    path.write_text(page, encoding="utf-8")
    browser.open(path)
    printed = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    return len(re.findall(rb"/Type\s*/Page\b", printed))


# --- print -----------------------------------------------------------------------------------------


def test_fourteen_columns_take_at_most_four_printed_pages(
    browser: Browser, tmp_path: Path, assessment: Assessment
) -> None:
    assert len(assessment.source.columns) == 14
    for language in LANGUAGES:
        page = assessment.to_html(language)
        assert count_printed_pages(browser, page, tmp_path / "report.html") <= 4


@pytest.mark.slow
def test_so_do_the_columns_of_adult(browser: Browser, tmp_path: Path) -> None:
    few = tmp_path / "adult.parquet"
    duckdb.execute(f"COPY (FROM '{shared('adult.parquet')}' LIMIT 2000) TO '{few}'")
    report = duckrisk.assess(few)
    assert count_printed_pages(browser, report.to_html(), tmp_path / "report.html") <= 4


@pytest.mark.slow
def test_every_kind_of_report_prints_on_few_pages(
    browser: Browser, tmp_path: Path, pages: dict[str, str]
) -> None:
    counts = {name: count_printed_pages(browser, page, tmp_path / "r.html") for name, page in pages.items()}
    assert max(counts.values()) <= 4, counts


def test_evidence_is_folded_and_the_decision_is_not(pages: dict[str, str]) -> None:
    page = pages["assess"]
    front, _, folded = page.partition('<details class="section">')
    for shown in ('class="verdict"', 'class="facts"', "of 100 people", "What each column gives away", "Next"):
        assert shown in front
    assert "Sign-off" in front
    assert "After the release" in front
    assert "Method and provenance</h2>" in folded
    assert '<details class="section" open' not in page


# --- for everybody ---------------------------------------------------------------------------------


def test_pages_have_a_skip_link_and_captions(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        outline = Outline(page)
        links = [attributes for tag, attributes in outline.tags if tag == "a"]
        assert links[0] == {"class": "skip", "href": "#main"}, name
        assert ("main", {"id": "main", "tabindex": "-1"}) in outline.tags
        tables = re.findall(r"<table.*?</table>", page, re.S)
        assert tables
        for table in tables:
            caption = re.search(r"<caption>(.*?)</caption>", table, re.S)
            assert caption is not None, name
            assert caption[1].strip()
        assert "<script" not in page


def test_signs_say_by_word_what_colours_say(pages: dict[str, str]) -> None:
    for name in ("assess", "compare"):
        cards = re.findall(r'<div class="(good|bad|open)"><dt>(.*?)</dt>', pages[name], re.S)
        assert cards
        assert all(re.search(r'<span class="sign">[✓✗?]</span>', head) for _, head in cards)


def test_wide_tables_stack_on_a_phone_and_others_say_that_they_scroll(
    browser: Browser, tmp_path: Path, pages: dict[str, str]
) -> None:
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    for name, page in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(page, encoding="utf-8")
        browser.open(path)
        browser.value("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert browser.value("document.documentElement.scrollWidth") <= 390, name
        stacked = "getComputedStyle(document.querySelector('table.stack td')).display"
        assert browser.value(stacked) in ("grid", "block"), name
        heads = """[...document.querySelectorAll('table.stack td:nth-child(2)')].map(
            cell => getComputedStyle(cell, '::before').content)"""
        assert all(head.strip('"') not in ("", "none") for head in browser.value(heads)), name
        unsigned = """[...document.querySelectorAll('.scroll')].filter(
            box => box.scrollWidth > box.clientWidth + 1
                && !(box.nextElementSibling && box.nextElementSibling.matches('.swipe'))
                && !getComputedStyle(box).backgroundImage.includes('gradient')).length"""
        assert browser.value(unsigned) == 0, name
    browser.ask("Emulation.clearDeviceMetricsOverride")


def test_a_link_in_the_contents_opens_its_section(
    browser: Browser, tmp_path: Path, pages: dict[str, str]
) -> None:
    path = tmp_path / "report.html"
    path.write_text(pages["assess"], encoding="utf-8")
    browser.open(path)
    browser.value("document.querySelector('nav a[href=\"#assess-method\"]').click()")
    assert browser.value("document.querySelector('#assess-method').closest('details').open") is True


# --- pictures --------------------------------------------------------------------------------------


def test_every_kind_of_report_has_its_picture(pages: dict[str, str]) -> None:
    titles = {
        "assess": "People singled out by what an attacker knows",
        "compare": "What changed for the people",
        "advise": "What is left, and what an attacker can be sure of",
        "membership": "The strongest attack: ",
        "anonymize": "What each step changed",
    }
    for name, title in titles.items():
        front = pages[name].partition('<details class="section">')[0]
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", front, re.S)
        assert any(title in caption for caption in captions), name
    assert "Distributions before and after" in pages["anonymize"]
    assert pages["anonymize"].count('<svg class="small"') >= 13


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_picture_shows_one_to_four_facts(assessment: Assessment, language: str) -> None:
    section = assessment.uniqueness
    assert section is not None
    (figure,) = uniqueness.plot_facts(section)
    drawing = figure.draw(Words(language))
    assert isinstance(drawing, Drawing)
    assert drawing.width == SMALL_WIDTH
    texts = [mark.text for mark in drawing.marks if mark.tag == "text"]
    names = {
        "en": ["1 fact", "2 facts", "3 facts", "4 facts", "all 14"],
        "ja": ["事実1個", "事実4個", "全14個"],
    }
    assert set(names[language]) <= set(texts)
    assert [row.facts for row in section.facts] == [1, 2, 3, 4]
    shares = [row.typical for row in section.facts]
    assert lengths(drawing)[:4] == pytest.approx([share / shares[-1] for share in shares], abs=0.01)


def lengths(drawing: Drawing) -> list[float]:
    """The lengths of the bars of a ladder, relative to the fourth."""
    bars = [m.attributes["width"] for m in drawing.marks if m.tag == "rect" and float(m.attributes["x"]) > 30]
    return [float(bar) / float(bars[3]) for bar in bars]


def test_bars_are_linear_from_0_to_1() -> None:
    shares = [0.0, 0.001, 0.25, 0.5, 1.0]
    rungs = [Rung(Data(f"row {share}"), ((share, "blue"),), f"{share}") for share in shares]
    drawing = draw_ladder(Words(), rungs, Axis(Data("share")))
    bars = [mark.attributes for mark in drawing.marks if mark.tag == "rect"]
    lines = sorted({float(mark.attributes["x1"]) for mark in drawing.marks if mark.tag == "line"})
    left, right = lines[0], lines[-1]
    assert {float(bar["x"]) for bar in bars} == {left}
    for bar, share in zip(bars, shares, strict=True):
        assert float(bar["width"]) == pytest.approx(share * (right - left), abs=0.1)
    numbers = [mark.text for mark in drawing.marks if mark.text.endswith("%")]
    assert numbers == ["0%", "25%", "50%", "75%", "100%"]


def test_arrows_run_from_before_to_after() -> None:
    arrows = [Arrow(Data("singled out"), 0.8, 0.2, "80% → 20%")]
    legend = [("dot", "blue", Data("before")), ("diamond", "orange", Data("after"))]
    drawing = draw_arrows(Words(), arrows, Axis(Data("share")), legend=legend)
    (arrow,) = (mark.attributes for mark in drawing.marks if mark.attributes["class"] == "arrow")
    grid = sorted({float(m.attributes["x1"]) for m in drawing.marks if m.attributes["class"] == "grid"})
    width = grid[-1] - grid[0]
    assert float(arrow["x1"]) == pytest.approx(grid[0] + 0.8 * width, abs=0.1)
    assert float(arrow["x2"]) == pytest.approx(grid[0] + 0.2 * width, abs=0.1)


def test_a_figure_that_says_nothing_is_left_out(assessment: Assessment) -> None:
    def rungs(shares: Sequence[float]) -> list[Rung]:
        return [Rung(Data("row"), ((share, "blue"),)) for share in shares]

    assert not has_visible_bar(rungs([0.0, MIN_SHOWN / 2]))
    assert has_visible_bar(rungs([0.0, MIN_SHOWN]))
    section = assessment.uniqueness
    assert section is not None
    assert section.all_attributes is not None
    nobody = [replace(row, typical=0.0, worst=replace(row.worst, share=0.0)) for row in section.facts]
    together = replace(section.all_attributes, share=0.0)
    assert uniqueness.plot_facts(replace(section, facts=tuple(nobody), all_attributes=together)) == []
    # All 1,500 records are alone: one bar of 100 % would be the whole figure.
    page = assessment.to_html()
    alike = page[page.index("How many people are alike") :]
    assert 'role="img"' not in alike[: alike.index("</section>")]


@cache
def style() -> str:
    return (Path(duckrisk.__file__).parent / "report/templates/style.css.j2").read_text(encoding="utf-8")


def test_every_class_of_a_mark_has_a_colour() -> None:
    """The colours are checked for contrast in test_render_html.py."""
    for name in ("blue", "orange", "grey", "inner", "arrow", "whisker", "limit", "grid", "single"):
        assert re.search(rf"\.{name}[ ,].*?\{{[^}}]*(fill|stroke):", style()), name
    assert "--bar" not in style()


def test_an_identifier_is_never_cut_off() -> None:
    """Of 25 columns the first page lists 20, and those that a release must not hold come first."""
    cells = {f"fact {place}": [f"{row * 7 % 11}" for row in range(40)] for place in range(24)}
    frame = pandas.DataFrame(cells | {"e-mail": [f"person{row}@example.com" for row in range(40)]})
    page = duckrisk.assess(frame, user="").to_html()
    table = page[page.index("What each column gives away") :]
    assert "e-mail" in table[: table.index("</table>")]


@pytest.mark.slow
def test_a_notebook_shows_the_figures_of_a_comparison() -> None:
    """They stand in a pair of tables on the page."""
    frame = pandas.DataFrame({"age": [*range(40)], "sex": ["f", "m"] * 20})
    shown = duckrisk.compare(frame, frame)._repr_html_()
    assert shown.count("<tr>") > 3
