"""The utility of releases: worked examples, another implementation, and the figures of a public table."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.membership.synthesis.indices import ROUNDS, UtilityOptions, judge_round, utility
from duckrisk.contests.membership.synthesis.results import TreeIndex, Utility
from duckrisk.contests.membership.synthesis.trees import Target
from duckrisk.engine.session import Resources
from duckrisk.source import Request
from tests.command import command, refused
from tests.fitting import fit
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, connect, row

LEARNS = importlib.util.find_spec("sklearn") is not None
Table = dict[str, list[Any]]


def measured(original: Table, *releases: Table, **options: Any) -> list[dict[str, Any]]:
    tables = [Request(pd.DataFrame(table)) for table in (original, *releases)]
    return utility(tables[0], tables[1:], options=UtilityOptions(**options)).data["releases"]


def test_histogram_example() -> None:
    original = {"sex": ["F", "F", "M", "M"], "income": ["a", "a", "a", "b"]}
    release = {"sex": ["F", "M", "M", "M"], "income": ["a", "a", "b", "b"]}
    (found,) = measured(original, release)
    assert found["histogram"]["value"] == 0.75
    assert found["histogram"]["attributes"] == [
        {"attribute": "sex", "distance": 2},
        {"attribute": "income", "distance": 2},
    ]


def test_a_release_of_another_size_loses() -> None:
    original = {"a": ["x", "y"], "b": [1, 2]}
    (found,) = measured(original, {"a": ["x", "y"] * 4, "b": [1, 2] * 4})
    assert found["histogram"]["value"] == 1 - 12 / 8
    assert found["correlation"]["value"] == pytest.approx(1, abs=1e-12)


def test_covariance_and_correlation_example() -> None:
    # The income of the example is one dummy: a number.
    original = {"age": [30, 40, 50, 60], "income": [0, 0, 1, 1]}
    (found,) = measured(original, {"age": [30, 40, 50, 60], "income": [0, 1, 0, 1]})
    assert found["covariance"]["value"] == pytest.approx(0.3, abs=1e-12)
    assert found["covariance"]["largest_sum"] == pytest.approx(10 / 3, abs=1e-12)
    assert found["correlation"]["value"] == pytest.approx(0.552786, abs=1e-6)
    assert found["correlation"]["difference"] == pytest.approx(0.447214, abs=1e-6)


def test_the_same_table_loses_nothing() -> None:
    table = {"a": ["x", "y", "y"], "b": [0.1, 0.7, 1e9], "c": ["k"] * 3}
    (found,) = measured(table, {name: values[::-1] for name, values in table.items()})
    assert found["histogram"]["value"] == found["correlation"]["value"] == 1
    assert found["covariance"]["infinite"]
    assert found["covariance"]["value"] is None
    assert found["rounds"]["preliminary"]["passed"] is None  # no tree was measured


# --- another implementation ----------------------------------------------------------------------

texts = st.sampled_from(["x", "y", "x'y", "", "é ", "NULL"])
numbers = st.sampled_from([-3.5, 0.0, 0.1, 2.0, 1e6])


@st.composite
def tables(draw: Any) -> list[Table]:
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    names = draw(
        st.lists(
            st.sampled_from(["a", "b c", 'q"', "n1", "dummy", "record", "value"]),
            min_size=len(kinds),
            max_size=len(kinds),
            unique=True,
        )
    )
    made = []
    for _ in range(2):
        size = draw(st.integers(1, 9))
        made.append(
            {
                name: draw(st.lists(numbers if number else texts, min_size=size, max_size=size))
                for name, number in zip(names, kinds, strict=True)
            }
        )
    return made


def hot(table: Table, domain: list[tuple[str, Any]]) -> np.ndarray[Any, Any]:
    columns = []
    for name, value in domain:
        cells = table[name]
        columns.append(cells if value is None else [float(cell == value) for cell in cells])
    return np.array(columns, dtype=float)


def matrices(table: Table, domain: list[tuple[str, Any]]) -> tuple[Any, Any]:
    dummies = hot(table, domain)
    size = dummies.shape[1]
    centred = dummies - dummies.mean(axis=1, keepdims=True)
    for line, values in zip(centred, dummies, strict=True):
        if len(set(values)) == 1:
            line[:] = 0
    covariance = centred @ centred.T / (size - 1) if size > 1 else np.zeros((len(dummies),) * 2)
    deviation = np.sqrt(np.diag(covariance))
    divisor = np.outer(deviation, deviation)
    correlation = np.divide(covariance, divisor, out=np.zeros_like(covariance), where=divisor > 0)
    return covariance, correlation


@settings(LIGHTER, max_examples=min(EXAMPLES, 8))
@given(tables())
def test_another_implementation_finds_the_same(given_tables: list[Table]) -> None:
    original, release = given_tables
    (found,) = measured(original, release)
    domain: list[tuple[str, Any]] = []
    distance = 0
    for name, cells in original.items():
        both = [*cells, *release[name]]
        distance += sum(abs(cells.count(v) - release[name].count(v)) for v in set(both))
        domain += [(name, None)] if isinstance(cells[0], float) else [(name, v) for v in sorted(set(both))]
    size = len(next(iter(original.values())))
    assert found["histogram"]["value"] == pytest.approx(1 - distance / (2 * size * len(original)))
    before, after = matrices(original, domain), matrices(release, domain)
    largest = np.abs(after[0] - before[0]).sum(axis=0).max()
    # Other orders of adding give other last digits.
    assert found["covariance"]["largest_sum"] == pytest.approx(largest, rel=1e-9, abs=1e-4)
    upper = np.triu_indices(len(domain), 1)
    differences = np.abs(after[1] - before[1])[upper]
    expected = differences.max() if len(differences) else 0.0
    assert found["correlation"]["value"] == pytest.approx(1 - expected, abs=1e-6)
    mean = differences.mean() if len(differences) else 0.0
    assert found["correlation"]["mean_value"] == pytest.approx(1 - mean, abs=1e-6)


def test_results_do_not_depend_on_threads_or_order() -> None:
    source = np.random.default_rng(1)
    table = {"n": list(source.normal(size=4000)), "m": list(source.exponential(size=4000))}
    table["c"] = [f"v{int(value * 3)}" for value in table["m"]]
    frame, other = pd.DataFrame(table), pd.DataFrame(table).assign(n=table["n"][::-1])
    first = utility(Request(frame), [Request(other)], resources=Resources(threads=1))
    mixed = [each.sample(frac=1, random_state=2) for each in (frame, other)]
    second = utility(Request(mixed[0]), [Request(mixed[1])])
    assert first.to_json() == second.to_json()


# --- trees ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "value"),
    [((90, 6, 10), 0.918367), ((0, 0, 0), 1), ((0, 3, 0), 0), ((0, 0, 3), 0), ((5, 0, 0), 1)],
)
def test_agreement_of_trees(counts: tuple[int, int, int], value: float) -> None:
    names = ("both_positive", "only_release", "only_original")
    found = row(connect(), "tree_agreement", **dict(zip(names, counts, strict=True)))
    assert found["value"] == pytest.approx(value, abs=1e-6)


def people(size: int, seed: int) -> pd.DataFrame:
    source = np.random.default_rng(seed)
    age = source.integers(18, 80, size)
    work = source.choice(["a", "b", "c"], size)
    rich = np.where((age > 40) ^ (work == "b") ^ (source.random(size) < 0.1), "yes", "no")
    return pd.DataFrame({"age": age, "work": work, "rich": rich})


def test_trees_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "duckrisk.contests.membership.synthesis.trees.importlib.util.find_spec", lambda name: None
    )
    requests = [Request(people(50, seed)) for seed in range(3)]
    options = UtilityOptions(targets=[Target("rich", "yes")])
    report = utility(requests[0], [requests[1]], requests[2], options)
    (found,) = report.data["releases"]
    assert found["trees"] is None
    assert "duckrisk[ml]" in found["trees_not_measured"]
    assert "not measured" in report.to_text()
    (without,) = utility(requests[0], [requests[1]], None, options).data["releases"]
    assert "--test" in without["trees_not_measured"]


@pytest.mark.skipif(not LEARNS, reason="scikit-learn is not installed")
def test_trees_of_any_target() -> None:
    from sklearn.tree import DecisionTreeClassifier

    frames = [people(300, seed) for seed in range(3)]
    options = UtilityOptions(targets=[Target("RICH", "yes", 4)])
    report = utility(Request(frames[0]), [Request(frames[1])], Request(frames[2]), options)
    (found,) = report.data["releases"][0]["trees"]
    predicted = []
    for frame in frames[:2]:
        features = [
            np.column_stack([f["age"], *(f["work"] == value for value in "abc")]).astype(np.float32)
            for f in (frame, frames[2])
        ]
        tree = DecisionTreeClassifier(random_state=0, max_depth=4).fit(features[0], frame["rich"] == "yes")
        predicted.append(tree.predict(features[1]))
    both = int((predicted[0] & predicted[1]).sum())
    assert (found["both"], found["attribute"]) == (both, "rich")
    assert found["value"] == pytest.approx(2 * both / (predicted[0].sum() + predicted[1].sum()))


@pytest.mark.parametrize(
    ("target", "word"),
    [
        (Target("age", "3"), "holds numbers"),
        (Target("job", "x"), 'no attribute "job"; there are "age"'),
        (Target("rich", "maybe"), "No record of the original"),
        (Target("rich", "yes", 0), "of a tree must be"),
    ],
)
def test_targets_that_cannot_be(target: Target, word: str) -> None:
    request = Request(people(20, 1))
    with pytest.raises(UsageError, match=word):
        utility(request, [request], None, UtilityOptions(targets=[target]))


# --- thresholds, words, bad input ----------------------------------------------------------------


def test_thresholds_are_reached_exactly() -> None:
    trees = [
        TreeIndex("income", "rich", 5, counts, value, 0, 0, 0)
        for counts, value in ((True, 0.95), (False, 0.1))
    ]
    values = {"histogram": 0.97, "covariance": 0.4, "correlation": 0.9}
    final = judge_round(values, trees, ROUNDS["final"])
    assert final.passed is True
    assert [check.index for check in final.checks] == ["histogram", "correlation", "tree income"]
    preliminary = {**values, "histogram": 0.99}
    assert judge_round(values, trees, ROUNDS["preliminary"]).passed is False
    assert judge_round(preliminary, trees, ROUNDS["preliminary"]).passed is True
    endless = judge_round({**preliminary, "covariance": math.inf}, trees, ROUNDS["preliminary"])
    assert (endless.passed, endless.checks[1].value) == (True, None)
    assert judge_round(values, None, ROUNDS["final"]).passed is None
    assert judge_round({**values, "correlation": 0.89}, None, ROUNDS["final"]).passed is False
    assert set(ROUNDS) == {"preliminary", "final"}


def test_categories_are_shown_only_on_request() -> None:
    original = {"ill": ["SECRET", "no", "no", "no"], "age": [1, 2, 3, 4]}
    release = {"ill": ["no", "no", "no", "SECRET"], "age": [1, 2, 3, 4]}
    shown = {}
    for told in (False, True):
        report = utility(
            Request(pd.DataFrame(original)),
            [Request(pd.DataFrame(release))],
            options=UtilityOptions(show_values=told),
        )
        shown[told] = [report.to_json(), report.to_text(), report.to_markdown()]
    assert all("SECRET" not in text for text in shown[False])
    assert all("SECRET" in text for text in shown[True])


def test_bad_tables() -> None:
    good = pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]})
    for bad, error, word in (
        (good.rename(columns={"b": "c"}), UsageError, "column"),
        (good.assign(a=["x", None]), SourceError, "missing"),
        (good.assign(b=["u", "v"]), UsageError, "numbers"),
        (good[:0].astype({"a": "string"}), UsageError, "no records"),
    ):
        with pytest.raises(error, match=word):
            utility(Request(good), [Request(bad)])
    with pytest.raises(UsageError, match="release"):
        utility(Request(good), [])


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, seed in (("a", 1), ("b", 2)):
        people(40, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    files = ["a.csv", "b.csv", "a.csv"]
    found = command("membership", "utility", *files, "--attribute", "age", "--attribute", "work", "-q")
    assert found.code == 0, found.err
    assert "Preliminary round" in found.out
    output = Path("report.json")
    assert command("membership", "utility", *files, "-q", "-o", output).code == 0
    data = json.loads(output.read_text())
    fit(data, Utility)
    assert [entry["name"] for entry in data["releases"]] == ["b.csv", "a.csv"]
    assert data["releases"][1]["covariance"]["infinite"] is True
    refused(2, "attribute and its value", arguments=["membership", "utility", *files, "--predict", "rich"])
    refused(2, "depth", arguments=["membership", "utility", *files, "--depth", "3"])
    refused(2, "not as csv", arguments=["membership", "utility", *files, "--format", "csv"])


# --- a public table ------------------------------------------------------------------------------

COMPLETE = """
    SELECT age, workclass, education, "marital-status", occupation, relationship, sex, "hours-per-week",
           RTRIM(income, '.') AS income
    FROM '{source}'
    WHERE workclass <> '?' AND occupation <> '?' AND "native-country" <> '?'
