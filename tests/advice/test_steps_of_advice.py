"""The steps behind advice, each on a table of a few rows, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Attribute, Part, identifier, render
from tests.tables import connect, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- treatments ----------------------------------------------------------------------------------


def test_links_that_are_left(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "persons", "records", (3,), (1,), (2,))
    assert row(connection, "links_left", whole=6) == {"users": 3, "links": 0.5}
    assert row(connection, "links_left", whole=0) == {"users": 3, "links": None}
    connection.execute("DELETE FROM persons")
    assert row(connection, "links_left", whole=6) == {"users": 0, "links": 0}


def test_what_an_attacker_can_know_of_treated_records(connection: duckdb.DuckDBPyConnection) -> None:
    """An attribute of sets, one that is there or not, and one of another column that is there or not."""
    put(connection, "form", "code k0 k1", (1, 3, 0), (2, 0, 1), (3, 5, 2))
    cells = [(1, 1, 2, 4), (2, 2, 1, 1), (3, 3, 3, 2), (4, 1, 2, 6)]
    put(connection, "treated_cells", "tuple c5 present records", *cells)
    put(connection, "treated_deletions", "tuple", (3,))
    shared = {"forms": ["form"], "columns": [5], "fields": [[0, 0], [0, 1], [-1, 2]], "searched": 1}
    shared |= {"words": [0, 0, 1], "masks": [15, 16, 1], "shifts": [0, 4, 0], "set_bits": 64}
    given = shared | {"by_pseudonym": False, "period": None}
    records = "SELECT person, p0, p1, missing, records FROM treated_records ORDER BY ALL"
    run(connection, "treated_records", **given, deletes_records=False)
    told = [(1, 3, 1, 2, 4), (2, 16, 0, 5, 1), (3, 5 | 16, 1, 0, 2), (4, 3, 1, 2, 6)]
    assert tell(connection, records) == told
    run(connection, "treated_records", **given, deletes_records=True)
    assert tell(connection, records) == [told[0], told[1], told[3]]
    combined = "SELECT id, p0, records, missing FROM combinations ORDER BY p0"
    run(connection, "treated_combinations", words=2, by_pseudonym=False, id_bits=32)
    assert tell(connection, combined) == [(None, 3, 10, 2), (2, 16, 1, 5)]
    # Pseudonyms: the first and the fourth tuple are one person's, who is also behind the second.
    put(connection, "advice_people", "tuple person records", (1, 8, 4), (4, 8, 6), (2, 8, 1), (2, 9, 1))
    put(connection, "persons", "code person period:DATE", (30, 8, None), (31, 9, None))
    run(connection, "treated_records", **shared, by_pseudonym=True, period=None, deletes_records=True)
    assert tell(connection, records) == [
        (30, 3, 1, 2, 4),
        (30, 3, 1, 2, 6),
        (30, 16, 0, 5, 1),
        (31, 16, 0, 5, 1),
    ]
    run(connection, "treated_combinations", words=2, by_pseudonym=True, id_bits=32)
    assert tell(connection, combined) == [(30, 3, 10, 2), (None, 16, 2, 5)]
    run(connection, "treated_users_missing")
    assert sorted(tell(connection, "FROM users_missing")) == [(30, 0), (31, 5)]


@pytest.mark.parametrize("deleted", [[], [4], [3, 4], [1, 4]])
def test_information_that_treatments_leave(connection: duckdb.DuckDBPyConnection, deleted: list[int]) -> None:
    """Cells of two words, of which the low bits are no information, over columns of four and two values."""
    cells = [(1, 3, 1.0, 0b0001, 1), (2, 1, 1.0, 0b0010, 1), (3, 2, 0.0, 0b0100, 1), (4, 1, 2.0, 0b1000, 2)]
    put(connection, "treated_cells", "tuple records spread:DOUBLE q0 q1", *cells)
    put(connection, "treated_deletions", "tuple", *[(number,) for number in deleted])
    before = 3 * math.log2(3) + 2
    put(connection, "advice_disclosed", "log_sum:DECIMAL(38,12) records", (before, 7))
    given = {"words": 2, "masks": [0b1100, 3], "leaves": [4, 2], "deletes_records": bool(deleted)}
    found = row(connection, "treated_information", **given)
    gone = sum(records for number, records, *_ in cells if number in deleted)
    told = 0.0
    for tuples, spread in (((1, 2), 1), ((3,), 0), ((4,), 2)):
        records = sum(cells[number - 1][1] for number in tuples)
        kept = sum(cells[number - 1][1] for number in tuples if number not in deleted)
        told += records * math.log2(kept / 2**spread + gone / 8)
    kl, kl0 = (before - told) / 7, before / 7 - math.log2(7) + 3
    assert found == pytest.approx(
        {"kl": kl, "kl0": kl0, "information": 1 - kl / kl0, "records": 7 - gone, "deleted": gone}, abs=1e-9
    )


def test_who_is_alone_is_deleted(connection: duckdb.DuckDBPyConnection) -> None:
    """The first and the fourth have a field of their own; without the second and the sixth more are alone."""
    cells = [(1, 1, 0b0001), (2, 2, 0b0110), (3, 1, 0b0110), (4, 1, 0b1011), (5, 1, 0b1010), (6, 1, 0b1010)]
    put(connection, "treated_cells", "tuple records q0", *cells)
    sets = [[0b0011], [0b1100]]
    run(connection, "treated_deletions", words=1, sets=sets, replace=True)
    told = "SELECT tuple FROM treated_deletions ORDER BY tuple"
    assert tell(connection, told) == [(1,), (4,)]
    connection.execute("DELETE FROM treated_cells WHERE tuple IN (2, 6)")
    run(connection, "treated_deletions", words=1, sets=sets, replace=False)
    assert tell(connection, told) == [(1,), (3,), (4,), (5,)]
    outcomes = [(1, 2.5, 3, 0.0), (2, 0.5, 1, 0.0), (3, 1.5, 2, 0.0), (9, 7.0, 1, 0.0)]
    put(connection, "known", "tuple value:DOUBLE every_mask spread:DOUBLE", *outcomes)
    asked = {"outcomes": "known", "base": 2}
    assert run(connection, "kept_value", **asked) == [{"value": 15.0}]
    put(connection, "treated_cells", "tuple spread:DOUBLE", (1, 1.0), (3, 0.5), (9, 0.0))
    kept = [run(connection, "unchanged_value", **asked, mask=mask)[0]["value"] for mask in (0, 1, 2, 4)]
    assert kept == [14.0, 17.0, 14.0, 22.0]


def test_what_leaks_tell_at_least(connection: duckdb.DuckDBPyConnection) -> None:
    """Attributes of sensitivity 2 and 6: the first record needs the first one, as does the third, which lacks
    the second; the second record needs the second one, the fourth either; the eighth user has a set alone."""
    kinds = "tuple ease:DOUBLE value:DOUBLE missing every_mask any_mask spread:DOUBLE"
    outcomes = [(1, 2, 12, 0, 1, 1, 0), (2, 1, 6, 0, 2, 2, 0), (3, 1, 2, 2, 1, 1, 0), (4, 0.5, 3, 0, 0, 3, 0)]
    put(connection, "known", kinds, *outcomes)
    days = [(1, 7, "2011-01-05"), (2, 7, "2011-02-05"), (3, 8, "2011-01-05"), (4, 9, "2011-01-05")]
    put(connection, "advice_people", "tuple person day:DATE", *days)
    kinds = "person period:DATE ease:DOUBLE value:DOUBLE missing every_mask any_mask"
    put(connection, "known_users", kinds, (8, None, 1.5, 9, 0, 2, 2))

    asked: dict[str, Any] = {"outcomes": "known", "period": None, "base": 10}
    levels = {"masks": [1, 2, 3], "economic": [1, 2], "psychological": [1, 1]}
    floors = run(connection, "column_floors", **asked, **levels, users=None, divisor=1)
    assert sorted((row["place"], row["without"], row["coarser"]) for row in floors) == [
        (0, 90, 90),
        (1, 70, 170),
    ]
    floors = run(connection, "column_floors", **asked, **levels, users="known_users", divisor=5)
    assert sorted((row["place"], row["without"], row["coarser"]) for row in floors) == [
        (0, 36, 36),
        (1, 14, 34),
    ]

    put(connection, "treated_deletions", "tuple", (1,))
    assert row(connection, "pseudonyms_floor", **asked, users="known_users", deletes_records=True) == {
        "value_each": 60
    }
    put(connection, "treated_deletions", "tuple", (1,), (3,))
    assert row(connection, "pseudonyms_floor", **asked, users="known_users", deletes_records=True) == {
        "value_each": 45
    }
    asked["period"] = render("period_start", column=identifier("day"), unit="month")
    assert row(connection, "pseudonyms_floor", **asked, users=None, deletes_records=False) == {
        "value_each": 57.5
    }


def test_how_many_things_are_known_of_a_form(connection: duckdb.DuckDBPyConnection) -> None:
    """What is known has numbers from 1 on; 0 says that nothing is."""
    put(connection, "form", "code k0 k1", (1, 1, 0), (2, 2, 0), (3, 2, 1), (4, 0, 0))
    found = row(connection, "advice_form_counts", table="form", known_attributes=2)
    assert found == {"leaves": 4, "k0": 2, "m0": 1, "k1": 1, "m1": 3}
    put(connection, "form", "code k0 k1")
    assert set(row(connection, "advice_form_counts", table="form", known_attributes=2).values()) == {0}


def test_cells_as_they_would_be_published(connection: duckdb.DuckDBPyConnection) -> None:
    """Two values with one form are one cell; a value of no record is none."""
    put(
        connection,
        "different",
        "code value:VARCHAR records",
        (1, "ab", 3),
        (2, "ac", 4),
        (3, "b", 1),
        (4, "x", 0),
    )
    given = {"values": "different", "table": "made"}
    run(connection, "published_cells", **given, cell=None)
    assert sorted(tell(connection, "FROM made")) == [("ab", 3), ("ac", 4), ("b", 1)]
    first = Attribute("value", (Part("value", "prefix", 1),))
    run(connection, "published_cells", **given, cell=first)
    assert sorted(tell(connection, "FROM made")) == [("a", 7), ("b", 1)]
    cells = [(1, 1, 2), (2, 1, 5), (3, 2, 1), (4, 2, 9), (5, 3, 7)]
    put(connection, "treated_cells", "tuple c0 records", *cells)
    put(connection, "treated_deletions", "tuple", (4,), (5,))
    run(connection, "treated_kept", **given, column=0)
    assert sorted(tell(connection, "FROM made")) == [("ab", 7), ("ac", 1)]


@pytest.mark.parametrize("count", [1, 19, 20, 21, 39, 40, 60])
def test_the_span_of_most_numbers(connection: duckdb.DuckDBPyConnection, count: int) -> None:
    """The least number that one of twenty do not exceed, and the least that 19 of twenty do not."""
    numbers = [(n * 7) % count - 5 for n in range(count)]
    put(connection, "t", "x:DOUBLE n", *((n, 3) for n in numbers), (None, 1))
    expected = [float(sorted(numbers)[math.ceil(count * share / 20) - 1]) for share in (1, 19)]
    for counted in (None, "n"):
        found = row(connection, "value_span", source="t", column="x", counted=counted)
        assert [found["span_lower"], found["span_upper"]] == expected
