"""Direct identifiers, found in the content of columns by their shape and their check digits."""

from __future__ import annotations

import re
from typing import Any

from duckrisk.disclosure.results import (
    ColumnNotExamined,
    DirectIdentifiers,
    HipaaItem,
    IdentifierFound,
    kind_said,
)
from duckrisk.engine_types import is_clock, is_moment, is_text
from duckrisk.options.disclosure import Options
from duckrisk.roles import Decision, Roles
from duckrisk.sentences import Data, Sentence, joined, listed, say
from duckrisk.session import Session
from duckrisk.source import VIEW, Source
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

#: HIPAA's identifiers in its order: the kinds that are found by content, the kinds that names say.
_HIPAA: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ("person",)),  # names
    (("postal code",), ("address",)),  # areas smaller than a state
    (("full date",), ()),  # dates other than the year, ages above 89
    (("telephone number",), ("telephone",)),  # telephone numbers
    (("telephone number",), ("telephone",)),  # fax numbers
    (("e-mail address",), ("email",)),  # e-mail addresses
    (("US social security number", "My Number"), ("official",)),  # social security numbers
    ((), ()),  # medical record numbers
    ((), ()),  # health plan numbers
    (("payment card number", "bank account (IBAN)"), ()),  # account numbers
    ((), ("official",)),  # certificate and license numbers
    (("vehicle identification number",), ()),  # vehicle identifiers
    (("device address (MAC)", "device number (IMEI)"), ("network",)),  # device identifiers
    (("web address",), ()),  # web addresses
    (("network address",), ("network",)),  # network addresses
    ((), ()),  # biometric identifiers
    ((), ()),  # full-face photographs
    ((), ()),  # other unique numbers or codes
)
#: The places of dates, and of whatever else is unique.
_DATES, _OTHERS = 3, 18


def measure(
    session: Session, source: Source, found: Roles, options: Options, *, show_values: bool = False
) -> tuple[DirectIdentifiers, list[Sentence]]:
    """Direct identifiers, and notes: every kind that some column has valid cells
    of, from the template of that name, and HIPAA's list with the columns under each item.

    ``likely`` is false where as many valid cells are what chance brings about.
    """
    scan = _Scan(session, found.records, list(options.missing_tokens))
    present = [one for one in found.decisions if one.present]
    examined = [one for one in present if _is_looked_at(one.column.type)]
    scan.look_at(examined)
    entries = sorted(scan.entries, key=lambda entry: (not entry.likely, -entry.valid_cells))
    others = [one for one in present if one not in examined and not _is_too_short(one.column.type)]
    left = [(one.column.position, ColumnNotExamined(one.column.name, "type")) for one in others]
    left += [(one.column.position, ColumnNotExamined(one.column.name, "columns")) for one in scan.left]
    left += [(one.column.position, ColumnNotExamined(one.column.name, "values")) for one in scan.in_part]
    section = DirectIdentifiers(
        columns_examined=len(examined) - len(scan.left),
        not_examined=tuple(one for _, one in sorted(left, key=lambda pair: pair[0])),
        found=tuple(entries),
        hipaa=tuple(
            HipaaItem(
                place, say(f"disclosure.hipaa.{place}"), kinds, _columns(found.decisions, entries, place)
            )
            for place, (kinds, _) in enumerate(_HIPAA, 1)
        ),
    )
    return section, _notes(found, section)


def _is_looked_at(kind: str) -> bool:
    return is_text(kind) or is_moment(kind) or _LOOKED_AT.fullmatch(kind) is not None


def _is_too_short(kind: str) -> bool:
    return is_clock(kind) or _TOO_SHORT.fullmatch(kind) is not None


class _Scan:
    """The scan of the columns: ``entries`` are what they hold, ``left`` those that were not looked at one by
    one, though something was found in their group, and ``in_part`` those of which some values were."""

    def __init__(self, session: Session, records: int, tokens: list[str]) -> None:
        self.session, self.records, self.tokens = session, records, tokens
        self.entries: list[IdentifierFound] = []
        self.left: list[Decision] = []
        self.in_part: list[Decision] = []
        self.alone = 0

    def look_at(self, columns: list[Decision]) -> None:
        self.in_part = [one for one in columns if one.distinct > MOST_VALUES]
        alone = [one for one in columns if one.long or is_moment(one.column.type)]
        others = [one for one in columns if one not in alone]
        for start in range(0, len(others), GROUP):
            self._group(others[start : start + GROUP])
        for one in alone:
            self._one(one)

    def _group(self, columns: list[Decision]) -> None:
        """Look at columns together, and at halves of them only where some cell is valid."""
        if len(columns) == 1:
            self._one(columns[0])
            return
        together = render(
            "different_cells",
            source=VIEW,
            columns=[one.column.binding for one in columns],
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
                    self.left += half

    def _one(self, one: Decision) -> None:
        if self.alone == MOST_ALONE:
            self.left.append(one)
            return
        self.alone += 1
        column, one_in = one.column.binding, _one_in(one)
        source = _beginnings(one) if one.long else VIEW
        some = source if one_in == 1 else render("some_cells", source=source, column=column, one_in=one_in)
        for row in self._run(some, column):
            if row["valid_cells"]:
                checked = row["by_chance"] < row["shaped_cells"]
                likely = not checked or row["valid_cells"] > BEYOND_CHANCE * row["by_chance"]
                self.entries.append(IdentifierFound(column=one.column.name, **row, likely=likely))

    def _run(self, relation: str, column: str) -> list[dict[str, Any]]:
        return self.session.run(
            "direct_identifiers", source=relation, column=column, missing_tokens=self.tokens
        )


def _one_in(one: Decision) -> int:
    """Of how many values of a column about one is looked at."""
    return max(1, -(-one.distinct // MOST_VALUES))


def _notes(found: Roles, section: DirectIdentifiers) -> list[Sentence]:
    """What a person has to know of the scan."""
    taken = {d.column.name for d in found.decisions if d.role in ("user", "direct_identifier", "ignored")}
    notes: list[Sentence] = [
        say("disclosure.note.by_content", column=Data(column), kinds=joined(map(kind_said, kinds)))
        for column, kinds in section.kinds().items()
        if column not in taken
    ]
    for reason in ("type", "columns", "values"):
        names = [entry.column for entry in section.not_examined if entry.reason == reason]
        if names:
            notes.append(say(f"disclosure.note.not_examined_{reason}", names=listed(names, most=5)))
    return notes


def _beginnings(one: Decision) -> Sql:
    """The records with the beginnings of long texts, which hold all that tells an identifier."""
    beginning = Part(one.column.binding, "prefix", _LONGEST)
    return render("replaced", source=VIEW, attributes=[Attribute(one.column.binding, (beginning,))])


def _columns(decisions: list[Decision], entries: list[IdentifierFound], item: int) -> tuple[str, ...]:
    """The columns that hold an identifier of the list: by content, by name, or because they are unique."""
    kinds, named = _HIPAA[item - 1]
    by_content = {entry.column for entry in entries if entry.likely and entry.kind in kinds}
    by_role = {
        one.column.name
        for one in decisions
        if (one.role == "date_time" and item == _DATES)
        or (one.role == "direct_identifier" and (item == _OTHERS or one.kind in named))
    }
    return tuple(one.column.name for one in decisions if one.column.name in by_content | by_role)
