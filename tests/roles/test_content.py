"""Check digits against chance: the binomial distribution, and tables of codes that identify nobody."""

from __future__ import annotations

import hashlib
import math
import random
import string
import uuid

import duckdb
import pyarrow as pa
import pytest

from duckrisk.engine.templates import render
from tests.cases import Cases
from tests.tables import run


def tail(shaped: int, valid: int, chance: float) -> float:
    """Return the probability that chance makes at least so many values valid."""
    terms = (
        math.comb(shaped, n) * chance**n * (1 - chance) ** (shaped - n) for n in range(valid, shaped + 1)
    )
    return math.fsum(terms)


def take(pairs: list[tuple[int, int]], chance: float, *, is_named: bool) -> list[bool]:
    """Return which numbers of values with a shape, and of valid ones, the statement takes as likely."""
    statement = render("direct_identifiers", source="t", columns=["a"], named=["0 k"] if is_named else None)
    start = statement.rindex("CASE\n        WHEN values_by_chance")  # of what it makes of the numbers
    rule = statement[start : statement.rindex("AS likely")]
    rows = [(place, shaped, valid, shaped * chance) for place, (shaped, valid) in enumerate(pairs)]
    names = "place, shaped_values, valid_values, values_by_chance"
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE found (place BIGINT, s BIGINT, v BIGINT, c DOUBLE)")
        connection.executemany("INSERT INTO found VALUES (?, ?, ?, ?)", rows)
        found = f"(SELECT 0 AS position, 'k' AS kind, * FROM found AS f ({names}))"
        taken = connection.execute(f"SELECT {rule} FROM {found} ORDER BY place").fetchall()
    return [likely for (likely,) in taken]


@pytest.mark.parametrize("chance", [1 / 10, 1 / 11, 2 / 11, 1 / 97])
@pytest.mark.parametrize(("is_named", "unlikely"), [(False, 1e-6), (True, 1e-2)])
def test_no_more_is_taken_for_an_identifier_than_chance_allows(
    chance: float, is_named: bool, unlikely: float
) -> None:
    """Against the binomial distribution: the bound never takes too much, and all of enough values always."""
    pairs = [(shaped, valid) for shaped in (1, 2, 3, 5, 8, 20, 60, 300) for valid in range(1, shaped + 1)]
    with Cases() as case:
        for (shaped, valid), taken in zip(pairs, take(pairs, chance, is_named=is_named), strict=True):
            with case(f"{valid} of {shaped}"):
                exact = tail(shaped, valid, chance)
                assert not taken or (exact <= unlikely * (1 + 1e-6) and valid >= 2 * shaped * chance)
                if valid == shaped:
                    assert taken == (exact <= unlikely * (1 + 1e-6))
                # The bound is loose by the square root of the variance at most.
                if exact <= unlikely / (10 * math.sqrt(shaped)) and valid >= 2 * shaped * chance:
                    assert taken
    assert take([(3, 1), (3, 0), (0, 0)], 1, is_named=is_named) == [True, False, False]


def codes(number: int) -> dict[str, list[str]]:
    """Draw a column of each kind of codes that stand for nobody, by a number alone."""
    draw = random.Random(number)
    upper, every = string.digits + string.ascii_uppercase, string.digits + string.ascii_letters
    first, step = draw.randrange(10**11, 10**12), draw.randrange(1, 50)
    return {
        "md5": [hashlib.md5(f"{number}/{i}".encode()).hexdigest() for i in range(200)],
        "hex16": [f"{draw.getrandbits(64):016x}" for _ in range(200)],
        "base36": ["".join(draw.choices(upper, k=draw.randint(15, 24))) for _ in range(200)],
        "text22": ["".join(draw.choices(every, k=22)) for _ in range(200)],
        "uuid": [str(uuid.UUID(int=draw.getrandbits(128), version=4)) for _ in range(200)],
        "sequence12": [str(first + i * step) for i in range(200)],
        "sequence16": [str(first * 4001 + i * step) for i in range(200)],
        "tens": [str(first // 10 * 10 + draw.randrange(10**6) * 10) for _ in range(200)],
        "vin": ["".join(draw.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=17)) for _ in range(200)],
    }


def test_codes_are_no_identifiers_by_their_check_digits() -> None:
    """90 tables of each kind: chance must not make one in 1,000 of them an identifier."""
    drawn = [codes(number) for number in range(90)]
    with duckdb.connect() as connection:
        for kind in drawn[0]:
            names = [f"c{number}" for number in range(90)]
            rows = list(zip(*(columns[kind] for columns in drawn), strict=True))
            connection.register("t", pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))))
            lines = run(connection, "direct_identifiers", source="t", columns=names, missing_tokens=None)
            taken = [
                (kind, line["kind"], line["shaped_values"], line["valid_values"])
                for line in lines
                if line["valid_cells"] and line["likely"]
            ]
            assert taken == []