"""


def test_figures_of_adult(tmp_path: Path) -> None:
    train, test = shared("adult_train.parquet"), shared("adult_test.parquet")
    requests = []
    with duckdb.connect(config={"threads": 1}) as connection:
        for name, source, start in (("c", train, 0), ("d", train, 10000), ("t", test, 0)):
            limit = "" if name == "t" else f"LIMIT 10000 OFFSET {start}"
            path = tmp_path / f"{name}.csv"
            query = f"{COMPLETE.format(source=source)} {limit}"
            connection.execute(f"COPY ({query}) TO '{path}' (HEADER FALSE)")
            requests.append(Request(path))
    original, release, tested = requests
    report = utility(original, [release], tested, UtilityOptions(show_values=True))
    (found,) = report.data["releases"]
    fit(report.to_dict(), Utility)
    assert report.data["test"]["records"] == 15060
    assert sum(attribute["dummies"] for attribute in report.data["attributes"]) == 57
    assert [part["distance"] for part in found["histogram"]["attributes"]] == [
        756, 188, 388, 126, 356, 88, 116, 590, 72,
    ]  # fmt: skip
    assert found["histogram"]["value"] == pytest.approx(0.985111, abs=1e-6)
    assert found["covariance"]["value"] == pytest.approx(0.093124, abs=1e-6)
    assert found["correlation"]["value"] == pytest.approx(0.918212, abs=1e-6)
    assert found["correlation"]["mean_value"] == pytest.approx(0.991357, abs=1e-6)
    pair = {found["correlation"][f"{which}_category"] for which in ("first", "second")}
    assert pair == {"Farming-fishing", "Without-pay"}
    if LEARNS:
        values = [tree["value"] for tree in found["trees"]]
        assert values == pytest.approx([0.962910, 0.999520, 0.809611], abs=0.005)
        assert found["rounds"]["final"]["passed"] is True
    assert found["rounds"]["preliminary"]["passed"] is False
