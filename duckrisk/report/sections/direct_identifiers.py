"""Make the section on direct identifiers found in values."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.measures.disclosure.results import DirectIdentifiers, HipaaItem
from duckrisk.report.blocks import (
    Block,
    Heading,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.roles.results import IdentifierFound, describe_kind

#: Columns that a sentence names (a choice: it then takes two lines).
_MAX_NAMES = 5


def make_blocks(section: DirectIdentifiers) -> list[Block]:
    """Make the section on direct identifiers."""
    likely = {entry.column for entry in section.found if entry.likely}
    headline = Sentence(
        "disclosure.identifiers.first",
        columns=format_number(len(likely)),
        examined=format_number(section.columns_examined),
    )
    names = [entry.column for entry in section.not_examined]
    unexamined = (
        Sentence("disclosure.identifiers.left", names=list_names(names, _MAX_NAMES)) if names else None
    )
    items = [item for item in section.hipaa if item.columns]
    return [
        heading("disclosure.direct_identifiers"),
        Paragraph(headline, "headline"),
        *paragraphs([unexamined]),
        _list_identifiers(section.found),
        Paragraph(Sentence("disclosure.identifiers.reading"), "reading"),
        Heading(Sentence("disclosure.identifiers.hipaa"), 3),
        Paragraph(
            Sentence(
                "disclosure.identifiers.items",
                count=format_number(len(items)),
                all=format_number(len(section.hipaa)),
            )
        ),
        Listing.of(
            items,
            lambda item: (
                number_column("disclosure.item", str(item.item)),
                text_column("disclosure.identifier", item.identifier),
                text_column("disclosure.found_by", _name_evidence(item)),
                text_column("disclosure.columns", list_names(item.columns)),
            ),
            sql=("direct_identifiers",),
        ),
    ]


def _name_evidence(item: HipaaItem) -> Text:
    return Sentence(f"disclosure.identifiers.{'shape' if item.by_content else 'name'}")


def _list_identifiers(entries: tuple[IdentifierFound, ...]) -> Listing:
    doubtful = any(not entry.likely for entry in entries)
    return Listing.of(
        entries,
        lambda entry: (
            text_column("disclosure.column", Data(entry.column)),
            text_column("disclosure.identifier", describe_kind(entry.kind)),
            number_column("disclosure.valid", format_number(entry.valid_cells)),
            number_column("disclosure.of_cells", format_number(entry.present_cells)),
            number_column("disclosure.by_chance", f"{entry.by_chance:,.1f}" if entry.checked else ""),
            *([text_column("disclosure.verdict", _explain_chance(entry))] if doubtful else []),
        ),
        sql=("direct_identifiers",),
    )


def _explain_chance(entry: IdentifierFound) -> Text:
    if entry.likely:
        return ""
    return Sentence(
        "disclosure.as_by_chance",
        valid=format_number(entry.valid_values),
        shaped=format_number(entry.shaped_values),
    )
