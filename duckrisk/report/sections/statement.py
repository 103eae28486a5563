"""Make the statement that an expert signs, in the order of ISO/IEC 27559.

The standard asks for the context of the release, the features of the data, the thresholds, what was tried
against it, and when all this is looked at again.
"""

from __future__ import annotations

from collections.abc import Mapping

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.assessment.results import Assessment
from duckrisk.report.blocks import (
    Block,
    Column,
    Document,
    Items,
    Listing,
    Paragraph,
    heading,
    paragraphs,
    text_column,
)
from duckrisk.report.sections import first_page, method, plausible_attacks, roles, verdict

#: The parts of an assessment that try something against the table.
_ATTACKS = ("attribute_risk", "uniqueness", "identifiability", "suda", "attribute_disclosure")


def make_document(
    result: Assessment, reevaluate_by: str, files: Mapping[str, str], has_log: bool
) -> Document:
    """Make the statement.

    Args:
        result: The assessment.
        reevaluate_by: The day by which it has to be made again, as YYYY-MM-DD.
        files: By name, the SHA-256 of each file that belongs to the statement.
        has_log: Whether the SQL statements of the run are among them.
    """
    source = Data(result.source.name)
    return Document(
        Sentence("statement.title", source=source),
        (
            Paragraph(verdict.write_headline(result), "verdict"),
            *_describe_context(result),
            *_describe_data(result),
            *_list_thresholds(result),
            *_list_attacks(result),
            heading("statement.again"),
            Paragraph(Sentence("statement.by", day=reevaluate_by)),
            Items(first_page.list_duties()),
            heading("statement.files"),
            _list_files(files),
            *paragraphs([None if has_log else Sentence("statement.no_log")]),
        ),
        method.describe_origin(result),
        has_signature=True,
    )


def _describe_context(result: Assessment) -> list[Block]:
    policy = verdict.name_verdict_policy(result.verdict)
    recipients = Sentence(f"policy.for.{result.verdict.policy}")
    blocks: list[Block] = [
        heading("statement.context"),
        Paragraph(Sentence("statement.policy", policy=policy, recipients=recipients)),
    ]
    if result.plausible_attacks is None:
        return [*blocks, Paragraph(Sentence("statement.no_context"))]
    # Its heading and its table; this document has a heading already.
    return [*blocks, *plausible_attacks.make_blocks(result.plausible_attacks)[1:]]


def _describe_data(result: Assessment) -> list[Block]:
    guessed = [column for column in result.source.columns if column.confidence == "guess"]
    return [
        heading("statement.data"),
        *paragraphs([verdict.describe_source(result.source), method.describe_digest(result)]),
        roles.list_roles(result),
        *(
            [Paragraph(Sentence("statement.guesses", count=format_number(len(guessed))), "warning")]
            if guessed
            else []
        ),
        Items((*result.source.notes, *result.verdict.assumptions, *result.verdict.undecided_because)),
    ]


def _list_thresholds(result: Assessment) -> list[Block]:
    limits = Listing.of(
        verdict.list_limits(result),
        lambda line: (
            Column("", cell=line.sign if line.limit else ""),
            text_column("statement.limit", line.name),
            text_column("statement.found", line.figure),
            text_column("statement.threshold", line.limit or "-"),
        ),
        whole=True,
        sql=("facts_together", "attribute_risk", "direct_identifiers"),
    )
    return [heading("statement.thresholds"), limits]


def _list_attacks(result: Assessment) -> list[Block]:
    tried: list[Text] = [
        Sentence(f"statement.attack.{part}") for part in _ATTACKS if part in result.settings.only
    ]
    left_out: list[Text] = [
        Sentence(f"statement.attack.{part}") for part in _ATTACKS if part not in result.settings.only
    ]
    return [
        heading("statement.testing"),
        *paragraphs([verdict.describe_attacker(result)]),
        Paragraph(Sentence("statement.tried")),
        Items(tuple(tried)),
        Paragraph(Sentence("statement.not_tried")),
        Items((*left_out, Sentence("statement.attack.never"))),
        *paragraphs([verdict.describe_not_looked_at(result), Sentence("verdict.no_promise")]),
    ]


def _list_files(files: Mapping[str, str]) -> Listing:
    return Listing.of(
        files.items(),
        lambda file: (
            text_column("statement.file", Data(file[0])),
            text_column("statement.digest", Data(file[1])),
        ),
        whole=True,
    )
