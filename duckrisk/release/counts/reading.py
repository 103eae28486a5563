"""Reads tables of counts: a row for each cell, a crosstab, or records to make a table of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.options.counts import Options
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import is_number
from duckrisk.release.counts.cells import Cells, Need, Place
from duckrisk.release.counts.results import Form
from duckrisk.roles import table_words
from duckrisk.source import Column, Source

#: What 1 is in the amounts of sums (a choice: values keep six decimals, as the type of their column).
UNIT = 10**6
#: Combinations of labels, and hidden cells (measured: a table of 100 by 100 with 811 hidden ones takes 5 s of
#: CPU, one with 2,156 three times 6 s).
MAX_CELLS, MAX_HIDDEN = 20_000, 1_000
#: Hidden cells of a table of three ways or more (measured: Adult by education, occupation
#: and sex has 133, and takes 6 s of CPU by programs).
MAX_HIDDEN_MANY_WAYS = 200


@dataclass
class CountedTable:
    """A table in the session.

    Attributes:
        number: Its number in ``table_cells``.
        name: Its name for people.
        form: How it was read.
        dimensions: The names of its dimensions.
        column: The name of its counts, or of what is summed.
        rows: The cells, as ``cells_of_table`` gives them.
        cells: What an attacker sees.
        lines: The figures of ``check_totals``.
        read_elsewhere: Hidden cells that another table shows.
    """

    number: int
    name: str
    form: Form
    dimensions: tuple[str, ...]
    column: str | None
    rows: dict[Place, dict[str, Any]] = field(default_factory=dict)
    cells: Cells = field(default_factory=lambda: Cells((), {}, set()))
    lines: dict[str, int] = field(default_factory=dict)
    read_elsewhere: int = 0

    @property
    def unsafe(self) -> set[Place]:
        """The cells with a count that breaks a rule."""
        rules = ("is_small", "is_dominated", "is_close")
        return {place for place, row in self.rows.items() if any(row[rule] for rule in rules)}


def read_table(
    session: Session, source: Source, number: int, options: Options, threshold: int
) -> CountedTable:
    """Put the cells of a source into ``table_cells``, and judge them by the rules.

    Raises:
        UsageError: The options do not fit the table.
        SourceError: The table holds no counts, or several for one cell.
    """
    if options.by and options.count is None:
        table = _count_records(session, source, number, options)
    else:
        table = _read_cells(session, source, number, options)
    listed = session.run(
        "cells_of_table",
        published=number,
        threshold=threshold,
        n=options.largest,
        k=float(options.dominance),
        p=float(options.p_percent),
        by_value=options.value is not None,
    )
    if not listed:
        raise SourceError("counts.no_cells", table=source.name)
    table.rows = {tuple(row["places"]): row for row in listed}
    if len(table.rows) < len(listed):
        raise SourceError("counts.several_rows_a_cell", table=source.name)
    sizes = tuple(map(max, zip(*table.rows, strict=True)))
    combinations = 1
    for size in sizes:
        combinations *= size + 1
    if combinations > MAX_CELLS:
        raise SourceError("counts.too_many_cells", table=source.name, most=MAX_CELLS)
    table.cells = _make_cells(table, sizes, threshold, options.value is not None)
    table.lines = session.fetch_row("check_totals", published=number, dimensions=list(table.dimensions))
    return table


def _make_cells(table: CountedTable, sizes: tuple[int, ...], threshold: int, by_value: bool) -> Cells:
    """Return the cells as an attacker sees them, with what their bounds need."""
    counts = {place: _whole(row["amount"]) for place, row in table.rows.items()}
    hidden = {place for place, count in counts.items() if count is None}
    most = {place: int(row["most"]) for place, row in table.rows.items() if row["most"] is not None}
    needs = {}
    for place in hidden | table.unsafe:
        above = int(table.rows[place]["above"] or 0)
        # Bounds as wide as what the rule itself says of a hidden cell: 1 to one below the threshold.
        width = max(1, min(threshold, most.get(place, threshold) + 1) - 2)
        needs[place] = Need(above=above, below=above) if by_value else Need(width=width)
    return Cells(sizes, counts, hidden, most, needs)


def _whole(number: Any) -> int | None:
    return None if number is None else int(number)


def _count_records(session: Session, source: Source, number: int, options: Options) -> CountedTable:
    """Make a table of records: counts or sums by dimensions, with all totals."""
    relation = identifier(source.view)
    columns = [source.column(name) for name in options.by]
    value, user = (source.column(n) if n is not None else None for n in (options.value, options.user))
    if value is not None:
        row = session.fetch_row("negative_contributions", source=relation, value=value.binding)
        if row["negative"] or row["missing"] == row["records"]:
            raise SourceError("counts.contributions_negative", column=value.name, count=row["negative"])
    session.run(
        "cells_of_records",
        source=relation,
        published=number,
        dimensions=[column.binding for column in columns],
        value=value.binding if value is not None else None,
        user=user.binding if user is not None else None,
        unit=UNIT,
        most=max(options.largest, 2),
    )
    names = tuple(column.name for column in columns)
    return CountedTable(number, source.name, "records", names, value.name if value is not None else None)


def _read_cells(session: Session, source: Source, number: int, options: Options) -> CountedTable:
    """Read a published table."""
    relation: Sql = identifier(source.view)
    count = _find_count(source, options)
    if count is not None:
        columns = [source.column(name) for name in options.by] or [
            column for column in source.columns if column is not count
        ]
        table = CountedTable(number, source.name, "rows", tuple(c.name for c in columns), count.name)
        column, bindings = count.binding, [c.binding for c in columns]
        text = not is_number(count.type)
    else:
        label, *others = source.columns
        relation = render(
            "crosstab_rows",
            source=relation,
            label=label.binding,
            columns=[c.binding for c in others],
            names=[c.name for c in others],
        )
        table = CountedTable(number, source.name, "crosstab", (label.name, ""), None)
        column, bindings, text = "written", ["label", "name"], True
    if not bindings:
        raise UsageError("counts.dimensions_missing", option="--count")
    written = render("count_of_cell" if text else "count_of_number", column=column)
    read = {"source": relation, "column": column, "number": written}
    row = session.fetch_row("unreadable_cells", **read, marks=table_words.MARKS)
    if row["unreadable"] or not row["numbers"]:
        if count is None:
            raise SourceError("counts.not_a_crosstab", name=source.name, count=row["unreadable"])
        raise SourceError("counts.not_counts", name=count.name, count=row["unreadable"])
    session.run("cells_of_rows", **read, published=number, dimensions=bindings, totals=table_words.TOTALS)
    return table


def _find_count(source: Source, options: Options) -> Column | None:
    """Return the column of counts; None for a crosstab.

    Raises:
        SourceError: The table has neither.
    """
    if options.count is not None:
        return source.column(options.count)
    named = [column for column in source.columns if table_words.is_count(column.name)]
    if len(source.columns) > 1 and named == source.columns[-1:]:
        return named[0]
    if len(source.columns) < 2:
        raise SourceError("counts.not_a_crosstab", name=source.name, count=0)
    return None
