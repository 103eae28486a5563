"""Every method of a treatment: cases by hand, and tables against plain Python."""

from __future__ import annotations

import datetime
import itertools
import math
import random
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import DuckriskError, SourceError, UsageError
from duckrisk.engine.session import Resources
from duckrisk.engine.templates import Sql, render
from duckrisk.release.anonymization import Target, make_treatment, run
from duckrisk.release.anonymization.chain import Chain
from duckrisk.source import Request
from tests.hostile import NAMES
from tests.releases import made, numbers, read, treat, types
from tests.tables import EXAMPLES, LIGHT, connect, engine, make, row

pytestmark = pytest.mark.slow

PEOPLE = {"name": "VARCHAR", "age": "INTEGER", "born": "DATE", "city": "VARCHAR"}
ROWS = [
    ("ann", 34, datetime.date(1990, 3, 5), "Paris"),
    ("bob", 40, datetime.date(1984, 12, 31), "Lyon"),
    ("ann", None, None, None),
    (None, -1, datetime.date(2025, 7, 1), "Kyiv"),
]


def column(rows: list[tuple[Any, ...]], place: int) -> list[Any]:
    return [row[place] for row in rows]


# --- generalize, suppress ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"column": "age", "width": 10}, ["[30, 40[", "[40, 50[", None, "[-10, 0["]),
        ({"column": "AGE", "level": 1}, ["*", "*", None, "*"]),
        ({"column": "age", "level": 0}, [34, 40, None, -1]),
        ({"column": "city", "prefix": 2}, ["Pa*", "Ly*", None, "Ky*"]),
        ({"column": "born", "moment": "quarter"}, ["1990-Q1", "1984-Q4", None, "2025-Q3"]),
        ({"column": "born", "moment": "week"}, ["1990-W10", "1985-W01", None, "2025-W27"]),
        ({"column": "born", "moment": "5years"}, ["1990-1994", "1980-1984", None, "2025-2029"]),
        ({"column": "born", "moment": "10years"}, ["1990-1999", "1980-1989", None, "2020-2029"]),
    ],
)
def test_generalize_by_hand(step: dict[str, Any], expected: list[Any]) -> None:
    rows, release = treat(PEOPLE, ROWS, {"method": "generalize", **step})
    place = list(PEOPLE).index(step["column"].lower())
    assert column(rows, place) == expected
    others = [i for i in range(4) if i != place]
    assert [[row[i] for i in others] for row in rows] == [[row[i] for i in others] for row in ROWS]
    assert release.steps[0].changed == (0 if step.get("level") == 0 else 3)


def test_generalize_by_a_hierarchy() -> None:
    tree = {"city": {"tree": {"France": ["Paris", "Lyon"]}}, "age": {"widths": [5, 10]}}
    steps = [
        {"method": "generalize", "column": "city", "level": 1},
        {"method": "generalize", "column": "age", "level": 2},
    ]
    rows, release = treat(PEOPLE, ROWS, *steps, hierarchies=tree)
    assert column(rows, 3) == ["France", "France", None, "Kyiv"]
    assert column(rows, 1) == ["[30, 40[", "[40, 50[", None, "[-10, 0["]
    assert release.steps[0].changed == 2
    assert release.steps[0].cells == 3


def test_ages_in_decades_is_one_step_and_keeps_the_rest() -> None:
    rows, _ = treat(PEOPLE, ROWS, {"method": "generalize", "column": "age", "width": 10})
    assert len(rows) == 4


def test_suppress_and_drop() -> None:
    rows, release = treat(
        PEOPLE,
        ROWS,
        {"method": "suppress", "column": "name"},
        {"method": "suppress", "column": "born", "drop": True},
    )
    assert rows == [("*", row[1], row[3]) for row in ROWS]
    assert release.steps[0].changed == 4


def test_suppress_cells() -> None:
    step = {"method": "suppress-cells", "column": "age", "where": "city = 'Paris' OR age < 0"}
    rows, release = treat(PEOPLE, ROWS, step)
    assert column(rows, 1) == ["*", "40", None, "*"]
    assert release.steps[0].changed == 2
    rows, _ = treat(PEOPLE, ROWS, {**step, "missing": True})
    assert column(rows, 1) == [None, 40, None, None]


def test_delete_keeps_what_is_neither_true_nor_false() -> None:
    rows, release = treat(PEOPLE, ROWS, {"method": "delete", "where": "age > 35"})
    assert rows == [ROWS[0], ROWS[2], ROWS[3]]
    assert release.data["steps"] == [{"step": 1, "method": "delete", "deleted": 1, "records": 3}]


