"""Reports of a Spark of this machine beside DuckDB's, and what it leaves behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from tests.command import started
from tests.engines.comparing import differences, parquet, report
from tests.engines.releasing import TREATMENTS, release, rows

pytest.importorskip("pyspark.core", reason="pyspark with its own engine is not installed here")
if shutil.which("java") is None:
    pytest.skip("there is no Java here", allow_module_level=True)


@pytest.mark.slow
def test_reports_are_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = parquet(tmp_path / "table.parquet", "SELECT * FROM 'datasets/retail.parquet' LIMIT 1000")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    options = {"user": "CustomerID", "attributes": ("StockCode", "InvoiceDate.date"), "detailed": 1}
    there = report(source, "spark://local[2]", str(scratch), **options, known_records=2)
    assert there["environment"]["engine"].startswith("Spark ")
    assert differences(report(source, **options, known_records=2), there) == []
    estimating: dict[str, Any] = {"user": "CustomerID", "only": ("attribute_risk",), "method": "approximate"}
    there = report(source, "spark://local[2]", str(scratch), **estimating)
    assert differences(report(source, **estimating), there, near=0.05) == []
    assert list(scratch.iterdir()) == []
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_releases_are_the_same(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    there = {"engine": "spark://local[2]", "scratch": str(scratch), "overwrite": True}
    for name in ("retail", "hostile names", "numbers", "old dates", "nobody is left"):
        query, steps = TREATMENTS[name]
        source = parquet(tmp_path / "table.parquet", query)
        here = release(source, tmp_path / "here.parquet", steps, overwrite=True)
        made = release(source, tmp_path / "there.parquet", steps, **there)
        assert rows(made.path) == rows(here.path), name
        assert made.steps == here.steps, name
    step = {"method": "sample", "share": 0.3}
    source = parquet(tmp_path / "table.parquet", "SELECT i // 2 AS pair FROM range(20000) AS t(i)")
    samples = [rows(release(source, tmp_path / "there.parquet", [step], **there).path) for _ in range(2)]
    assert samples[0] == samples[1]
    assert abs(sum(samples[0][1].values()) - 6000) < 6 * 65
    assert set(samples[0][1].values()) == {1, 2}  # equal records are drawn apart
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_a_type_that_duckdb_has_not_and_that_is_no_text() -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.conf.set("spark.sql.geospatial.enabled", "true")
    try:
        frame = session.sql(
            "SELECT 1 AS user_id, ST_GEOMFROMWKB(UNHEX(CONCAT('0101', REPEAT('0', 38)))) AS p"
        )
        with pytest.raises(duckrisk.DuckriskError, match="type geometry, which cannot be assessed"):
            duckrisk.assess(frame)
        assert session.catalog.listTables() == []
    finally:
        session.stop()


# --- workers that are killed -----------------------------------------------------------------------

CANARY = "Meier-1960"
PARTS = ("attribute_risk", "identifiability")


@pytest.fixture(autouse=True)
def logs() -> Iterator[None]:
    """What workers of this machine write goes where Spark is installed, whatever it is told."""
    import pyspark

    folder = Path(pyspark.__file__).parent / "work"
    before = set(folder.glob("*"))
    yield
    for left in set(folder.glob("*")) - before:
        shutil.rmtree(left)
    with contextlib.suppress(OSError):
        folder.rmdir()


def workers(above: int) -> list[int]:
    """The processes below another one that run the tasks of a cluster of this machine."""
    parents: dict[int, int] = {}
    running: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number = int(stat.parent.name)
            parents[number] = int(stat.read_text().rpartition(") ")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (stat.parent / "cmdline").read_bytes():
                running.append(number)

    def is_below(number: int) -> bool:
        while number in parents and number != above:
            number = parents[number]
        return number == above

    return [number for number in running if is_below(number)]


def killed(tmp_path: Path, most: int, age: float = 0, **changes: str) -> tuple[str, int, int, bytes, bytes]:
    """Assess on a cluster of two workers, and from the first table on kill those that have been seen for some
    seconds, so many at most; the source, how many were killed, and how the command ended and what it said."""
    if not Path("/proc").is_dir():
        pytest.skip("processes are not listed here")
    columns = f"i % 90 AS user_id, '{CANARY}' || i % 300 AS item, i % 100 AS height"
    query = f"SELECT {columns} FROM range(40000) AS t(i)"
    source = parquet(tmp_path / "table.parquet", query)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = ["--engine", "spark://local-cluster[2,1,1024]", "--scratch", scratch, "--user", "user_id"]
    words += [word for part in PARTS for word in ("--only", part)] + ["--format", "json"]
    seen: dict[int, float] = {}
    with started("assess", source, *words, cwd=tmp_path, DUCKRISK_TEMP=str(tmp_path), **changes) as process:
        count, end = 0, time.monotonic() + 400
        while process.poll() is None and count < most and time.monotonic() < end:
            if any(scratch.rglob("*.parquet")):
                now = time.monotonic()
                old = [number for number in workers(process.pid) if now - seen.setdefault(number, now) >= age]
                for number in old[: most - count]:
                    os.kill(number, signal.SIGKILL)
                    count += 1
            time.sleep(0.05)
        out, err = process.communicate(timeout=400)
    assert list(scratch.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scratch", "table.parquet"]
    return source, count, process.returncode, out, err


def said(err: bytes) -> list[bytes]:
    """What a command said but for how long it takes, which a slow machine is told."""
    return [line for line in err.splitlines() if b"This takes longer than" not in line]


@pytest.mark.slow
def test_a_worker_is_killed_and_the_figures_are_the_same(tmp_path: Path) -> None:
    source, count, code, out, err = killed(tmp_path, 1)
    assert (count, code, said(err)) == (1, 0, [])
    here: dict[str, Any] = report(source, user="user_id", only=PARTS)
    there = json.loads(out)
    for section in PARTS:
        assert differences(here[section], there[section]) == []


@pytest.mark.slow
def test_workers_are_killed_until_their_work_is_given_up(tmp_path: Path, tmp_path_factory: Any) -> None:
    """This Spark repeats no task, and a worker is at work when it is killed: it has had time to begin."""
    settings = tmp_path_factory.mktemp("settings")
    (settings / "spark-defaults.conf").write_text("spark.task.maxFailures 1\n")
    _, count, code, out, err = killed(tmp_path, 100, age=3, SPARK_CONF_DIR=str(settings))
    assert count > 0
    assert (code, out, len(said(err)), CANARY.encode() in err) == (3, b"", 1, False), err
    assert b"A worker of the engine was lost" in err


# --- a session that may make no views --------------------------------------------------------------

#: An extension as those that check who may do what: it refuses plans before they run.
_GUARD = """
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Function1;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

