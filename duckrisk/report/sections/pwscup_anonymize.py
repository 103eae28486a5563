"""Make the report on an anonymized history."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.pwscup.treatment import Anonymized
from duckrisk.report.blocks import Document, paragraphs
from duckrisk.report.sections.anonymize import list_notes, list_steps


def make_document(result: Anonymized) -> Document:
    """Make the report: the release, the effect of each step, and the recipe."""
    title = Sentence(
        "anonymization.history_title",
        path=Data(result.path),
        records=format_number(result.records),
        left=format_number(result.left),
    )
    incomplete = Sentence("anonymization.incomplete", count=format_number(result.incomplete))
    recipe = Sentence("anonymization.recipe", path=Data(result.recipe_path))
    return Document(
        title,
        (
            *paragraphs([incomplete if result.incomplete else None]),
            list_steps(result.steps),
            *paragraphs([recipe]),
            *list_notes(result.notes),
        ),
    )
