"""Tables of polars and Ibis, and streams of Arrow, have the figures of the same records in a file."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from tests.opening import opened

#: 60 people with missing cells, dates and hostile names.
PEOPLE: dict[str, list[Any]] = {
    "id": list(range(60)),
    "zip 'code'": [("a", "b", "c", None)[number % 4] for number in range(60)],
    "出生": [datetime.date(1950 + number % 9, 1, 1) for number in range(60)],
    "seen": [datetime.datetime(2020, 1, 1 + number % 3, number % 24) for number in range(60)],
    "ill": [number % 7 == 0 for number in range(60)],
}
ASKED = {"user": "id", "quick": True, "policy": "shared", "sensitive": ["ill"]}


def figures(source: object) -> dict[str, Any]:
    """The report without what says where the records came from."""
    data = duckrisk.assess(source, **ASKED).to_dict()
    return {name: part for name, part in data.items() if name not in ("source", "duckrisk", "settings")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The same people in a file."""
    arrow = pytest.importorskip("pyarrow").table(PEOPLE)
    made = tmp_path / "people.parquet"
    duckdb.from_arrow(arrow).write_parquet(str(made))
    return made


# --- polars ----------------------------------------------------------------------------------------


def test_polars(path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(PEOPLE)
    assert figures(frame) == figures(path)
    assert opened(frame, plain=False, where="id < 2").names == list(PEOPLE)
    assert duckrisk.assess(frame.lazy().filter(polars.col("id") < 40).collect(), **ASKED).source.records == 40
    texts = polars.DataFrame({"a": ["x", "y"]})
    for kind in (polars.Categorical, polars.Enum(["x", "y"])):
        assert opened(texts.cast({"a": kind}), plain=False).rows == [("x",), ("y",)]


def test_what_polars_has_and_the_engine_not() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": [1, 2]})
    with pytest.raises(UsageError, match=r"collect\(\) it first"):
        duckrisk.assess(frame.lazy())
    for kind, values in ((polars.Object, [object(), object()]), (polars.Int128, [1, 2])):
        odd = frame.with_columns(polars.Series("odd one", values, dtype=kind))
        with pytest.raises(UsageError, match=f'The column "odd one" has the type {kind.__name__}, which'):
            duckrisk.assess(odd)


def test_a_release_is_a_frame_of_polars(path: Path) -> None:
    polars = pytest.importorskip("polars")
    steps = [{"method": "generalize", "column": "id", "width": 10}]
    frame = duckrisk.anonymize(polars.DataFrame(PEOPLE), steps=steps).to_relation().pl()
    assert frame["id"].unique(maintain_order=True)[:2].to_list() == ["[0, 10[", "[10, 20["]
    assert frame.drop("id").equals(polars.DataFrame(PEOPLE).drop("id"))


# --- Ibis ------------------------------------------------------------------------------------------


def test_ibis(path: Path) -> None:
    """A table of a backend, one in memory, and what is computed of one."""
    ibis = pytest.importorskip("ibis")
    backend = ibis.duckdb.connect()
    table = backend.read_parquet(path)
    wanted = figures(path)
    for source in (table, ibis.memtable(PEOPLE), table.filter(table.id >= 0)):
        assert figures(source) == wanted
    assert opened(backend.con, plain=False, table=table.get_name()).names == list(PEOPLE)
    assert duckrisk.assess(table.filter(table.id < 40), **ASKED).source.records == 40
    with pytest.raises(UsageError, match="cannot be assessed"):
        duckrisk.assess(table.id)


# --- streams of Arrow ------------------------------------------------------------------------------


def test_a_stream_is_read_while_it_is_opened(path: Path) -> None:
    """It may be a query that takes long, or that gives other records each time."""
    table = pytest.importorskip("pyarrow").table(PEOPLE)

    class Stream:
        """A table that counts how often it is read."""

        reads = 0

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            self.reads += 1
            return table.__arrow_c_stream__(requested_schema)

    few, many = Stream(), Stream()
    assert duckrisk.assess(few, user="id", only=["class_sizes"]).source.records == 60
    assert figures(many) == figures(path)
    assert few.reads == many.reads
