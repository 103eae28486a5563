"""Make the report on a search for a release that reaches the thresholds of the contest."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.membership.synthesis.results import Annealed
from duckrisk.report.blocks import Block, Document, Paragraph
from duckrisk.report.sections.anonymize import list_notes
from duckrisk.report.sections.membership_utility import describe_indices


def make_document(result: Annealed) -> Document:
    """Make the report: the release, the search, and the indices of its result."""
    title = Sentence(
        "membership.anneal.title", release=Data(result.release), records=format_number(result.records)
    )
    blocks: list[Block] = []
    if result.interrupted is not None:
        stopped = Sentence("membership.anneal.interrupted", iterations=format_number(result.iterations))
        blocks.append(Paragraph(stopped, "warning"))
        if result.state is not None:
            blocks.append(Paragraph(Sentence("membership.anneal.resume", state=Data(result.state))))
    searched = Sentence(
        "membership.anneal.searched",
        start=f"{result.start:.4f}",
        cost=f"{result.cost:.4f}",
        iterations=format_number(result.iterations),
        rate=format_number(round(result.iterations / result.seconds)) if result.seconds else "-",
        kept=format_number(result.kept),
        measured=format_number(result.measured),
    )
    blocks += [Paragraph(searched), *describe_indices(result.indices), *list_notes(result.notes)]
    return Document(title, tuple(blocks))
