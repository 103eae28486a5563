"""The notebooks of examples/: every cell runs, and what it asserts holds."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, environment
from tests.shared_data import find_shared
from tests.tables import COMMANDS_FROM, EXAMPLES, thinned

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
#: By variable, the public table that a notebook takes where it is there.
PUBLIC = {"TRANS400": "pwscup/2016/Trans400.csv", "ADULT": "adult.parquet"}


@pytest.mark.slow
@pytest.mark.parametrize("path", thinned(NOTEBOOKS, all_from=COMMANDS_FROM), ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, tmp_path: Path) -> None:
    """In the folder of the notebook, as a reader opens it; nothing is left there."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    given = {variable: str(found) for variable, name in PUBLIC.items() if (found := find_shared(name))}
    before = {*(ROOT / "examples").iterdir()}
    # Local recoding takes seconds on all records: where examples are few, so are records.
    records = {} if EXAMPLES >= 20 else {"RECORDS": "300"}
    env = environment(DUCKRISK_TEMP=str(tmp_path), **given, **records)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    with contextlib.suppress(nbclient.exceptions.CellExecutionError):
        client.execute(cwd=str(path.parent), env=env)
    errors = list_errors(notebook)
    assert not errors, "\n".join(errors)
    assert {*(ROOT / "examples").iterdir()} == before
    assert not list(tmp_path.glob("duckrisk-*"))


def list_errors(notebook: Any) -> list[str]:
    return [
        f"{cell.source}\n{output.ename}: {output.evalue}"
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_kept(path: Path) -> None:
    """Outputs would go stale, and may hold values of a reader's table."""
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_readme_lists_them() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert all(f"`{path.name}`" in listed for path in NOTEBOOKS)
