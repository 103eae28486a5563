"""What a report says about how well attribute sets tell records apart."""

from __future__ import annotations

from typing import Any

from duckrisk.report.disclosure.sets import LIMITS, MISSING, compared, overlapping, short
from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, share

_MOST = 20
_READING = (
    "Distinction is the classes of records that agree on the set, by the records; separation the share of "
    "all pairs of records that are in different classes; smallest the records of the smallest class."
)
_BY = "By one: whom the attribute singles out that does most; by all: whom all attributes do together."

_READING_WILDCARD = (
    "Separation is the share of all pairs of records that do not agree; smallest the fewest records that "
    "agree with one, itself among them. Where missing cells agree with all values classes overlap, and there "
    "is no distinction."
)


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``attribute_sets``."""
    unit = section["unit"]
    whole = section["users"] if unit == "user" else section["records"]
    examined, possible = number(section["sets_examined"]), number(section["sets_possible"])
    wildcard = overlapping(section)
    alone = "agree with nobody else" if wildcard else "have a class for themselves"
    told = (
        f"{examined} of {possible} attribute sets were looked at, up to {number(section['max_size'])} "
        f"attributes; singled out are {unit}s that {alone}, of {number(whole)}; "
        f"{MISSING[section['missing_mode']]}."
    )
    if section["limit"] is not None:
        told += f" Not all were: {LIMITS[section['limit']]}."
    seconds = section["estimated_seconds"]
    told_seconds = "under 0.1" if seconds < 0.1 else f"{seconds:,.{0 if seconds >= 100 else 1}f}"
    cost = f"Estimated cost: {told_seconds} CPU seconds"
    if section["method"] == "sample":
        cost += (
            f", from one class in {section['one_in']} (counting all would take about "
            f"{section['estimated_seconds_exact']:,.0f}); shares are estimates with 95 % intervals"
        )
    return [
        Part(told),
        Part(f"{cost}."),
        *compared(section, ("By one", "The attribute", "By all"), lambda entry: _cells(entry, section)),
        *([Part(_BY)] if section["other_rules"] else []),
        Part(
            "The sets of each size that single out most"
            + (", of those that were looked at:" if section["limit"] == "time_limit" else ":")
        ),
        Part(table=_table(section["best"])),
        Part("The smallest sets:"),
        Part(table=_table(section["sets"])),
        Part(_READING_WILDCARD if wildcard else _READING),
    ]


def _cells(entry: dict[str, Any], section: dict[str, Any]) -> tuple[Any, ...]:
    """By a rule for missing cells, whom one attribute singles out, and all together."""
    best = entry["best"] or []
    one = next((row for row in best if row["size"] == 1), None)
    whole = next((row for row in best if row["size"] == len(section["attributes"])), None)
    if whole is not None:
        everything = _share(whole)
    else:  # nobody is singled out by attributes that nobody has
        looked = entry["limit"] is None and entry["method"] == "exact" and section["records"]
        everything = share(0) if looked else "-"
    if one is None:
        return ("-", "-", everything)
    name = one["attributes"][0]
    return (_share(one), Data(name if len(name) <= 20 else f"{name[:17]}..."), everything)


def _table(entries: list[dict[str, Any]]) -> Table:
    rows = tuple(
        (
            Data(short(entry["attributes"])),
            _share(entry),
            "-" if entry["distinction"] is None else f"{entry['distinction']:.4g}",
            "-" if entry["separation"] is None else f"{entry['separation']:.4f}",
            "-" if entry["smallest_class"] is None else number(entry["smallest_class"]),
        )
        for entry in entries
    )
    shown = rows[:_MOST]
    heads = ("Attributes", "Singled out", "Distinction", "Separation", "Smallest")
    return Table(heads, shown, (1, 2, 3, 4), len(rows) - len(shown))


def _share(entry: dict[str, Any]) -> str:
    if entry["lower"] is None:
        return share(entry["share_singled_out"])
    return f"{share(entry['lower'])} to {share(entry['upper'])}"
