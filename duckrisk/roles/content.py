"""Search for identifiers in the values of columns, by shape and check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, Sql, render
from duckrisk.engine.types import has_date, is_nested
from duckrisk.roles import headings
from duckrisk.roles.model import ColumnProfile
from duckrisk.roles.results import ColumnNotExamined, Content, IdentifierFound, is_shared

_WHOLE = re.compile(r"U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)")
#: Columns and distinct values of a statement at most; a column with more values is sampled (a choice: bounds
#: the memory of a statement).
GROUP, MOST_VALUES = 32, 2_000_000
#: Values of a statement at most, if few records allow more columns than ``GROUP`` (a choice: bounds its
#: memory).
FEW_CELLS = 200_000
#: Smallest whole number with enough digits for a kind (derived from My Number, which has 12 digits).
_FEWEST_DIGITS = 1e11
#: Characters of a field with its name, by which values in fields are estimated (a choice: a short name and
#: short text).
_FIELD = 16
#: Characters of a long text that are searched (a choice: bounds the time of a value).
_LONGEST = 4096


def scan(session: Session, columns: Sequence[ColumnProfile], tokens: Sequence[str] = ()) -> Content:
    """Search columns for every kind of identifier.

    Args:
        session: The session that has the table.
        columns: The profiles of its columns.
        tokens: Texts that mean a missing value.

    Returns:
        The kinds with valid values, the likely ones first. ``likely`` is false if chance explains as many.
    """
    if session.engine is not None:
        return unexamined(columns)
    present = [profile for profile in columns if profile.present]
    examined = [profile for profile in present if profile.is_searched]
    nested = [profile for profile in present if profile.is_opaque and is_nested(profile.column.type)]
    identifiers: list[IdentifierFound] = []
    searched = [profile for profile in (*examined, *nested) if not _has_few_digits(profile)]
    for relation, batch in _batches(session, searched):
        rows = session.run(
            "direct_identifiers",
            source=relation,
            columns=[profile.column.binding for profile in batch],
            missing_tokens=list(tokens),
            named=[
                f"{position} {kind}"
                for position, profile in enumerate(batch)
                for kind in headings.list_confirmed_kinds(profile.column.name)
            ],
        )
        identifiers += [
            _make_identifier(profile, row)
            for row in rows
            if row["valid_cells"] and not _is_version(profile := batch[row.pop("position")], row["kind"])
        ]
    not_examined: list[ColumnNotExamined] = []
    for profile in present:
        if profile.is_opaque:  # nothing says what it holds besides the kinds
            not_examined.append(ColumnNotExamined(profile.column.name, "type"))
        elif profile.is_searched and _sampling_interval(profile) > 1:
            not_examined.append(ColumnNotExamined(profile.column.name, "values"))
    return Content(
        examined=len(examined),
        not_examined=tuple(not_examined),
        found=tuple(sorted(identifiers, key=lambda entry: (not entry.likely, -entry.valid_cells))),
    )


def unexamined(columns: Sequence[ColumnProfile]) -> Content:
    """Return the content for a distributed engine, whose values are not searched."""
    present = [profile.column.name for profile in columns if profile.present]
    return Content(0, not_examined=tuple(ColumnNotExamined(name, "engine") for name in present), found=())


def _holds_several(profile: ColumnProfile) -> bool:
    """Return whether values are taken apart, as lists and JSON are."""
    kind = profile.column.type
    return is_nested(kind) or kind == "VARIANT" or (profile.is_opaque and profile.is_searched)


def _has_few_digits(profile: ColumnProfile) -> bool:
    """Return whether a column holds whole numbers that are too short for any kind."""
    whole = _WHOLE.fullmatch(profile.column.type) is not None
    if not whole or profile.lowest is None or profile.highest is None:
        return False
    return max(-profile.lowest, profile.highest) < _FEWEST_DIGITS


def _batches(session: Session, columns: Sequence[ColumnProfile]) -> Iterator[tuple[Sql, list[ColumnProfile]]]:
    """Yield the relation and the columns of each statement."""
    batch: list[ColumnProfile] = []
    values = 0
    most = max(GROUP, FEW_CELLS // columns[0].records) if columns else 0
    for profile in columns:
        interval = _sampling_interval(profile)
        if interval > 1 or _holds_several(profile):
            yield _select_cells(session, profile, interval), [profile]
            continue
        if batch and (len(batch) == most or values + profile.distinct > MOST_VALUES):
            yield _select_searched(session, batch), batch
            batch, values = [], 0
        batch.append(profile)
        values += profile.distinct
    if batch:
        yield _select_searched(session, batch), batch


def _sampling_interval(profile: ColumnProfile) -> int:
    """Return the interval of sampled values, 1 for all."""
    if has_date(profile.column.type) or _has_few_digits(profile):
        return 1  # days are few
    fields = 1 + profile.longest // _FIELD if profile.is_opaque else 1
    return max(1, -(-profile.distinct * fields // MOST_VALUES))


def _select_cells(session: Session, profile: ColumnProfile, interval: int) -> Sql:
    """Select a sample of a column's values, or what they hold, a row each."""
    relation, column = _select_searched(session, [profile]), profile.column.binding
    if interval > 1:
        relation = render("some_cells", source=relation, column=column, one_in=interval)
    return render("held_texts", source=relation, column=column) if _holds_several(profile) else relation


def _select_searched(session: Session, columns: Sequence[ColumnProfile]) -> Sql:
    """Select columns for the search: beginnings of long texts, and days of moments."""
    attributes = [
        Attribute(column, (Part(column, "prefix", _LONGEST) if profile.is_long else Part(column, "date"),))
        for profile, column in ((profile, profile.column.binding) for profile in columns)
        if has_date(profile.column.type) or (profile.is_long and profile.is_text)
    ]
    source = session.views.select_columns(*(profile.column.binding for profile in columns))
    return render("replaced", source=source, attributes=attributes) if attributes else source


def _make_identifier(profile: ColumnProfile, row: dict[str, Any]) -> IdentifierFound:
    """Make the result of a kind, and see whether many records share it."""
    shared = is_shared(row["valid_values"], row["valid_cells"])
    return IdentifierFound(column=profile.column.name, **row, shared=shared)


def _is_version(profile: ColumnProfile, kind: str) -> bool:
    """Return whether values like network addresses are versions of a program."""
    return kind == "network address" and headings.is_version(profile.column.name)
