"""What is told of direct identifiers found in the content."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.measures.disclosure.results import DirectIdentifiers
from duckrisk.report.blocks import Block, Heading, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.roles.results import IdentifierFound, kind_said

#: Columns that a sentence names.
_MOST = 5


def blocks(section: DirectIdentifiers) -> list[Block]:
    """The section on direct identifiers."""
    likely = {entry.column for entry in section.found if entry.likely}
    first = Sentence(
        "disclosure.identifiers.first",
        columns=format_number(len(likely)),
        examined=format_number(section.columns_examined),
    )
    names = [entry.column for entry in section.not_examined]
    unexamined = Sentence("disclosure.identifiers.left", names=list_names(names, _MOST)) if names else None
    items = tuple(
        (
            str(item.item),
            item.identifier,
            Sentence(f"disclosure.identifiers.{'shape' if item.by_content else 'name'}"),
            list_names(item.columns),
        )
        for item in section.hipaa
        if item.columns
    )
    return [
        head("disclosure.direct_identifiers"),
        Paragraph(first, "headline"),
        *paragraphs([unexamined]),
        _found(section.found),
        Paragraph(Sentence("disclosure.identifiers.reading"), "reading"),
        Heading(Sentence("disclosure.identifiers.hipaa"), 3),
        Paragraph(
            Sentence(
                "disclosure.identifiers.items",
                count=format_number(len(items)),
                all=format_number(len(section.hipaa)),
            )
        ),
        Listing(
            (
                numbers("disclosure.item"),
                column("disclosure.identifier"),
                column("disclosure.found_by"),
                column("disclosure.columns"),
            ),
            items,
            sql=("direct_identifiers",),
        ),
    ]


def _found(entries: tuple[IdentifierFound, ...]) -> Listing:
    rows = tuple(
        (
            Data(entry.column),
            kind_said(entry.kind),
            format_number(entry.valid_cells),
            format_number(entry.present_cells),
            f"{entry.by_chance:,.1f}" if entry.checked else "",
            _likely(entry),
        )
        for entry in entries
    )
    columns = (
        column("disclosure.column"),
        column("disclosure.identifier"),
        numbers("disclosure.valid"),
        numbers("disclosure.of_cells"),
        numbers("disclosure.by_chance"),
        column("disclosure.verdict"),
    )
    kept = range(6) if any(not entry.likely for entry in entries) else range(5)
    return Listing(columns, rows, sql=("direct_identifiers",)).only(kept)


def _likely(entry: IdentifierFound) -> Text:
    if entry.likely:
        return ""
    return Sentence(
        "disclosure.as_by_chance",
        valid=format_number(entry.valid_values),
        shaped=format_number(entry.shaped_values),
    )
