"""What a release still answers as the original does: shares, cross tables, correlations, means of groups."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from duckrisk.comparison.coverage import Coverage
from duckrisk.session import Session

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
    return {**made, **_means(coverage.session, made)}


def _of_attribute(coverage: Coverage, number: int) -> dict[str, Any]:
    row = coverage.distance([number])
    losses = coverage.losses(number)
    del losses["false_form"]
    return {"information": row["information"], "total_variation": row["total_variation"], **losses}


def _numbers(coverage: Coverage) -> list[int]:
    """The attributes of numbers that the release has."""
    return [
        a.number for a in coverage.leaves.attributes if a.place == "number" and a.number in coverage.bindings
    ]


def _correlations(coverage: Coverage, original: dict[str, Any] | None) -> list[dict[str, Any]]:
    session, names = coverage.session, [a.name for a in coverage.leaves.attributes]
    numbers = _numbers(coverage)[:MOST_PAIRED]
    for number in numbers:
        tables = {name: f"{name}_{number}" for name in ("leaves", "cells", "reach")}
        session.run("cell_means", **tables, table=f"means_{number}")
    before = {tuple(e["attributes"]): e["correlation"] for e in (original or {}).get("correlations", ())}
    found = []
    for first, second in combinations(numbers, 2):
        pair = (names[first], names[second])
        row = session.row(
            "cell_correlation",
            source=coverage.release,
            first=coverage.bindings[first],
            second=coverage.bindings[second],
            first_means=f"means_{first}",
            second_means=f"means_{second}",
            before=_exact(before.get(pair)),
        )
        was = row["correlation"] if original is None else before.get(pair)
        change = 0.0 if original is None and was is not None else row["change"]
        found.append({"attributes": list(pair), "original": was, **row, "change": change})
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
            before = f"groups_{category.number}_{number.number}"
            after = before if table == 0 else f"release_{before}"
            loss: float | None = 1.0
            if {category.number, number.number} <= coverage.bindings.keys():
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
                    table=after,
                )
                loss = session.row("subset_loss", original=before, release=after)["loss"]
            if loss is not None:
                found.append({"category": category.name, "number": number.name, "loss": loss})
    return found


def _means(session: Session, made: dict[str, Any]) -> dict[str, Any]:
    """One figure for each kind of loss: means over attributes, pairs and groups."""
    return session.row(
        "mean_losses",
        attributes=[_exact(entry["total_variation"]) for entry in made["attributes"]],
        cross_tables=[_exact(entry["total_variation"]) for entry in made["cross_tables"]],
        changes=[_exact(e["change"]) for e in made["correlations"] if e["original"] is not None],
        subsets=[_exact(entry["loss"]) for entry in made["subsets"]],
    )


def _exact(value: float | None) -> str | None:
    """A number for a template, with all its digits."""
    return None if value is None else repr(value)
