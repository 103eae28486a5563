"""Make the report on releases and guesses checked against the constraints of the contest."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.contests.pwscup.results import Check, CheckedConstraint, CheckedTable, Evidence
from duckrisk.report.blocks import (
    Block,
    Document,
    Heading,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)

#: Share of records with another customer's values; from here on the report warns (a choice: an honest release
#: has next to none).
_MAX_MISPLACED_SHARE = 0.05


def make_document(result: Check) -> Document:
    """Make the report: the constraints of each table, and further evidence."""
    blocks: list[Block] = [Paragraph(_write_verdict(table), "headline") for table in result.tables]
    blocks += paragraphs(_describe_original(result))
    for table in result.tables:
        blocks += [Heading(Data(table.name)), Paragraph(_describe_size(table)), _list_constraints(table)]
        if table.evidence is not None:
            blocks += paragraphs([_warn_of_order(table, table.evidence)], "warning")
            blocks += [Heading(Sentence("pwscup.check.rules"), 3), _list_evidence(table, table.evidence)]
    reading = Items((Sentence("pwscup.read.rows"), Sentence("pwscup.read.rules")))
    return Document(Sentence("pwscup.check.title"), (*blocks, heading("pwscup.reading"), reading))


def _describe_original(result: Check) -> list[Text | None]:
    original = result.original
    sentence = Sentence(
        "pwscup.check.original",
        original=Data(original.name),
        records=format_number(original.records),
        users=format_number(original.users),
        periods=Sentence(f"pwscup.periods.{result.settings.period}", count=format_number(original.periods)),
        first_day=original.first_day,
    )
    left_out = (
        Sentence("pwscup.left_out", count=format_number(original.incomplete_records))
        if original.incomplete_records
        else None
    )
    return [sentence, left_out]


def _write_verdict(table: CheckedTable) -> Sentence:
    values = {"name": Data(table.name), "checked": format_number(table.checked)}
    if table.passed:
        return Sentence("pwscup.check.passed", **values)
    return Sentence("pwscup.check.violated", **values, count=format_number(len(table.violated)))


def _describe_size(table: CheckedTable) -> Sentence:
    if table.surviving is None:
        return Sentence("pwscup.check.lines", count=format_number(table.records))
    return Sentence(
        "pwscup.check.records", records=format_number(table.records), surviving=format_number(table.surviving)
    )


def _list_constraints(table: CheckedTable) -> Listing:
    with_values = any(constraint.values is not None for constraint in table.constraints)
    sql = ("count_violations", "guess_violations" if table.surviving is None else "release_violations")
    return Listing.of(
        table.constraints,
        lambda row: (
            number_column("pwscup.number", "" if row.number is None else str(row.number)),
            text_column("pwscup.constraint", Sentence(f"pwscup.constraint.{row.constraint}")),
            number_column("pwscup.violations", format_number(row.violations)),
            text_column("pwscup.rows", _format_rows(row)),
            *([text_column("pwscup.values", join_texts(map(Data, row.values or ())))] if with_values else []),
        ),
        sql=sql,
    )


def _format_rows(constraint: CheckedConstraint) -> Text:
    if constraint.skipped is not None:
        return Sentence(f"pwscup.skipped.{constraint.skipped}")
    more = (constraint.violations or 0) > len(constraint.rows) > 0
    return ", ".join(map(format_number, constraint.rows)) + (", ..." if more else "")


def _warn_of_order(table: CheckedTable, evidence: Evidence) -> Sentence | None:
    """Warn if more records of a release are misplaced than chance explains."""
    if not table.surviving or evidence.misplaced_records < _MAX_MISPLACED_SHARE * table.surviving:
        return None
    records = format_number(table.surviving)
    return Sentence(
        "pwscup.check.false_order", count=format_number(evidence.misplaced_records), whole=records
    )


def _list_evidence(table: CheckedTable, evidence: Evidence) -> Listing:
    customers = next(row for row in table.constraints if row.constraint == "customer")
    mean = "-" if evidence.mean_periods is None else f"{evidence.mean_periods:.2f}"
    rows = (
        ("1, 3", "customers", format_number(customers.violations)),
        ("3", "pseudonyms", format_number(evidence.pseudonyms)),
        ("3", "mean_periods", mean),
        ("3", "most_periods", format_number(evidence.most_periods)),
        ("3", "shared_pseudonyms", format_number(evidence.shared_pseudonyms)),
        ("4", "items_bought_once", format_number(evidence.items_bought_once)),
        ("4", "prices_beyond", format_number(evidence.prices_beyond)),
        ("", "misplaced_records", format_number(evidence.misplaced_records)),
    )
    columns = text_column("pwscup.rule_item"), text_column("pwscup.evidence"), number_column("pwscup.found")
    cells = tuple((item, Sentence(f"pwscup.evidence.{key}"), cell) for item, key, cell in rows)
    return Listing(columns, cells, sql=("release_evidence",))
