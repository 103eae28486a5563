"""Figures published, or computed elsewhere, for public tables (table 4 of the paper and others)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from duckrisk.engine.templates import Part
from tests import oracle
from tests.shared_data import shared
from tests.tables import attribute, close, connect, row, run

TRANS = {"date": "c2", "time": "c3", "item": "c4", "price": "c5", "quantity": "c6"}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def opened(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """A view of a public table; columns of text files without a header are c0, c1, ..."""
    path = shared(name)
    view = Path(name).stem
    if path.suffix == ".parquet":
        read = f"read_parquet('{path}')"
        connection.execute(f'CREATE VIEW IF NOT EXISTS "{view}" AS FROM {read}')
    else:
        names = [f"c{place}" for place in range(7)]
        read = f"read_csv('{path}', header = false, names = {names}, all_varchar = true)"
        connection.execute(f'CREATE TABLE IF NOT EXISTS "{view}" AS FROM {read}')
    return view


def check(
    connection: duckdb.DuckDBPyConnection, view: str, user: str | None, column: str, risk: float, cost: float
) -> None:
    """Six published digits, and the oracle on the same table to the last one."""
    found = row(connection, "attribute_risk", source=view, user=user, attribute=attribute(column), k=5)
    assert found["mean_risk"] == pytest.approx(risk, rel=2e-5)
    assert found["minimum_cost_risk"] == pytest.approx(cost, rel=2e-5)
    person = f'"{user}"' if user else "row_number() OVER ()"
    pairs = connection.execute(f'SELECT {person}, "{column}" FROM "{view}"').fetchall()
    expected = oracle.attribute_risk(pairs, 5)
    assert not {name for name in expected if not close(found[name], expected[name])}


@pytest.mark.parametrize(
    ("name", "risk", "cost"),
    [
        ("time", 0.321734, 0.0144669),
        ("date", 0.185986, 0.00761415),
        ("item", 0.0965029, 0.0730170),
        ("price", 0.0120531, 0.00483104),
        ("quantity", 0.0080440, 0.0025468),
    ],
)
def test_purchases_of_400_customers(connection, name, risk, cost):
    """T_1 of the paper."""
    check(connection, opened(connection, "pwscup/2016/Trans400.csv"), "c0", TRANS[name], risk, cost)


@pytest.mark.parametrize(
    ("name", "omega", "risk", "cost"),
    [
        ("time", 543, 0.283684, 0.012089),
        ("date", 294, 0.168793, 0.006545),
        ("item", 3039, 0.090004, 0.067658),
        ("price", 163, 0.010077, 0.003629),
        ("quantity", 109, 0.006941, 0.002427),
    ],
)
def test_purchases_of_500_customers(connection, name, omega, risk, cost):
    """The contest's table of 2017."""
    view = opened(connection, "pwscup/2017_preliminary/T.csv")
    found = row(connection, "attribute_risk", source=view, user="c0", attribute=attribute(TRANS[name]), k=5)
    assert (found["records"], found["distinct_values"]) == (44_917, omega)
    assert found["mean_risk"] == pytest.approx(risk, abs=6e-7)
    assert found["minimum_cost_risk"] == pytest.approx(cost, abs=6e-7)


@pytest.mark.parametrize(
    ("column", "risk", "omega"),
    [
        ("time_in_hospital", 1.44884e-4, 14),
        ("age", 1.32788e-4, 10),
        ("race", 7.73178e-5, 6),
        ("gender", 3.77696e-5, 3),
    ],
)
def test_hospital_stays(connection, column, risk, omega):
    """T_2 of the paper; an unknown race is a value there."""
    view = opened(connection, "diabetes130.parquet")
    check(connection, view, "patient_nbr", column, risk, omega / 101_766)


@pytest.mark.parametrize(
    ("column", "risk", "omega"),
    [
        ("age", 2.24195e-3, 73),
        ("occupation", 4.60674e-4, 15),
        ("marital-status", 2.14981e-4, 7),
        ("race", 1.53558e-4, 5),
    ],
)
def test_adults(connection, column, risk, omega):
    """T_3 of the paper, each record a person: the risk is omega / m."""
    view = opened(connection, "adult_train.parquet")
    check(connection, view, None, column, risk, omega / 32_561)


def test_one_value_of_each_date(connection):
    """Table 5 and the centroid of figure 1: cost 131.3 and error 0.073."""
    view = opened(connection, "pwscup/2016/Trans400.csv")
    known = {"source": view, "user": "c0", "attribute": attribute(TRANS["date"])}
    found = row(connection, "sampling_centroid", **known)
    assert (found["distinct_values"], round(found["mean_cost"], 1)) == (290, 131.3)
    assert round(found["mean_error"], 3) == 0.073
    points = run(connection, "single_values", **known, most=500, seed=0)
    assert found["mean_cost"] == pytest.approx(sum(point["cost"] for point in points) / 290)
    assert found["mean_error"] == pytest.approx(sum(point["error"] for point in points) / 290)


def test_sampling_models_on_purchases(connection):
    """The paper's ten draws of dates lie where its interval says; ours hold the exact risk."""
    view = opened(connection, "pwscup/2016/Trans400.csv")
    known = {"source": view, "user": "c0", "attribute": attribute("c2")}
    estimates = []
    held = 0
    for seed in range(20):
        paper = row(connection, "attribute_sample_paper", **known, samples=10, seed=seed)
        estimates.append(paper["estimate"])
        ours = row(connection, "attribute_sample", **known, samples=30, confidence=0.90, seed=seed)
        held += ours["lower"] <= 0.185986 <= ours["upper"]
    assert sum(0.12 < estimate < 0.30 for estimate in estimates) >= 15
    assert held >= 15
    everything = row(connection, "attribute_sample", **known, samples=290, confidence=0.90, seed=0)
    assert everything["estimate"] == pytest.approx(0.185986, rel=2e-5)


def test_approximation_on_purchases(connection):
    """Near the exact risk: how near depends on the engine's version."""
    view = opened(connection, "pwscup/2016/Trans400.csv")
    errors = []
    for column in TRANS.values():
        known = {"source": view, "user": "c0", "attribute": attribute(column), "k": 5}
        near, exact = (
            row(connection, name, **known)["mean_risk"]
            for name in ("attribute_risk_approximate", "attribute_risk")
        )
        errors.append(abs(near / exact - 1))
    assert max(errors) < 0.04


def test_first_characters_of_items(connection):
    """The items of the contest's partial knowledge are those of the table, cut to two characters."""
    whole = opened(connection, "pwscup/2017_preliminary/T.csv")
    cut = opened(connection, "pwscup/2017_preliminary/T100.csv")
    ours = row(
        connection,
        "attribute_risk",
        source=whole,
        user="c0",
        attribute=attribute(Part("c4", "prefix", 2)),
        k=5,
    )
    theirs = row(connection, "attribute_risk", source=cut, user="c0", attribute=attribute("c4"), k=5)
    assert ours == theirs
