"""The tables of a report: flat rows for CSV, Parquet and frames, and the sections that people read.

Nothing is computed here: numbers are taken from the report's data, put in order and written out.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.errors import OutputError
from duckrisk.gates import is_share
from duckrisk.report.text import (
    Data,
    Sentence,
    between,
    listed,
    number,
    probability,
    publication,
    say,
    share,
    word,
)

if TYPE_CHECKING:
    from duckrisk.report import Report

# --- flat rows -----------------------------------------------------------------------------------

#: The columns of a flat row on an attribute's risk, and their types in Parquet.
FLAT = {
    "rank": "BIGINT",
    "attribute": "VARCHAR",
    "records": "BIGINT",
    "distinct_values": "BIGINT",
    "mean_risk": "DOUBLE",
    "mean_model_risk": "DOUBLE",
    "minimum_cost_risk": "DOUBLE",
    "max_value_risk": "DOUBLE",
    "mean_records_per_user": "DOUBLE",
    "share_below_k": "DOUBLE",
    "records_below_k": "BIGINT",
    "singled_out_records": "BIGINT",
    "share_singled_out": "DOUBLE",
    "singled_out_values": "BIGINT",
    "most_dangerous": "BOOLEAN",
    "sampled_estimate": "DOUBLE",
    "sampled_lower": "DOUBLE",
    "sampled_upper": "DOUBLE",
    "sampled_sampled_values": "BIGINT",
    "sampled_records_read": "BIGINT",
    "sampled_confidence": "DOUBLE",
    "sampled_interval": "VARCHAR",
    "sampled_most_dangerous": "BOOLEAN",
}
#: The same where only identifiability was to be measured: its ``attributes``.
FLAT_SINGLED_OUT = {
    "attribute": "VARCHAR",
    "column": "VARCHAR",
    "type": "VARCHAR",
    "economic": "BIGINT",
    "psychological": "BIGINT",
    "level_source": "VARCHAR",
    "provisional": "BOOLEAN",
    "reason": "VARCHAR",
    "records_singled_out_with": "BIGINT",
    "share_of_singled_out": "DOUBLE",
    "total_value_without": "DOUBLE",
    "change_without": "DOUBLE",
}
#: A spreadsheet takes text that opens with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def flat_columns(data: dict[str, Any]) -> dict[str, str]:
    """The columns of the flat rows: ``FLAT``, or ``FLAT_SINGLED_OUT`` where only identifiability was to be
    measured."""
    return FLAT if was_asked(data, "attribute_risk") else FLAT_SINGLED_OUT


def flat_rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    """One row an attribute with the columns of :func:`flat_columns`, values of records left out."""
    columns = flat_columns(data)
    if columns is FLAT_SINGLED_OUT:
        found = section(data)
        return [{name: entry[name] for name in columns} for entry in (found["attributes"] if found else [])]
    rows = []
    for entry in data["attribute_risk"]:
        sampled = entry["sampled"] or {}
        rows.append(
            {
                name: sampled.get(name.removeprefix("sampled_"))
                if name.startswith("sampled_")
                else entry[name]
                for name in FLAT
            }
        )
    return rows


def to_csv(report: Report) -> str:
    """The attributes as CSV (RFC 4180), as :func:`flat_rows` gives them: text that a spreadsheet would take
    for a formula gets a leading apostrophe, numbers never."""
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow(flat_columns(report.data))
    for row in flat_rows(report.data):
        writer.writerow([_cell(value) for value in row.values()])
    return made.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def write_parquet(report: Report, path: str | Path) -> None:
    """The attributes as a Parquet file, as :func:`flat_rows` gives them; raises OutputError where it cannot
    be written."""
    import duckdb

    rows, kinds = flat_rows(report.data), flat_columns(report.data)
    columns = [[row[name] for row in rows] for name in kinds]
    # Parallel unnest() puts the lists back into rows; names and types are ours, values are parameters.
    query = "SELECT " + ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in kinds.items())
    try:
        with duckdb.connect(":memory:") as connection:
            connection.sql(query, params=columns).write_parquet(str(path))
    except duckdb.Error:
        raise OutputError(f'The Parquet file "{path}" could not be written.') from None


# --- tables for people ---------------------------------------------------------------------------


Heads = tuple[str | Sentence, ...]


@dataclass(frozen=True)
class Table:
    """A table to read: ``heads`` are of the catalogue, cells are text or ``Data``, ``right`` are the
    columns with numbers, ``more`` the rows that were left out."""

    heads: Heads
    rows: tuple[tuple[Any, ...], ...]
    right: tuple[int, ...] = ()
    more: int = 0


def cut(table: Table, most: int) -> Table:
    """The first rows of a table, and how many more there were."""
    left = max(0, len(table.rows) - most)
    return Table(table.heads, table.rows[:most], table.right, table.more + left) if left else table


def heads_of(*keys: str) -> tuple[str, ...]:
    """The words of a table's head."""
    return tuple(word(key) for key in keys)


