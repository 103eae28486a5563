"""Settings in the folder of a release: what they say of columns that it lacks is a note, and no fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import command, refused, table
from tests.tables import thinned

SETTINGS = """
user = "who"
attributes = ["bought.week", "city", "age"]
[columns]
bought = "date_time"
city = "attribute"
[levels]
city = "address"
[disclosure]
quasi_identifiers = ["age"]
sensitive = ["city"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    columns = "i % 20 AS who, 20 + i % 7 AS age, 'c' || i % 5 AS city"
    columns += ", DATE '2020-01-01' + CAST(i AS INTEGER) AS bought"
    table(tmp_path / "visits.parquet", f"SELECT {columns} FROM range(100) t(i)")
    (tmp_path / "duckrisk.toml").write_text(SETTINGS)
    return tmp_path


@pytest.mark.slow
def test_columns_that_a_release_lacks_are_a_note(folder: Path) -> None:
    made = (
        "anonymize",
        "visits.parquet",
        "-o",
        "r.parquet",
        "-q",
        "--drop",
        "city",
        "--generalize",
        "bought=month",
    )
    assert command(*made).code == 0
    found = command("assess", "r.parquet", "-q", "--format", "json")
    assert found.code == 0, found.err
    (note,) = [note for note in json.loads(found.out)["source"]["notes"] if "lacks" in note]
    assert '"city"' in note
    assert "r.parquet.recipe.toml" in note
    assert command("advise", "r.parquet", "-q").code == 0
    assert command("compare", "visits.parquet", "r.parquet", "-q").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "named"),
    thinned(
        [
            (("--perturb", "age=0.2", "--swap", "city=0.5"), ("age", "city")),
            (("--swap", "city=0.5"), ("city",)),
            (("--swap", "city=0.5", "--drop", "city"), ()),
            (("--generalize", "age=10", "--shuffle"), ()),
        ]
    ),
)
def test_cells_that_a_recipe_exchanged_are_one_reservation(
    folder: Path, steps: tuple[str, ...], named: tuple[str, ...]
) -> None:
    assert command("anonymize", "visits.parquet", "-o", "r.parquet", "-q", "--seed", "1", *steps).code == 0
    found = [text for text in judge("r.parquet") if "exchanged" in text]
    assert len(found) == bool(named)
    assert all(f'"{name}"' in text for text in found for name in named)
    if named:
        (folder / "r.parquet.recipe.toml").unlink()
        assert not [text for text in judge("r.parquet") if "exchanged" in text]


def judge(name: str, *options: str) -> list[str]:
    """Return the reservations of the verdict on a table."""
    found = command("assess", name, "-q", "--format", "json", *options)
    reservations: list[str] = json.loads(found.out)["verdict"]["reservations"]
    return reservations


def test_without_a_recipe_a_name_that_is_not_there_is_refused(folder: Path) -> None:
    table(folder / "other.parquet", "SELECT i % 20 AS who, 20 + i % 7 AS age FROM range(100) t(i)")
    refused(2, "has no column", arguments=("assess", "other.parquet", "-q"))


def test_what_an_option_names_has_to_be_there(folder: Path) -> None:
    assert command("anonymize", "visits.parquet", "-o", "r.parquet", "-q", "--drop", "city").code == 0
    refused(2, "city", arguments=("assess", "r.parquet", "-q", "--ignore", "city"))
