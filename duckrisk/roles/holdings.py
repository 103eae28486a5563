"""What the rows of a table stand for where it is not one person each: counts of people, things, or sums."""

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

#: People; a count below this is small (CMS cell size suppression policy: 10 or fewer are not shown).
SMALL = 11
#: Columns and rows; a table of counts has no more columns, and of fewer rows nothing can be told.
_MOST_COLUMNS, _LEAST_ROWS = 16, 4
#: Share of all combinations of values, and rows, from which on a table is one of counts without a name.
_FILLED, _FILLED_ROWS = 0.75, 12
#: Rows; more of them that lack a value are no sums of the others.
_MOST_TOTALS = 3
#: Characters of a count that is written as text, on average.
_LONGEST_COUNT = 12
_TABLE = "counted_records"


def declared_count(source: Source, overrides: RoleOverrides) -> Column | None:
    """Return the column that was declared to count people, by overrides that are merged.

    Raises UsageError for several, beside a user column, and beside ``no_persons``.
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
    """Raise UsageError for a table of counts, or of no persons, where something else than assess is asked.

    Of counts that are all known it says the query that makes each person a record.
    """
    if session.engine is not None:
        raise UsageError(
            "engines.feature_not_offered", what="--count" if column is not None else "--no-persons"
        )
    if column is None:
        raise UsageError("roles.no_persons_only_assessed")
    counted = keep_counted(session, source, column)
    if counted.hidden_cells or counted.total_rows:
        raise UsageError(
            "roles.hidden_counts_only_assessed",
            column=column.name,
            hidden=counted.hidden_cells,
            totals=counted.total_rows,
        )
    query = shlex.quote(str(render("people_of_counts", source=Sql("source"), column=column.name)))
    raise UsageError("roles.counts_only_assessed", column=column.name, query=query)


def keep_counted(session: Session, source: Source, column: Column) -> Counted:
    """Let the rows that stand for people take the place of the assessed view, their counts as whole numbers.

    Raises SourceError for a column that holds no counts, and where no row stands for anybody.
    """
    if not (is_number(column.type) or column.type == "VARCHAR"):
        raise UsageError("roles.count_not_numeric", column=column.name)
    asked = {
        "source": ASSESSED,
        "column": column.binding,
        "number": _as_number(column),
        "totals": table_words.TOTALS,
        "texts": [c.binding for c in source.columns if c.type == "VARCHAR" and c is not column],
        "keys": [c.binding for c in source.columns if c is not column],
    }
    row = session.fetch_row("count_rows", **asked, marks=table_words.MARKS)
    if row["unreadable_cells"]:
        raise SourceError("roles.counts_not_integers", column=column.name, count=row["unreadable_cells"])
    if not row["cells"]:
        raise SourceError("roles.counts_all_zero", column=column.name)
    names = [c.binding for c in source.columns]
    session.run("counted_records", **asked, names=names)
    session.views.replace_with(_TABLE)
    source.is_in_memory, source.define_view = True, None
    source.columns[column.position] = replace(column, type="BIGINT")
    kept = ("cells", "empty_cells", "hidden_cells", "total_rows")
    return Counted(column=column.name, **{name: row[name] for name in kept}, people=row["people"])


def _as_number(column: Column) -> Sql:
    """Write a count as a number."""
    return render("count_of_text" if column.type == "VARCHAR" else "count_of_number", column=column.binding)


def with_counts(session: Session, roles: Roles, counted: Counted, column: Column) -> Roles:
    """Return roles whose records are the people that rows stand for."""
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


def recognize(
    session: Session,
    source: Source,
    roles: Roles,
    profiles: Sequence[ColumnProfile],
    overrides: RoleOverrides,
) -> Roles:
    """Return roles with what the rows may stand for, where nobody said whose each is."""
    if overrides.no_persons:
        described = table_words.find_personal(d.column.name for d in roles.decisions)
        return replace(roles, holdings=Holdings(no_persons=True, persons=tuple(described)))
    if session.engine is not None:
        return roles
    said = overrides.user is not None or any(d.given and d.role == "user" for d in roles.decisions)
    like = None if said else _like_counts(session, roles, profiles)
    lacks = like is None and not said and roles.user is None and _lacks_persons(roles)
    totals = _totals(session, source, roles, like)
    holdings = Holdings(like_counts=like, totals=totals, may_lack_persons=lacks)
    sure = "guess" if holdings.is_doubtful else roles.user_confidence
    return replace(roles, holdings=holdings, user_confidence=sure)


def _lacks_persons(roles: Roles) -> bool:
    """Return whether nothing in a table without a user column speaks of persons."""
    names = [decision.column.name for decision in roles.decisions]
    return not (
        roles.content.kinds() or table_words.is_uninformative(names) or table_words.find_personal(names)
    )


def _like_counts(session: Session, roles: Roles, profiles: Sequence[ColumnProfile]) -> LikeCounts | None:
    """Return the column that looks as if it counted people, if there is one."""
    profile = [one for one in profiles if one.present and not one.constant]
    records = roles.records
    if not 2 <= len(profile) <= _MOST_COLUMNS or records < _LEAST_ROWS:
        return None
    able = [one for one in profile if _can_count(one)]
    named = [one for one in able if table_words.is_count(one.column.name)]
    for one in named[:1] or [one for one in able if one is profile[-1]]:
        others = [other for other in profile if other is not one and other not in named]
        if roles.user is not None and roles.user.position != one.column.position:
            return None
        if not others or not all(_is_coarse(other, records, len(others)) for other in others):
            return None
        combinations = math.prod(min(other.distinct, records) for other in others)
        # Different values are estimated: of four there may be told three.
        if math.prod(min(other.distinct + 1, records) for other in others) < 0.8 * records:
            return None
        filled = len(others) > 1 and records >= max(_FILLED_ROWS, _FILLED * combinations)
        if not named and (not filled or words.is_measure(one.column.name) or one.distinct < 4):
            return None
        row = session.fetch_row(
            "unique_cells",
            source=session.views.select_columns(one.column.binding, *(o.column.binding for o in others)),
            column=one.column.binding,
            columns=[other.column.binding for other in others],
            small=SMALL,
            number=_as_number(one.column),
            marks=table_words.MARKS,
        )
        counts = not row["unreadable_cells"] and row["readable_cells"] >= 0.5 * row["cells"]
        if counts and row["combinations"] == row["cells"]:
            return LikeCounts(one.column.name, row["cells"], row["small_cells"])
    return None


def _can_count(profile: ColumnProfile) -> bool:
    """Return whether a column can hold counts: whole numbers of 0 or more, or texts that may hide some."""
    if profile.text:
        return profile.mean_length <= _LONGEST_COUNT and table_words.is_count(profile.column.name)
    whole = is_integer(profile.column.type) or (is_float(profile.column.type) and not profile.fractions)
    return whole and profile.lowest is not None and profile.lowest >= 0 and (profile.highest or 0) > 1


def _is_coarse(profile: ColumnProfile, records: int, columns: int) -> bool:
    """Return whether a column can be a dimension of a table of counts: few values, each in several rows."""
    if profile.fractions or profile.long or profile.wordy:
        return False
    return columns == 1 or 2 * profile.distinct <= records


def _totals(session: Session, source: Source, roles: Roles, like: LikeCounts | None) -> Totals | None:
    """Return the rows that look like sums of the others: few that lack a value, in a table of counts any."""
    texts = [d for d in roles.decisions if d.column.type == "VARCHAR" and not d.long and d.present]
    lacking = [d for d in roles.decisions if 1 <= roles.records - d.present <= _MOST_TOTALS]
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
    if not row["rows_found"] or (like is None and row["rows_found"] > _MOST_TOTALS):
        return None
    return Totals(row["rows_found"], row["first_row"] + source.header_lines, source.header_lines > 0)
