"""Make the report on a synthetic or perturbed release."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.membership.synthesis.results import Synthesized
from duckrisk.report.blocks import Document, paragraphs
from duckrisk.report.sections.anonymize import list_notes


def make_document(result: Synthesized) -> Document:
    """Make the report: the release and the notes on it."""
    title = Sentence(
        "membership.synthesize.title",
        release=Data(result.release),
        records=format_number(result.records),
        members=format_number(result.members),
        method=result.method,
    )
    exact = Sentence("membership.synthesize.exact") if result.exact else None
    return Document(title, (*paragraphs([exact]), *list_notes(result.notes)))
