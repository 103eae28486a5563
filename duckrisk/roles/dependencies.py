"""Dependencies between columns: a column that is determined by another adds no knowledge."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from duckrisk.base.errors import MemoryEndedError
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import COLUMNS_PER_STATEMENT, Session
from duckrisk.engine.templates import Attribute, Part, Sql, render
from duckrisk.roles.model import ASSESSED_ROLES, LONG, ColumnProfile, Decision, append_reason

_T = TypeVar("_T")

#: Columns among which dependencies are searched (a choice: their pairs grow with the square).
DEPENDENCY_COLUMNS = 64
#: Records that are examined first, in stages, to refute dependencies before all records are counted (a
#: choice: few records refute most of them).
FIRST_RECORDS = (2_000, 20_000)
#: Records that are compared in pairs for all columns at once (measured: of 120 answers of a survey, planning
#: a statement for each column had taken 2.0 of 3.5 CPU seconds).
PAIRED_RECORDS = 128
#: Pairs of columns; if the first records leave more, records that show values are compared (a choice: fewer
#: are counted as soon).
COUNTED_PAIRS = 32
#: Records that show values (measured: of Diabetes 130, 5 pairs of 489 are left for the whole table, and 236
#: where its first 20,000 records refute them; 1.3 times the CPU of its verdict without).
SHOWING_RECORDS = 384
#: Records among which they are chosen (a choice: half a CPU second for 48 columns).
SHOWN_AMONG = 100_000
#: Records; the distinct values of several columns of more records may exceed the memory (a choice: 32 columns
#: of texts of 16 characters are 30 MB).
_MAX_JOINT_RECORDS = 60_000
#: Users whose records show which of many columns change (a choice: of 2,000 random columns all do).
_SAMPLED_USERS = 16
#: Columns of a statement (measured: the engine plans 2,000 at once in 1.2 seconds, by 256 in a third of
#: that).
_SCREENED_COLUMNS = 256
#: Share of the records with a value of a column, in which its determinant has one at least (a choice: half of
#: it reads 60 of the shapes of tests/benchmarks/people.py alike).
NEARLY_ALL = 0.95


def select_compared(session: Session, columns: Sequence[Decision] | Sequence[ColumnProfile]) -> Sql:
    """Select columns for a statement that only compares values; long ones as digests."""
    source = session.views.select_columns(*(entry.column.binding for entry in columns))
    long = [
        Attribute(binding, (Part(binding, long=True),))
        for binding in (entry.column.binding for entry in columns if entry.is_long)
    ]
    return render("replaced", source=source, attributes=long) if long else source


def split_batches(items: Sequence[_T], most: int = COLUMNS_PER_STATEMENT) -> list[list[_T]]:
    """Split items into batches, by default of the columns that a statement takes."""
    return [list(items[i : i + most]) for i in range(0, len(items), most)]


def count_distinct(session: Session, profiles: list[ColumnProfile], share: float) -> list[ColumnProfile]:
    """Replace the estimated numbers of distinct values that could change a role.

    Args:
        session: The session that has the table.
        profiles: The profiles, with estimated numbers of distinct values.
        share: A share of the records with a value; columns with fewer distinct values keep the estimate.

    Returns:
        The profiles, the others with their exact number.
    """
    near = [
        profile
        for profile in profiles
        if profile.can_hold_codes
        and not profile.is_constant
        and profile.mean_length < LONG
        and profile.is_distinct(share)
    ]
    columns_together = COLUMNS_PER_STATEMENT if profiles[0].records <= _MAX_JOINT_RECORDS else 1
    distinct: dict[int, int] = {}
    types = {profile.column.type for profile in near}
    by_type = [[profile for profile in near if profile.column.type == name] for name in sorted(types)]
    for batch in (batch for alike in by_type for batch in split_batches(alike, columns_together)):
        columns = [profile.column.binding for profile in batch]
        rows = session.run("exact_values", source=select_compared(session, batch), columns=columns)
        distinct |= {
            profile.column.position: row["distinct_values"] for profile, row in zip(batch, rows, strict=True)
        }
    return [
        replace(profile, distinct=distinct.get(profile.column.position, profile.distinct))
        for profile in profiles
    ]


def drop_changing(session: Session, user: Decision, columns: list[Decision]) -> list[Decision]:
    """Drop the columns that change for one of a few users, as most columns do."""
    unchanged = []
    for batch in split_batches(columns, _SCREENED_COLUMNS):
        relation = select_compared(session, [user, *batch])
        rows = session.run(
            "changing_columns",
            source=render("first_records", source=relation, most=FIRST_RECORDS[0]),
            user=user.column.binding,
            columns=[d.column.binding for d in batch],
            sample_size=_SAMPLED_USERS,
        )
        unchanged += [d for d, row in zip(batch, rows, strict=True) if not row["changing"]]
    return unchanged


def find_dependencies(
    session: Session, decisions: list[Decision], records: int, notes: list[Sentence]
) -> None:
    """Add to the reason of each column that another one determines.

    Args:
        session: The session that has the table.
        decisions: The columns.
        records: The records of the table.
        notes: Gets a note if there are too many columns to examine.
    """
    usable = [d for d in decisions if d.role in ASSESSED_ROLES and d.distinct > 1]
    if len(usable) > DEPENDENCY_COLUMNS:
        notes.append(Sentence("roles.dependencies", some=str(DEPENDENCY_COLUMNS), count=f"{len(usable):,}"))
        usable = usable[:DEPENDENCY_COLUMNS]
    if len(usable) < 2:
        return
    # Few records refute most pairs of columns, and some more records most of the others.
    records_compared = select_compared(session, usable)
    first = render("first_records", source=records_compared, most=PAIRED_RECORDS)
    possible = _list_possible(session, first, usable)
    if len(possible) > COUNTED_PAIRS and (shown := _show_values(session, records_compared, usable)):
        with contextlib.suppress(MemoryEndedError):  # the values of each column take a megabyte
            possible &= _list_possible(session, shown, usable)
    parts = [
        render("first_records", source=records_compared, most=most)
        for most in FIRST_RECORDS
        if most < records
    ]
    relations = [*parts, records_compared]
    determinants: dict[int, Decision] = {}
    for determinant in sorted(usable, key=lambda d: (d.distinct, d.column.position)):
        dependents = [
            d
            for d in usable
            if (determinant.column.position, d.column.position) in possible
            and d.column.position not in determinants
        ]
        for relation in relations:
            dependents = _confirm_dependents(session, relation, determinant, dependents)
        for dependent in dependents:
            determinants[dependent.column.position] = determinant
            determined = Sentence("roles.determined_by", name=Data(determinant.column.name))
            dependent.reason = append_reason(dependent.reason, determined)


def _list_possible(session: Session, records: Sql, columns: list[Decision]) -> set[tuple[int, int]]:
    """List the pairs of positions where no two of these records refute a dependency."""
    rows = session.run(
        "possible_dependencies",
        source=records,
        columns=[d.column.binding for d in columns],
        records=PAIRED_RECORDS + SHOWING_RECORDS,
    )
    pairs = ((columns[row["determinant"]], columns[row["dependent"]]) for row in rows)
    return {(one.column.position, other.column.position) for one, other in pairs if _is_likely(one, other)}


def _is_likely(determinant: Decision, dependent: Decision) -> bool:
    """Return whether one column can determine another by their numbers of values."""
    if determinant.distinct > 0.5 * determinant.present:
        return False  # nearly a key, which determines every column
    is_present = determinant.present >= NEARLY_ALL * dependent.present
    return dependent.distinct <= 1.1 * determinant.distinct and is_present


def _show_values(session: Session, records: Sql, columns: list[Decision]) -> Sql | None:
    """Select a record for each value of the columns with few; None if no column has."""
    by_values = sorted(columns, key=lambda d: (d.distinct, d.column.position))
    counts = itertools.accumulate(d.distinct + 1 for d in by_values)
    shown = [d.column.binding for d, count in zip(by_values, counts, strict=True) if count <= SHOWING_RECORDS]
    if not shown or session.engine is not None:  # another engine knows other functions
        return None
    return render("varied_records", source=records, columns=shown, most=SHOWN_AMONG)


def _confirm_dependents(
    session: Session, relation: Sql, determinant: Decision, dependents: list[Decision]
) -> list[Decision]:
    confirmed: list[Decision] = []
    for batch in split_batches(dependents):
        rows = session.run(
            "determined_by",
            source=relation,
            column=determinant.column.binding,
            columns=[d.column.binding for d in batch],
        )
        confirmed += [d for d, row in zip(batch, rows, strict=True) if row["exceptions"] == 0]
    return confirmed