def test_conditions_see_the_steps_before() -> None:
    rows, _ = treat(
        PEOPLE,
        ROWS,
        {"method": "generalize", "column": "age", "width": 10},
        {"method": "delete", "where": "age = '[30, 40['"},
    )
    assert column(rows, 1) == ["[40, 50[", None, "[-10, 0["]


@pytest.mark.parametrize(
    ("where", "error", "said"),
    [
        ("CAST(name AS INTEGER) > 3", SourceError, "A value of the source does not fit"),
        ("years > 3", UsageError, "it names a column that does not exist"),
        ("CAST('a' AS INTEGER) > 3", UsageError, "compares different types"),
    ],
)
def test_a_condition_that_cannot_be_used_and_one_that_a_value_does_not_fit(
    where: str, error: type[DuckriskError], said: str
) -> None:
    with pytest.raises(error, match=said):
        treat(PEOPLE, ROWS, {"method": "delete", "where": where})


# --- numbers -------------------------------------------------------------------------------------


def test_top_and_bottom_keep_the_type(tmp_path: Path) -> None:
    steps = [{"method": "top", "column": "age", "at": 35}, {"method": "bottom", "column": "age", "at": 0}]
    rows, release = treat(PEOPLE, ROWS, *steps, folder=tmp_path)
    assert column(rows, 1) == [34, 35, None, 0]
    assert [step.changed for step in release.steps] == [1, 1]
    assert types(tmp_path / "release.parquet")[1] == "INTEGER"


def test_microaggregate_by_hand() -> None:
    values = [[10], [1], [2], [None], [12], [4], [3]]
    rows, release = treat({"a": "INTEGER"}, values, {"method": "microaggregate", "columns": ["a"], "k": 2})
    # In order: 1 2 | 3 4 | 10 12; means 1.5, 3.5, 11, and halves go away from zero.
    assert column(rows, 0) == [11, 2, 2, None, 11, 4, 4]
    assert release.steps[0].groups == 3
    rows, _ = treat({"a": "INTEGER"}, values, {"method": "microaggregate", "columns": ["a"], "k": 4})
    assert column(rows, 0) == [5, 5, 5, None, 5, 5, 5]
    rows, _ = treat({"a": "INTEGER"}, [[-1], [-2]], {"method": "microaggregate", "columns": ["a"], "k": 2})
    assert column(rows, 0) == [-2, -2]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("DOUBLE", [1.0, 2.0, 10.5, 11.0], [1.5, 1.5, 10.75, 10.75]),
        ("DECIMAL(8,2)", [Decimal("1.00"), Decimal("2.04"), 9, 9], [Decimal("1.52"), Decimal("1.52"), 9, 9]),
        ("BIGINT", [2**62, 2**62 + 2, 5, 7], [2**62 + 1, 2**62 + 1, 6, 6]),
        ("DATE", [datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)] * 1, [datetime.date(2020, 1, 2)] * 2),
        (
            "TIMESTAMP",
            [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, 0, 0, 2)],
            [datetime.datetime(2020, 1, 1, 0, 0, 1)] * 2,
        ),
    ],
)  # fmt: skip
def test_microaggregate_keeps_the_type(kind: str, values: list[Any], expected: list[Any]) -> None:
    rows, _ = treat(
        {"a": kind}, [[v] for v in values], {"method": "microaggregate", "columns": ["a"], "k": 2}
    )
    assert column(rows, 0) == expected


