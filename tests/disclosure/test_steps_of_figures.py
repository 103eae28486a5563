"""The last steps of special uniques and of information gain, each on drawn rows, from their definitions."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.tables import connect, put, row, run, tell


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- special uniques -------------------------------------------------------------------------------

#: The bits of three attributes in a mask, and the fields of their values in a word of records.
BITS = [1, 2, 4]
FIELDS = [3, 12, 48]
WEIGHTS = [12, 6, 2]


class Uniques:
    """Combinations of people with their minimal uniques; some combinations have none."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, seed: int, several: bool) -> None:
        chance = random.Random(seed)
        self.rows = []  # id, records, member, word
        self.uniques = []  # member, mask
        for member in range(14):
            person = member // 2 if several else member
            word = sum(chance.randrange(1, 4) << shift for shift in (0, 2, 4))
            records = 1 if chance.random() < 0.6 else chance.randrange(1, 4)
            self.rows.append((person, records, member, word))
            for mask in chance.sample(range(1, 8), chance.choice([0, 1, 1, 2, 3])):
                self.uniques.append((member, mask))
        put(connection, "lattice_rows", "id records member k0", *self.rows)
        put(connection, "suda_uniques", "member mask", *self.uniques)
        run(connection, "suda_scores", weights=WEIGHTS, bits=BITS, columns=["k0"])
        self.scores: defaultdict[int, int] = defaultdict(int)
        for member, mask in self.uniques:
            self.scores[member] += self.weight(mask)
        self.scored = [one for one in self.rows if one[2] in self.scores]
        self.persons: dict[int, tuple[int, int]] = {}
        for person, _, member, _ in self.scored:
            mine = (self.scores[member], -member)
            self.persons[person] = max(mine, self.persons.get(person, mine))

    @staticmethod
    def weight(mask: int) -> int:
        return WEIGHTS[mask.bit_count() - 1]

    def parts(self, place: int) -> dict[int, list[tuple[int, int, int]]]:
        """Return score, minimal uniques and person of each combination by its value of an attribute."""
        found: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for person, _, member, word in self.scored:
            masks = [mask for one, mask in self.uniques if one == member and mask & BITS[place]]
            if masks:
                value = word >> 2 * place & 3
                found[value].append((sum(map(self.weight, masks)), len(masks), person))
        return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("several", [False, True])
def test_scores_of_combinations_and_attributes(
    connection: duckdb.DuckDBPyConnection, seed: int, several: bool
) -> None:
    drawn = Uniques(connection, seed, several)
    found = tell(connection, "SELECT member, id, records, uniques, score FROM suda_scores")
    counts = Counter(member for member, _ in drawn.uniques)
    assert sorted(found) == sorted(
        (member, person, records, counts[member], drawn.scores[member])
        for person, records, member, _ in drawn.scored
    )
    whole = sum(drawn.scores.values())
    lines = run(connection, "suda_attributes", columns=["k0"] * 3, fields=FIELDS, by_user=several)
    for place, line in enumerate(lines):
        parts = drawn.parts(place)
        every = [one for part in parts.values() for one in part]
        people = {one[2] for one in every} if several else [one[2] for one in every]
        assert line == {
            "position": place,
            "contribution": pytest.approx(sum(one[0] for one in every) / whole),
            "minimal_uniques": sum(one[1] for one in every),
            "persons": len(people),
            "values_in_uniques": len(parts),
            "highest_value_contribution": pytest.approx(
                max(sum(one[0] for one in part) for part in parts.values()) / whole
            ),
        }
        put(connection, "codes", "code value:VARCHAR", (1, "x"), (2, "y"), (3, None))
        shown = run(
            connection, "suda_values", max_sets=2, by_user=several, position=place, column="k0",
            field=FIELDS[place], shift=2 * place, codes="codes",
        )  # fmt: skip
        names = {1: "x", 2: "y", 3: None}
        order = sorted(
            (
                (-sum(one[0] for one in part), -sum(one[1] for one in part), names[value] or "~", part)
                for value, part in parts.items()
            ),
            key=lambda one: one[:3],
        )
        assert len(shown) == min(2, len(order))
        for line, (score, uniques, name, part) in zip(shown, order, strict=False):
            assert line == {
                "value": None if name == "~" else name,
                "contribution": pytest.approx(-score / whole),
                "minimal_uniques": -uniques,
                "persons": len({one[2] for one in part}) if several else len(part),
                "total": len(order),
                "reached": sum(one[:2] <= (score, uniques) for one in order),
            }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("divisor", [1, 4])
