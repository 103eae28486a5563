"""The sensitivity of patterns of missing values, and what the total value falls to without an attribute."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tests.tables import connect, put, run, tell

#: Attributes by their bit: economic and psychological level; 1 is a name, 2 an address, 4 a telephone number.
LEVELS = {1: (1, 1), 2: (1, 3), 4: (2, 2), 8: (3, 1)}
NAMES, ADDRESSES, PHONES = 1, 2, 4


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        rows = [(n, bit, *LEVELS[bit]) for n, bit in enumerate(LEVELS)]
        put(made, "searched_attributes", "position:INTEGER bit economic psychological", *rows)
        yield made


def sensitivity(there: int) -> int:
    """10^(highest psychological level - 1) + 5^(highest economic level - 1), 0 of nothing."""
    levels = [level for bit, level in LEVELS.items() if there & bit]
    return 10 ** (max(p for _, p in levels) - 1) + 5 ** (max(e for e, _ in levels) - 1) if levels else 0


def jo(there: int) -> tuple[int, int]:
    """The identifiability by the kinds of attributes, and those that it comes from."""
    name, address, phone = there & NAMES, there & ADDRESSES, there & PHONES
    if name:
        return (6 if address else 3), name | address
    return (3, address | phone) if address and phone else (1, 0)


@pytest.mark.parametrize("each", [False, True])
def test_patterns_of_missing_values(connection: duckdb.DuckDBPyConnection, each: bool) -> None:
    rows = [(missing, 1 + missing % 3) for missing in [*range(16), 3, 3, 9]]
    put(connection, "persons", "missing records", *rows)
    given = {"names": NAMES, "addresses": ADDRESSES, "phones": PHONES}
    run(connection, "patterns", **given, persons="persons", by_person=each)
    expected = {}
    for missing in range(16):
        counted = [records for one, records in rows if one == missing]
        there = 15 & ~missing
        expected[missing] = (len(counted) if each else sum(counted), sensitivity(there), *jo(there))
    names = "missing, records, sensitivity, jo_identifiability, jo_mask"
    assert {one[0]: one[1:] for one in tell(connection, f"SELECT {names} FROM patterns")} == expected


@pytest.mark.parametrize("before", ["1000", "0"])
def test_the_total_value_without_an_attribute(connection: duckdb.DuckDBPyConnection, before: str) -> None:
    """Whom every set needs an attribute for is in without_attribute; the others keep their ease."""
    put(connection, "patterns", "missing", *((missing,) for missing in (0, 1, 2, 3, 7, 14)))
    outcomes = [(1, 0, 2, 5), (2, 1, 8, 4), (3, 2, 0, 2), (1, 3, 12, 1), (9, 7, 8, 3), (2, 14, 1, 2)]
    put(connection, "outcomes", "tier missing every_mask records", *outcomes)
    without = [(1, 3, 0, 5), (3, 2, 1, 4), (2, None, 3, 1), (3, 1, 7, 3), (0, 2, 14, 2)]
    put(connection, "without_attribute", "position:INTEGER tier missing records", *without)
    eases = {1: 2.5, 2: 0.75, 3: 0.125}
    put(connection, "tier_ease", "tier ease:DOUBLE", *eases.items())
    given = {"base": 15, "names": NAMES, "addresses": ADDRESSES, "phones": PHONES, "before": before}
    found = run(connection, "totals_without", **given)
    expected = []
    for position, bit in enumerate(LEVELS):
        total = 0.0
        left = [(tier, missing, n) for tier, missing, mask, n in outcomes if not mask & bit]
        left += [(tier, missing, n) for where, tier, missing, n in without if where == position]
        for tier, missing, records in left:
            there = 15 & ~missing & ~bit
            kind = jo(there)[0]
            ease = kind if kind >= 3 else eases.get(tier or 0, 0)
            total += 15 * ease * records * sensitivity(there)
        change = total / float(before) - 1 if float(before) else None
        expected.append(
            {
                "position": position,
                "total_value": pytest.approx(total),
                "change": change and pytest.approx(change),
            }
        )
    assert found == expected
