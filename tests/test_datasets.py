"""The tables in datasets/: made by what is written there, and as described there."""

import csv
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

DATASETS = Path(__file__).resolve().parent.parent / "datasets"
COLUMNS = ["CustomerID", "InvoiceDate", "StockCode", "UnitPrice", "Quantity"]


def mean_risk(rows, users, values):
    """Sum over values x of (rows with x / users with x) / rows, exactly."""
    count, who = defaultdict(int), defaultdict(set)
    for user, value in zip(users, values, strict=True):
        count[value] += 1
        who[value].add(user)
    return sum(Fraction(count[x], len(who[x])) for x in count) / rows


@pytest.fixture(scope="module")
def retail():
    """Rows of the committed table: (customer, moment, item, price, quantity)."""
    with duckdb.connect() as con:
        return con.execute(
            f"SELECT {', '.join(COLUMNS)} FROM read_parquet(?)", [str(DATASETS / "retail.parquet")]
        ).fetchall()


@pytest.mark.parametrize("threads", [1, 4])
def test_retail_is_what_the_script_makes(tmp_path, monkeypatch, threads):
    (tmp_path / "datasets").mkdir()
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        con.execute(f"SET threads = {threads}")
        con.execute((DATASETS / "retail.sql").read_text(encoding="utf-8"))
        made, kept = tmp_path / "datasets" / "retail.parquet", DATASETS / "retail.parquet"
        for left, right in ((made, kept), (kept, made)):
            extra = con.execute(
                "SELECT count(*) FROM (FROM read_parquet(?) EXCEPT ALL FROM read_parquet(?))",
                [str(left), str(right)],
            ).fetchone()
            assert extra == (0,)
        ordered = [con.execute("FROM read_parquet(?)", [str(f)]).fetchall() for f in (made, kept)]
        assert ordered[0] == ordered[1]


def test_retail_columns():
    with duckdb.connect() as con:
        described = con.execute(
            "DESCRIBE FROM read_parquet(?)", [str(DATASETS / "retail.parquet")]
        ).fetchall()
    types = ["INTEGER", "TIMESTAMP", "VARCHAR", "DECIMAL(8,2)", "INTEGER"]
    assert [row[:2] for row in described] == list(zip(COLUMNS, types, strict=True))
    assert (DATASETS / "retail.parquet").stat().st_size < 1_000_000


def test_retail_counts(retail):
    users, moments, items, prices, quantities = zip(*retail, strict=True)
    assert len(retail) == 38_137
    assert len(set(users)) == 400
    assert len({m.date() for m in moments}) == 291
    assert len({m.time() for m in moments}) == 544
    assert len(set(items)) == 2_773
    assert len(set(prices)) == 261
    assert len(set(quantities)) == 112
    assert len(set(zip(users, moments, strict=True))) == 1_746  # baskets
    assert min(prices) > 0
    assert min(quantities) > 0
    assert all(None not in row for row in retail)
    assert list(retail) == sorted(retail, key=lambda r: (r[1], r[0], *r[2:]))


def test_retail_shape(retail):
    moments = [row[1] for row in retail]
    assert min(moments).date().isoformat() == "2010-12-01"
    assert max(moments).date().isoformat() == "2011-11-30"
    assert all(m.weekday() != 5 and 7 <= m.hour <= 20 for m in moments)
    assert all(m.second == 0 and m.microsecond == 0 for m in moments)
    priced = defaultdict(set)
    for row in retail:
        priced[row[2]].add(row[3])
    assert sum(len(p) > 1 for p in priced.values()) > 500  # the item does not fix the price


@pytest.mark.parametrize(
    ("attribute", "paper"),
    [("time", 0.3217), ("date", 0.1860), ("item", 0.0965), ("price", 0.0121), ("quantity", 0.0080)],
)
def test_retail_risks_are_like_those_of_the_real_table(retail, attribute, paper):
    value = {
        "time": lambda r: r[1].time(),
        "date": lambda r: r[1].date(),
        "item": lambda r: r[2],
        "price": lambda r: r[3],
        "quantity": lambda r: r[4],
    }[attribute]
    risk = mean_risk(len(retail), [r[0] for r in retail], [value(r) for r in retail])
    assert 0.7 * paper < risk < 1.3 * paper


@pytest.mark.parametrize(
    ("attributes", "risk"),
    [
        (["date"], Fraction(65, 100)),
        (["time"], Fraction(1)),
        (["goods"], Fraction(55, 100)),
        (["date", "goods"], Fraction(90, 100)),
    ],
)
def test_example_risks(attributes, risk):
    with open(DATASETS / "ito_example.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10
    assert list(rows[0]) == ["user", "date", "time", "goods", "price", "number"]
    values = [tuple(row[a] for a in attributes) for row in rows]
    assert mean_risk(len(rows), [row["user"] for row in rows], values) == risk
