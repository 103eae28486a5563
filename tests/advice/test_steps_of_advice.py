"""The steps behind advice, each on a table of a few rows, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Attribute, Part, Sql, identifier, render
from tests.tables import connect, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- people --------------------------------------------------------------------------------------


def test_one_fact_that_is_known(connection: duckdb.DuckDBPyConnection) -> None:
    """5 is two people's with three records, 9 one person's; 7 stands for both, and 0 is a missing value."""
    records = [(1, 5), (1, 5), (2, 5), (1, 9), (1, 0), (2, 0), (3, 0)]
    put(connection, "r", "person h0", *records)
    put(connection, "form", "h k0 k1", (5, 7, 0), (9, 7, 4), (0, 0, 0))
    given = {"source": "r", "places": [0, 0, 0], "forms": ["", "form", "form"], "known": [0, 0, 1]}
    people = [one["risk"] for one in run(connection, "people_facts", **given, by_user=True)]
    assert people == pytest.approx([(3 / 2 + 1) / 4, 4 / 2 / 4, 1])
    alone = [one["risk"] for one in run(connection, "people_facts", **given, by_user=False)]
    assert alone == pytest.approx([2 / 4, 1 / 4, 1])
    counted = [row(connection, "people_count", source="r", by_user=user)["people"] for user in (False, True)]
    assert counted == [7, 3]


def test_texts_of_one_pattern_are_values_of_their_own(connection: duckdb.DuckDBPyConnection) -> None:
    """The engine's own hash gives some of these the same number."""
    texts = [f'{{"page": "/p/{page}", "ref": "mail", "v": {page % 7}}}' for page in range(100, 800)]
    put(connection, "r", "cell:VARCHAR", *((text,) for text in texts))
    cell = Attribute("cell", (Part("cell"),))
    run(connection, "people_records", source=Sql("r"), user="cell", attributes=[cell])
    given = {"source": Sql("r"), "attribute": cell, "cell": "cell", "table": "v"}
    run(connection, "people_values", **given, place=0)
    numbers = "SELECT COUNT(DISTINCT person), COUNT(DISTINCT h0) FROM people_records"
    assert tell(connection, numbers) == [(700, 700)]
    assert tell(connection, "SELECT COUNT(*), COUNT(DISTINCT h) FROM v") == [(700, 700)]


def test_a_number_keeps_value_and_column_apart(connection: duckdb.DuckDBPyConnection) -> None:
    """Number the values 0 to 40 and NULL in three equal columns without a collision.

    A value has the same number in the records, in the table of its column and in a form that keeps it.
    """
    put(connection, "r", "a b c", *((value, value, value) for value in range(41)), (None, None, None))
    columns = [Attribute(name, (Part(name),)) for name in "abc"]
    run(connection, "people_records", source=Sql("r"), user=None, attributes=columns)
    for place, column in enumerate(columns):
        given = {"source": Sql("r"), "cell": column.name, "place": place}
        run(connection, "people_values", **given, attribute=column, table="v")
        numbers = f"SELECT COUNT(DISTINCT h) FROM v SEMI JOIN people_records ON h{place} = h"
        assert tell(connection, numbers) == [(42,)]
        given = {"values": "v", "place": place, "known": [], "table": "form"}
        run(connection, "people_form", **given, cell=Attribute("value", (Part("value"),)))
        assert tell(connection, "SELECT COUNT(*) FROM form WHERE published = h") == [(42,)]
    every = "SELECT UNNEST([h0, h1, h2]) AS h FROM people_records"
    assert tell(connection, f"SELECT COUNT(DISTINCT h) FROM ({every})") == [(3 * 41 + 1,)]
    pairs = "SELECT xor(one.h0, other.h1) AS class FROM people_records AS one, people_records AS other"
    assert tell(connection, f"SELECT COUNT(DISTINCT class) FROM ({pairs})") == [(42 * 42,)]


def test_known_records_are_drawn_by_person_value_and_number(connection: duckdb.DuckDBPyConnection) -> None:
    """Draw either record of a person with the same chance, whatever its value.

    Each of 4,000 people has a value that is the number of the person, and one that half of all share.
    """
    people = [(person, fact) for person in range(1, 4001) for fact in (person, 5000 + person % 2)]
    put(connection, "r", "person:UBIGINT h0:UBIGINT", *people)
    given = {"source": "r", "place": 0, "known": 0, "form": None, "people": 4000}
    assert row(connection, "people_three", **given, records=1)["share"] == pytest.approx(1 / 2, abs=0.04)


def test_records_that_are_known_single_people_out(connection: duckdb.DuckDBPyConnection) -> None:
    """Two people are told by two facts each; what the third has another has, too; the fourth has none."""
    records = [(1, 5), (1, 6), (2, 5), (2, 7), (3, 6), (3, 6), (3, 6), (4, 0)]
    put(connection, "r", "person h0", *records)
    put(connection, "form", "h k0", (5, 1), (6, 2), (7, 2), (0, 0))
    given = {"source": "r", "place": 0, "known": 0}
    assert row(connection, "people_three", **given, form=None, records=3, people=9)["share"] == pytest.approx(
        2 / 3
    )
    assert row(connection, "people_three", **given, form="form", records=3, people=9)["share"] == 0
    # By one record the second is told where it is 7, the others never are.
    assert row(connection, "people_three", **given, form=None, records=1, people=9)["share"] in (0, 1 / 3)
    assert row(connection, "people_three", **given, form=None, records=3, people=1)["share"] in (0, 1)