@LIGHT
@given(st.integers(2, 7), st.integers(0, 60), st.integers(0, 99))
def test_microaggregate_against_plain_python(k: int, count: int, seed: int) -> None:
    values = numbers(count, seed)
    present = sorted((v, i) for i, v in enumerate(values) if v is not None)
    if 0 < len(present) < k:
        return
    rows, _ = treat(
        {"a": "INTEGER"}, [[v] for v in values], {"method": "microaggregate", "columns": ["a"], "k": k}
    )
    expected: list[Any] = [None] * count
    for part in range(len(present) // k):
        end = len(present) if part == len(present) // k - 1 else (part + 1) * k
        group = present[part * k : end]
        total, n = sum(v for v, _ in group), len(group)
        mean = (2 * abs(total) + n) // (2 * n) * (1 if total > 0 else -1)
        for _, i in group:
            expected[i] = mean
    assert column(rows, 0) == expected
    assert all(n >= k for value, n in Counter(column(rows, 0)).items() if value is not None)


# --- draws ---------------------------------------------------------------------------------------

LONG = [(i, f"u{i % 40}", None if i % 11 == 0 else i % 17) for i in range(2000)]
THREE = {"i": "INTEGER", "user": "VARCHAR", "x": "INTEGER"}


@pytest.mark.parametrize("by", ["domain", "empirical"])
def test_perturb_draws_from_the_column(by: str) -> None:
    rows, release = treat(THREE, LONG, {"method": "perturb", "column": "x", "share": 0.3, "by": by})
    assert [row[:2] for row in rows] == [row[:2] for row in LONG]
    old, new = column(LONG, 2), column(rows, 2)
    assert [a is None for a in old] == [a is None for a in new]
    assert set(new) <= set(old)
    present = sum(a is not None for a in old)
    assert 0.25 < release.steps[0].changed / present < 0.35
    # One in 17 draws gives the value that was there.
    assert 0.22 < sum(a != b for a, b in zip(old, new, strict=True)) / present < 0.34


def test_perturb_from_the_domain_ignores_how_often_values_are() -> None:
    skewed = [[0]] * 1900 + [[1]] * 100
    step = {"method": "perturb", "column": "x", "share": 1}
    by = {name: treat({"x": "INTEGER"}, skewed, {**step, "by": name})[0] for name in ("domain", "empirical")}
    assert 850 < column(by["domain"], 0).count(1) < 1150
    assert 60 < column(by["empirical"], 0).count(1) < 150


def test_perturb_everything_is_uniform_and_independent_of_other_steps() -> None:
    rows, _ = treat(
        {"a": "INTEGER", "b": "INTEGER"},
        [[i % 4, i % 4] for i in range(4000)],
        {"method": "perturb", "column": "a", "share": 0.5},
        {"method": "perturb", "column": "b", "share": 0.5},
    )
    moved = Counter((row[0] != i % 4, row[1] != i % 4) for i, row in enumerate(rows))
    assert moved[True, True] / 4000 == pytest.approx((0.5 * 0.75) ** 2, abs=0.03)
    assert moved[False, False] / 4000 == pytest.approx((1 - 0.5 * 0.75) ** 2, abs=0.04)


def test_swap_keeps_all_values() -> None:
    rows, release = treat(THREE, LONG, {"method": "swap", "column": "x", "share": 0.5})
    old, new = column(LONG, 2), column(rows, 2)
    assert Counter(old) == Counter(new)
    assert [a is None for a in old] == [a is None for a in new]
    assert 800 < release.steps[0].changed < 1010
    assert sum(a != b for a, b in zip(old, new, strict=True)) > 700
    rows, _ = treat({"x": "INTEGER"}, [[i] for i in range(50)], {"method": "swap", "column": "x", "share": 1})
    assert sorted(column(rows, 0)) == list(range(50))
    assert all(value != i for i, value in enumerate(column(rows, 0)))  # a circle leaves nobody at home


def test_swap_of_nobody_and_of_one() -> None:
    step = {"method": "swap", "column": "x", "share": 1}
    assert treat({"x": "INTEGER"}, [[None]], step)[0] == [(None,)]
    rows, release = treat({"x": "INTEGER"}, [[7], [None]], step)
    assert rows == [(7,), (None,)]
    assert release.steps[0].changed == 0


def test_sample() -> None:
    rows, release = treat(THREE, LONG, {"method": "sample", "records": 300})
    assert len(rows) == 300
    assert rows == sorted(rows)
    assert set(rows) <= set(LONG)
    assert release.data["steps"][0] == {"step": 1, "method": "sample", "deleted": 1700, "records": 300}
    rows, _ = treat(THREE, LONG, {"method": "sample", "share": 0.25})
    assert 420 < len(rows) < 580
    assert rows == [row for row in LONG if row in set(rows)]
    assert treat(THREE, LONG, {"method": "sample", "share": 1})[0] == LONG
    assert treat(THREE, LONG, {"method": "sample", "records": 2000})[0] == LONG


def test_shuffle_keeps_records_and_no_order() -> None:
    rows, _ = treat(THREE, LONG, {"method": "shuffle"})
    assert Counter(rows) == Counter(LONG)
    rising = sum(a < b for a, b in zip(column(rows, 0), column(rows, 0)[1:], strict=False))
    assert 900 < rising < 1100
    rows, _ = treat(THREE, LONG, {"method": "shuffle"}, {"method": "sample", "records": 1000})
    assert not 0 < sum(a > b for a, b in zip(column(rows, 0), column(rows, 0)[1:], strict=False)) < 400


# --- pseudonyms ----------------------------------------------------------------------------------

HISTORY = [
    (
        f"user {random.Random(i).randrange(30):03}",
        datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=i * 7),
    )
    for i in range(600)
]
VISITS = {"user": "VARCHAR", "at": "TIMESTAMP"}


