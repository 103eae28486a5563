"""What is exported makes the same bytes on the command line."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import duckdb
import pytest

from duckrisk.release.advice.results import Advice
from tests.command import command, table
from tests.page.opened import PATIENTS, Page, opened, patients
from tests.tables import thinned


def export(page: Page, folder: Path) -> dict[str, bytes]:
    """Write the files of the present state to a folder, as a browser saves them."""
    page.post("/export")
    page.settle()
    assert page.board.exported is not None
    saved = {name: page.client.get(f"/files/{name}").content for name in page.board.exported.files}
    folder.mkdir()
    for name in ("recipe.toml", "duckrisk.toml"):
        if name in saved:
            (folder / name).write_bytes(saved[name])
    return saved


def type_commands(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for line in text.splitlines():
        program, *words = shlex.split(line)
        assert program == "duckrisk"
        done = command(*words)
        assert done.code == 0, (line, done.err)


def without_seconds(name: str, content: bytes) -> bytes:
    """A file without the seconds that the statements of its run took, which a page alone has."""
    return re.sub(rb'<td class="n">\d+\.\d\d</td>', b"", content) if name == "report.html" else content


def assert_same_bytes(page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    saved = export(page, folder)
    type_commands(saved["commands.sh"].decode(), folder, monkeypatch)
    made = {path.name: path.read_bytes() for path in folder.iterdir()}
    if "recipe.toml" in saved:
        assert made["release.parquet.recipe.toml"] == saved["recipe.toml"]
    assert saved.keys() - made.keys() == {"commands.sh"}
    for name in saved.keys() & made.keys():
        assert without_seconds(name, made[name]) == without_seconds(name, saved[name]), name
    return saved


@pytest.mark.slow
def test_a_treated_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(patients(tmp_path)) as page:
        for column, role in (("patient_id", "pseudonym"), ("illness", "sensitive"), ("age", "insensitive")):
            page.post("/role", column=page.position(column), role=role)
        page.post("/policy", policy="shared")
        for column, form in (("birth_date", "10years"), ("zip", "prefix1"), ("age", "out")):
            assert page.slide(column, form).status_code == 200
        page.post("/below", below=5)
        saved = assert_same_bytes(page, tmp_path / "out", monkeypatch)
    assert {"release.parquet", "recipe.toml", "duckrisk.toml", "commands.sh", "release.sql", "report.html",
        "report.json",
    } == {*saved}  # fmt: skip
    assert saved["recipe.toml"].count(b"[[step]]") == 4


@pytest.mark.slow
@pytest.mark.parametrize("user", thinned([True, False]))
def test_classes_and_pseudonyms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: bool) -> None:
    """The steps are those of `anonymize --pseudonymize --generalize --k`, with a seed for the codes."""
    few = table(tmp_path / "patients.parquet", f"SELECT * EXCLUDE (zip, age, illness) FROM ({PATIENTS})")
    with opened(few) as page:
        role = "pseudonym" if user else "identifier"
        page.post("/role", column=page.position("patient_id"), role=role)
        page.slide("patient_id", "pseudonym")
        page.slide("birth_date", "year")
        assert page.post("/classes", k=5).status_code == 200
        text = page.settle()
        assert "Keep the recipe" in text
        assert page.board.verdict.assessment.uniqueness.all_attributes.smallest_class >= 5
        saved = assert_same_bytes(page, tmp_path / "out", monkeypatch)
        steps = tomllib.loads(saved["recipe.toml"].decode())["step"]
        assert [step["method"] for step in steps] == ["pseudonymize", "generalize", "k-anonymize"]
        assert steps[2]["k"] == 5
        released = duckdb.read_parquet(str(tmp_path / "out" / "release.parquet"))
        codes = {row[0] for row in released.select("patient_id").fetchall()}
        assert len(codes) == 240
        assert not any(re.fullmatch("p[0-9]+", str(code)) for code in codes)
        page.post("/undo")
        assert page.board.state.k == 0
        page.post("/undo")
        page.post("/undo")
        assert not page.board.state.is_treated


def test_codes_go_with_the_role(tmp_path: Path) -> None:
    """Only users and identifiers may get random codes; another role takes them back, and undo brings them."""
    with opened(patients(tmp_path)) as page:
        assert "pseudonym" not in next(one.forms for one in page.board.columns if one.column == "zip")
        page.post("/role", column=page.position("zip"), role="identifier")
        page.slide("zip", "pseudonym")
        page.post("/role", column=page.position("zip"), role="quasi_identifier")
        assert page.board.state.forms == ()
        page.post("/undo")
        assert page.board.state.forms == (("zip", "pseudonym"),)
        for field in ({"k": 4}, {"k": "x"}, {}):
            assert page.post("/classes", **field).status_code == 400


@pytest.mark.slow
def test_a_release_of_the_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = table(tmp_path / "patients.parquet", f"SELECT * EXCLUDE (zip, age) FROM ({PATIENTS})")
    with opened(few) as page:
        page.post("/role", column=page.position("patient_id"), role="pseudonym")
        page.post("/role", column=page.position("illness"), role="insensitive")
        page.post("/policy", policy="internal")
        page.post("/advice")
        page.settle()
        assert isinstance(page.board.advice, Advice)
        page.post("/way", line=len(page.board.advice.lines) - 1)
        assert page.board.state.way is not None
        text = page.settle()
        assert 'class="outcome pass' in text
        assert_same_bytes(page, tmp_path / "out", monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("typed", thinned(["./../a [1]/patients.parquet", "p*.parquet", "-p.parquet"], 3))
def test_a_source_of_this_folder_is_found_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    """Patterns, names that look like options, and folders whose names look like patterns."""
    here = tmp_path / "a [1]"
    here.mkdir()
    name = "-p.parquet" if typed.startswith("-") else "patients.parquet"
    table(here / name, f"SELECT patient_id, sex, zip FROM ({PATIENTS})")
    monkeypatch.chdir(here)
    with opened(Path(typed)) as page:
        page.slide("zip", "prefix2")
        assert_same_bytes(page, tmp_path / "out", monkeypatch)


@pytest.mark.slow
def test_undo_leads_back_to_the_files_of_the_state(tmp_path: Path) -> None:
    few = table(tmp_path / "patients.parquet", f"SELECT patient_id, sex, zip FROM ({PATIENTS})")
    with opened(few) as page:
        page.slide("zip", "prefix2")
        first = export(page, tmp_path / "first")
        page.slide("zip", "prefix1")
        second = export(page, tmp_path / "second")
        assert first["recipe.toml"] != second["recipe.toml"]
        page.post("/undo")
        page.settle()
        assert page.client.get("/files/recipe.toml").content == first["recipe.toml"]
        assert page.client.get("/files/release.parquet").content == first["release.parquet"]
        page.slide("zip", "prefix1")
        assert page.client.get("/files/recipe.toml").content == second["recipe.toml"]


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "of_file"), thinned([("ja", "en"), (None, "ja")]))
def test_settings_that_were_there_stay_in_japanese(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str | None, of_file: str
) -> None:
    content: dict[str, Any] = {
        "user": "patient_id",
        "columns": {"illness": "sensitive"},
        "policy": {"name": "shared", "smallest_class": 4},
        "source": {"where": "age > 3"},
        "report": {"language": of_file},
    }
    with opened(patients(tmp_path), content=content, language=asked) as page:
        assert '<html lang="ja">' in page.settle()
        page.post("/role", column=page.position("patient_id"), role="identifier")
        saved = assert_same_bytes(page, tmp_path / "out", monkeypatch)
    assert b'<html lang="ja">' in saved["report.html"]
    text = saved["duckrisk.toml"].decode()
    for line in (
        'user = "patient_id"',
        "smallest_class = 4",
        'illness = "sensitive"',
        'patient_id = "identifier"',
    ):
        assert line in text
