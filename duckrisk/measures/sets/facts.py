"""The attributes of a table as numbers, which the statements on sets of facts read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql, render
from duckrisk.engine.types import is_hashed_one_to_one
from duckrisk.measures.sets import costs
from duckrisk.roles.attributes import group_alike
from duckrisk.roles.dependencies import split_batches

#: The table of numbers that several statements read.
_VALUES = Sql("fact_values")


class NumberedFacts:
    """The numbers of the attributes of each record: a table, lists, or columns of the source."""

    def __init__(
        self,
        session: Session,
        user: str | None,
        records: int,
        attributes: Sequence[Attribute],
        kinds: Mapping[str, str],
        counted: str | None = None,
    ) -> None:
        self.session, self.user, self.records, self.attributes = session, user, records, attributes
        self._counted = counted
        self._hashed = [
            place
            for place, attribute in enumerate(attributes)
            if _has_type_of_column(attribute) and is_hashed_one_to_one(kinds[attribute.parts[0].column])
        ]
        self._held: frozenset[int] | None = None
        #: The element of each attribute in the list of a record, in their order; empty without lists.
        self.elements = self._make_lists(kinds)

    def relation(self, places: Sequence[int], *, stored: bool = False) -> Sql:
        """Return the relation with the numbers of the attributes at some indices.

        It is a table of all attributes if that is small enough, else of some if they are stored: a statement
        binds all columns of its relations.

        Args:
            places: The indices.
            stored: Whether several statements read the relation.
        """
        count = len(self.attributes)
        if self.elements and len(places) > costs.HELD_COLUMNS:
            elements = [self.elements[place] for place in places]
            return render("listed_facts", attribute_indexes=list(places), elements=elements)
        if self._held is not None and self._held.issuperset(places):
            return _VALUES
        if whole := count <= costs.HELD_COLUMNS and self.records * count <= costs.HELD_VALUES:
            places = range(count)
        known = self.columns(places)
        if not whole and not stored:
            return known
        self.session.run("fact_values", known=known)
        self._held = frozenset(places)
        return _VALUES

    def columns(self, places: Sequence[int], source: Sql | None = None) -> Sql:
        """Return the relation that reads the attributes at some indices from the source.

        Args:
            places: The indices.
            source: Some records of the source; None takes all.
        """
        return render(
            "fact_columns",
            source=source
            or self.session.views.select_columns(
                self.user, self._counted, *(self.attributes[place] for place in places)
            ),
            user=self.user,
            counted=self._counted,
            attributes=self.attributes,
            places=list(places),
            hashed=self._hashed,
        )

    def drop_table(self) -> None:
        """Drop the table of numbers, if there is one."""
        if self._held is not None:
            self.session.run("drop_table", table=str(_VALUES))
            self._held = None

    def count_missing(self, count: int, present: Mapping[str, int]) -> tuple[list[int], int]:
        """Count the missing values of each of the first attributes, and of all of them.

        Args:
            count: Number of attributes.
            present: The records with a value of each column, by its binding; empty if other records count.
        """
        cells: dict[int, int] = {}
        for place in self._hashed:
            part = self.attributes[place].parts[0]
            if place < count and part.column in present and part.knowledge == "exact" and not part.tokens:
                cells[place] = self.records - present[part.column]
        asked = [place for place in range(count) if place not in cells]
        row = self.session.fetch_row(
            "missing_facts",
            places=asked,
            counted=list(cells.values()),
            known=self.relation(asked),
            weighted=self._counted is not None,
        )
        cells |= zip(asked, row["cells"], strict=True)
        return [cells[place] for place in range(count)], row["missing_cells"]

    def _make_lists(self, kinds: Mapping[str, str]) -> dict[int, int]:
        """Make the lists of numbers, if the table is wide and has few records."""
        count = len(self.attributes)
        small = count <= costs.HELD_COLUMNS or self.records * count > costs.LISTED_VALUES
        if self.session.engine is not None or self._counted is not None or small:
            return {}
        groups = group_alike(self.attributes, kinds)
        several = [group if len(group) > 1 else [] for group in groups]
        first = [self.attributes[group[0]] for group in groups]
        self.session.run(
            "fact_lists",
            source=self.session.views.select_columns(self.user, *self.attributes),
            user=self.user,
            forms=[
                replace(attribute, parts=(replace(attribute.parts[0], column="value"),))
                if group
                else attribute
                for attribute, group in zip(first, several, strict=True)
            ],
            columns=[[self.attributes[place].parts[0].column for place in group] for group in several],
        )
        return {place: element for element, place in enumerate((p for group in groups for p in group), 1)}


def _has_type_of_column(attribute: Attribute) -> bool:
    """Return whether the values of an attribute have the type of its only column."""
    part = attribute.parts[0]
    kept = part.knowledge in ("exact", "number") and not (part.moment or part.fine or part.long)
    return kept and len(attribute.parts) == 1


def list_written_forms(session: Session, attributes: Sequence[Attribute]) -> list[Attribute]:
    """List attributes with several forms of a missing value, as they are written.

    Args:
        session: The session.
        attributes: The attributes to examine.
    """
    whole = [
        attribute
        for attribute in attributes
        if len(attribute.parts) == 1
        and attribute.parts[0].tokens
        and attribute.parts[0].knowledge in ("exact", "number")
    ]
    forms: list[int] = []
    for some in split_batches(whole):
        columns = [attribute.parts[0].column for attribute in some]
        rows = session.run(
            "missing_forms",
            source=session.views.select_columns(*columns),
            attributes=some,
            columns=columns,
        )
        forms += [row["forms"] for row in rows]
    return [
        Attribute(attribute.name, (replace(attribute.parts[0], tokens=()),))
        for attribute, several in zip(whole, forms, strict=True)
        if several > 1
    ]
