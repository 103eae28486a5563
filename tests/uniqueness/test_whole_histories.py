"""People alone with their whole history: by hand, against multisets of records, and through a verdict."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.decision.assessment.results import Assessment
from tests.disclosure_oracle import written
from tests.histories_oracle import Histories, class_of, drawn_histories, histories_of
from tests.oracle import key
from tests.shared_data import shared
from tests.tables import LIGHT, LIGHTER, Drawn, close, connect, engine, make, row

#: What is asked of an assessment that looks at histories alone.
ASKED: dict[str, Any] = {"only": ["uniqueness"], "known_records": 0, "samples": 0, "detailed": 0}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def check(found: dict[str, Any], histories: Histories) -> None:
    """Compare the row of the statement with the classes of equal multisets; shares of nobody are null."""
    classes = class_of(histories)
    alone = sum(people == 1 for people in classes.values())
    assert (found["people"], found["unique_people"]) == (len(histories), alone)
    assert close(found["share"], alone / len(histories) if histories else None)
    assert found["smallest_class"] == min(classes.values(), default=None)


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Ann and Bob both bought two apples and a pear, Cleo one apple and two pears: as a set the same.

    Dan and Eve both have one record without an item. Fay has the values of Gus in the other columns. A record
    without a person counts for nobody: 7 people; Cleo, Fay and Gus are alone.
    """
    rows = [
        ("ann", "apple", "x"), ("ann", "pear", "x"), ("ann", "apple", "x"),
        ("bob", "pear", "x"), ("bob", "apple", "x"), ("bob", "apple", "x"),
        ("cleo", "apple", "x"), ("cleo", "pear", "x"), ("cleo", "pear", "x"),
        ("dan", None, "x"), ("eve", None, "x"), ("fay", "p", "q"), ("gus", "q", "p"), (None, "p", "p"),
    ]  # fmt: skip
    make(connection, {"u": "VARCHAR", "a": "VARCHAR", "b": "VARCHAR"}, rows)
    found = row(connection, "whole_histories", source="t", user="u", columns=["a", "b"])
    assert found == {"people": 7, "unique_people": 3, "share": 3 / 7, "smallest_class": 1}
    by_record = row(connection, "whole_histories", source="t", user=None, columns=["a", "b"])
    # 14 records: 5 apples, 4 pears, 2 of nothing, and three that occur once.
    assert by_record == {"people": 14, "unique_people": 3, "share": 3 / 14, "smallest_class": 1}


@LIGHT
@given(drawn_histories(), st.booleans())
def test_against_multisets(connection: duckdb.DuckDBPyConnection, drawn: Drawn, by_user: bool) -> None:
    make(connection, drawn.columns, drawn.rows)
    names = list(drawn.columns)[1:]
    asked = {"source": "t", "user": "u" if by_user else None}
    histories = histories_of(drawn.rows, by_user=by_user)
    found = row(connection, "whole_histories", **asked, columns=names)
    check(found, histories)
    assert row(connection, "whole_histories", **asked, columns=names[::-1]) == found


@pytest.mark.parametrize(
    ("kind", "first", "second", "unique"),
    [
        ("DOUBLE", [0.0, -0.0], [-0.0, -0.0], 0),
        ("DOUBLE", [float("nan"), 1.0], [1.0, float("nan")], 0),
        ("FLOAT", [0.0, -0.0], [-0.0, -0.0], 0),
        ("VARCHAR", ["", "a"], [None, "a"], 2),
        ("VARCHAR", ["e\u0301"], ["é"], 2),
        ("VARCHAR", ["x" * 100_000 + "a"], ["x" * 100_000 + "b"], 2),
        ("VARCHAR", ["a", "a", "b"], ["a", "b", "b"], 2),
        ("VARCHAR", ["a", "a"], ["a"], 2),
        ("VARCHAR", ["a", "a"], ["b", "b"], 2),
        ("VARCHAR", ["a"] * 3 + ["b"] * 3, ["b", "a"] * 3, 0),
        ("BIGINT", [1, -1], [0, 0], 2),
        ("BIGINT", [2**63 - 1, -(2**63)], [-1, 0], 2),
        ("INTEGER[]", [[1], [2, 3]], [[1, 2], [3]], 2),
    ],
)
def test_two_people(
    connection: duckdb.DuckDBPyConnection, kind: str, first: list[Any], second: list[Any], unique: int
) -> None:
    """Both zeros are one value, a missing value is no empty text, and order counts for nothing."""
    make(connection, {"u": "INTEGER", "a": kind}, [*((1, cell) for cell in first), *((2, c) for c in second)])
    found = row(connection, "whole_histories", source="t", user="u", columns=["a"])
    expected = {"people": 2, "unique_people": unique, "share": unique / 2}
    assert found == {**expected, "smallest_class": 1 if unique else 2}


def test_values_that_say_the_same_in_two_columns(connection: duckdb.DuckDBPyConnection) -> None:
    """(true, 0) and (false, 1) differ, and so do one record (1, 2) twice and (1, 1) with (2, 2)."""
    make(connection, {"u": "INTEGER", "a": "BOOLEAN", "b": "INTEGER"}, [(1, True, 0), (2, False, 1)])
    assert row(connection, "whole_histories", source="t", user="u", columns=["a", "b"])["unique_people"] == 2
    rows = [(1, 1, 2), (1, 2, 1), (2, 1, 1), (2, 2, 2), (3, 1, None), (4, None, 1)]
    make(connection, {"u": "INTEGER", "a": "INTEGER", "b": "INTEGER"}, rows)
    assert row(connection, "whole_histories", source="t", user="u", columns=["a", "b"])["unique_people"] == 4


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], (0, 0, None, None)),
        ([(None, "a")], (0, 0, None, None)),
        ([("ann", "a")], (1, 1, 1.0, 1)),
        ([("ann", None), ("ann", None)], (1, 1, 1.0, 1)),
    ],
)
def test_almost_nobody(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], expected: tuple[Any, ...]
) -> None:
    """Of nobody there is no share and no class; one person alone is alone."""
    make(connection, {"u": "VARCHAR", "a": "VARCHAR"}, rows)
    found = row(connection, "whole_histories", source="t", user="u", columns=["a"])
    assert tuple(found.values()) == expected


