"""Information gain of cells: by hand, against its definition, and a published run on Adult."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk import roles
from duckrisk.disclosure import information_gain
from duckrisk.disclosure.options import Options
from duckrisk.session import Session
from duckrisk.source import Request, open_source
from tests.disclosure_oracle import written
from tests.shared_data import shared
from tests.tables import LIGHTER, make, run

KINDS = {"q one": "VARCHAR", "records": "INTEGER", "a1": "BOOLEAN"}
CELLS = st.tuples(
    st.sampled_from(["a", "A", "é", "'", None]), st.sampled_from([0, 1, None]), st.booleans() | st.none()
)
Row = tuple[Any, ...]


def measured(rows: list[Row], width: int = 3) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        make(connection, dict(list(KINDS.items())[:width]), rows)
        return run(connection, "information_gain", source="t", columns=list(KINDS)[:width])


def gains(rows: list[Row]) -> list[list[float]]:
    """The gain of every cell, record by record."""
    told = []
    for record in rows:
        cells = []
        for own in range(len(record)):
            alike = [
                other[own]
                for other in rows
                if all(other[i] == record[i] for i in range(len(record)) if i != own)
            ]
            whole = Counter(other[own] for other in rows)
            shares = {value: count / len(alike) for value, count in Counter(alike).items()}
            cells.append(
                math.fsum(p * math.log2(p / (whole[value] / len(rows))) for value, p in shares.items())
            )
        told.append(cells)
    return told


def test_by_hand() -> None:
    # Whoever knows the number knows the letter: one bit. The letter tells nothing of numbers it has both of.
    whole, letter, number = measured([("a", 0), ("a", 1), ("b", 2), ("b", 3)], 2)
    assert (letter["mean_gain"], letter["entropy"]) == (1, 1)
    assert (number["mean_gain"], number["entropy"]) == (1, 2)
    assert (whole["mean_gain"], whole["median_gain"], whole["highest_gain"]) == (2, 2, 2)
    assert whole["entropy"] is None
    assert measured([]) == []
    assert [line["mean_gain"] for line in measured([("a",), ("b",), ("b",)], 1)] == [0, 0]


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=25))
def test_against_the_definition(rows: list[Row]) -> None:
    told = gains(rows)
    lines = measured(rows)
    assert [line["place"] for line in lines] == [0, 1, 2, 3]
    for line in lines:
        place = line["place"]
        expected = sorted(sum(cells) if place == 0 else cells[place - 1] for cells in told)
        assert line["records"] == len(rows)
        assert line["mean_gain"] == pytest.approx(math.fsum(expected) / len(rows), abs=1e-12)
        for name, part in (("median_gain", 50), ("high_gain", 95), ("highest_gain", 100)):
            at = -(-len(rows) * part // 100) - 1
            assert line[name] == pytest.approx(expected[at], abs=1e-12)
        if place:
            counts = Counter(record[place - 1] for record in rows).values()
            entropy = -math.fsum(n / len(rows) * math.log2(n / len(rows)) for n in counts)
            assert line["entropy"] == pytest.approx(entropy, abs=1e-12)
    assert measured([*reversed(rows), *rows]) == [
        line
        | {"records": 2 * len(rows)}
        | {name: pytest.approx(line[name], abs=1e-12) for name in ("entropy", "mean_gain")}
        for line in lines
    ]


def test_tokens_are_missing_cells(tmp_path: Path) -> None:
    rows = [("a", 1), ("-", 2), ("a", -9), ("?", 2), ("b", -9), ("-", 1)]
    kinds = {"q": "VARCHAR", "n": "INTEGER"}
    nulls = [tuple(None if cell in ("-", -9) else cell for cell in cells) for cells in rows]
    told = []
    for name, cells in (("t", rows), ("n", nulls)):
        with Session() as session:
            source = open_source(session, Request(str(written(tmp_path, kinds, cells, name))))
            found = roles.infer(session, source, roles.Wishes(user=""))
            options = Options(quasi_identifiers=("q", "n"), missing_tokens=("-", "-9"), missing="none")
            told.append(information_gain.measure(session, source, found, options))
    assert told[0] == told[1]
    section, (note,) = told[0]
    assert section["record"]["mean_gain"] == pytest.approx(measured(nulls, 2)[0]["mean_gain"])
    assert "a value of its own" in note


def test_adult() -> None:
    """A published run of piflib on the same nine attributes."""
    published = {
        "age": 2.431, "occupation": 2.143, "education": 1.783, "marital-status": 1.363, "workclass": 1.229,
        "native-country": 0.809, "sex": 0.655, "race": 0.598, "income": 0.585,
    }  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW adult AS FROM '{shared('adult.parquet')}'")
        whole, *lines = run(connection, "information_gain", source="adult", columns=list(published))
    assert [round(line["mean_gain"], 3) for line in lines] == list(published.values())
    assert round(whole["high_gain"], 3) == 27.048
