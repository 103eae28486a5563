"""The forms of a report of sentences and tables: JSON, Markdown, HTML, and plain text for a terminal."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckrisk.report.markdown import inline, part_lines
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, visible

if TYPE_CHECKING:
    from duckrisk.report.svg import Drawing

_WIDTH = 80
#: So many rows are listed of a table.
MOST_ROWS = 100


@dataclass(frozen=True)
class Part:
    """A sentence, a head of ``level`` 2 or more, a table, or a figure.

    A figure is drawn on the HTML page alone, ``text`` is its title; what it shows is also told by a table.
    """

    text: str = ""
    level: int = 0
    table: Table | None = None
    figure: Drawing | None = None


class Report:
    """A report of parts. ``data`` is what its JSON holds."""

    data: dict[str, Any]

    def title(self) -> str:
        """What the report is about."""
        raise NotImplementedError

    def parts(self) -> list[Part]:
        """What it tells, in order."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<duckrisk {type(self).__name__}: {self.title()}>"

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON report."""
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    def to_json(self) -> str:
        """The JSON report: the same bytes for the same files and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """The report as Markdown text; every piece of data is escaped."""
        lines = [f"# {inline(Data(self.title()))}", "", *part_lines(self.parts(), MOST_ROWS)]
        return "\n".join(lines).rstrip() + "\n"

    def to_html(self) -> str:
        """The report as one HTML page without a script, which loads nothing; all data are escaped."""
        from duckrisk.report import text
        from duckrisk.report.html import POLICY, environment

        sections: list[tuple[str, list[Part]]] = [("", [])]
        for part in self.parts():
            if part.level == 2:
                sections.append((part.text, []))
            else:
                sections[-1][1].append(part)
        return (
            environment()
            .get_template("parts.html.j2")
            .render(
                policy=POLICY,
                language=text.LANGUAGE,
                title=self.title(),
                sections=[(head, parts) for head, parts in sections if head or parts],
            )
        )

    def to_text(self) -> str:
        """What the command prints."""
        lines = textwrap.wrap(visible(self.title()), _WIDTH)
        for part in self.parts():
            if part.figure is not None:
                continue
            lines.append("")
            if part.table is not None:
                lines += plain_table(part.table)
            else:
                lines += textwrap.wrap(visible(part.text), _WIDTH)
        return "\n".join(lines) + "\n"


def plain_table(table: Table) -> list[str]:
    """A table as lines of text, columns two blanks apart."""
    if not table.rows:
        return []
    cells = [[visible(str(cell)) for cell in row] for row in (table.heads, *table.rows[:MOST_ROWS])]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.heads))]
    lines = []
    for row in cells:
        shown = (
            cell.rjust(width) if place in table.right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(shown).rstrip())
    if len(table.rows) > MOST_ROWS:
        lines.append(f"... and {len(table.rows) - MOST_ROWS:,} more")
    return lines