public class Guard extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    static class AccessControlException extends RuntimeException {
        AccessControlException(String text) { super(text); }
    }
    static class Check extends AbstractFunction1<LogicalPlan, BoxedUnit> {
        public BoxedUnit apply(LogicalPlan plan) {
            if (plan.nodeName().startsWith("CreateView"))
                throw new AccessControlException("Permission denied: user [CANARY] does not have [create]");
            return BoxedUnit.UNIT;
        }
    }
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        extensions.injectCheckRule(new AbstractFunction1<SparkSession, Function1<LogicalPlan, BoxedUnit>>() {
            public Function1<LogicalPlan, BoxedUnit> apply(SparkSession session) { return new Check(); }
        });
        return BoxedUnit.UNIT;
    }
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no Java compiler here")
@pytest.mark.parametrize("command", ["assess", "anonymize"])
def test_a_session_that_may_make_no_views(command: str, tmp_path: Path) -> None:
    import pyspark

    built, scratch = tmp_path / "built", tmp_path / "scratch"
    built.mkdir()
    scratch.mkdir()
    (built / "Guard.java").write_text(_GUARD.replace("CANARY", CANARY))
    jars = Path(pyspark.__file__).parent / "jars"
    subprocess.run(["javac", "-cp", f"{jars}/*", "Guard.java"], cwd=built, check=True, capture_output=True)
    (built / "spark-defaults.conf").write_text(
        f"spark.sql.extensions Guard\nspark.driver.extraClassPath {built}\n"
    )
    source = parquet(tmp_path / "table.parquet", f"SELECT '{CANARY}' || i % 9 AS item FROM range(90) AS t(i)")
    words = ["--engine", "spark://local[1]", "--scratch", scratch]
    words += ["-o", tmp_path / "release.parquet", "--suppress", "item"] if command == "anonymize" else []
    there = {"SPARK_CONF_DIR": str(built), "DUCKRISK_TEMP": str(tmp_path)}
    with started(command, source, *words, cwd=tmp_path, **there) as process:
        out, err = process.communicate(timeout=200)
    assert (process.returncode, out, len(said(err)), CANARY.encode() in err) == (3, b"", 1, False), err
    assert b"allowed to read the table and to make temporary views" in err
    assert list(scratch.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "scratch", "table.parquet"]
