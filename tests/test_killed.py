"""A run that is killed while it writes: nobody else can read what it leaves, and the next run sweeps it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from duckrisk.base import folders
from duckrisk.base.files import atomic_write
from tests.command import HISTORY, command, environment, table
from tests.tables import thinned

#: The command, which kills itself at a moment: before, while or after a statement runs for the n-th time, or
#: before or after a file is renamed.
KILLED = """
import os, signal, sys, threading
from pathlib import Path
from duckrisk import cli
from duckrisk.engine.session import Session

when, name, number = sys.argv[1].split()
sys.argv[1:2] = []
run, replace, met = Session.run, Path.replace, []

def reached(here, there):
    if (here, there) == (when, name):
        met.append(here)
        if len(met) == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

def fills(path):
    while os.path.getsize(path) == 0:
        pass
    reached("while", "copy_release")

def running(self, statement, /, **given):
    reached("before", statement)
    if when == "while" and statement == name:
        threading.Thread(target=fills, args=[given["path"]], daemon=True).start()
    rows = run(self, statement, **given)
    reached("after", statement)
    return rows

def renaming(self, target):
    reached("before", "rename")
    made = replace(self, target)
    reached("after", "rename")
    return made

Session.run, Path.replace = running, renaming
cli.main()
"""

KEYS = "anonymize history.parquet -o release.csv --pseudonymize customer_id --keys keys.csv"
CASES = [
    (KEYS, "after copy_release 1", []),
    (KEYS, "while copy_release 2", []),
    (KEYS, "after rename 1", ["keys.csv"]),
    ("anonymize history.parquet --into a.duckdb --into-table t --drop city", "after create_release 1", []),
    ("assess history.parquet --only identifiability --records-out who.parquet", "before rename 1", []),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and a folder for temporary files."""
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "temp").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DUCKRISK_TEMP", str(tmp_path / "temp"))
    return folder


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(("line", "moment", "complete"), thinned(CASES), ids=lambda given: str(given)[:60])
def test_what_a_killed_run_leaves_is_private_and_goes(
    here: Path, line: str, moment: str, complete: list[str]
) -> None:
    records = 200_000 if moment.startswith("while") else 400
    table(here / "history.parquet", HISTORY.replace("range(400)", f"range({records})"))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, moment, *line.split()],
        env=environment(),
        capture_output=True,
        timeout=60,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    found = left(here) - {"history.parquet"}
    hidden = {name for name in found if name.startswith(".duckrisk-")}
    assert hidden
    assert found - hidden == set(complete)
    for name in hidden:
        assert (here / name).stat().st_mode & 0o777 == 0o700
    assert command("sql", "show", "profile", "history.parquet").code == 0
    assert left(here) == {"history.parquet", *complete}


def test_only_what_is_ours_and_of_the_dead_is_swept(here: Path) -> None:
    living = folders.create_staging_folder(here / "release.csv")
    (living / "made").write_text("x", encoding="utf-8")
    strange = {
        ".duckrisk-settings": "owner",  # called in another way
        ".duckrisk-12345678": "notes",  # without an owner file
        ".duckrisk-abcdefgh": "owner",  # whose owner file says something
    }
    for folder, file in strange.items():
        (here / folder).mkdir(mode=0o700)
        (here / folder / file).write_text("mine", encoding="utf-8")
        os.utime(here / folder, (0, 0))
    (here / ".duckrisk-87654321").write_text("a file", encoding="utf-8")
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "owner").touch()
    (here / ".duckrisk-a_link_1").symlink_to("elsewhere")
    kept = left(here)
    with atomic_write(here / "report.txt", private=False) as made:
        assert made.parent.parent == here
        made.write_text("done", encoding="utf-8")
        folders.sweep_staging_folders(here)
    assert left(here) == kept | {"report.txt"}
    assert (living / "made").is_file()
    assert (here / "elsewhere" / "owner").is_file()
    folders.remove_folder(living)


def test_a_folder_half_removed_can_be_swept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folders.create_staging_folder(here / "release.csv")
    (folder / "made").write_text("x", encoding="utf-8")
    (folder / "more").mkdir()
    (folder / "more" / "a").write_text("x", encoding="utf-8")
    seen: list[set[str]] = []
    real = folders.shutil.rmtree

    def watched(path: object, **options: bool) -> None:
        seen.append(left(folder))
        real(path, **options)

    monkeypatch.setattr(folders.shutil, "rmtree", watched)
    folders.remove_folder(folder)
    assert all("owner" in names for names in seen)
    assert seen[-1] == {"owner"}
    assert left(here) == set()
