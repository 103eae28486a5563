"""Markdown: whatever a name is, tables keep their shape and it is shown as it is."""

from __future__ import annotations

import html
import re

import pytest

from duckrisk.report.render.markdown import escaped
from duckrisk.report.safe import visible
from tests.hostile import HOSTILE
from tests.singled_out import EIGHTS, hostile_reports

pytestmark = pytest.mark.slow


def cells(row: str) -> list[str]:
    """The cells of a row as GitHub splits it: at every bar without a backslash."""
    return re.split(r"(?<!\\)\|", row)[1:-1]


@pytest.mark.parametrize("place", range(len(EIGHTS)))
def test_tables_keep_their_shape(place):
    lines = hostile_reports()[place].to_markdown().splitlines()
    width = None
    for line in lines:
        if not line.startswith("|"):
            width = None
            continue
        width = width or len(cells(line))
        assert len(cells(line)) == width
    assert not any("<" in line.replace("<sub>", "") for line in lines)


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_shows_exactly_the_name(name):
    markdown_it = pytest.importorskip("markdown_it")
    renderer = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    page = renderer.render(f"| head |\n| --- |\n| x{escaped(name)}x |\n")
    body = re.fullmatch(r".*<td>(.*)</td>.*", page, re.DOTALL)
    assert body is not None
    assert "<" not in body[1]
    assert html.unescape(body[1]).replace("\u2060", "") == f"x{visible(name)}x"


def test_nobody_is_called_and_nothing_linked():
    shown = escaped("@someone #12 https://example.com www.example.com")
    assert not re.search(r"@\w|#\d|https://|www\.", shown.replace("&#8288;", " "))