def starts(at: datetime.datetime, period: str) -> Any:
    return {
        "none": 0,
        "day": at.date(),
        "week": at.isocalendar()[:2],
        "month": (at.year, at.month),
        "quarter": (at.year, (at.month - 1) // 3),
    }[period]


@pytest.mark.parametrize("period", ["none", "day", "week", "month", "quarter"])
@pytest.mark.parametrize("seed", [None, 5])
def test_pseudonyms_are_those_of_users_and_periods(period: str, seed: int | None) -> None:
    step = {"method": "pseudonymize", "column": "user", "period": period}
    rows, release = treat(VISITS, HISTORY, step, seed=seed)
    assert column(rows, 1) == column(HISTORY, 1)
    pairs = [(user, starts(at, period)) for user, at in HISTORY]
    names = column(rows, 0)
    assert len({*zip(pairs, names, strict=True)}) == len(set(pairs)) == len(set(names))
    assert len({len(name) for name in names}) == 1
    assert not set(names) & set(column(HISTORY, 0))
    assert release.steps[0].users == len(set(column(HISTORY, 0)))
    assert release.steps[0].pseudonyms == len(set(pairs))


def test_pseudonyms_keep_no_order() -> None:
    rows, _ = treat({"u": "INTEGER"}, [[i] for i in range(1000)], {"method": "pseudonymize", "column": "u"})
    names = column(rows, 0)
    rising = sum(a < b for a, b in itertools.pairwise(names))
    assert 430 < rising < 570
    by_first_seen = [names.index(name) for name in sorted(names)]
    assert by_first_seen != sorted(by_first_seen)


def test_pseudonyms_are_drawn_anew_unless_there_is_a_seed() -> None:
    step = {"method": "pseudonymize", "column": "user"}
    first, second = (treat(VISITS, HISTORY, step, seed=None)[0] for _ in range(2))
    assert first != second
    again, _ = treat(VISITS, HISTORY, step, seed=3)
    assert again == treat(VISITS, HISTORY, step, seed=3)[0]
    assert again != treat(VISITS, HISTORY, step, seed=4)[0]


def test_missing_users_stay_missing_and_missing_times_are_a_period() -> None:
    at = datetime.datetime(2024, 1, 1)
    rows, release = treat(
        VISITS,
        [(None, at), ("a", None), ("a", at), ("a", None)],
        {"method": "pseudonymize", "column": "user", "period": "month"},
    )
    assert rows[0][0] is None
    assert rows[1][0] == rows[3][0] != rows[2][0]
    assert release.steps[0].pseudonyms == 2


# --- k-anonymity ---------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["local", "uniform", "columns"])
def test_every_class_has_k_records_in_the_order_of_the_source(algorithm: str) -> None:
    people = [(i, 20 + i * 7 % 31, ["Paris", "Lyon", "Kyiv"][i % 3]) for i in range(60)]
    rows, release = treat(
        {"i": "INTEGER", "age": "INTEGER", "city": "VARCHAR"},
        people,
        {"method": "k-anonymize", "k": 4, "quasi_identifiers": ["age", "city"], "algorithm": algorithm},
        hierarchies={"city": {"tree": {"France": ["Paris", "Lyon"]}}, "age": {"widths": [5, 10]}},
    )
    kept = column(rows, 0)
    assert kept == sorted(kept)
    assert len(kept) >= (60 if algorithm == "local" else 57)  # at most 5 % may be deleted
    sizes = Counter(row[1:] for row in rows)
    assert min(sizes.values()) >= 4
    if algorithm == "local":
        done = release.data["steps"][0]
        assert (done["classes"], done["smallest"]) == (len(sizes), min(sizes.values()))


# --- any table -----------------------------------------------------------------------------------

ALL = [
    {"method": "delete", "where": "x = 3"},
    {"method": "swap", "column": "x", "share": 0.5},
    {"method": "perturb", "column": "x", "share": 0.5},
    {"method": "perturb", "column": "y", "share": 0.5, "by": "empirical"},
    {"method": "top", "column": "x", "at": 30},
    {"method": "bottom", "column": "x", "at": -30},
    {"method": "generalize", "column": "x", "width": 7},
    {"method": "generalize", "column": "y", "prefix": 1},
    {"method": "pseudonymize", "column": "u"},
    {"method": "shuffle"},
]


@pytest.mark.parametrize("rows", [[], [("a", None, None)], [(None, 3, "")], [("a", 5, "ab")]])
def test_no_record_and_one_record(rows: list[Any]) -> None:
    kinds = {"u": "VARCHAR", "x": "INTEGER", "y": "VARCHAR"}
    released, release = treat(kinds, rows, *ALL)
    assert len(released) == sum(row[1] != 3 for row in rows)
    assert release.records == len(rows)
    treat(kinds, rows, {"method": "microaggregate", "columns": ["x"], "k": 2}) if not rows else None
    treat(kinds, rows, {"method": "sample", "share": 0.5})


@LIGHT
@given(
    st.lists(
        st.tuples(
            st.none()
            | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4),
            st.none() | st.integers(-100, 100),
            st.none() | st.text("ab漢é ", max_size=3),
        ),
        max_size=30,
    ),
    st.integers(0, 2**63 - 1),
)
def test_same_seed_same_rows_on_any_number_of_threads(rows: list[Any], seed: int) -> None:
    kinds = {"u": "VARCHAR", "x": "INTEGER", "y": "VARCHAR"}
    one, _ = treat(kinds, rows, *ALL, seed=seed, threads=1)
    two, _ = treat(kinds, rows, *ALL, seed=seed, threads=2)
    assert one == two
    assert len(one) == sum(row[1] != 3 for row in rows)


