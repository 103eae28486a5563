"""A document on a terminal: widths, encodings, colours, and names that would steer it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from rich.cells import cell_len

from duckrisk.base.sentences import Data, Sentence
from duckrisk.report.blocks import (
    Column,
    Document,
    Fact,
    Facts,
    Figure,
    Heading,
    Listing,
    Paragraph,
    text_column,
)
from duckrisk.report.render.terminal import to_text
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.words import Words
from tests.assessments import Stream, build, printed, squares, squeezed
from tests.hostile import HOSTILE
from tests.singled_out import EIGHTS, NAMES, beside, hostile_reports, singled, units
from tests.tables import thinned

pytestmark = pytest.mark.slow


def test_visible_text_steers_nothing() -> None:
    for name in HOSTILE:
        assert not any(
            unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") for c in escape_unprintable(name)
        )
        escape_unprintable(name, "cp932").encode("cp932")
    assert escape_unprintable("a\x1b\u202e\n") == "a\\x1b\\u202e\\n"


#: Every name where there is least room, and some of them in more; none asked for means 80.
WIDTHS = [*((place, 40) for place in range(len(EIGHTS))), *((p, w) for p in (0, 5, 10) for w in (None, 120))]


@pytest.mark.parametrize(("place", "width"), thinned(WIDTHS))
def test_no_line_is_wider_than_asked(place: int, width: int | None) -> None:
    shown = printed(hostile_reports()[place], width=width)
    assert [line for line in shown.splitlines() if cell_len(line) > (width or 80)] == []
    assert [line for line in shown.splitlines() if squares(line) > (width or 80)] == []


@pytest.mark.parametrize("place", range(len(EIGHTS)))
def test_data_is_never_markup_nor_control(place: int) -> None:
    shown = printed(hostile_reports()[place], width=400)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert [name for name in EIGHTS[place] if squeezed(escape_unprintable(name)) not in squeezed(shown)] == []


def test_colour_only_on_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    report = build(["a", "b"])
    assert "\x1b" not in printed(report)
    assert "\x1b[" in printed(report, Stream(terminal=True), width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in printed(report, Stream(terminal=True), width=80)


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "cp1252", "utf-16", "latin-1"])
def test_no_encoding_raises(encoding: str) -> None:
    """Names of ASCII are the same in each."""
    shown = printed(beside([name for name in HOSTILE if not name.isascii()]), Stream(encoding))
    if encoding in ("ascii", "cp932"):
        assert "█" not in shown
        assert "#" in shown
        assert max(map(cell_len, shown.splitlines())) <= 80
    plain = printed(singled(NAMES, users=units()), Stream(encoding))
    assert "?" not in re.sub(r"Is a sample enough\?|^ *\? ", "", plain, flags=re.MULTILINE)
    assert ("<...>" in plain) == (encoding in ("ascii", "latin-1"))
    assert ("<…>" in plain) == (encoding == "cp932")


def test_long_names_are_folded_where_their_parts_join() -> None:
    def lines(*names: str) -> list[str]:
        rows = tuple((Data(name), "0.5", "200", "10.0%") for name in names)
        columns = (Column("Attribute"), *(Column("n" * 14, numeric=True) for _ in range(3)))
        return [line.strip() for line in to_text(Document("x", (Listing(columns, rows),))).splitlines()]

    shown = lines("InvoiceDate.date+InvoiceDate.hour", "another name of several words, longer than this")
    assert "InvoiceDate.date+" in [line.split()[0] for line in shown if line]
    assert "InvoiceDate.hour" in shown
    assert not any("…" in line for line in shown)
    assert any("…" in line for line in lines("n" * 300, "b"))


def test_what_has_no_room_goes_by_its_priority() -> None:
    columns = (
        Column("Name", min_width=24),
        *(Column("x" * 12, numeric=True, short=f"n{place}", priority=place) for place in range(6)),
        Column("Sentences", wide=True),
    )
    listing = Listing(columns, (("an attribute of some words", *["0.12345678901"] * 6, "never here"),))
    shown = to_text(Document("x", (listing,)))
    assert "an attribute of some words" in shown
    assert shown.count("x" * 12) == 3


def test_text_keeps_its_room_beside_other_text() -> None:
    """A shorter column of text takes no more than leaves the longer one what it asks for; a head that does
    not go into three lines gives way to its short one."""
    share = Column("of the people the share", numeric=True, short="Share")
    columns = (Column("Change", min_width=26), *[share] * 4, Column("Policy", min_width=4))
    cells = ("a column, another one and eleven more left out", *["9.9%"] * 4, "3 of them exceeded")
    shown = to_text(Document("x", (Listing(columns, (cells,)),)), width=72)
    assert "…" not in shown
    assert "a column, another one and" in shown
    assert shown.count("Share") == 4


def test_a_figure_and_its_remark_stand_in_a_line() -> None:
    facts = Facts((Fact(Data("a"), "1", Data("b")), Fact(Data("c"), "2")))
    blocks = (facts, Heading(Data("d")), Heading(Data("e"), 3), Paragraph(Data("f")))
    assert to_text(Document(Data("t"), blocks)) == "t\n\n  a: 1; b\n  c: 2\n\nd\n\ne\nf\n"
    assert "  a：1（b）\n  c：2\n" in to_text(Document(Data("t"), blocks), language="ja")
    alone = (Heading(Data("d")), Paragraph(Data("e")))
    assert to_text(Document(Data("t"), alone)) == "t\n\nd\ne\n"


#: A sentence of several lines in any cell.
LONG = Sentence("disclosure.try_rules")


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [20, 40, 60])
def test_sentences_in_cells_are_never_shortened(language: str, width: int) -> None:
    """A sentence breaks into as many lines as it takes; only long names lose their middle."""
    for cell in (LONG, Data("a" * 900)):
        table = Listing.of([cell], lambda text: (text_column("disclosure.attribute", text),))
        said = to_text(Document("", (table,)), width, language)
        assert all(cell_len(line) <= width for line in said.splitlines())
        if cell is LONG:
            whole = Words(language).look_up(LONG.key)
            assert re.sub(r"\s", "", whole) in re.sub(r"\s", "", said)
        else:
            assert "…" in said


def test_a_heading_without_content_is_left_out() -> None:
    figure = Figure("", lambda words: [])
    document = Document("t", (Heading("A"), figure, Heading("B"), Paragraph("text"), Heading("C", 3)))
    assert to_text(document).split() == ["t", "B", "text"]


def test_japanese_bounds_are_words() -> None:
    words = Words("ja")
    assert [words.format(text) for text in ("> 99.9%", "< 0.000001", "< 1e-300", "a > b", "0.5")] == [
        *("99.9%超", "0.000001未満", "1e-300未満", "a > b", "0.5")
    ]
    assert Words().format("> 99.9%") == "> 99.9%"
