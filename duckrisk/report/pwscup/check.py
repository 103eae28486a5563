"""A finished check of releases and guesses, and the forms it can take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from duckrisk.report.markdown import inline, table_lines
from duckrisk.report.pwscup.lines import plain, wrapped
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, visible

_CONSTRAINTS = {
    "encoding": "UTF-8 text",
    "byte_order_mark": "no byte order mark",
    "header": "no line of column names",
    "line_ends": "all lines end as in the original, or with LF",
    "quotes": "no quoted fields",
    "fields": "as many fields in each line as needed",
    "deleted": "deleted records have no cells left",
    "survivors": "half of the records survive",
    "pseudonym_characters": "pseudonyms of letters, digits, _ and -",
    "invoice_characters": "invoices of letters, digits, _ and -",
    "date": "dates are dates",
    "period": "each record stays in its period",
    "time": "times are times",
    "item": "all items occur in the original",
    "price": "prices are prices",
    "quantity": "quantities are numbers",
    "customer": "no pseudonym is a customer",
    "one_pseudonym": "one pseudonym a customer and period",
    "records": "as many records as the original",
    "missing": "all customers are named",
    "unknown": "no others are named",
    "repeated": "each is named once",
    "sorted": "sorted by customer",
}
_SKIPPED = {
    "form": "skipped: contest only",
    "no_column": "skipped: no column",
}
_RULES = "Supports the assessment under items of article 34 (formerly 19) of the rules"
_READING = (
    "Rows are counted from 1, without a header.",
    "A line supports the assessment under its item; it does not say that the item is met. What an attacker "
    "finds, for item 5, is measured by `duckrisk pwscup score`.",
)


@dataclass(frozen=True)
class Check:
    """The result of a check. ``data["tables"]`` has an entry for each release and guess: whether it
    ``passed``, the constraints that are ``violated``, and all ``constraints`` with their number in the
    contest, the count of violations (None: skipped), the first rows, and the items of the rules that they
    support the assessment under."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{entry['name']} {_verdict(entry)}" for entry in self.data["tables"])
        return f"<duckrisk Check: {verdicts}>"

    @property
    def passed(self) -> bool:
        """Whether no constraint is violated."""
        return all(entry["passed"] for entry in self.data["tables"])

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON report."""
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    def to_json(self) -> str:
        """The JSON report: the same bytes for the same files and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """The check as Markdown text; every piece of data is escaped."""
        lines = ["# Constraints of the contest", "", inline(Data(_original(self.data))), ""]
        for entry in self.data["tables"]:
            lines += [f"## {inline(Data(entry['name']))}", "", f"**{inline(_summary(entry))}**", ""]
            lines += table_lines(_constraints(entry))
            if entry["evidence"] is not None:
                lines += [f"{_RULES}", "", *table_lines(_evidence(entry))]
        lines += [f"- {sentence}" for sentence in _READING]
        return "\n".join(lines).rstrip() + "\n"

    def to_text(self) -> str:
        """What the command prints."""
        lines = [*wrapped(visible(_original(self.data)))]
        for entry in self.data["tables"]:
            lines += ["", *wrapped(f"{visible(entry['name'])}: {_summary(entry)}"), ""]
            lines += plain(_constraints(entry))
            if entry["evidence"] is not None:
                lines += ["", f"{_RULES}", *plain(_evidence(entry))]
        lines += ["", *(line for sentence in _READING for line in wrapped(sentence, "  "))]
        return "\n".join(line.rstrip() for line in lines) + "\n"


# --- what it says --------------------------------------------------------------------------------


def _original(data: dict[str, Any]) -> str:
    found = data["original"]
    left_out = f", {number(found['left_out'])} of them incomplete and left out" if found["left_out"] else ""
    return (
        f"The original {found['name']}: {number(found['records'])} records{left_out}, "
        f"{number(found['users'])} users, {number(found['periods'])} {data['settings']['period']}s from "
        f"{found['first_day']} on."
    )


def _verdict(entry: dict[str, Any]) -> str:
    return "passed" if entry["passed"] else f"violates {len(entry['violated'])}"


def _summary(entry: dict[str, Any]) -> str:
    checked = len([c for c in entry["constraints"] if c["skipped"] is None])
    size = f"{number(entry['records'])} {'lines' if entry['kind'] == 'guess' else 'records'}"
    if entry["surviving"] is not None:
        size += f", {number(entry['surviving'])} of them not deleted"
    if entry["passed"]:
        return f"{size}. All {checked} constraints hold."
    violated = len(entry["violated"])
    return f"{size}. {violated} of {checked} constraints {'is' if violated == 1 else 'are'} VIOLATED."


def _constraints(entry: dict[str, Any]) -> Table:
    rows = []
    shown = any("values" in c for c in entry["constraints"])
    for c in entry["constraints"]:
        if c["skipped"] is not None:
            found, where = "-", _SKIPPED[c["skipped"]]
        else:
            more = c["violations"] > len(c["rows"]) > 0
            found = number(c["violations"])
            where = ", ".join(map(number, c["rows"])) + (", ..." if more else "")
        row: list[Any] = ["" if c["number"] is None else str(c["number"]), _CONSTRAINTS[c["constraint"]]]
        row += [found, where]
        if shown:
            row.append(Data(", ".join(c.get("values", ()))))
        rows.append(tuple(row))
    heads = ("No.", "Constraint", "Violations", "Rows", *(("Values",) if shown else ()))
    return Table(heads, tuple(rows), (0, 2))


def _evidence(entry: dict[str, Any]) -> Table:
    found = entry["evidence"]
    customers = next(c for c in entry["constraints"] if c["constraint"] == "customer")
    mean = "-" if found["mean_periods"] is None else f"{found['mean_periods']:.2f}"
    rows = (
        ("1, 3", "records whose pseudonym is a customer (constraint 10)", number(customers["violations"])),
        ("3", "pseudonyms", number(found["pseudonyms"])),
        ("3", "periods that a pseudonym is used in: mean", mean),
        ("3", "periods that a pseudonym is used in: most", number(found["most_periods"])),
        ("3", "pseudonyms of several customers", number(found["shared_pseudonyms"])),
        ("4", "items that are bought once", number(found["items_bought_once"])),
        (
            "4",
            "records with a price beyond the mean and 4 standard deviations",
            number(found["prices_beyond"]),
        ),
    )
    return Table(("Item", "What", "Found"), rows, (2,))
