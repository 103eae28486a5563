"""Encodes the original, the release and the control set as integer codes.

The code of a value is its rank among all values of its attribute, 0 for a missing one. Predicates are ranges
of integers then, and missing values, large numbers and any text compare exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.base.errors import SourceError
from duckrisk.contests.common import count_rows
from duckrisk.contests.membership.records import LARGEST, Attribute, find_attribute, open_tables
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source import Request

ORIGINAL, RELEASED, CONTROL = "original", "released", "control"
#: Bits of the integer that holds a distance and the number of a record (derived: a BIGINT less its sign and
#: a carry bit).
_BITS = 62
#: Bits of the parts of a range; more distinguish nothing more (a choice: a billionth of the range).
_MAX_UNIT_BITS = 30


@dataclass(frozen=True)
class Tables:
    """The encoded tables of a run.

    Attributes:
        session: Runs the statements.
        names: The names of the tables in messages and reports.
        records: The number of records of each.
        attributes: The attributes that all have.
        numeric: The indices of attributes of numbers.
        gaps: The indices of attributes with missing values.
        codes: The number of codes of each attribute.
        unit: The number of parts that a range of numbers is divided into.
        span: A number above the number of any record.
    """

    session: Session
    names: dict[str, str]
    records: dict[str, int]
    attributes: tuple[Attribute, ...]
    numeric: tuple[int, ...]
    gaps: tuple[int, ...]
    codes: tuple[int, ...]
    unit: int
    span: int

    @property
    def columns(self) -> list[str]:
        """The columns of codes."""
        return [f"c{number}" for number in range(len(self.attributes))]

    def code_table(self, name: str) -> Sql:
        """Return the table of the records as codes."""
        return identifier(f"{name}_codes")

    def value_table(self, number: int) -> Sql:
        """Return the table of the values of an attribute."""
        return identifier(f"values_{number}")

    def find_attributes(self, names: Sequence[str]) -> list[int]:
        """Return the indices of the attributes of those names, each once.

        Raises:
            UsageError: There is no such attribute.
        """
        return list(dict.fromkeys(find_attribute(self.attributes, name).number for name in names))


def load_tables(
    session: Session, requests: Mapping[str, Request], attributes: Sequence[str] | None = None
) -> Tables:
    """Open the tables and encode their values.

    Args:
        session: The session, which is locked to the sources.
        requests: The sources by the names :data:`ORIGINAL`, :data:`RELEASED` and :data:`CONTROL`.
        attributes: The columns that take part, by name; None for all.

    Raises:
        UsageError: The tables do not go together.
        SourceError: A table is empty or cannot be read.
    """
    matched = open_tables(session, requests, attributes=attributes)
    numeric = tuple(attribute.number for attribute in matched.attributes if attribute.numeric)
    records = {}
    for index, name in enumerate(requests):
        session.run(
            "risk_rows",
            name=f"{name}_rows",
            source=identifier(matched.views[index]),
            columns=list(matched.bindings(index)),
            numeric=list(numeric),
            largest=LARGEST,
        )
        records[name] = count_rows(session, f"{name}_rows")
        if not records[name]:
            raise SourceError("membership.no_records", table=matched.sources[index].name)
    used = records[RELEASED].bit_length() + len(matched.attributes).bit_length()
    unit = 1 << max(1, min(_MAX_UNIT_BITS, _BITS - used))
    for attribute in matched.attributes:
        session.run(
            "risk_values",
            name=f"values_{attribute.number}",
            tables=[identifier(f"{name}_rows") for name in requests],
            column=f"v{attribute.number}",
            unit=unit if attribute.numeric else None,
        )
    for name in requests:
        session.run(
            "risk_coded",
            name=f"{name}_codes",
            source=identifier(f"{name}_rows"),
            tables=[identifier(f"values_{attribute.number}") for attribute in matched.attributes],
        )
    ranges = session.run(
        "code_ranges",
        tables=[identifier(f"{name}_codes") for name in requests],
        columns=[f"c{attribute.number}" for attribute in matched.attributes],
    )
    return Tables(
        session,
        {name: matched.sources[index].name for index, name in enumerate(requests)},
        records,
        matched.attributes,
        numeric,
        tuple(row["place"] for row in ranges if row["gaps"]),
        tuple(row["codes"] for row in ranges),
        unit,
        1 << records[RELEASED].bit_length(),
    )


@dataclass(frozen=True)
class Tried:
    """The attacks that were made, and those that succeeded.

    Attributes:
        attacks: Attacks on the original, and as many naive ones.
        successes: Successes on the original.
        naive: Successes of the naive attacks.
        control_attacks: Attacks on the control set; None without one.
        control: Successes on the control set, for singling out those expected at the size of the original.
        measured: Successes on the control set as it is.
    """

    attacks: int
    successes: int
    naive: int
    control_attacks: int | None = None
    control: float | None = None
    measured: int | None = None
