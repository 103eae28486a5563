"""What is told of a synthetic or perturbed release that was written."""

from __future__ import annotations

from collections.abc import Iterable

from duckrisk.membership.synthesis.results import Synthesized
from duckrisk.report.blocks import Block, Document, Items, paragraphs
from duckrisk.report.numbers import number
from duckrisk.sentences import Data, Sentence, say


def document(result: Synthesized) -> Document:
    """What was written, and what was noticed on the way."""
    title = say(
        "membership.synthesize.title",
        release=Data(result.release),
        records=number(result.records),
        members=number(result.members),
        method=result.method,
    )
    exact = say("membership.synthesize.exact") if result.exact else None
    return Document(title, (*paragraphs([exact]), *notes(result.notes)))


def notes(told: Iterable[Sentence | str]) -> list[Block]:
    """Notes as a list; those that are no sentences yet may hold names of the source."""
    texts = tuple(note if isinstance(note, Sentence) else Data(note) for note in told)
    return [Items(texts)] if texts else []