def test_hostile_names_and_values_everywhere(tmp_path: Path) -> None:
    drawn = {"share": 0.5}
    places = {
        "generalize": {"prefix": 2},
        "suppress": {},
        "pseudonymize": {},
        "perturb": drawn,
        "swap": drawn,
    }
    methods = list(places)
    names = [name for name in NAMES if name.strip()]
    together = len(names) if EXAMPLES >= 20 else 11  # many steps on many columns take long
    for start in range(0, len(names), together):
        some = names[start : start + together]
        rows = [[f"{name} {row % 3}" for name in some] for row in range(6)]
        steps = [
            {"method": methods[i % 5], "column": name, **places[methods[i % 5]]}
            for i, name in enumerate(some)
        ]
        released, _ = treat(dict.fromkeys(some, "VARCHAR"), rows, *steps, folder=tmp_path)
        assert len(released) == 6
        for i, name in enumerate(some):
            if methods[i % 5] == "generalize":
                assert column(released, i) == [row[i][:2] + "*" for row in rows], name


def test_our_own_names_as_columns() -> None:
    columns = dict.fromkeys(
        ["record", "c1", "looked_up", "number", "value", "taker", "level0", "records"], "INTEGER"
    )
    rows = [[i * 10 + j for j in range(8)] for i in range(5)]
    released, _ = treat(
        columns,
        rows,
        {"method": "delete", "where": "record = 20 OR number = 43"},
        {"method": "perturb", "column": "number", "share": 1},
        {"method": "swap", "column": "value", "share": 1},
        {"method": "suppress-cells", "column": "c1", "where": "record >= 10 AND level0 < 20"},
    )
    assert column(released, 0) == [0, 10, 30]
    assert column(released, 1) == ["1", "*", "31"]
    assert sorted(column(released, 4)) == [4, 14, 34]


@pytest.mark.parametrize(
    ("unit", "last", "first"),
    [
        ("day", "2020-12-31", "2021-01-01"),
        ("week", "2020-W53", "2020-W53"),
        ("month", "2020-12", "2021-01"),
        ("quarter", "2020-Q4", "2021-Q1"),
        ("year", "2020", "2021"),
    ],
)
def test_the_last_nanosecond_is_in_its_period(unit: str, last: str, first: str) -> None:
    columns = {"at": "TIMESTAMP_NS", "user": "VARCHAR"}
    times = ["2020-12-31 23:59:59.999999999", "2020-12-31 23:59:59.999999501", "2021-01-01", None, "infinity"]
    rows = [[time, "u"] for time in times]
    rows += [["1969-12-31 23:59:59.999999999", "u"], ["1969-12-31", "u"]]
    released, _ = treat(columns, rows, {"method": "generalize", "column": "at", "moment": unit})
    assert column(released, 0)[:5] == [last, last, first, None, "infinity"]
    assert column(released, 0)[5] == column(released, 0)[6]
    names = column(treat(columns, rows, {"method": "pseudonymize", "column": "user", "period": unit})[0], 1)
    assert names[0] == names[1]
    assert (names[1] == names[2]) == (unit == "week")
    assert names[5] == names[6]


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
@pytest.mark.parametrize(
    "step",
    [
        {"method": "k-anonymize", "k": 2, "quasi_identifiers": ["x"]},
        {"method": "delete-classes", "below": 2, "quasi_identifiers": ["x"]},
        {"method": "top", "column": "x", "at": -0.0},
    ],
)
def test_equal_numbers_are_written_alike(tmp_path: Path, kind: str, step: dict[str, Any]) -> None:
    """0.0 and -0.0 are one value for the engine, and so is every NaN: a file would show the sign."""
    rows = [[0.0], [-0.0], [0.0], [-1.5], [-1.5], [math.nan], [-math.nan], [None], [None]]
    release = run(
        Request(str(made(tmp_path / "source.parquet", {"x": kind}, rows))),
        make_treatment([step]),
        Target(tmp_path / "release.csv"),
        Resources(),
    )
    cells = (tmp_path / "release.csv").read_text(encoding="utf-8").split("\n")[1:-1]
    numbers = ["0.0"] * 2 if step["method"] == "top" else ["nan"] * 2  # NaN is above all numbers
    assert cells == ["0.0"] * 3 + ["-1.5"] * 2 + numbers + [""] * 2
    assert release.released == 9


