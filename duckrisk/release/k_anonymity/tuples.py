"""The different tuples of quasi-identifiers in a relation, every value by its number."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.release.k_anonymity.model import QuasiIdentifier


class Tuples:
    """Numbers the values of the quasi-identifiers and collapses equal records.

    ``heights`` are the levels of the roots, 0 for numbers that become intervals; ``leaves`` how many values
    there are, a missing one included. Raises UsageError where a hierarchy misses values.
    """

    def __init__(
        self, session: Session, source: Sql, quasi_identifiers: Sequence[QuasiIdentifier], intervals: bool
    ) -> None:
        self.session = session
        self.columns = [quasi.binding for quasi in quasi_identifiers]
        self.tables = [f"quasi_values_{i}" for i in range(len(self.columns))]
        self.heights = []
        for quasi, table in zip(quasi_identifiers, self.tables, strict=True):
            if quasi.numeric and quasi.hierarchy is None and intervals:
                session.run("quasi_numbers", source=source, column=quasi.binding, table=table)
                self.heights.append(0)
                continue
            height = 1 if quasi.hierarchy is None else quasi.height
            session.run(
                "quasi_categories",
                source=source,
                column=quasi.binding,
                hierarchy=quasi.hierarchy,
                height=height,
                numeric=quasi.numeric,
                table=table,
            )
            self.heights.append(height)
        session.run(
            "quasi_records",
            source=source,
            columns=self.columns,
            texts=[int(quasi.hierarchy is not None) for quasi in quasi_identifiers],
            tables=self.tables,
        )
        session.run("quasi_tuples", columns=self.columns)
        totals = session.run("quasi_totals", tables=self.tables)
        self.records: int = totals[0]["records"]
        self.tuples: int = totals[0]["tuples"]
        self.leaves: list[int] = [row["leaves"] for row in totals]
        for row, quasi in zip(totals, quasi_identifiers, strict=True):
            if row["uncovered"]:
                raise UsageError(
                    "k_anonymity.values_not_in_hierarchy",
                    quasi=quasi.name,
                    uncovered=row["uncovered"],
                )
