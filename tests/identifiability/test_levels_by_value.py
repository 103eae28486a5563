"""Levels by value: by hand, the definitions on random tables, prefixes in a file, refused settings."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from tests.command import command
from tests.identifiability.test_section import Answer, assess, frame_of, levels_of
from tests.identifiability_oracle import Found, Level, Table, find, totals
from tests.tables import LIGHTER

#: flu is [1, 2], hiv [1, 3], all else [1, 1].
DISEASES = {"default": [1, 1], "values": {"flu": [1, 2], "hiv": [1, 3]}}
#: 2 / (log8(101 - 1) + 1), rounded as the engine does.
OF_HIV = 0.622157763651


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("by_value")


def test_by_hand(folder: Path) -> None:
    """hiv alone: s 101, 500 * 101 * .622158; cold alone: s 2, 500 * 2 * 2; two have flu."""
    found = assess(
        folder, frame_of(["disease"], [["flu"], ["hiv"], ["flu"], ["cold"]]), {"disease": DISEASES}
    )
    assert [record.ease for record in found.records] == [0, OF_HIV, 0, 2]
    assert [record.value for record in found.records] == pytest.approx([0, 31418.97, 0, 2000], abs=0.01)
    assert found.data["total_value"] == pytest.approx(33418.97, abs=0.01)
    assert found.data["missing_cells"] == 0
    (entry,) = found.data["attributes"]
    assert (entry["attribute"], entry["records_singled_out_with"], entry["share_of_singled_out"]) == (
        "disease",
        2,
        1,
    )
    assert (entry["type"], entry["economic"], entry["psychological"]) == (None, 1, 3)


def given_levels(made: Table) -> dict[str, Any]:
    """The levels as a person gives them, by value where some values have their own."""
    levels = levels_of(made)
    for name in {name for name, *_ in made.by_value}:
        own = {
            text: [level.economic, level.psychological]
            for other, text, level in made.by_value
            if other == name
        }
        levels[name] = {"default": levels[name], "values": own}
    return levels


def answer(folder: Path, made: Table, users: list[Any] | None = None) -> Answer:
    names, rows, options = list(made.names), [list(row) for row in made.rows], {}
    if users is not None:
        names, rows = [*names, "p"], [[*row, user] for row, user in zip(rows, users, strict=True)]
        options = {"user": "p"}
    return assess(folder, frame_of(names, rows), given_levels(made), what_if=True, **options)


LEVELS = st.builds(Level, st.integers(1, 3), st.integers(1, 3))
CELLS = st.sampled_from(["flu", "hiv", "cold", "ü", "x'y", "", "?", None])
NAMES = ("disease", 'a"b', "c d")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=12))
    values = st.tuples(
        st.sampled_from(NAMES[:width]), st.sampled_from(["flu", "hiv", "ü", "x'y", "none"]), LEVELS
    )
    by_value = draw(st.lists(values, min_size=1, max_size=6, unique_by=lambda value: value[:2]))
    levels = tuple(draw(LEVELS) for _ in range(width))
    return Table(NAMES[:width], tuple(rows), levels, by_value=tuple(by_value))


def is_found(records: list[Any], wanted: list[Found]) -> None:
    assert [record.ease for record in records] == pytest.approx([one.ease for one in wanted], abs=1e-11)
    assert [record.value for record in records] == pytest.approx([one.value for one in wanted], rel=1e-9)
    assert [set(record.sets) for record in records] == [set(one.sets) for one in wanted]


@LIGHTER
@given(tables())
def test_records_against_the_definitions(folder: Path, made: Table) -> None:
    if all(made.is_missing(cell) for row in made.rows for cell in row):
        return
    found, wanted = answer(folder, made), find(made)
    is_found(found.records, wanted)
    whole = totals(wanted)
    data = found.data
    assert data["total_value"] == pytest.approx(whole.total_value, rel=1e-9)
    assert (data["singled_out"], data["missing_cells"]) == (whole.singled_out, made.missing_cells)
    assert [entry["attribute"] for entry in data["attributes"]] == list(made.names)
    for place, entry in enumerate(data["attributes"]):
        assert entry["records_singled_out_with"] == whole.takes_part.get(made.names[place], 0)
        if entry["total_value_without"] is not None and len(made.names) > 1:
            without = totals(find(made.without(place))).total_value
            assert entry["total_value_without"] == pytest.approx(without, rel=1e-9, abs=1e-6)


@LIGHTER
@given(tables(), st.lists(st.sampled_from([1, 2, 3, 4]), min_size=12, max_size=12))
def test_users_against_the_definitions(folder: Path, made: Table, users: list[int]) -> None:
    """A user with several values is found by the easiest of them, and all count in the sensitivity."""
    users = users[: len(made.rows)]
    if all(made.is_missing(cell) for row in made.rows for cell in row) or len(set(users)) == len(users):
        return
    section = answer(folder, made, users).data["users"]
    whole = totals(find(made, users))
    assert section["singled_out"] == whole.singled_out
    assert section["total_value"] == pytest.approx(whole.total_value, rel=1e-9)
    assert section["total_ease"] == pytest.approx(whole.total_ease, rel=1e-9)


def test_a_longer_search(folder: Path) -> None:
    """With enough open records for sets to be pruned and records to be compared."""
    draw = random.Random(1)
    values = ["flu", "hiv", "cold", "ü", None]
    rows = tuple(tuple(draw.choice(values[: 2 + place]) for place in range(5)) for _ in range(150))
    names = ("a", "b", "c", "d", "e")
    levels = tuple(Level(draw.randint(1, 2), draw.randint(1, 3)) for _ in names)
    by_value = (
        ("e", "flu", Level(1, 1)),
        ("e", "hiv", Level(3, 3)),
        ("c", "hiv", Level(2, 1)),
        ("d", "ü", Level(1, 2)),
    )
    made = Table(names, rows, levels, by_value=by_value)
    is_found(answer(folder, made).records, find(made))


def test_a_file_of_prefixes_in_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest prefix counts: B2 is any illness, B20 is of today."""
    monkeypatch.chdir(tmp_path)
    duckdb.sql("SELECT unnest(['B20.1', 'B25', 'J10', 'J10', ' B20']) AS icd").write_parquet("t.parquet")
    Path("icd.csv").write_text('B2,illness_history\nB20,"1,3"\n', encoding="utf-8")
    settings = '[columns]\nicd = "attribute"\n[levels.icd]\ndefault = [1, 1]\nfile = "icd.csv"\n'
    Path("duckrisk.toml").write_text(settings, encoding="utf-8")
    ran = command("assess", "t.parquet", "--user", "", "--only", "identifiability", "-q", "--format", "json")
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert report["settings"]["levels"] == {"icd": "by value"}
    eases = sorted((line["ease"], line["records"]) for line in report["identifiability"]["distribution"])
    history = report["identifiability"]["distribution"]
    assert eases[0] == (0, 2)
    assert (OF_HIV, 2) in eases
    assert sum(line["records"] for line in history) == 5


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"values": {"flu": [1, 2]}}, "must have a default"),
        ({"default": [1, 1]}, "must have a default"),
        ({"default": [1, 1], "values": {}}, "must have a default"),
        ({"default": [1, 1], "values": {"flu": [1, 2]}, "file": "x.csv"}, "must have a default"),
        ({"default": [1, 1], "file": "no such.csv"}, "must be CSV"),
        ({"default": [1, 1], "values": {"flu": [1, 4]}}, "must be 1, 2 or 3"),
        ({"default": [1, 1], "values": {"flu": "no_type"}}, "not a type"),
    ],
)
def test_refused_levels(tmp_path: Path, levels: dict[str, Any], said: str) -> None:
    path = tmp_path / "t.parquet"
    duckdb.sql("SELECT unnest(['flu', 'cold']) AS disease").write_parquet(str(path))
    with pytest.raises(UsageError, match=said):
        duckrisk.assess(path, user="", only=["identifiability"], levels={"disease": levels})


def test_a_missing_value_that_is_a_value_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    duckdb.sql("SELECT unnest(['flu', 'cold']) AS disease").write_parquet(str(path))
    with pytest.raises(UsageError, match="need missing"):
        duckrisk.assess(
            path, user="", only=["identifiability"], levels={"disease": DISEASES}, missing="value"
        )