@pytest.mark.parametrize("name", ["record", "Record", "place", "treated"])
def test_a_column_of_a_name_of_ours_does_not_order_the_release(tmp_path: Path, name: str) -> None:
    """Records stay in their order, or in that of a shuffle, whatever a column is called."""
    columns = {name: "INTEGER", "i": "INTEGER"}
    rows = [[7 - i % 3, i] for i in range(60)]
    means = {"method": "microaggregate", "columns": ["i"], "k": 2}
    released, _ = treat(columns, rows, means)
    assert column(released, 1) == sorted(column(released, 1))
    shuffled = treat(columns, rows, {"method": "shuffle"})[0]
    assert shuffled == treat({"other": "INTEGER", "i": "INTEGER"}, rows, {"method": "shuffle"})[0]
    source, database = made(tmp_path / "source.parquet", columns, rows), tmp_path / "release.duckdb"
    run(Request(str(source)), make_treatment([means]), Target(database, "t"), Resources())
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.execute("FROM t").fetchall() == released


def test_columns_whose_names_differ_in_case(tmp_path: Path) -> None:
    source = tmp_path / "s.csv"
    source.write_text("a,A\n1,2\n3,4\n", encoding="utf-8")
    release = tmp_path / "r.csv"
    run(
        Request(str(source)),
        make_treatment([{"method": "generalize", "column": "A", "width": 10}]),
        Target(release),
        Resources(),
    )
    assert release.read_text().splitlines()[1:] == ['1,"[0, 10["', '3,"[0, 10["']


@pytest.mark.slow
def test_large_tables_keep_their_order_without_a_sort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["duckrisk.release.anonymization.chain"], "_MANY_RECORDS", 1000)
    orders = []
    order = Chain.get_order
    monkeypatch.setattr(Chain, "get_order", lambda chain: orders.append(order(chain)) or orders[-1])
    count = 250_000  # three groups of rows
    source = made(tmp_path / "s.parquet", {"i": "INTEGER"}, [])
    duckdb.execute(
        "COPY (SELECT i, i % 7 AS x, CASE WHEN i % 19 > 0 THEN 'u' || i % 50 END AS u "
        f"FROM range({count}) AS r(i)) TO '{source}'"
    )
    steps = [
        {"method": "generalize", "column": "x", "width": 5},
        {"method": "pseudonymize", "column": "u"},
        {"method": "sample", "share": 0.9},
    ]
    run(Request(str(source)), make_treatment(steps), Target(tmp_path / "r.parquet"), Resources(threads=2))
    kept = None if duckdb.__version__ >= "2" else '"record"'
    assert set(orders) == {kept}
    released = read(tmp_path / "r.parquet")
    assert column(released, 0) == sorted(column(released, 0))
    assert all(row[1] == ("[0, 5[" if row[0] % 7 < 5 else "[5, 10[") for row in released)
    # Some records find nothing: engines that give them after the others would tell who they are.
    steps = [{"method": "perturb", "column": "x", "share": 0.1}, {"method": "pseudonymize", "column": "u"}]
    run(Request(str(source)), make_treatment(steps), Target(tmp_path / "p.parquet"), Resources(threads=2))
    assert orders[-1] == kept
    assert column(read(tmp_path / "p.parquet"), 0) == list(range(count))
    # Lists and queries of conditions are looked up as well.
    listed = ", ".join(map(str, range(0, count, 999)))
    steps = [{"method": "delete", "where": f"i IN ({listed})"}, {"method": "delete-rare", "column": "u"}]
    for where in (None, "x IN (1, 2, 3, 4, 5, 6, 7, 8, 9)"):
        request = Request(str(source), where=where)
        run(
            request,
            make_treatment(steps),
            Target(tmp_path / "d.parquet", overwrite=True),
            Resources(threads=2),
        )
        left = [i for i in range(count) if i % 999 and (where is None or i % 7)]
        assert column(read(tmp_path / "d.parquet"), 0) == left
    # Where what is looked up is as large as the table, only a sort makes the order sure.
    steps = [{"method": "perturb", "column": "i", "share": 0.5}]
    run(Request(str(source)), make_treatment(steps), Target(tmp_path / "t.parquet"), Resources(threads=2))
    assert orders[-1] == '"record"'
    assert [row[1] for row in read(tmp_path / "t.parquet")] == [i % 7 for i in range(count)]


