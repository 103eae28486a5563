"""The figures of several attributes of few values by one statement: by hand, and those of attribute_risk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.engine.templates import Attribute
from duckrisk.measures import attribute as room
from tests.tables import LIGHT, Drawn, attribute, connect, drawn_tables, make, row, run


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def measure(
    connection: duckdb.DuckDBPyConnection, attributes: list[Attribute], word: int
) -> list[dict[str, Any]]:
    """Return the figures of each attribute; words have ``word`` bits, or as many as its values need."""
    known = {"source": "t", "user": "u"}
    tables = [f"few_{number}" for number in range(len(attributes))]
    for one, table in zip(attributes, tables, strict=True):
        run(connection, "numbered_few_values", **known, attribute=one, table=table)
    sizes = [rows["records"] for rows in run(connection, "row_counts", tables=tables)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(room, "_BITS_PER_WORD", max(word, *sizes))
        words, shifts = room._pack_into_words(sizes)
    return run(
        connection,
        "risk_of_few_values",
        **known,
        attributes=attributes,
        tables=tables,
        sizes=sizes,
        words=words,
        shifts=shifts,
        k=3,
    )


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """a: x has users 1 and 2 in three records, y user 1 alone: (3/2 + 1/1) / 4. b: one value, (4/2) / 4.

    The record without a user and the one without a value are left out.
    """
    rows = [(1, "x", "p"), (1, "x", "p"), (2, "x", "p"), (1, "y", "p"), (None, "z", None), (2, None, None)]
    make(connection, {"u": "INTEGER", "a": "VARCHAR", "b": "VARCHAR"}, rows)
    first, second = measure(connection, [attribute("a"), attribute("b")], 60)
    assert (first["records"], first["distinct_values"], first["mean_risk"]) == (4, 2, 0.625)
    assert (first["singled_out_records"], first["records_below_k"]) == (1, 4)
    assert (second["records"], second["distinct_values"], second["mean_risk"]) == (4, 1, 0.5)


@LIGHT
@given(drawn_tables(), st.integers(1, 60))
def test_figures_of_attribute_risk(connection: duckdb.DuckDBPyConnection, drawn: Drawn, word: int) -> None:
    make(connection, drawn.columns, drawn.rows)
    attributes = [attribute(name) for name in drawn.columns if name != "u"]
    known = {"source": "t", "user": "u", "k": 3}
    expected = [row(connection, "attribute_risk", **known, attributes=[one]) for one in attributes]
    for place, (found, wanted) in enumerate(
        zip(measure(connection, attributes, word), expected, strict=True)
    ):
        assert found == wanted | {"position": place}


def test_words_hold_up_to_sixty_values() -> None:
    assert room._pack_into_words([60, 1, 59, 2, 10]) == ([0, 1, 1, 2, 2], [0, 0, 1, 0, 2])


def test_coarser_forms_of_many_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An assessment gives the same figures with one statement for all forms of few values."""
    path = str(tmp_path / "t.parquet")
    duckdb.execute(
        f"""COPY (SELECT r // 3 AS customer, DATE '2020-01-01' + CAST(hash(r) % 900 AS INTEGER) AS visited,
            CAST(hash(r, 1) % 97 AS INTEGER) AS amount, 'k' || hash(r, 2) % 70 AS shop
            FROM range(900) AS n (r)) TO '{path}' (FORMAT parquet)"""
    )
    settled: dict[str, Any] = {"user": "customer", "only": ["attribute_risk"]}
    one_by_one = duckrisk.assess(path, **settled)
    monkeypatch.setattr(room, "_MANY_RECORDS", 1)
    together = duckrisk.assess(path, **settled)
    assert "risk_of_few_values" in {statement.name for statement in together.statements}
    assert len(together.coarser_knowledge) == 5
    assert together.coarser_knowledge == one_by_one.coarser_knowledge
    forms = {entry.coarser: entry.distinct_values for entry in together.coarser_knowledge}
    assert forms["visited.week"] > 60
