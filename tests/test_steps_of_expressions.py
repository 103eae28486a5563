"""Expressions that statements are made of, by hand."""

from __future__ import annotations

import hashlib
import math

import pytest

from duckrisk.engine.templates import Sql, render
from tests.tables import connect, put, tell


@pytest.mark.parametrize(("first", "second"), [(1, 0), (2**62, 2**61), (2**63, 2**62), (2**60, 2**63)])
def test_numbers_drawn_from_the_normal_distribution(first: int, second: int) -> None:
    """As Box and Muller make them of two that are drawn evenly."""
    text = render(
        "gaussian", first=Sql(f"CAST({first} AS UBIGINT)"), second=Sql(f"CAST({second} AS UBIGINT)")
    )
    u, v = (first + 1) / 2**64, second / 2**64
    with connect() as connection:
        ((drawn,),) = tell(connection, f"SELECT {text}")
    assert drawn == pytest.approx(math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v), abs=1e-12)


def test_bytes_stand_for_themselves_or_by_their_digest() -> None:
    with connect() as connection:
        put(connection, "t", "b:BLOB", (b"ab",), (b"abc",), (b"abcd",))
        told = tell(connection, f"SELECT {render('digest_bytes', column=Sql('b'), argument=3)} FROM t")
    assert told == [("ab",), ("abc",), ("… SHA-256 " + hashlib.sha256(b"abcd").hexdigest(),)]


#: Values of a kind: of long texts of one pattern, and of wide numbers, the engine's own hash gives some one
#: number.
VALUES = {
    "JSON": """'{"page": "/p/' || i || '", "ref": "mail", "v": ' || i % 7 || '}' FROM range(100, 800)""",
    "wide": "CAST(i AS HUGEINT) FROM range(-5, 5)",
    "precise": "CAST(i AS DECIMAL(38, 0)) FROM range(-5, 5)",
    "bytes": "encode('0123456' || i % 10 || 'abcdefg' || i // 10 || '.') FROM range(100)",
    "struct": "{'a': i, 'b': '0123456' || i % 10 || 'abcdefg' || i // 10} FROM range(100)",
    "lists": "UNNEST([[NULL], [], ['NULL'], ['a', 'b'], ['a, b']]) FROM range(1)",
    "lists of reals": "CAST(UNNEST([[0.0], [-0.05], [0.05], [], [NULL], [0, 0]]) AS DOUBLE[]) FROM range(1)",
    "texts like reals": "{'a': 0.5::DOUBLE, 'b': UNNEST(['-0.0', '0.0', '-nan', 'nan'])} FROM range(1)",
    "short texts": "CAST(i AS VARCHAR) FROM range(1000)",
    "identifiers": "CAST(lpad(CAST(i AS VARCHAR), 32, '0') AS UUID) FROM range(5)",
    "fractions": "i / 3 FROM range(1000)",
    "moments": "TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_minutes(i) FROM range(1000)",
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_values_that_differ_have_numbers_that_differ(values: str) -> None:
    with connect() as connection:
        connection.execute(f"CREATE TABLE made AS SELECT DISTINCT v FROM (SELECT {values} AS r (i)) AS t (v)")
        connection.execute("INSERT INTO made VALUES (NULL)")
        number = render("cell_number", cell=Sql("v"))
        told = tell(
            connection,
            "SELECT COUNT(*), COUNT(DISTINCT number), LIST(v) FILTER (number = hash(NULL)) "
            f"FROM (SELECT v, {number} AS number FROM made) AS numbers",
        )
        records = tell(connection, "SELECT COUNT(*) FROM made")[0][0]
    assert told == [(records, records, [None])]


@pytest.mark.parametrize(
    "values",
    [
        "v",
        "v::FLOAT",
        "[v, 1]",
        "[v::FLOAT]",
        "[v]::DOUBLE[1]",
        "{'a': v, 'b': '-0.0'}",
        "MAP {v: v}",
        "[{'a': [v]}]",
    ],
)
def test_values_that_are_equal_have_one_number(values: str) -> None:
    """The engine groups 0 with -0 and every NaN with all others, and writes two of each."""
    with connect() as connection:
        numbers = "VALUES ('0.0'::DOUBLE), ('-0.0'), ('nan'), (-('nan'::DOUBLE))"
        number = render("cell_number", cell=Sql("cell"))
        told = tell(
            connection,
            f"SELECT COUNT(DISTINCT cell), COUNT(DISTINCT {number}), COUNT(DISTINCT CAST(cell AS VARCHAR)) "
            f"FROM (SELECT {values} AS cell FROM ({numbers}) AS n (v)) AS cells",
        )
    assert told == [(2, 2, 4)]
