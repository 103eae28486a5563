"""Render a document as one HTML page without scripts or requests, or as a fragment for notebooks.

Two measures protect the reader from hostile names. Every value is escaped (autoescape, and templates are
files only). The page's content security policy forbids scripts, requests and forms.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Amount, Data, JoinedTexts, Sentence, Text
from duckrisk.report.blocks import Block, Document, Figure, Heading, Listing, PageOnly
from duckrisk.report.charts import Drawing
from duckrisk.report.render import MAX_ROWS
from duckrisk.report.safe import escape_of, escape_unprintable
from duckrisk.report.statements import ExecutedStatements
from duckrisk.report.words import Words

if TYPE_CHECKING:
    import jinja2

#: The content security policy: the page fetches, runs and sends nothing, and has one style sheet of its own.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
#: Sections; a page with fewer has no table of contents (a choice: three headings are visible at once).
_MIN_SECTIONS = 4


def to_html(document: Document, language: str = "en", executed: ExecutedStatements | None = None) -> str:
    """Render a document as one self-contained HTML page.

    Args:
        document: The document.
        language: "en" or "ja".
        executed: The statements of the run, to show below the tables and figures that they are behind.
    """
    words = Words(language)
    sections = _split_sections(document.blocks)
    folded = (place for place, (head, _, _) in enumerate(sections) if head is not None and head.folded)
    return (
        load_environment()
        .get_template("document.html.j2")
        .render(
            words=words,
            policy=POLICY,
            title=document.title,
            sections=sections,
            first_folded=next(folded, len(sections)),
            executed=executed or ExecutedStatements(),
            origin=document.origin,
            signed=document.has_signature,
            follows=document.follows,
            with_contents=sum(_is_section_heading(block) for block in document.blocks) >= _MIN_SECTIONS,
        )
    )


def to_fragment(document: Document, language: str = "en") -> str:
    """Render the blocks of a document without a page around them, for a notebook."""
    return (
        load_environment()
        .get_template("notebook.html.j2")
        .render(
            words=Words(language), title=document.title, blocks=document.blocks, executed=ExecutedStatements()
        )
    )


def _is_section_heading(block: Block) -> bool:
    return isinstance(block, Heading) and block.level == 2


def _split_sections(blocks: tuple[Block, ...]) -> list[tuple[Heading | None, str, list[Block]]]:
    """Split blocks into sections: heading, anchor and the blocks below."""
    sections: list[tuple[Heading | None, str, list[Block]]] = [(None, "summary", [])]
    for block in _open_page_only(blocks):
        if isinstance(block, Heading) and block.level == 2:
            sections.append((block, block.anchor or f"section-{len(sections)}", []))
        else:
            sections[-1][2].append(block)
    return [section for section in sections if section[0] is not None or section[2]]


def _open_page_only(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield from block.blocks if isinstance(block, PageOnly) else (block,)


@cache
def load_environment() -> jinja2.Environment:
    """Load the environment of the templates, which puts sentences into words."""
    import jinja2

    @jinja2.pass_context
    def in_words(context: jinja2.runtime.Context, value: Any) -> Any:
        if isinstance(value, (Sentence, JoinedTexts, Amount, Data)):
            return to_markup(value, context["words"])
        return value

    @jinja2.pass_context
    def css_text(context: jinja2.runtime.Context, value: Text) -> Markup:
        words: Words = context["words"]
        return _escape_css(words.format(value, escape_unprintable))

    @jinja2.pass_context
    def plain(context: jinja2.runtime.Context, value: Text) -> str:
        words: Words = context["words"]
        return words.format(value, escape_unprintable)

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=in_words,
    )
    templates.globals.update(say=Sentence, data=Data, number=format_number)
    templates.filters.update(
        kind=lambda block: type(block).__name__,
        plain=plain,
        css_text=css_text,
        typed=lambda words: shlex.join(map(escape_unprintable, words)),
        cut=_truncate,
        drawn=_draw,
    )
    return templates


def _draw(figure: Figure, words: Words) -> list[Drawing]:
    drawn = figure.draw(words)
    return drawn if isinstance(drawn, list) else [drawn]


def _truncate(listing: Listing, form: str) -> Listing:
    """Truncate a listing for a page, a figure on it ("figure") or a notebook.

    Only the tables of a page draw bars.
    """
    if form != "html":
        listing = listing.select_columns(i for i, column in enumerate(listing.columns) if not column.bar)
    return listing.truncate(MAX_ROWS["notebook" if form == "notebook" else "html"])


def to_markup(text: Text, words: Words) -> Markup:
    """Write a text as HTML, with each piece of data in an element of its own."""
    return Markup(words.format_parts(text, _mark_data, escape))  # noqa: S704 (all of it is escaped)


def _mark_data(text: str) -> Markup:
    # <bdi> keeps a direction override in a name from reversing the words around it.
    return Markup("<bdi>{}</bdi>").format(_escape_html(text))


def _escape_css(text: str) -> Markup:
    """Write a string of the style sheet with all but letters and digits escaped."""
    escapes = (c if c.isascii() and (c.isalnum() or c in " .,:-") else f"\\{ord(c):x} " for c in text)
    return Markup('"' + "".join(escapes) + '"')  # noqa: S704 (nothing in it has a meaning)


def _escape_html(text: str) -> Markup:
    """Escape text for HTML, also characters that HTML cannot hold.

    A CR becomes a reference.
    """
    printable = "".join(escape_of(c) if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)
    return Markup(str(escape(printable)).replace("\r", "&#13;"))  # noqa: S704 (just escaped)
