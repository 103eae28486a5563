"""Identifiers that the cells of columns spell, by their shape and their check digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from duckrisk.engine_types import is_clock, is_moment, is_text
from duckrisk.roles.model import Evidence
from duckrisk.roles.results import ColumnNotExamined, Content, IdentifierFound
from duckrisk.session import Session
from duckrisk.source import VIEW
from duckrisk.templates import Attribute, Part, Sql, render

#: Types whose cells can spell an identifier, and those with too few digits or letters for any.
_LOOKED_AT = re.compile(r"U?BIGINT|U?HUGEINT|BIGNUM|DOUBLE|DECIMAL\(\d+,0\)|UUID|INET")
_TOO_SHORT = re.compile(r"U?(TINYINT|SMALLINT|INTEGER)|FLOAT|DECIMAL\(\d+,\d+\)|BOOLEAN|INTERVAL|BIT")
#: So many columns are looked at one by one: those of a group in which nothing is found are done with at once.
MOST_ALONE = 48
GROUP = 32
#: A group of no more cells is read at once, not column by column.
FEW_CELLS = 200_000
#: Of a column of more different values than these, only some are looked at.
MOST_VALUES = 2_000_000
#: With more valid cells than so many times those by chance, they are no chance.
BEYOND_CHANCE = 3
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
    search = _Scan(session, max((cells.records for cells in columns), default=0), list(tokens))
    search.look_at(examined)
    types = [(cells.column.name, cells.column.type) for cells in present]
    not_examined = [
        ColumnNotExamined(name, "type")
        for name, type_name in types
        if not _is_looked_at(type_name) and not _is_too_short(type_name)
    ]
    not_examined += [ColumnNotExamined(cells.column.name, "columns") for cells in search.unexamined]
    not_examined += [ColumnNotExamined(cells.column.name, "values") for cells in search.in_part]
    names = [cells.column.name for cells in columns]
    return Content(
        examined=len(examined) - len(search.unexamined),
        not_examined=tuple(sorted(not_examined, key=lambda entry: names.index(entry.column))),
        found=tuple(sorted(search.entries, key=lambda entry: (not entry.likely, -entry.valid_cells))),
    )


def unexamined(columns: Sequence[Evidence]) -> Content:
    """The content where a distributed engine holds the cells: they stay there, and no kind is looked for."""
    present = [cells.column.name for cells in columns if cells.present]
    return Content(0, not_examined=tuple(ColumnNotExamined(name, "engine") for name in present), found=())


def _is_looked_at(type_name: str) -> bool:
    return is_text(type_name) or is_moment(type_name) or _LOOKED_AT.fullmatch(type_name) is not None


def _is_too_short(type_name: str) -> bool:
    return is_clock(type_name) or _TOO_SHORT.fullmatch(type_name) is not None


class _Scan:
    """The scan of the columns: ``entries`` are what they hold, ``unexamined`` those that were not looked at
    one by one, though something was found in their group, and ``in_part`` those of which some values were."""

    def __init__(self, session: Session, records: int, tokens: list[str]) -> None:
        self.session, self.records, self.tokens = session, records, tokens
        self.entries: list[IdentifierFound] = []
        self.unexamined: list[Evidence] = []
        self.in_part: list[Evidence] = []
        self.alone = 0

    def look_at(self, columns: list[Evidence]) -> None:
        self.in_part = [cells for cells in columns if cells.distinct > MOST_VALUES]
        alone = [cells for cells in columns if cells.long or is_moment(cells.column.type)]
        others = [cells for cells in columns if cells not in alone]
        for start in range(0, len(others), GROUP):
            self._group(others[start : start + GROUP])
        for cells in alone:
            self._column(cells)

    def _group(self, columns: list[Evidence]) -> None:
        """Look at columns together, and at halves of them only where some cell is valid."""
        if len(columns) == 1:
            self._column(columns[0])
            return
        together = render(
            "different_cells",
            source=VIEW,
            columns=[cells.column.binding for cells in columns],
            one_in=max(map(_one_in, columns)),
            at_once=int(self.records * len(columns) <= FEW_CELLS),
        )
        rows = self._run(together, "cell")
        if any(row["valid_cells"] for row in rows):
            middle = len(columns) // 2
            for half in (columns[:middle], columns[middle:]):
                if self.alone < MOST_ALONE:
                    self._group(half)
                else:
                    self.unexamined += half

    def _column(self, cells: Evidence) -> None:
        if self.alone == MOST_ALONE:
            self.unexamined.append(cells)
            return
        self.alone += 1
        column, one_in = cells.column.binding, _one_in(cells)
        source = _beginnings(cells) if cells.long else VIEW
        some = source if one_in == 1 else render("some_cells", source=source, column=column, one_in=one_in)
        for row in self._run(some, column):
            if row["valid_cells"]:
                checked = row["by_chance"] < row["shaped_cells"]
                likely = not checked or row["valid_cells"] > BEYOND_CHANCE * row["by_chance"]
                self.entries.append(IdentifierFound(column=cells.column.name, **row, likely=likely))

    def _run(self, relation: str, column: str) -> list[dict[str, Any]]:
        return self.session.run(
            "direct_identifiers", source=relation, column=column, missing_tokens=self.tokens
        )


def _one_in(cells: Evidence) -> int:
    """Of how many values of a column about one is looked at."""
    return max(1, -(-cells.distinct // MOST_VALUES))


def _beginnings(cells: Evidence) -> Sql:
    """The records with the beginnings of long texts, which hold all that tells an identifier."""
    beginning = Part(cells.column.binding, "prefix", _LONGEST)
    return render("replaced", source=VIEW, attributes=[Attribute(cells.column.binding, (beginning,))])
