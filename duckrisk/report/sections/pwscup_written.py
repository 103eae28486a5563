"""Make the report on a table of the contest that was written."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.pwscup.results import Written
from duckrisk.report.blocks import Document, Paragraph


def make_document(result: Written) -> Document:
    """Describe the table in one sentence."""
    title = Sentence(
        f"pwscup.written.{result.kind}",
        path=Data(result.path),
        records=format_number(result.records),
        filled=format_number(result.filled),
    )
    # A release is public: its seed must stay secret. Other tables are private, or draw nothing.
    repeatable = result.kind == "release" and result.seed is not None
    return Document(title, (Paragraph(Sentence("pwscup.written.seed"), "warning"),) if repeatable else ())
