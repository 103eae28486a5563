"""Describe how the records of a column spread over its values, without showing a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.measures.identifiability.tokens import drop_tokens_of_parts
from duckrisk.source import Column

#: Ranks of a column (a choice: bars that are wide enough to see in a cell of a table).
_MOST_RANKS = 20


@dataclass(frozen=True)
class ColumnRanks:
    """How the records of a column spread over its values.

    Attributes:
        distinct_values: Distinct values.
        rare_values: Values that few records have.
        rare_share: Share of records with a rare value.
        missing_share: Share of records without a value.
        shares: Shares of records of the most frequent values, the largest first.
    """

    distinct_values: int
    rare_values: int
    rare_share: float
    missing_share: float
    shares: tuple[float, ...]


def rank_values(
    session: Session, columns: Sequence[Column], rare: int, missing_tokens: tuple[str, ...]
) -> Mapping[str, ColumnRanks]:
    """Rank the values of the columns of the assessed view, by the name of the column.

    Args:
        session: The session.
        columns: The columns.
        rare: Records; a value in fewer is rare.
        missing_tokens: Texts that mean a missing value.
    """
    found = {}
    for column in columns:
        attribute = Attribute(column.name, (Part(column.binding),))
        row = session.fetch_row(
            "value_ranks",
            source=session.views.select_columns(column.binding),
            attribute=drop_tokens_of_parts(attribute, {column.binding: column.type}, missing_tokens),
            rare=rare,
            most=_MOST_RANKS,
        )
        found[column.name] = ColumnRanks(**row | {"shares": tuple(row["shares"])})
    return found
