"""Models that learn from a release: the records that are drawn and their features by hand, and the models."""

from __future__ import annotations

import hashlib
import importlib.util
import random
from collections.abc import Iterator, Sequence
from typing import Any
from unittest import mock

import duckdb
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.release.comparison import prediction
from tests.hostile import NAMES
from tests.shared_data import shared
from tests.tables import LIGHT, connect, put, run, tell

LEARNS = all(importlib.util.find_spec(name) for name in ("lightgbm", "sklearn"))
needs_models = pytest.mark.skipif(not LEARNS, reason="scikit-learn is not installed")


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- what is drawn -------------------------------------------------------------------------------


def draw(record: Any) -> int:
    """The hash of a record's key or place."""
    return int.from_bytes(hashlib.md5(str(record).encode()).digest()[8:], "little")


def test_records_that_are_drawn(connection: duckdb.DuckDBPyConnection) -> None:
    """Records 1 to 40 by their places, each fifth without a label; the smallest hashes of many."""
    put(connection, "t", "y:VARCHAR", *[(str(i) if i % 5 else "*",) for i in range(1, 41)])
    put(connection, "labels", "value:VARCHAR label:DOUBLE", *[(str(i), i / 2) for i in range(1, 41)])
    given = {"source": "t", "key": None, "target": "y", "labels": "labels"}
    given |= {"columns": [], "cells": [], "numbers": []}
    every = sorted((i for i in range(1, 41) if i % 5), key=draw)
    for tested, most in ((False, 99), (True, 99), (False, 7)):
        run(connection, "model_records", **given, tested=tested, most=most)
        found = [row["label"] * 2 for row in run(connection, "model_labels", numbers=[])]
        assert found == [i for i in every if (draw(i) % 10 >= 7) == tested][:most]


