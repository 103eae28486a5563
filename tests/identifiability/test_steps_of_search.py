"""The steps of the search, each on a table of a few persons, by hand."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import attribute, connect, make, put, run, tell

BASE = 500


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def settled_persons(connection: duckdb.DuckDBPyConnection) -> None:
    """Four persons by three easiest sets, worth 11 * 2, 2 * 1.5, 2 * 1.5 and 2 * 1.2 times the base."""
    make(connection, {"tier": "INTEGER", "ease": "DOUBLE"}, [(0, 2.0), (1, 1.5), (2, 1.2)], "tier_ease")
    settled = [(4, 2, 3, 3, 3, 0), (3, 1, 1, 5, 0, 0), (2, 1, 4, 4, 4, 0), (7, 0, 2, 2, 2, 1)]
    put(connection, "settled", "id tier first_mask any_mask every_mask missing", *settled)
    put(connection, "best", "id tier mask", (4, 2, 3), (3, 1, 4), (3, 1, 1), (2, 1, 4), (7, 0, 2), (7, 1, 4))
    patterns = [(0, 8, 2, 1, 0), (1, 1, 11, 1, 0)]
    put(connection, "patterns", "missing records sensitivity jo_identifiability jo_mask", *patterns)
    put(connection, "left_persons", "id missing", (5, 0), (5, 0))


def test_worst_records(connection: duckdb.DuckDBPyConnection) -> None:
    settled_persons(connection)
    run(connection, "outcomes", by_user=False, only_missing=False)
    listed = [
        tuple(one.values()) for one in run(connection, "scenarios", records=None, base=BASE, max_rows=3)
    ]
    assert listed == [
        (7, 2, 2.0, 1, BASE * 22.0, None, 4, 3),
        (2, 4, 1.5, 0, BASE * 3.0, None, 4, 3),
        (3, 1, 1.5, 0, BASE * 3.0, [4], 4, 3),
    ]
    (worst,) = run(connection, "scenarios", records=None, base=BASE, max_rows=1)
    assert (worst["record"], worst["total"], worst["reached"]) == (7, 4, 1)
    columns = dict.fromkeys(("record", "mask", "missing"), "BIGINT") | {"others": "BIGINT[]"}
    listed_records = [
        (1, 0, 0, None, 0.0, 0.0),
        (9, 1, 0, [4], 1.5, BASE * 3.0),
        (8, 2, 1, None, 2.0, BASE * 22.0),
        (6, 0, 0, None, None, None),
    ]
    make(connection, columns | {"ease": "DOUBLE", "value": "DOUBLE"}, listed_records, "listed_records")
    with_names = [
        tuple(one.values())
        for one in run(connection, "scenarios", records=Sql("FROM listed_records"), base=BASE, max_rows=9)
    ]
    assert with_names == [
        (8, 2, 2.0, 1, BASE * 22.0, None, 4, 3), (9, 1, 1.5, 0, BASE * 3.0, [4], 4, 3)
    ]  # fmt: skip


def test_outcomes_of_persons(connection: duckdb.DuckDBPyConnection) -> None:
    """Eight persons miss nothing: three are singled out, one is unknown. One who misses something is, too."""
    settled_persons(connection)
    order = "SELECT * FROM outcomes ORDER BY tier, first_mask, ease, records"
    run(connection, "outcomes", by_user=False, only_missing=False)
    by_set = [
        (0, 2, 2, 2, 1, 11, 1, 2.0, 1),
        (1, 1, 5, 0, 0, 2, 1, 1.5, 1),
        (1, 4, 4, 4, 0, 2, 1, 1.5, 1),
        (2, 3, 3, 3, 0, 2, 1, 1.2, 1),
    ]
    others = [(None, 0, 0, 0, 0, 2, 1, 0.0, 4), (None, 0, 0, 0, 0, 2, 1, None, 1)]
    assert tell(connection, order) == by_set + others
    # Again for those with missing values alone: of them another two, of whom nothing is known yet.
    connection.execute("DELETE FROM left_persons")
    connection.execute("UPDATE patterns SET records = 3 WHERE missing = 1")
    connection.execute("DELETE FROM settled WHERE missing = 0")
    run(connection, "outcomes", by_user=False, only_missing=True)
    assert tell(connection, order) == [*by_set, (None, 0, 0, 0, 1, 11, 1, 0.0, 2), *others]
    # Users, whose missing attributes stand in a list of their own; the JO model counts where a name is there.
    put(connection, "users_missing", "id missing", (7, 0), (5, 1))
    connection.execute("INSERT INTO left_persons VALUES (5, 0), (5, 0)")
    connection.execute("UPDATE patterns SET jo_identifiability = 6, jo_mask = 24 WHERE missing = 1")
    run(connection, "outcomes", by_user=True, only_missing=False)
    assert tell(connection, "SELECT * FROM outcomes ORDER BY missing, tier, ease, records") == [
        (0, 2, 2, 2, 0, 2, 1, 2.0, 1), (None, 0, 0, 0, 0, 2, 1, 0.0, 7),
        (None, 24, 24, 0, 1, 11, 6, 6.0, 1), (None, 24, 24, 0, 1, 11, 6, 6.0, 2),
    ]  # fmt: skip


def test_sets_of_equal_value(connection: duckdb.DuckDBPyConnection) -> None:
    columns = {"first_mask": "BIGINT", "ease": "DOUBLE", "records": "BIGINT", "sensitivity": "BIGINT"}
    make(
        connection,
        columns,
        [(1, 1.5, 2, 2), (2, 2.0, 3, 1), (4, 1.5, 4, 1), (8, 0.0, 9, 9), (3, 0.5, 1, 1)],
        "outcomes",
    )
    listed = [tuple(one.values()) for one in run(connection, "set_values", base=BASE, max_rows=3)]
    assert listed == [
        (2, 2.0, 3, BASE * 6, 4, 1), (1, 1.5, 2, BASE * 6, 4, 3), (4, 1.5, 4, BASE * 6, 4, 3)
    ]  # fmt: skip


def test_who_is_open(connection: duckdb.DuckDBPyConnection) -> None:
    """Two share their values, one misses some; a large set singles out one of them."""
    rows = [(1, 0, 5), (2, 0, 6), (3, 2, 7), (None, 0, 8), (4, 2, 9)]
    put(connection, "combined", "id missing p0", *rows)
    given = {"table": "combined", "words": 1, "set_bits": 64}
    everybody = "SELECT id, missing, required FROM open_persons ORDER BY id"
    run(connection, "open_persons", **given, with_values=True, only_missing=False)
    assert tell(connection, everybody) == [(1, 0, 0), (2, 0, 0), (3, 2, 0), (4, 2, 0)]
    assert tell(connection, "SELECT p0 FROM open_persons ORDER BY id") == [(5,), (6,), (7,), (9,)]
    assert run(connection, "count_patterns") == [{"patterns": 2}]
    run(connection, "open_persons", **given, with_values=False, only_missing=True)
    assert tell(connection, everybody) == [(3, 2, 0), (4, 2, 0)]
    run(connection, "open_persons", **given, with_values=False, only_missing=False)
    put(connection, "closed", "id mask", (3, 1))
    run(connection, "keep_closed")
    assert tell(connection, everybody) == [(3, 2, 0)]


def test_what_every_set_requires(connection: duckdb.DuckDBPyConnection) -> None:
    """Of attributes 1, 2 and 4 who goes by all but one does not need it."""
    put(connection, "combined", "id p0", (1, 5), (2, 6), (3, 7))
    put(connection, "closed", "id mask", (1, 3), (2, 3), (2, 5))
    put(connection, "open_persons", "id missing required", (1, 0, 0), (2, 0, 0), (3, 0, 0))
    given = {"table": "combined", "words": 1, "set_bits": 64, "searched": 7}
    run(connection, "require", **given, with_values=False)
    asked = "SELECT id, required, p0 FROM open_persons ORDER BY id"
    assert tell(connection, asked) == [(1, 3, 5), (2, 1, 6), (3, 7, 7)]
    assert sorted(tell(connection, "SELECT number FROM open_persons")) == [(1,), (2,), (3,)]


def test_what_every_answer_requires(connection: duckdb.DuckDBPyConnection) -> None:
    """Of attributes 1, 2 and 4 all questions bar the first, which has the form 8. Large sets answer the first
    and the last two: one needs the form, and of the other more was known before."""
    put(connection, "closed", "number mask", (7, 6), (7, 2), (10, 14), (10, 10), (11, 6), (11, 2))
    columns = "number missing needed barred required"
    questions = [(7, 0, 1, 9, 0), (8, 0, 1, 9, 0), (9, 1, 1, 9, 4), (10, 0, 8, 1, 8), (11, 1, 1, 9, 4)]
    put(connection, "open_persons", columns, *questions)
    run(connection, "require_answers", set_bits=64, searched=7)
    told = "SELECT number, required FROM open_persons ORDER BY number"
    assert tell(connection, told) == [(7, 2), (8, 6), (9, 6), (10, 10), (11, 6)]


def test_large_sets_on_each_pattern(connection: duckdb.DuckDBPyConnection) -> None:
    """Attributes 1, 2 and 4; of three persons two miss nothing, the third the first."""
    put(connection, "searched_attributes", "bit f0", (1, 3), (2, 12), (4, 48))
    put(connection, "open_persons", "missing", (0,), (0,), (1,))
    told = "SELECT number, pattern, wanted, mask, f0, unions FROM closures ORDER BY number"
    run(connection, "closure_sets", unions=[6, 7], words=1, patterns=True)
    assert tell(connection, told) == [(0, 0, 2, 6, 60, 1), (1, 0, 2, 7, 63, 1), (2, 1, 1, 6, 60, 2)]
    assert run(connection, "count_closures", many=2) == [{"many": 2, "most_of_few": 1, "unions": 4}]
    run(connection, "closure_sets", unions=[6, 7], words=1, patterns=False)
    assert tell(connection, told) == [(0, None, 3, 6, 60, 1), (1, None, 3, 7, 63, 1)]
    assert run(connection, "count_closures", many=2) == [{"many": 2, "most_of_few": 0, "unions": 2}]


def test_anchors_are_what_has_most_values(connection: duckdb.DuckDBPyConnection) -> None:
    attributes = [(0, 1, 3), (1, 2, 12), (2, 4, 48), (3, 8, 64)]
    put(connection, "searched_attributes", "position bit f0", *attributes)
    put(connection, "open_persons", "id required p0", (1, 7, 127), (2, 6, 85), (3, 0, 1))
    run(connection, "anchors", words=1, ranks=[2, 3, 1, 0], size=2)
    told = tell(connection, "SELECT id, anchor, f0, k0, r0 FROM anchored ORDER BY id")
    assert told == [(1, 5, 51, 51, 63), (2, 6, 60, 85 & 60, 60), (3, 0, 0, 0, 0)]
    assert run(connection, "count_unbound") == [{"combinations": 1}]


def test_persons_are_booked(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "best", "id tier mask", (1, 0, 6), (1, 0, 3), (1, 1, 4), (2, 1, 5), (3, 1, 1), (4, 1, 1))
    put(connection, "persons", "id missing", (1, 8), (2, 16), (3, 0), (4, 0))
    kinds = "id tier first_mask any_mask every_mask missing"
    booked = f"SELECT {', '.join(kinds.split())} FROM settled ORDER BY id, tier"
    whole = [(1, 0, 3, 7, 2, 8), (2, 1, 5, 5, 5, 16), (3, 1, 1, 1, 1, 0), (4, 1, 1, 1, 1, 0)]

    def settle(tier: int | None, several: bool, people: str = "persons") -> list[tuple[Any, ...]]:
        put(connection, "settled", kinds)
        run(connection, "settle", tier=tier, by_user=several, persons=people)
        return tell(connection, booked)

    assert settle(0, False) == whole[:1]
    put(connection, "open_persons", "id missing", (2, 16), (3, 0))
    assert settle(1, False, "open_persons") == whole[1:3]
    assert settle(None, True) == [(1, 0, 3, 7, 0, 0), (2, 1, 5, 5, 5, 0), *whole[2:]]


def test_persons_are_closed(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "open_persons", "id", (1,), (2,), (3,), (4,), (5,))
    put(connection, "booked", "id tier", (1, 0), (2, 1), (3, 2), (4, 3), (5, 2))
    run(connection, "close_settled", booked="booked", tier=1, last=2)
    assert tell(connection, "SELECT id FROM open_persons ORDER BY id") == [(1,), (4,)]


def test_twins_stand_for_one_another(connection: duckdb.DuckDBPyConnection) -> None:
    """Attribute 8 has the values of 1 under other names, 16 those of 2."""
    put(connection, "found", "id tier mask", (1, 0, 3), (2, 1, 4), (3, 1, 6))
    run(connection, "best_sets", kept=[1, 2], twins=[8, 16])
    told = tell(connection, "SELECT id, tier, mask FROM best ORDER BY ALL")
    assert told == [(1, 0, 3), (1, 0, 10), (1, 0, 17), (1, 0, 24), (2, 1, 4), (3, 1, 6), (3, 1, 20)]


def test_sets_of_a_tier(connection: duckdb.DuckDBPyConnection) -> None:
    """Attributes of levels (1, 1), (2, 1), (1, 1), and one not searched; 1 and 4 together add nothing."""
    columns = {
        "bit": "BIGINT",
        "economic": "INTEGER",
        "psychological": "INTEGER",
        "separation": "BIGINT",
        "searched": "BOOLEAN",
        "f0": "BIGINT",
    }
    attributes = [
        (1, 1, 1, 0, True, 3), (2, 2, 1, 0, True, 12), (4, 1, 1, 0, True, 48), (8, 1, 1, 9, False, 64)
    ]  # fmt: skip
    make(connection, columns, attributes, "searched_attributes")
    told = "SELECT tier, number, size, economic, psychological, mask, f0 FROM sets ORDER BY number"
    sets = [
        (0, 0, 1, 1, 1, 1, 3),
        (0, 1, 1, 1, 1, 4, 48),
        (1, 2, 1, 2, 1, 2, 12),
        (2, 3, 2, 2, 1, 3, 15),
        (2, 4, 2, 2, 1, 6, 60),
    ]
    tiers = [(1, 1, 1), (1, 2, 1), (2, 2, 1)]
    for number, (size, economic, psychological) in enumerate(tiers):
        run(
            connection, "tier_sets", tier=number, size=size, economic=economic, psychological=psychological,
            before=(0, 2, 3)[number], replace=number == 0, words=1, redundant=[5], low=0,
        )  # fmt: skip
    assert tell(connection, told) == sets
    listed = {
        name: list(level)
        for name, level in zip(("sizes", "economic", "psychological"), zip(*tiers, strict=True), strict=True)
    }
    run(connection, "all_sets", **listed, searched=3, words=1, redundant=[5], low=0)
    assert tell(connection, told) == sets
    assert {one["tier"]: one["sets"] for one in run(connection, "count_sets")} == {0: 2, 1: 1, 2: 2}
    columns = "required needed barred tier"
    people = [(1, 0, 0, -1), (1, 0, 4, -1), (2, 0, 1, -1), (6, 0, 2, -1)]
    put(connection, "open_persons", columns, *people)
    useful = "SELECT tier, number, mask, wanted, f0 FROM useful ORDER BY number"

    def wanted(first: int, last: int, **asked: Any) -> list[tuple[Any, ...]]:
        asked = {"first": first, "last": last, "questions": False} | asked
        given = {"sets": "sets", "after": None} | asked
        run(connection, "useful_sets", words=1, low=0, **given)
        return tell(connection, useful)

    # 2 and 6 go by sets with the attribute 2, which 1 and 4 lack.
    assert wanted(0, 2) == [(0, 0, 1, 2, 3), (1, 1, 2, 1, 12), (2, 2, 3, 3, 15), (2, 3, 6, 2, 60)]
    assert run(connection, "count_useful") == [{"sets": 4, "wanted": 8}]
    # What a question bars is not tried for it.
    every = [(0, 0, 1, 2, 3), (1, 1, 2, 1, 12), (2, 2, 3, 2, 15), (2, 3, 6, 1, 60)]
    assert wanted(0, 2, questions=True) == every
    assert wanted(0, 2, questions=True, sets="useful", after=1) == [(2, 0, 3, 2, 15), (2, 1, 6, 1, 60)]
    # Nor is what is as easy as the sets of the person, but by the form that is needed, here 4.
    put(connection, "open_persons", columns, (0, 4, 0, 2), (2, 1, 0, 1))
    assert wanted(1, 1, questions=True) == []
    assert wanted(2, 2, questions=True) == [(2, 0, 6, 2, 60), (2, 1, 3, 1, 15)]


def test_order_of_the_sets_of_a_tier(connection: duckdb.DuckDBPyConnection) -> None:
    """The best first; sets with the same attributes but for the low ones, 1 and 2, stand together."""
    columns = "position:INTEGER bit economic:INTEGER psychological:INTEGER separation searched:BOOLEAN f0"
    put(
        connection, "searched_attributes", columns,
        *((place, 1 << place, 1, 1, part, True, 1 << place) for place, part in enumerate((0, 0, 7, 9))),
    )  # fmt: skip
    given: dict[str, Any] = {"words": 1, "redundant": [], "low": 3}
    run(connection, "tier_sets", tier=0, size=1, economic=1, psychological=1, before=0, replace=True, **given)
    run(
        connection, "tier_sets", tier=1, size=2, economic=1, psychological=1, before=4, replace=False, **given
    )
    told = "SELECT mask FROM sets ORDER BY number"
    order = [8, 4, 1, 2, 12, 9, 10, 5, 6, 3]
    assert [mask for (mask,) in tell(connection, told)] == order
    runs = {"first": 4, "last": 9, "low": 3}
    twice = [{"sets": 2, "first": 5, "last": 6, "used": 11}, {"sets": 2, "first": 7, "last": 8, "used": 7}]
    assert run(connection, "runs_of_sets", sets="sets", least=2, **runs) == twice
    run(
        connection, "all_sets", sizes=[1, 2], economic=[1, 1], psychological=[1, 1], searched=4, **given
    )  # fmt: skip
    assert [mask for (mask,) in tell(connection, told)] == order
    put(connection, "open_persons", "required", (0,), (0,), (8,))
    run(
        connection, "useful_sets", sets="sets", first=1, last=1, after=4, questions=False, words=1, low=3
    )  # fmt: skip
    assert [mask for (mask,) in tell(connection, "SELECT mask FROM useful ORDER BY number")] == order[5:]


def test_combinations_on_some_attributes(connection: duckdb.DuckDBPyConnection) -> None:
    """Attributes of two bits, the second word has one more; 5 and 6 are alike on the first and the last."""
    columns = "id owner missing p0 p1"
    rows = [(1, 1, 0, 5, 1), (2, 1, 2, 1, 1), (3, 2, 0, 6, 1), (4, None, 0, 6, 2), (None, 3, 0, 7, 1)]
    put(connection, "combinations", columns, *rows)
    given = {"words": [0, 1], "fields": [3, 3]}
    told = "SELECT {}id, missing, p0, p1 FROM projected ORDER BY p0, p1"
    run(connection, "projected", **given, union=5, by_user=False, owners=True)
    expected = [(1, None, 0, 1, 1), (2, 3, 0, 2, 1), (None, 4, 0, 2, 2), (3, None, 0, 3, 1)]
    assert tell(connection, told.format("owner, ")) == expected
    assert run(connection, "count_projected", **given) == [{"classes": 4}]
    # A user with several combinations that are alike is still the only one.
    put(connection, "combinations", columns, *[(1, None, *row[2:]) for row in rows[:2]], (2, None, 0, 7, 1))
    run(connection, "projected", **given, union=5, by_user=True, owners=False)
    assert tell(connection, told.format("")) == [(1, 0, 1, 1), (2, 0, 3, 1)]


def test_how_evenly_records_are_spread(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "combinations", "id p0", (1, 1), (2, 5), (3, 1), (4, 1), (None, 2))
    given = {"words": [0, 0], "masks": [3, 12]}
    spread = [
        (one["position"], round(one["entropy"], 6))
        for one in run(connection, "field_entropy", one_in=1, **given)
    ]
    assert spread == [(0, 0.500402), (1, 0.500402)]
    assert [one["entropy"] for one in run(connection, "field_entropy", one_in=2, **given)][
        1
    ] == pytest.approx(math.log(2))


def test_who_goes_without_an_attribute(connection: duckdb.DuckDBPyConnection) -> None:
    """Three persons whose easiest sets share 3, 1 and nothing; 8 is a coarser form of 2."""
    put(connection, "searched_attributes", "position bit", (0, 1), (1, 2), (2, 4), (3, 8))
    columns = "id missing tier first_mask every_mask"
    put(connection, "settled", columns, (1, 0, 1, 3, 3), (2, 4, 0, 1, 1), (3, 2, 0, 2, 0))
    put(connection, "combinations", "id missing p0", (1, 0, 5), (2, 4, 6), (3, 2, 7), (4, 0, 8))
    forms = {"attributes": [2], "forms": [8]}
    run(connection, "asked_combinations", words=1, set_bits=64, **forms)
    combined = tell(connection, "SELECT id, missing, known, p0 FROM asked_combinations ORDER BY id")
    assert combined == [(1, 0, 3, 5), (2, 4, 1, 6), (3, 10, 2, 7), (4, 0, -1, 8)]
    given = {"words": 1, "set_bits": 64}
    run(connection, "asked_persons", **given)
    persons = "SELECT id, missing, tier, every_mask, required, p0 FROM open_persons ORDER BY id"
    assert tell(connection, persons) == [(1, 0, 1, 3, 0, 5), (2, 4, 0, 1, 0, 6)]
    # Without 2 nothing singles the first out, with its form something does.
    put(connection, "closed", "id mask", (1, 6), (1, 13), (2, 6))
    asked = {"attributes": [1, 2, 2], "needed": [1, 2, 8], "barred": [9, 10, 2], "forms": 8}
    run(connection, "questions", **given, **asked)
    kinds = "id, missing, tier, needed, barred, required, p0"
    everybody = [
        (1, 0, 1, 1, 9, 2, 5), (1, 0, 1, 2, 10, 2, 5), (1, 0, 1, 8, 2, 8, 5), (2, 4, 0, 1, 9, 0, 6)
    ]  # fmt: skip
    assert tell(connection, f"SELECT {kinds} FROM open_persons ORDER BY id, needed") == everybody
    assert tell(connection, "SELECT COUNT(DISTINCT number) FROM open_persons") == [(4,)]
    put(connection, "without_attribute", "position tier missing records")
    run(connection, "unanswered", barred_only=True)
    gone = "SELECT * FROM without_attribute ORDER BY ALL"
    assert tell(connection, gone) == [(1, None, 0, 1)]
    run(connection, "keep_answerable")
    needed = "SELECT id, needed FROM open_persons ORDER BY ALL"
    assert tell(connection, needed) == [(1, 1), (1, 8), (2, 1)]
    put(connection, "hits", "number tier mask")
    answer = "INSERT INTO hits SELECT number, 2, mask FROM open_persons, (VALUES (4), (6)) AS t (mask)"
    connection.execute(f"{answer} WHERE id = 2")
    run(connection, "answered", tier=2)
    assert tell(connection, gone) == [(0, 2, 4, 1), (1, None, 0, 1)]
    run(connection, "close_answered")
    assert tell(connection, needed) == [(1, 1), (1, 8)]
    run(connection, "unanswered", barred_only=False)
    assert tell(connection, gone) == [(0, 2, 4, 1), (0, None, 0, 1), (1, None, 0, 1), (3, None, 0, 1)]
    put(connection, "left_persons", "id missing")
    put(connection, "open_persons", "id missing", (1, 0), (1, 0), (2, 0), (3, 4))
    put(connection, "closed", "id", (1,), (3,), (9,))
    run(connection, "leave_unknown", closed_only=True)
    assert tell(connection, "SELECT * FROM left_persons ORDER BY id") == [(1, 0), (3, 4)]
    run(connection, "keep_known")
    assert tell(connection, "SELECT id FROM open_persons") == [(2,)]
    run(connection, "leave_unknown", closed_only=False)
    assert tell(connection, "SELECT * FROM left_persons ORDER BY id") == [(1, 0), (2, 0), (3, 4)]


#: Three attributes with fields of two bits, and sets of them: number, tier, mask, pattern, fields.
FIELDS = (3, 12, 48)
SETS = [
    (number, tier, mask, number % 3, sum(FIELDS[i] for i in range(3) if mask >> i & 1))
    for number, (tier, mask) in enumerate([(0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 6), (2, 7)])
]


def draw_persons(chance: random.Random, several: bool) -> tuple[list[Any], list[Any]]:
    """Combinations, and the open persons: id, missing, barred, required, values."""
    codes = [[chance.randint(0, 3) for _ in FIELDS] for _ in range(10)]
    packed = sorted({sum(code << 2 * place for place, code in enumerate(one)) for one in codes})
    owners = [
        chance.choice([None, 1, 2, 3]) if several else chance.choice([number, None])
        for number in range(len(packed))
    ]
    combined = [
        (owner, sum(1 << i for i in range(3) if not word & FIELDS[i]), word)
        for owner, word in zip(owners, packed, strict=True)
    ]
    marks = {owner: (chance.randint(0, 7), 0) for owner in owners if owner}
    open_persons = [(owner, missing, *marks[owner], word) for owner, missing, word in combined if owner]
    return combined, open_persons


LIMITS = ("sets", "first", "last")


def singled_out(combined: list[Any], mask: int, fields: int, ignored: bool) -> set[int]:
    """Whom alone a combination on a set belongs to."""
    owners = defaultdict(list)
    for owner, missing, word in combined:
        if not (ignored and missing & mask):
            owners[word & fields].append(owner)
    return {alike[0] for alike in owners.values() if alike[0] is not None and len(set(alike)) == 1}


def is_asked(person: Any, one: Any, open_if: str) -> bool:
    """Whether a set is tried for an open person."""
    _, missing, barred, _, _ = person
    told = {"pattern": missing == one[3], "barred": not barred & one[2]}
    return bool(told.get(open_if, True))


@pytest.mark.parametrize("seed", range(2))
def test_whom_sets_single_out(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = random.Random(seed)
    put(connection, "sets", "number tier mask pattern f0", *SETS)
    for open_if in ("all", "all", "pattern", "barred") * 3:
        several, ignored, witnesses, easiest = (chance.random() < 0.5 for _ in range(4))
        questions = open_if == "barred"
        several &= open_if not in ("pattern", "barred")
        easiest &= not questions
        combined, people = draw_persons(chance, several)
        put(connection, "combined", "id missing p0 known", *((*one, -1) for one in combined))
        put(connection, "open_persons", "id missing barred required p0", *people)
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE open_persons AS"
            " SELECT *, -id AS number, 0 AS needed, -1 AS tier FROM open_persons"
        )
        first, last = chance.choice([(0, 6), (1, 4), (3, 5)])
        asked = {"table": "combined", "sets": "sets", "by_user": several, "ignore_missing": ignored}
        run(
            connection, "examine_sets", **asked, found="hits", replace=True, witnesses=witnesses, words=[0],
            bits=chance.choice([None, 6]), first=first, last=last,
            by_pattern=open_if == "pattern", questions=questions, skip_known=questions,
            several_tiers=easiest, owners=False,
        )  # fmt: skip
        hits = {
            (person[0], one[1], one[2])
            for one in SETS[first : last + 1]
            for person in people
            if person[0] in singled_out(combined, one[2], one[4], ignored) and is_asked(person, one, open_if)
        }
        tiers = {owner: min(tier for other, tier, _ in hits if other == owner) for owner, _, _ in hits}
        hits = {hit for hit in hits if not easiest or hit[1] == tiers[hit[0]]}
        person = "-number" if questions else "id"
        assert set(tell(connection, f"SELECT {person}, tier, mask FROM hits")) == hits


@pytest.mark.parametrize("seed", range(3))
def test_records_and_users_of_one_statement(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """What one grouping finds of both is what a grouping for each finds, once open persons are kept."""
    chance = random.Random(seed)
    put(connection, "sets", "number tier mask pattern f0", *SETS)
    for _ in range(6):
        ignored, easiest, has_sets = (chance.random() < 0.5 for _ in range(3))
        rows = [
            (chance.choice([number, None]), *row) for number, row in enumerate(draw_persons(chance, True)[0])
        ]
        # A record of its own has a user; the users of several records can be several.
        rows = [(record, owner or (1 if record is not None else None), *row) for record, owner, *row in rows]
        put(connection, "combined", "id owner missing p0", *rows)
        people = [{row[place] for row in rows} - {None} for place in (0, 1)]
        opened = [sorted(one for one in many if chance.random() < 0.7) for many in people]
        for table, ids in zip(("open_persons", "open_owners"), opened, strict=True):
            put(connection, table, "id", (-1,), *((one,) for one in ids))
        first, last = chance.choice([(0, 6), (1, 4), (3, 5)])
        asked = {"table": "combined", "sets": "sets", "by_user": False, "ignore_missing": ignored}
        run(
            connection, "examine_sets", **asked, found="singled", replace=True, witnesses=False, words=[0],
            bits=chance.choice([None, 6]), first=first, last=last, by_pattern=False, questions=False,
            skip_known=False, several_tiers=easiest, owners=True,
        )  # fmt: skip
        for place, (person, table) in enumerate([("id", "open_persons"), ("owner", "open_owners")]):
            connection.execute("CREATE OR REPLACE TEMP TABLE hits (id INTEGER, tier INTEGER, mask INTEGER)")
            some = chance.randint(first, last)
            limits = {"sets": "sets", "first": some, "last": last} if has_sets else dict.fromkeys(LIMITS)
            run(
                connection, "keep_singled", singled="singled", person=person, open=table, found="hits",
                several_tiers=easiest, **limits,
            )  # fmt: skip
            mine = [(row[place], *row[2:]) for row in rows]
            if place == 0:  # the records of a combination that several share are not alone
                mine = [(-2 - i if row[0] is None else row[0], *row[1:]) for i, row in enumerate(mine)]
                mine += [row for row in mine if row[0] < -1]
            expected = {
                (one, tier, mask)
                for number, tier, mask, _, fields in SETS[some if has_sets else first : last + 1]
                for one in singled_out(mine, mask, fields, ignored) & set(opened[place])
            }
            tiers = {one: min(t for other, t, _ in expected if other == one) for one, _, _ in expected}
            expected = {hit for hit in expected if not easiest or hit[1] == tiers[hit[0]]}
            assert sorted(tell(connection, "SELECT * FROM hits")) == sorted(expected)


def test_known_sets_are_not_examined(connection: duckdb.DuckDBPyConnection) -> None:
    combined = [(1, 4, 0b000101, 3), (2, 0, 0b100101, 3), (3, 0, 0b011010, 1), (None, 0, 0b111111, -1)]
    put(connection, "combined", "id missing p0 known", *combined)
    put(connection, "sets", "number tier mask f0", *((n, t, mask, f) for n, t, mask, _, f in SETS))
    columns = "number id missing tier needed barred required p0"
    put(connection, "open_persons", columns, (7, 3, 0, -1, 4, 4, 0, 0b011010))
    run(
        connection, "examine_sets", table="combined", sets="sets", by_user=False, ignore_missing=False,
        found="hits", replace=True, witnesses=False, words=[0], bits=6, first=0, last=6,
        by_pattern=False, questions=True, skip_known=True, several_tiers=False, owners=False,
    )  # fmt: skip
    # Sets with 1, by which the third is known, are not looked at for it; those with 4 it bars.
    assert tell(connection, "SELECT number, mask FROM hits ORDER BY mask") == [(7, 2)]


@pytest.mark.parametrize("seed", range(2))
def test_whom_one_set_singles_out(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        several, ignored, filtered, with_values = (chance.random() < 0.5 for _ in range(4))
        combined, people = draw_persons(chance, several)
        people = [person for person in people if person[0] % 2]
        put(connection, "combined", "id missing p0", *combined)
        put(connection, "open_persons", "id missing needed required p0", *people)
        if not with_values:
            connection.execute("ALTER TABLE open_persons DROP COLUMN p0")
        one, pattern = chance.choice(SETS), None if several else chance.choice([None, 0, 1])
        given = {
            "table": "combined",
            "mask": one[2],
            "fields": [one[4]],
            "words": [0],
            "tier": one[1],
            "set_bits": 64,
        }
        given |= {
            "by_user": several,
            "ignore_missing": ignored,
            "open_only": filtered,
            "with_values": with_values,
        }
        run(
            connection,
            "examine_set",
            **given,
            found="hits",
            replace=True,
            pattern=pattern,
            witnesses=False,
        )
        alone = singled_out(combined, one[2], one[4], ignored)
        still_open = {person[0] for person in people if pattern is None or person[1] == pattern}
        expected = {(owner, one[1], one[2]) for owner in alone if owner in still_open or not filtered}
        assert set(tell(connection, "SELECT id, tier, mask FROM hits")) == expected
        # Asked for some open persons: of them all whom the set singles out, and nobody whom it does not.
        run(
            connection,
            "examine_set",
            **given,
            found="hits",
            replace=True,
            pattern=pattern,
            witnesses=True,
        )
        certain = {person[0] for person in people if pattern is None or person[1] == pattern}
        assert alone & certain <= {hit[0] for hit in tell(connection, "SELECT id FROM hits")} <= alone


def test_who_is_near(connection: duckdb.DuckDBPyConnection) -> None:
    """Of six combinations those count that agree with an open person's in the first two attributes."""
    combined = [
        (1, 0, 0b010101),
        (2, 0, 0b100101),
        (3, 0, 0b010110),
        (None, 0, 0b110101),
        (5, 4, 0b001010),
        (6, 4, 0b001111),
    ]
    put(connection, "combined", "id missing p0", *combined)
    put(connection, "open_persons", "id required", (1, 0), (5, 0))
    given = {"table": "combined", "words": 1, "fields": [15], "used": [0], "into": "close"}
    run(connection, "near", **given, with_values=False)
    assert set(tell(connection, "SELECT id, missing, p0 FROM close")) == {combined[i] for i in (0, 1, 3, 4)}
    put(connection, "sets", "number mask f0", (0, 1, 3), (1, 3, 15), (2, 4, 48))
    batches = run(connection, "unions_of_sets", sets="sets", first=0, last=2, most=2)
    assert [tuple(one.values()) for one in batches] == [(0, 1, 2, 3), (2, 2, 1, 4)]
    assert [one["number"] for one in run(connection, "listed_sets", sets="sets", first=1, last=2)] == [1, 2]


