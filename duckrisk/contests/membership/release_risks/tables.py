"""The tables of the risks of a release: original, release and control set, with numbers for their values.

Any value is its place among all values of its attribute, missing ones are 0: so predicates are ranges of
whole numbers, and missing values, large numbers and any text are compared exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.base.errors import SourceError
from duckrisk.contests.membership.records import LARGEST, Attribute, attribute_of, opened
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source import Request

ORIGINAL, RELEASED, CONTROL = "original", "released", "control"
#: A number takes so many bits, which a distance and the number of a record share.
_BITS = 62
#: More parts of a range tell nothing more.
_MOST_BITS = 30


@dataclass(frozen=True)
class Tables:
    """The tables by their names: what people call them and how many records they have; the attributes, which
    of them are ``numeric`` and have ``gaps``, by place, and how many values each has; so many parts a range
    of numbers has (``unit``), and more than any number of a record (``span``)."""

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

    def coded(self, name: str) -> Sql:
        """The table of records with codes."""
        return identifier(f"{name}_codes")

    def values(self, number: int) -> Sql:
        """The table of the values of an attribute."""
        return identifier(f"values_{number}")

    def places(self, names: Sequence[str]) -> list[int]:
        """The attributes of those names, each once; raises UsageError for one that is not there."""
        return list(dict.fromkeys(attribute_of(self.attributes, name).number for name in names))


def tables(
    session: Session, requests: Mapping[str, Request], attributes: Sequence[str] | None = None
) -> Tables:
    """Open the tables, refuse those without records, and number their values."""
    matched = opened(session, requests, attributes=attributes)
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
        records[name] = session.fetch_row("table_size", source=identifier(f"{name}_rows"))["found"]
        if not records[name]:
            raise SourceError("membership.no_records", name=matched.sources[index].name)
    used = records[RELEASED].bit_length() + len(matched.attributes).bit_length()
    unit = 1 << max(1, min(_MOST_BITS, _BITS - used))
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
    """How many attacks were made and succeeded: those on the original, the naive ones, and those on the
    control set, whose successes may be what is expected at the size of the original."""

    attacks: int
    successes: int
    naive: int
    control_attacks: int | None = None
    control: float | None = None
    measured: int | None = None
