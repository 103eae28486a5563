"""A comparison as one HTML page that needs no script and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckrisk.report import text
from duckrisk.report.comparison import figures, sentences, tables
from duckrisk.report.html import MOST_ROWS, POLICY, environment
from duckrisk.report.identifiability.sentences import short_amount
from duckrisk.report.tables import Table, cut
from duckrisk.report.text import Data, number, say, share, word

if TYPE_CHECKING:
    from duckrisk.report.comparison import Comparison

MOST_PAIRS = 15


def to_html(report: Comparison) -> str:
    """One self-contained HTML page."""
    data = report.data
    groups = list(tables.groups(data))
    with_risk = data["tables"][0]["risk"] is not None
    return (
        environment()
        .get_template("comparison.html.j2")
        .render(
            policy=POLICY,
            language=text.LANGUAGE,
            title=sentences.title(data),
            facts=_facts(data),
            headlines=sentences.headlines(data),
            problems=sentences.problems(data),
            plot=figures.plot(data),
            figures=[tables.figures(data, group) for group in groups],
            risks=[cut(tables.risks(data, group), MOST_ROWS) for group in groups] if with_risk else [],
            losses=_each(data, tables.losses, MOST_ROWS),
            cross_tables=_each(data, tables.cross_tables, MOST_PAIRS),
            reading=sentences.reading(data),
            versions=say("versions_line", **data["environment"], seed=data["settings"]["seed"]),
        )
    )


def _each(data: dict[str, Any], made: Any, most: int) -> list[tuple[Data, Table]]:
    found = [(Data(entry["name"]), cut(made(entry), most)) for entry in data["tables"][1:]]
    return [(name, table) for name, table in found if table.rows]


def _facts(data: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The strip at the top where there is one release: name, figure, remark."""
    if len(data["tables"]) > 2:
        return []
    first, release = data["tables"]
    facts: list[tuple[str, Any, Any]] = [(word("records"), number(release["records"]), "")]
    before, after = sentences.leak(first), sentences.leak(release)
    if before is not None and after is not None:
        section = release["risk"]["identifiability"]
        facts.append(
            (
                word("singled_out"),
                number(section["singled_out"]),
                say("compare.before", before=number(first["risk"]["identifiability"]["singled_out"])),
            )
        )
        facts.append(
            (word("leak_value"), short_amount(after), say("compare.before", before=short_amount(before)))
        )
    found = release["information"]
    if found is not None and found["information"] is not None:
        facts.append((word("compare.information"), share(found["information"]), ""))
    return facts
