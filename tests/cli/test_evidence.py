"""Evidence: a folder that another person can sign, check and repeat."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cases import Cases
from tests.command import Result, command

#: A value of a record that no file may show.
SECRET = "Sekret"


def run(*words: str, cwd: Path, code: int | None = 0) -> Result:
    """Run a command in a folder."""
    with contextlib.chdir(cwd):
        ended = command(*words)
    assert code is None or ended.code == code, ended.err
    return ended


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table of 60 people, one of them with a secret name of a town."""
    table = tmp_path / "people.parquet"
    duckdb.sql(
        f"""COPY (SELECT i AS id, 20 + i % 30 AS age, IF(i = 7, '{SECRET}', 'town ' || i % 4) AS town
        FROM range(60) t(i)) TO '{table}' (FORMAT parquet)"""
    )
    return tmp_path


def make(folder: Path, *words: str) -> Path:
    run("assess", "people.parquet", "--evidence", "ev", *words, cwd=folder)
    return folder / "ev"


def differences(folder: Path, *words: str, code: int = 1) -> Any:
    return json.loads(run("verify", "ev", *words, "--format", "json", cwd=folder, code=code).out)


def test_the_folder_holds_all_with_digests_and_no_value(folder: Path) -> None:
    evidence = make(folder, "--user", "id")
    manifest = json.loads((evidence / "evidence.json").read_text())
    names = {"report.html", "report.json", "statement.html", "log.sql"}
    assert {path.name for path in evidence.iterdir()} == {*names, "evidence.json"}
    assert manifest["files"] == {
        name: hashlib.sha256((evidence / name).read_bytes()).hexdigest() for name in names
    }
    assert manifest["arguments"] == ["--user", "id"]
    assert (manifest["source"], manifest["settings"], manifest["inputs"]) == ("people.parquet", None, {})
    for path in evidence.iterdir():
        assert SECRET not in path.read_text(encoding="utf-8"), path.name
    digest = hashlib.sha256((folder / "people.parquet").read_bytes()).hexdigest()
    statement = (evidence / "statement.html").read_text(encoding="utf-8")
    assert digest in statement
    # The order of ISO/IEC 27559.
    places = [statement.index(f">{number}. ") for number in range(1, 6)]
    assert places == sorted(places)
    assert manifest["reevaluate_by"] in statement


