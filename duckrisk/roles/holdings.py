"""Tables whose rows are not one person each: counts of people, things, or sums of rows."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_float, is_integer, is_number
from duckrisk.roles import table_words, words
from duckrisk.roles.model import ColumnProfile, Holdings, LikeCounts, Roles, Totals
from duckrisk.roles.overrides import RoleOverrides
from duckrisk.roles.results import Counted
from duckrisk.source import Column, Source

#: People; a count below is small (CMS cell size suppression policy: 10 or fewer are not shown).
SMALL = 11
#: Columns at most and rows at least of a table of counts (a choice: more columns are seldom tabulated, and
#: three rows of counts look like any three records).
_MAX_COLUMNS, _MIN_ROWS = 16, 4
#: Share of all combinations of values, and rows, that suggest counts without a name of one (a choice: people
#: seldom fill three quarters of the combinations once each).
_FILLED, _MIN_FILLED_ROWS = 0.75, 12
#: Rows without a value that can be sums of the others, at most (a choice: totals of up to three columns).
_MAX_TOTALS = 3
#: Characters of a count that is written as text, on average (a choice: 999,999,999 and a mark).
_MAX_COUNT_LENGTH = 12
_TABLE = "counted_records"


def find_count_column(source: Source, overrides: RoleOverrides) -> Column | None:
    """Return the column that merged overrides declare to count people, or None.

    Raises:
        UsageError: If several are declared, or one together with a user column or ``no_persons``.
    """
    named = {source.column(name).position: name for name, role in overrides.roles if role == "count"}
    users = [name for name, role in overrides.roles if role == "user"]
    user = overrides.user or next(iter(users), None)
    if len(named) > 1:
        raise UsageError("roles.several_count_columns", names=" --count ".join(named.values()))
    if named and user:
        raise UsageError("roles.count_and_user", count=next(iter(named.values())), user=user)
    if overrides.no_persons and (named or user):
        raise UsageError("roles.user_without_persons", column=next(iter(named.values()), user))
    return source.columns[next(iter(named))] if named else None


def refuse_counts(session: Session, source: Source, column: Column | None) -> NoReturn:
    """Raise UsageError for a table of counts, or of no persons, outside of ``assess``.

    If all counts are known, the error has the query that makes each person a record.
    """
    if session.engine is not None:
        raise UsageError(
            "engines.feature_not_offered", what="--count" if column is not None else "--no-persons"
        )
    if column is None:
        raise UsageError("roles.no_persons_only_assessed")
    counted = keep_people_rows(session, source, column)
    if counted.hidden_cells or counted.total_rows:
        raise UsageError(
            "roles.hidden_counts_only_assessed",
            column=column.name,
            hidden=counted.hidden_cells,
            totals=counted.total_rows,
        )
    query = shlex.quote(str(render("people_of_counts", source=Sql("source"), column=column.name)))
    raise UsageError("roles.counts_only_assessed", column=column.name, query=query)


def keep_people_rows(session: Session, source: Source, column: Column) -> Counted:
    """Replace the assessed view by the rows with people, with whole numbers as counts.

    Raises:
        UsageError: If the column holds neither numbers nor texts.
        SourceError: If a value is no count, or if no row has people.
    """
    if not (is_number(column.type) or column.type == "VARCHAR"):
        raise UsageError("roles.count_not_numeric", column=column.name)
    arguments = {
        "source": ASSESSED,
        "column": column.binding,
        "number": _write_number(column),
        "totals": table_words.TOTALS,
        "texts": [c.binding for c in source.columns if c.type == "VARCHAR" and c is not column],
        "keys": [c.binding for c in source.columns if c is not column],
    }
    row = session.fetch_row("count_rows", **arguments, marks=table_words.MARKS)
    if row["unreadable_cells"]:
        raise SourceError("roles.counts_not_integers", column=column.name, count=row["unreadable_cells"])
    if not row["cells"]:
        raise SourceError("roles.counts_all_zero", column=column.name)
    names = [c.binding for c in source.columns]
    session.run("counted_records", **arguments, names=names)
    session.views.replace_with(_TABLE)
    source.is_in_memory, source.define_view = True, None
    source.columns[column.position] = replace(column, type="BIGINT")
    counts = ("cells", "empty_cells", "hidden_cells", "total_rows")
    return Counted(column=column.name, **{name: row[name] for name in counts}, people=row["people"])


def _write_number(column: Column) -> Sql:
    """Return the expression of a count as a number."""
    return render("count_of_text" if column.type == "VARCHAR" else "count_of_number", column=column.binding)


def with_counts(session: Session, roles: Roles, counted: Counted, column: Column) -> Roles:
    """Return roles whose records are the people of the rows."""
    others = [d for d in roles.decisions if d.column.position != column.position]
    row = session.fetch_row(
        "counted_missing",
        source=ASSESSED,
        column=column.binding,
        columns=[decision.column.binding for decision in others],
    )
    for decision, missing in zip(others, row["people"], strict=True):
        decision.present = counted.people - missing
    roles.decisions[column.position].present = counted.people
    return replace(
        roles,
        count=roles.decisions[column.position].column,
        rows=counted.cells,
        records=counted.people,
        users=counted.people,
        holdings=Holdings(counted=counted),
    )


def recognize_holdings(
    session: Session,
    source: Source,
    roles: Roles,
    profiles: Sequence[ColumnProfile],
    overrides: RoleOverrides,
) -> Roles:
    """Return roles with guesses at what a row is, unless a person declared it."""
    if overrides.no_persons:
        described = table_words.find_personal(d.column.name for d in roles.decisions)
        return replace(roles, holdings=Holdings(no_persons=True, persons=tuple(described)))
    if session.engine is not None:
        return roles
    is_declared = overrides.user is not None or any(d.given and d.role == "user" for d in roles.decisions)
    like = None if is_declared else _find_like_counts(session, roles, profiles)
    lacks = like is None and not is_declared and roles.user is None and _lacks_persons(roles)
    totals = _find_totals(session, source, roles, like)
    holdings = Holdings(like_counts=like, totals=totals, may_lack_persons=lacks)
    sure = "guess" if holdings.is_doubtful else roles.user_confidence
    return replace(roles, holdings=holdings, user_confidence=sure)


def _lacks_persons(roles: Roles) -> bool:
    """Return whether no value or name in a table without a user column is of persons."""
    names = [decision.column.name for decision in roles.decisions]
    return not (
        roles.content.kinds() or table_words.is_uninformative(names) or table_words.find_personal(names)
    )


def _find_like_counts(session: Session, roles: Roles, profiles: Sequence[ColumnProfile]) -> LikeCounts | None:
    """Return the column that looks like counts of people, or None."""
    varying = [profile for profile in profiles if profile.present and not profile.is_constant]
    records = roles.records
    if not 2 <= len(varying) <= _MAX_COLUMNS or records < _MIN_ROWS:
        return None
    able = [profile for profile in varying if _can_count(profile)]
    named = [profile for profile in able if table_words.is_count(profile.column.name)]
    for profile in named[:1] or [profile for profile in able if profile is varying[-1]]:
        others = [other for other in varying if other is not profile and other not in named]
        if roles.user is not None and roles.user.position != profile.column.position:
            return None
        if not others or not all(_is_coarse(other, records, len(others)) for other in others):
            return None
        combinations = math.prod(min(other.distinct, records) for other in others)
        # Distinct values are estimated: four can be reported as three.
        if math.prod(min(other.distinct + 1, records) for other in others) < 0.8 * records:
            return None
        filled = len(others) > 1 and records >= max(_MIN_FILLED_ROWS, _FILLED * combinations)
        if not named and (not filled or words.is_measure(profile.column.name) or profile.distinct < 4):
            return None
        row = session.fetch_row(
            "unique_cells",
            source=session.views.select_columns(profile.column.binding, *(o.column.binding for o in others)),
            column=profile.column.binding,
            columns=[other.column.binding for other in others],
            small=SMALL,
            number=_write_number(profile.column),
            marks=table_words.MARKS,
        )
        counts = not row["unreadable_cells"] and row["readable_cells"] >= 0.5 * row["cells"]
        if counts and row["combinations"] == row["cells"]:
            return LikeCounts(profile.column.name, row["cells"], row["small_cells"])
    return None


def _can_count(profile: ColumnProfile) -> bool:
    """Return whether a column can hold counts: whole numbers from 0, or texts."""
    if profile.is_text:
        return profile.mean_length <= _MAX_COUNT_LENGTH and table_words.is_count(profile.column.name)
    whole = is_integer(profile.column.type) or (is_float(profile.column.type) and not profile.fractions)
    return whole and profile.lowest is not None and profile.lowest >= 0 and (profile.highest or 0) > 1


def _is_coarse(profile: ColumnProfile, records: int, columns: int) -> bool:
    """Return whether a column can be a dimension of counts: values in several rows."""
    if profile.fractions or profile.is_long or profile.is_wordy:
        return False
    return columns == 1 or 2 * profile.distinct <= records


def _find_totals(session: Session, source: Source, roles: Roles, like: LikeCounts | None) -> Totals | None:
    """Return the rows that look like sums of the others, or None.

    Outside of tables of counts such a row lacks a value.
    """
    texts = [d for d in roles.decisions if d.column.type == "VARCHAR" and not d.is_long and d.present]
    lacking = [d for d in roles.decisions if 1 <= roles.records - d.present <= _MAX_TOTALS]
    if not texts or (not lacking and like is None):
        return None
    columns = [] if like is not None else [d.column.binding for d in lacking]
    row = session.fetch_row(
        "total_rows",
        source=session.views.select_columns(*(d.column.binding for d in texts), *columns),
        texts=[d.column.binding for d in texts],
        columns=columns,
        totals=table_words.TOTALS,
    )
    if not row["rows_found"] or (like is None and row["rows_found"] > _MAX_TOTALS):
        return None
    return Totals(row["rows_found"], row["first_row"] + source.header_lines, source.header_lines > 0)
