"""Sections of an assessment in tests: as JSON has them, and as reports tell of them."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from rich.cells import cell_len

from duckrisk.base.results import as_data, in_english
from duckrisk.report.blocks import Block, Document, Figure, Listing
from duckrisk.report.render.html import to_html
from duckrisk.report.render.markdown import to_markdown
from duckrisk.report.render.terminal import to_text
from duckrisk.report.words import Words
from tests.fitting import fit


class Section(dict[str, Any]):
    """A section as JSON has it; ``found`` is what was measured."""

    found: Any


def as_json(found: Any) -> Section:
    """A section as JSON has it, which its schema allows."""
    section = Section(as_data(found, in_english))
    section.found = found
    fit(dict(section), type(found))
    return section


def blocks(section: Section) -> list[Block]:
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(section.found).__name__).lower()
    made: list[Block] = import_module(f"duckrisk.report.sections.{name}").make_blocks(section.found)
    return made


def told(section: Section) -> str:
    """What a report says of a section, as Markdown; on a terminal nothing is wider than it, and there is a
    page, in each language."""
    document = Document("", tuple(blocks(section)))
    for language in ("en", "ja"):
        for line in to_text(document, 80, language).splitlines():
            assert cell_len(line) <= 80, line
        assert "<svg" in to_html(document, language) or not any(
            isinstance(block, Figure) for block in document.blocks
        )
    return to_markdown(document)


def rows(section: Section, place: int = 0) -> list[tuple[str, ...]]:
    """The cells of a table of a section."""
    tables = [block for block in blocks(section) if isinstance(block, Listing)]
    return [tuple(map(Words().format, row)) for row in tables[place].rows]
