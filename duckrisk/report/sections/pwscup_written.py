"""What is told of a table of the contest that was written."""

from __future__ import annotations

from duckrisk.numbers import number
from duckrisk.pwscup.results import Written
from duckrisk.report.blocks import Document, Paragraph
from duckrisk.sentences import Data, say


def document(result: Written) -> Document:
    """What was written, in a sentence."""
    title = say(
        f"pwscup.written.{result.kind}",
        path=Data(result.path),
        records=number(result.records),
        filled=number(result.filled),
    )
    # The other tables are private, or nothing that is drawn has to stay unknown.
    repeatable = result.kind == "release" and result.seed is not None
    return Document(title, (Paragraph(say("pwscup.written.seed"), "warning"),) if repeatable else ())
