"""A score as one HTML page that needs no script and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckrisk.report import text
from duckrisk.report.comparison.tables import decimals
from duckrisk.report.html import MOST_ROWS, POLICY, environment
from duckrisk.report.pwscup import score_figures as figures
from duckrisk.report.pwscup import score_sentences as sentences
from duckrisk.report.pwscup import score_tables as tables
from duckrisk.report.pwscup.score import submissions
from duckrisk.report.tables import cut
from duckrisk.report.text import Data, say, word

if TYPE_CHECKING:
    from duckrisk.report.pwscup.score import Score

#: The rates of all attacks are listed of so many submissions.
MOST_SUBMISSIONS = 20


def to_html(report: Score) -> str:
    """One self-contained HTML page."""
    data = report.data
    entries, scored = submissions(data), sentences.is_score(data)
    groups = list(tables.groups(data))
    safety = []
    if scored:
        safety = (
            [tables.strict(entries[0])] if len(entries) == 1 else [tables.safety(data, one) for one in groups]
        )
    return (
        environment()
        .get_template("score.html.j2")
        .render(
            policy=POLICY,
            language=text.LANGUAGE,
            title=sentences.title(data),
            facts=_facts(data),
            headlines=sentences.headlines(data),
            about=sentences.facts(data),
            league=cut(tables.league(data), MOST_ROWS) if len(entries) > 1 else None,
            plot=figures.plot(data) if scored else None,
            sections=[
                ("of_score_losses", [tables.losses(data, one) for one in groups]),
                ("of_score_further", [tables.further(data, one) for one in groups]),
                *([("of_score_safety", safety)] if scored else []),
            ],
            rates=[
                (Data(entry["name"]), cut(tables.rates(entry), MOST_ROWS))
                for entry in entries[:MOST_SUBMISSIONS]
                if scored
            ],
            reading=sentences.reading(data),
            versions=say("score.versions", **data["environment"]),
        )
    )


def _facts(data: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The strip at the top where there is one release: name, figure, remark."""
    entries = submissions(data)
    if len(entries) > 1:
        return []
    (entry,) = entries
    facts: list[tuple[str, Any, Any]] = []
    if sentences.is_score(data):
        facts.append((word("score.avg"), decimals(entry["avg"]), ""))
    facts.append((word("score.utl"), decimals(entry["utl"]), sentences.worst_loss(entry)))
    if sentences.is_score(data):
        facts.append((word("score.sec"), decimals(entry["sec"]), sentences.best_attack(entry)))
    return facts
