"""Summarize histories: one row a person, which no number of known records links to anything."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import has_date, is_number
from duckrisk.release.anonymization.chain import Chain, Column
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.release.anonymization.results import Done
from duckrisk.release.anonymization.steps import SUMMARIES, Step
from duckrisk.release.k_anonymity.tuples import MAX_SET_LEAVES
from duckrisk.source import Column as SourceColumn
from duckrisk.source import Source, names

#: Types whose sums over all records of a table fit 64 bits.
_SMALL_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
#: Digits of decimals whose sums over a billion records fit a decimal of 38 digits (derived).
_SUMMED_DIGITS = 29
#: The table of a summary that stands in place of the records.
_SUMMARY = "summarized"


@dataclass(frozen=True)
class _Cell:
    """A column of a summary: its figure, and the column that this is about."""

    figure: str
    column: Column
    suffix: str = ""

    @property
    def binding(self) -> str:
        """Its binding."""
        return f"{self.column.binding}{self.suffix}"

    @property
    def label(self) -> str:
        """Its name, unless another column has it."""
        return f"{self.column.name}{self.suffix}"


def summarize(chain: Chain, step: Step) -> Done:
    """Replace the records by one row a person.

    Args:
        chain: The chain.
        step: The step, with its user column and a list of columns for each figure.

    Raises:
        UsageError: A column does not exist, or has no such figure.
    """
    user, table = chain.find_column(step.get("user")), chain.name_table("summary")
    records, met = chain.count_records(render("is_present", cell=identifier(user.binding)), user)
    cells = _list_cells(chain, step, user)
    chain.session.run(
        "summarized_people",
        name=table,
        source=chain.relation,
        user=user.binding,
        columns=[cell.column.binding for cell in cells],
        figures=[cell.figure for cell in cells],
        bindings=[cell.binding for cell in cells],
        kinds=[_choose_sum_type(cell.column) for cell in cells],
    )
    made = [("person_records", "records"), *((cell.binding, cell.label) for cell in cells if cell.suffix)]
    # A new column must not take the name, and so the role, of another one.
    before = [column.name for column in chain.columns]
    unique = names.make_unique([*before, *(label for _, label in made)])[len(before) :]
    labels = dict(zip((binding for binding, _ in made), unique, strict=True))
    labels |= {cell.binding: cell.label for cell in cells if not cell.suffix}
    bindings = ["person_records", *(cell.binding for cell in cells)]
    chain.columns = [Column(binding, labels[binding], "") for binding in bindings]
    chain.columns.insert(0, Column(user.binding, user.name, ""))
    chain.continue_with_table(table)
    people, _ = chain.count_records()
    return Done(column=user.name, users=people, records=people, deleted=records - met)


def expand_summary(chain: Chain, step: Step, without_values: Collection[str] = ()) -> Step:
    """Choose the figure of each column by the values of the people.

    Args:
        chain: The chain, as it is before the step.
        step: The step.
        without_values: Names of columns whose values are only counted.

    Returns:
        The summary with a list of columns for each figure.

    Raises:
        UsageError: The user column does not exist.
    """
    if any(name in step.options for name in SUMMARIES):
        return step
    user = chain.find_column(step.get("user"))
    others = [column for column in chain.columns if column.binding != user.binding]
    chosen: dict[str, list[str]] = {name: [] for name in SUMMARIES}
    varying = find_varying(chain.session, chain.relation, user.binding, [c.binding for c in others])
    for column in others:
        chosen[_choose_figure(chain, column, column.binding in varying, without_values)].append(column.name)
    options = {name: columns for name, columns in chosen.items() if columns}
    return Step(step.method, {"user": step.get("user"), **options})


def summarize_source(
    session: Session, source: Source, step: Step, without_values: Collection[str] = ()
) -> Step:
    """Let one row a person stand in place of the records of a source.

    Args:
        session: The session, with the source as the assessed view.
        source: The source, whose columns change.
        step: The summary.
        without_values: As :func:`expand_summary` takes them.

    Returns:
        The summary with its lists of columns.

    Raises:
        UsageError: The step does not fit the columns.
    """
    chain = Chain(session, source, Chance(None), {})
    chain.number = 1
    full = expand_summary(chain, step, without_values)
    summarize(chain, full)
    replace_records(chain, source)
    return full


def replace_records(chain: Chain, source: Source) -> None:
    """Let the records of a chain stand in place of those of its source.

    Args:
        chain: The chain.
        source: The source, which is the assessed view; its columns change.
    """
    session = chain.session
    columns = [SourceColumn(place, each.name, each.type) for place, each in enumerate(chain.columns)]
    table = identifier(_SUMMARY)
    session.run(
        "summary_records",
        name=_SUMMARY,
        source=chain.relation,
        columns=chain.bindings,
        bindings=[column.binding for column in columns],
    )

    def define_view(view: str, long: Sequence[int], **kept: Any) -> bool:
        session.views.define(view, table, [column.binding for column in columns])
        return not long

    source.columns, source.define_view, source.digest_positions = columns, define_view, ()
    source.formats, source.readings, source.undated = {}, (), ()
    source.use_view(source.view)


def list_origins(step: Step) -> dict[str, str]:
    """List the column of the records that each column of a summary is made of.

    Args:
        step: The summary, with its lists of columns.

    Returns:
        Names of columns of the records, by names of columns of the summary.
    """
    return {
        f"{name}{suffix}": name
        for option, figures in SUMMARIES.items()
        for name in step.get(option, ())
        for _, suffix in figures
    }


def _list_cells(chain: Chain, step: Step, user: Column) -> list[_Cell]:
    """List the columns of a summary in the order of the columns that they come from."""
    cells: dict[str, list[_Cell]] = {}
    for option, figures in SUMMARIES.items():
        for name in step.get(option, ()):
            column = chain.find_column(name)
            if column.binding == user.binding or column.binding in cells:
                raise UsageError("anonymization.summarized_twice", column=column.name)
            if option == "sum" and not is_number(column.type):
                raise UsageError("anonymization.sum_of_non_number", column=column.name)
            cells[column.binding] = [_Cell(figure, column, suffix) for figure, suffix in figures]
    return [cell for column in chain.columns for cell in cells.get(column.binding, ())]


def find_varying(session: Session, relation: Sql, user: str, columns: Sequence[str]) -> set[str]:
    """Find the columns in which somebody has several values.

    Args:
        session: The session.
        relation: The records.
        user: Binding of the user column.
        columns: Bindings of the columns.

    Returns:
        Their bindings.
    """
    if not columns:
        return set()
    row = session.fetch_row("varying_columns", source=relation, user=user, columns=columns)
    return {column for column, varies in zip(columns, row["varies"], strict=True) if varies}


def _choose_figure(chain: Chain, column: Column, varies: bool, without_values: Collection[str]) -> str:
    if not varies:
        return "same"
    if column.name in without_values:
        return "distinct"
    if is_number(column.type):
        return "sum"
    if has_date(column.type):
        return "first_and_last"
    found = chain.session.fetch_row(
        "count_distinct", source=chain.relation_with(column), column=column.binding
    )["found"]
    return "most_frequent" if found <= MAX_SET_LEAVES else "distinct"


def _choose_sum_type(column: Column) -> Sql:
    """Return the type of a sum: wide enough for a billion records."""
    if column.type in _SMALL_TYPES:
        return Sql("BIGINT")
    if column.type in ("BIGINT", "UBIGINT"):
        return Sql("DECIMAL(38, 0)")
    if column.type.startswith("DECIMAL("):
        width, scale = map(int, column.type.removeprefix("DECIMAL(").rstrip(")").split(","))
        if width <= _SUMMED_DIGITS:
            return Sql(f"DECIMAL(38, {scale})")
    return Sql("DOUBLE")
