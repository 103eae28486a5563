"""Row numbers in a column of texts, such as "1", "2" and "3"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.engine.session import Session
from duckrisk.roles.classification import NEARLY_UNIQUE
from duckrisk.roles.model import ColumnProfile

#: Characters of a row number on average (derived from the largest number of 32 bits, 4,294,967,295).
_LONGEST = 10


def with_written_numbers(session: Session, profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Add the least and greatest number to texts that are all distinct whole numbers."""
    return [_with_ends(session, profile) if _may_number_rows(profile) else profile for profile in profiles]


def _may_number_rows(profile: ColumnProfile) -> bool:
    """Return whether each record has a distinct text that may be a number."""
    complete = (
        profile.is_text and 1 < profile.records == profile.present and profile.is_distinct(NEARLY_UNIQUE)
    )
    return complete and profile.mean_length <= _LONGEST and (not profile.is_sampled or profile.numbers == 1.0)


def _with_ends(session: Session, profile: ColumnProfile) -> ColumnProfile:
    column = profile.column.binding
    row = session.fetch_row("written_numbers", source=session.views.select_columns(column), column=column)
    if row["lowest"] is None:
        return profile
    return replace(profile, lowest=float(row["lowest"]), highest=float(row["highest"]))
