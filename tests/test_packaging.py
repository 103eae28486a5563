"""The wheel carries everything: installed in a fresh environment, it assesses from another directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import duckdb
import pytest
from packaging.metadata import Metadata

from duckrisk.engine import templates
from duckrisk.measures.identifiability import levels

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(target), str(ROOT)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (made,) = target.glob("*.whl")
    return made


@pytest.mark.slow
def test_wheel_holds_what_a_run_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "sql").rglob("*.sql"):
        assert f"duckrisk/sql/{path.relative_to(ROOT / 'sql').as_posix()}" in names
    for path in (ROOT / "duckrisk").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.startswith(("tests/", "datasets/", "sql/"))]
    assert [name for name in names if "datasets" in name] == ["duckrisk/datasets/levels.csv"]
    assert any(name.endswith("licenses/LICENSE") for name in names)
    (told,) = (name for name in names if name.endswith("/METADATA"))
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    asked = zipfile.ZipFile(wheel).read(told)
    assert {f"Requires-Dist: {one}" for one in needed} <= set(asked.decode().splitlines())
    Metadata.from_email(asked, validate=True)  # what an index looks at before it takes a wheel


def test_wheel_holds_the_macros_as_a_database(wheel: Path, tmp_path: Path) -> None:
    """Built by another DuckDB than this one, perhaps: it has to be read all the same."""
    path = zipfile.ZipFile(wheel).extract("duckrisk/duckrisk.duckdb", tmp_path)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' (READ_ONLY)")
        connection.execute("CREATE TABLE t AS SELECT i AS id, i % 3 AS a FROM range(60) AS r (i)")
        assert connection.execute("FROM duckrisk.class_sizes('t', ['a'])").fetchall() == [(20, 3, 60, 0, 0.0)]
        kept = "SELECT DISTINCT outcome FROM duckrisk.limits('t', user := 'id')"
        assert connection.execute(kept).fetchall() == [("limits kept, roles not judged",)]
        listed = {name for (name,) in connection.execute("SELECT macro FROM duckrisk.help()").fetchall()}
    assert listed == {"limits", "identifying_columns", "help", *templates.metrics()}
    assert not [path for path in ROOT.rglob("*.duckdb") if ".venv" not in path.parts[len(ROOT.parts)]]


@pytest.mark.slow
def test_wheel_assesses_from_another_directory(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "fresh")
    python = tmp_path / "fresh" / "bin" / "python"
    # What duckrisk needs is lent by this environment, without the checkout: to unpack it again takes long.
    (there,) = (tmp_path / "fresh").glob("lib/python*/site-packages")
    (there / "lent.pth").write_text(f"{Path(duckdb.__file__).parents[1]}\n")
    installed = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "-q",
            "--no-compile",
            "--no-deps",
            wheel,
        ],
        capture_output=True,
        text=True,
    )
    assert installed.returncode == 0, installed.stderr[-2000:]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(ROOT / "datasets" / "retail.parquet", elsewhere / "my history.parquet")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    few = ["--known-records", "0", "--samples", "0", "--only", "attribute_risk"]
    done = subprocess.run(
        [tmp_path / "fresh" / "bin" / "duckrisk", "assess", "my history.parquet", "--format", "json", *few],
        capture_output=True,
        text=True,
        cwd=elsewhere,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["source"]["users"] == 400
    assert report["attribute_risk"][0]["attribute"] == "InvoiceDate.time"
    look = (
        "from duckrisk.measures.identifiability import levels; "
        "print(levels.CHART_FILE, *levels.read_chart('jo2003'))"
    )
    chart = subprocess.run(
        [tmp_path / "fresh" / "bin" / "python", "-c", look],
        capture_output=True,
        text=True,
        cwd=elsewhere,
        env=environment,
    )
    file, *types = chart.stdout.split()
    assert Path(file).is_relative_to(tmp_path / "fresh"), chart.stderr
    assert types == list(levels.read_chart("jo2003"))
    shown = subprocess.run(
        [tmp_path / "fresh" / "bin" / "duckrisk", "assess", "my history.parquet", "--format", "html", *few],
        capture_output=True,
        text=True,
        cwd=elsewhere,
        env=environment,
    )
    assert shown.returncode == 0, shown.stderr
    assert "InvoiceDate" in shown.stdout


def test_checkout_and_package_agree_on_what_lies_beside() -> None:
    from duckrisk.engine.templates import SQL_FOLDER

    assert SQL_FOLDER == ROOT / "sql"
    assert levels.CHART_FILE == ROOT / "datasets" / "levels.csv"
