"""People singled out by sets of facts, by brute force on drawn records."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations
from typing import Any

import pytest

from tests.tables import connect, put, run, tell


@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("by_record", [False, True])
def test_who_is_singled_out(by_record: bool, weighted: bool, sampled: bool) -> None:
    """Records of one person alone, or alone themselves; of a sample only what equals a record of it."""
    missed = 0
    for seed in range(4):
        chance = random.Random(seed)
        rows = [
            (
                chance.randrange(12),
                chance.choice([1, 1, 2]),
                *(chance.choice([None, 1, 2, 3]) for _ in range(3)),
            )
            for _ in range(30)
        ]
        sample = [one for one in rows if one[0] < 5] if sampled else rows
        with connect(threads=1) as connection:
            names = ", ".join(f"hash(v{place}) AS h{place}" for place in range(3))
            for name, records in (("facts", rows), ("fact_sample", sample)):
                put(connection, "values", "person people v0 v1 v2", *records)
                query = f'SELECT person, people, {names} FROM "values"'
                connection.execute(f"CREATE OR REPLACE TABLE {name} AS {query}")
            sets = list(combinations(range(3), 2))
            found = run(
                connection, "facts_known", by_record=by_record, weighted=weighted, known="facts", size=2,
                places=[place for one in sets for place in one], missing=[1], sampled=sampled,
            )  # fmt: skip
            assert tell(connection, "SELECT COUNT(*) FROM facts") == [(30,)]
        expected: list[dict[str, Any]] = []
        for number, places in enumerate(sets):

            def key(one: tuple[Any, ...], places: tuple[int, ...] = places) -> tuple[Any, ...]:
                return tuple(one[2 + place] for place in places)

            classes, drawn = defaultdict(list), defaultdict(list)
            for one in rows:
                classes[key(one)].append(one)
            for one in sample:
                drawn[key(one)].append(one)
            examined = {
                cells
                for cells, of in drawn.items()
                if not sampled or (len(of) == 1 if by_record else len({one[0] for one in of}) == 1)
            }
            kept = {
                cells: of
                for cells, of in classes.items()
                if cells in examined and (1 not in places or cells[places.index(1)] is not None)
            }
            missed += len(classes) - len(kept)
            counts = {cells: sum(one[1] if weighted else 1 for one in of) for cells, of in kept.items()}
            owners = {cells: {one[0] for one in of} for cells, of in kept.items()}
            if by_record:
                alone = records_alone = sum(count == 1 for count in counts.values())
            else:
                alone = len(set().union(*(of for of in owners.values() if len(of) == 1)))
                records_alone = sum(counts[cells] for cells, of in owners.items() if len(of) == 1)
            expected.append(
                {"number": number, "classes": len(kept), "people": alone, "records": records_alone}
            )
        assert found == expected
    assert missed


@pytest.mark.parametrize("by_record", [False, True])
@pytest.mark.parametrize("missing_is_value", [False, True])
def test_facts_of_lists(by_record: bool, missing_is_value: bool) -> None:
    """The first two of three attributes, in another order in the lists; places count what is missing."""
    chance = random.Random(2)
    rows = [(chance.randrange(8), *(chance.choice([None, 1, 2, 3, 4]) for _ in range(3))) for _ in range(14)]
    rows += [(9, 7, 7, 7), (9, 7, None, 8)]
    order = [2, 0, 1]  # the first number of a list is that of attribute 2
    with connect(threads=1) as connection:
        put(connection, "values", "person v0 v1 v2", *rows)
        numbers = ", ".join(f"hash(v{place})" for place in order)
        connection.execute(f'CREATE TABLE fact_lists AS SELECT person, [{numbers}] AS numbers FROM "values"')
        found = run(
            connection, "facts_of_lists", attributes=2, by_record=by_record, attribute_indexes=order,
            missing_is_value=missing_is_value,
        )  # fmt: skip
    expected = []
    for place in (0, 1):
        classes = defaultdict(list)
        for person, *values in rows:
            if missing_is_value or values[place] is not None:
                classes[values[place]].append(person)
        alone = [of for of in classes.values() if (len(of) if by_record else len({*of})) == 1]
        people = len(alone) if by_record else len(set().union(*map(set, alone)))
        missing = sum(one[1 + place] is None for one in rows)
        expected.append((place, len(classes), people, sum(map(len, alone)), missing))
    cells = sum(one[4] for one in expected)
    assert [tuple(one.values()) for one in found] == [(*one, cells) for one in expected]
