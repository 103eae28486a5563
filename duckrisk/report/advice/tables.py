"""The steps of advice as a table to read."""

from __future__ import annotations

from typing import Any

from duckrisk.report.advice import sentences
from duckrisk.report.tables import Table, heads_of
from duckrisk.report.text import number, share


def steps(data: dict[str, Any]) -> Table:
    """Each line of the frontier."""
    history = sentences.is_history(data)
    heads = ["step", "what", "records", "value", "singled_out"]
    heads += ["users", "users_singled_out", "each"] if history else []
    heads += ["information", *(["links"] if history else [])]
    rows = []
    for place, line in enumerate(data["lines"]):
        row = [number(place), sentences.what(line), number(line["records"]), amount(line["total_value"])]
        row.append(share(line["singled_out_share"]))
        if (users := line["users"]) is not None:
            row += [number(users["users"]), share(users["singled_out_share"]), amount(users["value_each"])]
        row.append(f"{line['information']:.3f}")
        row += [f"{line['links']:.3f}"] if history else []
        rows.append(tuple(row))
    right = tuple(place for place, head in enumerate(heads) if head != "what")
    return Table(heads_of(*(f"advice.{head}" for head in heads)), tuple(rows), right)


def amount(value: float) -> str:
    """A sum of money without its currency."""
    return number(round(value))