def test_agreements(connection: duckdb.DuckDBPyConnection) -> None:
    """The first open person requires attribute 1, the second nothing. Sets within larger ones go."""
    combined = [(1, 0b010101), (2, 0b011001), (3, 0b101001), (None, 0b100110), (4, 0b101010)]
    put(connection, "combined", "id p0", *combined)
    anchored = [(1, 1, 1, 0b010101, 1, 3, 1, 3), (2, 4, 0, 0b101010, 0, 0, 0, 0)]
    put(connection, "anchored", "number id required p0 anchor f0 k0 r0", *anchored)
    given = {"table": "combined", "positions": [0, 1, 2], "words": [0, 0, 0], "masks": list(FIELDS)}
    run(connection, "agreements", **given, questions=False, used=[0], tops=[0b101010], lows=[0b010101])
    assert tell(connection, "SELECT number, mask FROM agreements ORDER BY ALL") == [(1, 5), (2, 5), (2, 6)]
    put(connection, "sets", "number tier mask pattern f0", *SETS)
    people = [(1, 1, 1, 0), (2, 4, 0, 2)]
    put(connection, "open_persons", "number id required missing", *people)

    def find(**asked: int) -> list[tuple[Any, ...]]:
        put(connection, "found", "id tier mask")
        run(
            connection,
            "examine_agreements",
            sets="sets",
            **{"first": 0, "several_tiers": False, "ignore_missing": False} | asked,
            questions=False,
            found="found",
            replace=False,
        )
        return tell(connection, "SELECT * FROM found ORDER BY ALL")

    assert find(last=6) == [(1, 1, 3), (1, 2, 7), (4, 1, 3), (4, 2, 7)]
    assert find(last=6, several_tiers=True) == [(1, 1, 3), (4, 1, 3)]
    assert find(last=6, ignore_missing=True) == [(1, 1, 3), (1, 2, 7)]
    assert find(last=5) == [(1, 1, 3), (4, 1, 3)]
    counted = {"table": "combined", "words": 1, "share": 1}
    # Three combinations have the value that the anchor of the first asks for; all that of an empty anchor.
    assert run(connection, "count_anchors", **counted) == [{"anchors": 2, "pairs": 3 + 5}]


