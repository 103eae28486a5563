"""The forms of a result: its document, rendered; its data, as JSON and frames hold it."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from duckrisk.base.results import Result, as_data
from duckrisk.report.blocks import Block, Document, Heading, Items, Listing, Paragraph
from duckrisk.report.registry import section_of
from duckrisk.report.safe import visible
from duckrisk.report.sections import baseline, gates, notices
from duckrisk.report.words import Words, in_english

if TYPE_CHECKING:
    import pandas


def document(result: Result, last: bool = False) -> Document:
    """What a report tells of a result, made by the module of ``sections`` that the result names, and its
    gates; with the outcome of these once more where that has to be ``last``."""
    report: Document = section_of(type(result)).document(result)
    own = result.report == "assess"  # has them where they belong among much else
    report = report if own else _with_notices(result, report)
    judged = [*(() if own else gates.blocks(result)), *(gates.last(result) if last else ())]
    return replace(report, blocks=(*baseline.blocks(result), *report.blocks, *judged))


def _with_notices(result: Result, report: Document) -> Document:
    """Name in the first headline, else in the title, what changed the verdict, and list it below."""
    blocks, listed = report.blocks, notices.blocks(result)
    if not result.notices:
        return report
    place = next((at for at, block in enumerate(blocks) if _is_headline(block)), None)
    first = blocks[place] if place is not None else None
    if place is None or not isinstance(first, Paragraph):
        title = notices.end_with_notices(report.title, result)
        return replace(report, title=title, blocks=(*listed, *blocks))
    named = replace(first, text=notices.begin_with_notices(first.text, result))
    rest = blocks[place + 1 :]
    reasons = int(isinstance(next(iter(rest), None), Items))  # a list that the headline begins
    blocks = (*blocks[:place], named, *rest[:reasons], *listed, *rest[reasons:])
    return replace(report, blocks=blocks)


def _is_headline(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.role in ("verdict", "headline")


def title(result: Result) -> str:
    """The verdict or the first headline, in a line."""
    report = document(result)
    heads = (b.text for b in report.blocks if isinstance(b, Paragraph) and _is_headline(b))
    first = next(heads, report.title)
    return Words().plain(first, visible)


def data(result: Result) -> dict[str, Any]:
    """The JSON form of a result, before it is text; sentences in it are English."""
    entries: dict[str, Any] = as_data(result, in_english)
    return entries


def to_text(result: Result, width: int = 80, language: str = "en", full: bool = False) -> str:
    file = io.StringIO()
    print_report(result, file, width, language, full)
    return file.getvalue()


def print_report(
    result: Result, file: TextIO, width: int | None = None, language: str = "en", full: bool = False
) -> None:
    """Print the report on a result to a stream: its first screen, where it has one, or in full."""
    from duckrisk.report.render.terminal import print_document, print_screen

    section = section_of(type(result))
    first = None if full or not hasattr(section, "screen") else section.screen(result)
    if first is None:
        print_document(document(result, last=True), file, width, language)
    else:
        print_screen(first, section.SIZES, file, width, language)


def to_markdown(result: Result, language: str = "en") -> str:
    from duckrisk.report.render.markdown import to_markdown

    return to_markdown(document(result), language)


def to_html(result: Result, language: str = "en") -> str:
    from duckrisk.report.render.html import to_html
    from duckrisk.report.statements import Executed

    return to_html(document(result), language, Executed.of(result))


def notebook(result: Result, language: str = "en") -> str:
    """What a notebook shows: what the module of ``sections`` says of itself, else the first table and what
    stands before it."""
    from duckrisk.report.render.html import fragment

    if (shorter := getattr(section_of(type(result)), "in_short", None)) is not None:
        return fragment(shorter(result), language)
    report = document(result)
    first: list[Any] = []
    for block in report.blocks:
        first.append(block)
        if isinstance(block, Listing) or (isinstance(block, Heading) and len(first) > 20):
            break
    return fragment(Document(report.title, tuple(first)), language)


def to_frame(result: Result, section: str | None = None) -> pandas.DataFrame:
    """A list of the result as a frame, one row an entry."""
    import pandas

    from duckrisk.report.render.rows import rows_of

    rows = rows_of(result, section)
    return pandas.DataFrame(rows.rows, columns=list(rows.columns))
