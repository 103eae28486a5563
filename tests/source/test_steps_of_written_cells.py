"""Days and moments in texts: the parts of a text become one, in every form that they can have."""

from __future__ import annotations

from typing import Any

import pytest

from duckrisk.engine.templates import Sql, render
from tests.tables import connect, put, tell

PARTS = Sql("struct_pack(y := y, m := m, d := d, h := h, i := i, s := s, p := p, e := e, z := z)")


def read(rows: list[dict[str, str | None]], kind: str = "DATE", **form: Any) -> list[str | None]:
    """Return what the parts of each text are together."""
    given = {"year": "four", "pivot": None, "partial": False, "months": None, "clock": False, "zone": False}
    sql = render("day_cell", kind=Sql(kind), parts=PARTS, **(given | form))
    names = "ymdhispez"
    with connect(threads=1) as connection:
        cells = [(n, *(one.get(name, "") for name in names)) for n, one in enumerate(rows)]
        put(connection, "t", "n " + " ".join(f"{name}:VARCHAR" for name in names), *cells)
        return [one for (one,) in tell(connection, f"SELECT CAST({sql} AS VARCHAR) FROM t ORDER BY n")]


def test_days() -> None:
    days = [("2020", "1", "31"), ("2020", "02", "30"), ("1999", "12", "9"), (None, "1", "1")]
    rows = [dict(zip("ymd", one, strict=True)) for one in days]
    assert read(rows)[:3] == ["2020-01-31", None, "1999-12-09"]
    partial = [{"y": "2012", "m": "8"}, {"y": "2012"}, {"y": "2012", "m": "3", "d": "7"}]
    assert read(partial, partial=True) == ["2012-08-01", "2012-01-01", "2012-03-07"]
    assert read(partial) == [None, None, "2012-03-07"]


@pytest.mark.parametrize(("pivot", "first"), [(2029, 1930), (2068, 1969), (1999, 1900), (2000, 1901)])
def test_years_of_two_digits(pivot: int, first: int) -> None:
    """They are of the hundred years that end with the pivot."""
    years = [*range(first, first + 100)]
    rows = [{"y": f"{year % 100:02}", "m": "5", "d": "4"} for year in years]
    assert read(rows, year="two", pivot=pivot) == [f"{year}-05-04" for year in years]
    assert read([{"y": "", "m": "5", "d": "4"}], year="two", pivot=pivot) == [None]


def test_years_of_eras() -> None:
    eras = {
        "M": 1868,
        "明治": 1868,
        "T": 1912,
        "大正": 1912,
        "S": 1926,
        "昭和": 1926,
        "H": 1989,
        "平成": 1989,
    }
    eras |= {"R": 2019, "令和": 2019, "h": 1989}
    for era, first in eras.items():
        rows = [{"e": era, "y": year, "m": "3", "d": "2"} for year in ("1", "元", "12")]
        assert read(rows, year="era") == [f"{first}-03-02", f"{first}-03-02", f"{first + 11}-03-02"]
    assert read([{"e": "X", "y": "1", "m": "3", "d": "2"}], year="era") == [None]


def test_names_of_months() -> None:
    """Twelve after twelve, with or without accents and capitals."""
    names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    names += ["janvier", "fevrier", *names[2:], *(f"x{n}" for n in range(12))]
    texts = ["Jan", "DEC", "février", "Fevrier", "x0", "X11", "none"]
    rows = [{"y": "2020", "m": text, "d": "1"} for text in texts]
    assert read(rows, months=names) == [
        *("2020-01-01", "2020-12-01", "2020-02-01", "2020-02-01", "2020-01-01", "2020-12-01", None)
    ]


def test_times_of_day() -> None:
    """Of a clock of twelve hours 12 is 0, and 0 or 13 is none."""
    clocks: dict[tuple[str, str, str], str | None] = {
        ("9", "05", ""): "09:05:00", ("23", "59", ""): "23:59:00", ("0", "0", ""): "00:00:00",
        ("24", "1", ""): None,
        ("12", "30", "am"): "00:30:00", ("12", "30", "PM"): "12:30:00", ("1", "30", "p.m."): "13:30:00",
        ("11", "30", "p"): "23:30:00", ("1", "30", "AM"): "01:30:00", ("0", "30", "am"): None,
        ("13", "30", "pm"): None, ("11", "30", "a"): "11:30:00",
    }  # fmt: skip
    day = {"y": "2020", "m": "1", "d": "2"}
    rows = [day | dict(zip("hip", one, strict=True)) for one in clocks]
    found = read(rows, "TIMESTAMP", clock=True)
    assert found == [clock and f"2020-01-02 {clock}" for clock in clocks.values()]
    rows = [day | {"h": "7", "i": "8", "s": second} for second in ("9", "09.5", "")]
    seconds = ["07:08:09", "07:08:09.5", "07:08:00"]
    assert read(rows, "TIMESTAMP", clock=True) == [f"2020-01-02 {one}" for one in seconds]
    zoned = [day | {"h": "7", "i": "8", "z": zone} for zone in ("Z", "+02:00", "-0130")]
    told = read(zoned, "TIMESTAMPTZ", clock=True, zone=True)
    assert told[:2] == ["2020-01-02 07:08:00+00", "2020-01-02 05:08:00+00"]
