"""Expressions that statements are made of, by hand."""

from __future__ import annotations

import hashlib
import math

import pytest

from duckrisk.templates import Sql, render
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
