"""Make the section on the roles of columns and the reasons for them."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.assessment.results import Assessment
from duckrisk.report.blocks import Block, Listing, Paragraph, heading, number_column, text_column
from duckrisk.report.render import MAX_ROWS

#: Roles in the order of their listing if not all columns fit: those that a person has to check come first.
_URGENT = (
    *("user", "direct_identifier", "free_text", "date_time", "event_key", "attribute"),
    *("count", "constant", "ignored"),
)


def make_blocks(result: Assessment) -> list[Block]:
    """Make the section on roles."""
    return [heading("assess.roles"), Paragraph(Sentence("assess.read.roles"), "reading"), list_roles(result)]


def list_roles(result: Assessment) -> Listing:
    """List the columns with their roles."""
    decided = result.source.columns
    if len(decided) > min(MAX_ROWS.values()):
        decided = tuple(sorted(decided, key=lambda row: (_URGENT.index(row.role), not row.reason)))
    return Listing.of(
        decided,
        lambda row: (
            text_column("assess.column", Data(row.name)),
            text_column(
                "assess.role",
                Sentence(
                    "roles.held",
                    role=Sentence(
                        f"roles.declared.{row.declared}" if row.declared else f"roles.name.{row.role}"
                    ),
                    confidence=Sentence(f"roles.confidence.{row.confidence}"),
                ),
            ),
            text_column("assess.reason", _format_reason(row.reason)),
            number_column(
                "assess.missing",
                format_number(row.missing) if row.missing else "-",
                short="assess.missing_short",
            ),
            text_column("assess.type", Data(row.type), priority=1),
        ),
        sql=("profile", "users", "determined_by"),
    ).drop_empty_columns()


def _format_reason(reason: Text) -> Text:
    return Data(reason) if isinstance(reason, str) else reason