@pytest.mark.parametrize("wildcard", [False, True])
def test_risks_by_data_intrusion_simulation(
    connection: duckdb.DuckDBPyConnection, seed: int, divisor: int, wildcard: bool
) -> None:
    drawn = Uniques(connection, seed, several=bool(seed))
    agreeing = [(n, 1 + n % 4, 1 + n % 3, n % 5 == 0) for n in range(14)]
    put(connection, "agreeing_sizes", "id agreeing records alone:BOOLEAN", *agreeing)
    fraction, attributes = 0.2, 3
    run(
        connection, "suda_persons", divisor=divisor, wildcard=wildcard, fraction=fraction,
        attributes=attributes,
    )  # fmt: skip
    if wildcard:
        alone = sum(records for _, size, records, _ in agreeing if size == 1)
        paired = sum(records for _, size, records, _ in agreeing if size == 2)
    else:
        alone = sum(records == 1 for _, records, _, _ in drawn.rows)
        paired = sum(2 for _, records, _, _ in drawn.rows if records == 2)
    matched = alone * fraction / (alone * fraction + paired * (1 - fraction))
    power = 1 + (8 - attributes) / 20
    weights = {person: (score / divisor) ** power for person, (score, _) in drawn.persons.items()}
    spread = sum(1 / weight for weight in weights.values())
    risks = {
        person: 1 / (1 + (alone / matched - alone) / (weight * spread)) for person, weight in weights.items()
    }
    found = {one[0]: one[1:] for one in tell(connection, "SELECT id, score, member, dis FROM suda_persons")}
    assert found == {
        person: (score, -member, pytest.approx(risks[person], rel=1e-9))
        for person, (score, member) in drawn.persons.items()
    }
    levels = run(connection, "suda_thresholds")
    assert [tuple(one.values()) for one in levels] == [
        (risk, sum(one >= risk for one in risks.values())) for risk in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    ]
    total = row(connection, "suda_totals", divisor=divisor, wildcard=wildcard, persons=20)
    scores = [score for score, _ in drawn.persons.values()]
    ids = [one[0] for one in agreeing if one[3]] if wildcard else [one[0] for one in drawn.rows]
    in_pairs = paired if wildcard else sum(2 for one in drawn.rows if one[1] == 2)
    assert total == {
        "unique_on_all": len(set(ids)),
        "in_pairs": in_pairs,
        "scored": len(scores),
        "scored_share": len(scores) / 20,
        "scored_records": sum(one[1] for one in drawn.scored),
        "minimal_uniques": len(drawn.uniques),
        "score_total": sum(scores) / divisor,
        "score_max": max(scores) / divisor,
        "score_mean": pytest.approx(sum(scores) / divisor / len(scores)),
        "dis_max": pytest.approx(max(risks.values())),
        "dis_mean": pytest.approx(sum(risks.values()) / len(risks)),
    }
    sizes = Counter(mask.bit_count() for _, mask in drawn.uniques)
    people = defaultdict(set)
    for member, mask in drawn.uniques:
        people[mask.bit_count()].add(drawn.rows[member][0])
    assert [tuple(one.values()) for one in run(connection, "suda_sizes")] == [
        (size, sizes[size], len(people[size])) for size in sorted(sizes)
    ]
    listed = run(connection, "suda_records", max_sets=5, divisor=divisor, sets=2)
    order = sorted(drawn.persons.items(), key=lambda one: (-one[1][0], one[0]))[:5]
    assert [one["record"] for one in listed] == [person for person, _ in order]
    for line, (person, (score, member)) in zip(listed, order, strict=True):
        masks = sorted(
            (mask for one, mask in drawn.uniques if one == -member), key=lambda mask: (mask.bit_count(), mask)
        )
        last = [mask for mask in masks[2:] if mask.bit_count() == masks[1].bit_count()]
        assert line == {
            "record": person,
            "score": score / divisor,
            "dis": pytest.approx(risks[person]),
            "minimal_uniques": len(masks),
            "masks": masks[:2],
            "equal_to_last": len(last),
            "total": len(drawn.persons),
            "reached": sum(one >= order[-1][1][0] for one in scores),
        }


def test_scores_of_nobody(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "lattice_rows", "id records member k0", (0, 2, 0, 1), (1, 3, 1, 2))
    put(connection, "suda_uniques", "member mask")
    run(connection, "suda_scores", weights=WEIGHTS, bits=BITS, columns=["k0"])
    given: dict[str, Any] = {"divisor": 1, "wildcard": False}
    run(connection, "suda_persons", **given, fraction=None, attributes=3)
    assert list(row(connection, "suda_totals", **given, persons=0).values()) == [
        *(2, 2, 0, None, 0, 0, 0, None, None, None, None)
    ]
    lines = run(connection, "suda_attributes", columns=["k0"] * 3, fields=FIELDS, by_user=False)
    assert [tuple(one.values()) for one in lines] == [(n, None, 0, 0, 0, None) for n in range(3)]


