"""Values that a report shows are written as the table has them, times of day too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb

import duckrisk

MOMENTS = """
    SELECT
        TIMESTAMP '2024-03-05 20:10:00' + to_days(i // 3) + to_minutes(i % 3 * 7) AS seen,
        TIME '06:05:00' + to_minutes(i) AS clock,
        DATE '2024-01-31' + CAST(i AS INTEGER) AS born,
        to_hours(i) AS lasted,
        'k' || i % 2 AS kind
    FROM range(12) AS numbers(i)
"""


SHOWN: dict[str, Callable[..., str]] = {
    "seen.time": lambda seen, *_: f"{seen:%H:%M}",
    "seen.date": lambda seen, *_: f"{seen:%Y-%m-%d}",
    "clock": lambda seen, clock, *_: clock.isoformat(),
    "born": lambda seen, clock, born, *_: born.isoformat(),
    "lasted": lambda seen, clock, born, lasted, *_: f"{lasted.seconds // 3600:02}:00:00",
    "seen.time+kind": lambda seen, clock, born, lasted, kind: f"('{seen:%H:%M}', {kind})",
}


def assessed(part: str, **options: Any) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """One part of a report that shows values, and the rows of the table."""
    with duckdb.connect() as connection:
        table = connection.sql(MOMENTS)
        report = duckrisk.assess(table, user="", only=(part,), show_values=True, **options)
        return report.to_dict(), table.fetchall()


def test_dangerous_values() -> None:
    """A time of day is known to the minute, whatever the type of the column."""
    data, rows = assessed("attribute_risk", attributes=list(SHOWN))
    for entry in data["attribute_risk"]:
        written = {SHOWN[entry["attribute"]](*row) for row in rows}
        if entry["attribute"] == "clock":
            written = {text[:5] for text in written}
        shown = [row["value"] for row in entry["values"]]
        assert shown
        assert set(shown) <= written


def test_scenarios() -> None:
    levels = {"seen": (1, 2), "kind": (1, 1)}
    data, rows = assessed("identifiability", attributes=["seen.date", "seen.time", "kind"], levels=levels)
    scenarios = data["identifiability"]["scenarios"]
    assert {name for entry in scenarios for name in entry["cells"]} >= {"seen.time", "seen.date"}
    for entry in scenarios:
        for name, value in entry["cells"].items():
            assert value == SHOWN[name](*rows[entry["record"] - 1])


def test_special_uniques() -> None:
    names = ["clock", "born", "lasted"]
    data, rows = assessed("suda", quasi_identifiers=names)
    assert data["suda"]["highest"]
    for entry in data["suda"]["highest"]:
        row = rows[entry["record"] - 1]
        assert entry["cells"] == {name: SHOWN[name](*row) for name in names}
