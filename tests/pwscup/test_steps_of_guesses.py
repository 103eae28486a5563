"""Statements of the contest on a few rows: what a release violates, and which pseudonyms votes name."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator

import duckdb
import pytest

from duckrisk.engine.templates import Sql
from tests.tables import connect, put, run, tell


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def test_what_a_generalized_release_violates(connection: duckdb.DuckDBPyConnection) -> None:
    """Each row is a case of its own; those that are right beside those that are not."""
    columns = "record attribute:VARCHAR original:VARCHAR released:VARCHAR items:VARCHAR[] value lower upper"
    known = [f"i{n}" for n in range(101)]
    items = {
        0: ("i0", ["i0"]),
        1: ("i1", ["i0", "i1"]),
        2: ("i2", ["i0", "i1"]),  # without its own
        3: ("i3", ["i3", "i3"]),  # twice
        4: ("i4", ["i4", "other"]),  # of none of the original
        5: ("i5", known[:100]),
        6: ("i6", known),  # 101 of them
        **{n: (f"i{n}", [f"i{n}"]) for n in range(7, 101)},
    }
    cells = [(n, "item", own, f"text {n}", held, None, None, None) for n, (own, held) in items.items()]
    cells += [(200, "item", "i9", "*", [], None, None, None)]
    numbers = [(5, 5, 5), (5, 1, 5), (5, 5, 9), (5, 6, 9), (5, 1, 4), (None, 1, 9), (5, None, None)]
    for record, (value, lower, upper) in enumerate(numbers):
        cells.append((record, "price", f"was {record}", f"is {record}", None, value, lower, upper))
    cells += [
        (7, "price", "was 7", "*", None, 5, None, None),
        (8, "date", "no date", "*", None, None, None, None),
    ]
    put(connection, "cells", columns, *cells)
    records = [
        (0, "1", "c0"), (1, "123456789", "c1"), (2, "1234567890", "c2"), (3, "02", "c3"), (4, "7", "c1"),
        (5, "1", "c5"), (6, None, "c0"), (7, "1", "c0"), (8, "123456789", "c1"), (9, "x", "c9"),
        (10, None, "c2"),
    ]  # fmt: skip
    put(connection, "records", "record pseudonym:VARCHAR customer:VARCHAR", *records)
    put(connection, "wrong", "violated:VARCHAR record value:VARCHAR")
    run(connection, "generalized_violations", name="wrong", cells=Sql("cells"), source=Sql("records"))
    assert sorted(tell(connection, "FROM wrong")) == sorted(
        [
            ("original_price", 5, "was 5"), ("original_date", 8, "no date"),
            ("pseudonym", 2, "1234567890"), ("pseudonym", 3, "02"), ("pseudonym", 9, "x"),
            ("several_pseudonyms", 4, "7"), ("shared_pseudonym", 5, "1"),
            *(("generalized_item", n, f"text {n}") for n in (2, 3, 4, 6)),
            *(("generalized_price", n, f"is {n}") for n in (3, 4, 5, 6)),
        ]
    )  # fmt: skip


@pytest.mark.parametrize("prefix", [None, 2])
@pytest.mark.parametrize("keys", [["item"], ["item", "quantity"]])
def test_votes_for_pseudonyms(
    connection: duckdb.DuckDBPyConnection, prefix: int | None, keys: list[str]
) -> None:
    """A record votes once for a pseudonym that has its key, however often; who has no name does not vote."""
    chance = random.Random(4)

    def draw(names: list[str | None]) -> list[tuple[str | None, int, str | None, int]]:
        items = ["aab", "aac", "ab", "b", None]
        return [
            (chance.choice(names), chance.randrange(2), chance.choice(items), chance.randrange(2))
            for _ in range(40)
        ]

    released, known = draw(["p1", "p2", "p3", None]), draw(["u1", "u2", "u3", None])
    put(connection, "released", "pseudonym:VARCHAR period item:VARCHAR quantity", *released)
    put(connection, "known", "user_id:VARCHAR period item:VARCHAR quantity", *known)
    given = {"released": Sql("released"), "known_records": Sql("known"), "table": "made", "keys": keys}
    run(connection, "vote_matches", **given, prefix=prefix)

    def key(item: str, quantity: int) -> tuple[str, int]:
        return item[:prefix] if prefix else item, quantity if "quantity" in keys else 0

    offered = {(name, period, key(item, n)) for name, period, item, n in released if name and item}
    votes: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for user, period, item, quantity in known:
        for name, other, own in offered:
            if user and item and other == period and own == key(item, quantity):
                votes[user, period][name] += 1
    expected = [(*who, min(one, key=lambda name: (-one[name], name))) for who, one in votes.items()]
    assert sorted(tell(connection, "FROM made")) == sorted(expected)


def test_a_pseudonym_is_shared_by_people_and_not_by_records(connection: duckdb.DuckDBPyConnection) -> None:
    """x stands for two records of a in two periods, y for one of a and two of b, z for one of b."""
    cells = "day:DATE item:VARCHAR clock:VARCHAR price:VARCHAR quantity"
    rows = [
        ("a", "x", 0),
        ("a", "x", 1),
        ("a", "x", 1),
        ("a", "y", 0),
        ("b", "y", 0),
        ("b", "y", 2),
        ("b", "z", 0),
    ]
    original = [(n, user, period, None, "i", None, "1", 1) for n, (user, _, period) in enumerate(rows)]
    released = [(n, name, period, None, "i", None, "1", 1) for n, (_, name, period) in enumerate(rows)]
    put(connection, "o", f"record user_id:VARCHAR period {cells}", *original)
    put(connection, "r", f"record pseudonym:VARCHAR period {cells}", *released)
    (found,) = run(connection, "release_evidence", original="o", release="r", is_within_limits=Sql("TRUE"))
    assert (found["pseudonyms"], found["shared_pseudonyms"]) == (3, 1)
    assert (found["most_periods"], found["mean_periods"]) == (2, 5 / 3)


def test_who_the_records_of_a_release_of_2018_are_of(connection: duckdb.DuckDBPyConnection) -> None:
    """A record is deleted where all five cells are "*"; where one is not, "*" is a pseudonym."""
    cells = ["*****", "p****", "*x***", "**x**", "***x*", "****x", "pxxxx"]
    put(connection, "o", "record c0:VARCHAR", *[(n, f"u{n}") for n in range(len(cells))])
    put(
        connection,
        "r",
        "record c0:VARCHAR c1:VARCHAR c2:VARCHAR c3:VARCHAR c4:VARCHAR",
        *[(n, *one) for n, one in enumerate(cells)],
    )
    run(connection, "generalized_records", name="made", original=Sql("o"), release=Sql("r"))
    names = [None, "p", "*", "*", "*", "*", "p"]
    assert sorted(tell(connection, "FROM made")) == [(n, f"u{n}", name) for n, name in enumerate(names)]


def test_pairs_that_are_best_for_both_sides(connection: duckdb.DuckDBPyConnection) -> None:
    """The highest score that is left first; of equal ones that of the smaller user, then of the smaller
    pseudonym."""
    chance = random.Random(2)
    for _ in range(6):
        scores = {
            (user, period, 10 * period + name): chance.choice([0, 1, 1, 2, 3])
            for user in range(5)
            for period in (1, 2)
            for name in range(5)
            if chance.random() < 0.7
        }
        put(
            connection,
            "scores",
            "user_number period pseudonym_number score",
            *[(*who, n) for who, n in scores.items()],
        )
        run(connection, "mutual_best", table="made", scores="scores")
        users, names, expected = set(), set(), []
        for (user, period, name), score in sorted(
            scores.items(), key=lambda one: (-one[1], one[0][0], one[0][2])
        ):
            if score > 0 and (user, period) not in users and name not in names:
                users.add((user, period))
                names.add(name)
                expected.append((user, period, name, score))
        assert sorted(tell(connection, "FROM made")) == sorted(expected)


def test_who_owns_the_records_under_a_pseudonym(connection: duckdb.DuckDBPyConnection) -> None:
    """Of several pseudonyms of a user in a period the first one counts, of several users of one the first."""
    truth = [("a", 0, "q"), ("a", 0, "p"), ("b", 0, "p"), ("b", 1, "p"), ("c", 1, None), ("d", 1, "z")]
    put(connection, "truth", "user_id:VARCHAR period pseudonym:VARCHAR", *truth)
    released = [(0, 0, "p"), (1, 0, "p"), (2, 0, "q"), (3, 1, "p"), (4, 1, None), (5, 1, "x"), (6, 0, "p")]
    put(connection, "released", "record period pseudonym:VARCHAR", *released)
    owners = [(0, "a", 0), (1, "b", 0), (2, "a", 0), (3, "b", 1), (4, "c", 1), (5, "d", 1), (6, "a", 0)]
    put(connection, "o", "record user_id:VARCHAR period", *owners)
    for original, counts in ((None, (3, 0, 1, 0)), (Sql("o"), (2, 1, 1, 0))):
        given = {"released": Sql("released"), "truth": Sql("truth"), "original": original}
        run(connection, "record_owners", table="made", **given)
        named = [("a", 0, "p"), ("b", 0, "p"), ("b", 1, "p"), ("d", 1, "z")]
        assert sorted(tell(connection, "FROM made")) == [
            (*who, count) for who, count in zip(named, counts, strict=True)
        ]
