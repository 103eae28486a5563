"""Reports of a Spark of this machine beside DuckDB's, and what it leaves behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engines.comparing import differences, parquet, report

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
