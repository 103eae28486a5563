"""Uniform recoding as plain steps: their cells by hand, and a recipe that gives the same bytes again."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Data, Sentence
from duckrisk.release.anonymization.steps import Step
from tests.command import command
from tests.shared_data import shared
from tests.tables import DATASETS, engine, make

COLUMNS = {"age": "INTEGER", "price": "DECIMAL(8, 2)", "kind": "VARCHAR", "day": "DATE", "u": "INTEGER"}
ROWS = [
    (20, "1.00", "a", "2020-01-05", 1),
    (24, "2.50", "b", "2020-03-31", 2),
    (40, "9.00", "c, d", "2021-12-31", 3),
    (None, None, None, None, 4),
    (90, "2.00", "e", "2009-06-30", 5),
]


def write(path: Path, rows: list[tuple[Any, ...]], columns: dict[str, str] = COLUMNS) -> Path:
    connection = engine().cursor()
    make(connection, columns, rows)
    connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


def treat(tmp_path: Path, *steps: dict[str, Any], rows: Any = ROWS, **options: Any) -> list[tuple[Any, ...]]:
    source = write(tmp_path / "in.parquet", rows)
    duckrisk.anonymize(source, tmp_path / "out.parquet", steps=steps, **options)
    return read(tmp_path / "out.parquet")


def read(path: Path) -> list[tuple[Any, ...]]:
    return engine().cursor().execute(f"FROM '{path}'").fetchall()


BANDS = {"method": "generalize", "column": "age", "bands": [0, 30, 40]}


@pytest.mark.parametrize(
    ("options", "cells"),
    [
        ({"cells": [[22, 20, 24], [40.5, 40, 41]]}, [22.0, 22.0, 40.5, None]),
        ({"numbers": "interval", "cells": [[20, 24], [40, 40]]}, ["[20, 24]", "[20, 24]", "40", None]),
    ],
)
def test_bands_by_hand(tmp_path: Path, options: dict[str, Any], cells: list[Any]) -> None:
    """The last band includes its end; a value outside deletes its record, a missing one stays."""
    assert [row[0] for row in treat(tmp_path, {**BANDS, **options})] == cells


def test_bounds_are_two_columns(tmp_path: Path) -> None:
    step = {"method": "generalize", "column": "price", "bands": [1, "2.25", 9], "numbers": "bounds"}
    rows = treat(tmp_path, {**step, "cells": [["1.00", 2], [2.5, 9]]})
    assert [tuple(map(str, row[1:3])) for row in rows] == [
        ("1.00", "2.00"),
        ("2.50", "9.00"),
        ("2.50", "9.00"),
        ("None", "None"),
        ("1.00", "2.00"),
    ]
    listed = engine().cursor().execute(f"DESCRIBE FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert [row[0] for row in listed] == ["age", "price_from", "price_to", "kind", "day", "u"]


@pytest.mark.parametrize(
    ("groups", "categories", "cells"),
    [
        ([["a", "b"], ["e"]], "text", ["{a, b}", "{a, b}", None, "e"]),
        ([["a", "c, d"], ["e"]], "text", ["*", "*", None, "e"]),
        ([["c, d", "a"], ["b"]], "list", [["a", "c, d"], ["b"], ["a", "c, d"], None]),
        ([["a", "b", *map(str, range(15))], ["e"]], "text", ["*", "*", None, "e"]),
        ([["a", "b", *map(str, range(15))], ["e"]], "list", [["*"], ["*"], None, ["e"]]),
    ],
)
def test_groups_by_hand(tmp_path: Path, groups: list[list[str]], categories: str, cells: list[Any]) -> None:
    """Ambiguous and large sets are `*`; a value in no group deletes its record."""
    step = {"method": "generalize", "column": "kind", "groups": groups, "categories": categories}
    assert [row[2] for row in treat(tmp_path, step)] == cells


@pytest.mark.parametrize(
    ("unit", "days"),
    [
        ("month", ["2020-01-01", "2020-03-01", "2021-12-01", "None", "2009-06-01"]),
        ("quarter", ["2020-01-01", "2020-01-01", "2021-10-01", "None", "2009-04-01"]),
        ("5years", ["2020-01-01", "2020-01-01", "2020-01-01", "None", "2005-01-01"]),
        ("10years", ["2020-01-01", "2020-01-01", "2020-01-01", "None", "2000-01-01"]),
    ],
)
def test_dates_stay_dates(tmp_path: Path, unit: str, days: list[str]) -> None:
    rows = treat(tmp_path, {"method": "generalize", "column": "day", "moment": unit, "first_day": True})
    assert [str(row[3]) for row in rows] == days


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bands": [1, 2, 2, 3], "cells": [[1, 1, 1], [2, 2, 2], [3, 3, 3]]}, "ascending"),
        ({"bands": [1], "cells": []}, "ascending"),
        ({"bands": [1, 2, 3], "cells": [[1, 1, 1]]}, "each of the 2 bands"),
        ({"bands": [1, 2], "cells": [[1, 2]]}, "pair"),
        ({"bands": [1, 2], "cells": [[1, 1, 1]], "numbers": "interval"}, "pair"),
        ({"bands": ["x", 2], "cells": [[1, 1, 1]]}, "list of numbers"),
        ({"width": 2, "cells": [[1, 1, 1]]}, "needs bands"),
        ({"groups": [["a"], ["b", "a"]]}, "twice"),
        ({"groups": [["a"], []]}, "empty"),
        ({"groups": [["a", 1]]}, "lists of texts"),
        ({"prefix": 2, "categories": "list"}, "needs groups"),
        ({"bands": [1, 2], "cells": [[1, 1, 1]], "groups": [["a"]]}, "needs one of"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Step("generalize", {"column": "a", **options})


def test_bands_need_numbers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="kind"):
        treat(tmp_path, {**BANDS, "column": "kind", "cells": [[22, 20, 24], [40.5, 40, 41]]})


def test_a_table_with_a_column_of_the_name_of_bounds(tmp_path: Path) -> None:
    columns = {"age": "INTEGER", "age_TO": "INTEGER"}
    source = write(tmp_path / "in.parquet", [(1, 2)], columns)
    step = {**BANDS, "numbers": "bounds", "cells": [[1, 1], [2, 2]]}
    with pytest.raises(UsageError, match="age_to"):
        duckrisk.anonymize(source, tmp_path / "out.parquet", steps=[step])


# --- the recipe ----------------------------------------------------------------------------------


def check_recipe(tmp_path: Path, source: Path, step: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
    """The recipe holds plain steps and gives the same bytes; it has no value that no record has."""
    out, again = tmp_path / "out.parquet", tmp_path / "again.parquet"
    step = {"method": "k-anonymize", "algorithm": "uniform", **step}
    duckrisk.anonymize(source, out, steps=[step, *more], seed=1)
    recipe = out.with_name("out.parquet.recipe.toml")
    duckrisk.anonymize(source, again, recipe=recipe)
    assert again.read_bytes() == out.read_bytes()
    written = tomllib.loads(recipe.read_text(encoding="utf-8"))
    assert not any(each["method"] == "k-anonymize" for each in written["step"])
    return written


def test_outliers_are_in_no_recipe(tmp_path: Path) -> None:
    rows = [(20 + number % 2, 1, "ab"[number % 2], "2020-01-01", number) for number in range(60)]
    rows += [(97, 1, "outlier", "2020-01-01", 60)]
    source = write(tmp_path / "in.parquet", rows)
    written = check_recipe(tmp_path, source, {"k": 5, "quasi_identifiers": ["age", "kind", "day", "price"]})
    assert "outlier" not in str(written)
    assert "97" not in str(written)
    assert Counter(row[2] for row in read(tmp_path / "out.parquet")) == {"a": 30, "b": 30}


@pytest.mark.slow
def test_histories_by_people(tmp_path: Path) -> None:
    columns = ["InvoiceDate", "StockCode", "UnitPrice", "Quantity"]
    step = {"k": 11, "quasi_identifiers": columns, "user": "CustomerID", "keep": ["InvoiceDate"]}
    source = DATASETS / "retail.parquet"
    check_recipe(tmp_path, source, {**step, "numbers": "interval"}, {"method": "shuffle"})
    out = f"'{tmp_path / 'out.parquet'}'"
    connection = engine().cursor()
    smallest = f"SELECT COUNT(DISTINCT CustomerID) AS n FROM {out} GROUP BY {', '.join(columns)}"
    assert connection.execute(f"SELECT MIN(n) FROM ({smallest})").fetchone()[0] >= 11  # type: ignore[index]
    kept = connection.execute(f"SELECT COUNT(*), TYPEOF(ANY_VALUE(InvoiceDate)) FROM {out}").fetchone()
    assert kept is not None
    assert kept[0] >= 0.95 * 38_087
    assert kept[1] == "DATE"


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ["mean", "bounds"])
def test_adult(tmp_path: Path, numbers: str) -> None:
    source = shared("adult.parquet")
    names = ["age", "workclass", "education", "race", "sex", "capital-gain", "hours-per-week"]
    step = {"k": 11, "quasi_identifiers": names, "keep": ["age"], "numbers": numbers, "categories": "list"}
    written = check_recipe(tmp_path, source, step)
    quasi = written["step"][-1]["quasi_identifiers"]
    listed = ", ".join(f'"{name}"' for name in quasi)
    sizes = f"SELECT COUNT(*) AS n FROM '{tmp_path / 'out.parquet'}' GROUP BY {listed}"
    row = engine().cursor().execute(f"SELECT MIN(n), SUM(n) FROM ({sizes})").fetchone()
    assert row is not None
    assert row[0] >= 11
    assert row[1] >= 0.95 * 48_842


def test_the_command_line(tmp_path: Path) -> None:
    rows = [(20 + number % 10, 1, "ab"[number % 2], "2020-01-01", number // 2) for number in range(60)]
    source = write(tmp_path / "in.parquet", rows)
    known = ["--quasi-identifier", "age", "--quasi-identifier", "kind", "--user", "u"]
    out = ["-o", tmp_path / "out.parquet"]
    assert command("anonymize", source, *out, "--k", 5, *known, "--method", "uniform").code == 0
    recipe = tomllib.loads((tmp_path / "out.parquet.recipe.toml").read_text(encoding="utf-8"))
    assert recipe["step"][-1] == {
        "method": "delete-classes",
        "below": 5,
        "quasi_identifiers": ["age", "kind"],
        "user": "u",
    }


@pytest.mark.parametrize("user", [None, "u"])
def test_classes_that_disclose_a_sensitive_value_are_deleted(tmp_path: Path, user: str | None) -> None:
    """All of age 40 are ill; counted by people so are all of 50, in their other records."""
    rows = [(age, 1, kind, "2020-01-01", person) for age, kind, person in _list_ill()]
    step = {"method": "delete-classes", "below": 5, "quasi_identifiers": ["age"], "sensitive": ["kind"]}
    if user is not None:
        step["user"] = user
    ages = Counter(row[0] for row in treat(tmp_path, step, rows=rows))
    assert sorted(ages) == ([20, 30] if user else [20, 30, 50])


@pytest.mark.parametrize("user", [None, "u"])
def test_coarser_sensitive_values_are_not_disclosed(tmp_path: Path, user: str | None) -> None:
    """At 40 each was born on another day, but all in March 1980: a class of 40 alone tells the month."""
    born = [
        (f"1980-03-{n % 28 + 1:02d}" if n % 4 == 2 else f"19{40 + n % 50}-{n % 12 + 1:02d}-01")
        for n in range(240)
    ]
    rows = [(20 + 10 * (n % 4), 1, "a", day, n) for n, day in enumerate(born)]
    people = {"user": user} if user is not None else {}
    known = {"quasi_identifiers": ["age"], "sensitive": ["day"], **people}
    ages = {row[0] for row in treat(tmp_path, {"method": "delete-classes", "below": 5, **known}, rows=rows)}
    assert ages == {20, 30, 50}
    step = {"method": "k-anonymize", "algorithm": "uniform", "k": 5, **known, "numbers": "interval"}
    cells = Counter(row[0] for row in treat(tmp_path, step, rows=rows, overwrite=True))
    assert sum(cells.values()) >= 0.95 * len(rows)
    assert "40" not in cells
    assert len(cells) > 1


def _list_ill() -> list[tuple[int, str | None, int]]:
    ill = [(40, "ill", person) for person in range(10)]
    elsewhere = [(50, None, person) for person in range(10)]
    rest = [
        (20 + 10 * (person % 2), "ill" if person % 10 == 0 else None, person) for person in range(20, 100)
    ]
    return ill + elsewhere + rest


def test_a_uniform_recipe_with_a_sensitive_column(tmp_path: Path) -> None:
    rows = [
        (20 + n % 8, n % 3, "ill" if n % 8 == 3 or n % 7 == 0 else "well", "2020-01-01", n)
        for n in range(400)
    ]
    source = write(tmp_path / "in.parquet", rows)
    step = {"k": 5, "quasi_identifiers": ["age", "price"], "sensitive": ["kind"]}
    written = check_recipe(tmp_path, source, step)
    assert written["step"][-1]["sensitive"] == ["kind"]
    released = read(tmp_path / "out.parquet")
    assert len(released) >= 380
    classes: dict[Any, list[str]] = {}
    for row in released:
        classes.setdefault(row[:2], []).append(row[2])
    assert len(classes) > 1
    assert all(cells.count("ill") < 0.9 * len(cells) for cells in classes.values())


def test_a_column_without_a_useful_form_is_named(tmp_path: Path) -> None:
    """Of 100 people each has another weight, so that bands of weights say nothing."""
    columns = {"weight": "INTEGER", "sex": "INTEGER"}
    source = write(tmp_path / "in.parquet", [(n * 37 % 101, n % 2) for n in range(100)], columns)
    step = {"method": "k-anonymize", "algorithm": "uniform", "k": 5, "quasi_identifiers": [*columns]}
    made = duckrisk.anonymize(source, tmp_path / "out.parquet", steps=[step])
    assert Sentence("anonymization.no_useful_form", column=Data("weight")) in made.notes
    assert read(tmp_path / "out.parquet") == [(n % 2,) for n in range(100)]
