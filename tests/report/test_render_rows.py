"""A list of a result as CSV, Parquet and a frame."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import duckrisk
from duckrisk.base.errors import OutputError, UsageError
from duckrisk.decision.assessment.results import Assessment
from duckrisk.report.render.rows import _find_lists, rows_of, to_csv, write_parquet
from tests.assessments import assessed, build, data_of
from tests.hostile import HOSTILE
from tests.singled_out import NAMES, ONLY, singled


def read(path: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows of a Parquet file and the types of its columns."""
    with duckdb.connect() as connection:
        found = connection.execute("FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        kinds = connection.execute("DESCRIBE FROM read_parquet(?)", [str(path)]).fetchall()
    return rows, {row[0]: row[1] for row in kinds}


def hostile() -> Assessment:
    """Names of all kinds, a value of a record, and one attribute without a sample."""
    data = data_of(HOSTILE)
    data["attribute_risk"][0]["sampled"]["lower"] = -0.25
    data["attribute_risk"][1]["sampled"] = None
    data["attribute_risk"][0]["values"] = [{
        "value": "CANARY", "records": 2, "users": 1, "records_per_user": 2.0, "probability": 0.002,
        "identification_given_value": 1.0, "identification": 0.002,
    }]  # fmt: skip
    return assessed(data)


def test_csv_neutralises_formulas_and_leaves_numbers() -> None:
    shown = to_csv(hostile())
    rows = list(csv.DictReader(io.StringIO(shown, newline="")))
    assert shown.count("\r\n") >= len(HOSTILE) + 1
    assert [row["attribute"].removeprefix("'") for row in rows] == [n.removeprefix("'") for n in HOSTILE]
    assert not any(row["attribute"].startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows)
    assert rows[0]["sampled_lower"] == "-0.25"
    assert rows[1]["sampled_lower"] == ""
    assert rows[0]["most_dangerous"] == "true"
    assert "CANARY" not in shown


def test_parquet_holds_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / 'it\'s; a "path".parquet'
    write_parquet(hostile(), path)
    rows, kinds = read(path)
    told = rows_of(hostile())
    assert rows == told.rows
    assert kinds == told.columns
    assert [kinds[name] for name in ("attribute", "rank", "mean_risk", "most_dangerous")] == [
        "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"
    ]  # fmt: skip
    assert b"CANARY" not in path.read_bytes()


def test_parquet_without_rows_and_without_a_folder(tmp_path: Path) -> None:
    empty = build(["a"], attribute_risk=[])
    write_parquet(empty, tmp_path / "empty.parquet")
    assert read(tmp_path / "empty.parquet")[0] == []
    with pytest.raises(OutputError):
        write_parquet(empty, tmp_path / "missing" / "empty.parquet")


def test_rows_are_the_attributes_of_what_was_measured(tmp_path: Path) -> None:
    both, alone = singled(NAMES), singled(["=1+1", "b", "column"], ONLY)
    assert [row["mean_risk"] for row in rows_of(both).rows] == [0.5, 0.25, 0.125]
    rows = list(csv.DictReader(io.StringIO(to_csv(alone), newline="")))
    assert [row["attribute"] for row in rows] == ["'=1+1", "b", "column"]
    assert rows[0]["provisional"] == "true"
    assert float(rows[0]["change_without"]) == -0.5
    write_parquet(alone, tmp_path / "flat.parquet")
    assert read(tmp_path / "flat.parquet") == (rows_of(alone).rows, rows_of(alone).columns)


def test_a_frame_of_any_list() -> None:
    report = singled(NAMES)
    assert (
        list(report.to_frame("known_records")["draws"][:2]) == [None, 1000]
        or len(report.to_frame("known_records")) == 12
    )
    assert report.to_frame("identifiability.sets")["attributes"][0] == ", ".join(NAMES[:2])
    assert list(report.to_frame("source.columns")["role"]) == ["user", *["attribute"] * 3]
    with pytest.raises(UsageError, match="known_records"):
        report.to_frame("known_record")


def test_a_frame_has_one_value_in_each_cell() -> None:
    """Of every list of a whole report: no objects and no lists, and inner keys behind dots."""
    people = pandas.DataFrame(
        {"age": [20, 20, 30, 31, 45, 46], "city": ["a", "a", "b", "b", "c", "c"], "ill": list("xyxyxx")}
    )
    levels = {"age": (1, 1), "city": (1, 1), "ill": (2, 3)}
    report = duckrisk.assess(
        people, no_persons=False, sensitive=["ill"], levels=levels, show_values=True, detailed=3
    )
    sections = dict(_find_lists(type(report), report))
    frames = {name: report.to_frame(name) for name in sections}
    assert len(frames) > 10
    for name, frame in frames.items():
        cells = [cell for column in frame for cell in frame[column]]
        assert not any(isinstance(cell, (list, dict, tuple)) for cell in cells), name
        assert len(frame) == len(sections[name][1] or ())
    facts = report.to_frame("uniqueness.facts")
    assert {"worst.people", "worst.attributes"} <= {*facts.columns}
    assert (
        ", ".join(report.data["uniqueness"]["facts"][1]["worst"]["attributes"])
        == facts["worst.attributes"][1]
    )
    scenarios = report.to_frame("identifiability.scenarios")
    assert [name for name in scenarios.columns if name.startswith("cells")]
    first = report.data["identifiability"]["scenarios"][0]
    for column, cell in first["cells"].items():
        assert scenarios[f"cells.{column}"][0] == cell
