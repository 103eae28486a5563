"""Tables of every form: a terminal's columns line up by cells, numbers keep their digits, words give way."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from duckrisk.base.sentences import Data, Sentence
from duckrisk.report.blocks import Column, Document, Listing
from duckrisk.report.render.html import to_html
from duckrisk.report.render.markdown import to_markdown
from duckrisk.report.render.terminal import print_document, to_text
from tests.tables import LIGHT

NAMES = st.text("ab 漢字かなカナー、（）ｱé", min_size=1, max_size=40).map(str.strip).filter(bool)


def document(*heads: Column, rows: list[tuple[object, ...]]) -> Document:
    return Document("", (Listing(heads, tuple(rows)),))


def table(made: Document, width: int = 80) -> list[str]:
    """The lines of a table on a terminal; every one fits."""
    lines = [line for line in to_text(made, width).split("\n") if line]
    assert all(cell_len(line) <= width for line in lines)
    return lines


def ends(line: str, part: str) -> int:
    """The cell that a part of a line ends at."""
    return cell_len(line[: line.rindex(part) + len(part)])


@LIGHT
@given(
    names=st.lists(NAMES, min_size=1, max_size=6),
    heads=st.lists(NAMES, min_size=1, max_size=4),
    width=st.sampled_from([60, 80, 110]),
)
def test_numbers_keep_their_digits_and_line_up(names: list[str], heads: list[str], width: int) -> None:
    """Whatever the names of rows and columns are, those of columns give way."""
    numbers = [
        [f"{place:,}.{column}89" for column in range(len(heads))] for place in range(1, len(names) + 1)
    ]
    columns = [Column("name"), *(Column(Data(head), True) for head in heads)]
    rows = [(Data(name), *own) for name, own in zip(names, numbers, strict=True)]
    lines = table(document(*columns, rows=rows), width)
    for column in range(len(heads)):
        cells = [own[column] for own in numbers]
        found = [next(line for line in lines if cell in line) for cell in cells]
        assert len({ends(line, cell) for line, cell in zip(found, cells, strict=True)}) == 1


def test_ten_columns_at_80_cells() -> None:
    """Numbers are whole, heads stand in two lines or are short ones, and nothing goes."""
    heads = [Column(Sentence("membership.attack")), *(Column(f"tall h{n}", True) for n in range(9))]
    cells = [f"{n}23.4" for n in range(9)]
    lines = table(document(*heads, rows=[(Data("名前" * 20), *cells)]))
    assert all(any(cell in line for line in lines) for cell in cells)
    assert [sum(part in line for line in lines) for part in ("tall", "h8")] == [1, 1]
    brief = [heads[0], *(Column(f"unbreakable{n}", True, short=f"u{n}") for n in range(9))]
    lines = table(document(*brief, rows=[(Data("a"), *cells)]))
    assert "u0" in lines[0]
    assert "unbreakable" not in lines[0]
    named = [heads[0], *(Column(Data("n" * 30), True, short=f"No. {n}") for n in range(9))]
    assert "No. 8" in table(document(*named, rows=[(Data("a"), *cells)]))[0]


def test_columns_go_by_their_priority() -> None:
    columns = [Column("name"), *(Column(f"head{n}", True, priority=n % 3) for n in range(8))]
    lines = table(document(*columns, rows=[(Data("a" * 30), *(f"{n}2,345,678" for n in range(8)))]), 60)
    shown = [n for n in range(8) if f"{n}2,345,678" in "".join(lines)]
    assert shown == [0, 1, 3, 6]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932"])
def test_streams_that_lack_characters(encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    rows: list[tuple[object, ...]] = [(Data("名前é" * 12), "1,234"), (Data("a"), "56")]
    print_document(document(Column("name"), Column(Data("列" * 30), True), rows=rows), stream)
    stream.flush()
    lines = stream.buffer.getvalue().decode(encoding).splitlines()  # type: ignore[attr-defined]
    assert all(cell_len(line) <= 80 for line in lines)
    assert len({ends(line, part) for line in lines for part in ("1,234", "56") if part in line}) == 1


@LIGHT
@given(names=st.lists(NAMES, min_size=1, max_size=4), head=NAMES)
def test_pages_and_markdown_show_all_of_a_table(names: list[str], head: str) -> None:
    made = document(Column("name"), Column(Data(head), True), rows=[(Data(name), "1,234") for name in names])
    page, text = to_html(made), to_markdown(made)
    assert page.count("1,234") == text.count("1,234") == len(names)
    assert all(f"<bdi>{name}</bdi>" in page and name in text for name in [*names, head])
