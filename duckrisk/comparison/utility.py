"""What a release still answers as the original does: shares, cross tables, correlations, means of groups."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import Any

from duckrisk.comparison.coverage import Coverage

#: Pairs are compared of no more attributes than these, the first ones.
MOST_PAIRED = 20
#: The categories of an attribute make groups where they are no more than these.
MOST_CATEGORIES = 100


def measure(coverage: Coverage, table: int, original: dict[str, Any] | None) -> dict[str, Any]:
    """The losses of the release that ``coverage`` is of; ``table`` is its number (0: the original, whose
    results are ``original`` for the others)."""
    attributes = [
        {"attribute": a.name, **_of_attribute(coverage, a.number)} for a in coverage.leaves.attributes
    ]
    paired = coverage.leaves.attributes[:MOST_PAIRED]
    pairs = []
    for first, second in combinations(paired, 2):
        row = coverage.distance([first.number, second.number])
        pairs.append(
            {
                "attributes": [first.name, second.name],
                "total_variation": row["total_variation"],
                "largest_difference": row["largest_difference"],
            }
        )
    made = {
        "attributes": attributes,
        "cross_tables": pairs,
        "correlations": _correlations(coverage, original),
        "subsets": _subsets(coverage, table),
    }
    return {**made, **_means(made)}


def _of_attribute(coverage: Coverage, number: int) -> dict[str, Any]:
    row = coverage.distance([number])
    losses = coverage.losses(number)
    return {
        "information": row["information"],
        "total_variation": row["total_variation"],
        "ncp": losses.pop("ncp"),
        **losses,
    }


def _numbers(coverage: Coverage) -> list[int]:
    """The attributes of numbers that the release has."""
    return [
        a.number for a in coverage.leaves.attributes if a.place == "number" and a.number in coverage.bindings
    ]


def _correlations(coverage: Coverage, original: dict[str, Any] | None) -> list[dict[str, Any]]:
    session, names = coverage.session, [a.name for a in coverage.leaves.attributes]
    numbers = _numbers(coverage)[:MOST_PAIRED]
    for number in numbers:
        session.run("cell_means", leaves=f"leaves_{number}", cells=f"cells_{number}", table=f"means_{number}")
    before = {tuple(e["attributes"]): e["correlation"] for e in (original or {}).get("correlations", ())}
    found = []
    for first, second in combinations(numbers, 2):
        after = session.row(
            "cell_correlation",
            source=coverage.release,
            first=coverage.bindings[first],
            second=coverage.bindings[second],
            first_means=f"means_{first}",
            second_means=f"means_{second}",
        )["correlation"]
        was = before.get((names[first], names[second])) if original is not None else after
        found.append(
            {
                "attributes": [names[first], names[second]],
                "original": was,
                "correlation": after,
                "change": None if after is None or was is None else after - was,
            }
        )
    there = {tuple(entry["attributes"]) for entry in found}
    for pair, was in before.items():
        if pair not in there:
            found.append({"attributes": list(pair), "original": was, "correlation": None, "change": None})
    return found


def _subsets(coverage: Coverage, table: int) -> list[dict[str, Any]]:
    """The loss of the means of each attribute of numbers in the categories of each other attribute."""
    session, leaves = coverage.session, coverage.leaves
    found = []
    for category in leaves.attributes:
        if category.place == "number" or leaves.counts[category.number] > MOST_CATEGORIES:
            continue
        for number in leaves.attributes:
            if number.place != "number":
                continue
            made = f"groups_{category.number}_{number.number}"
            there = {category.number, number.number} <= coverage.bindings.keys()
            if there:
                session.run(
                    "group_means",
                    source=coverage.release,
                    category=coverage.bindings[category.number],
                    number=coverage.bindings[number.number],
                    leaves=category.leaves,
                    reach=f"reach_{category.number}",
                    cells=f"cells_{category.number}",
                    means=f"means_{number.number}",
                    numbers=number.leaves,
                    table=made if table == 0 else f"release_{made}",
                )
            loss: float | None = 1.0
            if there:
                row = session.row(
                    "subset_loss", original=made, release=made if table == 0 else f"release_{made}"
                )
                loss = row["loss"]
            if loss is not None:
                found.append({"category": category.name, "number": number.name, "loss": loss})
    return found


def _means(made: dict[str, Any]) -> dict[str, Any]:
    """One figure for each kind of loss: means over attributes, pairs and groups."""
    changes = [
        1.0 if entry["change"] is None else abs(entry["change"])
        for entry in made["correlations"]
        if entry["original"] is not None
    ]
    return {
        "total_variation": _mean([entry["total_variation"] for entry in made["attributes"]]),
        "cross_table_loss": _mean([entry["total_variation"] for entry in made["cross_tables"]]),
        "correlation_loss": _mean(changes),
        "subset_loss": _mean([entry["loss"] for entry in made["subsets"]]),
    }


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None