@LIGHT
@given(st.sets(st.text(max_size=3) | st.sampled_from(NAMES), max_size=30), st.randoms())
def test_a_key_divides_all_tables_alike(keys: set[str], drawn: random.Random) -> None:
    keys = {key for key in keys if "\0" not in key}
    order = sorted(keys)
    drawn.shuffle(order)
    with connect(threads=1) as connection:
        put(connection, "labels", "value:VARCHAR label:DOUBLE", ("y", 1.0))
        sides = []
        for name, rows in (("o", sorted(keys)), ("r", order[: len(order) // 2 + 1])):
            put(connection, name, "k:VARCHAR y:VARCHAR", *[(key, "y") for key in rows], (None, "y"))
            given = {"source": name, "key": "k", "target": "y", "labels": "labels", "most": 99}
            for tested in (False, True):
                names = {"columns": ["k"], "cells": ["cells"], "numbers": []}
                put(connection, "cells", "value:VARCHAR cell", *enumerated(sorted(keys)))
                run(connection, "model_records", **given, tested=tested, **names)
                sides.append({row[0] for row in tell(connection, "SELECT cell0 FROM model_records")})
        learned, tested_on, learned_after, tested_after = sides
        assert learned | tested_on == set(range(len(keys)))
        assert not learned & tested_on
        assert learned_after <= learned
        assert tested_after <= tested_on


def enumerated(values: Sequence[Any]) -> list[tuple[Any, int]]:
    return [(value, number) for number, value in enumerate(values)]


def test_features_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Records have a (5), b (4), c (1) and nothing (2); c and nothing are one feature."""
    leaves = [("a", 1, 5), ("b", 2, 4), ("c", 3, 1), (None, 4, 2)]
    put(connection, "leaves", "value:VARCHAR code records", *leaves)
    cells = [("a", 1, "value", 1, 1, 1), ("{a, c}", 2, "set", 2, 1, 3), ("*", 3, "all", 4, 1, 4)]
    cells += [("?", 4, "false", 0, 0, -1), (None, 5, "value", 1, 4, 4), ("x", 6, "level 1", 3, 2, 4)]
    put(connection, "cells", "value:VARCHAR cell layer:VARCHAR size first last", *cells)
    reach = [(1, 1), (2, 1), (2, 3), (5, 4), (6, 2), (6, 3), (6, 4)]
    put(connection, "reach", "cell code", *reach)
    numbers = [
        ("5", "value", 0.5),
        ("*", "all", 0.25),
        ("[1, 3]", "interval 2.0", 0.2),
        ("{1, 9}", "set", 0.5),
    ]
    put(connection, "numbers", "value:VARCHAR layer:VARCHAR part:DOUBLE", *numbers)
    categories = ["a", "{a, c}", "*", "?", None, "x"]
    rows = [(a, n) for a in categories for n in ("5", "*", "[1, 3]", None)]
    put(connection, "t", "a:VARCHAR n:VARCHAR y:VARCHAR", *[(*row, "y") for row in rows])
    put(connection, "labels", "value:VARCHAR label:DOUBLE", ("y", 1.0))
    given = {"source": "t", "key": None, "target": "y", "labels": "labels", "tested": False, "most": 99}
    run(connection, "model_records", **given, columns=["a", "n"], cells=["cells"], numbers=["numbers"])
    learned = [rows[i - 1] for i in sorted(range(1, len(rows) + 1), key=draw) if draw(i) % 10 < 7]
    parts = {"5": 0.5, "*": None, "[1, 3]": 0.2, None: None}
    found = run(connection, "model_labels", numbers=[0])
    assert [row["part0"] for row in found] == [parts[number] for _, number in learned]
    of_leaves = {"leaves": "leaves", "cells": "cells", "reach": "reach", "column": 0}
    shares = {
        "a": (1, 0, 0), "{a, c}": (0.5, 0, 0.5), "*": (0.25, 0.25, 0.5), "?": (0, 0, 0), None: (0, 0, 1),
        "x": (0, 1 / 3, 2 / 3),
    }  # fmt: skip
    matrix = [[0.0, 0.0, 0.0] for _ in learned]
    for row in run(connection, "model_shares", **of_leaves, most=3):
        matrix[row["record"]][row["feature"]] = row["share"]
    assert matrix == [pytest.approx(shares[category]) for category, _ in learned]
    # Of numbers * and sets are no labels, of classes neither is what covers several or nothing.
    run(connection, "target_labels", cells="cells", numbers="numbers", table="of_numbers")
    assert tell(connection, "FROM of_numbers ORDER BY ALL") == [("5", 0.5), ("[1, 3]", 0.2)]
    run(connection, "target_labels", cells="cells", numbers=None, table="of_classes")
    assert tell(connection, "FROM of_classes") == [("a", 1.0)]
    assert run(connection, "target_values", leaves="leaves") == [{"values": 3}]


# --- what models score ---------------------------------------------------------------------------


def compared(original: Any, *releases: Any, **options: Any) -> list[Any]:
    """The predictions of each release."""
    roles = dict.fromkeys(original.columns, "attribute") | options.pop("roles", {})
    options = {"user": "", "only": ["utility"], "predict": "y", "roles": roles} | options
    data = duckrisk.compare(original, *releases, **options).to_dict()
    first, *others = (table["utility"]["prediction"] for table in data["tables"])
    assert first["before"] == first["after"]
    return others


def made(records: int, classes: int = 2) -> pandas.DataFrame:
    """A table with a class that x decides and g says something of, and a number of both."""
    drawn = random.Random(5)
    rows = []
    for number in range(records):
        x, g = drawn.randrange(40), drawn.choice("abcd")
        y = min(classes - 1, x * classes // 40)
        rows.append(
            (f"k{number}", x, g if drawn.random() < 0.5 else "abcd"[y % 4], f"class {y}", 3 * x + ord(g))
        )
    return pandas.DataFrame(rows, columns=["k", "x", "g", "y", "n"])


@needs_models
@pytest.mark.slow
def test_what_a_table_by_itself_scores() -> None:
    """x decides the class, and with g the number: both are learned, from the table itself as before."""
    table = made(900)
    stars = table.assign(x="*", g="*", n="*")
    mixed = table.sample(frac=1, random_state=1)
    fewer = mixed[:500].assign(x=[f"[{x // 15 * 15}, {x // 15 * 15 + 14}]" for x in mixed["x"][:500]])
    first, second, third, fourth, fifth = compared(
        table.drop(columns="n"),
        *(one.drop(columns="n") for one in (table, mixed, fewer, stars, table.drop(columns="y"))),
        key="k",
        roles={"k": "ignored"},
    )
    assert first["before"] == first["after"] > 0.99
    # In another order records keep their side by the key, and models what they learn.
    assert second == first
    assert (first["learned"] + first["tested"], first["corresponding"]) == (900, True)
    assert 0.8 < third["after"] < third["before"]
    assert third["learned"] < third["learned_before"]
    # Nothing to learn from: a constant prediction.
    assert {entry["after"] for entry in fourth["models"]} == {0.5}
    assert (fifth["after"], fifth["reason"], fifth["learned"]) == (None, "no_target", 0)
    (numbers,) = compared(table.drop(columns="k"), table.drop(columns="k"), predict="n")
    assert (numbers["measure"], numbers["classes"]) == ("r2", None)
    assert numbers["before"] == numbers["after"] > 0.99
    with mock.patch.object(prediction, "MAX_RECORDS", 50):
        (few,) = compared(table[["x", "g", "y"]], table[["x", "g", "y"]])
    assert (few["learned"], few["learned_before"], few["tested"]) == (50, 50, 50)


@needs_models
@pytest.mark.slow
def test_classes_and_few_records() -> None:
    table = made(600, classes=5)[["x", "g", "y"]]
    lacking = table.assign(y=["{class 0, class 1}" if y == "class 0" else y for y in table["y"]])
    same, lost = compared(table, table, lacking)
    assert (same["measure"], same["classes"]) == ("auc", 5)
    assert same["after"] == same["before"] > 0.97
    # One of five classes was never learned, and is found by chance.
    assert lost["after"] == pytest.approx((4 * same["before"] + 0.5) / 5, abs=0.03)
    few, one = compared(table, table[:8], table.assign(y="class 1"))
    assert {few["reason"], one["reason"]} == {"too_few"}
    assert (few["before"], few["after"]) == (same["before"], None)
    with pytest.raises(UsageError, match="2 to 20 values"):
        compared(made(200, classes=21)[["x", "g", "y"]], table)
    with pytest.raises(UsageError, match="is not compared"):
        compared(table, table, roles={"y": "ignored"})
    with pytest.raises(UsageError, match="no other column"):
        compared(table[["y"]], table[["y"]])


@needs_models
@pytest.mark.slow
def test_a_real_table_with_other_features() -> None:
    """Adult with ages in tens: scikit-learn on dummies by pandas gives about the same."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.preprocessing import StandardScaler

    columns = ["age", "workclass", "education", "marital-status", "sex", "hours-per-week", "income"]
    adult = pandas.read_parquet(shared("adult.parquet"))[columns].iloc[:12000].reset_index(drop=True)
    tens = adult["age"] // 10
    release = adult.assign(age=[f"[{ten * 10}, {ten * 10 + 9}]" for ten in tens])
    (found,) = compared(adult, release, predict="income")
    learned = pandas.Series([draw(i) % 10 < 7 for i in range(1, len(adult) + 1)])
    middles = adult["age"].groupby(tens).agg(["min", "max"]).mean(axis=1)
    positive = adult["income"] == ">50K"
    for ages, expected in ((adult["age"], "before"), (tens.map(middles), "after")):
        learned_from, tested = (
            pandas.get_dummies(adult.assign(age=age).drop(columns="income"), dtype=float)
            for age in (ages, adult["age"])
        )
        scaler = StandardScaler().fit(learned_from[learned])
        model = LogisticRegression(C=0.1, max_iter=500)
        model.fit(scaler.transform(learned_from[learned]), positive[learned])
        area = roc_auc_score(positive[~learned], model.decision_function(scaler.transform(tested[~learned])))
        (linear,) = (entry[expected] for entry in found["models"] if entry["model"] == "linear")
        assert linear == pytest.approx(area, abs=0.001)
    assert (found["learned"], found["tested"]) == (learned.sum(), (~learned).sum())


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    table = made(20)
    with pytest.raises(UsageError, match=r"pip install 'duckrisk\[ml\]'"):
        duckrisk.compare(table, table, predict="y", only=["utility"])
    with pytest.raises(UsageError, match="--only utility"):
        duckrisk.compare(table, table, predict="y", only=["information"])