#: Decisions that a person has to look at come first in a short table of roles.
_URGENT = ("user", "direct_identifier", "free_text", "date_time", "attribute", "constant", "ignored")


def roles(data: dict[str, Any], urgent_first: bool = False) -> Table:
    """Each column, what it was taken for, and why."""
    columns = data["source"]["columns"]
    if urgent_first:
        columns = sorted(columns, key=lambda c: (_URGENT.index(c["role"]), not c["reason"]))
    rows = tuple(
        (Data(c["name"]), Data(c["type"]), word(f"role.{c['role']}"), Data(c["reason"]), number(c["missing"]))
        for c in columns
    )
    return Table(heads_of("column", "type", "role", "reason", "missing"), rows, (4,))


def ranking(data: dict[str, Any]) -> Table:
    """The ranked attributes, short: what a person compares first."""
    rows = tuple(
        (
            number(e["rank"]),
            Data(e["attribute"]),
            number(e["distinct_values"]),
            probability(shown_risk(e)),
            _sampled_interval(e),
            share(e["share_below_k"]),
        )
        for e in data["attribute_risk"]
    )
    heads: Heads = (
        *heads_of("rank", "attribute", "distinct_values", "mean_risk", "interval"),
        say("share_below", k=data["settings"]["k"]),
    )
    return without_empty(Table(heads, rows, (0, 2, 3, 4, 5)), [] if was_sampled(data) else [4])


def risk(data: dict[str, Any]) -> Table:
    """The ranked attributes with the numbers of the models; columns without any number vanish."""
    rows = []
    for entry in data["attribute_risk"]:
        sampled = entry["sampled"] or {}
        rows.append(
            (
                number(entry["rank"]),
                Data(entry["attribute"]),
                probability(entry["mean_risk"]),
                probability(sampled.get("estimate")),
                _sampled_interval(entry),
                probability(entry["minimum_cost_risk"]),
                number(entry["distinct_values"]),
                number(entry["records"]),
                number(entry["mean_records_per_user"]),
                probability(entry["max_value_risk"]),
            )
        )
    heads = heads_of(
        "rank",
        "attribute",
        "mean_risk",
        "estimate",
        "interval",
        "minimum_cost_risk",
        "distinct_values",
        "records_with_value",
        "mean_records_per_user",
        "max_value_risk",
    )
    made = Table(heads, tuple(rows), (0, *range(2, len(heads))))
    return without_empty(made, [] if was_sampled(data) else [3, 4])


def _sampled_interval(entry: dict[str, Any]) -> str:
    sampled = entry["sampled"] or {}
    return between(sampled.get("lower"), sampled.get("upper"))


def without_empty(table: Table, drop: list[int]) -> Table:
    """The table without the columns to drop and without those that hold no number at all."""
    keep = [
        i
        for i in range(len(table.heads))
        if i not in drop and (i not in table.right or any(row[i] != "-" for row in table.rows))
    ]
    return Table(
        tuple(table.heads[i] for i in keep),
        tuple(tuple(row[i] for i in keep) for row in table.rows),
        tuple(place for place, i in enumerate(keep) if i in table.right),
    )


