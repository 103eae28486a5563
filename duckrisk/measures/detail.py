"""Measure the detail that a treatment leaves, for advise, anonymize and compare.

A value loses detail if it covers more than one value of its column. A column or a record that is left out
loses all of it. Detail is 1 minus the global certainty penalty over all columns that an attacker may know.
The statement ``total_penalty`` has the definition.
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
from duckrisk.roles import Decision, value_order


@dataclass(frozen=True)
class Detail:
    """How much of a table is left: its columns, and the detail of its cells."""

    sql: ClassVar[tuple[str, ...]] = ("total_penalty",)

    columns: Annotated[Count, "Columns that are left, of those that an attacker may know of."]
    columns_before: Annotated[Count, "These columns in the original."]
    detail_left: Annotated[
        Share,
        "1 - GCP over these columns, records and columns left out counted in full: from 1 (everything) to 0.",
    ]


@dataclass(frozen=True)
class ComparedColumn:
    """A column of the original that is compared with its column in a release.

    Attributes:
        number: Number of the column, which names its tables.
        name: Name of the column.
        binding: Binding of the column in the original.
        order: What its values are ordered by: "number", "moment" or "text".
        hierarchy: Table with the columns level0 to level `height`; None without a hierarchy.
        height: Number of levels above the values; None without a hierarchy.
        kind: Type of the column in the original.
        reader: SQL that reads a value as the original writes it; None if the engine reads it.
    """

    number: int
    name: str
    binding: str
    order: str
    hierarchy: Sql | None = None
    height: int | None = None
    kind: str = "VARCHAR"
    reader: Sql | None = None

    @property
    def leaves(self) -> str:
        """Name of the table of the numbered values of the original."""
        return f"leaves_{self.number}"

    @classmethod
    def of(cls, number: int, decision: Decision, formats: Mapping[int, Sql]) -> ComparedColumn:
        """Describe a column.

        Args:
            number: Number of the column, which names its tables.
            decision: The decision on the column of the original.
            formats: SQL that reads values as the original writes them, by position of the column.
        """
        column = decision.column
        reader = formats.get(column.position)
        return cls(
            number, column.name, column.binding, value_order(decision), kind=column.type, reader=reader
        )


def number_leaves(session: Session, attribute: ComparedColumn, original: Sql) -> None:
    """Number the values of a column of the original.

    Args:
        session: The session; it gets the table :attr:`ComparedColumn.leaves`.
        attribute: The column.
        original: Relation of the original.
    """
    session.run(
        "original_leaves",
        source=original,
        column=attribute.binding,
        order_kind=attribute.order,
        hierarchy=attribute.hierarchy,
        table=attribute.leaves,
    )


def find_covered_values(
    session: Session,
    attribute: ComparedColumn,
    source: Sql | str,
    column: str,
    records: str | None = None,
    *,
    listed: bool = False,
) -> str:
    """Find the values of the original that each value of a release covers.

    Args:
        session: The session, with the numbered values of the original.
        attribute: The column of the original.
        source: Relation of the release.
        column: Binding of the column in the release.
        records: Column of the release with the number of records of each row; None for one each.
        listed: Whether the values are lists of values.

    Returns:
        Name of a table: the values of the release, with what they cover.
    """
    number, cells = attribute.number, f"cells_{attribute.number}"
    tables = {"leaves": attribute.leaves, "cells": f"values_{number}"}
    session.run(
        "release_values",
        source=source,
        column=column,
        records=records,
        order_kind=attribute.order,
        kind=attribute.kind,
        written=attribute.reader,
        listed=listed,
        table=tables["cells"],
    )
    session.run(
        "leaf_names",
        **tables,
        order_kind=attribute.order,
        hierarchy=attribute.hierarchy,
        height=attribute.height,
        table=f"names_{number}",
    )
    has_ends = attribute.order != "text"
    session.run("release_cells", **tables, names=f"names_{number}", has_ends=has_ends, table=cells)
    return cells


def measure_losses(session: Session, attribute: ComparedColumn, cells: str) -> dict[str, Any]:
    """Measure the loss of the values of a release.

    Args:
        session: The session.
        attribute: The column of the original.
        cells: Name of the table of :func:`find_covered_values`.

    Returns:
        The row of ``release_cell_losses``.
    """
    kinds = {"ranged": attribute.order in ("number", "moment"), "moments": attribute.order == "moment"}
    return session.fetch_row("release_cell_losses", leaves=attribute.leaves, cells=cells, **kinds)


def sum_penalties(
    session: Session, penalties: Sequence[float], records: int, before: int
) -> dict[str, float]:
    """Sum the certainty penalties of the columns of a release.

    Args:
        session: The session.
        penalties: The penalty of each column that an attacker may know, from 0 to 1.
        records: Number of records of the release.
        before: Number of records of the original.

    Returns:
        The row of ``total_penalty``: ``ncp``, ``gcp`` and ``detail_left``.
    """
    shown = [repr(float(penalty)) for penalty in penalties]
    return session.fetch_row("total_penalty", penalties=shown, records=records, before=before)


def summarize_detail(detail: Detail, records: int, records_before: int) -> Sentence:
    """Say how much is left of columns, records and detail.

    Args:
        detail: The detail that is left.
        records: Number of records of the release.
        records_before: Number of records of the original.
    """
    return Sentence(
        "detail.left",
        columns=format_number(detail.columns),
        before=format_number(detail.columns_before),
        records=format_share(min(1.0, records / records_before)),
        detail=format_share(detail.detail_left),
    )