TEXTS = [
    "",
    " ",
    "a",
    "A",
    "ä",
    "a\u0308",
    "\u540d\u524d",
    "it's",
    '"',
    "NULL",
    "x" * 40,
    "\U0001f600",
    "a\n",
]


MANY = [
    {"method": "pseudonymize", "column": "u", "period": "week"},
    {"method": "perturb", "column": "x", "share": 0.1},
    {"method": "generalize", "column": "text", "prefix": 1},
    {"method": "generalize", "column": "at", "moment": "month"},
    {"method": "generalize", "column": "x", "width": 5},
]
#: What was looked up is replaced again, needed by another column, or not left.
AGAIN = [
    {"method": "generalize", "column": "city", "prefix": 7},
    {"method": "generalize", "column": "city", "prefix": 6},
    {"method": "generalize", "column": "at", "moment": "day"},
    {"method": "pseudonymize", "column": "u", "period": "month", "time": "at"},
    {"method": "generalize", "column": "x", "width": 5},
    {"method": "suppress", "column": "x", "drop": True},
]


@pytest.mark.parametrize(
    ("steps", "texts", "left"),
    [
        (MANY, {"c1", "c2", "c3", "c4", "c5"}, True),
        (
            [*MANY, {"method": "delete", "where": "city = 'only one here'"}],
            {"c1", "c2", "c3", "c4", "c5"},
            False,
        ),
        (AGAIN, {"c1", "c2", "c3", "c4"}, False),
    ],
)
def test_what_is_looked_up_for_many_is_what_is_computed_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: list[Any], texts: set[str], left: bool
) -> None:
    """Many records: values, days and texts that repeat are looked up, and texts written as labels."""
    source = tmp_path / "s.parquet"
    listed = "[" + ", ".join("'" + text.replace("'", "''") + "'" for text in TEXTS) + "]"
    duckdb.execute(
        f"COPY (SELECT i, CASE WHEN i % 19 > 0 THEN {listed}[1 + i * i % {len(TEXTS)}] END AS text, "
        "CASE WHEN i % 17 > 0 THEN TIMESTAMP '2010-12-25 01:02:03' + INTERVAL (i // 9 * 7 % 900) HOUR END "
        "AS at, CASE WHEN i = 4242 THEN 'only one here' ELSE 'Town ' || i * 7 % 30 END AS city, "
        f"'u' || i // 9 * 11 % 70 AS u, i % 23 AS x FROM range(30_000) AS r(i)) TO '{source}'"
    )
    found: list[Any] = []
    labelled: list[set[str]] = []
    made_labels = Chain.label_texts

    def labels(chain: Chain) -> Any:
        relation, made = made_labels(chain)
        kinds = chain.session.describe(relation)
        labelled.append({*made, *(name for name, kind in kinds if kind.startswith("ENUM"))})
        return relation, made

    monkeypatch.setattr(Chain, "label_texts", labels)
    for few in (10**9, 1000):
        monkeypatch.setattr(sys.modules["duckrisk.release.anonymization.chain"], "_MANY_RECORDS", few)
        target = tmp_path / f"{few}.parquet"
        done = run(Request(str(source)), make_treatment(steps, seed=1), Target(target), Resources(threads=2))
        found.append((read(target), types(target), done.steps))
        assert (b"only one" in target.read_bytes()) == left
    assert found[0] == found[1]
    assert labelled == [set(), texts]


