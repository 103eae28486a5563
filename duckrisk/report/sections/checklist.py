"""What a run shows under rules on anonymised data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from duckrisk.base.sentences import Sentence
from duckrisk.decision.assessment.results import ChecklistItem
from duckrisk.report.blocks import Block, Column, Heading, Listing, Paragraph, column, head


def blocks(items: Sequence[ChecklistItem]) -> list[Block]:
    """The section on the checklist, a table for each rule."""
    if not items:
        return []
    parts: list[Block] = [head("checklist.title"), Paragraph(Sentence("checklist.read"), "reading")]
    columns = (
        column("checklist.item"),
        column("checklist.requirement"),
        column("checklist.status"),
        Column(Sentence("checklist.evidence"), wide=True),
    )
    for framework, entries in groupby(items, key=lambda item: item.framework):
        rows = tuple(
            (item.item, item.requirement, Sentence(f"checklist.{item.status}"), item.evidence)
            for item in entries
        )
        parts += [Heading(framework, 3), Listing(columns, rows)]
    return parts