def test_agreements_of_questions(connection: duckdb.DuckDBPyConnection) -> None:
    """Asked about the form of the first attribute, the third, in which the second record agrees and the third
    does not: the form alone does not single out, together with the second attribute it does."""
    put(connection, "combined", "id p0", (1, 0b010101), (2, 0b011010), (3, 0b100110))
    put(connection, "searched_attributes", "position bit f0", (0, 1, 3), (1, 2, 12), (2, 4, 48))
    columns = "number id required needed barred tier missing p0"
    people = [(8, 1, 4, 4, 1, 7, 0, 0b010101), (9, 1, 0, 1, 5, 7, 0, 0b010101)]
    put(connection, "open_persons", columns, *people)
    run(connection, "anchors", words=1, ranks=[0, 1, 2], size=2)
    told = tell(connection, "SELECT number, anchor, f0, k0 FROM anchored ORDER BY number")
    assert told == [(8, 4, 48, 0b010000), (9, 0, 0, 0)]
    given = {"table": "combined", "positions": [0, 1, 2], "words": [0, 0, 0], "masks": list(FIELDS)}
    run(connection, "agreements", **given, questions=True, used=[0], tops=[0b101010], lows=[0b010101])
    assert tell(connection, "SELECT number, mask FROM agreements ORDER BY ALL") == [(8, 4), (9, 2)]
    put(connection, "useful", "number tier mask", (0, 7, 4), (1, 7, 5), (2, 7, 6), (3, 7, 2))
    asked = {
        "sets": "useful",
        "first": 0,
        "last": 3,
        "several_tiers": False,
        "ignore_missing": False,
    }
    run(connection, "examine_agreements", **asked, questions=True, found="hits", replace=True)
    assert tell(connection, "SELECT number, tier, mask FROM hits") == [(8, 7, 6)]


