"""A comparison as GitHub Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckrisk.report.comparison import sentences, tables
from duckrisk.report.markdown import inline, section, table_lines
from duckrisk.report.text import Data

if TYPE_CHECKING:
    from duckrisk.report.comparison import Comparison

MOST_PAIRS = 10


def to_markdown(report: Comparison) -> str:
    """The comparison as Markdown text; every piece of data is escaped."""
    data = report.data
    lines = [f"# {inline(sentences.title(data))}", ""]
    for headline in sentences.headlines(data):
        lines += [f"**{inline(headline)}**", ""]
    problems = [f"- {inline(problem)}" for problem in sentences.problems(data)]
    lines += [*problems, *([""] if problems else [])]
    figures: list[str] = []
    risks: list[str] = []
    for side_by_side in tables.groups(data):
        figures += table_lines(tables.figures(data, side_by_side))
        if side_by_side[0]["risk"] is not None:
            risks += table_lines(tables.risks(data, side_by_side))
    lines += section("of_compare_figures", figures)
    lines += section("of_compare_attributes", risks)
    lines += section("of_compare_losses", _each(data, tables.losses, 50))
    lines += section("of_compare_tables", _each(data, tables.cross_tables, MOST_PAIRS))
    lines += section("of_compare_reading", [f"- {inline(one)}" for one in sentences.reading(data)])
    return "\n".join(lines).rstrip() + "\n"


def _each(data: dict[str, Any], made: Any, most: int) -> list[str]:
    lines: list[str] = []
    for entry in data["tables"][1:]:
        found = made(entry)
        if found.rows:
            lines += [f"### {inline(Data(entry['name']))}", "", *table_lines(found, most)]
    return lines
