"""Which columns are determined by others: who knows the one knows them too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import COLUMNS_PER_STATEMENT, Session
from duckrisk.engine.templates import Attribute, Part, Sql, render
from duckrisk.roles.model import ASSESSED_ROLES, LONG, Decision, Evidence, also

_T = TypeVar("_T")

#: Dependencies are looked for among the first so many columns.
DEPENDENCY_COLUMNS = 64
#: They are looked for in so many records first, after all columns at once between so many pairs of records.
FIRST_RECORDS = (2_000, 20_000)
PAIRED_RECORDS = 128
#: Records; the different values of several columns of more records may not fit into memory together.
_COUNTED_TOGETHER = 60_000
#: Users whose records show which of many columns change; columns of a statement: the engine plans 2,000 at
#: once in 1.2 seconds, and by 256 in a third of that.
_FEW_USERS, _SCREENED = 16, 256
#: A column that is filled in fewer records than this share of those of another does not determine that.
NEARLY_ALL = 0.95


def compared(session: Session, columns: Sequence[Decision] | Sequence[Evidence]) -> Sql:
    """Return the records, for a statement that only compares values of these columns."""
    source = session.views.select_columns(*(one.column.binding for one in columns))
    long = [
        Attribute(binding, (Part(binding, long=True),))
        for binding in (one.column.binding for one in columns if one.long)
    ]
    return render("replaced", source=source, attributes=long) if long else source


def batches(items: Sequence[_T], most: int = COLUMNS_PER_STATEMENT) -> list[list[_T]]:
    """Columns by so many as one statement takes."""
    return [list(items[i : i + most]) for i in range(0, len(items), most)]


def count_distinct(session: Session, profiles: list[Evidence], share: float) -> list[Evidence]:
    """Replace the estimates that could change what an identifier or a user is taken for.

    Args:
        session: The session that has the table.
        profiles: What the columns hold; the number of different values is estimated.
        share: Columns with fewer different values than this share of the cells keep the estimate.

    Returns:
        The profiles, the others with their exact number of different values.
    """
    near = [
        cells
        for cells in profiles
        if cells.countable and not cells.constant and cells.mean_length < LONG and cells.differs(share)
    ]
    together = COLUMNS_PER_STATEMENT if profiles[0].records <= _COUNTED_TOGETHER else 1
    distinct: dict[int, int] = {}
    kinds = {cells.column.type for cells in near}
    of_kinds = [[cells for cells in near if cells.column.type == kind] for kind in sorted(kinds)]
    for batch in (batch for cells in of_kinds for batch in batches(cells, together)):
        columns = [cells.column.binding for cells in batch]
        rows = session.run("exact_values", source=compared(session, batch), columns=columns)
        distinct |= {
            cells.column.position: row["distinct_values"] for cells, row in zip(batch, rows, strict=True)
        }
    return [
        replace(cells, distinct=distinct.get(cells.column.position, cells.distinct)) for cells in profiles
    ]


def leave_out_changing(session: Session, user: Decision, columns: list[Decision]) -> list[Decision]:
    """Leave out the columns that change for one of a few users, which most of them do."""
    kept = []
    for batch in batches(columns, _SCREENED):
        relation = compared(session, [user, *batch])
        rows = session.run(
            "changing_columns",
            source=render("first_records", source=relation, most=FIRST_RECORDS[0]),
            user=user.column.binding,
            columns=[d.column.binding for d in batch],
            sample_size=_FEW_USERS,
        )
        kept += [d for d, row in zip(batch, rows, strict=True) if not row["changing"]]
    return kept


def dependencies(session: Session, decisions: list[Decision], records: int, notes: list[Sentence]) -> None:
    usable = [d for d in decisions if d.role in ASSESSED_ROLES and d.distinct > 1]
    if len(usable) > DEPENDENCY_COLUMNS:
        notes.append(Sentence("roles.dependencies", some=str(DEPENDENCY_COLUMNS), count=f"{len(usable):,}"))
        usable = usable[:DEPENDENCY_COLUMNS]
    if len(usable) < 2:
        return
    # A few records rule out most pairs of columns, some more of them most of the others.
    records_compared = compared(session, usable)
    rows = session.run(
        "possible_dependencies",
        source=records_compared,
        columns=[d.column.binding for d in usable],
        records=PAIRED_RECORDS,
    )
    positions = [d.column.position for d in usable]
    possible = {(positions[row["determinant"]], positions[row["dependent"]]) for row in rows}
    parts = [
        render("first_records", source=records_compared, most=most)
        for most in FIRST_RECORDS
        if most < records
    ]
    relations = [*parts, records_compared]
    determinants: dict[int, Decision] = {}
    for determinant in sorted(usable, key=lambda d: (d.distinct, d.column.position)):
        if determinant.distinct > 0.5 * determinant.present:
            continue  # nearly a key: it determines everything, and that says nothing
        dependents = [
            d
            for d in usable
            if (determinant.column.position, d.column.position) in possible
            and d.column.position not in determinants
            and d.distinct <= 1.1 * determinant.distinct
            and determinant.present >= NEARLY_ALL * d.present  # where it is missing it tells nothing
        ]
        for relation in relations:
            dependents = _without_exceptions(session, relation, determinant, dependents)
        for dependent in dependents:
            determinants[dependent.column.position] = determinant
            determined = Sentence("roles.determined_by", name=Data(determinant.column.name))
            dependent.reason = also(dependent.reason, determined)


def _without_exceptions(
    session: Session, relation: Sql, determinant: Decision, dependents: list[Decision]
) -> list[Decision]:
    kept: list[Decision] = []
    for batch in batches(dependents):
        rows = session.run(
            "determined_by",
            source=relation,
            column=determinant.column.binding,
            columns=[d.column.binding for d in batch],
        )
        kept += [d for d, row in zip(batch, rows, strict=True) if row["exceptions"] == 0]
    return kept
