"""Reports of a Spark Connect server beside DuckDB's: Sail, which needs no Java."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import duckrisk
from duckrisk.errors import EngineError
from tests.command import command
from tests.engines.comparing import TABLES, differences, parquet, report
from tests.engines.serving import serving

pytest.importorskip("pysail.spark", reason="the stand-in for Spark, pysail, is not installed here")
pytest.importorskip("pyspark.sql.connect", reason="pyspark-client is not installed here")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving() as (begun, _):
        yield begun


@pytest.mark.parametrize("name", TABLES)
def test_reports_are_the_same(name: str, address: str, tmp_path: Path) -> None:
    query, options = TABLES[name]
    source = parquet(tmp_path / "table.parquet", query)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    there = report(source, address, str(scratch), **options)
    assert there["environment"]["engine"].startswith("Spark ")
    assert differences(report(source, **options), there) == []
    assert list(scratch.iterdir()) == []


def test_an_empty_table_is_refused_as_elsewhere(address: str, tmp_path: Path) -> None:
    source = parquet(tmp_path / "table.parquet", "SELECT 1 AS a WHERE FALSE")
    with pytest.raises(duckrisk.DuckriskError, match="no records"):
        report(source, address)


def test_nested_cells_are_read_as_texts(address: str, tmp_path: Path) -> None:
    source = parquet(
        tmp_path / "table.parquet",
        "SELECT i % 5 AS user_id, [i % 3] AS tags, {'a': i % 2} AS pair FROM range(60) AS t(i)",
    )
    there = report(source, address, user="user_id", only=("attribute_risk",))
    assert {column["name"]: column["type"] for column in there["source"]["columns"]}["tags"] == "VARCHAR"
    assert any("tags has the type array" in note for note in there["source"]["notes"]), there["source"][
        "notes"
    ]


def test_a_frame_brings_its_session(address: str, tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    query, options = TABLES["retail"]
    source = parquet(tmp_path / "table.parquet", query)
    session = SparkSession.builder.remote(address).create()
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        there = report(session.read.parquet(source), **options)
        different = differences(report(source, **options), there)
        assert {path for path, *_ in different} == {".source.name", ".source.kind"}
        assert session.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
        assert [table.name for table in session.catalog.listTables()] == []
    finally:
        session.stop()


def test_other_functions_say_what_to_do_with_a_frame(address: str) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(address).create()
    try:
        frame = session.range(3)
        for function in (duckrisk.advise, lambda frame: duckrisk.compare(frame, frame)):
            with pytest.raises(duckrisk.DuckriskError, match="write it as Parquet"):
                function(frame)
    finally:
        session.stop()


def test_a_table_of_the_engine(address: str, tmp_path: Path) -> None:
    source = parquet(tmp_path / "table.parquet", TABLES["decimals"][0])
    words = ("--engine", address, "--scratch", tmp_path, "--only", "attribute_risk")
    done = command("assess", *words, "--table", f"parquet.`{source}`", "--format", "json")
    assert (done.code, done.json["source"]["records"]) == (0, 300), done.err
    done = command("assess", *words, "--table", "meier.secret")
    assert (done.code, "knows no table" in done.err, len(done.err.splitlines())) == (3, True, 1), done.err


def test_nobody_at_the_address() -> None:
    with pytest.raises(EngineError, match="does not answer"):
        report("datasets/retail.parquet", "sc://127.0.0.1:9/;user_id=x", only=("attribute_risk",))
