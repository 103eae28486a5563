"""Statements of sampling and of known records, each figure against the drawing that its header describes."""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import md5
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.engine.templates import Attribute, render
from tests.tables import LIGHT, Drawn, attribute, connect, drawn_tables, make, put, row, run

CONFIDENCES = (0.80, 0.90, 0.95, 0.99)
Z = dict(zip(CONFIDENCES, (1.2816, 1.6449, 1.96, 2.5758), strict=True))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


@pytest.mark.parametrize("seed", range(3))
def test_few_users_are_counted_exactly(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """An estimate of a few different users is their number, and without users nothing is estimated."""
    chance = random.Random(seed)
    values = [None, *range(3)] if seed else range(100, 103)
    rows = [(chance.choice([1, 2, 3, None]), chance.choice([*values]), chance.choice("ab")) for _ in range(9)]
    put(connection, "t", "u a b:VARCHAR", *rows, *[(n, seed, "c") for n in range(3 * (seed == 0))])
    for user in ("u", None):
        asked = {"source": "t", "user": user, "attributes": [attribute("a"), attribute("b")], "k": 3}
        exact = run(connection, "attribute_risk", **asked)
        near = run(connection, "attribute_risk_approximate", **asked)
        assert near == [{name: one[name] for name in near[0]} for one in exact]


# --- a few values, counted by another engine -------------------------------------------------------


def hold_samples_equal(
    connection: duckdb.DuckDBPyConnection, known: Attribute, samples: int, confidence: float, seed: int
) -> None:
    shared = {"source": "t", "user": "u", "attribute": known, "seed": seed}
    connection.execute(render("value_users", **shared))
    found = row(connection, "sampled_values", samples=samples, confidence=confidence)
    assert found == row(connection, "attribute_sample", **shared, samples=samples, confidence=confidence)


@LIGHT
@given(
    st.integers(1, 2).flatmap(lambda width: drawn_tables(width=width, values=["text", "integer", "date"])),
    st.integers(1, 5),
    st.sampled_from((*CONFIDENCES, 0.5)),
    st.integers(0, 99),
)
def test_counted_values_give_the_sample_of_the_records(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, samples: int, confidence: float, seed: int
) -> None:
    make(connection, drawn.columns, drawn.rows)
    hold_samples_equal(connection, Attribute("a", drawn.parts), samples, confidence, seed)


@pytest.mark.parametrize("seed", range(3))
def test_counted_values_of_many_sizes(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Values with 1 to 40 records of 12 users: few, some, and all of them are drawn."""
    chance = random.Random(seed)
    rows = [(chance.randrange(12), value) for value in range(40) for _ in range(value + 1)]
    make(connection, {"u": "INTEGER", "a": "INTEGER"}, [*rows, (None, 1), (1, None)])
    for samples in (1, 2, 3, 7, 25, 39, 60):
        hold_samples_equal(connection, attribute("a"), samples, CONFIDENCES[samples % 4], seed)


def test_both_statements_hold_the_same_quantiles() -> None:
    """Those of attribute_sample are compared with Student's t distribution in test_attribute_sample.py."""
    given = {"source": "t", "user": "u", "attribute": attribute("a"), "seed": 1}
    shared = {"samples": 3, "confidence": 0.9}
    texts = render("attribute_sample", **given, **shared), render("sampled_values", **shared)
    quantiles, same = (re.findall(r"\((\d+)((?:, [\d.]+){4})\)", text) for text in texts)
    assert quantiles == same
    assert len(same) == 29


# --- several known records -------------------------------------------------------------------------


def figures(
    users_left: Sequence[tuple[int, int]], known: int, confidence: float
) -> dict[str, float | int | None]:
    """Return the figures of attackers: how many users each number of attackers is left with."""
    draws = sum(number for number, _ in users_left)
    risk = math.fsum(number / users for number, users in users_left) / draws
    squares = math.fsum(number / users**2 for number, users in users_left) / draws
    unicity = sum(number for number, users in users_left if users == 1) / draws
    told: dict[str, float | int | None] = {"known_records": known, "draws": draws, "risk": risk}
    ends: dict[str, float | None] = dict.fromkeys(
        ("risk_lower", "risk_upper", "unicity_lower", "unicity_upper")
    )
    z = Z.get(confidence)
    if z is not None:
        half = z * math.sqrt(max(0.0, squares - risk**2) / draws)
        centre = (unicity * draws + z * z / 2) / (draws + z * z)
        spread = z * math.sqrt(unicity * (1 - unicity) * draws + z * z / 4) / (draws + z * z)
        ends = {
            "risk_lower": max(0.0, risk - half),
            "risk_upper": min(1.0, risk + half),
            "unicity_lower": 0.0 if unicity == 0 else max(0.0, centre - spread),
            "unicity_upper": 1.0 if unicity == 1 else min(1.0, centre + spread),
        }
    return told | ends | {"unicity": unicity}


def hold_lines(found: list[dict[str, Any]], expected: list[dict[str, float | int | None]]) -> None:
    assert len(found) == len(expected)
    for line, told in zip(found, expected, strict=True):
        assert line.keys() == told.keys()
        for name, value in line.items():
            assert value == (told[name] if told[name] is None else pytest.approx(told[name], abs=1e-9)), name


@pytest.mark.parametrize("confidence", [*CONFIDENCES, 0.5])
def test_figures_from_how_many_users_are_left(
    connection: duckdb.DuckDBPyConnection, confidence: float
) -> None:
    """Two rows with the same number of users are one; one known record leaves nobody alone, three all."""
    rows = [(5, 4, 2, 1), (3, 4, 1, 1), (7, 2, 2, 1), (1, 10, 3, 1)]
    put(connection, "attackers_left", "draws users1 users2 users3", *rows)
    found = run(connection, "known_records_left", known=3, confidence=confidence)
    left = [[(line[0], line[size]) for line in rows] for size in (1, 2, 3)]
    hold_lines(found, [figures(one, size, confidence) for size, one in enumerate(left, 1)])


def test_interval_of_few_attackers_ends_at_0_and_1(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "attackers_left", "draws users1", (1, 1), (1, 50))
    (found,) = run(connection, "known_records_left", known=1, confidence=0.99)
    assert (found["risk_lower"], found["risk_upper"]) == (0, 1)


def digest(*words: object) -> str:
    return md5(" ".join(map(str, words)).encode()).hexdigest()


def attackers(
    rows: Sequence[tuple[int | None, int | None]], known: int, draws: int, seed: int
) -> list[list[int]]:
    """Return the values that the attacker of each draw learns, with their user's first record first."""
    own: defaultdict[int, list[int]] = defaultdict(list)
    for user, value in rows:
        if user is not None and value is not None:
            own[user].append(value)
    order = [
        (user, place)
        for user in sorted(own, key=lambda user: (digest(seed, user), user))
        for place in range(len(own[user]))
    ]
    learnt = []
    for draw in range(draws if order else 0):
        values = sorted(own[order[int((draw + 0.5) * len(order) / draws)][0]])
        tries, offers = 4 * known + 4, {}
        for attempt in range(min(len(values), tries)):
            few = len(values) <= tries
            place = attempt if few else int(digest(seed, draw, attempt)[:15], 16) % len(values)
            turn = digest(seed, "order", draw, attempt)
            offers[place] = min(turn, offers.get(place, turn))
        places = sorted(offers, key=lambda place: (offers[place], place))[:known]
        learnt.append([values[place] for place in places])
    return learnt


def known_records(
    rows: Sequence[tuple[int | None, int | None]],
    known: int,
    draws: int,
    seed: int,
    confidence: float,
    candidates: int | None,
) -> list[dict[str, float | int | None]]:
    """Return the figures of known_records, from its header: all users are looked at for each attacker."""
    learnt = attackers(rows, known, draws, seed)
    complete = [(user, value) for user, value in rows if user is not None and value is not None]
    holders: defaultdict[int, set[int]] = defaultdict(set)
    for user, value in complete:
        holders[value].add(user)
    used = list(range(len(learnt)))
    if candidates is not None:  # the rarest value of each different set, in groups of sixty users
        numbers = {user: number for number, user in enumerate(sorted({user for user, _ in complete}), 1)}
        groups = {value: len({numbers[user] // 60 for user in users}) for value, users in holders.items()}
        sets = {frozenset(values[:size]) for values in learnt for size in range(1, known + 1)}
        cost = sum(min(groups[value] for value in one) for one in sets if len(one) > 1)
        used.sort(key=lambda draw: (digest(seed, "use", draw), draw))
        used = used[: int(max(30, draws * candidates / max(cost, candidates)))]
    expected = []
    for size in range(1, known + 1):
        left = Counter(
            len(set.intersection(*(holders[value] for value in learnt[draw][:size]))) for draw in used
        )
        if left:
            expected.append(figures([(n, users) for users, n in left.items()], size, confidence))
    return expected


@LIGHT
@given(
    st.lists(st.tuples(st.integers(0, 6) | st.none(), st.integers(0, 5) | st.none()), max_size=40),
    st.integers(1, 4),
    st.sampled_from((*CONFIDENCES, 0.5)),
    st.integers(0, 99),
    st.none() | st.integers(1, 40),
)
def test_each_draw_is_the_one_described(
    connection: duckdb.DuckDBPyConnection,
    rows: list[tuple[int | None, int | None]],
    known: int,
    confidence: float,
    seed: int,
    candidates: int | None,
) -> None:
    make(connection, {"u": "BIGINT", "a": "BIGINT"}, rows)
    asked: dict[str, Any] = {"known": known, "draws": 50, "seed": seed, "confidence": confidence}
    given = {"source": "t", "user": "u", "attribute": attribute("a"), "candidates": candidates}
    found = run(connection, "known_records", **given, **asked)
    hold_lines(found, known_records(rows, **asked, candidates=candidates))


@pytest.mark.parametrize(("seed", "candidates"), [(0, None), (1, 100), (2, 400)])
def test_draws_of_many_users_and_of_users_with_many_records(
    connection: duckdb.DuckDBPyConnection, seed: int, candidates: int | None
) -> None:
    """700 users are twelve words in three rows; who has 60 records is offered twenty of them."""
    chance = random.Random(seed)
    rows = [
        (user, min(chance.randrange(12), chance.randrange(40)))
        for user in range(700)
        for _ in range(60 if user % 100 == 0 else 1 + user % 5)
    ]
    make(connection, {"u": "BIGINT", "a": "BIGINT"}, rows)
    asked: dict[str, Any] = {"known": 4, "draws": 150, "seed": seed, "confidence": 0.95}
    given = {"source": "t", "user": "u", "attribute": attribute("a"), "candidates": candidates}
    found = run(connection, "known_records", **given, **asked)
    hold_lines(found, known_records(rows, **asked, candidates=candidates))
