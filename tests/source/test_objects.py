"""Sources in Python: frames, Arrow tables, DuckDB relations and connections."""

from __future__ import annotations

import duckdb
import pandas as pd
import pytest

from duckrisk.base.errors import EngineError, SourceError, UsageError
from tests.opening import opened


def refusal(source: object, **request: object) -> str:
    """The sentence of a refusal, which holds no engine text."""
    with pytest.raises((UsageError, SourceError)) as caught:
        opened(source, plain=False, **request)
    text = str(caught.value)
    assert "\n" not in text
    assert "Error:" not in text
    assert "/duckrisk-" not in text
    return text


def read(source: object, **request: object):
    return opened(source, plain=False, **request)


# --- frames --------------------------------------------------------------------------------------


def test_data_frame():
    frame = pd.DataFrame({"id": [1, 2], "when": pd.to_datetime(["2020-01-01", None]), "v": ["x", None]})
    found = read(frame)
    assert found.names == ["id", "when", "v"]
    assert found.rows[1] == (2, None, None)
    assert (found.source.kind, found.source.name, found.source.digest) == ("frame", "DataFrame", None)
    assert read(frame, where="id = 2").rows == [(2, None, None)]
    assert read(frame, query="SELECT count(*) AS n FROM source").rows == [(2,)]


def test_names_of_a_frame():
    frame = pd.DataFrame([[1, 2, 3, 4, 5, 6, 7]], columns=["a", "a", "A", "", ("x", 1), 5, "b\0"])
    found = read(frame)
    assert found.names == ["a", "a (2)", "A", "column 4", "('x', 1)", "5", "b\0"]
    assert found.rows == [(1, 2, 3, 4, 5, 6, 7)]
    assert read(frame, where="a_1 = 2 AND A_2 = 3").rows == found.rows


def test_frame_whose_type_breaks_late():
    frame = pd.DataFrame({"v": pd.Series([1] * 20_000 + ["x"] + [2] * 20_000, dtype=object)})
    found = read(frame)
    assert found.types == ["VARCHAR"]
    assert ("x",) in found.rows
    assert len(found.rows) == 40_001


def test_frame_without_columns_and_without_records():
    assert read(pd.DataFrame({"a": pd.Series([], dtype="int64")})).rows == []
    assert refusal(pd.DataFrame())


def test_arrow():
    pa = pytest.importorskip("pyarrow")
    table = pa.table([[1, 2], [3, 4], [5, 6]], names=["Age", "age", "age"])
    found = read(table, where="age_1 = 3")
    assert (found.names, found.rows) == (["Age", "age", "age (2)"], [(1, 3, 5)])
    assert read(table.to_batches()[0]).rows == [(1, 3, 5), (2, 4, 6)]
    assert "read_all()" in refusal(table.to_reader())


def test_lazy_frame():
    class LazyFrame:
        """Of polars, by its name."""

    assert "collect() it first" in refusal(LazyFrame())


@pytest.mark.parametrize("thing", [object(), 5, None.__class__, b"x", [1, 2], {"a": 1}])
def test_other_things(thing):
    assert "cannot be assessed" in refusal(thing)


def test_table_beside_a_frame():
    assert "table= needs" in refusal(pd.DataFrame({"a": [1]}), table="x")


# --- DuckDB's own --------------------------------------------------------------------------------


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE t AS SELECT range AS id, 'secret' AS v FROM range(3)")
        yield opened


def test_relation(connection):
    found = read(connection.sql("SELECT id, id + 1 AS ID, id + 2 AS id, v FROM t"))
    assert found.rows[0] == (0, 1, 2, "secret")
    assert found.names == ["id", "ID", "id (2)", "v"]
    assert found.source.digest is None
    queried = read(connection.sql("FROM t"), query="SELECT max(id) AS m FROM source", where="m > 1")
    assert queried.rows == [(2,)]


WIDE = str(2**127 - 1)
#: Values of types that Parquet has not, and how they are written.
NOT_IN_PARQUET = {
    "HUGEINT": [WIDE, f"-{WIDE}", "0"],
    "UHUGEINT": [str(2**128 - 1)],
    "INTERVAL": ["1 month", "30 days", "-1 year -1 day -00:00:00.000001"],
    "TIME WITH TIME ZONE": ["10:00:00+00", "11:00:00+01", "24:00:00-15:59:59"],
    "BIT": ["01", "1"],
}