def test_the_report_is_that_of_the_command(folder: Path) -> None:
    evidence = make(folder, "--user", "id", "--policy", "shared")
    told = run(
        "assess", "people.parquet", "--user", "id", "--policy", "shared", "--format", "json", cwd=folder
    )
    assert json.loads(told.out) == json.loads((evidence / "report.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_what_is_the_same_passes_also_elsewhere(folder: Path) -> None:
    make(folder, "--user", "id", "--quasi-identifier", "age", "--samples", "0")
    (folder / "duckrisk.toml").write_text('[policy]\nname = "internal"\n')  # not read: it was not there
    assert differences(folder, code=0)["differences"] == []
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    shutil.move(folder / "ev", elsewhere / "ev")
    found = differences(elsewhere, str(folder / "people.parquet"), code=0)
    assert (found["source_state"], found["listed"]["total"]) == ("same", 0)


@pytest.mark.slow
def test_what_differs_is_named(folder: Path) -> None:
    evidence = make(folder, "--user", "id")
    page = evidence / "report.html"
    page.write_text(page.read_text() + " ")
    (evidence / "log.sql").unlink()
    found = differences(folder)
    states = {file["name"]: file["state"] for file in found["files"]}
    assert states == {
        "log.sql": "missing",
        "report.html": "changed",
        "report.json": "same",
        "statement.html": "same",
    }
    assert found["differences"] == []

    duckdb.sql(
        f"COPY (FROM '{folder / 'people.parquet'}' LIMIT 50) TO '{folder / 'fewer.parquet'}' (FORMAT parquet)"
    )
    found = differences(folder, "fewer.parquet")
    assert found["source_state"] == "changed"
    first = {entry["path"]: (entry["before"], entry["now"]) for entry in found["differences"]}
    assert first["source.records"] == ("60", "50")
    text = run("verify", "ev", "fewer.parquet", cwd=folder, code=1).out
    assert "source.records" in text
    assert SECRET not in text


def test_a_changed_report_is_found(folder: Path) -> None:
    """Somebody who changes a figure and its digest is found by repeating the assessment."""
    evidence = make(folder, "--user", "id")
    report, manifest = evidence / "report.json", evidence / "evidence.json"
    data = json.loads(report.read_text(encoding="utf-8"))
    data["verdict"]["outcome"] = "pass"
    report.write_text(json.dumps(data), encoding="utf-8")
    entries = json.loads(manifest.read_text())
    entries["files"]["report.json"] = hashlib.sha256(report.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(entries))
    found = differences(folder)
    assert [entry["path"] for entry in found["differences"]] == ["verdict.outcome"]
    assert (found["outcome_before"], found["outcome"]) == ("pass", "fail")


def test_conditions_are_not_kept(folder: Path) -> None:
    """A condition can hold a value: it stays out of all files and has to be given again."""
    condition = f"town <> '{SECRET}'"
    evidence = make(folder, "--user", "id", "--where", condition)
    assert not (evidence / "log.sql").exists()
    assert all(SECRET not in path.read_text(encoding="utf-8") for path in evidence.iterdir())
    assert "--where" in run("verify", "ev", cwd=folder, code=2).err
    assert differences(folder, "--where", condition, code=0)["differences"] == []
    assert differences(folder, "--where", "age < 40")["differences"] != []


def test_settings_are_copied_without_conditions(folder: Path) -> None:
    settings = folder / "duckrisk.toml"
    settings.write_text(f'user = "id"\n[source]\nwhere = "town <> \'{SECRET}\'"\n[policy]\nname = "shared"\n')
    evidence = make(folder)
    copy = (evidence / "duckrisk.toml").read_text()
    assert SECRET not in copy
    assert 'name = "shared"' in copy
    assert differences(folder, code=0)["differences"] == []  # the original is there
    settings.unlink()
    assert "--where" in run("verify", "ev", cwd=folder, code=2).err
    found = differences(folder, "--where", f"town <> '{SECRET}'")
    assert found["differences"] == []
    assert {"name": "duckrisk.toml", "state": "missing"} in found["files"]


def test_values_are_kept_where_they_may_be_shown(folder: Path) -> None:
    evidence = make(folder, "--user", "id", "--show-values", "--where", f"town <> '{SECRET}'")
    assert SECRET in (evidence / "evidence.json").read_text()
    assert evidence.stat().st_mode & 0o077 == 0
    assert differences(folder, code=0)["differences"] == []


def test_gates_and_baselines_are_repeated(folder: Path) -> None:
    run("assess", "people.parquet", "--user", "id", "-o", "before.json", cwd=folder)
    gates = ("--fail-on", "attribute_risk.mean_risk > 1", "--baseline", "before.json")
    evidence = make(folder, "--user", "id", *gates)
    assert json.loads((evidence / "report.json").read_text(encoding="utf-8"))["gates"]
    assert differences(folder, code=0)["differences"] == []


def test_the_recipe_of_a_release_belongs_to_it(folder: Path) -> None:
    run("anonymize", "people.parquet", "--drop", "id", "-o", "people2.parquet", cwd=folder)
    run("assess", "people2.parquet", "--user", "", "--evidence", "ev", cwd=folder)
    recipe = folder / "people2.parquet.recipe.toml"
    assert (folder / "ev" / "recipe.toml").read_bytes() == recipe.read_bytes()
    assert differences(folder, code=0)["differences"] == []


def test_a_source_that_no_script_reads_has_no_log(folder: Path) -> None:
    (folder / "people.csv").write_text("id,age,town\n1,30,東京\n2,31,大阪\n3,31,大阪\n", encoding="cp932")
    run("assess", "people.csv", "--user", "id", "--evidence", "ev", cwd=folder)
    assert not (folder / "ev" / "log.sql").exists()
    assert differences(folder, code=0)["differences"] == []


@pytest.mark.slow
def test_a_foreign_folder_writes_nothing(folder: Path) -> None:
    """The words of a folder come from somebody else: what they would write is not written."""
    evidence = make(folder, "--user", "id")
    manifest = evidence / "evidence.json"
    entries = json.loads(manifest.read_text())
    there = {path.name for path in folder.iterdir()}
    with Cases() as case:
        for option in ("-o", "--junit", "--sql-log", "--records-out", "--evidence"):
            with case(option):
                words = ["--user", "id", option, "made.json"]
                manifest.write_text(json.dumps(entries | {"arguments": words}))
                assert differences(folder, code=0)["differences"] == []
                assert {path.name for path in folder.iterdir()} == there
        for files in ({"../people.parquet": ""}, {"/etc/passwd": ""}, {"a": 1}, []):
            with case(str(files)):
                manifest.write_text(json.dumps(entries | {"files": files}))
                assert "evidence.json" in run("verify", "ev", cwd=folder, code=2).err


def test_mistakes_get_one_sentence(folder: Path) -> None:
    evidence = make(folder, "--user", "id")
    with Cases() as case:
        for words, told in (
            (("assess", "people.parquet", "--evidence", "ev"), "exists already"),
            (("assess", "people.parquet", "--evidence", "no/ev"), "no/ev"),
            (("assess", "people.parquet", "--evidence", "e2", "--sql-log", "l.sql"), "leave out --sql-log"),
            (("verify", "nowhere"), "holds no evidence.json"),
            (("verify", "people.parquet"), "holds no evidence.json"),
            (("verify", "ev", "nothing.parquet"), "nothing.parquet"),
        ):
            with case(" ".join(words)):
                ended = run(*words, cwd=folder, code=None)
                assert ended.code in (2, 3)
                assert told in ended.err
                assert len(ended.err.strip().splitlines()) == 1
        for name, text in (
            ("evidence.json", "[]"),
            ("evidence.json", '{"kind": "evidence", "version": 99}'),
            ("evidence.json", "{"),
            ("report.json", "{}"),
            ("report.json", "no report"),
        ):
            with case(f"{name} {text}"):
                before = (evidence / name).read_text(encoding="utf-8")
                (evidence / name).write_text(text)
                ended = run("verify", "ev", cwd=folder, code=2)
                assert len(ended.err.strip().splitlines()) == 1
                (evidence / name).write_text(before, encoding="utf-8")
    assert not (folder / "e2").exists()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_form_of_a_check(folder: Path, language: str) -> None:
    (make(folder, "--user", "id") / "log.sql").unlink()
    told = {"en": ("Missing: ", "Something differs"), "ja": ("見つからない", "異なるところがあります")}
    for form in ("table", "markdown", "html"):
        text = run("verify", "ev", "--format", form, "--lang", language, cwd=folder, code=1).out
        assert all(words in text for words in told[language]), form
