"""The steps of the search for uniform forms, each on a few rows, by hand."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from duckrisk.engine.templates import render
from tests.tables import connect, put, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def test_units_in_order(connection: duckdb.DuckDBPyConnection) -> None:
    """Categories by frequency, numbers by quantiles of records; a missing value is unit 0."""
    put(
        connection,
        "quasi_records",
        "record a0",
        *[(n, code) for n, code in enumerate([0, 1, 2, 2, 3, 3, 3, 4])],
    )
    put(
        connection,
        "codes",
        "code place:DOUBLE value",
        (0, -1, None),
        *[(n, n / 4, 10 * n) for n in range(1, 5)],
    )
    asked = {"attribute": 0, "units": "units", "codes": "codes"}
    run(connection, "uniform_units", quantiles=None, **asked)
    ranked = tell(connection, "SELECT code, rank, n FROM units ORDER BY rank")
    assert ranked == [(0, 0, 1), (3, 1, 3), (2, 2, 2), (1, 3, 1), (4, 4, 1)]
    run(connection, "uniform_units", quantiles=2, **asked)
    assert tell(connection, "SELECT code, rank FROM units ORDER BY code") == [
        (0, 0),
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 2),
    ]
    listed = run(connection, "uniform_list_units", units="units", codes="codes")
    assert [tuple(row.values()) for row in listed] == [(1, 3, 0.25, 0.75, 10, 30), (2, 1, 1.0, 1.0, 40, 40)]


def changes(connection: duckdb.DuckDBPyConnection, **options: object) -> dict[int, tuple[int, ...]]:
    asked = {"attribute": 0, "missing": False, "people": False, "k": 3, "count": 0, **options}
    rows = run(connection, "uniform_changes", **asked)
    return {row["rank"]: (row["n"], row["uncut"], row["change"]) for row in rows}


def test_what_cuts_delete(connection: duckdb.DuckDBPyConnection) -> None:
    """A class of units 1, 2, 4 with 2, 3, 1 records, and one of unit 2 alone.

    After 1 the lower side has 2 records; after 2 the upper side has 1; after 4 nothing is cut.
    """
    put(connection, "uniform_open", "class a0 n", (7, 1, 2), (7, 2, 3), (7, 4, 1), (8, 2, 5))
    assert changes(connection) == {1: (2, 0, 2), 2: (8, 0, -1), 4: (1, 0, -1)}


def test_missing_values_are_a_side(connection: duckdb.DuckDBPyConnection) -> None:
    """Two missing values are deleted whatever the cut, four are not; a rest of two is, too."""
    put(connection, "uniform_open", "class a0 n", (7, 0, 2), (7, 1, 3), (7, 2, 4), (8, 0, 4), (8, 2, 2))
    assert changes(connection, missing=True) == {0: (6, 2, 0), 1: (3, 0, 0), 2: (6, 2, 0)}


def test_sides_count_people(connection: duckdb.DuckDBPyConnection) -> None:
    """Persons 1 to 3 have both units, 4 only the second: all sides have three people.

    Without person 3 in the first unit its side has two, and four records are deleted.
    """
    rows = [(7, 1, person, 2) for person in (1, 2, 3)] + [(7, 2, person, 1) for person in (1, 2, 3, 4)]
    put(connection, "uniform_open", "class a0 person n", *rows)
    assert changes(connection, people=True) == {1: (6, 0, 0), 2: (4, 0, 0)}
    connection.execute("DELETE FROM uniform_open WHERE a0 = 1 AND person = 3")
    assert changes(connection, people=True) == {1: (4, 0, 4), 2: (4, 0, -4)}


def test_sides_that_disclose_a_value(connection: duckdb.DuckDBPyConnection) -> None:
    """The first three of six people are ill: a cut after unit 1 discloses that, a cut after 2 does not."""
    units = [1, 1, 1, 2, 3, 3]
    put(connection, "uniform_open", "class a0 person n", *[(7, unit, n, 1) for n, unit in enumerate(units)])
    put(connection, "quasi_owned", "person value", *[(n, 99) for n in range(3)])
    put(connection, "quasi_rare", "value people total", (99, 3, 6))
    found = {1: (3, 0, 3), 2: (1, 0, -3), 3: (2, 0, 0)}
    assert changes(connection, people=True, count=1, k=2) == found
    cut = {"attribute": 0, "missing": False, "k": 2, "count": 1, "above": 2, "last": 3}
    run(connection, "uniform_cut", people=True, **cut)
    assert tell(connection, "SELECT DISTINCT a0 FROM uniform_open ORDER BY 1") == [(2,), (3,)]
    rows = [(7, 1, 99, 3), (7, 2, None, 1), (7, 3, None, 2)]
    put(connection, "uniform_open", "class a0 s0 n", *rows)
    assert changes(connection, count=1, k=2) == found
    run(connection, "uniform_cut", people=False, **cut)
    assert tell(connection, "SELECT DISTINCT a0 FROM uniform_open ORDER BY 1") == [(2,), (3,)]


def test_a_cut_leaves_large_sides(connection: duckdb.DuckDBPyConnection) -> None:
    """Class 7 loses its upper side of two records, class 8 is in another part and stays."""
    put(connection, "uniform_open", "class a0 n", (7, 1, 3), (7, 2, 2), (7, 0, 4), (8, 5, 3))
    asked = {"attribute": 0, "people": False, "k": 3, "count": 0, "above": 2, "last": 4}
    run(connection, "uniform_cut", missing=True, **asked)
    assert tell(connection, "SELECT a0, n, class FROM uniform_open ORDER BY class") == [
        (1, 3, 1),
        (0, 4, 2),
        (5, 3, 3),
    ]


def test_classes_are_made_anew(connection: duckdb.DuckDBPyConnection) -> None:
    """Units 1 and 2 against 3: of two columns, one class has four rows and the others one and two."""
    put(connection, "uniform_rows", "a0 a1 n", (1, 1, 1), (2, 1, 3), (3, 1, 2), (3, 2, 1))
    asked = {"ladders": [], "tables": [], "people": False, "k": 3, "count": 0}
    parts = [render("uniform_part", attribute=0, coded=False, last=[2, 3], parts=[0, 1])]
    run(connection, "uniform_classes", parts=parts, large=False, **asked)
    assert tell(connection, "SELECT SUM(n) FROM uniform_open GROUP BY class ORDER BY 1") == [(3,), (4,)]
    parts.append(render("uniform_part", attribute=1, coded=False, last=[1, 2], parts=[0, 1]))
    run(connection, "uniform_classes", parts=parts, large=True, **asked)
    assert tell(connection, "SELECT a0, a1, n FROM uniform_open ORDER BY 1") == [(1, 1, 1), (2, 1, 3)]
    counted = run(connection, "uniform_counts", indices=[0, 1], ladders=[])
    assert [tuple(row.values()) for row in counted] == [(0, 1, 1), (0, 2, 3), (1, 1, 4)]
    counted = run(connection, "uniform_counts", indices=[0, 1], ladders=[0])  # not by unit, which are many
    assert [tuple(row.values()) for row in counted] == [(0, 0, 4), (1, 1, 4)]


def test_rungs_of_a_ladder(connection: duckdb.DuckDBPyConnection) -> None:
    """Days delete what is alone; a day loses nothing, a month its share of the range."""
    put(
        connection, "units", "rank n u0 u1 place:DOUBLE", (1, 2, 1, 1, 0), (2, 2, 1, 2, 0.25), (3, 5, 2, 3, 1)
    )
    losses = run(
        connection, "uniform_rung_losses", units="units", rungs=[0, 1], exponent=0.5, ranged=True, leaves=3
    )
    assert [row["loss"] for row in losses] == [4 * 0.5, 0]
    put(connection, "uniform_open", "class a0 n", (7, 1, 2), (7, 2, 2), (7, 3, 5))
    asked = {"attribute": 0, "units": "units", "people": False, "k": 3, "count": 0}
    found = run(connection, "uniform_rung_deletions", rungs=[0, 1], **asked)
    assert [tuple(row.values()) for row in found] == [(0, 0), (1, 4)]
    run(connection, "uniform_refine", rung=0, **asked)
    assert tell(connection, "SELECT COUNT(DISTINCT class), SUM(n) FROM uniform_open") == [(2, 9)]


@pytest.mark.parametrize("exponent", [1, 0.5])
def test_losses_of_periods(connection: duckdb.DuckDBPyConnection, exponent: float) -> None:
    """Of five values from 0.25 to 2 and a missing one: alone, in periods of two, two and one, and in one.

    A range covers all at most.
    """
    units = [(0, 9, 0, 0, 0, -1), (1, 1, 1, 1, 1, 0.25), (2, 2, 2, 1, 1, 0.5), (3, 3, 3, 2, 1, 0.75)]
    units += [(4, 4, 4, 2, 1, 1.0), (5, 5, 5, 3, 1, 2.0)]
    put(connection, "units", "rank n u0 u1 u2 place:DOUBLE", *units)
    asked = {"units": "units", "rungs": [0, 1, 2], "exponent": exponent, "leaves": 4}
    for ranged, shares in ((True, [0.25, 0.25, 0, 1]), (False, [0.5, 0.5, 0, 1])):
        found = run(connection, "uniform_rung_losses", **asked, ranged=ranged)
        first, second, third, everything = (share**exponent for share in shares)
        expected = [(0, 0), (1, 3 * first + 7 * second + 5 * third), (2, 15 * everything)]
        assert [tuple(one.values()) for one in found] == [(n, pytest.approx(loss)) for n, loss in expected]


def test_what_is_kept_in_a_column_with_a_ladder(connection: duckdb.DuckDBPyConnection) -> None:
    """Values 1 to 5 lie from 0 to 1; of 2 and 5 no record is left, but their periods cover them."""
    kept = [(0, 7), (1, 7), (1, 8), (1, 8), (3, 8), (4, 9), (4, 9)]
    put(connection, "uniform_kept", "person a0 class", *((n % 5, *one) for n, one in enumerate(kept)))
    assert run(connection, "uniform_count_kept", people=False) == [
        {"records": 7, "classes": 3, "smallest": 2}
    ]
    assert run(connection, "uniform_count_kept", people=True) == [{"records": 7, "classes": 3, "smallest": 2}]
    connection.execute("UPDATE uniform_kept SET person = 1 WHERE class = 9")
    assert run(connection, "uniform_count_kept", people=True) == [{"records": 7, "classes": 3, "smallest": 1}]
    put(
        connection,
        "units",
        "code rank u0 u1 u2",
        (0, 0, 0, 0, 0),
        *((n, n, n, n // 3, 1) for n in range(1, 6)),
    )
    codes = [(0, -1.0), (1, 0.0), (2, 0.25), (3, 0.5), (4, 0.625), (5, 1.0)]
    put(connection, "codes", "code place:DOUBLE", *codes)
    asked = {"attribute": 0, "units": "units", "codes": "codes", "leaves": 6}
    # Three records in the period of 1 and 2, three in that of 3 to 5; all six in one.
    for ranged, losses in (
        (True, [0, 3 * 0.25 + 3 * 0.5, 6 * 1]),
        (False, [0, 3 * 2 / 6 + 3 * 3 / 6, 6 * 5 / 6]),
    ):
        for rung, loss in enumerate(losses):
            found = run(connection, "uniform_kept_loss", **asked, rung=rung, ranged=ranged)
            assert found == [{"ncp": pytest.approx(loss)}]
    connection.execute("DELETE FROM uniform_kept")
    assert run(connection, "uniform_count_kept", people=True) == [
        {"records": 0, "classes": 0, "smallest": None}
    ]
    found = run(connection, "uniform_kept_loss", **asked, rung=1, ranged=True)
    assert found == [{"ncp": 0}]
