"""What users tell of a sensitive attribute, by the metric's own statement, against the definitions."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.disclosure.test_attribute_disclosure import KINDS, crowded, oracle, told
from tests.disclosure_oracle import agree, fits
from tests.tables import connect, make, put, row, run, tell

ROWS = [
    *(crowded(seed, ["a", "é"], [0, 1]) for seed in range(3)),
    crowded(4, ["a", None], [0, None], 12),
    [("a", 0, 1), ("a", 0, 1), ("é", 1, 1)],
    [("a", 0, 1)],
    [("a", 0, 1), ("a", 0, 1), ("a", 0, 2), ("é", 1, 2), ("é", 1, 9)],
]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def measured(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    make(connection, {"u": "INTEGER", **KINDS}, rows)
    given: dict[str, Any] = {"source": "t", "user": "u", "columns": ["q one", "class"], "column": "value"}
    return row(connection, "attribute_disclosure_users", **given)


def close(expected: dict[str, Any]) -> dict[str, Any]:
    return {
        name: pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value
        for name, value in expected.items()
    }


@pytest.mark.parametrize("rows", ROWS)
def test_users_of_one_record_are_records(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, Any, Any]]
) -> None:
    """The measures are those of records; the sets that recursive_c counts of homogeneous classes are one."""
    found = measured(connection, [*((n, *one) for n, one in enumerate(rows)), (None, "b", 7, 77)])
    assert found == close(oracle(rows))


@pytest.mark.parametrize("seed", range(4))
def test_users_of_several_values(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Histories differ in records and in how often these are there; a repeated value is held once."""
    chance = random.Random(seed)
    histories = [[("a", 0)], [("a", 0), ("a", 0)], [("a", 0), ("é", 1)], [(None, 1), ("a", None)]]
    rows = []
    for user in range(16):
        for first, second in chance.choice(histories):
            rows.append((user, first, second, chance.choice([1, 1, 2, 5, None])))
    chance.shuffle(rows)
    found = measured(connection, [*rows, (None, "a", 0, 77)])
    profiles: defaultdict[int, Counter[Any]] = defaultdict(Counter)
    values: defaultdict[int, set[Any]] = defaultdict(set)
    for user, first, second, value in rows:
        profiles[user][first, second] += 1
        values[user].add(value)
    users = sorted(profiles)
    classes: defaultdict[frozenset[Any], list[int]] = defaultdict(list)
    for place, user in enumerate(users):
        classes[frozenset(profiles[user].items())].append(place)
    held = [frozenset(values[user]) for user in users]
    expected = told([(len(members), members) for members in classes.values()], held)
    assert max(map(len, held)) > 1
    assert found.pop("ordered_t") is None
    assert found == expected


@pytest.mark.parametrize("rule", ["none", "wildcard"])
def test_users_who_fit_users_who_miss_something(connection: duckdb.DuckDBPyConnection, rule: str) -> None:
    """Of users with as many records, those whom no single record rules out."""
    chance = random.Random(rule)
    classes = [(a, b) for a in (1, 2, None) for b in (1, 2, None)]
    fitting = 0
    for _ in range(6):
        histories = {
            user: Counter(chance.choice(classes) for _ in range(chance.choice([1, 2, 2, 3, 3])))
            for user in range(9)
        }
        missing = [sum(cell is None for cell in one) for one in classes]
        put(connection, "class_codes", "class missing_cells", *enumerate(missing))
        owners = [
            (user, classes.index(one), n) for user, held in histories.items() for one, n in held.items()
        ]
        put(connection, "class_owners", "person class n", *owners)
        run(connection, "class_histories")
        told = tell(
            connection, "SELECT person, records, parts, incomplete FROM class_histories ORDER BY person"
        )
        incomplete = {user for user, held in histories.items() if any(None in one for one in held)}
        assert told == [
            (user, held.total(), len(held), user in incomplete) for user, held in histories.items()
        ]
        agreeing = [
            (mine, theirs)
            for mine, one in enumerate(classes)
            for theirs, other in enumerate(classes)
            if agree(one, other, rule)
        ]
        put(connection, "class_agreeing", "mine theirs", *agreeing)
        candidates = [
            (mine, theirs)
            for mine in incomplete
            for theirs, held in histories.items()
            if held.total() == histories[mine].total()
        ]
        expected = {pair for pair in candidates if fits(histories[pair[0]], histories[pair[1]], rule)}
        put(connection, "class_candidates", "mine theirs", *candidates)
        run(connection, "class_fitting", wildcard=rule == "wildcard")
        found = tell(connection, "FROM class_fitting")
        assert sorted(found) == sorted(expected)
        run(connection, "class_candidates", max_rows=1000)
        sought = set(tell(connection, "FROM class_candidates"))
        assert expected <= sought <= set(candidates)
        # A candidate has a record that agrees with the rarest: the one that the fewest records' owners
        # agree with.
        for mine in incomplete:
            holders = {
                one: sum(agree(one, other, rule) for held in histories.values() for other in held)
                for one in histories[mine]
            }
            rarest = min(holders, key=lambda one: (holders[one], classes.index(one)))
            near = {
                theirs
                for theirs, held in histories.items()
                if held.total() == histories[mine].total()
                and any(agree(rarest, other, rule) for other in held)
            }
            assert {theirs for one, theirs in sought if one == mine} == near
        fitting += len(expected)
    assert fitting > 20
