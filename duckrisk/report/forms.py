"""Turn a result into each of its forms: text, Markdown, a page, a notebook cell, JSON and data frames."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from duckrisk.base.results import Result, as_data
from duckrisk.report.blocks import Block, Document, Heading, Items, Listing, Paragraph, flatten_pairs
from duckrisk.report.registry import section_of
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.sections import baseline, gates, notices
from duckrisk.report.words import Words, to_english

if TYPE_CHECKING:
    import pandas

    from duckrisk.decision.assessment.preview import Preview


def make_document(result: Result, last: bool = False) -> Document:
    """Make the document of a result, with its baseline, notices and gates.

    Args:
        result: The result; its class names the module in `duckrisk.report.sections` that makes the document.
        last: Whether to repeat the outcome of the gates at the end.
    """
    report: Document = section_of(type(result)).make_document(result)
    places_both = result.report == "assess"  # its document already has notices and gates
    report = report if places_both else _add_notices(result, report)
    gate_blocks = [] if places_both else gates.make_blocks(result)
    gate_blocks += gates.make_outcome_blocks(result) if last else []
    return replace(report, blocks=(*baseline.make_blocks(result), *report.blocks, *gate_blocks))


def _add_notices(result: Result, report: Document) -> Document:
    """Add the notices to the first headline or the title, and list them below."""
    blocks, listed = report.blocks, notices.make_blocks(result)
    if not result.notices:
        return report
    index = next((i for i, block in enumerate(blocks) if _is_headline(block)), None)
    first = blocks[index] if index is not None else None
    if index is None or not isinstance(first, Paragraph):
        title = notices.add_to_sentence(report.title, result)
        return replace(report, title=title, blocks=(*listed, *blocks))
    headline = replace(first, text=notices.put_before_sentence(first.text, result))
    following = blocks[index + 1 :]
    reasons = int(isinstance(next(iter(following), None), Items))  # a list that belongs to the headline
    blocks = (*blocks[:index], headline, *following[:reasons], *listed, *following[reasons:])
    return replace(report, blocks=blocks)


def _is_headline(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.role in ("verdict", "headline")


def get_title(result: Result) -> str:
    """Return the verdict or the first headline of a result, in one line of English."""
    report = make_document(result)
    heads = (b.text for b in report.blocks if isinstance(b, Paragraph) and _is_headline(b))
    first = next(heads, report.title)
    return Words().format(first, escape_unprintable)


def to_data(result: Result) -> dict[str, Any]:
    """Return the JSON form of a result, with its sentences in English."""
    entries: dict[str, Any] = as_data(result, to_english)
    return entries


def to_text(result: Result, width: int = 80, language: str = "en", full: bool = False) -> str:
    """Render a result as plain text; see :func:`print_report`."""
    file = io.StringIO()
    print_report(result, file, width, language, full)
    return file.getvalue()


def print_report(
    result: Result, file: TextIO, width: int | None = None, language: str = "en", full: bool = False
) -> None:
    """Print the report on a result to a stream.

    Args:
        result: The result.
        file: The stream.
        width: Characters of a line, by default those of the terminal.
        language: "en" or "ja".
        full: Whether to print the whole report, even if the result has a first screen.
    """
    from duckrisk.report.render.terminal import print_document, print_screen

    section = section_of(type(result))
    first = None if full or not hasattr(section, "choose_screen") else section.choose_screen(result)
    if first is None:
        print_document(make_document(result, last=True), file, width, language)
    else:
        print_screen(first, section.SIZES, file, width, language)


class EarlyScreen:
    """Prints a report to a terminal: the head of its first screen early, and the rest below it.

    Args:
        file: The stream.
        language: "en" or "ja".
        width: Characters of a line, by default those of the terminal.
    """

    def __init__(self, file: TextIO, language: str = "en", width: int | None = None) -> None:
        from duckrisk.report.render.terminal import ScreenInPieces

        self._file, self._language, self._width = file, language, width
        self._screen = ScreenInPieces(file, width, language)
        self._is_begun = self._has_head = False

    def print_preview(self, preview: Preview) -> None:
        """Print what a sample of a large table decides; the title does not follow again."""
        from duckrisk.report.render.terminal import MAX_HEAD_LINES
        from duckrisk.report.sections.first_screen import SIZES, make_preview

        self._screen.print(lambda _: make_preview(preview), SIZES, MAX_HEAD_LINES)
        self._is_begun = True
        self._file.flush()

    def print_head(self, result: Result) -> None:
        """Print the verdict of a report whose other figures are not known yet."""
        from duckrisk.report.render.terminal import MAX_HEAD_LINES

        section = section_of(type(result))
        if not section.has_screen(result):
            return
        self._screen.print(lambda size: section.make_head(result, size), section.SIZES, MAX_HEAD_LINES)
        self._has_head = True
        self._file.flush()

    def print_rest(self, result: Result) -> None:
        """Print the report, without the head if that is printed."""
        from duckrisk.report.render.terminal import MAX_SCREEN_LINES

        section = section_of(type(result))
        if self._is_begun and not self._has_head:
            self.print_head(result)
        if self._has_head:
            self._screen.print(section.choose_rest(result), section.SIZES, MAX_SCREEN_LINES)
        else:
            print_report(result, self._file, self._width, self._language)


def to_markdown(result: Result, language: str = "en") -> str:
    """Render a result as Markdown."""
    from duckrisk.report.render.markdown import to_markdown

    return to_markdown(make_document(result), language)


def to_html(result: Result, language: str = "en") -> str:
    """Render a result as a page, with the statements behind its tables."""
    from duckrisk.report.render.html import to_html
    from duckrisk.report.statements import ExecutedStatements

    shown = result.for_page()
    return to_html(make_document(shown), language, ExecutedStatements.from_result(shown))


def to_notebook(result: Result, language: str = "en") -> str:
    """Render a result for a notebook.

    A report whose module has no `make_summary` shows its first table and the blocks before it.
    """
    from duckrisk.report.render.html import to_fragment

    if (make_summary := getattr(section_of(type(result)), "make_summary", None)) is not None:
        return to_fragment(make_summary(result), language)
    report = make_document(result)
    first: list[Any] = []
    for block in flatten_pairs(report.blocks):
        first.append(block)
        if isinstance(block, Listing) or (isinstance(block, Heading) and len(first) > 20):
            break
    return to_fragment(Document(report.title, tuple(first)), language)


def to_frame(result: Result, section: str | None = None) -> pandas.DataFrame:
    """Return a list of the result as a data frame with one row for each entry.

    Args:
        result: The result.
        section: The path of the list, such as "identifiability.sets"; by default the main list.

    Raises:
        UsageError: The result has no list at this path.
    """
    import pandas

    from duckrisk.report.render.rows import flat_rows_of

    rows = flat_rows_of(result, section)
    return pandas.DataFrame(rows.rows, columns=list(rows.columns))
