"""Number published values on the different values of a column, not on each record of a large table."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part, Sql, render
from duckrisk.roles import Decision

#: Records for each different value, at least; with fewer each record is formed
#: (tests/benchmarks/page_steps.py: forms of two columns of a million records cost 0.4 CPU seconds, looking up
#: their numbers 0.17).
_RECORDS_PER_VALUE = 5
#: Tables of numbers that are kept (a choice: a slider goes back and forth).
_MAX_TABLES = 16


@dataclass(frozen=True)
class MappedAttributes:
    """Attributes, some read from tables of numbers.

    Attributes:
        attributes: The attributes, on the columns of :meth:`read`.
        tables: The tables of numbers.
        columns: The column that each of them maps.
    """

    attributes: tuple[Attribute, ...]
    tables: tuple[str, ...]
    columns: tuple[str, ...]

    def read(self, source: Sql) -> Sql:
        """Return the relation that has the columns of the attributes.

        Args:
            source: Records of the table.
        """
        if not self.tables:
            return source
        return render("mapped_columns", source=source, tables=list(self.tables), columns=list(self.columns))

    @property
    def kinds(self) -> dict[str, str]:
        """Types of the columns of numbers."""
        return {f"m{number}": "UBIGINT" for number in range(len(self.tables))}


class ValueMaps:
    """The tables of numbers of one source.

    Args:
        session: The session, with the source as the assessed view.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._different: set[int] = set()
        self._tables: OrderedDict[Attribute, str] = OrderedDict()
        self._made = 0

    def map_attributes(
        self, attributes: Sequence[Attribute], decisions: Sequence[Decision | None], records: int
    ) -> MappedAttributes:
        """Map the published attributes whose column has few different values.

        Args:
            attributes: The attributes.
            decisions: The column of each as it is in the source; None if it has several.
            records: Records of the table.
        """
        mapped: list[Attribute] = []
        tables: list[str] = []
        columns: list[str] = []
        for attribute, decision in zip(attributes, decisions, strict=True):
            if decision is None or not _is_worth_mapping(attribute, decision, records):
                mapped.append(attribute)
                continue
            mapped.append(Attribute(attribute.name, (Part(f"m{len(tables)}"),)))
            tables.append(self._find_table(attribute, decision))
            columns.append(decision.column.binding)
        while len(self._tables) > max(_MAX_TABLES, len(tables)):
            self._session.run("drop_table", table=self._tables.popitem(last=False)[1])
        return MappedAttributes(tuple(mapped), tuple(tables), tuple(columns))

    def _find_table(self, attribute: Attribute, decision: Decision) -> str:
        """Return the table with the numbers of an attribute, which is made once."""
        column, position = decision.column.binding, decision.column.position
        different = f"different_{position}"
        if position not in self._different:
            self._session.run("column_values", source=ASSESSED, table=different, column=column)
            self._different.add(position)
        if attribute not in self._tables:
            self._made += 1
            table = f"numbered_{self._made}"
            self._session.run(
                "numbered_values", table=table, values=different, attribute=attribute, column=column
            )
            self._tables[attribute] = table
        self._tables.move_to_end(attribute)
        return self._tables[attribute]


def _is_worth_mapping(attribute: Attribute, decision: Decision, records: int) -> bool:
    """Return whether an attribute is a form of a column with few values."""
    is_form = len(attribute.parts) == 1 and attribute.parts[0].column != decision.column.binding
    return is_form and decision.distinct * _RECORDS_PER_VALUE <= records
