"""The steps of the search, each on a table of a few persons, by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

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
    run(connection, "outcomes", several=0, only_missing=0)
    listed = [tuple(one.values()) for one in run(connection, "scenarios", records=None, base=BASE, most=3)]
    assert listed == [
        (7, 2, 2.0, 1, BASE * 22.0, None, 4, 3),
        (2, 4, 1.5, 0, BASE * 3.0, None, 4, 3),
        (3, 1, 1.5, 0, BASE * 3.0, [4], 4, 3),
    ]
    (worst,) = run(connection, "scenarios", records=None, base=BASE, most=1)
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
        for one in run(connection, "scenarios", records="listed_records", base=BASE, most=9)
    ]
    assert with_names == [
        (8, 2, 2.0, 1, BASE * 22.0, None, 4, 3), (9, 1, 1.5, 0, BASE * 3.0, [4], 4, 3)
    ]  # fmt: skip


def test_outcomes_of_persons(connection: duckdb.DuckDBPyConnection) -> None:
    """Eight persons miss nothing: three are singled out, one is unknown. One who misses something is, too."""
    settled_persons(connection)
    order = "SELECT * FROM outcomes ORDER BY tier, first_mask, ease, records"
    run(connection, "outcomes", several=0, only_missing=0)
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
    run(connection, "outcomes", several=0, only_missing=1)
    assert tell(connection, order) == [*by_set, (None, 0, 0, 0, 1, 11, 1, 0.0, 2), *others]
    # Users, whose missing attributes stand in a list of their own; the JO model counts where a name is there.
    put(connection, "users_missing", "id missing", (7, 0), (5, 1))
    connection.execute("INSERT INTO left_persons VALUES (5, 0), (5, 0)")
    connection.execute("UPDATE patterns SET jo_identifiability = 6, jo_mask = 24 WHERE missing = 1")
    run(connection, "outcomes", several=1, only_missing=0)
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
    listed = [tuple(one.values()) for one in run(connection, "set_values", base=BASE, most=3)]
    assert listed == [
        (2, 2.0, 3, BASE * 6, 4, 1), (1, 1.5, 2, BASE * 6, 4, 3), (4, 1.5, 4, BASE * 6, 4, 3)
    ]  # fmt: skip


def test_who_is_open(connection: duckdb.DuckDBPyConnection) -> None:
    """Two share their values, one misses some; a class singles some of them out."""
    rows = [(1, 0, 5), (2, 0, 6), (3, 2, 7), (None, 0, 8), (4, 2, 9)]
    put(connection, "combined", "id missing p0", *rows)
    put(connection, "sharing", "id", (2,))
    given = {"table": "combined", "words": 1, "set_bits": 64}
    everybody = "SELECT id, missing, classes, required FROM open_persons ORDER BY id"
    run(connection, "open_persons", **given, with_values=1, sharing=1, only_missing=0)
    assert tell(connection, everybody) == [(1, 0, 0, 0), (3, 2, 0, 0), (4, 2, 0, 0)]
    assert tell(connection, "SELECT p0 FROM open_persons ORDER BY id") == [(5,), (7,), (9,)]
    assert run(connection, "count_patterns") == [{"patterns": 2}]
    run(connection, "open_persons", **given, with_values=0, sharing=0, only_missing=1)
    assert tell(connection, everybody) == [(3, 2, 0, 0), (4, 2, 0, 0)]
    run(connection, "open_persons", **given, with_values=0, sharing=0, only_missing=0)
    put(connection, "closed", "id mask", (1, 3), (3, 1))
    run(connection, "mark_class", **{"class": 2})
    connection.execute("DELETE FROM closed WHERE id = 1")
    run(connection, "mark_class", **{"class": 4})
    assert tell(connection, everybody) == [(1, 0, 2, 0), (2, 0, 0, 0), (3, 2, 6, 0), (4, 2, 0, 0)]
    counted = [run(connection, "count_open", **{"class": bit})[0]["combinations"] for bit in (0, 1, 2, 4)]
    assert counted == [4, 0, 2, 1]
    run(connection, "keep_closed")
    assert tell(connection, everybody) == [(3, 2, 6, 0)]


def test_what_every_set_requires(connection: duckdb.DuckDBPyConnection) -> None:
    """Of attributes 1, 2 and 4 who goes by all but one does not need it."""
    put(connection, "combined", "id p0", (1, 5), (2, 6), (3, 7))
    put(connection, "closures", "whole pattern mask", (3, 0, 3), (5, 0, 5), (6, 0, 6), (6, 1, 6))
    put(connection, "closed", "id mask", (1, 3), (2, 3), (2, 5))
    put(connection, "open_persons", "id missing classes required", (1, 0, 0, 0), (2, 0, 0, 0), (3, 0, 0, 0))
    given = {"table": "combined", "words": 1, "set_bits": 64, "searched": 7, "forms": 0}
    run(connection, "require", **given, with_values=0, patterns=0)
    asked = "SELECT id, required, p0 FROM open_persons ORDER BY id"
    assert tell(connection, asked) == [(1, 3, 5), (2, 1, 6), (3, 7, 7)]
    assert sorted(tell(connection, "SELECT number FROM open_persons")) == [(1,), (2,), (3,)]
    # Where sets were tried for each pattern of missing values, those of others say nothing.
    put(connection, "closures", "whole pattern mask", (6, 1, 6), (3, 0, 6))
    put(connection, "closed", "id mask", (1, 6), (2, 6))
    put(connection, "open_persons", "id missing classes required p0", (1, 0, 0, 0, 5), (2, 1, 0, 0, 6))
    run(connection, "require", **given, with_values=1, patterns=1)
    assert tell(connection, asked) == [(1, 3, 5), (2, 6, 6)]
    # Of attributes 1 and 2 the first has a coarser form, 4, by which the second person does not go.
    put(connection, "closures", "whole pattern mask", (2, 0, 2), (1, 0, 1), (6, 0, 6))
    put(connection, "closed", "id mask", (1, 2), (1, 6), (2, 1))
    put(connection, "open_persons", "id missing classes required p0", (1, 0, 0, 0, 5), (2, 0, 0, 0, 6))
    run(connection, "require", **given | {"searched": 3, "forms": 4}, with_values=1, patterns=0)
    assert tell(connection, asked) == [(1, 2, 5), (2, 5, 6)]


def test_anchors_are_what_has_most_values(connection: duckdb.DuckDBPyConnection) -> None:
    attributes = [(0, 1, 3), (1, 2, 12), (2, 4, 48), (3, 8, 64)]
    put(connection, "searched_attributes", "position bit f0", *attributes)
    put(connection, "open_persons", "id required p0", (1, 7, 127), (2, 6, 85), (3, 0, 1))
    run(connection, "anchors", words=1, ranks=[2, 3, 1, 0], size=2, of=[], forms=[])
    told = tell(connection, "SELECT id, anchor, f0, k0 FROM anchored ORDER BY id")
    assert told == [(1, 5, 51, 51), (2, 6, 60, 85 & 60), (3, 0, 0, 0)]
    assert run(connection, "count_unbound") == [{"combinations": 1}]


def test_persons_are_booked_by_parts(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "best", "id tier mask", (1, 0, 6), (1, 0, 3), (1, 1, 4), (2, 1, 5), (3, 1, 1), (4, 1, 1))
    put(connection, "persons", "id missing", (1, 8), (2, 16), (3, 0), (4, 0))
    kinds = "id tier first_mask any_mask every_mask missing"
    booked = f"SELECT {', '.join(kinds.split())} FROM settled ORDER BY id, tier"
    whole = [(1, 0, 3, 7, 2, 8), (2, 1, 5, 5, 5, 16), (3, 1, 1, 1, 1, 0), (4, 1, 1, 1, 1, 0)]

    def settle(tier: int | None, several: int, low: int | None, high: int | None) -> list[tuple[Any, ...]]:
        put(connection, "settled", kinds)
        run(connection, "settle", tier=tier, several=several, persons="persons", low=low, high=high)
        return tell(connection, booked)

    assert settle(0, 0, None, None) == whole[:1]
    assert settle(1, 0, 2, 3) == whole[1:3]
    assert settle(None, 0, 2, 4) == [(2, 1, 5, 5, 5, 16), *whole[2:]]
    assert settle(None, 1, None, None) == [(1, 0, 3, 7, 0, 0), (2, 1, 5, 5, 5, 0), *whole[2:]]


def test_who_is_left_by_parts(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "open_persons", "id", (1,), (2,), (3,), (4,), (5,))
    put(connection, "booked", "id tier", (1, 0), (2, 1), (3, 2), (4, 3), (5, 2))
    given = {"booked": "booked", "tier": 1, "last": 2, "into": "still_open"}
    run(connection, "close_settled", **given, low=None, high=None, begin=1)
    left = "SELECT id FROM still_open ORDER BY id"
    assert tell(connection, left) == [(1,), (4,)]
    run(connection, "close_settled", **given, low=1, high=3, begin=1)
    assert tell(connection, left) == [(1,)]
    run(connection, "close_settled", **given, low=4, high=5, begin=0)
    assert tell(connection, left) == [(1,), (4,)]
    run(connection, "reopen")
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
        "searched": "BOOLEAN",
        "f0": "BIGINT",
    }
    attributes = [(1, 1, 1, True, 3), (2, 2, 1, True, 12), (4, 1, 1, True, 48), (8, 1, 1, False, 64)]
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
            before=(0, 2, 3)[number], begin=int(number == 0), words=1, redundant=[5],
        )  # fmt: skip
    assert tell(connection, told) == sets
    listed = {
        name: list(level)
        for name, level in zip(("sizes", "economic", "psychological"), zip(*tiers, strict=True), strict=True)
    }
    run(connection, "all_sets", **listed, searched=3, words=1, redundant=[5])
    assert tell(connection, told) == sets
    assert {one["tier"]: one["sets"] for one in run(connection, "count_sets")} == {0: 2, 1: 1, 2: 2}
    put(connection, "open_persons", "required classes needed", (1, 1, 1), (1, 3, 3), (2, 2, 4), (6, 3, 2))
    useful = "SELECT tier, number, mask, wanted, f0 FROM useful ORDER BY number"

    def wanted(open_if: str, first: int, last: int, **forms: list[int]) -> list[tuple[Any, ...]]:
        forms = {"of": [], "forms": []} | forms
        asked = {"first": first, "last": last, "open_if": open_if, "words": 1, "class": 1}
        run(connection, "useful_sets", **asked, **forms)
        return tell(connection, useful)

    # 2 and 6 go by sets with the attribute 2, which 1 and 4 lack.
    assert wanted("all", 0, 2) == [(0, 0, 1, 2, 3), (1, 1, 2, 1, 12), (2, 2, 3, 3, 15), (2, 3, 6, 2, 60)]
    assert run(connection, "count_useful") == [{"sets": 4, "wanted": 8}]
    assert wanted("class", 1, 2) == [(2, 0, 3, 2, 15), (2, 1, 6, 1, 60)]
    assert wanted("needed", 0, 2) == [(0, 0, 1, 1, 3), (1, 1, 2, 1, 12), (2, 2, 3, 1, 15)]
    assert tell(connection, "SELECT mask, serves FROM useful ORDER BY number") == [(1, ~1), (2, ~2), (3, ~3)]
    # 8 is a coarser form of 1: sets with it stand for those with 1; those with neither serve, too.
    put(connection, "open_persons", "required classes needed", (1, 0, 8), (0, 0, 8))
    connection.execute(
        "INSERT INTO sets BY NAME SELECT 0 AS tier, 8 AS mask, 64 AS f0 UNION ALL SELECT 2, 10, 76"
    )
    sets = [(0, 0, 4, 1, 48), (0, 1, 9, 2, 64), (1, 2, 2, 1, 12), (2, 3, 6, 1, 60), (2, 4, 11, 2, 76)]
    assert wanted("needed", 0, 2, of=[1], forms=[8]) == sets
    serves = tell(connection, "SELECT serves FROM useful ORDER BY number")
    assert serves == [(~4,), (8,), (~2,), (~6,), (8,)]


def test_who_goes_without_an_attribute(connection: duckdb.DuckDBPyConnection) -> None:
    """Three persons whose easiest sets share 3, 1 and nothing; without 2 nothing singles the first out."""
    put(connection, "searched_attributes", "position bit", (0, 1), (1, 2), (2, 4))
    put(connection, "settled", "id missing every_mask", (1, 0, 3), (2, 4, 1), (3, 0, 0))
    put(connection, "combinations", "id p0", (1, 5), (2, 6), (3, 7))
    run(connection, "needs", words=1, set_bits=64, of=[2], forms=[8])
    everybody = [(1, 0, 11, 0, 5), (2, 4, 1, 0, 6)]
    assert tell(connection, "SELECT * FROM open_persons ORDER BY id") == everybody
    run(connection, "needs", words=1, set_bits=64, of=[], forms=[])
    assert tell(connection, "SELECT * FROM open_persons ORDER BY id") == [(1, 0, 3, 0, 5), (2, 4, 1, 0, 6)]
    connection.execute("UPDATE open_persons SET required = 6 WHERE id = 1")
    put(connection, "without_attribute", "position tier missing records")
    run(connection, "unreachable", required=1)
    gone = "SELECT * FROM without_attribute ORDER BY ALL"
    assert tell(connection, gone) == [(1, None, 0, 1)]
    run(connection, "keep_needed", forms=[4])
    assert tell(connection, "SELECT required FROM open_persons ORDER BY id") == [(2,), (0,)]
    needed = "SELECT id, needed FROM open_persons ORDER BY id"
    assert tell(connection, needed) == [(1, 1), (2, 1)]
    # Of the sets that single the second person out one lacks the attribute, of those of the first none.
    put(connection, "hits", "id serves", (2, ~5), (2, ~6), (1, ~3), (1, ~5), (9, ~2))
    run(connection, "release", tier=2)
    assert tell(connection, gone) == [(0, 2, 4, 1), (1, None, 0, 1)]
    run(connection, "close_needed")
    assert tell(connection, needed) == [(1, 1)]
    run(connection, "unreachable", required=0)
    assert tell(connection, gone) == [(0, 2, 4, 1), (0, None, 0, 1), (1, None, 0, 1)]
    put(connection, "left_persons", "id missing")
    put(connection, "open_persons", "id missing classes", (1, 0, 2), (1, 0, 2), (2, 0, 1), (3, 4, 6))
    run(connection, "leave_unknown", **{"class": 2})
    assert tell(connection, "SELECT * FROM left_persons ORDER BY id") == [(1, 0), (3, 4)]
    run(connection, "keep_known")
    assert tell(connection, "SELECT id FROM open_persons") == [(2,)]


#: Three attributes with fields of two bits, and sets of them: number, tier, mask, pattern, fields.
FIELDS = (3, 12, 48)
SETS = [
    (number, tier, mask, number % 3, sum(FIELDS[i] for i in range(3) if mask >> i & 1))
    for number, (tier, mask) in enumerate([(0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 6), (2, 7)])
]


def draw_persons(chance: random.Random, several: bool) -> tuple[list[Any], list[Any]]:
    """Combinations, and the open persons: id, missing, classes, needed, required, values."""
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
    marks = {owner: (chance.randint(0, 3), chance.randint(0, 7), 0) for owner in owners if owner}
    open_persons = [(owner, missing, *marks[owner], word) for owner, missing, word in combined if owner]
    return combined, open_persons


def singled_out(combined: list[Any], mask: int, fields: int, ignored: bool) -> set[int]:
    """Whom alone a combination on a set belongs to."""
    owners = defaultdict(list)
    for owner, missing, word in combined:
        if not (ignored and missing & mask):
            owners[word & fields].append(owner)
    return {alike[0] for alike in owners.values() if alike[0] is not None and len(set(alike)) == 1}


def is_asked(person: Any, one: Any, open_if: str) -> bool:
    """Whether a set is tried for an open person."""
    _, missing, classes, needed, _, _ = person
    told = {"class": classes & 2, "pattern": missing == one[3], "needed": needed & ~one[2]}
    return bool(told.get(open_if, True))


@pytest.mark.parametrize("seed", range(2))
def test_whom_sets_single_out(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = random.Random(seed)
    put(connection, "sets", "number tier mask pattern f0 serves", *((*one, ~one[2]) for one in SETS))
    for open_if in ("all", "class", "pattern", "needed") * 3:
        several, ignored, witnesses, easiest = (chance.random() < 0.5 for _ in range(4))
        several &= open_if != "pattern"
        combined, people = draw_persons(chance, several)
        put(connection, "combined", "id missing p0", *combined)
        put(connection, "open_persons", "id missing classes needed required p0", *people)
        first, last = chance.choice([(0, 6), (1, 4), (3, 5)])
        asked = {"table": "combined", "sets": "sets", "several": int(several), "ignored": int(ignored)}
        run(
            connection, "examine_sets", **asked, found="hits", begin=1, witnesses=int(witnesses), words=[0],
            bits=chance.choice([None, 6]), first=first, last=last, open_if=open_if,
            several_tiers=int(easiest), **{"class": 2},
        )  # fmt: skip
        hits = {
            (person[0], one[1], one[2])
            for one in SETS[first : last + 1]
            for person in people
            if person[0] in singled_out(combined, one[2], one[4], ignored) and is_asked(person, one, open_if)
        }
        tiers = {owner: min(tier for other, tier, _ in hits if other == owner) for owner, _, _ in hits}
        hits = {hit for hit in hits if not easiest or hit[1] == tiers[hit[0]]}
        told = "~serves" if open_if == "needed" else "mask"
        assert set(tell(connection, f"SELECT id, tier, {told} FROM hits")) == hits


@pytest.mark.parametrize("seed", range(2))
def test_whom_one_set_singles_out(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        several, ignored, filtered, with_values = (chance.random() < 0.5 for _ in range(4))
        combined, people = draw_persons(chance, several)
        people = [person for person in people if person[0] % 2]
        put(connection, "combined", "id missing p0", *combined)
        put(connection, "open_persons", "id missing classes needed required p0", *people)
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
            "several": int(several),
            "ignored": int(ignored),
            "filtered": int(filtered),
            "with_values": int(with_values),
        }
        run(
            connection,
            "examine_set",
            **given,
            found="hits",
            begin=1,
            pattern=pattern,
            witnesses=0,
            **{"class": 0},
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
            begin=1,
            pattern=pattern,
            witnesses=1,
            **{"class": 2},
        )
        certain = {
            person[0] for person in people if person[2] & 2 and (pattern is None or person[1] == pattern)
        }
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
    put(connection, "open_persons", "id classes required", (1, 2, 0), (5, 1, 0))
    given = {"table": "combined", "words": 1, "fields": [15], "used": [0], "into": "close"}
    run(connection, "near", **given, with_values=0, **{"class": 0})
    assert set(tell(connection, "SELECT id, missing, p0 FROM close")) == {combined[i] for i in (0, 1, 3, 4)}
    run(connection, "near", **given, with_values=0, **{"class": 2})
    assert set(tell(connection, "SELECT id, missing, p0 FROM close")) == {combined[i] for i in (0, 1, 3)}
    run(connection, "part", table="combined", words=1, into="close", word=0, bits=3, part=1)
    assert set(tell(connection, "SELECT id, missing, p0 FROM close")) == {combined[i] for i in (0, 1, 3)}
    put(connection, "sets", "number mask f0", (0, 1, 3), (1, 3, 15), (2, 4, 48))
    groups = run(
        connection, "estimate_groups", table="combined", words=1, sets="sets", numbers=[0, 1], share=1
    )
    assert {one["number"]: one["groups"] for one in groups} == {0: 4 - 1, 1: 4}
    batches = run(connection, "unions_of_sets", sets="sets", first=0, last=2, most=2)
    assert [one["mask"] for one in batches] == [3, 4]
    assert [one["number"] for one in run(connection, "listed_sets", sets="sets", first=1, last=2)] == [1, 2]


def test_agreements(connection: duckdb.DuckDBPyConnection) -> None:
    """The first open person requires attribute 1, the second nothing. Sets within larger ones go."""
    combined = [(1, 0b010101), (2, 0b011001), (3, 0b101001), (None, 0b100110), (4, 0b101010)]
    put(connection, "combined", "id p0", *combined)
    anchored = [(1, 1, 1, 0b010101, 1, 3, 1), (2, 4, 0, 0b101010, 0, 0, 0)]
    put(connection, "anchored", "number id required p0 anchor f0 k0", *anchored)
    given = {"table": "combined", "positions": [0, 1, 2], "words": [0, 0, 0], "masks": list(FIELDS)}
    whole = {"of": [], "forms": []}
    run(connection, "agreements", **given, **whole, used=[0], tops=[0b101010], lows=[0b010101])
    assert tell(connection, "SELECT number, mask FROM agreements ORDER BY ALL") == [(1, 5), (2, 5), (2, 6)]
    put(connection, "sets", "number tier mask pattern f0", *SETS)
    people = [(1, 1, 1, 1, 0), (2, 4, 0, 2, 2)]
    put(connection, "open_persons", "number id required classes missing", *people)

    def find(**asked: int) -> list[tuple[Any, ...]]:
        put(connection, "found", "id tier mask")
        run(
            connection,
            "examine_agreements",
            sets="sets",
            **{"first": 0, "several_tiers": 0, "ignored": 0, "class": 0} | asked,
            **whole,
            needed=0,
            begin=0,
        )
        return tell(connection, "SELECT * FROM found ORDER BY ALL")

    assert find(last=6) == [(1, 1, 3), (1, 2, 7), (4, 1, 3), (4, 2, 7)]
    assert find(last=6, several_tiers=1) == [(1, 1, 3), (4, 1, 3)]
    assert find(last=6, ignored=1) == find(last=6, **{"class": 1}) == [(1, 1, 3), (1, 2, 7)]
    assert find(last=5, **{"class": 2}) == [(4, 1, 3)]
    counted = {"table": "combined", "words": 1, "share": 1}
    # Three combinations have the value that the anchor of the first asks for; all that of an empty anchor.
    assert run(connection, "count_anchors", **counted) == [{"anchors": 2, "pairs": 3 + 5}]


def test_agreements_in_coarser_forms(connection: duckdb.DuckDBPyConnection) -> None:
    """Who needs the first attribute is asked about its form, the third, in which the second record agrees
    and the third does not: the form alone does not single out, together with the second attribute it does."""
    put(connection, "combined", "id p0", (1, 0b010101), (2, 0b011010), (3, 0b100110))
    put(connection, "searched_attributes", "position bit f0", (0, 1, 3), (1, 2, 12), (2, 4, 48))
    columns = "number id required needed classes missing p0"
    put(connection, "open_persons", columns, (1, 1, 1, 5, 0, 0, 0b010101))
    forms = {"of": [1], "forms": [4]}
    run(connection, "anchors", words=1, ranks=[0, 1, 2], size=2, **forms)
    assert tell(connection, "SELECT anchor, f0, k0 FROM anchored") == [(4, 48, 0b010000)]
    given = {"table": "combined", "positions": [0, 1, 2], "words": [0, 0, 0], "masks": list(FIELDS)}
    run(connection, "agreements", **given, **forms, used=[0], tops=[0b101010], lows=[0b010101])
    assert tell(connection, "SELECT number, mask FROM agreements") == [(1, 4)]
    put(
        connection,
        "useful",
        "number tier mask serves",
        (0, 7, 5, 4),
        (1, 7, 7, 4),
        (2, 7, 2, 5),
        (3, 7, 5, 0),
    )
    asked = {"sets": "useful", "first": 0, "last": 3, "several_tiers": 0, "ignored": 0, "class": 0}
    run(connection, "examine_agreements", **asked, **forms, needed=1, begin=1)
    assert tell(connection, "SELECT id, tier, serves FROM hits") == [(1, 7, 4)]


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
    counted = run(connection, "pair_classes", table="combined", words=1, most=9, masks=[])
    assert [tuple(one.values()) for one in counted] == [(1, 3), (2, 3), (3, 3), (4, 2), (5, 4), (6, 4)]
    some = run(connection, "pair_classes", table="combined", words=1, most=9, masks=[2, 5])
    assert [tuple(one.values()) for one in some] == [(2, 3), (5, 4)]


def test_records_told_one_by_one(connection: duckdb.DuckDBPyConnection) -> None:
    """Seven records of two attributes: their easiest sets, one that is unknown, and one with a name."""
    settled_persons(connection)
    connection.execute("INSERT INTO patterns VALUES (3, 1, 0, 6, 2)")
    rows = [(1, "x"), (2, "x"), (3, "x"), (4, "x"), (5, "x"), (None, None), (None, "x")]
    make(connection, {"a": "INTEGER", "b": "VARCHAR"}, rows)
    columns = [attribute("a"), attribute("b")]
    given = {"source": "t", "base": BASE, "attributes": columns, "names": ["a", "b"]}
    connection.execute("SET threads = 1; SET preserve_insertion_order = true")
    told = run(connection, "record_outcomes", **given)
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
