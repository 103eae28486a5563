"""How values of a column are spread, by ranks: by hand, and against counts in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.engine.session import Resources, Session
from duckrisk.measures.ranks import rank_values
from duckrisk.source import Request, open_source
from tests.command import table
from tests.tables import LIGHT, attribute, connect, make, row

CELLS = st.one_of(
    st.none(), st.sampled_from(["a", "b", " ", "長い値", "'; DROP TABLE t; --", "\U0001f600", "A"])
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Of 8 records 4 have x, 2 y, 1 z, and 1 none: with 3 as the limit y and z are rare, in 3 records."""
    make(connection, {"a": "VARCHAR"}, [(cell,) for cell in ["x"] * 4 + ["y"] * 2 + ["z", None]])
    found = row(connection, "value_ranks", source="t", attribute=attribute("a"), rare=3, most=2)
    assert found == {
        "distinct_values": 3,
        "rare_values": 2,
        "rare_share": 3 / 8,
        "missing_share": 1 / 8,
        "shares": [4 / 8, 2 / 8],
    }


@LIGHT
@given(st.lists(CELLS, max_size=30), st.integers(1, 4), st.integers(1, 5))
def test_oracle(connection: duckdb.DuckDBPyConnection, cells: list[str | None], rare: int, most: int) -> None:
    make(connection, {"a": "VARCHAR"}, [(cell,) for cell in cells])
    found = row(connection, "value_ranks", source="t", attribute=attribute("a"), rare=rare, most=most)
    counts = Counter(cell for cell in cells if cell is not None)
    few = [count for count in counts.values() if count < rare]
    every = len(cells) or 1
    assert (found["distinct_values"], found["rare_values"]) == (len(counts), len(few))
    assert found["rare_share"] == sum(few) / every
    assert found["missing_share"] == cells.count(None) / every
    assert found["shares"] == [count / every for _, count in counts.most_common(most)]


def test_marks_of_missing_values_are_missing(tmp_path: Path) -> None:
    """A suppressed cell is no value; a number has no mark."""
    source = table(
        tmp_path / "t.parquet", "SELECT ['*', 'x', '?'][1 + i % 3] AS a, i AS b FROM range(6) t(i)"
    )
    with Session(Resources()) as session:
        opened = open_source(session, Request(str(source)))
        found = rank_values(session, opened.columns, 2, ("*", "?"))
    assert (found["a"].distinct_values, found["a"].missing_share, found["a"].shares) == (1, 4 / 6, (2 / 6,))
    assert (found["b"].distinct_values, found["b"].rare_values, found["b"].missing_share) == (6, 6, 0)
