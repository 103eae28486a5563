"""Releases for which no output is named: the records as a relation, and nothing left behind."""

from __future__ import annotations

import gc
import io
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import duckrisk

YEARS = ["[20, 30[", "[30, 40[", "[20, 30[", None]
STEPS = [{"method": "generalize", "column": "age", "width": 10}]


def people() -> pandas.DataFrame:
    """Four people: a missing age, and a name that no file system takes."""
    return pandas.DataFrame(
        {"age": pandas.array([21, 35, 29, None], dtype="Int64"), "名/前": ["a", "b", "a", "c"]}
    )


@pytest.mark.parametrize("kind", ["frame", "relation", "arrow", "file"])
def test_a_release_without_an_output(tmp_path: Path, kind: str) -> None:
    """Each source in, and frames out that outlive the release, its relation, and the folder."""
    source: Any = people()
    if kind == "arrow":
        source = pytest.importorskip("pyarrow").Table.from_pandas(source)
    elif kind != "frame":
        source = duckdb.from_df(source)
    if kind == "file":
        source.write_parquet(str(tmp_path / "people.parquet"))
        source = tmp_path / "people.parquet"
    temp = tmp_path / "temp"
    temp.mkdir()
    release = duckrisk.anonymize(source, steps=STEPS, temp=str(temp))
    assert (release.path, release.recipe_path, release.table, release.written) == (None, None, None, True)
    assert (release.data["path"], release.released) == (None, 4)
    assert "Wrote a temporary table: 4 of 4 records" in release.to_text()
    assert str(temp) not in release.to_json() + release.to_html() + release._repr_html_()
    relation = release.to_relation()
    assert relation.columns == ["age", "名/前"]
    assert relation.fetchall() == list(zip(YEARS, "abac", strict=True))
    filtered = release.to_relation().filter("age IS NULL")
    assert len(list(temp.iterdir())) == 1
    del release, relation
    gc.collect()
    assert not list(temp.iterdir())
    assert list(filtered.df()["名/前"]) == ["c"]


def test_its_recipe_makes_it_again(tmp_path: Path) -> None:
    made = duckrisk.anonymize(people(), steps=STEPS)
    assert "duckrisk anonymize SOURCE -o OUT --recipe RECIPE" in made.recipe
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(made.recipe, encoding="utf-8")
    again = duckrisk.anonymize(people(), recipe=recipe)
    assert again.to_relation().fetchall() == made.to_relation().fetchall()
    assert again.to_json() == made.to_json()
    written = duckrisk.anonymize(people(), tmp_path / "out.csv", recipe=recipe)
    frame = pandas.read_csv(io.StringIO(Path(str(written.path)).read_text(encoding="utf-8")))
    assert frame["age"].fillna("").tolist() == [year or "" for year in YEARS]
    with pytest.raises(duckrisk.UsageError, match=r"out\.csv"):
        written.to_relation()


def test_what_a_relation_holds_is_assessed_and_compared() -> None:
    release = duckrisk.anonymize(people(), steps=STEPS).to_relation()
    assert duckrisk.assess(release, quick=True, no_persons=False).data["source"]["records"] == 4
    compared = duckrisk.compare(people(), release, only=["information"])
    assert [table["records"] for table in compared.data["tables"]] == [4, 4]


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    withheld = duckrisk.anonymize(people(), steps=STEPS, fail_on=["released > 1"], temp=str(tmp_path))
    assert (withheld.written, withheld.passed) == (False, False)
    with pytest.raises(duckrisk.UsageError, match="gate"):
        withheld.to_relation()
    for given in (
        {"steps": [{"method": "generalize", "column": "no", "width": 10}]},
        {"to_policy": "internal"},
        {"into_table": "t"},
    ):
        with pytest.raises(duckrisk.UsageError):
            duckrisk.anonymize(people(), temp=str(tmp_path), **given)
    gc.collect()
    assert not list(tmp_path.iterdir())
    empty = duckrisk.anonymize(people()[:0], steps=STEPS).to_relation()
    assert empty.fetchall() == []
