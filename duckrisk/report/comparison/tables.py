"""The tables of a comparison: figures side by side, the original first; attributes; cross tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from duckrisk.report.comparison.sentences import leak
from duckrisk.report.identifiability.sentences import short_amount
from duckrisk.report.tables import Heads, Table
from duckrisk.report.text import Data, Joined, Sentence, number, probability, say, share, word

#: So many releases stand side by side with the original.
BESIDE = 3
_Figure = tuple[str | Sentence, Callable[[dict[str, Any]], Any]]


def groups(data: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The tables that stand side by side: the original with a few releases at a time."""
    releases = data["tables"][1:]
    for start in range(0, len(releases), BESIDE):
        yield [data["tables"][0], *releases[start : start + BESIDE]]


def called(data: dict[str, Any], tables: list[dict[str, Any]]) -> list[Data]:
    """The names of tables as the heads of columns: without the ending that all have."""
    endings = {os.path.splitext(entry["name"])[1] for entry in data["tables"]}
    ending = endings.pop() if len(endings) == 1 else ""
    return [Data(entry["name"].removesuffix(ending) or entry["name"]) for entry in tables]


def figures(data: dict[str, Any], tables: list[dict[str, Any]]) -> Table:
    """All figures, one row each; a table has a column."""
    rows: list[tuple[Any, ...]] = []
    for key, lines in _figures(data).items():
        found = [(name, [value(entry) for entry in tables]) for name, value in lines]
        found = [(name, cells) for name, cells in found if any(cell not in (None, "-") for cell in cells)]
        if found and key:
            rows.append((word(key), *("" for _ in tables)))
        rows += [
            (name if not key else _Indented(name), *("-" if cell is None else cell for cell in cells))
            for name, cells in found
        ]
    heads: Heads = (word("compare.figure"), *called(data, tables))
    return Table(heads, tuple(rows), tuple(range(1, len(heads))))


class _Indented(str):
    """The name of a figure below the name of its group."""

    __slots__ = ()

    def __new__(cls, name: str | Sentence) -> _Indented:
        return super().__new__(cls, "\u00a0\u00a0" + str(name))


def _figures(data: dict[str, Any]) -> dict[str, list[_Figure]]:
    section = (data["tables"][0]["risk"] or {}).get("identifiability") or {"currency": ""}
    currency = Data(section["currency"])
    k = number(data["settings"]["k"])
    return {
        "": [
            (word("compare.records"), lambda e: number(e["records"])),
            (word("compare.left_out"), lambda e: number(len(e["left_out"])) if e["left_out"] else None),
        ],
        "compare.group.risk": [
            (word("compare.singled_out"), _singled_out),
            (say("compare.value", currency=currency), lambda e: _money(leak(e))),
            (say("compare.jo", currency=currency), lambda e: _money(leak(e, "jo_total_value"))),
            (word("compare.highest_risk"), _highest_risk),
        ],
        "compare.group.classes": [
            (word("compare.classes"), lambda e: number(e["classes"]["classes"])),
            (word("compare.smallest_class"), lambda e: number(e["classes"]["smallest_class"])),
            (say("compare.records_below_k", k=k), lambda e: number(e["classes"]["records_below_k"])),
            (word("compare.average_class_size"), lambda e: number(e["classes"]["average_class_size"])),
            (word("compare.discernibility"), lambda e: number(round(e["classes"]["discernibility"]))),
        ],
        "compare.group.information": [
            (word("compare.information"), _information),
            (word("compare.bound"), lambda e: _of(e, "information", "bound", "information")),
            (word("compare.kl"), lambda e: _of(e, "information", "kl")),
            (word("compare.ncp"), lambda e: number(e["information"]["ncp"]) if e["information"] else None),
            (word("compare.gcp"), lambda e: _of(e, "information", "gcp")),
        ],
        "compare.group.utility": [
            (word(f"compare.{name}"), lambda e, name=name: _of(e, "utility", name))  # type: ignore[misc]
            for name in ("total_variation", "cross_table_loss", "correlation_loss", "subset_loss")
        ],
        "compare.group.linkage": [
            (
                word(f"compare.{name}"),
                lambda e, name=name: share(e["linkage"][name]) if e["linkage"] else None,
            )
            for name in ("rate", "blind_rate")
        ]
        + [(word("compare.p_value"), lambda e: _of(e, "linkage", "p_value"))],
        "compare.group.recommendation": [
            (word("compare.similarity_loss"), lambda e: _of(e, "recommendation", "similarity_loss")),
            (word("compare.top_loss"), lambda e: _of(e, "recommendation", "top_loss")),
        ],
    }


