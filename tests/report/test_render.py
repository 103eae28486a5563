"""Documents in their forms: whatever a name is, it is text on a page, in Markdown and on a terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from duckrisk.base.sentences import Data, Sentence
from duckrisk.report.blocks import (
    Block,
    Code,
    Column,
    Detail,
    Document,
    Fact,
    Facts,
    Figure,
    Heading,
    Items,
    Listing,
    Paragraph,
    number_column,
)
from duckrisk.report.charts import Drawing
from duckrisk.report.render.html import POLICY, to_fragment, to_html
from duckrisk.report.render.markdown import to_markdown
from duckrisk.report.render.terminal import to_text
from duckrisk.report.words import Words
from tests.assessments import squares
from tests.hostile import HOSTILE
from tests.outline import ALLOWED, Outline
from tests.tables import thinned


def everywhere(name: str) -> Document:
    """A document where the same name stands in every kind of block, twice in a figure."""
    data = Data(name)

    def draw(words: Words) -> Drawing:
        drawing = Drawing(words, data, height=40)
        drawing.add_label(data, 0, 10)
        drawing.add_legend([("dot", "blue", data)], 16, 30)
        return drawing

    listing = Listing((Column(data), Column(data, numeric=True)), ((data, data),))
    figure = Figure(data, draw, listing, (data,))
    blocks: list[Block] = [
        Paragraph(data, role) for role in ("verdict", "headline", "body", "reading", "warning")
    ]
    blocks += [
        Items((data, Sentence("two", first=data, second=data))),
        Facts((Fact(data, data, data, "bad"),)),
    ]
    blocks += [Heading(data), Heading(data, 3), listing, figure, figure, Code(name), Detail(data, (figure,))]
    return Document(data, tuple(blocks))


def test_a_listing_of_entries_has_its_cells_below_their_heads() -> None:
    made = Listing.of(
        [(1, "a"), (2, "b")],
        lambda pair: (
            number_column("disclosure.k", str(pair[0]), priority=1),
            Column("name", cell=Data(pair[1])),
        ),
        max_rows=1,
    )
    assert made == Listing(
        (number_column("disclosure.k", priority=1), Column("name")), (("1", "a"), ("2", "b")), max_rows=1
    )
    with pytest.raises(ValueError, match="argument 2 is longer"):
        Listing.of([1, 2], lambda entry: [Column("")] * entry)


def test_a_listing_of_nothing_is_in_no_form() -> None:
    empty = Document("title", (Listing.of([], lambda entry: (Column("head", cell=entry),)),))
    for shown in (to_html(empty), to_fragment(empty), to_markdown(empty), to_text(empty)):
        assert "title" in shown
        assert "<table" not in shown


@pytest.mark.parametrize("name", thinned(HOSTILE, 4))
def test_names_are_only_ever_text(name: str) -> None:
    document = everywhere(name)
    page = to_html(document)
    for shown in (page, to_fragment(document)):
        outline = Outline(shown)
        assert {tag for tag, _ in outline.tags} <= ALLOWED
        assert name in outline.names
        for _, attributes in outline.tags:
            assert not [
                key for key in attributes if key.startswith("on") or key in ("src", "srcset", "action")
            ]
    ids = [attributes["id"] for _, attributes in Outline(page).tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert POLICY in page.replace("&#39;", "'")
    assert page.count("<svg ") == 3
    prose = tuple(block for block in document.blocks if not isinstance(block, Code))
    text = to_text(Document(document.title, prose), 40)
    assert [line for line in text.splitlines() if max(cell_len(line), squares(line)) > 40] == []
    for plain in (to_markdown(document), to_text(document)):
        assert "<svg" not in plain
        assert "\x1b" not in plain
        assert "\u202e" not in plain


def test_a_document_of_nothing_has_no_section() -> None:
    assert "<section" not in to_html(Document("x", ()))
    assert to_text(Document("x", ())) == "x\n"
