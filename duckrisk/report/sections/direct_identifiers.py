"""What is told of direct identifiers found in the content."""

from __future__ import annotations

from duckrisk.disclosure.results import DirectIdentifiers
from duckrisk.numbers import number
from duckrisk.report.blocks import Block, Heading, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.roles.results import IdentifierFound, kind_said
from duckrisk.sentences import Data, Text, listed, say

#: Columns that a sentence names.
_MOST = 5


def blocks(found: DirectIdentifiers) -> list[Block]:
    """The section on direct identifiers."""
    likely = {entry.column for entry in found.found if entry.likely}
    first = say(
        "disclosure.identifiers.first",
        columns=number(len(likely)),
        examined=number(found.columns_examined),
    )
    names = [one.column for one in found.not_examined]
    left = say("disclosure.identifiers.left", names=listed(names, _MOST)) if names else None
    items = tuple(
        (
            str(one.item),
            one.identifier,
            say(f"disclosure.identifiers.{'shape' if one.by_content else 'name'}"),
            listed(one.columns),
        )
        for one in found.hipaa
        if one.columns
    )
    return [
        head("disclosure.direct_identifiers"),
        Paragraph(first, "headline"),
        *paragraphs([left]),
        _found(found.found),
        Paragraph(say("disclosure.identifiers.reading"), "reading"),
        Heading(say("disclosure.identifiers.hipaa"), 3),
        Paragraph(
            say("disclosure.identifiers.items", count=number(len(items)), all=number(len(found.hipaa)))
        ),
        Listing(
            (
                numbers("disclosure.item"),
                column("disclosure.identifier"),
                column("disclosure.found_by"),
                column("disclosure.columns"),
            ),
            items,
        ),
    ]


def _found(entries: tuple[IdentifierFound, ...]) -> Listing:
    rows = tuple(
        (
            Data(one.column),
            kind_said(one.kind),
            number(one.valid_cells),
            number(one.present_cells),
            f"{one.by_chance:,.1f}" if one.checked else "",
            _likely(one),
        )
        for one in entries
    )
    columns = (
        column("disclosure.column"),
        column("disclosure.identifier"),
        numbers("disclosure.valid"),
        numbers("disclosure.of_cells"),
        numbers("disclosure.by_chance"),
        column("disclosure.verdict"),
    )
    kept = range(6) if any(not one.likely for one in entries) else range(5)
    return Listing(columns, rows).only(kept)


def _likely(one: IdentifierFound) -> Text:
    return "" if one.likely else say("disclosure.as_by_chance")
