"""Numbers of rows that are written as texts: "1", "2", … in a column of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.engine.session import Session
from duckrisk.roles.evidence import NEAR
from duckrisk.roles.model import Evidence

#: Characters on average; numbers of rows are no longer.
_LONGEST = 10


def with_written_numbers(session: Session, profiles: Sequence[Evidence]) -> list[Evidence]:
    """Return what columns hold, of texts that are all different whole numbers with the least and greatest."""
    return [_with_ends(session, cells) if _may_number_rows(cells) else cells for cells in profiles]


def _may_number_rows(cells: Evidence) -> bool:
    """Return whether each record has a text of its own that may be a number."""
    complete = cells.text and 1 < cells.records == cells.present and cells.differs(NEAR)
    return complete and cells.mean_length <= _LONGEST and (not cells.looked or cells.numbers == 1.0)


def _with_ends(session: Session, cells: Evidence) -> Evidence:
    column = cells.column.binding
    row = session.fetch_row("written_numbers", source=session.views.select_columns(column), column=column)
    if row["lowest"] is None:
        return cells
    return replace(cells, lowest=float(row["lowest"]), highest=float(row["highest"]))