@pytest.mark.parametrize("kind", ["parquet", "csv", "duckdb"])
def test_release_holds_nothing_of_what_was_left_out(tmp_path: Path, kind: str) -> None:
    """A type that lists its values would tell those of the records that were deleted."""
    source, target = tmp_path / "s.duckdb", tmp_path / f"r.{kind}"
    with duckdb.connect(str(source)) as connection:
        connection.execute("CREATE TYPE city AS ENUM ('Nowhere else', 'it''s, (a)', 'Ise')")
        connection.execute("CREATE TABLE t (i INTEGER, city city, cities city[])")
        for number, city in enumerate(["Ise", "Nowhere else", "it's, (a)"]):
            connection.execute("INSERT INTO t VALUES (?, ?, ?)", [number, city, [city]])
    run(
        Request(str(source), "t"),
        make_treatment([{"method": "delete", "where": "city = 'Nowhere else'"}]),
        Target(target, "t" if kind == "duckdb" else None),
        Resources(),
    )
    assert b"Nowhere" not in target.read_bytes()
    with duckdb.connect() as connection:
        if kind == "duckdb":
            connection.execute(f"ATTACH '{target}' AS made")
        rows = connection.execute("FROM made.t" if kind == "duckdb" else f"FROM '{target}'").fetchall()
    assert column(rows, 1) == ["Ise", "it's, (a)"]
    if kind != "csv":
        assert column(rows, 2) == [["Ise"], ["it's, (a)"]]


@pytest.mark.parametrize(
    ("cells", "mean", "deviation"),
    [
        (["1", "2", "6", "x", None, "inf"], 3, math.sqrt(14 / 3)),  # 4 + 1 + 9, of three numbers
        (["-5", "-5"], -5, 0),
        (["0", "0"], 0, 0),
        (["x", None, "nan"], 0, 0),
        ([], 0, 0),
    ],
)
def test_limits_of_outliers_by_hand(cells: list[str | None], mean: float, deviation: float) -> None:
    with connect() as connection:
        make(connection, {"n": "VARCHAR"}, [(cell,) for cell in cells])
        found = row(connection, "outlier_limits", source="t", column="n", deviations=1.5)
    wanted = {"lower": mean - 1.5 * deviation, "upper": mean + 1.5 * deviation}
    assert found == pytest.approx(wanted, abs=1e-10)
    if deviation == 0:  # equal numbers are no outliers, however they are rounded
        assert found["lower"] <= mean <= found["upper"]


@pytest.mark.parametrize(
    ("unit", "first", "start", "life"),
    [
        ("day", "2023-11-01", "2023-11-03", "2023-11-01"),
        ("day", "2023-11-01", "2023-11-11", "2023-11-10"),
        ("week", "2023-10-30", "2023-11-13", "2023-10-30"),
        ("week", "2023-10-30", "2023-12-18", "2023-12-11"),
        ("month", "2023-11-01", "2024-01-01", "2023-11-01"),
        ("month", "2023-11-01", "2024-09-01", "2024-08-01"),
        ("quarter", "2023-10-01", "2024-04-01", "2023-10-01"),
        ("quarter", "2023-10-01", "2025-07-01", "2025-04-01"),
        ("year", "2023-01-01", "2025-01-01", "2023-01-01"),
        ("year", "2023-01-01", "2030-01-01", "2029-01-01"),
    ],
)
def test_lives_of_three_periods_by_hand(unit: str, first: str, start: str, life: str) -> None:
    day = Sql(f"(SELECT DATE '{first}' AS first_day)")
    expression = render("life_start", unit=unit, first=day, life=3, start=Sql(f"DATE '{start}'"))
    assert str(engine().execute(f"SELECT {expression}").fetchone()[0]) == life


def test_values_that_are_left_by_hand() -> None:
    """Of 1 and 2 all cells are drawn anew, and one draws 1 again; of 3 a cell stays."""
    domain = [(1, "x", 2, 2), (2, "y", 1, 1), (3, "z", 2, 1)]
    with connect() as connection:
        kinds = {"number": "INTEGER", "value": "VARCHAR", "cells": "INTEGER", "changed": "INTEGER"}
        make(connection, kinds, domain, "d")
        make(connection, {"n": "INTEGER"}, [(1,), (3,), (3,), (None,), (None,)])
        given = {"name": "left_values", "source": "t", "domain": "d", "pick": Sql("n")}
        connection.execute(render("perturbed_values", **given))
        found = connection.execute("SELECT number, value FROM left_values ORDER BY number").fetchall()
    assert found == [(1, "x"), (2, None), (3, "z")]


def test_records_are_numbered_from_nothing() -> None:
    with connect() as connection:
        connection.execute("SET threads = 1; SET preserve_insertion_order = true")
        make(connection, {"a": "VARCHAR"}, [("x",), ("y",), (None,)])
        connection.execute(render("number_records", name="numbered", source="t", columns=["a"]))
        assert connection.execute("FROM numbered").fetchall() == [(0, "x"), (1, "y"), (2, None)]
