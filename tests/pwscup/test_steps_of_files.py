"""The cells of files of the contest, as they are read and checked, each on a few lines by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, put, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


@pytest.mark.parametrize("skipped", [0, 1])
def test_records_of_a_file_of_the_contest(connection: duckdb.DuckDBPyConnection, skipped: int) -> None:
    """Dates are yyyy/m/d; the cells of a deleted record are missing, and it should have none."""
    days = {
        "2020/1/2": dt.date(2020, 1, 2), "2020/12/31": dt.date(2020, 12, 31), "2020/2/30": None,
        "2020-1-2": None,
        "20/1/2": None, "0000/1/2": None, "2020/1/40": None, "2020/01/02": None, "2020/20/2": None, "": None,
    }  # fmt: skip
    head = [("customer", "invoice", "date", "time", "item", "price", "quantity")] if skipped else []
    lines = [*head, *(("u", "i", day, "9:00", "tea", "3", "1") for day in days)]
    lines += [("DEL", "i", "2020/1/2", "9:00", "tea", "3", "1")]
    lines += [
        ("DEL", "", "", "", "", "", ""),
        ("DEL", "", "", "", "", "", "1"),
        ("DEL", "i", "", "", "", "", ""),
    ]
    columns = "record fields " + " ".join(f"c{n}:VARCHAR" for n in range(7))
    put(connection, "lines", columns, *[(n + 1, 7, *line) for n, line in enumerate(lines)])
    run(connection, "contest_cells", name="made", source=Sql("lines"), header_lines=skipped)
    told = tell(connection, "FROM made")
    texts = ["i", "day", "9:00", "tea", "3", "1"]
    expected = [
        (n + 1, 7, False, False, "u", "i", text, day, *texts[2:])
        for n, (text, day) in enumerate(days.items())
    ]
    expected += [(11 + n, 7, True, partly, *[None] * 8) for n, partly in enumerate((True, False, True, True))]
    assert told == expected


@pytest.mark.parametrize("bare", [False, True])
def test_records_of_any_history(connection: duckdb.DuckDBPyConnection, bare: bool) -> None:
    """What there is no column for is missing, but each record is of one piece; an empty text is missing."""
    rows = [
        ("a", "i1", "2020-01-02 03:04:05", "9:00", "tea", 1.5, "2"),
        ("b", "", "2020/1/2", "", "ham", None, ""),
        ("DEL", None, "", None, "", None, None),
        ("", None, "2020/1/2 3:04", None, None, None, None),
        (None, None, None, None, None, None, "1"),
        ("c", None, "no day", None, "", 2.0, "x"),
    ]
    columns = "u:VARCHAR i:VARCHAR m:VARCHAR c:VARCHAR s:VARCHAR p:DOUBLE q:VARCHAR"
    put(connection, "h", columns, *rows)
    others = {"clock": "c", "price": "p", "quantity": "q", "invoice": "i"}
    asked = dict.fromkeys(others) if bare else others
    given = {"source": Sql("h"), "user": "u", "moment": "m", "item": "s", "is_number": True}
    run(connection, "history_cells", name="made", **given, **asked, has_clock=bare)
    day = dt.date(2020, 1, 2)
    kept = {
        1: ("a", "i1", rows[0][2], day, "9:00", "tea", "1.5", "2"),
        2: ("b", None, "2020/1/2", day, None, "ham", None, None),
        6: ("c", None, "no day", None, None, None, "2.0", "x"),
    }
    if bare:
        kept = {
            1: ("a", None, rows[0][2], day, "03:04:05", "tea", None, "1"),
            2: ("b", None, "2020/1/2", day, "00:00:00", "ham", None, "1"),
            6: ("c", None, "no day", None, None, None, None, "1"),
        }
    gone = {3: False, 4: True, 5: not bare}
    assert tell(connection, "FROM made") == [
        (n, None, n in gone, gone.get(n, False), *kept.get(n, [None] * 8)) for n in range(1, 7)
    ]


@pytest.mark.parametrize("contest", [True, False])
def test_cells_that_are_not_written_as_they_have_to_be(
    connection: duckdb.DuckDBPyConnection, contest: bool
) -> None:
    """Each of these texts by both rules; what stands in deleted records counts for nothing."""
    right = {"person": "a_-Z9", "invoice": "i1", "moment": "2020/1/2", "clock": "9:05", "price": "12345.67"}
    right |= {"quantity": "123456"}
    wrong = {
        "person": {"pseudonym_characters": ["a b", "", "é"]},
        "invoice": {"invoice_characters": ["i.1", ""]},
        "clock": {"time": ["9:5", "24:00", "9:60", "123:00", ""]},
        "price": {"price": ["1.234", "123456", "1.", "-1", "x", ""]},
        "quantity": {"quantity": ["1234567", "1.5", "-1", ""]},
    }  # fmt: skip
    if not contest:
        wrong = {
            "clock": {"time": ["24:01", "9h", ""]},
            "price": {"price": ["x", ""]},
            "quantity": {"quantity": ["y"]},
        }
    rows: list[tuple[Any, ...]] = []
    expected = []

    def add(
        day: dt.date | None = dt.date(2020, 1, 2), deleted: bool = False, fields: int = 7, **cells: str | None
    ) -> None:
        rows.append((len(rows), *{**right, **cells}.values(), day, deleted, fields))

    for kept in ({"deleted": True}, {"fields": 6}, {}):
        for column, of_column in wrong.items():
            for violated, texts in of_column.items():
                for text in texts:
                    if not kept or (not contest and "fields" in kept):
                        expected.append((violated, len(rows), text))
                    add(**{column: text}, **kept)
        if not kept or (not contest and "fields" in kept):
            expected.append(("date", len(rows), "no day"))
        add(day=None, moment="no day", **kept)
    add()
    add(clock="23:59", price="0", quantity="0")
    if not contest:
        add(day=None, moment=None)
        add(clock=None, price=None, quantity=None)
        add(clock="9:05:07", price="-1.5e3", quantity="-1.5")
    columns = [f"{name}:VARCHAR" for name in right]
    put(connection, "lines", " ".join(["record", *columns, "day:DATE deleted:BOOLEAN fields"]), *rows)
    put(connection, "wrong", "violated:VARCHAR record value:VARCHAR")
    run(connection, "cell_violations", name="wrong", source=Sql("lines"), contest=contest)
    assert sorted(tell(connection, "FROM wrong")) == sorted(expected)


def test_users_whose_names_are_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    """Of up to 30 digits, all of them; one other name is enough."""
    for names, numeric in (
        (["12", "7"], 1),
        (["12", "7", "x"], 0),
        (["1" * 30], 1),
        (["1" * 31], 0),
        ([], 1),
    ):
        put(connection, "users", "user_id:VARCHAR", *[(name,) for name in names])
        assert run(connection, "count_users", users=Sql("users")) == [
            {"users": len(names), "numeric": numeric}
        ]