def test_what_attributes_tell_of_each_other(connection: duckdb.DuckDBPyConnection) -> None:
    """The first tells the second, which is missing where the first is not; the third tells nothing."""
    words = [0b010101, 0b100101, 0b011010, 0b010011]
    combined = [
        (number, sum(1 << i for i in range(3) if not word & FIELDS[i]), word)
        for number, word in enumerate(words)
    ]
    put(connection, "combined", "id missing p0", *combined)
    attributes = [(0, 1, 3, True), (1, 2, 12, True), (2, 4, 48, True), (3, 8, 0, False)]
    columns = {"position": "BIGINT", "bit": "BIGINT", "f0": "BIGINT", "searched": "BOOLEAN"}
    make(connection, columns, attributes, "searched_attributes")

    def tells(one: int, others: list[int]) -> list[Any]:
        (told,) = run(
            connection, "determined", table="combined", word=0, field=FIELDS[one], bit=1 << one,
            words=[0] * len(others), fields=[FIELDS[other] for other in others],
            bits=[1 << other for other in others],
        )  # fmt: skip
        return list(told.values())

    assert tells(0, [1, 2]) == [True, True, False, False]
    assert tells(2, [0, 1]) == [False, False, False, True]
    counted = run(connection, "pair_classes", table="combined", words=1, max_combinations=9)
    assert [tuple(one.values()) for one in counted] == [(1, 3), (2, 3), (3, 3), (4, 2), (5, 4), (6, 4)]


