"""The most exposed records: by hand, against all pairs, and the ten of Adult."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.contests import membership
from duckrisk.contests.membership import exposure
from tests.command import command
from tests.shared_data import shared
from tests.tables import LIGHTER, connect, engine, make

Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def connection() -> Any:
    with connect() as made:
        yield made


def measure(
    connection: duckdb.DuckDBPyConnection, columns: dict[str, str], rows: Sequence[Row], **options: Any
) -> Any:
    make(connection, columns, rows)
    return membership.exposed(connection.sql("FROM t"), show_values=True, **options)


def brute_force(rows: Sequence[Row], kinds: Sequence[str]) -> list[float]:
    """The exposure of each record by the definition."""
    numbers = [i for i, kind in enumerate(kinds) if kind != "VARCHAR"]
    others = [i for i, kind in enumerate(kinds) if kind == "VARCHAR"]
    vectors = []
    for row in rows:
        vector = []
        for i in numbers:
            values = [r[i] for r in rows if r[i] is not None]
            low, high = (min(values), max(values)) if values else (0, 0)
            vector.append((row[i] - low) / (high - low) if row[i] is not None and high > low else 0.0)
        vectors.append(vector)

    def distance(a: int, b: int) -> float:
        u, v = vectors[a], vectors[b]
        lengths = math.hypot(*u), math.hypot(*v)
        if all(lengths):
            cosine = sum(x * y for x, y in zip(u, v, strict=True)) / math.prod(lengths)
        else:
            cosine = float(not any(lengths))
        differ = sum(rows[a][i] != rows[b][i] for i in others)
        return (differ + (len(numbers) * (1 - cosine) if numbers else 0)) / len(kinds)

    found = []
    for a in range(len(rows)):
        least = sorted(distance(a, b) for b in range(len(rows)) if b != a)[:5]
        found.append(sum(least) / len(least) if least else 0.0)
    return found


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Of eight records one differs from all in its category, and has the direction (0, 1), not (1, 1)."""
    rows = [("x", 10, 10)] * 3 + [("x", 5, 5)] * 3 + [("y", 0, 10), ("x", 0, 0)]
    found = measure(connection, {"c": "VARCHAR", "n": "INTEGER", "m": "INTEGER"}, rows, most=2)
    first, second = found.exposed
    assert (first.record, second.record) == (7, 6)
    # (0, 0) has no direction: its numbers are 1 from all others. The other: (1 + 2 (1 - 1 / sqrt 2)) / 3.
    assert first.exposure == pytest.approx(2 / 3)
    assert second.exposure == pytest.approx((3 - 2**0.5) / 3)
    assert found.typical.draws == 8


CELLS = (st.none() | st.sampled_from(["", "a", "é'", '"b"', "NULL"]), st.none() | st.integers(-3, 3))


@LIGHTER
@given(st.data(), st.lists(st.sampled_from(["VARCHAR", "INTEGER"]), min_size=1, max_size=8), st.booleans())
def test_all_pairs(
    connection: duckdb.DuckDBPyConnection, data: st.DataObject, kinds: list[str], small: bool
) -> None:
    cells = st.tuples(*(CELLS[kind != "VARCHAR"] for kind in kinds))
    rows = data.draw(st.lists(cells, min_size=1, max_size=40))
    columns = {f'a"{i} b': kind for i, kind in enumerate(kinds)}
    with pytest.MonkeyPatch.context() as patch:
        if small:  # blocks of a few records bound badly, so that the second comparison is needed
            patch.setattr(exposure, "_BLOCK", 7)
        found = measure(connection, columns, rows, most=3)
    expected = brute_force(rows, kinds)
    order = sorted(range(len(rows)), key=lambda i: (-round(expected[i], 9), i))
    if len(rows) == 1:
        assert found.exposed == ()
    else:
        assert [one.exposure for one in found.exposed] == pytest.approx(
            [expected[i] for i in order[:3]], abs=1e-9
        )
    assert found.undecided == 0


def test_a_bound_on_pairs_is_said(connection: duckdb.DuckDBPyConnection) -> None:
    chance = random.Random(3)
    rows = [("xyz"[n % 3], chance.random(), chance.random(), chance.random()) for n in range(300)]
    columns = {"c": "VARCHAR", "n": "DOUBLE", "m": "DOUBLE", "o": "DOUBLE"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exposure, "_MAX_PAIRS", 300 * 5)
        patch.setattr(exposure, "_BLOCK", 8)
        found = measure(connection, columns, rows, most=3)
    assert found.compared == 5
    assert found.undecided > 0
    assert "Not all was compared" in found.to_text()


def test_a_table_without_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    engine().execute(f"COPY (SELECT 1 AS a, 'b' AS c WHERE FALSE) TO '{path}'")
    refused = command("membership", "exposed", str(path))
    assert (refused.code, refused.out) == (3, "")
    assert refused.err == 'duckrisk: "none.parquet" has no records.\n'


def test_which_records_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("c,n\n" + "".join(f"x,{n // 2}\n" for n in range(12)) + "secret,7\n", encoding="utf-8")
    hidden = command("membership", "exposed", str(path), "--most", "2", "--format", "json").out
    assert [one["record"] for one in json.loads(hidden)["exposed"]] == [None, None]
    assert "secret" not in hidden
    shown = command(
        "membership", "exposed", str(path), "--most", "2", "--format", "json", "--show-values"
    ).out
    assert json.loads(shown)["exposed"][0]["record"] == 12


@pytest.mark.slow
def test_the_ten_of_adult(tmp_path: Path) -> None:
    """The list of Meeus and others' notebook, with the record itself not among its nearest; own figures."""
    known = " AND ".join(f"\"{name}\" <> '?'" for name in ("workclass", "occupation", "native-country"))
    parts = [f"SELECT * FROM '{shared(f'adult_{part}.parquet')}' WHERE {known}" for part in ("train", "test")]
    path = tmp_path / "adult.parquet"
    query = f"SELECT * REPLACE (RTRIM(income, '.') AS income) FROM ({' UNION ALL '.join(parts)})"
    engine().execute(f"COPY ({query}) TO '{path}'")
    found = membership.exposed(path, most=11, show_values=True)
    assert found.original.records == 45222
    ten = {39435, 1678, 35988, 36838, 6066, 27566, 16525, 43082, 5918, 16249}
    assert {one.record for one in found.exposed[:10]} == ten
    exposures = [round(one.exposure, 5) for one in found.exposed]
    assert exposures[:4] == [0.28122, 0.27667, 0.27249, 0.27107]
    assert (found.exposed[10].record, round(exposures[10], 4)) == (14731, 0.2438)
    assert found.undecided == 0
