"""Lines of text for the terminal: paragraphs and plain tables."""

from __future__ import annotations

import textwrap

from duckrisk.report.tables import Table
from duckrisk.report.text import visible

WIDTH = 80


def plain(table: Table) -> list[str]:
    """A table in lines, each cut at the width."""
    cells = [list(map(str, table.heads)), *([visible(str(cell)) for cell in row] for row in table.rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.heads))]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(widths[place]) if place in table.right else cell.ljust(widths[place])
            for place, cell in enumerate(row)
        ]
        line = "  " + "  ".join(parts).rstrip()
        lines.append(line if len(line) <= WIDTH else line[: WIDTH - 3] + "...")
    return lines


def wrapped(text: str, indent: str = "") -> list[str]:
    """A paragraph in lines."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    ) or [""]