def below_k(data: dict[str, Any]) -> Table:
    """Records whose value fewer than k users have, and those whose value one user alone has."""
    rows = tuple(
        (
            Data(e["attribute"]),
            share(e["share_below_k"]),
            number(e["records_below_k"]),
            share(e["share_singled_out"]),
            number(e["singled_out_records"]),
            number(e["singled_out_values"]),
        )
        for e in data["attribute_risk"]
        if e["share_below_k"] is not None
    )
    heads: Heads = (
        word("attribute"),
        say("share_below", k=data["settings"]["k"]),
        *heads_of("records_below", "share_singled_out", "records_below", "singled_out_values"),
    )
    return Table(heads, rows, (1, 2, 3, 4, 5))


def known_records(data: dict[str, Any]) -> Table:
    """Risk and unicity by the number of known records."""
    rows = tuple(
        (
            Data(row["attribute"]),
            number(row["known_records"]),
            probability(row["risk"]),
            _interval(row, "risk"),
            share(row["unicity"]),
            _share_interval(row),
        )
        for row in several_known(data)
    )
    heads = heads_of("attribute", "known_records", "risk", "risk_interval", "unicity", "unicity_interval")
    return Table(heads, rows, (1, 2, 3, 4, 5))


def _interval(row: dict[str, Any], name: str) -> str:
    return word("exact") if row["draws"] is None else between(row[f"{name}_lower"], row[f"{name}_upper"])


def _share_interval(row: dict[str, Any]) -> str:
    if row["draws"] is None:
        return word("exact")
    return word("to").format(lower=share(row["unicity_lower"]), upper=share(row["unicity_upper"]))


