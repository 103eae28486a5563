"""The statement that a person runs, of all sets of a few attributes, against the definition."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.identifiability_oracle import BASE, TOKENS, Level, Table, find
from tests.tables import LIGHT, Drawn, connect, drawn_tables, make, run

NAMES = ("a", "b", "c")
LEVELS = st.builds(Level, st.integers(1, 3), st.integers(1, 3))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


@LIGHT
@given(
    drawn_tables(width=3, users=("integer",), values=("text", "integer")),
    st.tuples(LEVELS, LEVELS, LEVELS),
    st.sampled_from(["none", "value"]),
)
@example(
    Drawn("integer", ("text", "text", "integer"), [(1, "x", " ? ", 1), (2, "x", "y", 1), (3, None, "y", 2)]),
    (Level(1, 1), Level(1, 2), Level(1, 1)),
    "none",
)
def test_identifiability_of_records(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, levels: tuple[Level, ...], missing: str
) -> None:
    make(connection, drawn.columns, drawn.rows)
    rows = run(
        connection,
        "identifiability",
        source="t",
        columns=list(NAMES),
        levels=[f"{level.economic},{level.psychological}" for level in levels],
        missing_tokens=list(TOKENS),
        missing_is_value=int(missing == "value"),
        base=BASE,
    )
    expected = find(Table(NAMES, tuple(cells[1:] for cells in drawn.rows), levels, missing))
    singled_out = {number: one for number, one in enumerate(expected, 1) if one.singled_out}
    assert sorted(one["record"] for one in rows) == sorted(singled_out)
    for one in rows:
        wanted = singled_out[one["record"]]
        assert one["ease"] == pytest.approx(wanted.ease, abs=1e-9)
        assert one["value"] == pytest.approx(wanted.value, rel=1e-9)
        assert (tuple(one["attributes"]), one["equal_sets"]) == (wanted.sets[0], len(wanted.sets))
    assert rows == sorted(rows, key=lambda one: (-one["value"], one["record"]))
