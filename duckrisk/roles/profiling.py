"""Profiles of columns: one pass over all records, and the shapes of their first values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.types import is_scalar
from duckrisk.engine.views import BLOCK_COLUMNS
from duckrisk.roles.classification import can_hold_names, must_sample
from duckrisk.roles.dependencies import split_batches
from duckrisk.roles.model import ColumnProfile
from duckrisk.roles.results import Content
from duckrisk.source import Column, Source
from duckrisk.source.long_values import LONG_TEXT, group_bindings

#: Values; a wide source with no more is held in memory (a choice: 16 MB of numbers of 64 bits).
MAX_HELD_VALUES = 2_000_000
#: Values of a column whose shapes are examined (a choice: a share of them has a standard error below 1.6 %).
_SAMPLE_SIZE = 1_000
#: Values of a column without a heading for names, and number of such columns (a choice: names by their shape
#: alone are a guess in any case, so a smaller sample will do).
_SAMPLE_OF_NAMES, _MAX_UNNAMED_COLUMNS = 200, 32
_SHAPES = ("digits", "numbers", "days", "measures", "full_names", "unparted_names", "blanks", "coarse")


def profile_columns(session: Session, source: Source) -> list[ColumnProfile]:
    """Profile each column over all records, and replace long texts by digests then."""
    profiles: list[ColumnProfile] = []
    large: list[int] = []
    for batch in split_batches(source.columns):
        columns = [column.binding for column in batch]
        relation = session.views.select_columns(*columns)
        rows = session.run("profile", source=relation, columns=columns, **group_bindings(batch))
        for column, row in zip(batch, rows, strict=True):
            profiles.append(_make_profile(column, row))
            text_moments = column.type == "VARCHAR" and 0 < profiles[-1].present == profiles[-1].moments
            if profiles[-1].longest > LONG_TEXT and not text_moments:
                large.append(column.position)
    source.use_digests(large)
    return profiles


def _make_profile(column: Column, row: dict[str, Any]) -> ColumnProfile:
    return ColumnProfile(
        column,
        row["records"],
        row["present"],
        min(row["distinct_values"], row["present"]),
        row["constant"],
        row["mean_length"] or 0.0,
        row["longest"] or 0,
        row["with_blanks"],
        row["moments"],
        row["with_at"],
        row["with_fields"],
        row["lowest"],
        row["highest"],
        row["fractions"],
    )


def with_shapes(session: Session, profiles: list[ColumnProfile]) -> list[ColumnProfile]:
    """Add the shapes of the first values to profiles whose role depends on them."""
    rows_by_position: dict[int, dict[str, Any]] = {}
    sampled = [profile for profile in profiles if must_sample(profile)]
    unnamed = [profile for profile in profiles if can_hold_names(profile) and not must_sample(profile)]
    groups: list[tuple[list[ColumnProfile], int, int | None]] = [
        *((batch, _SAMPLE_SIZE, 2 * _SAMPLE_SIZE) for batch in split_batches(sampled)),
        *(
            (batch, _SAMPLE_OF_NAMES, 2 * _SAMPLE_OF_NAMES)
            for batch in split_batches(unnamed[:_MAX_UNNAMED_COLUMNS])
        ),
    ]
    for batch, size, records in groups:
        columns = [profile.column.binding for profile in batch]
        relation = session.views.select_columns(*columns)
        rows = session.run(
            "cell_shapes", source=relation, columns=columns, sample_size=size, first_records=records
        )
        pairs = list(zip(batch, rows, strict=True))
        rows_by_position |= {profile.column.position: row for profile, row in pairs if row["cells"]}
        # If many values are missing, the first records hold too few others.
        short = [profile for profile, row in pairs if row["cells"] < min(size, profile.present)]
        if short and records is not None:
            groups.append((short, size, None))
    completed = []
    for profile in profiles:
        row = rows_by_position.get(profile.column.position)
        if row is not None:
            shares = {name: row[name] / row["cells"] for name in _SHAPES}
            profile = replace(profile, is_sampled=True, **shares)
        completed.append(profile)
    return completed


def with_kinds(profiles: list[ColumnProfile], content: Content) -> list[ColumnProfile]:
    """Add the share of each kind of identifier in the values of a column."""
    kinds: dict[str, list[tuple[str, float]]] = {}
    for entry in content.found:
        if entry.likely and entry.present_cells:
            share = entry.valid_cells / entry.present_cells
            kinds.setdefault(entry.column, []).append((entry.kind, share))
    return [replace(profile, kinds=tuple(kinds.get(profile.column.name, ()))) for profile in profiles]


def hold_if_wide(session: Session, profiles: list[ColumnProfile], records: int) -> bool:
    """Hold a wide and small source in memory.

    To bind hundreds of columns of a file takes longer than most statements on one of them.

    Returns:
        Whether the source is held.
    """
    small = len(profiles) * records <= MAX_HELD_VALUES and not any(
        profile.is_long or not is_scalar(profile.column.type) for profile in profiles
    )
    wide = len(profiles) > BLOCK_COLUMNS and small
    if wide:
        session.views.materialize("held")
    return wide
