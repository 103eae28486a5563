"""The detail that a treatment leaves, which advise, anonymize and compare show alike.

Detail is lost where a cell covers more than one value of its column, and in full where a column or a record
is left out: one less the global certainty penalty, of all columns that an attacker may know of. The statement
``total_penalty`` has the definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.results import Count, Share
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.roles import Decision, order_of


@dataclass(frozen=True)
class Detail:
    """How much of a table is left: its columns, and the detail of its cells."""

    sql: ClassVar[tuple[str, ...]] = ("total_penalty",)

    columns: Annotated[Count, "Columns that are left, of those that an attacker may know of."]
    columns_before: Annotated[Count, "These columns in the original."]
    detail_left: Annotated[
        Share,
        "1 - GCP over these columns, what was left out counted in full: from 1 (everything) to 0 (nothing).",
    ]


@dataclass(frozen=True)
class Attribute:
    """A column of the original that is compared: its binding there, what its order is by ("number",
    "moment", "text"), its hierarchy, a table with the columns level0 to level ``height``, its type there,
    and what reads a value that is written as in the original, where the engine does not."""

    number: int
    name: str
    binding: str
    place: str
    hierarchy: Sql | None = None
    height: int | None = None
    kind: str = "VARCHAR"
    written: Sql | None = None

    @property
    def leaves(self) -> str:
        return f"leaves_{self.number}"

    @classmethod
    def of(cls, number: int, decision: Decision, formats: Mapping[int, Sql]) -> Attribute:
        """Describe a column; ``formats`` read values as the original writes them, by position."""
        column = decision.column
        written = formats.get(column.position)
        return cls(number, column.name, column.binding, order_of(decision), kind=column.type, written=written)


def number_leaves(session: Session, attribute: Attribute, original: Sql) -> None:
    """Number the values of a column of the original, which cells of a release can cover."""
    session.run(
        "original_leaves",
        source=original,
        column=attribute.binding,
        place=attribute.place,
        hierarchy=attribute.hierarchy,
        table=attribute.leaves,
    )


def find_cells(
    session: Session, attribute: Attribute, source: Sql | str, column: str, records: str | None = None
) -> str:
    """Find what the cells of a column of a release cover of the numbered values of the original.

    Args:
        session: Runs the statements.
        attribute: The column of the original.
        source: The release.
        column: The column of the release.
        records: The column of the release with the number of records of each row; None for one each.

    Returns:
        The name of the table with the cells.
    """
    number, cells = attribute.number, f"cells_{attribute.number}"
    tables = {"leaves": attribute.leaves, "cells": f"values_{number}"}
    session.run(
        "release_values",
        source=source,
        column=column,
        records=records,
        place=attribute.place,
        kind=attribute.kind,
        written=attribute.written,
        table=tables["cells"],
    )
    session.run(
        "leaf_names",
        **tables,
        place=attribute.place,
        hierarchy=attribute.hierarchy,
        height=attribute.height,
        table=f"names_{number}",
    )
    session.run("release_cells", **tables, names=f"names_{number}", table=cells)
    return cells


def measure_losses(session: Session, attribute: Attribute, cells: str) -> dict[str, Any]:
    """Measure what the cells that were found lose: the row of ``release_cell_losses``."""
    numeric = attribute.place == "number"
    return session.fetch_row("release_cell_losses", leaves=attribute.leaves, cells=cells, numeric=numeric)


def total_penalty(
    session: Session, penalties: Sequence[float], records: int, before: int
) -> dict[str, float]:
    """Sum the certainty penalties of the columns of a release.

    Args:
        session: Runs the statement.
        penalties: The penalty of each column that an attacker may know of.
        records: Records of the release.
        before: Records of the original.

    Returns:
        The row of ``total_penalty``: ``ncp``, ``gcp`` and ``detail_left``.
    """
    shown = [repr(float(penalty)) for penalty in penalties]
    return session.fetch_row("total_penalty", penalties=shown, records=records, before=before)


def summarize_detail(detail: Detail, records: int, records_before: int) -> Sentence:
    """Say in words how much is left: columns, records and detail."""
    return Sentence(
        "detail.left",
        columns=format_number(detail.columns),
        before=format_number(detail.columns_before),
        records=format_share(min(1.0, records / records_before)),
        detail=format_share(detail.detail_left),
    )
