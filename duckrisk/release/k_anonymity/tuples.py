"""The different tuples of quasi-identifiers in a relation, every value by its number."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql
from duckrisk.release.k_anonymity.model import QuasiIdentifier

#: Values of a set in a cell; more say little, and no person reads them (a choice).
MAX_SET_VALUES = 16


class Tuples:
    """Numbers the values of the quasi-identifiers and collapses equal records.

    ``heights`` are the levels of the roots, 0 for numbers that become intervals; ``leaves`` how many values
    there are, a missing one included; ``sets`` how many values a set may have, 0 where there are no sets.
    ``has_people`` says that tuples are those of a person each; ``forms`` are the forms of sensitive columns.
    ``members`` are the records or people that classes count. ``values`` are the numbers of the sensitive
    values in a tuple, none where people have them. Raises UsageError where a hierarchy misses values.
    """

    def __init__(
        self,
        session: Session,
        source: Sql,
        quasi_identifiers: Sequence[QuasiIdentifier],
        intervals: bool,
        user: str | None = None,
        sensitive: Sequence[Attribute] = (),
    ) -> None:
        self.session = session
        self.columns = [quasi.binding for quasi in quasi_identifiers]
        self.tables = [f"quasi_values_{i}" for i in range(len(self.columns))]
        self.heights = []
        self.sets = []
        for quasi, table in zip(quasi_identifiers, self.tables, strict=True):
            if (quasi.numeric or quasi.moment) and quasi.hierarchy is None and intervals:
                session.run(
                    "quasi_numbers", source=source, column=quasi.binding, table=table, moments=quasi.moment
                )
                self.heights.append(0)
                self.sets.append(0)
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
            has_sets = (
                quasi.hierarchy is None
                and not session.fetch_row("ambiguous_labels", table=table)["ambiguous"]
            )
            self.sets.append(MAX_SET_VALUES if has_sets else 0)
        self.has_people = user is not None
        people = {"people": self.has_people}
        if self.has_people:
            session.run("quasi_people", source=source, user=user)
        self.forms = len(sensitive)
        if sensitive:
            session.run("sensitive_values", source=source, user=user, forms=list(sensitive))
            session.run("owned_values", **people, count=self.forms)
            session.run("rare_sensitive_values", **people)
        self.values = [] if self.has_people else list(range(self.forms))
        session.run(
            "quasi_records",
            source=source,
            user=user,
            sensitive=self.values,
            columns=self.columns,
            texts=[int(quasi.hierarchy is not None) for quasi in quasi_identifiers],
            tables=self.tables,
        )
        session.run("quasi_tuples", columns=self.columns, **people, sensitive=self.values)
        totals = session.run("quasi_totals", tables=self.tables)
        self.records: int = totals[0]["records"]
        self.tuples: int = totals[0]["tuples"]
        self.members: int = self.records
        if self.has_people:
            self.members = session.fetch_row("count_people")["people"]
        self.leaves: list[int] = [row["leaves"] for row in totals]
        for row, quasi in zip(totals, quasi_identifiers, strict=True):
            if row["uncovered"]:
                raise UsageError(
                    "k_anonymity.values_not_in_hierarchy",
                    quasi=quasi.name,
                    uncovered=row["uncovered"],
                )
