"""A document as one HTML page that needs no script and no network, and as a fragment for notebooks.

Two walls stand between a hostile name and the reader: every value is escaped (autoescape, and templates are
files only), and the page's policy forbids scripts, requests and forms altogether.
"""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Amount, Data, JoinedTexts, Sentence, Text
from duckrisk.report.blocks import Block, Document, Heading, Listing
from duckrisk.report.charts import WIDTH
from duckrisk.report.render import MOST_ROWS
from duckrisk.report.safe import escape_of, visible
from duckrisk.report.statements import Executed
from duckrisk.report.words import Words

if TYPE_CHECKING:
    import jinja2

#: Nothing is fetched, run or sent; only the page's own style sheet counts.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
#: A page of so many sections has contents.
_SECTIONS = 4


def to_html(document: Document, language: str = "en", executed: Executed | None = None) -> str:
    """One self-contained HTML page; under each table and figure stand those statements behind it that were
    ``executed``."""
    words = Words(language)
    return (
        environment()
        .get_template("document.html.j2")
        .render(
            words=words,
            policy=POLICY,
            title=document.title,
            sections=_sections(document.blocks),
            executed=executed or Executed(),
            origin=document.origin,
            signed=document.signed,
            with_contents=sum(_begins(block) for block in document.blocks) >= _SECTIONS,
        )
    )


def fragment(document: Document, language: str = "en") -> str:
    """The blocks of a document without a page around them, for a notebook."""
    return (
        environment()
        .get_template("notebook.html.j2")
        .render(words=Words(language), title=document.title, blocks=document.blocks, executed=Executed())
    )


def _begins(block: Block) -> bool:
    return isinstance(block, Heading) and block.level == 2


def _sections(blocks: tuple[Block, ...]) -> list[tuple[Heading | None, str, list[Block]]]:
    """The blocks by section: its head, its place on the page, and what is below it."""
    sections: list[tuple[Heading | None, str, list[Block]]] = [(None, "summary", [])]
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            sections.append((block, block.anchor or f"section-{len(sections)}", []))
        else:
            sections[-1][2].append(block)
    return [section for section in sections if section[0] is not None or section[2]]


@cache
def environment() -> jinja2.Environment:
    """The environment of the page's templates: sentences are put into words as they are shown."""
    import jinja2

    @jinja2.pass_context
    def in_words(context: jinja2.runtime.Context, value: Any) -> Any:
        if isinstance(value, (Sentence, JoinedTexts, Amount, Data)):
            return markup(value, context["words"])
        return value

    @jinja2.pass_context
    def css_text(context: jinja2.runtime.Context, value: Text) -> Markup:
        words: Words = context["words"]
        return _css(words.plain(value, visible))

    @jinja2.pass_context
    def plain(context: jinja2.runtime.Context, value: Text) -> str:
        words: Words = context["words"]
        return words.plain(value, visible)

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=in_words,
    )
    templates.globals.update(say=Sentence, data=Data, width=WIDTH, number=format_number)
    templates.filters.update(
        kind=lambda block: type(block).__name__,
        plain=plain,
        css_text=css_text,
        typed=lambda words: shlex.join(map(visible, words)),
        cut=_cut,
        drawn=lambda figure, words: figure.draw(words),
    )
    return templates


def _cut(listing: Listing, form: str = "html") -> Listing:
    kept = listing.only(position for position, column in enumerate(listing.columns) if not column.bar)
    return kept.cut(MOST_ROWS[form])


def markup(text: Text, words: Words) -> Markup:
    """A text as HTML; data stand in an element of their own."""
    return Markup(words.shown(text, data=_data, own=escape))  # noqa: S704 (all of it is escaped)


def _data(text: str) -> Markup:
    # <bdi>: a direction override in a name must not turn the words around it.
    return Markup("<bdi>{}</bdi>").format(_html_text(text))


def _css(text: str) -> Markup:
    """A text of the style sheet: everything but plain letters and digits is a number, so that nothing can end
    it."""
    escapes = (c if c.isascii() and (c.isalnum() or c in " .,:-") else f"\\{ord(c):x} " for c in text)
    return Markup('"' + "".join(escapes) + '"')  # noqa: S704 (nothing in it has a meaning)


def _html_text(text: str) -> Markup:
    """Escaped text; what no HTML can hold is shown as an escape, a CR survives as a reference."""
    printable = "".join(escape_of(c) if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)
    return Markup(str(escape(printable)).replace("\r", "&#13;"))  # noqa: S704 (just escaped)