def several_known(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows on several known records; none where no user has more than one record, since nobody
    can know several then."""
    if data["source"]["most_records_of_a_user"] <= 1:
        return []
    return [row for row in data["known_records"] if row["risk"] is not None]


def coarser(data: dict[str, Any]) -> Table:
    """What the risk would be if attributes were published more coarsely."""
    now = {entry["attribute"]: entry for entry in data["attribute_risk"]}
    names = column_names(data)
    rows = tuple(
        (
            Data(row["attribute"]),
            publication(row["coarser"], names),
            probability(now[row["attribute"]]["mean_risk"]),
            probability(row["mean_risk"]),
            share(now[row["attribute"]]["share_below_k"]),
            share(row["share_below_k"]),
            number(row["distinct_values"]),
        )
        for row in changes(data)
    )
    heads = heads_of(
        "attribute",
        "published",
        "risk_before",
        "risk_after",
        "share_before",
        "share_after",
        "distinct_values",
    )
    return Table(heads, rows, (2, 3, 4, 5, 6))


def changes(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows on coarser knowledge that can be compared."""
    now = {entry["attribute"]: entry["mean_risk"] for entry in data["attribute_risk"]}
    return [
        row
        for row in data["coarser_knowledge"]
        if row["mean_risk"] is not None and now.get(row["attribute"]) is not None
    ]


def best_changes(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """For each attribute the row on coarser knowledge with the lowest risk, the mildest of several."""
    best: dict[str, dict[str, Any]] = {}
    for row in changes(data):
        if row["mean_risk"] < best.setdefault(row["attribute"], row)["mean_risk"]:
            best[row["attribute"]] = row
    return best


def models(data: dict[str, Any]) -> Table:
    """Cost and error of each model of each attribute."""
    rows = tuple(
        (
            Data(row["attribute"]),
            word(row["model"]),
            number(row["cost"]),
            probability(row["risk"]),
            probability(row["error"]),
        )
        for row in data["model_errors"]
    )
    return Table(heads_of("attribute", "model", "cost", "risk", "error"), rows, (2, 3, 4))


def gates(data: dict[str, Any]) -> Table:
    """Each gate and whether it was passed."""
    rows = tuple(
        (
            Data(gate["expression"]),
            word("passed" if gate["passed"] else "failed"),
            gate_value(gate),
            Data(gate["where"]) if gate["where"] is not None else word("everywhere"),
        )
        for gate in data["gates"]
    )
    return Table(heads_of("gate", "result", "found", "where"), rows, (2,))


def gate_value(gate: dict[str, Any]) -> str:
    """The number a gate was judged by, written as its kind."""
    return (probability if is_share(gate["expression"]) else number)(gate["value"])


def values(data: dict[str, Any], entry: dict[str, Any]) -> Table:
    """The most dangerous values of an attribute: values of people's records."""
    rows = tuple(
        (
            Data(v["value"]),
            number(v["records"]),
            number(v["users"]),
            number(v["records_per_user"]),
            probability(v["probability"]),
            probability(v["identification_given_value"]),
            probability(v["identification"]),
        )
        for v in shown_values(data, entry)
    )
    heads = heads_of(
        "value",
        "records",
        "users",
        "records_per_user",
        "probability",
        "identification_given_value",
        "identification",
    )
    return Table(heads, rows, (1, 2, 3, 4, 5, 6))


def shown_values(data: dict[str, Any], entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Values of records, only where the person asked for them."""
    return entry.get("values", []) if has_values(data) else []


def has_values(data: dict[str, Any]) -> bool:
    """Whether the report may show values of people's records."""
    return bool(data["settings"]["show_values"])


def settings(data: dict[str, Any]) -> Table:
    """What the run was asked to do."""
    rows = tuple((name, _setting(value)) for name, value in data["settings"].items())
    return Table(heads_of("setting", "value"), rows)


def _setting(value: Any) -> Any:
    if value is None or value in ([], {}):
        return word("none")
    if isinstance(value, bool):
        return word("yes" if value else "no")
    if isinstance(value, dict):
        value = [f"{name}: {role}" for name, role in value.items()]
    if isinstance(value, list):
        return listed((str(item) for item in value), most=100)
    return Data(value) if isinstance(value, str) else str(value)


def statements(report: Report) -> Table:
    """The executed statements by name, with how often and how long they ran."""
    found: dict[str, list[float]] = {}
    for statement in report.statements:
        found.setdefault(statement.name, []).append(statement.seconds)
    rows = tuple(
        (Data(name), number(len(times)), f"{sum(times):.2f}") for name, times in sorted(found.items())
    )
    return Table(heads_of("statement", "times", "seconds"), rows, (1, 2))


# --- facts of the data -----------------------------------------------------------------------------


def section(data: dict[str, Any]) -> dict[str, Any] | None:
    """What was found on identifiability; None where it was not measured."""
    found: dict[str, Any] | None = data["identifiability"]
    return found


def was_asked(data: dict[str, Any], part: str) -> bool:
    """Whether this part of an assessment, ``attribute_risk`` or ``identifiability``, was to be measured."""
    return part in data["settings"]["only"]


def column_names(data: dict[str, Any]) -> list[str]:
    return [column["name"] for column in data["source"]["columns"]]


def shown_risk(entry: dict[str, Any]) -> float | None:
    """The risk an attribute is ranked by: the counted one, or the sample's."""
    sampled = entry["sampled"] or {}
    return entry["mean_risk"] if entry["mean_risk"] is not None else sampled.get("estimate")


def was_sampled(data: dict[str, Any]) -> bool:
    """Whether any value was drawn; without that the sampled numbers repeat the exact ones."""
    return any(e["sampled"] is not None and e["sampled"]["sampled_values"] for e in data["attribute_risk"])


def models_agree(data: dict[str, Any]) -> bool:
    """Whether no model is off anywhere."""
    return bool(data["model_errors"]) and all(row["error"] == 0 for row in data["model_errors"])
