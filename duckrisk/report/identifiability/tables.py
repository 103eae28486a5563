"""The tables on who can be singled out."""

from __future__ import annotations

from typing import Any

from duckrisk.report.identifiability.sentences import amount, change, ease
from duckrisk.report.tables import Heads, Table, column_names, heads_of, section, without_empty
from duckrisk.report.text import Data, Joined, Sentence, number, publication, say, share, word


def _value_head(data: dict[str, Any], key: str = "value_in") -> Sentence:
    found = section(data)
    return say(key, currency=Data(found["currency"] if found is not None else ""))


def distribution(data: dict[str, Any]) -> Table:
    """How many records have which ease, and what a leak would tell of them."""
    found = section(data)
    rows = tuple(
        (ease(entry["ease"]), number(entry["records"]), amount(entry["value"]))
        for entry in (found["distribution"] if found is not None else [])
    )
    return Table((*heads_of("ease", "records"), _value_head(data)), rows, (0, 1, 2))


def users(data: dict[str, Any]) -> Table:
    """The same with the user as the unit."""
    found = section(data)
    units = found["users"] if found is not None else None
    rows = tuple(
        (ease(entry["ease"]), number(entry["users"]), amount(entry["value"]))
        for entry in (units["distribution"] if units is not None else [])
    )
    return Table((*heads_of("ease", "users"), _value_head(data)), rows, (0, 1, 2))


def sets(data: dict[str, Any]) -> Table:
    """The attribute sets that single out most, by what a leak would tell."""
    found = section(data)
    rows = tuple(
        (
            Joined(tuple(map(Data, entry["attributes"]))),
            number(entry["records"]),
            ease(entry["ease"]),
            amount(entry["value"]),
        )
        for entry in (found["sets"] if found is not None else [])
    )
    return Table((*heads_of("set", "records", "ease"), _value_head(data)), rows, (1, 2, 3))


def ranked(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The attributes by their part in singling out, the largest first."""
    found = section(data)
    entries = found["attributes"] if found is not None else []
    return sorted(entries, key=lambda entry: -(entry["records_singled_out_with"] or 0))


def parts(data: dict[str, Any]) -> Table:
    """Which attributes make people stand out, and what a leak would be worth without them."""
    rows = tuple(
        (
            Data(entry["attribute"]),
            share(entry["share_of_singled_out"]),
            number(entry["records_singled_out_with"]),
            amount(entry["total_value_without"]),
            change(entry["change_without"]),
        )
        for entry in ranked(data)
    )
    heads: Heads = (
        *heads_of("attribute", "share_of_singled_out", "records_with"),
        _value_head(data, "value_without"),
        word("change"),
    )
    return without_empty(Table(heads, rows, (1, 2, 3, 4)), [])


def helps(data: dict[str, Any]) -> Table:
    """What coarser attributes would do."""
    found = section(data)
    names = column_names(data)
    rows = tuple(
        (
            Data(entry["attribute"]),
            publication(entry["coarser"], names),
            number(entry["singled_out"]),
            amount(entry["total_value"]),
            change(entry["change"]),
        )
        for entry in (found["coarser"] if found is not None else [])
    )
    heads: Heads = (
        *heads_of("attribute", "published", "singled_out_then"),
        _value_head(data, "value_then"),
        word("change"),
    )
    return Table(heads, rows, (2, 3, 4))


def levels(data: dict[str, Any]) -> Table:
    """How sensitive each attribute is, and on whose word."""
    found = section(data)
    rows = tuple(
        (
            Data(entry["attribute"]),
            word("no_type") if entry["type"] is None else Data(entry["type"].replace("_", " ")),
            number(entry["economic"]),
            number(entry["psychological"]),
            word(f"level.{entry['level_source']}"),
            Data("" if entry["level_source"] == "given" else entry["reason"]),
        )
        for entry in (found["attributes"] if found is not None else [])
    )
    heads = heads_of("attribute", "kind_of_data", "economic", "psychological", "level_source", "reason")
    made = Table(heads, rows, (2, 3))
    return (
        made if any(row[-1] for row in rows) else Table(heads[:-1], tuple(row[:-1] for row in rows), (2, 3))
    )


def checklists(data: dict[str, Any]) -> dict[str, Table]:
    """What the run shows under each item of each rule."""
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for entry in data["checklist"]:
        shown = (
            entry["item"],
            entry["requirement"],
            Data(entry["evidence"]),
            word(f"status.{entry['status']}"),
        )
        rows.setdefault(entry["framework"], []).append(shown)
    heads = heads_of("item", "requirement", "evidence", "status")
    return {rule: Table(heads, tuple(items)) for rule, items in rows.items()}