def test_people_who_count(connection: duckdb.DuckDBPyConnection) -> None:
    """1 and 2 are alike, 3 to 5 are, 6 and 7 are alone: they are looked up among all, and some of them
    count."""
    cells = {1: "a", 2: "a", 3: "b", 4: "b", 5: "b", 6: "c", 7: "d"}
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, list(cells.items()))
    for people, unique, smallest in (
        ((3, 4), 0, 3),
        ((2, 5), 0, 2),
        ((1, 6), 1, 1),
        ((6, 7), 2, 1),
        ((), 0, None),
    ):
        make(connection, {"person": "INTEGER"}, [(one,) for one in people], "among")
        found = row(connection, "whole_histories", source="t", user="u", columns=["a"], among="among")
        assert found == {
            "people": 7,
            "unique_people": unique,
            "share": unique / 7,
            "smallest_class": smallest,
        }


def test_many_occurrences(connection: duckdb.DuckDBPyConnection) -> None:
    """Two people with a record 300,000 times are alike; one occurrence more is another history."""
    connection.execute("CREATE OR REPLACE TABLE t AS SELECT i % 3 AS u, 'a' AS a FROM RANGE(900_001) AS r(i)")
    found = row(connection, "whole_histories", source="t", user="u", columns=["a"])
    assert found == {"people": 3, "unique_people": 1, "share": 1 / 3, "smallest_class": 1}


# --- through an assessment -------------------------------------------------------------------------


def figures(report: Assessment) -> dict[str, float | None]:
    return {finding.name: finding.value for finding in report.verdict.findings}


def check_assessed(report: Assessment, histories: Histories) -> None:
    """Compare the part and the findings of policy public with the multisets."""
    classes = class_of(histories)
    whole = report.uniqueness.histories if report.uniqueness is not None else None
    if max(history.total() for history in histories.values()) == 1:
        assert whole is None
        assert "unique_histories" not in figures(report)
        return
    alone = sum(people == 1 for people in classes.values())
    assert whole is not None
    assert (whole.unique_people, whole.smallest_class) == (alone, min(classes.values()))
    assert whole.share == pytest.approx(alone / len(histories))
    found = figures(report)
    assert (found["unique_histories"], found["smallest_history"]) == (whole.share, whole.smallest_class)


@LIGHTER
@given(drawn_histories().filter(lambda drawn: any(cells[0] is not None for cells in drawn.rows)))
def test_assessed(tmp_path_factory: pytest.TempPathFactory, drawn: Drawn) -> None:
    table = written(tmp_path_factory.mktemp("drawn"), drawn.columns, drawn.rows)
    names = list(drawn.columns)[1:]
    report = duckrisk.assess(table, user="u", quasi_identifiers=names, **ASKED)
    histories = histories_of(drawn.rows)
    if report.uniqueness is None or not report.uniqueness.attributes:  # constants tell nothing
        assert all(len({key(cells[place + 1]) for cells in drawn.rows}) == 1 for place in range(len(names)))
        return
    check_assessed(report, histories)


def test_shops(tmp_path: Path) -> None:
    """300 customers with 7 of 14 shops each: the least shop has 135 visitors, and 279 sets occur once."""
    choose = random.Random(4)
    rows = [
        (f"u{user:03d}", f"shop{shop:02d}") for user in range(300) for shop in choose.sample(range(14), 7)
    ]
    choose.shuffle(rows)
    table = written(tmp_path, {"customer_id": "VARCHAR", "shop": "VARCHAR"}, rows)
    report = duckrisk.assess(table, **ASKED)
    assert (report.source.user, report.uniqueness.all_attributes.smallest_class) == ("customer_id", 135)
    check_assessed(report, histories_of(rows))
    assert report.uniqueness.histories.unique_people == 279
    assert report.verdict.outcome == "fail"
    exceeded = {finding.name for finding in report.verdict.exceeded}
    assert {"unique_histories", "smallest_history"} <= exceeded
    kept = duckrisk.assess(table, policy="internal", **ASKED)
    assert not {"unique_histories", "smallest_history"} & figures(kept).keys()


def test_online_retail(tmp_path: Path) -> None:
    """First letter of the stock code by month, values of 30 customers at least: 2,659 of 4,328 are alone."""
    table = tmp_path / "months.parquet"
    engine().execute(
        f"""COPY (
            WITH visits AS (
                SELECT DISTINCT "CustomerID" AS customer_id,
                    SUBSTR("StockCode", 1, 1) || STRFTIME("InvoiceDate", '/%Y-%m') AS department_month
                FROM '{shared("online_retail_clean.parquet")}' WHERE "CustomerID" IS NOT NULL
            )
            FROM visits WHERE department_month IN (
                SELECT department_month FROM visits GROUP BY ALL HAVING COUNT(*) >= 30
            )
        ) TO '{table}' (FORMAT parquet)"""
    )
    rows = engine().execute(f"FROM '{table}'").fetchall()
    report = duckrisk.assess(table, **ASKED)
    assert (report.source.user, report.source.users) == ("customer_id", 4_328)
    check_assessed(report, histories_of(rows))
    assert report.uniqueness.histories.unique_people == 2_659
    assert Counter(class_of(histories_of(rows)).values())[1] == 2_659
