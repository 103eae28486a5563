"""Measure the remaining detail of treatments as a comparison measures that of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute as Cell
from duckrisk.engine.templates import Sql
from duckrisk.measures.detail import (
    ComparedColumn,
    Detail,
    find_covered_values,
    measure_losses,
    number_leaves,
    sum_penalties,
)
from duckrisk.roles import Roles, known_columns
from duckrisk.source.hierarchies import Hierarchy


class Remaining:
    """Measures the detail that remains after columns change their form and records are deleted."""

    def __init__(
        self,
        session: Session,
        roles: Roles,
        hierarchies: Mapping[int, Hierarchy],
        formats: Mapping[int, Sql],
    ) -> None:
        """Describe the columns that an attacker may know.

        Args:
            session: Runs the statements.
            roles: The roles of the original.
            hierarchies: The hierarchies of columns, by position of the column.
            formats: Expressions that read values as the original writes them, by position of the column.
        """
        self.session, self.records = session, roles.records
        self.attributes: dict[str, ComparedColumn] = {}
        for number, decision in enumerate(known_columns(roles)):
            attribute = ComparedColumn.of(number, decision, formats)
            hierarchy = hierarchies.get(decision.column.position)
            if hierarchy is not None and not hierarchy.is_computed:
                table = Sql(f"temp.main.{hierarchy.table}")
                attribute = replace(attribute, hierarchy=table, height=hierarchy.height)
            self.attributes[attribute.name] = attribute
        self._numbered: set[str] = set()
        self._losses: dict[tuple[str, Cell], float] = {}

    def measure(
        self,
        forms: Mapping[str, Cell | None],
        records: int | None = None,
        keep: Callable[[str, str], None] | None = None,
    ) -> Detail:
        """Measure the detail that a treatment leaves.

        Args:
            forms: The published value of each changed column, by its name; None removes the column.
            records: Number of records of the release; None deletes none.
            keep: Takes a column and the name of a table, and creates the table with the column's values among
                the kept records; None deletes no record.

        Returns:
            The number of remaining columns, and the remaining detail.
        """
        released = self.records if records is None else records
        penalties, columns = [], 0
        for name, attribute in self.attributes.items():
            cell = forms.get(name)
            columns += name not in forms or cell is not None
            if cell is not None:
                penalties.append(self._measure_penalty(attribute, cell, keep))
            else:
                penalties.append(float(released) if name in forms else 0.0)
        if not penalties:  # an attacker may know no column
            return Detail(0, 0, 1.0)
        row = sum_penalties(self.session, penalties, released, self.records)
        return Detail(columns, len(penalties), row["detail_left"])

    def _measure_penalty(
        self, attribute: ComparedColumn, cell: Cell, keep: Callable[[str, str], None] | None
    ) -> float:
        """Measure the certainty penalty of a form, each once unless records are deleted."""
        key = attribute.name, cell
        if keep is None and key in self._losses:
            return self._losses[key]
        if attribute.name not in self._numbered:
            number_leaves(self.session, attribute, ASSESSED)
            self._numbered.add(attribute.name)
        values = attribute.leaves
        if keep is not None:
            values = "kept_values"
            keep(attribute.name, values)
        self.session.run("published_cells", values=values, cell=cell, table="published_cells")
        cells = find_covered_values(
            self.session, attribute, Sql("temp.main.published_cells"), "cell", "records"
        )
        penalty = float(measure_losses(self.session, attribute, cells)["ncp"])
        if keep is None:
            self._losses[key] = penalty
        return penalty
