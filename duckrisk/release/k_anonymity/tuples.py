"""The different tuples of quasi-identifiers in a relation, every value by its number."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql, identifier
from duckrisk.release.k_anonymity.model import QuasiIdentifier

#: Values of a set in a cell; more say little, and no person reads them (a choice).
MAX_SET_VALUES = 16

#: Codes of a set in a cell, of a column with more than ``MAX_SET_LEAVES`` codes: a prefix such as 22* covers
#: hundreds (the bundled purchases in classes of 25 people: 82 % of the detail instead of 70 % with 16 codes).
MAX_SET_CODES = 64

#: Leaves of a category whose sets are bits of a HUGEINT (derived). With more it is cut as a range, and larger
#: sets of texts become a prefix.
MAX_SET_LEAVES = 120


def name_values(index: int) -> str:
    """Return the name of the table of a column's values."""
    return f"quasi_values_{index}"


class Tuples:
    """Numbers the values of the quasi-identifiers and collapses equal records.

    ``heights`` are the levels of the roots, 0 for numbers that become intervals; ``leaves`` how many values
    there are, a missing one included; ``sets`` how many values a set may have, 0 where there are no sets.
    ``has_people`` says that tuples are those of a person each; ``forms`` are the forms of sensitive columns,
    and ``disclosable`` as many, or 0 where no value of theirs can be disclosed. ``members`` are the records
    or people that classes count. ``more`` are the further columns of a tuple: the person, or sensitive
    values. Raises UsageError where a hierarchy misses values.
    """

    def __init__(
        self,
        session: Session,
        source: Sql,
        quasi_identifiers: Sequence[QuasiIdentifier],
        user: str | None = None,
        sensitive: Sequence[Attribute] = (),
        *,
        has_lists: bool = False,
    ) -> None:
        self.session = session
        self.columns = [quasi.binding for quasi in quasi_identifiers]
        self.tables = [name_values(i) for i in range(len(self.columns))]
        self.heights: list[int] = []
        self.sets: list[int] = []
        for quasi, table in zip(quasi_identifiers, self.tables, strict=True):
            self._number_values(source, quasi, table, has_lists)
        self.has_people = user is not None
        self.forms, self.disclosable = len(sensitive), 0
        if self.has_people:
            session.run("quasi_people", source=source, user=user)
        self._sensitive = {"source": source, "user": user, "forms": list(sensitive)}
        self.number_sensitive()
        values = [] if self.has_people else list(range(self.forms))
        self.more = ["person"] if self.has_people else [f"s{value}" for value in values]
        session.run(
            "quasi_records",
            source=source,
            user=user,
            sensitive=values,
            columns=self.columns,
            texts=[int(quasi.hierarchy is not None) for quasi in quasi_identifiers],
            tables=self.tables,
        )
        session.run("quasi_tuples", columns=self.columns, more=self.more)
        totals = session.run("quasi_totals", tables=self.tables)
        self.records: int = totals[0]["records"]
        self.tuples: int = totals[0]["tuples"]
        self.members: int = session.fetch_row("count_people")["people"] if self.has_people else self.records
        self.leaves: list[int] = [row["leaves"] for row in totals]
        for i, quasi in enumerate(quasi_identifiers):
            if self.sets[i] and not quasi.numeric and self.leaves[i] > MAX_SET_LEAVES:
                self.sets[i] = MAX_SET_CODES
        self.prefixes = [
            i
            for i, quasi in enumerate(quasi_identifiers)
            if self.sets[i]
            and not quasi.numeric
            and self.leaves[i] > MAX_SET_LEAVES
            and self._has_prefixes(i)
        ]
        for row, quasi in zip(totals, quasi_identifiers, strict=True):
            if row["uncovered"]:
                raise UsageError(
                    "k_anonymity.values_not_in_hierarchy",
                    quasi=quasi.name,
                    uncovered=row["uncovered"],
                )

    def number_sensitive(self, kept: str | None = None) -> None:
        """Number the sensitive values, and find those that can be disclosed.

        Args:
            kept: Table of the records that are left; None to begin with all.
        """
        if not self.forms:
            return
        if kept is None:
            self.session.run("sensitive_values", **self._sensitive)
        else:
            self.session.run("leave_sensitive", kept=kept)
        self.session.run("owned_values", people=self.has_people, count=self.forms)
        self.session.run("rare_sensitive_values", people=self.has_people)
        self.session.run("leave_owned")
        rare = self.session.fetch_row("table_size", source=identifier("quasi_rare"))["found"]
        self.disclosable = self.forms if rare else 0

    def check_members(self, k: int) -> None:
        """Raise UsageError if there are fewer than k records, or people.

        Args:
            k: Minimum number of records or people in each class.
        """
        if self.members < k and self.has_people:
            raise UsageError("k_anonymity.k_above_people", count=self.members, k=k)
        if self.members < k:
            raise UsageError("k_anonymity.k_above_records", count=self.members, k=k)

    def _has_prefixes(self, index: int) -> bool:
        return not self.session.fetch_row("starred_labels", table=self.tables[index])["starred"]

    def _number_values(self, source: Sql, quasi: QuasiIdentifier, table: str, has_lists: bool) -> None:
        numbered = {"source": source, "column": quasi.binding, "table": table}
        if (quasi.numeric or quasi.moment) and quasi.hierarchy is None:
            self.session.run("quasi_numbers", **numbered, moments=quasi.moment is not None)
            self.heights.append(0)
            self.sets.append(0)
            return
        height = 1 if quasi.hierarchy is None else quasi.height
        self.session.run(
            "quasi_categories",
            **numbered,
            hierarchy=quasi.hierarchy,
            height=height,
            numeric=quasi.numeric,
        )
        self.heights.append(height)
        has_sets = quasi.hierarchy is None and quasi.has_sets
        if has_sets and not has_lists:  # a list can hold any text
            has_sets = not self.session.fetch_row("ambiguous_labels", table=table)["ambiguous"]
        self.sets.append(MAX_SET_VALUES if has_sets else 0)
