"""What a section of an assessment tells, before it has a form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckrisk.report.tables import Table

if TYPE_CHECKING:
    from duckrisk.report.svg import Drawing


@dataclass(frozen=True)
class Part:
    """A sentence, a head of ``level`` 2 or more, a table, or a figure.

    A figure is drawn on the HTML page alone, ``text`` is its title; what it shows is also told by a table.
    """

    text: str = ""
    level: int = 0
    table: Table | None = None
    figure: Drawing | None = None