def test_records_told_one_by_one(connection: duckdb.DuckDBPyConnection) -> None:
    """Seven records of two attributes: their easiest sets, one that is unknown, and one with a name."""
    settled_persons(connection)
    connection.execute("INSERT INTO patterns VALUES (3, 1, 0, 6, 2)")
    rows = [(1, "x"), (2, "x"), (3, "x"), (4, "x"), (5, "x"), (None, None), (None, "x")]
    make(connection, {"a": "INTEGER", "b": "VARCHAR"}, rows)
    columns = [attribute("a"), attribute("b")]
    given = {"source": "t", "base": BASE, "attributes": columns, "names": ["a", "b"]}
    connection.execute("SET threads = 1; SET preserve_insertion_order = true")
    told = sorted(run(connection, "record_outcomes", **given), key=itemgetter("record"))
    assert [tuple(one.values())[:-1] for one in told] == [
        (1, False, 0.0, 0.0, BASE * 2.0, [], [], 0, 0),
        (2, True, 1.5, BASE * 3.0, BASE * 2.0, [], [], 4, 0),
        (3, True, 1.5, BASE * 3.0, BASE * 2.0, ["a"], [[]], 1, 0),
        (4, True, 1.2, BASE * 2.4, BASE * 2.0, ["a", "b"], [], 3, 0),
        (5, None, None, None, BASE * 2.0, [], [], 0, 0),
        (6, True, 6.0, 0.0, 0.0, ["b"], [], 2, 3),
        (7, True, 2.0, BASE * 22.0, BASE * 11.0, ["b"], [], 2, 1),
    ]
    cells = run(connection, "cells", source="t", attributes=columns, records=[2, 7])
    assert [(one["record"], one["cells"]) for one in cells] == [(2, ["2", "x"]), (7, [None, "x"])]


