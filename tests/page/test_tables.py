"""Sources that hold several tables: a person chooses one on the page."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from duckrisk.base.errors import DuckriskError
from duckrisk.engine.session import Session
from duckrisk.page.desk import Failed
from duckrisk.page.settings import Given
from duckrisk.report.words import LANGUAGES
from duckrisk.source.choices import TableChoice, list_choices
from tests.command import table
from tests.page.opened import PATIENTS, Page, opened, patients, text_of
from tests.page.test_export import assert_same_bytes


def database(folder: Path, more: str = "") -> Path:
    """A database with patients, a view of them, and a table of a schema."""
    path = folder / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f'CREATE TABLE patients AS {PATIENTS}; CREATE TABLE "<b>" AS SELECT 1 AS one')
        connection.execute("CREATE VIEW women AS SELECT * FROM patients WHERE sex = 'F'")
        connection.execute(f"CREATE SCHEMA old; CREATE TABLE old.patients AS SELECT 'x' AS a, 2 AS b; {more}")
    return path


def choosing(page: Page) -> str:
    """Open a source with several tables; return the page that asks."""
    page.board.open_source(None)
    page.board.desk.start()
    return page.client.get(f"/?ticket={page.gate.ticket}").text and page.client.get("/").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_of_a_database_are_a_form(tmp_path: Path, language: str) -> None:
    page = Page(Given(str(database(tmp_path)), language=language))
    try:
        text = choosing(page)
        assert text.count('type="radio" name="table"') == 4
        assert "&lt;b&gt;" in text
        said = text_of(text)
        assert {"en": "about 240 records 6 columns", "ja": "約240レコード 6列"}[language] in said
        assert "old.patients" in said
        assert 'name="role"' not in text
        index = next(place for place, one in enumerate(page.board.tables) if one.name == "patients")
        assert page.post("/table", table=index).status_code == 200
        text = page.settle()
        assert 'type="radio" name="table"' not in text
        assert "patient_id" in text
        assert not isinstance(page.board.verdict, Failed)
        assert page.post("/table", table=0).status_code == 400
    finally:
        page.close()


def test_a_table_that_cannot_be_opened_is_chosen_again(tmp_path: Path) -> None:
    source = database(
        tmp_path, "CREATE TABLE gone AS SELECT 1 AS a; CREATE VIEW broken AS FROM gone; DROP TABLE gone"
    )
    page = Page(Given(str(source)))
    try:
        choosing(page)
        names = [one.name for one in page.board.tables]
        page.post("/table", table=names.index("broken"))
        text = page.settle()
        assert isinstance(page.board.content, Failed)
        assert 'value="1" required checked' in text
        assert page.post("/table", table=len(names)).status_code == 400
        page.post("/table", table=names.index("women"))
        page.settle()
        assert page.board.content.records == 120
    finally:
        page.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_exported_commands_name_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    source = database(tmp_path)
    if kind == "sqlite":
        rows = duckdb.connect(str(source)).execute("FROM patients").fetchall()
        source = tmp_path / "clinic.sqlite"
        with sqlite3.connect(source) as connection:
            connection.execute("CREATE TABLE other (a)")
            connection.execute("CREATE TABLE patients (patient_id, birth_date, sex, zip, age, illness)")
            cells = [[str(cell) if place == 1 else cell for place, cell in enumerate(row)] for row in rows]
            connection.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?)", cells)
    page = Page(Given(str(source)))
    try:
        choosing(page)
        names = [one.name for one in page.board.tables]
        page.post("/table", table=names.index("patients"))
        page.settle()
        page.slide("zip", "prefix2")
        saved = assert_same_bytes(page, tmp_path / "out", monkeypatch)
        assert b"--table patients" in saved["commands.sh"]
        if kind == "duckdb":
            page.post("/undo")
            assert_same_bytes(page, tmp_path / "untreated", monkeypatch)
    finally:
        page.close()


def test_the_files_of_a_folder_are_tables_if_they_do_not_belong_together(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "day=2020-01-01").mkdir(parents=True)
    patients(folder)
    (folder / "others.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    table(folder / "day=2020-01-01" / "part.parquet", "SELECT 1 AS a")
    page = Page(Given(str(folder)))
    try:
        text = text_of(choosing(page))
        assert [(one.name, one.records) for one in page.board.tables] == [
            ("patients.parquet", 240),
            ("others.csv", None),
        ]
        assert "2020-01-01" not in text
        page.post("/table", table=0)
        page.settle()
        assert page.board.content.records == 240
    finally:
        page.close()


@pytest.mark.slow
def test_what_is_one_table_or_none_is_as_before(tmp_path: Path) -> None:
    """One table is opened at once, a named one too; what cannot be opened says why."""
    only = tmp_path / "only.duckdb"
    with duckdb.connect(str(only)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    for given in (
        Given(str(only)),
        Given(str(database(tmp_path)), table="women"),
        Given(str(patients(tmp_path))),
    ):
        page = Page(given)
        page.open()
        assert not page.board.is_choosing
        page.close()
    for name in ("empty", "broken.parquet", "nowhere.duckdb"):
        page = Page(Given(str(tmp_path / name)))
        with pytest.raises(DuckriskError):
            page.board.open_source(None)
        page.close()
    with Session() as session:
        assert list_choices(session, str(only)) == [TableChoice("t", str(only), "t", 1, 1)]
        assert list_choices(session, str(tmp_path / "broken.parquet")) == []


@pytest.mark.slow
def test_a_source_without_sql_log_is_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script could not read a text of another encoding again, so that no command asks for one."""
    source = tmp_path / "患者.csv"
    rows = "".join(f"{number},東京都{number % 3}区,{20 + number % 40}\n" for number in range(90))
    source.write_bytes(f"番号,住所,年齢\n{rows}".encode("shift_jis"))
    with opened(source) as page:
        page.slide("住所", "out")
        saved = assert_same_bytes(page, tmp_path / "out", monkeypatch)
    assert "release.sql" not in saved
    assert b"--sql-log" not in saved["commands.sh"]
