"""Identifiers that the cells of columns spell, by their shape and their check digits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, Sql, render
from duckrisk.engine.types import has_date, is_text, is_time
from duckrisk.roles import headings
from duckrisk.roles.model import Evidence
from duckrisk.roles.results import ColumnNotExamined, Content, IdentifierFound, is_shared

#: Types whose cells can spell an identifier, and those with too few digits or letters for any.
_LOOKED_AT = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|DOUBLE|DECIMAL\(\d+,0\)|UUID|INET")
_WHOLE = re.compile(r"U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)")
_TOO_SHORT = re.compile(r"FLOAT|DECIMAL\(\d+,\d+\)|BOOLEAN|INTERVAL|BIT")
#: A statement looks at so many columns at most, and at so many different values of them; of a column with
#: more only some are looked at.
GROUP, MOST_VALUES = 32, 2_000_000
#: Of few records it looks at more columns: at no more than so many cells, which it reads at once.
FEW_CELLS = 200_000
#: Whole numbers below have too few digits for any kind.
_FEWEST_DIGITS = 1e11
#: Fewer times the valid values that chance has on average can follow from how numbers were given.
BEYOND_CHANCE = 2
#: Greatest probability that chance has so many valid values: without and with a name that says the kind. A
#: table of 1,000 columns, or 1,000 tables of codes, still has none of them in 999 of 1,000 cases.
UNLIKELY, UNLIKELY_WITH_A_NAME = 1e-6, 1e-2
#: Rounding of the logarithm of such a probability.
_ROUNDING = 1e-9
#: So many characters of a cell are looked at where texts are long.
_LONGEST = 4096


def scan(session: Session, columns: Sequence[Evidence], tokens: Sequence[str] = ()) -> Content:
    """Every kind of identifier that some column has valid cells of, from the template of that name;
    ``tokens`` are texts that mean a missing cell.

    ``likely`` is false where as many valid cells are what chance brings about.
    """
    if session.engine is not None:
        return unexamined(columns)
    present = [cells for cells in columns if cells.present]
    examined = [cells for cells in present if _is_looked_at(cells.column.type)]
    found: list[IdentifierFound] = []
    for relation, some in _batches(session, [cells for cells in examined if not _has_few_digits(cells)]):
        rows = session.run(
            "direct_identifiers",
            source=relation,
            columns=[cells.column.binding for cells in some],
            missing_tokens=list(tokens),
        )
        found += [
            _found(cells, row)
            for row in rows
            if row["valid_cells"] and not _is_version(cells := some[row.pop("position")], row["kind"])
        ]
    not_examined: list[ColumnNotExamined] = []
    for cells in present:
        if not _is_looked_at(cells.column.type):
            if not _is_too_short(cells.column.type):
                not_examined.append(ColumnNotExamined(cells.column.name, "type"))
        elif _one_in(cells) > 1:
            not_examined.append(ColumnNotExamined(cells.column.name, "values"))
    return Content(
        examined=len(examined),
        not_examined=tuple(not_examined),
        found=tuple(sorted(found, key=lambda entry: (not entry.likely, -entry.valid_cells))),
    )


def unexamined(columns: Sequence[Evidence]) -> Content:
    """The content where a distributed engine holds the cells: they stay there, and no kind is looked for."""
    present = [cells.column.name for cells in columns if cells.present]
    return Content(0, not_examined=tuple(ColumnNotExamined(name, "engine") for name in present), found=())


def _is_looked_at(type_name: str) -> bool:
    return is_text(type_name) or has_date(type_name) or _LOOKED_AT.fullmatch(type_name) is not None


def _is_too_short(type_name: str) -> bool:
    return is_time(type_name) or _TOO_SHORT.fullmatch(type_name) is not None


def _has_few_digits(cells: Evidence) -> bool:
    """Whether a column holds whole numbers that spell nothing."""
    whole = _WHOLE.fullmatch(cells.column.type) is not None
    if not whole or cells.lowest is None or cells.highest is None:
        return False
    return max(-cells.lowest, cells.highest) < _FEWEST_DIGITS


def _batches(session: Session, columns: Sequence[Evidence]) -> Iterator[tuple[Sql, list[Evidence]]]:
    """The columns that one statement looks at each, and the relation that they are looked at in."""
    together: list[Evidence] = []
    values = 0
    most = max(GROUP, FEW_CELLS // columns[0].records) if columns else 0
    for cells in columns:
        if (one_in := _one_in(cells)) > 1:
            yield (
                render(
                    "some_cells", source=_read(session, [cells]), column=cells.column.binding, one_in=one_in
                ),
                [cells],
            )
            continue
        if together and (len(together) == most or values + cells.distinct > MOST_VALUES):
            yield _read(session, together), together
            together, values = [], 0
        together.append(cells)
        values += cells.distinct
    if together:
        yield _read(session, together), together


def _one_in(cells: Evidence) -> int:
    """Of how many values of a column about one is looked at; of moments the days are, which are few."""
    if has_date(cells.column.type) or _has_few_digits(cells):
        return 1
    return max(1, -(-cells.distinct // MOST_VALUES))


def _read(session: Session, columns: Sequence[Evidence]) -> Sql:
    """The records with what tells an identifier of some columns: of long texts the beginnings, of moments the
    days."""
    attributes = [
        Attribute(column, (Part(column, "prefix", _LONGEST) if cells.long else Part(column, "date"),))
        for cells, column in ((cells, cells.column.binding) for cells in columns)
        if cells.long or has_date(cells.column.type)
    ]
    source = session.views.select_columns(*(cells.column.binding for cells in columns))
    return render("replaced", source=source, attributes=attributes) if attributes else source


def _found(cells: Evidence, row: dict[str, Any]) -> IdentifierFound:
    """Return what a column holds of a kind, and whether that is more than chance."""
    named = headings.has_word_of_kind(cells.column.name, row["kind"])
    likely = is_beyond_chance(
        row["shaped_values"],
        row["valid_values"],
        row["values_by_chance"],
        UNLIKELY_WITH_A_NAME if named else UNLIKELY,
    )
    shared = is_shared(row["valid_values"], row["valid_cells"])
    return IdentifierFound(column=cells.column.name, **row, likely=likely, shared=shared)


def _is_version(cells: Evidence, kind: str) -> bool:
    """Return whether what looks like network addresses are the versions of a program."""
    return kind == "network address" and headings.is_version(cells.column.name)


def is_beyond_chance(shaped: int, valid: int, by_chance: float, unlikely: float = UNLIKELY) -> bool:
    """Return whether more values have right check digits than chance brings about.

    Args:
        shaped: The values that have the shape of a kind.
        valid: Those of them whose check digits are right.
        by_chance: The mean number of valid values among arbitrary ones; ``shaped`` without check digits.
        unlikely: The greatest probability that chance has as many.

    Returns:
        Whether Hoeffding's bound (1963, theorem 1) on the probability of as many valid values is at most
        ``unlikely``, and there are at least twice the mean. With all values valid the bound is exact.
    """
    if by_chance >= shaped:
        return valid > 0
    if valid < BEYOND_CHANCE * by_chance:
        return False
    wrong = shaped - valid
    divergence = valid * math.log(valid / by_chance)
    divergence += wrong * math.log(wrong / (shaped - by_chance)) if wrong else 0.0
    return divergence >= -math.log(unlikely) - _ROUNDING
