"""Assessments in a Jupyter kernel, where the engine treats its progress bar otherwise than elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from tests.command import ROOT, environment

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("ipywidgets")

#: What a kernel without the package has instead of it.
WITHOUT_WIDGETS = "import sys; sys.modules['ipywidgets'] = None"
WITH_WIDGETS = "del sys.modules['ipywidgets']; import ipywidgets"
#: The engine alone: whether it would draw a bar.
ENGINE = """
import duckdb
try:
    duckdb.connect().execute("SET enable_progress_bar = true")
    print("takes it")
except duckdb.InvalidInputException:
    print("refuses")
"""
ASSESS = "import duckrisk; duckrisk.assess(SOURCE, attributes=['goods'])"
#: Long enough for the engine to draw a bar, if it were to.
WATCHED = """
import contextlib
from duckrisk.engine.session import Session
seen = []
with Session(progress=lambda name, share: seen.append(share)) as session:
    with contextlib.suppress(duckdb.InvalidInputException):  # of bars it knows nothing without the package
        session._connection.execute("SET progress_bar_time = 0")
    session.run_in_worker(lambda: session._connection.execute(
        "SELECT count(DISTINCT hash(n)) FROM range(3000000) AS r(n)").fetchall(), "long")
print(len(seen) > 0)
"""


@pytest.mark.slow
def test_assessments_in_a_kernel_with_and_without_widgets(tmp_path: Path) -> None:
    source = f"SOURCE = {json.dumps(str(ROOT / 'datasets' / 'ito_example.csv'))}"
    cells = [source, WITHOUT_WIDGETS, ENGINE, ASSESS, WATCHED, WITH_WIDGETS, ENGINE, ASSESS, WATCHED]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute(
        cwd=str(tmp_path), env=environment(DUCKRISK_TEMP=str(tmp_path))
    )
    said = [cell.outputs for cell in notebook.cells]
    for engine, assessed, watched, expected in ((2, 3, 4, "refuses\n"), (6, 7, 8, "takes it\n")):
        assert texts(said[engine]) == [expected]  # else the kernel is not what it is to be
        (shown,) = said[assessed]
        assert "<table" in shown["data"]["text/html"]
        assert "goods" in shown["data"]["text/html"]
        assert texts(said[watched]) == ["True\n"]  # and no bar is drawn
    assert not list(tmp_path.glob("duckrisk-*"))


def test_completion_sees_the_functions_and_no_internals() -> None:
    """Before a cell ran, completion reads the files; after that it asks the package."""
    code = (
        "import json, jedi\n"
        "def names(space, code):\n"
        "    return [one.name for one in jedi.Interpreter(code, [space]).complete()]\n"
        "before = names({}, 'import duckrisk\\nduckrisk.')\n"
        "import duckrisk\n"
        "print(json.dumps([before, names({'duckrisk': duckrisk}, 'duckrisk.')]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=120)
    before, after = ({name for name in names if name[0] != "_"} for names in json.loads(done.stdout))
    public = {name for name in duckrisk.__all__ if name[0] != "_"}
    rooms = {path.parent.name for path in (ROOT / "duckrisk").glob("*/__init__.py")}  # jedi lists packages
    assert public <= before <= public | rooms
    assert after == public


def texts(outputs: list[dict[str, Any]]) -> list[str]:
    """What was printed, where nothing else was shown."""
    return [output.get("text", output["output_type"]) for output in outputs]
