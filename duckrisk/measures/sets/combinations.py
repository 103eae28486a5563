"""The combinations of values in the records of a table, packed into words of bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.dependencies import Dependencies, find_dependencies
from duckrisk.measures.sets.encoding import Layout
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.order import SetOrder


class Encoding(Protocol):
    """What made the table of combinations, and the table of persons where these are users.

    Attributes:
        layout: The fields of the attributes, and after these of coarser forms.
        counts: The number of values of each attribute that makes sets, and of each coarser form.
        tables: The table that numbers the values of each attribute; empty for an attribute without numbers.
        id_bits: Bits of the number of a person.
    """

    layout: Layout
    counts: list[int]
    tables: list[str]
    id_bits: int

    def list_missing(self) -> None:
        """List the users with the attributes that none of their records has."""
        ...


class EncodedSource:
    """The combinations of the records of the assessed view; see :class:`Encoding`.

    Args:
        session: The session.
        attributes: The attributes.
        searched: How many of the first attributes make sets; of the others counts only what is missing.
        user: The column of users, if these are the persons; None for records.
        codes: Tables that number the values of attributes; new ones are added.
        owner: The column of users, if they become the persons after the records: every record needs one.
    """

    def __init__(
        self,
        session: Session,
        attributes: Sequence[Attribute],
        searched: int,
        user: str | None = None,
        codes: dict[Attribute, str] | None = None,
        owner: str | None = None,
    ) -> None:
        self.session, self.user, self.owner = session, user, owner
        self._codes = {} if codes is None else codes
        self._own = list(attributes)
        self.tables, self.counts = self._number_values(attributes[:searched])
        if (users := user or owner) is not None:
            person = Attribute("user", (Part(users),))
            session.run("value_codes", source=ASSESSED, attribute=person, table="persons")
        others = len(attributes) - searched
        self.tables += [""] * others
        self.counts += [1] * others
        records: int = session.fetch_row("count_records", source=ASSESSED)["records"]
        self.id_bits = records.bit_length()
        self._pack(self._own, len(attributes))

    def list_missing(self) -> None:
        """List the users with the attributes that none of their records has."""
        assert self.user is not None
        self.session.run("users_missing", source=ASSESSED, user=self.user, attributes=self._own)

    def turn_to_owners(self) -> None:
        """Make the users of the combinations the persons, once the records have been."""
        for column, name in (("id", "record"), ("owner", "id")):
            self.session.run("rename_column", table="combinations", column=column, name=name)
        self.user, self.owner = self.owner, None

    def widen(self, attributes: Sequence[Attribute], set_bits: int) -> None:
        """Give the combinations fields for coarser forms of attributes.

        Args:
            attributes: The coarser forms.
            set_bits: Bits of a set of attributes and coarser forms.
        """
        tables, counts = self._number_values(attributes)
        self.tables += tables
        self.counts += counts
        self._pack([*self._own, *attributes], set_bits)

    def _number_values(self, attributes: Sequence[Attribute]) -> tuple[list[str], list[int]]:
        """Number the values of attributes; return the tables and the number of values."""
        for attribute in attributes:
            if attribute not in self._codes:
                table = f"values_{len(self._codes)}"
                self.session.run("value_codes", source=ASSESSED, attribute=attribute, table=table)
                self._codes[attribute] = table
        tables = [self._codes[attribute] for attribute in attributes]
        return tables, [row["records"] for row in self.session.run("row_counts", tables=tables)]

    def _pack(self, attributes: Sequence[Attribute], set_bits: int) -> None:
        """Pack the combinations of these attributes; coarser forms are never missing."""
        self.layout = Layout.for_counts(self.counts)
        self.session.run(
            "combinations",
            source=ASSESSED,
            attributes=attributes,
            tables=self.tables,
            own_count=len(self._own),
            words=self.layout.words,
            shifts=self.layout.shifts,
            masks=self.layout.masks,
            user=self.user,
            owner=self.owner,
            persons="persons",
            id_bits=self.id_bits,
            set_bits=set_bits,
            table="combinations",
        )


class Combinations:
    """The distinct combinations of values in the records of a table.

    Args:
        session: The session.
        encoding: What made the table of combinations.
        attributes: Number of attributes.
        searched: How many of the first attributes make sets.
        user: The column of users, if these are the persons; None for records.
        levels: The economic and psychological level of each attribute; None for equal ones.

    Attributes:
        count: Number of combinations.
        records: Number of records.
        missing_cells: Missing values of these records.
        is_large: Whether each set has a statement of its own.
        values: The number of values of each attribute, a missing one included.
        varying: Positions of the attributes that sets are made of, without constants.
        coarser: The positions of coarser forms, by those of the attributes they can replace.
        dependencies: What adds nothing to a set.
        order: The order in which sets are tried.
    """

    def __init__(
        self,
        session: Session,
        encoding: Encoding,
        attributes: int,
        searched: int,
        user: str | None = None,
        levels: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        self.session, self.encoding, self.user = session, encoding, user
        self.all_levels = list(levels) if levels is not None else [(1, 1)] * attributes
        self.levels = self.all_levels[:searched]
        self.attributes = self.set_bits = attributes
        self.coarser: dict[int, int] = {}
        self.dependencies = Dependencies()
        self.order = SetOrder([])
        totals = session.fetch_row("combination_totals")
        self.count: int = totals["combinations"]
        self.records: int = totals["records"]
        self.missing_cells: int = totals["missing_cells"]
        self.is_large = self.count > costs.SEPARATE
        self.values = [
            count + (totals["ever_missing"] >> position & 1) for position, count in enumerate(self.counts)
        ]
        persons = self.records if user is None else self.count_rows("persons")
        # A constant singles out nobody but a person who is alone.
        self.varying = [place for place in range(searched) if self.values[place] > 1 or persons == 1]

    @property
    def layout(self) -> Layout:
        """Return the fields of the attributes and of coarser forms."""
        return self.encoding.layout

    @property
    def counts(self) -> list[int]:
        """Return the number of values of each attribute and each coarser form."""
        return self.encoding.counts

    @property
    def searched(self) -> list[int]:
        """Return the positions of the attributes that sets are made of."""
        return [position for position in self.varying if position not in self.dependencies.twins]

    def widen(self, encoding: EncodedSource, coarser: Mapping[int, Attribute]) -> None:
        """Give the combinations fields for coarser forms of attributes.

        Args:
            encoding: What made the table of combinations, and makes it anew.
            coarser: The coarser forms, by the positions of the attributes they can replace.
        """
        self.coarser = {position: self.attributes + place for place, position in enumerate(coarser)}
        self.set_bits = self.attributes + len(coarser)
        encoding.widen(list(coarser.values()), self.set_bits)
        self.encoding = encoding

    def find_dependencies(self, ignore_missing: bool, limits: Limits) -> None:
        """Find the attributes that another one determines.

        Args:
            ignore_missing: Whether a missing value reveals nothing.
            limits: Where the search ends early.
        """
        self.list_attributes(self.varying)
        self.dependencies = find_dependencies(self, ignore_missing, limits)

    def list_attributes(self, searched: Sequence[int]) -> None:
        """Fill the table of the attributes and coarser forms that make sets.

        Args:
            searched: The positions of the attributes and forms that sets are made of.
        """
        forms = [self.all_levels[position] for position, form in self.coarser.items() if form in searched]
        levels, separations = [*self.all_levels, *forms], self.order.separations
        self.session.run(
            "searched_attributes",
            economic=[economic for economic, _ in levels],
            psychological=[psychological for _, psychological in levels],
            words=self.layout.words,
            masks=self.layout.masks,
            set_bits=self.set_bits,
            searched=list(searched),
            separations=[*separations, *[0] * (len(levels) - len(separations))],
        )

    def empty_table(self, table: str, numbers: list[str], sets: list[str]) -> None:
        """Make an empty table.

        Args:
            table: Its name.
            numbers: Columns that hold numbers of persons.
            sets: Columns that hold attribute sets.
        """
        self.session.run(
            "empty_table",
            table=table,
            numbers=numbers,
            number_bits=self.encoding.id_bits,
            sets=sets,
            set_bits=self.set_bits,
        )

    def fill(self, statement: str, **arguments: Any) -> int:
        """Run a statement that fills a table; return the number of rows that it added.

        Args:
            statement: Its name.
            arguments: Its parameters.
        """
        return int(self.session.fetch_row(statement, **arguments)["Count"])

    def count_rows(self, table: str) -> int:
        """Count the rows of a table.

        Args:
            table: Its name.
        """
        return int(self.session.fetch_row("row_counts", tables=[table])["records"])