# --- information gain ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_figures_of_gains(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Quantiles are the least gain that at least half, or 95 of 100 records, do not exceed."""
    chance = random.Random(seed)
    classes = [(n, chance.randrange(1, 9), chance.randrange(3), chance.randrange(4)) for n in range(12)]
    gains = {
        (n, place): chance.choice([0.25, 0.5, 1.0, 3.5])
        for n, _, *codes in classes
        for place in (0, 1)
        if codes[place]
    }
    put(connection, "class_codes", "class records k0 k1", *classes)
    put(connection, "class_gains", "class place gain:DOUBLE", *((*key, gain) for key, gain in gains.items()))
    found = run(connection, "gain_figures", attributes=2)
    everybody = sum(records for _, records, *_ in classes)
    expected = []
    for line in range(3):
        own = sorted(
            (gains.get((n, 0), 0.0) + gains.get((n, 1), 0.0)) if line == 0 else gains.get((n, line - 1), 0.0)
            for n, records, *_ in classes
            for _ in range(records)
        )
        entropy = None
        if line:
            values: Counter[int] = Counter()
            for one in classes:
                if one[1 + line]:
                    values[one[1 + line]] += one[1]
            there = sum(values.values())
            entropy = -sum(n * math.log2(n / there) for n in values.values()) / everybody
        expected.append(
            {
                "place": line,
                "records": everybody,
                "entropy": entropy if entropy is None else pytest.approx(entropy),
                "mean_gain": pytest.approx(sum(own) / everybody),
                "median_gain": own[math.ceil(everybody / 2) - 1],
                "high_gain": own[math.ceil(everybody * 19 / 20) - 1],
                "highest_gain": own[-1],
            }
        )
    assert found == expected


def test_gains_of_missing_values_alone(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "class_codes", "class records k0", (0, 3, 0))
    put(connection, "class_gains", "class place gain:DOUBLE")
    found = run(connection, "gain_figures", attributes=1)
    assert [tuple(one.values()) for one in found] == [(0, 3, None, 0, 0, 0, 0), (1, 3, 0, 0, 0, 0, 0)]


@pytest.mark.parametrize("wildcard", [False, True])
def test_totals_of_an_empty_table(connection: duckdb.DuckDBPyConnection, wildcard: bool) -> None:
    put(connection, "lattice_rows", "id records member k0")
    put(connection, "agreeing_sizes", "id agreeing records alone:BOOLEAN")
    put(connection, "suda_uniques", "member mask")
    run(connection, "suda_scores", weights=WEIGHTS, bits=BITS, columns=["k0"])
    given: dict[str, Any] = {"divisor": 4, "wildcard": wildcard}
    run(connection, "suda_persons", **given, fraction=0.1, attributes=3)
    found = row(connection, "suda_totals", **given, persons=3)
    assert list(found.values()) == [0, 0, 0, 0, 0, 0, 0, None, None, None, None]


def test_whose_uniques_score_nothing_changes_no_risk(connection: duckdb.DuckDBPyConnection) -> None:
    """A score of 0 is a risk of 0, and it is no part of the sum over all with a score."""
    put(connection, "agreeing_sizes", "agreeing records", (1, 3), (2, 2), (2, 4), (3, 9))
    put(
        connection,
        "suda_scores",
        "id member score",
        (1, 10, 0),
        (2, 20, 8),
        (2, 21, 4),
        (3, 30, 0),
        (4, 40, 16),
    )
    run(connection, "suda_persons", divisor=4, wildcard=True, fraction=0.25, attributes=4)
    matched = 3 * 0.25 / (3 * 0.25 + 6 * 0.75)
    weights = {2: 2**1.2, 4: 4**1.2}
    spread = sum(1 / weight for weight in weights.values())
    risks = {1: 0, 3: 0} | {p: 1 / (1 + (3 / matched - 3) / (one * spread)) for p, one in weights.items()}
    told = tell(connection, "SELECT id, score, member, dis FROM suda_persons ORDER BY id")
    assert [one[:3] for one in told] == [(1, 0, 10), (2, 8, 20), (3, 0, 30), (4, 16, 40)]
    assert {one[0]: one[3] for one in told} == pytest.approx(risks)