def test_questions_to_persons(connection: duckdb.DuckDBPyConnection) -> None:
    """Each is asked about the attributes that all of their sets hold: bits 1, 2 and 4, of which 8 and 16
    are the
    coarser forms of 1 and 2. What the easiest sets of exact values hold is required."""
    persons = [(1, 0, 5, 7, 0, 70), (2, 1, 6, 7, 0, 71), (3, 0, 4, 2, 0, 72), (4, 2, 3, 15, 0, 73)]
    put(connection, "open_persons", "id missing tier every_mask required p0", *persons)
    closed = [(1, 3), (1, 7), (1, 12), (2, 24), (2, 10), (4, 14), (4, 6)]
    put(connection, "closed", "id mask", *closed)
    asked = {"attributes": [1, 2, 4], "needed": [8, 16, 0], "barred": [1, 2, 4], "forms": 24}
    run(connection, "questions", words=1, set_bits=32, **asked)
    told = tell(connection, "SELECT id, missing, tier, needed, barred, required, p0 FROM open_persons")
    # Of 1 the sets 3 and 7 hold 3, and 12 has form 8; of 2 there is no set of exact values, 24 and 10 have
    # both forms;
    # 3 has none at all; of 4 the set 6 holds 6, and 14 has form 8.
    assert sorted(told) == [
        (1, 0, 5, 0, 4, 3, 70), (1, 0, 5, 8, 1, 10, 70), (1, 0, 5, 16, 2, 3, 70),
        (2, 1, 6, 0, 4, 7, 71), (2, 1, 6, 8, 1, 14, 71), (2, 1, 6, 16, 2, 21, 71),
        (3, 0, 4, 16, 2, 2, 72),
        (4, 2, 3, 0, 4, 6, 73), (4, 2, 3, 8, 1, 6, 73), (4, 2, 3, 16, 2, 6, 73),
    ]  # fmt: skip
    numbers = tell(connection, "SELECT number FROM open_persons ORDER BY number")
    assert numbers == [(n,) for n in range(1, 11)]
