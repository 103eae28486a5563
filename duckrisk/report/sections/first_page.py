"""Make the first page of an assessment: the decision, its limits and reasons, and what to do next."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.assessment.results import Assessment, SourceColumn
from duckrisk.measures.attribute.results import AttributeRisk
from duckrisk.report.blocks import (
    Block,
    Column,
    Commands,
    Fact,
    Facts,
    Listing,
    PageOnly,
    Pair,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.knowledge import describe_publication, find_column
from duckrisk.report.sections import attribute_risk, uniqueness, verdict
from duckrisk.report.sections.first_screen import SIZES, suggest_commands

#: Commands (a choice: what to do, the report again, and the rest).
_MAX_COMMANDS = 3
#: Rows of columns (a choice: the first page then still is one; the sections below have all of them).
_MAX_COLUMNS = 20
#: What a release does with a column of a role, by the key of its sentence.
_TREATMENTS = {"direct_identifier": "drop", "free_text": "drop", "user": "rename"}


@dataclass(frozen=True)
class _Row:
    """A column or a form of it: its role, its risk by one fact, and what would help."""

    name: str
    role: Text
    risk: float | None
    help: Text


def make_blocks(result: Assessment, described: Sequence[Sentence]) -> list[Block]:
    """Make the first page.

    Args:
        result: The assessment.
        described: Sentences on the source.
    """
    warned = [Sentence("assess.with_values")] if result.settings.show_values else []
    picture = uniqueness.plot_facts(result.uniqueness)
    return [
        *paragraphs(warned, "warning"),
        *verdict.make_decision_blocks(result),
        *paragraphs([described[0], reduce(_append, described[1:])]),
        Facts((*verdict.make_cards(result), *_make_gate_cards(result))),
        *paragraphs([verdict.describe_not_looked_at(result), verdict.describe_attacker(result)]),
        PageOnly((Pair(tuple(picture), tuple(_list_commands(result))), *_list_columns(result))),
        Paragraph(Sentence("verdict.no_promise"), "reading"),
    ]


def _append(first: Sentence, second: Sentence) -> Sentence:
    return Sentence("two", first=first, second=second)


def list_duties() -> tuple[Sentence, ...]:
    """List what a release asks of its sender."""
    return tuple(Sentence(f"first_page.follows.{name}") for name in ("keep", "again", "act"))


def _make_gate_cards(result: Assessment) -> list[Fact]:
    """Make the card of the gates, if there are some."""
    if not result.gates:
        return []
    sign = Sentence("assess.passed" if result.passed else "assess.failed")
    count, failed = len(result.gates), sum(not gate.passed for gate in result.gates)
    passed = Sentence("share_of", part=format_number(failed or count), whole=format_number(count))
    return [Fact(Sentence("assess.gates"), sign, passed, "good" if result.passed else "bad")]


# --- the columns -----------------------------------------------------------------------------------


def _list_columns(result: Assessment) -> list[Block]:
    """List the columns with their roles, the risk by one fact, and what would help."""
    others = _list_others(result)
    # What a release must not hold is never cut off.
    rows = [*filter(_has_help, others), *_list_risks(result), *itertools.filterfalse(_has_help, others)]
    if not rows:
        return []
    table = Listing.of(
        rows,
        lambda row: (
            Column(Sentence("assess.column"), min_width=18, cell=Data(row.name)),
            text_column("assess.role", row.role, priority=1),
            number_column("screen.one_fact", format_share(row.risk)),
            Column("", bar=True, priority=2, cell=min(1.0, max(0.0, row.risk or 0.0))),
            Column(Sentence("first_page.helps"), min_width=18, cell=row.help),
        ),
        max_rows=_MAX_COLUMNS,
        ranks=tuple(row.risk or 0.0 for row in rows),
        sql=attribute_risk.RISKS_SQL,
    )
    return [heading("first_page.columns"), table]


def _list_risks(result: Assessment) -> list[_Row]:
    """List the attributes whose risk was measured, the most dangerous first."""
    names = attribute_risk.list_column_names(result)
    forms = {now.attribute: form for now, form in attribute_risk.select_best_forms(result)}
    columns = {column.name: column for column in result.source.columns}
    rows = []
    for entry in result.attribute_risk:
        column, form = columns.get(find_column(entry.attribute, names)), forms.get(entry.attribute)
        published = describe_publication(form.coarser, names) if form is not None else None
        after = format_share(form.mean_risk) if form is not None else ""
        helps = (
            Sentence("first_page.coarser", published=published, after=after) if published is not None else ""
        )
        rows.append(_Row(entry.attribute, _name_role(column, entry), entry.risk, helps))
    return rows


def _has_help(row: _Row) -> bool:
    return row.help != ""


def _list_others(result: Assessment) -> list[_Row]:
    """List the other columns, those that a release must not hold first."""
    names = attribute_risk.list_column_names(result)
    measured = {find_column(entry.attribute, names) for entry in result.attribute_risk}
    others = [column for column in result.source.columns if column.name not in measured]
    rows = []
    for column in sorted(others, key=lambda column: column.role not in _TREATMENTS):
        treatment = _TREATMENTS.get(column.role) if column.declared is None else None
        helps = Sentence(f"first_page.{treatment}") if treatment else ""
        rows.append(_Row(column.name, _name_role(column), None, helps))
    return rows


def _name_role(column: SourceColumn | None, entry: AttributeRisk | None = None) -> Text:
    """Name the role of a column; several columns known together have none."""
    if column is None:
        return Sentence("first_page.together") if entry is not None and "+" in entry.attribute else "-"
    return Sentence(f"roles.declared.{column.declared}" if column.declared else f"roles.name.{column.role}")


# --- the commands ----------------------------------------------------------------------------------


def _list_commands(result: Assessment) -> list[Block]:
    """List the next commands, with words of a page for the command that makes it."""
    _, block = suggest_commands(result, SIZES[0])
    if isinstance(block, Commands):
        commands = [
            (words, Sentence("first_page.again") if "report.html" in words else purpose)
            for words, purpose in block.commands[:_MAX_COMMANDS]
        ]
        block = Commands(tuple(commands))
    return [heading("screen.next", 3), block]
