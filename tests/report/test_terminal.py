"""How a document is set on a terminal: lines are broken where their language lets them be."""

from __future__ import annotations

import itertools
from itertools import pairwise

import pytest
from rich.cells import cell_len

from duckrisk.report.blocks import Document, Paragraph
from duckrisk.report.render.terminal import to_text
from duckrisk.report.words import Words, load_catalogue
from tests.tables import thinned


@pytest.mark.parametrize(("language", "width"), thinned(itertools.product(["en", "ja"], [40, 57]), 3))
def test_lines_are_broken_where_they_can_be(language: str, width: int) -> None:
    texts = [
        Words(language).format(entry)
        for entry in load_catalogue(language).values()
        if isinstance(entry, str) and "\n" not in entry  # a text of several lines goes into a file
    ]
    blocks = [Paragraph(text) for entry in texts for text in (entry, "=")]
    shown_as = to_text(Document("", tuple(blocks[:-1])), width, language).strip("\n").split("\n=\n")
    for text, shown in zip(texts, shown_as, strict=True):
        lines = shown.split("\n")
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(cell_len(line) <= width for line in lines)
        for line, after in pairwise(lines):
            assert line[-1] not in "（「"
            assert after[0] not in "、。）」ー"
            if language == "en" and "   " not in text:  # no line is broken before it has to be
                assert cell_len(line) + 1 + cell_len(after.split(" ")[0]) > width or "+" in line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Rules   Japan: 2 against   HIPAA: 3 not shown", ["Rules   Japan: 2 against", "HIPAA: 3 not shown"]),
        (
            "規則   匿名加工情報：反する2件   GDPR：反する3件",
            ["規則   匿名加工情報：反する2件", "GDPR：反する3件"],
        ),
        ("all records of a person (> 99.9%)", ["all records of a person", "(> 99.9%)"]),
        ("a   word and then some that do not fit", ["a", "word and then some that do not", "fit"]),
    ],
)
def test_what_belongs_together_stays_in_a_line(text: str, lines: list[str]) -> None:
    """What stands apart by three blanks, and a number with its sign."""
    assert to_text(Document("", (Paragraph(text),)), 31).strip("\n").split("\n") == lines
