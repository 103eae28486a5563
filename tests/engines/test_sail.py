"""Reports of a Spark Connect server beside DuckDB's: Sail, which needs no Java."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.base.errors import EngineError
from duckrisk.engine.spark.spark import SparkEngine
from duckrisk.release.anonymization.randomness import Chance
from tests.command import command
from tests.engines.comparing import TABLES, differences, parquet, report
from tests.engines.releasing import CONDITIONED, CONDITIONS, TREATMENTS, deleted, release, rows
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


@pytest.mark.parametrize(("method", "near"), [("sample", 1e-9), ("approximate", 0.05)])
def test_risks_of_samples_are_the_same_and_estimates_near(
    method: str, near: float, address: str, tmp_path: Path
) -> None:
    source = parquet(tmp_path / "table.parquet", TABLES["retail"][0])
    options = {"user": "CustomerID", "only": ("attribute_risk",), "method": method}
    attributes = ("StockCode", "InvoiceDate", "UnitPrice+Quantity")
    there = report(source, address, attributes=attributes, **options)
    assert differences(report(source, attributes=attributes, **options), there, near=near) == []


def test_an_empty_table_is_refused_as_elsewhere(address: str, tmp_path: Path) -> None:
    source = parquet(tmp_path / "table.parquet", "SELECT 1 AS a WHERE FALSE")
    with pytest.raises(duckrisk.DuckriskError, match="no records"):
        report(source, address)


#: Expressions of Spark, the types that they have there, and those of their cells here.
KINDS = {
    "ARRAY(id % 4)": ("array", "VARCHAR"),
    "NAMED_STRUCT('a', id % 4)": ("struct", "VARCHAR"),
    "MAP('k', id % 4)": ("map", "VARCHAR"),
    "MAKE_DT_INTERVAL(0, CAST(id % 5 AS INT))": ("interval day to second", "VARCHAR"),
    "MAKE_INTERVAL(0, CAST(id % 5 AS INT))": ("interval", "VARCHAR"),
    "PARSE_JSON(CAST(id % 4 AS STRING))": ("variant", "VARCHAR"),
    "NULL": ("void", "VARCHAR"),
    "CAST(CAST(id % 4 AS STRING) AS BINARY)": ("", "BLOB"),
    "CAST('1850-01-01 00:00:00' AS TIMESTAMP_NTZ)": ("", "TIMESTAMP"),
}


def test_cells_of_types_that_duckdb_has_not_are_read_as_texts(address: str, tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    columns = ", ".join(f"{expression} AS k{place}" for place, expression in enumerate(KINDS))
    session = SparkSession.builder.remote(address).create()
    try:
        frame = session.sql(f"SELECT id % 5 AS user_id, {columns} FROM range(60)")
        source = report(frame, scratch=str(tmp_path), user="user_id", only=("attribute_risk",))["source"]
    finally:
        session.stop()
    read = {column["name"]: column["type"] for column in source["columns"]}
    for place, (there, here) in enumerate(KINDS.values()):
        assert read[f"k{place}"] == here
        said = f"k{place} has the type {there} in the engine"
        assert any(said in note for note in source["notes"]) == bool(there), said


def test_times_of_day_that_the_engine_cannot_read_are_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sail reads none with nanoseconds; Spark none with zones, and before 4.1 none at all."""
    from duckrisk.engine.spark import spark

    query = "SELECT i AS user_id, CAST('08:00:00.123456789' AS TIME_NS) AS \"the time\" FROM range(9) AS t(i)"
    try:
        source = parquet(tmp_path / "table.parquet", query)
    except duckdb.Error:  # DuckDB 1.5 has no such type
        pytest.skip("not every engine has the type")
    monkeypatch.setattr(spark, "_TIME_SETTING", {"no.such.setting": object()})  # not every server allows it
    for path in (source, str(tmp_path)):
        with pytest.raises(duckrisk.SourceError, match='type of "the time"; write them as text'):
            report(path, address, user="user_id")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(duckrisk.DuckriskError):
        report(str(tmp_path), address, user="user_id")


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


