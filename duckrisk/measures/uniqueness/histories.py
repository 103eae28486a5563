"""Measure attackers who know whole histories, and those who know whole records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.measures.attribute.results import KnownRecords
from duckrisk.measures.uniqueness.results import KnownHistory, KnownWholeRecords, Relinked, WholeHistories
from duckrisk.roles import Roles

#: Whole records that an attacker knows of a person (derived: the limit `three_records`).
KNOWN_WHOLE_RECORDS = 3
#: People who are examined, and other people they are compared with (tests/benchmarks/uniqueness.py: a 95 %
#: interval of at most 1 point on each side, in at most a second of CPU).
EXAMINED_PEOPLE, CANDIDATES = 10_000, 10_000_000
#: Table of the people whose records can be linked again.
RELINKED = Sql("relinked_people")


def relink_records(session: Session, roles: Roles) -> Relinked:
    """Link records without a user column, by the columns that are constant per person.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns; the original says whose each record is.
    """
    assert roles.user is not None
    columns = [decision.column for decision in roles.decisions if decision.column.binding in roles.fixed]
    bindings = [column.binding for column in columns]
    source = session.views.select_columns(roles.user.binding, *bindings)
    session.run("relinked_people", source=source, user=roles.user.binding, columns=bindings)
    people = session.fetch_row("table_size", source=RELINKED)["found"]
    return Relinked(tuple(column.name for column in columns), people)


def measure_histories(
    session: Session, source: str, record: str, seed: int, among: Sql | None = None
) -> tuple[WholeHistories, KnownWholeRecords]:
    """Measure attackers who know whole histories, and those who know whole records.

    Args:
        session: The session that has the table.
        source: A table with a row for each record and the column "person".
        record: The column of ``source`` with a number for the values of the record.
        seed: Seed of the draw of people and of their records.
        among: The people who count; None for all. Each is compared with all others.
    """
    known: dict[str, Any] = {"source": source, "user": "person", "columns": [record], "among": among}
    whole = session.fetch_row("whole_histories", **known)
    row = session.fetch_row(
        "known_whole_records",
        **known,
        known=KNOWN_WHOLE_RECORDS,
        people=EXAMINED_PEOPLE,
        candidates=CANDIDATES,
        seed=seed,
    )
    del whole["people"], row["people"]
    return WholeHistories(**whole), KnownWholeRecords(KNOWN_WHOLE_RECORDS, **row)


def summarize_known_records(session: Session, known: Sequence[KnownRecords]) -> tuple[KnownHistory, ...]:
    """Summarize unicity by number of known records: its mean, and the worst attribute.

    Args:
        session: The session.
        known: Attackers with several known records, by attribute and number of records.
    """
    if not known:
        return ()
    rows = session.run(
        "facts_of_histories",
        known=[case.known_records for case in known],
        attributes=[case.attribute for case in known],
        unicity=[case.unicity for case in known],
    )
    return tuple(KnownHistory(**row) for row in rows)
