"""Numbers of 32 bits are what they are written as: the same as those of 64 bits and of texts.

The number of 32 bits nearest to 0.7 is 0.699999988, which is in another band and equal to no 0.7.
"""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.contests import membership, pwscup
from tests.tables import thinned

ASKED: dict[str, Any] = {"user": "", "roles": {"x": "attribute", "y": "attribute"}}

BY_X = {"method": "k-anonymize", "k": 4, "quasi_identifiers": ["x"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table with tenths of 32 bits as Parquet, and the same as CSV."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT (i % 10 / 10)::FLOAT AS x, (i // 4)::FLOAT / 10 AS y, i % 3 AS z "
            "FROM range(40) r (i)"
        )
        connection.execute(f"COPY t TO '{tmp_path / 'narrow.parquet'}'")
        connection.execute(f"COPY t TO '{tmp_path / 'same.csv'}'")
    return tmp_path


def test_bands_and_a_population(folder: Path) -> None:
    found = duckrisk.assess(
        folder / "narrow.parquet", user="", attributes=["x.band(0.1)"], known_records=0,
        only=["attribute_risk", "class_sizes"], quasi_identifiers=["x", "y"],
        population=str(folder / "same.csv"),
    ).to_dict()  # fmt: skip
    (band,) = found["attribute_risk"]
    assert band["distinct_values"] == 10
    journalist = found["class_sizes"]["journalist"]
    assert (journalist["records_beyond"], journalist["delta_min"]) == (0, 1)


@pytest.mark.parametrize(
    "step",
    thinned(
        [
            {"method": "generalize", "column": "x", "width": 0.1},
            {**BY_X, "algorithm": "uniform", "numbers": "interval"},
            {"method": "k-anonymize", "k": 6, "quasi_identifiers": ["x", "z"], "algorithm": "local"},
        ]
    ),
    ids=thinned(["width", "uniform", "local"]),
)
def test_cells_of_a_release_hold_the_numbers(folder: Path, step: dict[str, Any]) -> None:
    duckrisk.anonymize(folder / "narrow.parquet", folder / "release.csv", steps=[step], seed=1)
    with open(folder / "release.csv", encoding="utf-8") as file:
        cells = [row["x"] for row in csv.DictReader(file)]
    for place, cell in enumerate(cells):
        low, _, high = cell.strip("[]").partition(", ")
        number = place % 10 / 10
        assert float(low) <= number <= float(high or low), (number, cell)
        assert not cell.endswith("[") or number < float(high), (number, cell)
    found = duckrisk.compare(
        folder / "narrow.parquet", folder / "release.csv", aligned=True, only=["information"], **ASKED
    ).to_dict()["tables"][1]["information"]
    assert (found["valid"], found["uncovered_records"]) == (True, 0)


def test_a_release_keeps_the_type(folder: Path) -> None:
    step = {"method": "suppress", "column": "z"}
    duckrisk.anonymize(folder / "narrow.parquet", folder / "release.parquet", steps=[step])
    with duckdb.connect() as connection:
        kinds = connection.execute(f"DESCRIBE FROM '{folder / 'release.parquet'}'").fetchall()
        query = "SELECT x, y FROM '{}' ORDER BY ALL"
        (same, other) = (
            connection.execute(query.format(folder / name)).fetchall()
            for name in ("narrow.parquet", "release.parquet")
        )
    assert [row[1] for row in kinds[:2]] == ["FLOAT", "FLOAT"]
    assert same == other


@pytest.mark.parametrize("form", thinned(["csv", "json", "parquet"]))
def test_a_release_of_wider_numbers_is_the_same(folder: Path, form: str) -> None:
    """Who widens 0.1 of 32 bits has 0.10000000149011612, and who writes it 0.1; both were one before."""
    release = folder / f"release.{form}"
    with duckdb.connect() as connection:
        records = f"SELECT * REPLACE (x::DOUBLE AS x) FROM '{folder / 'narrow.parquet'}'"
        connection.execute(f"COPY ({records}) TO '{release}'")
    for original, other in ((folder / "narrow.parquet", release), (release, folder / "narrow.parquet")):
        options = {"aligned": True, "only": ["information", "utility"], **ASKED}
        found = duckrisk.compare(original, other, **options).to_dict()["tables"][1]
        assert (found["information"]["valid"], found["information"]["kl"]) == (True, 0)
        assert [one["unchanged"] for one in found["utility"]["attributes"]] == [40, 40, 40]


def test_who_was_in_it(folder: Path) -> None:
    tables = (folder / "narrow.parquet", folder / "same.csv")
    (found,) = membership.utility(*tables, attributes=["x", "y", "z"]).to_dict()["releases"]
    assert (found["histogram"]["value"], found["correlation"]["value"]) == (1, 1)
    attack = membership.attack(*tables, attributes=["x", "y", "z"], members=folder / "same.csv", guesses=5)
    assert attack.to_dict()["attacks"][0]["hits"] == 5
    risks = membership.risks(*tables, attributes=["x", "y", "z"], attacks=10, risks=["singling-out"], seed=1)
    assert {one["main"]["successes"] for one in risks.to_dict()["risks"] if one["main"]["attacks"]} == {10}


def test_prices_are_matched(tmp_path: Path) -> None:
    """Every price is another, and is published as it was: who knows prices finds everybody."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 'u' || i % 7 AS u, DATE '2020-01-01' + (i // 7)::INTEGER AS d, "
            "'i' || i % 5 AS item, (i / 10 + 0.1)::FLOAT AS p FROM range(56) r (i)"
        )
        connection.execute(f"COPY t TO '{tmp_path / 't.parquet'}'")
        connection.execute(f"COPY (SELECT 'p' || u AS u, d, item, p FROM t) TO '{tmp_path / 'a.csv'}'")
    columns = {"user": "u", "date": "d", "item": "item", "price": "p"}
    found = pwscup.score(tmp_path / "t.parquet", tmp_path / "a.csv", alphas=[100], **columns).to_dict()
    (attack,) = (one for one in found["attacks"] if one["attack"] == "S2-itemprice")
    assert (attack["strict"], found["utility"]["price"]) == (1, 0)


@pytest.mark.parametrize(
    ("kind", "suffix", "step"),
    thinned(
        itertools.product(
            ["DOUBLE", "FLOAT"],
            ["csv", "parquet"],
            [
                {"method": "k-anonymize", "k": 4, "quasi_identifiers": ["x", "y"], "algorithm": "local"},
                {"method": "delete-classes", "below": 4, "quasi_identifiers": ["x", "y"]},
            ],
        ),
        3,
    ),
)
def test_equal_numbers_are_written_alike(
    tmp_path: Path, kind: str, suffix: str, step: dict[str, Any]
) -> None:
    """To the engine 0 and -0 are one class, and so are all that is no number; to who reads the file they were
    two of two records each, although classes of four were asked for."""
    with duckdb.connect() as connection:
        cells = "('0.0', 1), ('-0.0', 1), ('nan', 2), ('-nan', 2)"
        number = f"CASE WHEN c = '-nan' THEN -('nan'::{kind}) ELSE c::{kind} END"
        table = connection.sql(f"SELECT {number} AS x, y FROM (VALUES {cells}) AS v (c, y), range(2)")
        duckrisk.anonymize(table, tmp_path / f"release.{suffix}", steps=[step])
        types = ", all_varchar = true" if suffix == "csv" else ""
        file = f"read_{suffix}('{tmp_path / 'release'}.{suffix}'{types})"
        found = connection.execute(
            f"SELECT x::VARCHAR AS t, COUNT(*) FROM {file} GROUP BY t ORDER BY t"
        ).fetchall()
    assert found == [("0.0", 4), ("nan", 4)]
