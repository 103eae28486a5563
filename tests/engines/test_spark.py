"""Reports of a Spark of this machine beside DuckDB's, and what it leaves behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

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
