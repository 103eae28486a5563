"""The classes that disclose a sensitive value, by brute force on drawn people."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import pytest

from tests.tables import attribute, connect, put, run, tell


@pytest.mark.parametrize("by_user", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_classes_that_disclose_a_value(seed: int, by_user: bool) -> None:
    """Nine of ten people have it in any record that is left, and half as many again as among all."""
    chance = random.Random(seed)
    rows: list[tuple[Any, ...]] = []
    for number in range(16):
        q, r = f"q{number}" if number else None, number % 2
        size = chance.choice([1, 2, 5, 9, 10, 10, 20])
        holders = max(0, size - chance.choice([0, 0, 1, 1, 2]))
        value = chance.choice(["ill", "well", "rich"])
        for member in range(size):
            person = chance.randrange(1000)
            s = value if member < holders else chance.choice([None, "ill", "well"])
            rows.append((person, q, r, s, chance.choice([None, None, None, 1, 2])))
            if chance.random() < 0.3:
                rows.append((person, q, r, chance.choice([None, s, "rich"]), None))
        rows.append((None, q, r, "ill", 1))
    left = {(q, r) for _, q, r, _, _ in rows if q != "q3"}
    with connect(threads=1) as connection:
        put(connection, "t", "u q:VARCHAR r s:VARCHAR n", *rows)
        put(connection, "remaining", "q:VARCHAR r", *left)
        run(
            connection, "disclosing_classes", name="made", source="t", columns=["q", "r"],
            remaining="remaining", user="u" if by_user else None, forms=[attribute("s"), attribute("n")],
        )  # fmt: skip
        found = {*tell(connection, "FROM made")}
    members: defaultdict[tuple[Any, ...], set[Any]] = defaultdict(set)
    owners: defaultdict[tuple[int, Any], set[Any]] = defaultdict(set)
    for record, (person, q, r, *values) in enumerate(rows):
        who = person if by_user else record
        if (q, r) in left and who is not None:
            members[q, r].add(who)
            for form, value in enumerate(values):
                if value is not None:
                    owners[form, value].add(who)
    everybody = len(set().union(*members.values()))
    expected = {
        cells
        for cells, people in members.items()
        for of in owners.values()
        if (held := len(people & of))
        and 10 * held >= 9 * len(people)
        and 2 * held * everybody >= 3 * len(of) * len(people)
    }
    assert found == expected
    assert len(found) < len(members)
    assert found or not by_user
