"""What is told of releases and guesses checked against the constraints of the contest."""

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
    column,
    head,
    numbers,
    paragraphs,
)

#: An honest release has next to no record that is another customer's.
_FALSE = 0.05


def document(result: Check) -> Document:
    """Each release and guess with its constraints, and what they are evidence for."""
    blocks: list[Block] = [Paragraph(_verdict(table), "headline") for table in result.tables]
    blocks += paragraphs(_original(result))
    for table in result.tables:
        blocks += [Heading(Data(table.name)), Paragraph(_size(table)), _constraints(table)]
        if table.evidence is not None:
            blocks += paragraphs([_false_order(table, table.evidence)], "warning")
            blocks += [Heading(Sentence("pwscup.check.rules"), 3), _evidence(table, table.evidence)]
    reading = Items((Sentence("pwscup.read.rows"), Sentence("pwscup.read.rules")))
    return Document(Sentence("pwscup.check.title"), (*blocks, head("pwscup.reading"), reading))


def _original(result: Check) -> list[Text | None]:
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
        Sentence("pwscup.left_out", count=format_number(original.left_out)) if original.left_out else None
    )
    return [sentence, left_out]


def _verdict(table: CheckedTable) -> Sentence:
    values = {"name": Data(table.name), "checked": format_number(table.checked)}
    if table.passed:
        return Sentence("pwscup.check.passed", **values)
    return Sentence("pwscup.check.violated", **values, count=format_number(len(table.violated)))


def _size(table: CheckedTable) -> Sentence:
    if table.surviving is None:
        return Sentence("pwscup.check.lines", count=format_number(table.records))
    return Sentence(
        "pwscup.check.records", records=format_number(table.records), surviving=format_number(table.surviving)
    )


def _constraints(table: CheckedTable) -> Listing:
    with_values = any(constraint.values is not None for constraint in table.constraints)
    sql = ("count_violations", "guess_violations" if table.surviving is None else "release_violations")
    return Listing.of(
        table.constraints,
        lambda row: (
            numbers("pwscup.number", "" if row.number is None else str(row.number)),
            column("pwscup.constraint", Sentence(f"pwscup.constraint.{row.constraint}")),
            numbers("pwscup.violations", format_number(row.violations)),
            column("pwscup.rows", _rows(row)),
            *([column("pwscup.values", join_texts(map(Data, row.values or ())))] if with_values else []),
        ),
        sql=sql,
    )


def _rows(constraint: CheckedConstraint) -> Text:
    if constraint.skipped is not None:
        return Sentence(f"pwscup.skipped.{constraint.skipped}")
    more = (constraint.violations or 0) > len(constraint.rows) > 0
    return ", ".join(map(format_number, constraint.rows)) + (", ..." if more else "")


def _false_order(table: CheckedTable, evidence: Evidence) -> Sentence | None:
    """That the records of a release stand in places of others, where more of them do than chance explains."""
    if not table.surviving or evidence.misplaced_records < _FALSE * table.surviving:
        return None
    whole = format_number(table.surviving)
    return Sentence("pwscup.check.false_order", count=format_number(evidence.misplaced_records), whole=whole)


def _evidence(table: CheckedTable, evidence: Evidence) -> Listing:
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
    columns = column("pwscup.rule_item"), column("pwscup.evidence"), numbers("pwscup.found")
    told = tuple((item, Sentence(f"pwscup.evidence.{key}"), cell) for item, key, cell in rows)
    return Listing(columns, told, sql=("release_evidence",))