@pytest.mark.parametrize("missing", [False, True])
def test_class_sizes_are_counted_there(
    missing: bool, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without missing cells two sizes of classes of records come here, and two of people. Other rules for
    missing cells compare the classes here: 2,100 of them."""
    (tmp_path / "scratch").mkdir()
    a = f"CASE WHEN i > 0 OR NOT {missing} THEN i % 2000 + 10 END"
    query = f"SELECT i % 4 AS user_id, {a} AS a, 7 AS b FROM range(2000) AS t(i) UNION ALL "
    query += "SELECT 9 + i % 4 AS user_id, 3000 + i // 20 AS a, i // 20 % 3 AS b FROM range(2000) AS t(i)"
    source = parquet(tmp_path / "table.parquet", query)
    fetched: list[int] = []
    for name in ("fetch_rows", "fetch_table"):

        def fetch(self: SparkEngine, what: str, real: Any = getattr(SparkEngine, name)) -> Any:
            fetched.append(real(self, what).num_rows)
            return real(self, what)

        monkeypatch.setattr(SparkEngine, name, fetch)
    options = {"user": "user_id", "only": ("class_sizes",), "quasi_identifiers": ("a", "b")}
    there = report(source, address, str(tmp_path / "scratch"), **options)
    assert differences(report(source, **options), there) == []
    sizes = [len(fetched), *fetched]
    assert sizes == ([3, 2, 2100, 2] if missing else [2, 2, 2])


def test_a_table_of_the_engine(address: str, tmp_path: Path) -> None:
    source = parquet(tmp_path / "table.parquet", TABLES["decimals"][0])
    words = ("--engine", address, "--scratch", tmp_path, "--only", "attribute_risk")
    done = command("assess", *words, "--table", f"parquet.`{source}`", "--format", "json")
    assert (done.code, done.json["source"]["records"]) == (0, 300), done.err
    done = command("assess", *words, "--table", "meier.secret")
    assert (done.code, "finds no table" in done.err, len(done.err.splitlines())) == (3, True, 1), done.err


def test_nobody_at_the_address() -> None:
    with pytest.raises(EngineError, match=r"Nothing listens at sc://127\.0\.0\.1:9; start"):
        report("datasets/retail.parquet", "sc://127.0.0.1:9/;user_id=x", only=("attribute_risk",))


# --- releases --------------------------------------------------------------------------------------


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", TREATMENTS)
def test_releases_are_the_same(name: str, address: str, tmp_path: Path, scratch: Path) -> None:
    query, steps = TREATMENTS[name]
    source = parquet(tmp_path / "table.parquet", query)
    here = release(source, tmp_path / "here.parquet", steps)
    there = release(source, tmp_path / "there.parquet", steps, engine=address, scratch=str(scratch))
    assert rows(there.path) == rows(here.path)
    assert (there.steps, there.records, there.released) == (here.steps, here.records, here.released)
    assert there.recipe_path.read_text().count("[[step]]") == len(steps)
    assert list(scratch.iterdir()) == []
    assert not any(entry.name[0] in "._" for entry in [*tmp_path.iterdir(), *there.path.iterdir()])


def test_a_release_replaces_another_and_says_who_wrote_it(
    address: str, tmp_path: Path, scratch: Path
) -> None:
    there = {"engine": address, "scratch": str(scratch)}
    output = tmp_path / "there.parquet"
    release("datasets/retail.parquet", output, [{"method": "sample", "records": 500}], **there)
    with pytest.raises(duckrisk.DuckriskError, match="--overwrite"):
        release("datasets/retail.parquet", output, [{"method": "sample", "records": 50}], **there)
    made = release(
        "datasets/retail.parquet", output, [{"method": "sample", "records": 50}], overwrite=True, **there
    )
    assert sum(rows(output)[1].values()) == 50
    assert "wrote the release: a folder of Parquet files" in made.to_text()


def test_conditions_mean_the_same(address: str, tmp_path: Path, scratch: Path) -> None:
    source = parquet(tmp_path / "table.parquet", CONDITIONED)
    for number, where in enumerate(CONDITIONS):
        there = release(
            source, tmp_path / f"{number}.parquet", [deleted(where)], engine=address, scratch=str(scratch)
        )
        with duckdb.connect() as connection:  # by DuckDB itself, not by a treatment
            left = connection.execute(
                f"SELECT COUNT(*) FROM '{source}' WHERE ({where}) IS NOT TRUE"
            ).fetchall()
        assert there.released == left[0][0], where
        if there.released:
            kept = f"SELECT * FROM '{source}' WHERE ({where}) IS NOT TRUE"
            assert rows(there.path) == rows(Path(parquet(tmp_path / "kept.parquet", kept))), where


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("LOWER(word) = 'a'", "compares columns with constants"),
        ("number + 1 > 3", "compares columns with constants"),
        ("record = 3", "cannot be used"),
        ("word ILIKE 'A'", "compares columns with constants"),
        ("height = 3", "cannot be used"),
        ("word > 3", "cannot be used"),
    ],
)
def test_conditions_that_are_refused(
    where: str, said: str, address: str, tmp_path: Path, scratch: Path
) -> None:
    source = parquet(tmp_path / "table.parquet", CONDITIONED)
    words = ("--delete", where, "--engine", address, "--scratch", scratch, "-o", tmp_path / "r.parquet")
    done = command("anonymize", source, *words)
    assert (done.code, said in done.err, (tmp_path / "r.parquet").exists()) == (2, True, False), done.err


def test_samples_are_drawn_by_the_seed(address: str, tmp_path: Path, scratch: Path) -> None:
    """A share of 0.3 of 20,000 records, half of them equal, is 6,000 of them, with a deviation of 65."""
    query = "SELECT CASE WHEN i % 2 = 0 THEN i END AS number FROM range(20000) AS t(i)"
    source = parquet(tmp_path / "table.parquet", query)
    drawn = []
    for number, seed in enumerate((5, 5, 6)):
        output = tmp_path / f"{number}.parquet"
        step = {"method": "sample", "share": 0.3}
        made = release(source, output, [step], seed=seed, engine=address, scratch=str(scratch))
        drawn.append(rows(output)[1])
        assert abs(made.released - 6000) < 6 * 65
        assert made.released == sum(drawn[-1].values())
        assert abs(drawn[-1][(None,)] - 3000) < 6 * 46
        assert max(count for cells, count in drawn[-1].items() if cells != (None,)) == 1
    assert drawn[0] == drawn[1] != drawn[2]
    exact = release(
        source,
        tmp_path / "n.parquet",
        [{"method": "sample", "records": 777}],
        engine=address,
        scratch=str(scratch),
    )
    assert (exact.released, sum(rows(exact.path)[1].values())) == (777, 777)


def test_pseudonyms_are_one_to_one_and_their_keys_are_private(
    address: str, tmp_path: Path, scratch: Path
) -> None:
    source = parquet(tmp_path / "table.parquet", "SELECT 'u' || i % 70 AS who, i FROM range(700) AS t(i)")
    keys, log = tmp_path / "keys.csv", tmp_path / "run.sql"
    words = ("--pseudonymize", "who", "--seed", 3, "--engine", address, "--scratch", scratch)
    done = command(
        "anonymize", source, "-o", tmp_path / "r.parquet", *words, "--keys", keys, "--sql-log", log
    )
    assert done.code == 0, done.err
    assert keys.stat().st_mode & 0o077 == 0
    with duckdb.connect() as connection:
        pairs = connection.execute(f"SELECT who, pseudonym FROM '{keys}'").fetchall()
        told = connection.execute(
            f"SELECT DISTINCT s.who, r.who FROM '{source}' AS s "
            f"JOIN '{tmp_path}/r.parquet/*.parquet' AS r USING (i)"
        ).fetchall()
    assert sorted(pairs) == sorted(told)
    assert len(pairs) == len({who for who, _ in pairs}) == len({pseudonym for _, pseudonym in pairs}) == 70
    assert "spark_release, which Spark ran" in log.read_text()
    assert "copy_release" in log.read_text()
    secret = Chance(3).derive_secret(1, "pseudonyms")[:32]
    assert secret not in log.read_text()


def test_a_frame_is_treated_by_its_session(address: str, tmp_path: Path, scratch: Path) -> None:
    from pyspark.sql import SparkSession

    query, steps = TREATMENTS["retail"]
    source = parquet(tmp_path / "table.parquet", query)
    session = SparkSession.builder.remote(address).create()
    try:
        frame = session.read.parquet(source)
        there = release(frame, tmp_path / "there.parquet", steps, scratch=str(scratch))
        assert rows(there.path) == rows(release(source, tmp_path / "here.parquet", steps).path)
        assert session.catalog.listTables() == []
        with pytest.raises(duckrisk.DuckriskError, match="write it as Parquet"):
            duckrisk.anonymize(frame, tmp_path / "p.parquet", to_policy="public")
    finally:
        session.stop()


def test_a_gate_that_fails_leaves_nothing(address: str, tmp_path: Path, scratch: Path) -> None:
    words = ("--sample", 50, "--engine", address, "--scratch", scratch, "--fail-on", "released < 100")
    done = command("anonymize", "datasets/retail.parquet", "-o", tmp_path / "r.parquet", *words)
    assert (done.code, [path.name for path in tmp_path.iterdir()]) == (1, ["scratch"]), done.err