@pytest.mark.parametrize("way", ["relation", "table", "query"])
def test_types_of_a_relation_survive(connection, tmp_path, way):
    cells = [(kind, text) for kind, texts in NOT_IN_PARQUET.items() for text in texts]
    kinds = ", ".join(f"'{text}'::{kind} AS v{place}" for place, (kind, text) in enumerate(cells))
    connection.execute(f"CREATE TABLE odd AS SELECT {kinds}, NULL AS n")
    if way == "query":
        path = tmp_path / "odd.duckdb"
        connection.execute(f"ATTACH '{path}' AS f; CREATE TABLE f.odd AS FROM odd; DETACH f")
        found = read(path, table="odd", query="FROM source")
    else:
        found = read(connection.sql("FROM odd")) if way == "relation" else read(connection, table="odd")
    assert found.types[:-1] == [kind for kind, _ in cells]
    expected = connection.execute("FROM odd").fetchone()
    for (kind, text), cell, was in zip(cells, found.rows[0], expected, strict=False):
        assert cell == (text if kind == "INTERVAL" else was)


def test_different_values_of_a_relation_stay_different(connection):
    """A number and the text of it, in what holds values of any of some types, or of any type."""
    held = "UNION(n INTEGER, s VARCHAR)"
    cells = [f"union_value(n := 1)::{held}", f"union_value(s := '1')::{held}", f"NULL::{held}"]
    cells += [f"union_value(n := NULL::INTEGER)::{held}"]
    some = " UNION ALL ".join(f"SELECT {cell} AS u, [{cell}] AS several" for cell in cells)
    found = read(connection.sql(some))
    for column in zip(*found.rows, strict=True):
        assert len(set(column)) == len(cells)
    assert sum(value is None for value, _ in found.rows) == 1
    # Before DuckDB 2 the JSON of a list does not tell the types of what is in it.
    for kind in ("VARIANT", "VARIANT[]") if duckdb.__version__ >= "2" else ("VARIANT",):
        cells = ["1", "'1'", "true", "'true'"]
        cells = [f"[{cell}::VARIANT]" for cell in cells] if kind.endswith("]") else cells
        some = " UNION ALL ".join(f"SELECT CAST({cell} AS {kind}) AS v" for cell in cells)
        try:
            found = read(connection.sql(some))
        except duckdb.Error:
            pytest.skip("not every engine has the type")
        assert len(set(found.rows)) == len(cells)


def test_connection(connection):
    assert len(read(connection, table="t").rows) == 3
    assert read(connection, query="SELECT count(*) AS n FROM t;").rows == [(3,)]
    assert read(connection, query="SELECT id FROM t", where="id = 1").rows == [(1,)]
    assert len(read(connection, table="main.t").rows) == 3
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(3,)]
    assert connection.execute("FROM duckdb_views() WHERE NOT internal").fetchall() == []


def test_connection_with_temporary_and_hostile_tables(connection):
    connection.execute("CREATE TEMP TABLE mine AS SELECT 1 AS a")
    connection.register("frame", pd.DataFrame({"b": [2]}))
    connection.execute('CREATE SCHEMA "s.x"')
    connection.execute('CREATE TABLE "s.x"."t""; --" AS SELECT 3 AS c')
    assert read(connection, table="mine").rows == [(1,)]
    assert read(connection, table="frame").rows == [(2,)]
    assert read(connection, table='"s.x"."t""; --"').rows == [(3,)]


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"table": "t", "query": "SELECT 1"},
        {"table": "nosuch"},
        {"table": "t; DROP TABLE t"},
        {"table": ""},
        {"query": "DROP TABLE t"},
        {"query": "SELECT nosuch FROM t"},
        {"query": "SELECT CAST(v AS INTEGER) AS n FROM t"},
    ],
)
def test_connection_refusals(connection, request_):
    assert "secret" not in refusal(connection, **request_)
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(3,)]


def test_connection_that_may_not_write(connection):
    connection.execute("SET enable_external_access = false")
    assert "may not write" in refusal(connection, table="t")


def test_connection_in_use_or_closed(connection):
    cursor = connection.cursor()
    connection.execute("FROM range(3)").fetchone()
    if hasattr(duckdb, "ResourceInUseException"):  # from DuckDB 2.0 on
        with pytest.raises(EngineError, match="not fetched to its end"):
            read(connection, table="t")
    assert len(read(cursor, table="t").rows) == 3
    cursor.close()
    with pytest.raises(EngineError, match="is closed"):
        read(cursor, table="t")


def test_value_that_a_relation_cannot_calculate(connection):
    assert "does not fit" in refusal(connection.sql("SELECT CAST(v AS INTEGER) AS n FROM t"))
