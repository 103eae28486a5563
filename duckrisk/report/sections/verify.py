"""Make the report on evidence that was checked and repeated."""

from __future__ import annotations

import datetime

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.decision.evidence import Verification
from duckrisk.report.blocks import Block, Document, Items, Listing, Paragraph, heading, text_column


def make_document(result: Verification) -> Document:
    """Say whether all is the same, then what is not."""
    headline = Sentence(
        "verify.same" if result.passed else "verify.differs", equal=format_number(result.equal)
    )
    return Document(
        Sentence("verify.title", folder=Data(result.folder)),
        (Paragraph(headline, "headline"), Items(tuple(_list_findings(result))), *_list_differences(result)),
    )


def _list_findings(result: Verification) -> list[Sentence]:
    """List what was compared, with what became of it."""
    lines = []
    for state in ("changed", "missing"):
        names = [Data(file.name) for file in result.files if file.state == state]
        if names:
            lines.append(Sentence(f"verify.files.{state}", names=join_texts(names)))
    if not lines:
        lines.append(Sentence("verify.files.same", count=format_number(len(result.files))))
    lines.append(Sentence(f"verify.source.{result.source_state}", source=Data(result.source)))
    if result.listed.total:
        figures = {"count": format_number(result.listed.total), "equal": format_number(result.equal)}
        lines.append(Sentence("verify.figures.differ", **figures))
    else:
        lines.append(Sentence("verify.figures.same", equal=format_number(result.equal)))
    outcomes = {
        "before": Sentence(f"verify.outcome.{result.outcome_before}"),
        "now": Sentence(f"verify.outcome.{result.outcome}"),
    }
    same = result.outcome == result.outcome_before
    lines.append(Sentence("verify.verdict.same" if same else "verify.verdict.differs", **outcomes))
    if result.environment != result.environment_before:
        lines.append(Sentence("verify.versions", before=_name(result, True), now=_name(result, False)))
    late = result.reevaluate_by < datetime.date.today().isoformat()
    lines.append(Sentence("verify.late" if late else "verify.valid", day=Data(result.reevaluate_by)))
    return lines


def _name(result: Verification, before: bool) -> Sentence:
    environment = result.environment_before if before else result.environment
    return Sentence("assess.versions", duckrisk=Data(environment.duckrisk), duckdb=Data(environment.duckdb))


def _list_differences(result: Verification) -> list[Block]:
    if not result.differences:
        return []
    table = Listing.of(
        result.differences,
        lambda entry: (
            # A path that is cut names nothing.
            text_column("verify.figure", Data(entry.path), numeric=True),
            text_column("verify.before", Data(entry.before or "-")),
            text_column("verify.now", Data(entry.now or "-")),
        ),
        listed=result.listed,
    )
    return [heading("verify.differences"), table]