def _of(entry: dict[str, Any], *path: str) -> str | None:
    found: Any = entry
    for key in path:
        found = None if found is None else found[key]
    return None if found is None else decimals(found)


def decimals(value: float | None) -> str:
    """A figure with four decimals; nothing that is lost reads as nothing."""
    if value is None:
        return "-"
    if value == int(value):
        return str(int(value))
    if 0.99995 <= value < 1:
        return "> 0.9999"
    if abs(value) < 0.00005:
        return "< 0.0001" if value > 0 else "> -0.0001"
    return f"{value:.4f}"


def _information(entry: dict[str, Any]) -> str | None:
    found = entry["information"]
    if found is None:
        return None
    if found["information"] is not None:
        return decimals(found["information"])
    return word("compare.invalid" if found["exact"] else "compare.not_exact")


def _singled_out(entry: dict[str, Any]) -> str | None:
    section = (entry["risk"] or {}).get("identifiability")
    return None if section is None else number(section["singled_out"])


def _highest_risk(entry: dict[str, Any]) -> str | None:
    risks = [e["mean_risk"] for e in (entry["risk"] or {}).get("attribute_risk", ())]
    return probability(max(r for r in risks if r is not None)) if any(r is not None for r in risks) else None


def _money(value: float | None) -> str | None:
    return None if value is None else short_amount(value)


def risks(data: dict[str, Any], tables: list[dict[str, Any]]) -> Table:
    """The risk of each attribute in each table."""
    names: dict[str, None] = {}
    found: list[dict[str, Any]] = []
    for entry in tables:
        listed = (entry["risk"] or {}).get("attribute_risk", ())
        found.append({one["attribute"]: one["mean_risk"] for one in listed})
        names |= dict.fromkeys(one["attribute"] for one in listed)
    rows = tuple((Data(name), *(probability(risk.get(name)) for risk in found)) for name in names)
    heads: Heads = (word("attribute"), *called(data, tables))
    return Table(heads, rows, tuple(range(1, len(heads))))


def losses(entry: dict[str, Any]) -> Table:
    """What each attribute of a release lost, the largest loss of information first."""
    found = (entry["utility"] or {}).get("attributes", ())
    order = sorted(
        found, key=lambda e: (e["information"] is not None, e["information"] or 0.0, e["attribute"])
    )
    records = entry["records"]
    rows = tuple(
        (
            Data(e["attribute"]),
            word("compare.invalid") if e["information"] is None else decimals(e["information"]),
            decimals(e["total_variation"]),
            share(e["generalised"] / records),
            share(e["suppressed"] / records),
            share(e["false_cells"] / records),
            number(e["missing"]),
        )
        for e in order
    )
    names = ("attribute_information", "variation", "generalised", "suppressed", "false", "missing")
    return Table(
        (word("attribute"), *(word(f"compare.{name}") for name in names)),
        rows,
        tuple(range(1, len(names) + 1)),
    )


def cross_tables(entry: dict[str, Any]) -> Table:
    """The pairs of attributes whose cross table changed, most first."""
    found = (entry["utility"] or {}).get("cross_tables", ())
    changed = sorted(
        (e for e in found if e["total_variation"] > 0), key=lambda e: (-e["total_variation"], e["attributes"])
    )
    rows = tuple(
        (
            Joined(tuple(map(Data, e["attributes"]))),
            decimals(e["total_variation"]),
            decimals(e["largest_difference"]),
        )
        for e in changed
    )
    heads = tuple(word(f"compare.{name}") for name in ("pair", "loss", "largest"))
    return Table(heads, rows, (1, 2))


def plotted(data: dict[str, Any]) -> Table:
    """The numbers of the plot."""
    rows = tuple(
        (
            Data(e["name"]),
            decimals(e["information"]["information"]),
            _money(leak(e)),
            _money(leak(e, "jo_total_value")),
        )
        for e in data["tables"]
        if drawable(e)
    )
    section = (data["tables"][0]["risk"] or {}).get("identifiability") or {"currency": ""}
    currency = Data(section["currency"])
    heads = (
        word("compare.release"),
        word("compare.information"),
        say("compare.value", currency=currency),
        say("compare.jo", currency=currency),
    )
    return Table(heads, rows, (1, 2, 3))


def drawable(entry: dict[str, Any]) -> bool:
    """Whether a table has a place on the plot."""
    found = entry["information"]
    return found is not None and found["information"] is not None and leak(entry) is not None
