"""Make the checklist: what a run shows for the items of legal rules on anonymized data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from duckrisk.base.sentences import Sentence
from duckrisk.decision.assessment.results import ChecklistItem
from duckrisk.report.blocks import Block, Column, Detail, Heading, Listing, Paragraph, heading, text_column

#: The rules that also bind whoever holds the data afterwards.
_JAPAN = "checklist.japan"


def make_blocks(items: Sequence[ChecklistItem]) -> list[Block]:
    """Make the section, with a table for each rule."""
    if not items:
        return []
    parts: list[Block] = [heading("checklist.title"), Paragraph(Sentence("checklist.read"), "reading")]
    for framework, entries in groupby(items, key=lambda item: item.framework):
        parts += [
            Heading(framework, 3),
            Listing.of(
                entries,
                lambda item: (
                    text_column("checklist.item", item.item),
                    text_column("checklist.requirement", item.requirement),
                    text_column("checklist.status", Sentence(f"checklist.{item.status}")),
                    Column(Sentence("checklist.evidence"), wide=True, cell=item.evidence),
                ),
            ),
        ]
        if framework.key == _JAPAN:
            duties = Paragraph(Sentence("checklist.duties"))
            parts.append(Detail(Sentence("checklist.follows"), (duties,)))
    return parts
