"""A score as GitHub Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckrisk.report.markdown import inline, section, table_lines
from duckrisk.report.pwscup import score_sentences as sentences
from duckrisk.report.pwscup import score_tables as tables
from duckrisk.report.pwscup.score import submissions
from duckrisk.report.text import Data

if TYPE_CHECKING:
    from duckrisk.report.pwscup.score import Score

#: The rates of all attacks are listed of so many submissions.
MOST_SUBMISSIONS = 5


def to_markdown(report: Score) -> str:
    """The score as Markdown text; every piece of data is escaped."""
    data = report.data
    entries, scored = submissions(data), sentences.is_score(data)
    lines = [f"# {inline(sentences.title(data))}", ""]
    for headline in sentences.headlines(data):
        lines += [f"**{inline(headline)}**", ""]
    lines += [*(f"- {inline(one)}" for one in sentences.facts(data)), ""]
    if len(entries) > 1:
        lines += section("of_score_league", table_lines(tables.league(data)))
    losses: list[str] = []
    further: list[str] = []
    safety: list[str] = []
    for side_by_side in tables.groups(data):
        losses += table_lines(tables.losses(data, side_by_side))
        further += table_lines(tables.further(data, side_by_side))
        if scored and len(entries) > 1:
            safety += table_lines(tables.safety(data, side_by_side))
    if scored and len(entries) == 1:
        safety = table_lines(tables.strict(entries[0]))
        safety += [f"**{inline(sentences.totals(entries[0]))}**", ""]
    lines += section("of_score_losses", losses)
    lines += section("of_score_further", further)
    lines += section("of_score_safety", safety)
    if scored:
        rates: list[str] = []
        for entry in entries[:MOST_SUBMISSIONS]:
            if len(entries) > 1:
                rates += [f"### {inline(Data(entry['name']))}", ""]
            rates += table_lines(tables.rates(entry), 100)
        lines += section("of_score_rates", rates)
    lines += section("of_score_reading", [f"- {inline(one)}" for one in sentences.reading(data)])
    return "\n".join(lines).rstrip() + "\n"
