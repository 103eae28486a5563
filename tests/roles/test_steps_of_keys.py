"""Evidence for keys of persons, by brute force on drawn rows."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest

from tests.tables import connect, put, run


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_columns_that_depend_on_keys(seed: int, grouped: bool) -> None:
    """Values of keys by brute force; neighbours are so in the order of digests, and ages may differ by 2."""
    chance = random.Random(seed)
    names = ["k", "l", "g", "a", "b", "age"]
    rows = [
        (
            *(chance.choice(["x", "y", "z", "w", "v", None]) for _ in "kl"),
            chance.choice(["1", "2", None]),
            *(chance.choice([1, 2, 3, None] if seed % 2 else [1, 1, 1, 2]) for _ in "ab"),
            chance.choice([30, 31, 32, 33, None]),
        )
        for _ in range(18)
    ]
    keys, groups = ["k", "l"], ["g", "g"] if grouped else None
    asked: dict[str, Any] = {"keys": keys, "groups": groups, "columns": ["a", "b", "age"], "ages": ["age"]}
    with connect(threads=1) as connection:
        put(connection, "t", "k:VARCHAR l:VARCHAR g:VARCHAR a b age", *rows)
        found = run(connection, "key_dependents", source="t", **asked, years=2)
    expected = []
    for number, key in enumerate(keys):
        by_value: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for one in rows:
            named = [one[names.index(name)] for name in (*(["g"] if grouped else []), key)]
            if None not in named:
                by_value[hashlib.md5("".join(f"{part}/" for part in named).encode()).hexdigest()].append(one)
        repeated = [by_value[digest] for digest in sorted(by_value) if len(by_value[digest]) > 1]
        for position, name in enumerate(("a", "b", "age")):
            seen = [
                [one[names.index(name)] for one in of if one[names.index(name)] is not None]
                for of in repeated
            ]
            spans = [(min(of), max(of)) if of else None for of in seen]
            changing = sum(span is not None and span[1] - span[0] > 2 * (name == "age") for span in spans)
            differing = sum(
                one is not None and other is not None and one[0] != other[0] for one, other in pairwise(spans)
            )
            expected.append(
                {
                    "key": number,
                    "position": position,
                    "key_values": len(by_value),
                    "repeated": len(repeated),
                    "records": sum(map(len, by_value.values())),
                    "most": max(map(len, repeated), default=0),
                    "changing": changing,
                    "differing": differing,
                }
            )
    assert found == expected


@pytest.mark.parametrize("rows", [[], [(None, 1)], [("x", 1), ("y", 2), (None, 3)]])
def test_keys_whose_values_are_all_different(rows: list[tuple[Any, ...]]) -> None:
    """Nothing changes within a value that is there once, and it is no neighbour."""
    with connect(threads=1) as connection:
        put(connection, "t", "k:VARCHAR a", *rows)
        found = run(
            connection, "key_dependents", source="t", keys=["k"], groups=None, columns=["a"], ages=[], years=2
        )
    values = sum(key is not None for key, _ in rows)
    assert [tuple(one.values()) for one in found] == [(0, 0, values, 0, values, 0, 0, 0)]
