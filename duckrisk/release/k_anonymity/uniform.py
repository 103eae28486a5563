"""Uniform recoding: one form per column, found by top-down specialisation.

Every column begins as one group, ``*``. A step cuts a part of one column in two, or takes a column with a
ladder (periods, prefixes, a hierarchy) to a finer rung. Records of classes that become too small are deleted,
up to a share (:mod:`uniform_search`). The result is a plain ``CASE`` per column.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql, identifier
from duckrisk.engine.types import has_date
from duckrisk.release.k_anonymity.model import QuasiIdentifier
from duckrisk.release.k_anonymity.tuples import MAX_SET_VALUES, Tuples, name_values
from duckrisk.release.k_anonymity.uniform_columns import (
    MAX_CATEGORY_UNITS,
    MAX_NUMBER_UNITS,
    Ladder,
    Parts,
)
from duckrisk.release.k_anonymity.uniform_forms import (
    Band,
    Form,
    Forms,
    Kind,
    find_nice_number,
    mean_of_places,
    round_outward,
    shorten_mean,
    write_number,
)
from duckrisk.release.k_anonymity.uniform_search import Search, name_units, render_part
from duckrisk.source.hierarchies import render_period_start, render_prefix

__all__ = ["Form", "Forms", "find_forms"]

#: Share of records with different values; a column with more has no useful form (fnlwgt of Adult: 0.58).
HOPELESS_SHARE = 0.5
#: Texts with more values may be codes (as the forms that `advise` proposes).
_MIN_CODES = 20
#: Longest prefix of a code (a choice: the first characters hold the class, as in ICD-10 or NACE).
_MAX_PREFIX = 6
#: Periods from coarse to fine. Weeks are no part of months, so `Ladder` has them apart.
_PERIODS = ("10years", "5years", "year", "quarter", "month", "week", "day")

_TABLES = (
    *(f"quasi_{name}" for name in ("owned", "people", "rare", "records", "sensitive", "tuples")),
    *(f"uniform_{name}" for name in ("kept", "open", "rows")),
)


def find_forms(
    session: Session,
    source: Sql,
    quasi_identifiers: Sequence[QuasiIdentifier],
    k: int,
    *,
    user: str | None = None,
    sensitive: Sequence[Attribute] = (),
    importance: Mapping[str, float] | None = None,
    keep: Sequence[str] = (),
    delete_at_most: float = 0.05,
    exponent: float = 0.5,
) -> Forms:
    """Find one form per quasi-identifier that leaves classes of k records.

    Args:
        session: The session.
        source: The records, with the column ``record``.
        quasi_identifiers: The columns.
        k: Least number of records in each class, or of people.
        user: Binding of the user column; None to count records.
        sensitive: Forms of the columns whose values no class may disclose (`disclosed_people`).
        importance: Weight of columns by name; 1 for others.
        keep: Names of the columns to cut first.
        delete_at_most: Share of the records that may be deleted.
        exponent: Of the share of the range or of the values that a value covers: 1 for NCP.

    Raises:
        UsageError: There are fewer than k records or people, or a hierarchy misses values.
    """
    count = range(len(quasi_identifiers))
    tables = [*_TABLES, *map(name_values, count), *map(name_units, count)]
    conditions = _Conditions(k, importance or {}, tuple(keep), exponent)
    try:
        tuples = Tuples(session, source, quasi_identifiers, user, sensitive)
        tuples.check_members(k)
        max_deleted = limit = math.floor(delete_at_most * tuples.records)
        while True:
            forms = _search_forms(tuples, source, quasi_identifiers, conditions, limit)
            excess = forms.deleted - max_deleted
            if excess <= 0 or not limit:
                return forms
            limit = max(0, limit - excess)  # without the deleted records other values are disclosed
            tuples.number_sensitive()
    finally:
        for table in tables:
            session.run("drop_table", table=table)


@dataclass(frozen=True)
class _Conditions:
    """What the forms have to keep, as in `find_forms`."""

    k: int
    importance: Mapping[str, float]
    keep: tuple[str, ...]
    exponent: float


def _search_forms(
    tuples: Tuples,
    source: Sql,
    quasi_identifiers: Sequence[QuasiIdentifier],
    conditions: _Conditions,
    max_deleted: int,
) -> Forms:
    """Search the forms that delete at most a number of records."""
    session = tuples.session
    types = dict(session.describe(source))
    columns: list[Parts | Ladder | None] = []
    for index, quasi in enumerate(quasi_identifiers):
        weight = float(conditions.importance.get(quasi.name, 1))
        wanted = weight, conditions.exponent, quasi.name in conditions.keep
        columns.append(_prepare_column(tuples, index, quasi, types[quasi.binding], *wanted))
    searched = [column for column in columns if column is not None]
    indices = [column.index for column in searched]
    session.run("uniform_rows", more=tuples.more, indices=indices, tables=list(map(name_units, indices)))
    search = Search(
        session,
        searched,
        records=tuples.records,
        k=conditions.k,
        people=tuples.has_people,
        forms=tuples.disclosable,
        max_deleted=max_deleted,
    )
    search.run([i for i, quasi in enumerate(quasi_identifiers) if quasi.name in conditions.keep])
    result = _Result(search, tuples)
    result.count()
    return _make_forms(result, quasi_identifiers)


def _prepare_column(
    tuples: Tuples,
    index: int,
    quasi: QuasiIdentifier,
    type_name: str,
    weight: float,
    exponent: float,
    is_kept: bool,
) -> Parts | Ladder | None:
    """Put the values of a column in order; return None if it has no useful form."""
    session, leaves = tuples.session, tuples.leaves[index]
    names = {"units": name_units(index), "codes": tuples.tables[index]}
    value = identifier("value")
    rungs: list[tuple[Kind, Any]]
    if quasi.hierarchy is not None:
        rungs = [("level", level) for level in range(quasi.height - 1, 0, -1)]
        cells = [identifier(f"label{level}") for _, level in rungs]
        session.run("uniform_labels", attribute=index, cells=cells, **names)
        return _make_ladder(tuples, index, rungs, weight, exponent)
    if has_date(type_name):
        rungs = [("moment", unit) for unit in _PERIODS if (unit, type_name) != ("day", "DATE")]
        cells = [render_period_start(value, type_name, str(unit), quasi.name) for _, unit in rungs]
        session.run("uniform_periods", attribute=index, cells=cells, **names)
        return _make_ladder(tuples, index, rungs, weight, exponent, apart=_PERIODS.index("week"))
    if leaves > HOPELESS_SHARE * tuples.records and not is_kept:
        return None
    if not quasi.numeric:
        shape = session.fetch_row("uniform_code_shape", codes=names["codes"])
        is_code = shape["is_code"] and leaves > _MIN_CODES
        if is_code or leaves > MAX_CATEGORY_UNITS:
            if type_name != "VARCHAR":
                return None
            rungs = [("prefix", length) for length in range(1, min(shape["length"] - 1, _MAX_PREFIX) + 1)]
            cells = [render_prefix(identifier("label0"), length) for _, length in rungs]
            session.run("uniform_labels", attribute=index, cells=cells, **names)
            return _make_ladder(tuples, index, rungs, weight, exponent)
    quantiles = MAX_NUMBER_UNITS if quasi.numeric else None
    session.run("uniform_units", attribute=index, quantiles=quantiles, **names)
    units = session.run("uniform_list_units", **names)
    if any(unit["low"] < 0 or unit["high"] > 1 for unit in units):  # infinite numbers and NaN have no bands
        session.run("uniform_labels", attribute=index, cells=[], **names)
        return _make_ladder(tuples, index, [], weight, exponent)
    return Parts(
        index=index,
        units=units,
        leaves=leaves,
        is_numeric=quasi.numeric,
        has_missing=sum(unit["size"] for unit in units) < leaves,
        max_set=MAX_SET_VALUES if tuples.sets[index] else 1,
        weight=weight,
        exponent=exponent,
    )


def _make_ladder(
    tuples: Tuples,
    index: int,
    rungs: Sequence[tuple[Kind, Any]],
    weight: float,
    exponent: float,
    *,
    apart: int | None = None,
) -> Ladder:
    """Return the state of a column with a ladder, whose last rung is the value itself.

    Periods have a rung apart; their losses are shares of the range.
    """
    ranged = apart is not None
    losses = tuples.session.run(
        "uniform_rung_losses",
        units=name_units(index),
        rungs=list(range(len(rungs) + 1)),
        exponent=exponent,
        ranged=ranged,
        leaves=tuples.leaves[index],
    )
    return Ladder(
        index=index,
        rungs=(*rungs, None),
        losses=[row["loss"] for row in losses],
        records=tuples.records,
        is_ranged=ranged,
        leaves=tuples.leaves[index],
        weight=weight,
        apart=apart,
    )


class _Result:
    """The remaining records of a search, and the forms of its columns."""

    def __init__(self, search: Search, tuples: Tuples) -> None:
        self.session, self.search, self.tuples = search.session, search, tuples
        #: Number of each part of a column; parts of one number are released as one.
        self.numbers = {
            column.index: list(range(len(column.ranges)))
            for column in search.columns
            if isinstance(column, Parts) and not column.is_left_out
        }
        self.rows: dict[int, dict[int, Any]] = {}

    def count(self) -> None:
        """Find the remaining records, and join parts that are released as one."""
        while True:
            self._keep_records(forms=0)
            if self.tuples.forms:
                self._leave_disclosing()
            changed = [self._join_parts(column) for column in self.search.columns]
            changed += [self._leave_out(column) for column in self.search.columns]
            if not any(changed):
                return
            self.tuples.number_sensitive()

    def _leave_disclosing(self) -> None:
        """Leave out classes that disclose a value to the people who are left."""
        before, left = self.tuples.records + 1, self._count_kept()
        while left < before:
            self.tuples.number_sensitive("uniform_kept")
            self._keep_records(self.tuples.forms)
            before, left = left, self._count_kept()

    def _count_kept(self) -> int:
        row = self.session.fetch_row("uniform_count_kept", people=self.search.people)
        return int(row["records"])

    def _keep_records(self, forms: int) -> None:
        columns = [column for column in self.search.columns if not column.is_left_out]
        self.session.run(
            "uniform_kept",
            people=self.search.people,
            k=self.search.k,
            count=forms,
            indices=[column.index for column in columns],
            tables=[name_units(column.index) for column in columns],
            parts=[self._render_part(column) for column in columns],
        )

    def _render_part(self, column: Parts | Ladder) -> Sql:
        return render_part(column, self.numbers.get(column.index), coded=True)

    def _join_parts(self, column: Parts | Ladder) -> bool:
        """Read the parts of a column, and return whether some were joined."""
        if isinstance(column, Ladder) or column.is_left_out:
            return False
        rows = self.session.run(
            "uniform_kept_parts",
            attribute=column.index,
            units=name_units(column.index),
            codes=self.tuples.tables[column.index],
            part=self._render_part(column),
            listed=not column.is_numeric,
        )
        self.rows[column.index] = by_part = {row["part"]: row for row in rows}
        before = self.numbers[column.index]
        if column.is_numeric:
            return self._join_bands(column, list(by_part.values()))
        large = [number for number, row in by_part.items() if row["size"] > column.max_set]
        self.numbers[column.index] = [min(large) if number in large else number for number in before]
        return self.numbers[column.index] != before

    def _leave_out(self, column: Parts | Ladder) -> bool:
        """Leave out a cut column if it says nothing; return whether it did."""
        if isinstance(column, Ladder) or column.is_left_out or not self._says_nothing(column):
            return False
        column.join_all()
        return column.is_left_out

    def _says_nothing(self, column: Parts) -> bool:
        """Return whether the remaining records have no value, or no two that differ."""
        # Parts of deleted records keep numbers of their own.
        is_one = len(set(self.numbers[column.index])) == 1
        return not self.rows[column.index] or (is_one and not column.has_missing and column.can_be_cut)

    def _join_bands(self, column: Parts, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Join bands without records with those below; return whether any changed.

        A band whose edge would be a number that deleted records alone have begins at its first remaining
        record. Parts without records at both ends stay outside of all bands.
        """
        if not rows:
            return False
        before, numbers, units = column.ranges, self.numbers[column.index], column.units
        ends = {number: last for number, (_, last) in zip(numbers, before, strict=True)}
        starts = [before[numbers.index(row["part"])][0] for row in rows]
        for place, row in enumerate(rows[1:], 1):
            least = units[starts[place] - 1]["least"]
            if row["least"] != least == find_nice_number(units[starts[place] - 2]["most"], least):
                starts[place] = bisect_right(units, row["least"], key=lambda unit: unit["least"])
        limits = sorted({1, *starts, ends[rows[-1]["part"]] + 1, len(units) + 1})
        column.ranges = [(low, high - 1) for low, high in pairwise(limits)]
        self.numbers[column.index] = list(range(len(column.ranges)))
        return column.ranges != before

    def make_form(self, index: int, quasi: QuasiIdentifier) -> Form:
        """Return the form of a column."""
        column = next((column for column in self.search.columns if column.index == index), None)
        if column is None:
            return Form(quasi.name, "left_out", hopeless=True)
        if column.is_left_out:
            return Form(quasi.name, "left_out")
        if isinstance(column, Ladder):
            rung = column.rungs[column.rung]
            if rung is None:
                return Form(quasi.name, "whole")
            return Form(quasi.name, rung[0], option=rung[1])
        if self._says_nothing(column):
            return Form(quasi.name, "left_out")
        rows = self.rows[index]
        if all(row["size"] == 1 for row in rows.values()):
            return Form(quasi.name, "whole")
        if not column.is_numeric:
            return Form(quasi.name, "groups", groups=tuple(tuple(row["labels"]) for row in rows.values()))
        return self._make_bands(column, quasi, list(rows.values()))

    def _make_bands(self, column: Parts, quasi: QuasiIdentifier, rows: Sequence[Mapping[str, Any]]) -> Form:
        """Return the bands of a column of numbers."""
        units, ranges = column.units, column.ranges
        numbers = self.numbers[column.index]
        ends = {number: last for number, (_, last) in zip(numbers, ranges, strict=True)}
        first, last = rows[0], rows[-1]
        below = ranges[numbers.index(first["part"])][0] - 1
        above = ends[last["part"]]
        edges = [
            round_outward(
                first["least"], first["most"] - first["least"], units[below - 1]["most"] if below else None
            )
        ]
        for row in rows[:-1]:
            end = ends[row["part"]]
            edges.append(find_nice_number(units[end - 1]["most"], units[end]["least"]))
        beyond = units[above]["least"] if above < len(units) else None
        edges.append(round_outward(last["most"], last["most"] - last["least"], beyond, up=True))
        least, most = units[0]["least"], units[-1]["most"]
        bands = []
        for row in rows:
            mean = shorten_mean(mean_of_places(row, least, most), row["least"], row["most"])
            bands.append(Band(write_number(row["least"]), write_number(row["most"]), mean))
        return Form(quasi.name, "bands", edges=tuple(map(write_number, edges)), bands=tuple(bands))

    def measure_loss(self, index: int, kept: int) -> float:
        """Return the NCP of the remaining records in a column."""
        leaves = self.tuples.leaves[index]
        column = next((column for column in self.search.columns if column.index == index), None)
        if column is None or column.is_left_out:
            return float(kept) if leaves > 1 else 0.0
        if isinstance(column, Ladder):
            return float(
                self.session.fetch_row(
                    "uniform_kept_loss",
                    attribute=index,
                    units=name_units(index),
                    codes=self.tuples.tables[index],
                    rung=column.rung,
                    ranged=column.is_ranged,
                    leaves=leaves,
                )["ncp"]
            )
        loss = 0.0
        for row in self.rows[index].values():
            share = row["high"] - row["low"] if column.is_numeric else column.share_of(row["size"])
            loss += row["n"] * share
        return loss


def _make_forms(
    result: _Result,
    quasi_identifiers: Sequence[QuasiIdentifier],
) -> Forms:
    """Return the forms that a search found, with what they leave."""
    search, tuples = result.search, result.tuples
    counted = search.session.fetch_row("uniform_count_kept", people=search.people)
    deleted = tuples.records - counted["records"]
    forms = tuple(result.make_form(index, quasi) for index, quasi in enumerate(quasi_identifiers))
    lost = sum(result.measure_loss(index, counted["records"]) + deleted for index in range(len(forms)))
    gcp = lost / (tuples.records * len(forms)) if tuples.records else 0.0
    return Forms(forms, tuples.records, deleted, counted["classes"], counted["smallest"], gcp)
