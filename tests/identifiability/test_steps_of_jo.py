"""The sensitivity of patterns of missing values, and what the total value falls to without an attribute."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

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


# --- figures of all persons ------------------------------------------------------------------------

EASES = {0: 2.0, 1: 1.5, 2: 0.75, 3: 0.125}
KINDS = {0: 0, 1: 2, 2: 3, 3: 6, 4: 1, 5: 1}  # JO's identifiability of a pattern
WORTH = {0: 0, 1: 11, 2: 2, 3: 101, 4: 7, 5: 1}  # its sensitivity


def draw_outcomes(chance: random.Random) -> list[dict[str, Any]]:
    """Draw persons by their outcome; who is unknown has no ease."""
    drawn = []
    for pattern in KINDS:
        for tier in (*EASES, None, "unknown"):
            if chance.random() < 0.4:
                continue
            known = EASES.get(tier, 0.0) if tier != "unknown" else None
            first = 1 << chance.randrange(4) if known else 0
            drawn.append(
                {
                    "tier": None if tier == "unknown" else tier,
                    "first_mask": first,
                    "any_mask": first and first | 1 << chance.randrange(4),
                    "every_mask": first and first & chance.randrange(16),
                    "missing": pattern,
                    "sensitivity": WORTH[pattern],
                    "jo_identifiability": KINDS[pattern],
                    "ease": float(KINDS[pattern]) if KINDS[pattern] >= 3 else known,
                    "records": chance.randint(1, 9),
                }
            )
    return drawn


def put_outcomes(connection: duckdb.DuckDBPyConnection, drawn: list[dict[str, Any]]) -> None:
    columns = "tier first_mask any_mask every_mask missing sensitivity jo_identifiability ease:DOUBLE records"
    put(connection, "outcomes", columns, *(tuple(one.values()) for one in drawn))
    put(connection, "tier_ease", "tier ease:DOUBLE", *EASES.items())


@pytest.mark.parametrize("seed", range(5))
def test_totals_of_all_persons(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    drawn = draw_outcomes(random.Random(seed))
    put_outcomes(connection, drawn)
    given = {"base": 3, "social_responsibility": 4, "post_response": 5}
    counts = {
        name: sum(one["records"] for one in drawn if is_counted(one["ease"]))
        for name, is_counted in (
            ("singled_out", bool),
            ("not_singled_out", lambda ease: ease == 0),
            ("unknown", lambda ease: ease is None),
        )
    }
    everybody = sum(one["records"] for one in drawn)
    value = 3 * sum((one["ease"] or 0) * one["records"] * one["sensitivity"] for one in drawn)
    jo_value = 3 * sum(one["jo_identifiability"] * one["records"] * one["sensitivity"] for one in drawn)
    expected = {
        **counts,
        "singled_out_share": counts["singled_out"] / everybody,
        "last_tier": max(one["tier"] or 0 for one in drawn if one["jo_identifiability"] < 3),
        "unknown_ease_at_most": EASES[2] if counts["unknown"] else None,
        "total_ease": sum((one["ease"] or 0) * one["records"] for one in drawn),
        "total_value": value,
        "jo_total_value": jo_value,
        "total_compensation": jo_value * 4 * 5,
        "sensitivity": max(one["sensitivity"] for one in drawn),
        "jo_identifiability": max(one["jo_identifiability"] for one in drawn),
        "jo_value_per_record": 3 * max(one["jo_identifiability"] * one["sensitivity"] for one in drawn),
    }
    (found,) = run(connection, "jo_model", **given, stopped_at=2)
    assert found == pytest.approx(expected)
    by_ease = {ease: [one for one in drawn if one["ease"] == ease] for ease in {one["ease"] for one in drawn}}
    assert [tuple(one.values()) for one in run(connection, "distribution", base=3)] == [
        (
            ease,
            sum(one["records"] for one in by_ease[ease]),
            None if ease is None else pytest.approx(
                3 * sum(ease * one["records"] * one["sensitivity"] for one in by_ease[ease])
            ),
        )
        for ease in sorted(by_ease, key=lambda ease: -1 if ease is None else ease, reverse=True)
    ]  # fmt: skip
    parts = run(connection, "attribute_parts")
    for place, bit in enumerate(LEVELS):
        part = sum(one["records"] for one in drawn if one["any_mask"] & bit)
        assert parts[place] == {
            "position": place,
            "records": part,
            "share": pytest.approx(part / counts["singled_out"]),
        }


@pytest.mark.parametrize("seed", range(5))
def test_sets_by_the_value_of_their_persons(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    drawn = draw_outcomes(random.Random(seed))
    put_outcomes(connection, drawn)
    values: defaultdict[tuple[int, float], list[float]] = defaultdict(lambda: [0, 0])
    for one in drawn:
        if one["ease"]:
            line = values[one["first_mask"], one["ease"]]
            line[0] += one["records"]
            line[1] += 3 * one["ease"] * one["records"] * one["sensitivity"]
    order = sorted(values, key=lambda key: (-values[key][1], -key[1], key[0]))
    found = run(connection, "set_values", base=3, max_rows=4)
    assert [(one["mask"], one["ease"]) for one in found] == order[:4]
    for one, key in zip(found, order, strict=False):
        records, value = values[key]
        assert (one["records"], one["value"], one["total"]) == (records, pytest.approx(value), len(order))
        assert one["reached"] == sum(
            (-other[1], -mask[1]) <= (-value, -key[1]) for mask, other in values.items()
        )


@pytest.mark.parametrize("before", ["1000", "0"])
def test_the_total_value_with_a_coarser_form(connection: duckdb.DuckDBPyConnection, before: str) -> None:
    """Records keep their ease where no set needs the attribute; in form 9 only those without ease stay."""
    drawn = draw_outcomes(random.Random(7))
    put_outcomes(connection, drawn)
    patterns = [(missing, WORTH[missing], KINDS[missing]) for missing in KINDS]
    put(connection, "patterns", "missing sensitivity jo_identifiability", *patterns)
    without = [(5, 1, 1, 4), (5, None, 4, 2), (5, 3, 5, 3), (7, 2, 2, 6), (7, 0, 4, 2), (8, 1, 1, 9)]
    put(connection, "without_attribute", "position:INTEGER tier missing records", *without)
    forms = {5: 1, 7: 8, 9: 15}
    found = run(
        connection, "totals_coarser", base=3, forms=[*forms], form_bits=[*forms.values()], before=before
    )
    expected = []
    for position, bit in forms.items():
        left = [(one["tier"], one["missing"], one["records"]) for one in drawn if not one["every_mask"] & bit]
        left += [(tier, missing, n) for where, tier, missing, n in without if where == position]
        out, total = 0, 0.0
        for tier, missing, records in left:
            ease = KINDS[missing] if KINDS[missing] >= 3 else EASES.get(tier, 0) if tier is not None else 0
            out += records if ease else 0
            total += 3 * ease * records * WORTH[missing]
        change = total / float(before) - 1 if float(before) else None
        expected.append((position, out, pytest.approx(total), change and pytest.approx(change)))
    assert [tuple(one.values()) for one in found] == expected
    put(connection, "outcomes", "tier every_mask missing records", (None, 0, 4, 2))
    put(connection, "without_attribute", "position:INTEGER tier missing records")
    put(connection, "patterns", "missing sensitivity:INTEGER jo_identifiability", (4, None, 1))
    found = run(connection, "totals_coarser", base=3, forms=[5], form_bits=[1], before="1")
    assert [tuple(one.values()) for one in found] == [(5, 0, 0, -1)]
