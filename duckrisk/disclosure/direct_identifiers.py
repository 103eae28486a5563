"""Direct identifiers, found in the content of columns by their shape and their check digits."""

from __future__ import annotations

import re
from typing import Any

from duckrisk.disclosure.options import Options
from duckrisk.roles import Decision, Roles
from duckrisk.session import Session
from duckrisk.source import VIEW, Source
from duckrisk.templates import Attribute, Part, Sql, render

#: Types whose cells can spell an identifier; a number of fewer bits has too few digits for any.
_LOOKED_AT = re.compile(r"VARCHAR|U?BIGINT|U?HUGEINT|DECIMAL\(\d+,0\)|DATE|TIMESTAMP.*|UUID|ENUM.*|INET")
#: With more valid cells than so many times those by chance, they are no chance.
BEYOND_CHANCE = 3
#: So many characters of a cell are looked at where texts are long.
_LONGEST = 4096

#: HIPAA's identifiers in its order: the kinds that are found by content, the words of reasons by name.
_HIPAA: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("names", (), ("a person's name",)),
    ("areas smaller than a state", ("postal code",), ("an address",)),
    ("dates other than the year, ages above 89", ("full date",), ()),
    ("telephone numbers", ("telephone number",), ("a telephone number",)),
    ("fax numbers", ("telephone number",), ("a telephone number",)),
    ("e-mail addresses", ("e-mail address",), ("an e-mail address",)),
    ("social security numbers", ("US social security number", "My Number"), ("an official number",)),
    ("medical record numbers", (), ()),
    ("health plan numbers", (), ()),
    ("account numbers", ("payment card number", "bank account (IBAN)"), ()),
    ("certificate and license numbers", (), ("an official number",)),
    ("vehicle identifiers", ("vehicle identification number",), ()),
    ("device identifiers", ("device address (MAC)", "device number (IMEI)"), ("a network address",)),
    ("web addresses", ("web address",), ()),
    ("network addresses", ("network address",), ("a network address",)),
    ("biometric identifiers", (), ()),
    ("full-face photographs", (), ()),
    ("other unique numbers or codes", (), ()),
)


def measure(
    session: Session, source: Source, found: Roles, options: Options, *, show_values: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """The section ``direct_identifiers`` of a report, and notes: every kind that some column has valid cells
    of, from the template of that name, and HIPAA's list with the columns under each item.

    ``likely`` is false where as many valid cells are what chance brings about.
    """
    entries: list[dict[str, Any]] = []
    examined = [one for one in found.decisions if one.present and _LOOKED_AT.fullmatch(one.column.type)]
    for one in examined:
        for row in session.run(
            "direct_identifiers",
            source=_beginnings(one) if one.long else VIEW,
            column=one.column.binding,
            missing_tokens=list(options.missing_tokens),
        ):
            if row["valid_cells"]:
                checked = row["by_chance"] < row["shaped_cells"]
                likely = not checked or row["valid_cells"] > BEYOND_CHANCE * row["by_chance"]
                entries.append({"column": one.column.name, **row, "likely": likely})
    entries.sort(key=lambda entry: (not entry["likely"], -entry["valid_cells"]))
    return {
        "columns_examined": len(examined),
        "found": entries,
        "hipaa": [
            {
                "item": place,
                "identifier": identifier,
                "by_content": list(kinds),
                "columns": _columns(found.decisions, entries, identifier, kinds, reasons),
            }
            for place, (identifier, kinds, reasons) in enumerate(_HIPAA, 1)
        ],
    }, []


def _beginnings(one: Decision) -> Sql:
    """The records with the beginnings of long texts, which hold all that tells an identifier."""
    beginning = Part(one.column.binding, "prefix", _LONGEST)
    return render("replaced", source=VIEW, attributes=[Attribute(one.column.binding, (beginning,))])


def _columns(
    decisions: list[Decision],
    entries: list[dict[str, Any]],
    identifier: str,
    kinds: tuple[str, ...],
    reasons: tuple[str, ...],
) -> list[str]:
    """The columns that hold an identifier of the list: by content, by name, or because they are unique."""
    by_content = {entry["column"] for entry in entries if entry["likely"] and entry["kind"] in kinds}
    unique = identifier.startswith("other unique")
    by_role = {
        one.column.name
        for one in decisions
        if (one.role == "date_time" and identifier.startswith("dates"))
        or (one.role == "direct_identifier" and (unique or any(reason in one.reason for reason in reasons)))
    }
    return [one.column.name for one in decisions if one.column.name in by_content | by_role]