def test_what_is_published_changes_by_one_column(connection: duckdb.DuckDBPyConnection) -> None:
    """The number of all published cells is the exclusive or of theirs, whatever was published before."""
    put(connection, "people_records", "person h0:UBIGINT h1:UBIGINT", (1, 11, 21), (2, 12, 21))
    own = "records.h{0}"
    shared: dict[str, Any] = {"columns": 2, "spread": 5.0}
    run(connection, "people_start", **shared, unchanged=True, table="whole")
    run(connection, "people_start", **shared, unchanged=False, table="nothing")

    def same(relation: str, expression: str) -> list[float]:
        """What the cells cover, where the numbers are these."""
        query = f"SELECT spread FROM {relation} AS records WHERE class = {expression} ORDER BY person"
        return [spread for (spread,) in tell(connection, query)]

    assert same("whole", f"xor({own.format(0)}, {own.format(1)})") == [0, 0]
    assert same("nothing", "0") == [5, 5]
    put(connection, "form", "h:UBIGINT published:UBIGINT leaves", (11, 77, 4), (12, 78, 2))

    def changed(source: str, **given: Any) -> str:
        given = {
            "before": None,
            "after": None,
            "unchanged_before": False,
            "unchanged_after": False,
            "leaves": 3.0,
        } | given
        text = render("people_changed", columns=2, source=source, **given)
        connection.execute(f"CREATE OR REPLACE TABLE made AS {text}")
        return "made"

    assert same(changed("whole", place=1, unchanged_before=True), own.format(0)) == [3, 3]
    assert same(changed("nothing", place=0, unchanged_after=True), own.format(0)) == [2, 2]
    assert same(changed("nothing", place=0, after="form"), "CASE person WHEN 1 THEN 77 ELSE 78 END") == [4, 3]
    connection.execute("CREATE OR REPLACE TABLE formed AS FROM made")
    assert same(changed("formed", place=0, before="form"), "0") == [5, 5]
    assert same(changed("formed", place=0, before="form", unchanged_after=True), own.format(0)) == [2, 2]


def test_who_is_alone_or_among_few(connection: duckdb.DuckDBPyConnection) -> None:
    """The first class has two people with three records, the second one with one, the third one with two."""
    put(connection, "r", "class person", (1, 1), (1, 1), (1, 2), (2, 1), (3, 3), (3, 3))
    by_person = row(connection, "people_classes", source="r", by_user=True, least=2)
    assert by_person == {
        "classes": 3, "records": 6, "smallest": 1, "small": 3, "alone": 2, "bits": 3
    }  # fmt: skip
    by_record = row(connection, "people_classes", source="r", by_user=False, least=3)
    bits = pytest.approx(3 * math.log2(3) + 2)
    assert by_record == {
        "classes": 3, "records": 6, "smallest": 1, "small": 3, "alone": 1, "bits": bits
    }  # fmt: skip
    put(connection, "unnamed", "class person", (1, 1), (1, 2), (1, None), (2, 3), (2, None), (3, None))
    by_person = row(connection, "people_classes", source="unnamed", by_user=True, least=2)
    assert by_person == {"classes": 3, "records": 6, "smallest": 1, "small": 3, "alone": 1, "bits": 3}
    for user in (False, True):
        nobody = row(connection, "people_classes", source=Sql("(FROM r LIMIT 0)"), by_user=user, least=2)
        assert set(nobody.values()) == {0}
    run(connection, "people_keep", source="r", by_user=True, least=2, table="kept")
    assert tell(connection, "SELECT DISTINCT class FROM kept") == [(1,)]
    run(connection, "people_keep", source="r", by_user=False, least=2, table="kept")
    assert sorted(tell(connection, "SELECT DISTINCT class FROM kept")) == [(1,), (3,)]


@pytest.mark.parametrize(("user", "least"), [(False, 2), (False, 1), (True, 2)])
def test_information_that_is_left(connection: duckdb.DuckDBPyConnection, user: bool, least: int) -> None:
    """Classes of four, two and one record, which cover 2, 1 and 4 of eight combinations; two people are in
    each of the first two. A small class is spread over all combinations."""
    classes = {1: (4, 2, 1.0), 2: (2, 2, 0.0), 3: (1, 1, 2.0)}
    rows = [(c, person % people, spread) for c, (n, people, spread) in classes.items() for person in range(n)]
    put(connection, "r", "class person spread:DOUBLE", *rows)
    given = {"source": "r", "spread": 3.0, "by_user": user, "least": least}
    deleted = 1 if least == 2 else 0
    told = 0.0
    for records, _, spread in classes.values():
        kept = 0 if deleted and records == 1 else records
        told += records * math.log2(kept / 2**spread + deleted / 8)
    before = 4 * 2 + 2 * 1 + 0.5  # of the table as it is: the class of four was two of three and one
    found = row(connection, "people_information", **given, told=before)
    assert found["told"] == pytest.approx(told, abs=1e-9)
    wanted = 1 - (before / 7 - told / 7) / (before / 7 - math.log2(7) + 3)
    assert found["information"] == pytest.approx(wanted, abs=1e-8)
    assert row(connection, "people_information", **given, told=None)["information"] == 1


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
    put(connection, "advice_disclosed", "told:DECIMAL(38,12) records", (before, 7))
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
